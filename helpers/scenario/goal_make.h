/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal_make.h -- a schedule, made operation by operation, rank by rank: from a text (goal_read.h), or by rules
 * (goal_collective.h).
 *
 *     goal_make_begin, for each rank {goal_make_rank, operations and waits, goal_make_rank_end}, goal_make_end
 */
#ifndef HELPERS_SCENARIO_GOAL_MAKE_H
#define HELPERS_SCENARIO_GOAL_MAKE_H

#include "helpers/scenario/goal_keys.h"
#include "scenarios/workloads/goal.h"

struct goal_wait {
    uint32_t before,
        after; /* operations; the first must be over, or have started (GOAL_STARTED in `after`) */
};

struct goal_make {
    struct goal *g; /* counts what there is */
    struct goal_op *op;
    uint32_t *edge;
    uint32_t first; /* operation of the rank */
    struct goal_wait *wait;
    uint32_t waits; /* of the rank */
    struct goal_keys pairs;
};

void goal_make_begin(struct goal_make *m);
/* The rank whose operations follow. */
void goal_make_rank(struct goal_make *m);
/* The number of an operation, all of which is set but `first`, `conn` and `needs`. */
uint32_t goal_make_op(struct goal_make *m, const struct goal_op *op);
/* Of two operations of this rank. What one releases goes on in the order of these calls. */
void goal_make_wait(struct goal_make *m, uint32_t before, uint32_t after);
void goal_make_rank_end(struct goal_make *m);
/* The schedule, without names, for the caller to free (goal_free); connections are numbered by their ranks. */
struct goal *goal_make_end(struct goal_make *m);
void goal_free(struct goal *g);

#endif
