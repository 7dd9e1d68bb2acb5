/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code.h -- what is handed in from a page, as one line: NAME=VALUE with & between, coded as in an address. The names that a kind
 * of code knows are its own; every other one is a setting of the scenario, KEY=VALUE. Nothing in a code is secret: it is the
 * solution itself, and whoever has it can run it again. */
#ifndef HELPERS_STORY_CODE_H
#define HELPERS_STORY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/story/exercise.h"

enum { CODE_MAX = 4096, CODE_SETS = 16, CODE_ANSWERS = 6, CODE_ERROR_MAX = 300 };

/* One word of a code, decoded to `*room`, which moves behind it. */
char *code_word(const char *word, size_t length, char **room);

/* What is handed in of a sheet, "sheet=3&student=7&a1=54.3&a2=A9%7CA8&seed=5", or of a lab, which has no settings (lab.h). */
struct code {
    unsigned lesson, lab; /* one of them is named; the other is 0 */
    uint64_t student;
    const char *answer[CODE_ANSWERS]; /* NULL: none */
    const char *sets[CODE_SETS];
    size_t count;
    char room[CODE_MAX];
};

/* False: `why` (CODE_ERROR_MAX) says what is wrong with it. */
bool code_read(const char *text, struct code *c, char *why);
/* The first setting of the code that is none of these keys, which stand with commas or blanks between; NULL: all are. */
const char *code_stranger(const struct code *c, const char *keys);
/* One point for each right answer to these questions; how many. `right` (NULL: not asked for) has a place for each. */
int code_points(const struct code *c, const struct exercise *x, int questions, bool *right);

#endif
