/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bound.h -- what a closed form knows beforehand to bound the goodput of a point, all connections together. */
#ifndef HELPERS_SCENARIO_BOUND_H
#define HELPERS_SCENARIO_BOUND_H

#include "helpers/scenario/scenario.h"

/* Called like the columns bound_window ... of results.csv. */
struct scenario_bound {
    const char *name;
    double gbps;
};

/* Fill in those that apply, the least first; how many. `line` is always among them. Losses, queues and the adapter's own
 * costs are in none: what is measured may be less. */
enum { SCENARIO_BOUNDS = 7 };
size_t scenario_bounds(const struct scenario_point *p, struct scenario_bound bounds[SCENARIO_BOUNDS]);

/* Picoseconds that one collective operation takes at least: the octets of the longest chain of its Sends at line rate, and the
 * delays of as many paths as it has Sends. 0: the workload is no such operation, or its paths are not known. */
double scenario_collective(const struct scenario_point *p);

/* Connections whose payload converges on the host that gets most; of several workloads that of one of them. */
/* Connections that are used at the same time. */
uint32_t scenario_connections(const struct workload_conf *w);
uint32_t scenario_converging(const struct workload_conf *w);
/* Hosts on which payload converges: so many links carry it in the end. */
double scenario_ends(const struct workload_conf *w);

/* What so many messages as a connection may have outstanding give where a round trip and a full packet take so long, picoseconds:
 * Gb/s of payload; HUGE_VAL: no bound. */
double scenario_waiting(const struct scenario_point *p, const struct scenario_derived *d, double rtt,
                        double serialization);

#endif
