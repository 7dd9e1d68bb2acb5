/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply.h -- the marking rule: is what a student wrote what was asked for? Sheets, pages and --verify ask here.
 *
 * An answer has fields, each of a kind. What was written is read into numbers with their units, names of segments, ranges and
 * codes, in whatever words and order; each field takes the one that fits it by its unit, by words beside it, or else by its
 * place. Right: each field has what it wants, and nothing is left over that it could have been as well ("8 or 9"). What stands
 * behind "not", "more than" and the like is no answer. */
#ifndef HELPERS_STORY_REPLY_H
#define HELPERS_STORY_REPLY_H

#include <stdbool.h>
#include <stdint.h>

enum { REPLY_FIELDS = 24, REPLY_WORD_MAX = 24, REPLY_TEXT_MAX = 512 };

enum reply_kind {
    REPLY_SEGMENT, /* A9, c0.A9 */
    REPLY_OCTETS,  /* from the first to the last */
    REPLY_NUMBER,  /* of `unit`: from .. to counts */
    REPLY_TIME,    /* in picoseconds: from .. to counts; one time: as it is rounded to 10 ns or finer */
    REPLY_CODE,    /* of a Terminate: layer, type, code */
    REPLY_CHOICE,  /* the name of a field of a header */
    REPLY_KINDS
};

struct reply_field {
    enum reply_kind kind;
    const char *label; /* what a page writes before the field */
    const char *unit;  /* of a number: a name of the table of units, or NULL */
    const char *cue; /* words, with blanks between, that say beside a value that it is this one; NULL: none */
    uint64_t from, to;
    char text[REPLY_WORD_MAX]; /* of a segment, a choice */
};

/* What a page says of a kind, such as "A1": how it is written. */
const char *reply_example(const struct reply_field *f);
/* What a field wants, as one would write it, without its unit; `out` has REPLY_TEXT_MAX octets. */
const char *reply_value(const struct reply_field *f, char *out);
/* `answer`, at most REPLY_TEXT_MAX octets of it, is all of the fields in one text, or field by field with | between. What stands
 * in the question may be said again. */
bool reply_is_right(const struct reply_field *field, int fields, const char *question, const char *answer);

#endif
