/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal_read.h -- GOAL schedules as text, the format of LogGOPSim and ATLAHS.
 *
 *     num_ranks 2
 *     rank 0 {
 *       l1: calc 100                                     nanoseconds; `cpu N` may follow
 *       l2: send 1024b to 1 tag 7                        octets; `tag N`, `cpu N`, `nic N` may follow, in this order
 *       l2 requires l1                                   l2 starts when l1 is over
 *     }
 *     rank 1 {
 *       l1: recv 1024b from 0 tag 7                      -1: from any rank, with any tag
 *       l2: calc 50
 *       l2 irequires l1                                  l2 starts when l1 has started
 *     }
 *
 * A line has one operation, with or without a label, or one dependency on labels above it. // and / * ... * / (without blanks) begin and
 * enclose comments. The grammar is that of txt2bin.re in github.com/spcl/LogGOPSim, the nanoseconds are its simulator's.
 *
 * The text is read once, from its beginning to its end, and not kept.
 */
#ifndef HELPERS_SCENARIO_GOAL_READ_H
#define HELPERS_SCENARIO_GOAL_READ_H

#include <stdio.h>

#include "helpers/scenario/goal_make.h"

enum { GOAL_ERROR_MAX = 512, GOAL_RANKS_MAX = 1 << 17, GOAL_OPS_MAX = 1 << 24, GOAL_EDGES_MAX = 1 << 26 };

/* NULL: `error` (GOAL_ERROR_MAX octets) says what is wrong in which line of `name`. It can end, as far as that is seen
 * without running it (goal_check.h). */
struct goal *goal_read(FILE *in, const char *name, char *error);

#endif
