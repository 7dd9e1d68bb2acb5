/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply_words.h -- what was written as words, numbers with units, segments, ranges and codes (reply.h). */
#ifndef HELPERS_STORY_REPLY_WORDS_H
#define HELPERS_STORY_REPLY_WORDS_H

#include "helpers/story/reply.h"

enum { REPLY_TOKENS = 128, REPLY_NOWHERE = -1 };

enum reply_said { REPLY_WORD, REPLY_BREAK, REPLY_IS_NUMBER, REPLY_IS_RANGE, REPLY_IS_SEGMENT, REPLY_IS_CODE };

/* A unit of numbers; `scale` to octets or picoseconds. */
struct reply_unit {
    const char *name, *words;
    uint64_t scale;
    bool before; /* "MSN 1", not "1 MSN" */
};

struct reply_token {
    enum reply_said said;
    char word[REPLY_WORD_MAX]; /* in small letters; of a number: what is attached to it */
    uint64_t digits,
        to; /* of a number without its point; of a range the first and the last; a segment's number; a code */
    int decimals;
    const struct reply_unit *unit; /* NULL: none */
    int conn;                      /* of a segment; REPLY_NOWHERE */
    char side;
    bool is_void; /* not, more than ... */
    bool used;
    int cue; /* the field that words beside it name; REPLY_NOWHERE */
};

/* How to read what can be read in two ways. */
struct reply_manner {
    enum { COMMA_GROUPS, COMMA_IS_POINT, COMMA_PARTS, COMMAS } comma;
    bool blank_groups; /* "9 972 octets" */
};

/* Is the word one of these, with blanks between? */
bool reply_is_among(const char *words, const char *word);
/* The tokens of a text; how many. */
int reply_read(const char *text, struct reply_manner m, struct reply_token token[REPLY_TOKENS]);

#endif
