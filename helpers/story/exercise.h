/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise.h -- questions about a story, and what is true of it. */
#ifndef HELPERS_STORY_EXERCISE_H
#define HELPERS_STORY_EXERCISE_H

#include "helpers/story/reply.h"
#include "helpers/story/story.h"

enum { EXERCISE_TEXT_MAX = 400 };

struct exercise {
    char question[EXERCISE_TEXT_MAX], answer[EXERCISE_TEXT_MAX]; /* the answer as a sentence, for keys */
    struct reply_field field[REPLY_FIELDS];                      /* what is asked for */
    int fields;
};

/* Up to `max` questions that this story has an answer to, in a fixed order, a prediction first; which of many Terminates is asked about
 * is drawn. */
int exercise_make(const struct story *s, uint64_t draw, struct exercise *out, int max);

/* One more field of the answer; there is room for REPLY_FIELDS. */
void exercise_want(struct exercise *x, struct reply_field f);
void exercise_want_code(struct exercise *x, int term);
/* Does an answer that was handed in hold what is asked for (reply.h)? */
bool exercise_is_right(const struct exercise *x, const char *answer);

/* Changed by up to a quarter, by draw `number` of `key`; fewer than 100 stay. */
uint64_t exercise_vary_octets(uint64_t octets, uint64_t key, uint64_t number);
/* Number `student` of the whole numbers from `least` on, `spread` of them: no two of as many students in a row have the same. */
uint64_t exercise_own(uint64_t least, uint64_t spread, uint64_t key, uint64_t student);
/* The script of a lesson with each of its numbers varied. False: it does not fit `size`. */
bool exercise_vary_script(const char *script, uint64_t key, char *out, size_t size);

#endif
