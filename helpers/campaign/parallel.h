/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel.h -- how one run is shared among processors: a row for each way, whose options and refusals are made from it. */
#ifndef HELPERS_CAMPAIGN_PARALLEL_H
#define HELPERS_CAMPAIGN_PARALLEL_H

#include "helpers/campaign/run_options.h"
#include "helpers/scenario/world.h"

/* The point is to be run again, in one process. */
enum { EXIT_AGAIN = 75 };

struct parallel {
    const char *option; /* "threads" */
    unsigned most;
    size_t has;                                               /* of a bool in struct world */
    bool all;                                                 /* every point of a scenario must be run so */
    const char *(*error)(const struct scenario_point *point); /* what else it lacks; NULL: nothing */
    /* One point, in processes of its own: its exit code, or EXIT_AGAIN. NULL: the world's own program does it. */
    int (*run)(const struct run_options *o, size_t index);
};
extern const struct parallel parallels[PARALLELS];

/* Can a point not be run so? `error` says why. */
enum { PARALLEL_ERROR_MAX = 256 };
bool parallel_refuses(enum parallel_way way, const struct scenario_point *point,
                      char error[PARALLEL_ERROR_MAX]);
/* The way of processes of its own that the options ask for, or NULL. */
const struct parallel *parallel_elsewhere(const struct run_options *o);
/* One point so. EXIT_AGAIN: there is no such way, or the point is to be run by this process now. */
int parallel_run(const struct run_options *o, size_t index, const char *label);

#endif
