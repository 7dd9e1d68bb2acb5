/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker.h -- a worker of a campaign: a process that has loaded the scenario and forks once for each point of its batch, so
 * that what a point costs is a fork and not a program's start, and that a point that crashes takes no other with it.
 */
#ifndef HELPERS_CAMPAIGN_WORKER_H
#define HELPERS_CAMPAIGN_WORKER_H

#include "helpers/campaign/run_point.h"

/* Runs `first` .. `last` of a campaign, those of one world. */
struct worker_batch {
    enum point_world world;
    size_t first, last;
};
/* "ns3:0-99". False: it is none. */
bool batch_read(struct worker_batch *b, const char *text);

/* Run what is not done of the batch, one after the other. A run that leaves no row leaves points/ID.how, which says how its
 * process ended: as waitpid() does. Returns EXIT_DONE, whatever became of the points, or EXIT_DISK. */
int worker_run(const struct run_options *o, const struct scenario *s, const struct worker_batch *b,
               trial_world *run, point_annotate *annotate);

#endif
