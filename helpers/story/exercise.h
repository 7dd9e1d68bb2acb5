/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise.h -- questions about a story, and what is true of it. */
#ifndef HELPERS_STORY_EXERCISE_H
#define HELPERS_STORY_EXERCISE_H

#include "helpers/story/story.h"

enum { EXERCISE_TEXT_MAX = 400 };

struct exercise {
    char question[EXERCISE_TEXT_MAX], answer[EXERCISE_TEXT_MAX];
};

/* Up to `max` questions that this story has an answer to, in a fixed order; which of many Terminates is asked about
 * is drawn. */
int exercise_make(const struct story *s, uint64_t draw, struct exercise *out, int max);

/* Changed by up to a quarter, by draw `number` of `key`; fewer than 100 stay. */
uint64_t exercise_vary_octets(uint64_t octets, uint64_t key, uint64_t number);
/* The script of a lesson with each of its numbers varied. False: it does not fit `size`. */
bool exercise_vary_script(const char *script, uint64_t key, char *out, size_t size);

#endif
