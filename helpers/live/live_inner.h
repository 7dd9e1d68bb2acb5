/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_inner.h -- what the files of this room share. */
#ifndef HELPERS_LIVE_LIVE_INNER_H
#define HELPERS_LIVE_LIVE_INNER_H

#include <stdio.h>

#include "helpers/scenario/scenario.h"

/* Run the only point of a scenario of many hosts. To `out`: a line for each placement, "picoseconds,octets,early"; an
 * empty line; the rows of links.csv. False: `why` (SCENARIO_ERROR_MAX octets) says why not. */
bool live_fabric_run(const struct scenario *s, uint32_t repeat, FILE *out, char *why);

#endif
