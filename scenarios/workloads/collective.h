/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collective.h -- collective operations: what each of N hosts sends and receives, and what waits for what, as functions of the
 * configuration alone (kind, op, by, hosts, size). helpers/scenario/goal_collective.h makes a schedule of it.
 *
 * A host's steps are numbered from 0. A step waits for one before it, or for the last CALC if there is one; a CALC waits for
 * the RECVs behind the CALC before it, and takes no time.
 */
#ifndef IW_SCENARIOS_COLLECTIVE_H
#define IW_SCENARIOS_COLLECTIVE_H

#include "scenarios/workloads/goal.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COLLECTIVE_LAST_CALC UINT32_MAX

struct collective_step {
    enum goal_kind kind;
    uint32_t peer;
    uint32_t units; /* of collective_unit() octets */
    uint32_t after; /* a step; COLLECTIVE_LAST_CALC */
};
/* Takes the next step of a host and gives its number. */
typedef uint32_t collective_take(void *context, const struct collective_step *step);
void collective_steps(const struct workload_conf *conf, uint32_t host, collective_take *take, void *context);

/* NULL, or what is wrong in words. What follows is of a configuration without error. */
const char *collective_error(const struct workload_conf *conf);
/* Octets of a part, rounded up, or of the whole where it is never cut. */
uint32_t collective_unit(const struct workload_conf *conf);

/* Of one operation: Sends of all hosts; and of the longest chain of Sends, each of which waits for the one before, units that go
 * one after the other, and how often one is waited for. */
struct collective_cost {
    uint64_t messages, units, rounds;
};
struct collective_cost collective_cost(const struct workload_conf *conf);

#ifdef __cplusplus
}
#endif
#endif
