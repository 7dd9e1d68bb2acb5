/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost.h -- what a run will take, foretold from the keys of its point: CPU time, memory, simulated time.
 *
 *     CPU     = start + hosts, connections, messages, packets, packets x links, payload octets: each times its cost in that
 *               world (world.h, measured)
 *     memory  = start + hosts + connections + what is under way
 *     time    = the longest of what must happen one after the other: octets over the least bound (bound.h), round trips of
 *               what waits for an answer, arrivals at their intervals
 *
 * Loss and queues are left out: a run that repeats much takes longer. Where packets by ways of their own meet a receiver that
 * discards what overtakes, repetitions are most of it, and nothing is said.
 */
#ifndef HELPERS_SCENARIO_COST_H
#define HELPERS_SCENARIO_COST_H

#include "helpers/scenario/point.h"

struct scenario_cost {
    double cpu_s, bytes; /* of the process */
    double time_us;      /* simulated */
};
/* NULL, or where nothing is known: words that follow "unknown". */
const char *scenario_cost(const struct scenario_point *p, struct scenario_cost *cost);

/* Data packets that the workload sends when nothing goes wrong; 0: not known. */
double scenario_packets(const struct scenario_point *p);

#endif
