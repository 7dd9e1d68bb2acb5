/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_inner.h -- what the files of this room share. */
#ifndef HELPERS_LIVE_LIVE_INNER_H
#define HELPERS_LIVE_LIVE_INNER_H

#include <stdio.h>

#include "helpers/scenario/scenario.h"

/* Make the only point of a scenario of many hosts, which is borrowed. False: `why` (SCENARIO_ERROR_MAX octets) says why not. */
bool live_cluster_open(const struct scenario *s, uint32_t repeat, char *why);
/* All that happens until then, in picoseconds; false: it is over. */
bool live_cluster_go(double until);
double live_cluster_time(void);
/* Records of what happened since the last call (live_cluster.c), valid until the next call of all these. */
const void *live_cluster_take(uint32_t *count);
/* How everything stands now, as JSON. */
void live_cluster_tell(FILE *out);
/* The end: results.csv to `out`, status and reason to `why`. */
void live_cluster_finish(FILE *out, char *why);

#endif
