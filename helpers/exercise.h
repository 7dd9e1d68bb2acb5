/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise.h -- questions about a story, and what is true of it. */
#ifndef HELPERS_EXERCISE_H
#define HELPERS_EXERCISE_H

#include "helpers/story.h"

enum { EXERCISE_TEXT_MAX = 400 };

struct exercise {
    char question[EXERCISE_TEXT_MAX], answer[EXERCISE_TEXT_MAX];
};

/* Up to `max` questions that this story has an answer to, in a fixed order. */
int exercise_make(const struct story *s, struct exercise *out, int max);

/* The script of a lesson with other octets: each number from 100 on is changed by up to a quarter, drawn from `key`.
 * False: it does not fit `size`. */
bool exercise_vary_script(const char *script, uint64_t key, char *out, size_t size);

#endif
