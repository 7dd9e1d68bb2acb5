/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binding.h -- which number of the adapter bounds a point, and how well that number is known.
 *
 * A closed form of what each part of the adapter takes for one message of full segments, all parts at work at the same time:
 * the slowest is compared with the bounds of bound.h. Where the depth bounds, it is a time that binds: the longest on the way.
 * Losses, caches, stalls and other messages are in none of it. */
#ifndef HELPERS_SCENARIO_BINDING_H
#define HELPERS_SCENARIO_BINDING_H

#include "helpers/scenario/scenario.h"

struct scenario_binding {
    const char *name;             /* of the number, below `rnic.` */
    const struct rnic_fact *fact; /* what the preset says of it; NULL: the scenario gives it */
    double gbps;                  /* what the part allows, all connections together */
};

/* True when a number of the adapter binds. False: something else does, or the workload is none of pingpong, stream, incast,
 * permutation and shuffle with messages of one size. */
bool scenario_binding(const struct scenario_point *p, struct scenario_binding *binding);
/* The same for the adapter alone, whatever else may bind; name NULL: it takes no time. */
void scenario_slowest_part(const struct scenario_point *p, struct scenario_binding *binding);

/* Points where the number that binds is a guess, and those numbers, "rnic.cpu.post, rnic.tx.latency". */
struct binding_guesses {
    size_t points, of; /* of those looked at: where rnic.draw is swept, those with the likely numbers */
    char names[256];
};
void guesses_of(const struct scenario *s, struct binding_guesses *g);

#endif
