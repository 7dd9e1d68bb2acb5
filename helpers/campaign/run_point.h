/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_point.h -- one point in this process, or in that of its world. */
#ifndef HELPERS_CAMPAIGN_RUN_POINT_H
#define HELPERS_CAMPAIGN_RUN_POINT_H

#include "helpers/campaign/run_options.h"
#include "helpers/campaign/world_main.h"
#include "helpers/scenario/scenario.h"
#include "helpers/trial/trial.h"

/* Run the point that the options name. A job writes the files of a campaign's point; else the results are printed, and
 * kept below --out if that was given. `annotate`: as in world_main(). Returns the exit code. */
int run_point(const struct run_options *o, enum point_world world, trial_world *run,
              point_annotate *annotate);

/* That point in this process. */
int run_in_process(const struct run_options *o, const struct scenario *s, size_t index,
                   const struct scenario_point *point, trial_world *run, point_annotate *annotate);

/* All points: the campaign that the options name, in the folder that becomes o->out. Returns the exit code. */
int run_scenario(struct run_options *o, const struct scenario *s);

/* The program that runs a world: this one, whatever its name, or one beside it. Its path. False: it is not there. */
bool world_program(enum point_world world, char path[4096]);

#endif
