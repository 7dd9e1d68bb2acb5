/* SPDX-License-Identifier: GPL-2.0-or-later */
/* challenge_inner.h -- what the challenges of a pair (challenge.c) and of many hosts (challenge_cluster.c) share. */
#ifndef HELPERS_STORY_CHALLENGE_INNER_H
#define HELPERS_STORY_CHALLENGE_INNER_H

#include "helpers/scenario/scenario.h"
#include "helpers/story/challenge.h"
#include "helpers/story/story.h"

enum { CHALLENGE_MORE = 8, CHALLENGE_STUDENTS = 4, CHALLENGE_RUN_SETS = 40 };

struct challenge_task {
    const char *title, *keys, *text;     /* text: at most one %s, for what differs from student to student */
    const char *more[CHALLENGE_MORE];    /* settings beside the common ones */
    const char *own[CHALLENGE_STUDENTS]; /* one more, by the student's number; NULL: none */
    /* Of the story of a pair, or of many hosts, who runs them itself; the other one is NULL. False with *wrong as in challenge_judge(). */
    bool (*judge)(const struct challenge *c, const struct story *s, char *out);
    bool (*judge_cluster)(const struct challenge *c, char *out, bool *wrong);
};

extern const struct challenge_task challenge_cluster_tasks[CHALLENGES - CHALLENGES_OF_PAIR];
extern const char *const challenge_cluster_common[]; /* what they all begin with; NULL behind the last */

/* Writes it to `out`; false. */
__attribute__((format(printf, 2, 3))) bool challenge_says(char *out, const char *format, ...);
/* The scenario with the solution's settings, and `more` (NULL: none) behind them; NULL: `out` says why. */
struct scenario *challenge_scenario(const struct challenge *c, const char *more, char *out);

#endif
