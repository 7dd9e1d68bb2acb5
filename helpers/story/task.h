/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h -- "make it so": what a student is to bring about by changing a scenario, and whether a run shows it. */
#ifndef HELPERS_STORY_TASK_H
#define HELPERS_STORY_TASK_H

#include "helpers/story/story.h"

enum { TASK_TEXT_MAX = 400 };

struct task {
    int kind;         /* of tasks[], in task.c */
    const char *keys; /* that may be changed, with commas between */
    uint64_t wanted;
    char text[TASK_TEXT_MAX];
};

/* The first kind of task that fits this story, with a number drawn for it; there is always one. `script`: the workload is one. */
void task_make(const struct story *s, bool script, uint64_t draw, struct task *t);
/* Is it so in `s`? `said`: one sentence of what is. */
bool task_judge(const struct task *t, const struct story *s, char said[TASK_TEXT_MAX]);

#endif
