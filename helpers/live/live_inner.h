/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_inner.h -- what the files of this room share. */
#ifndef HELPERS_LIVE_LIVE_INNER_H
#define HELPERS_LIVE_LIVE_INNER_H

#include <stdio.h>

#include "helpers/scenario/scenario.h"
#include "helpers/story/exercise.h"
#include "helpers/story/story_load.h"

/* Make the only point of a scenario of many hosts, which is borrowed. False: `why` (SCENARIO_ERROR_MAX octets) says why not. */
bool live_cluster_open(const struct scenario *s, uint32_t repeat, char *why);
/* All that happens until then, in picoseconds; false: it is over. */
bool live_cluster_go(double until);
double live_cluster_time(void);
/* Records of what happened since the last call (live_cluster.c), valid until the next call of all these. */
const void *live_cluster_take(uint32_t *count);
/* How everything stands now, as JSON. */
void live_cluster_tell(FILE *out);
/* The end: results.csv to `out`, status and reason to `why`. */
void live_cluster_finish(FILE *out, char *why);

/* A sheet: the scenario of a lesson, the student's settings of it (request->sets), two numbers that were drawn, and what is handed in
 * (helpers/story/code.h), which may be empty. To `out` as JSON: the questions with their fields, and which answer is right; the task, and
 * whether it is done. False: `why` (STORY_ERROR_MAX octets). */
struct live_sheet_of {
    const struct story_request *request;
    const struct scenario_given *given;
    size_t given_count;
    const char *code;
    uint64_t draw[2];
};
/* Questions as a member of JSON; `right` has a place for each. */
void live_put_questions(FILE *out, const struct exercise *x, int questions, const bool *right);
bool live_sheet_tell(const struct live_sheet_of *of, FILE *out, char *why);

/* All labs as JSON, with what they ask of a student. */
void live_put_labs(FILE *out, uint64_t student);
/* One point of a lab, times in microseconds. NaN: `why` (STORY_ERROR_MAX octets). */
double live_lab_value(unsigned lab, unsigned x, unsigned by, char *why);
/* The questions of the lab whose code this is, and which answer is right, as JSON. False: `why`. */
bool live_lab_tell(const char *code, FILE *out, char *why);

#endif
