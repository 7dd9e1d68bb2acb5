/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h -- "make it so": what a student is to bring about by changing a scenario, and whether a run shows it. */
#ifndef HELPERS_STORY_TASK_H
#define HELPERS_STORY_TASK_H

#include "helpers/scenario/point.h"
#include "helpers/story/story.h"

enum { TASK_TEXT_MAX = 400 };

struct task {
    int kind;             /* of tasks[], in task.c */
    const char *keys;     /* that may be changed, with commas between */
    uint64_t wanted, off; /* off: how far from it counts, where a time is wanted */
    char text[TASK_TEXT_MAX];
};

/* The first kind of task that fits this story of this point, with a number drawn for it; there is always one. */
void task_make(const struct story *s, const struct scenario_point *p, uint64_t draw, struct task *t);
/* Is it so in `s`, the story of `p`? `said`: one sentence of what is. */
bool task_judge(const struct task *t, const struct story *s, const struct scenario_point *p,
                char said[TASK_TEXT_MAX]);

#endif
