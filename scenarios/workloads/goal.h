/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal.h -- a GOAL schedule as it is run: operations of ranks, and which of them waits for which. Made from text by
 * helpers/scenario/goal_read.h, and of collective operations (collective.h); 48 octets an operation, 4 a dependency, and the names.
 *
 * Law: an operation depends only on operations of its own rank, and those of a rank follow each other.
 */
#ifndef IW_SCENARIOS_GOAL_H
#define IW_SCENARIOS_GOAL_H

#include "scenarios/workloads/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

enum goal_kind { GOAL_SEND, GOAL_RECV, GOAL_CALC };
#define GOAL_ANY UINT32_MAX /* of a RECV: from any rank, with any tag */

struct goal_op {
    uint64_t amount; /* SEND, RECV: octets, by workload_conf.goal_unit; CALC: picoseconds */
    uint32_t rank, peer, tag;
    uint32_t conn;  /* SEND: its connection */
    uint32_t cpu;   /* among those of all ranks */
    uint32_t needs; /* dependencies */
    uint32_t first; /* of its edges; the next operation's `first` ends them */
    uint32_t name;  /* where its label begins in `names`; 0: it has none */
    uint32_t line;  /* of the text */
    uint32_t kind;
};

/* An operation that waits for this one: to be over, or (GOAL_STARTED) to have started. */
#define GOAL_STARTED ((uint32_t)1 << 31)

struct goal {
    uint32_t ranks, ops, edges, cpus, connections;
    uint32_t busiest;         /* connections of the rank that has most */
    uint32_t largest;         /* amount of a SEND */
    uint64_t sends, octets;   /* of all; the amounts of all SENDs */
    uint64_t longest;         /* picoseconds of a CALC */
    const struct goal_op *op; /* and one behind the last */
    const uint32_t *edge;
    const struct workload_pair *pair; /* of each connection: `from` sends */
    const char *names;                /* the first octet is 0 */
};

#ifdef __cplusplus
}
#endif
#endif
