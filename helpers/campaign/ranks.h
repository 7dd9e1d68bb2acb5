/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ranks.h -- one point in several processes, started by mpirun. */
#ifndef HELPERS_CAMPAIGN_RANKS_H
#define HELPERS_CAMPAIGN_RANKS_H

#include <stddef.h>

#include "helpers/campaign/run_options.h"
#include "helpers/scenario/point.h"

/* NULL, or what a point lacks to be run so. */
const char *ranks_error(const struct scenario_point *point);
/* This program, so many times, for one point. The exit code of the first, or EXIT_AGAIN (parallel.h). */
int ranks_run(const struct run_options *o, size_t index);

#endif
