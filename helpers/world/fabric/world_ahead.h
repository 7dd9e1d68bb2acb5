/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ahead.h -- the packet world in parts, on one thread or several: each runs ahead for a window, then trial and
 * workload hear what happened, in the order of a network in one piece (model/MODEL.md). */
#ifndef HELPERS_WORLD_FABRIC_WORLD_AHEAD_H
#define HELPERS_WORLD_FABRIC_WORLD_AHEAD_H

#include "fabric/fabric.h"
#include "helpers/trial/trial.h"
#include "helpers/world/hosts.h"

/* No more parts than these. */
uint32_t world_parts_max(unsigned threads);
/* How many parts `threads` threads are given; 0: none for 0 of them, or windows are of no use here. `why`: it is not cut although there are several
 * threads, or NULL. */
uint32_t world_parts(const struct scenario_point *point, const struct fabric *f, unsigned threads,
                     const char **why);

struct ahead;
/* Of a network that was cut and hosts that were split alike. NULL: no memory, or no thread. */
struct ahead *ahead_new(struct fabric *f, struct hosts *h, struct trial *t, uint32_t parts, unsigned threads);
void ahead_free(struct ahead *a);
/* As fabric_run(). */
enum fabric_end ahead_run(struct ahead *a, iw_time until);

#endif
