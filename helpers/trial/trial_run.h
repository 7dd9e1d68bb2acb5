/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_run.h -- the harness' side of a trial (trial.h is the world's). */
#ifndef HELPERS_TRIAL_TRIAL_RUN_H
#define HELPERS_TRIAL_TRIAL_RUN_H

#include <stdio.h>

#include "helpers/trial/results.h"
#include "helpers/trial/trial.h"

/* The tables of a series: of flows, links and hosts, and with flows of all together. */
enum trial_series_of { SERIES_FLOW, SERIES_LINK, SERIES_HOST, SERIES_TOTAL, SERIES_TABLES };
extern const char *const trial_series_names[SERIES_TABLES];   /* "flow" */
extern const char *const trial_series_columns[SERIES_TABLES]; /* with the line's end */

/* The columns of a trace (trial.h: trial_line). */
enum { TRACE_COLUMNS = 23 };
extern const struct column_head trial_columns[TRACE_COLUMNS];

/* Where a trial writes; NULL: not asked for. The files are the caller's. */
struct trial_files {
    struct columns_out *messages, *trace; /* rows of results_message_columns, trial_columns */
    FILE *links, *flows;
    FILE *workloads;                     /* one row for each of several */
    FILE *latency, *early, *staging;     /* distributions */
    FILE *slowdown;                      /* by size of message */
    FILE *series[SERIES_TABLES], *state; /* what is seen each `interval`; at state_at */
    uint64_t interval, state_at;         /* picoseconds */
    const char *pcap;                    /* prefix of capture files */
    /* Hears what a trace would have of what nodes tell, without its text. */
    void (*line)(void *listener, const struct trial_line *line);
    void *listener;
    unsigned threads;  /* of a world; 0: one, and the trial is not void (trial_is_void) */
    const char *label; /* of the point, for the rows of messages */
};

/* NULL: out of memory. `point` and `files` are borrowed. */
struct trial *trial_new(const struct scenario_point *point, const struct trial_files *files);
/* Run it in a world and measure. */
void trial_run(struct trial *t, trial_world *run, struct point_results *results);
/* The second half of that, where the world was run in pieces; `result`: what it gave. */
void trial_finish(struct trial *t, int result, struct point_results *results);
/* It came to the instant whose state was asked for. */
bool trial_told_state(const struct trial *t);
/* When it ended. */
uint64_t trial_end(const struct trial *t);
void trial_free(struct trial *t);

#endif
