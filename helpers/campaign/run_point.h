/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_point.h -- one point, in this process. */
#ifndef HELPERS_CAMPAIGN_RUN_POINT_H
#define HELPERS_CAMPAIGN_RUN_POINT_H

#include "helpers/campaign/run_options.h"
#include "helpers/scenario/scenario.h"
#include "helpers/trial/trial.h"

/* Annotates the captures whose paths begin with `prefix` (notes_write_all() in story/notes.h). False: `error`
 * (SCENARIO_ERROR_MAX octets) says why. */
typedef bool point_annotate(const char *prefix, char *error);

/* No point can write anything, for the disk is full, over its quota or read-only: a worker's exit code, never a user's. */
enum { EXIT_DISK = 74 };

/* One point, run in this process. */
int run_in_process(const struct run_options *o, const struct scenario *s, size_t index,
                   const struct scenario_point *point, trial_world *run, point_annotate *annotate);

#endif
