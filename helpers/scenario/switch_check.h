/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch_check.h -- what the switches of a network cannot be: marks in the wrong order, queues that hold no packet, pauses
 * that come too late. What passes here no world refuses. */
#ifndef HELPERS_SCENARIO_SWITCH_CHECK_H
#define HELPERS_SCENARIO_SWITCH_CHECK_H

#include "helpers/scenario/point.h"

/* A sentence about the first of `keys` (separated by blanks); NULL: nothing is wrong. Static. */
const char *switch_error(const struct scenario_point *p, const char **keys);

#endif
