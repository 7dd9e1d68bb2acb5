/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_main.h -- the main() of a program that is a world of its own, such as iwarpsim-ns3. */
#ifndef HELPERS_CAMPAIGN_WORLD_MAIN_H
#define HELPERS_CAMPAIGN_WORLD_MAIN_H

#include "helpers/campaign/run_point.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Run the point that the options name. A job writes the files of a campaign's point; else the results are printed, and
 * kept below --out if that was given. `annotate`: as in world_main(). Returns the exit code. */
int run_point(const struct run_options *o, enum point_world world, trial_world *run,
              point_annotate *annotate);

/* Reads `FILE [--set KEY=VALUE]... --point P --repeat R --out DIR [--pcap] [--notes] [--trace] [--messages]`, runs the
 * point, writes its row. `annotate`: for --notes; NULL in a world that captures nothing. Returns the exit code. */
int world_main(int argc, char **argv, enum point_world world, trial_world *run, point_annotate *annotate);
/* What its --version, rows and the manifest say of the simulator below: "ns-3 3.37"; NULL: as it is. Call it before world_main(). */
const char *world_simulator(const char *name_and_version);
/* Another process of the same run prints and writes what there is. Call it before world_main(). */
void world_silent(void);

#ifdef __cplusplus
}
#endif

#endif
