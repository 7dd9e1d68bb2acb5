/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal_check.h -- can a schedule end? What can be seen without running it. */
#ifndef HELPERS_SCENARIO_GOAL_CHECK_H
#define HELPERS_SCENARIO_GOAL_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/workloads/goal.h"

/* False: it cannot, whatever the network does; `error` (GOAL_ERROR_MAX octets) names rank, operation and tag. Every recv
 * needs a send and every send a recv. Then each recv that has started is taken for over as soon as one message that it could
 * take has been sent; what has not started in the end never will. */
bool goal_check(const struct goal *g, const char *name, char *error);

/* "rank 1, l2 (line 7): recv from 0 tag 5" */
enum { GOAL_OP_TEXT = 200 };
void goal_op_text(const struct goal_op *op, const char *label, char text[GOAL_OP_TEXT]);

#endif
