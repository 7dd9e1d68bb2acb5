/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal_collective.h -- the schedule of a collective operation, `count` times: at each rank one after the other, each when all
 * SENDs and RECVs of the one before it are over. */
#ifndef HELPERS_SCENARIO_GOAL_COLLECTIVE_H
#define HELPERS_SCENARIO_GOAL_COLLECTIVE_H

#include "scenarios/workloads/goal.h"

enum { COLLECTIVE_SENDS_MAX = 1 << 21 };

/* Made once for each op, by, hosts and count, never freed. NULL: workload_conf_error() says why, or there are more than
 * COLLECTIVE_SENDS_MAX Sends. */
const struct goal *goal_collective(const struct workload_conf *conf);

#endif
