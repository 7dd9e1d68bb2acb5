/* SPDX-License-Identifier: GPL-2.0-or-later */
/* longer.h -- measure.until_enough: a point is run again, longer, while its results would be marked as too short.
 *
 * Rule: a run that is marked is run again with `enough` times (results.h) its workload.count and its measure.for. What it took
 * says whether limit.sim and limit.wall allow that; if not, or if the longer one does not end well, the longest that did is the
 * one that is written. Each is a process of its own, for simulators have globals.
 */
#ifndef HELPERS_CAMPAIGN_LONGER_H
#define HELPERS_CAMPAIGN_LONGER_H

#include "helpers/campaign/run_options.h"
#include "helpers/scenario/column.h"

/* So many times as long as the scenario says: this run, and the longest that ended well. Processes share it. */
struct longer {
    uint64_t times, good;
    bool last; /* its row is written, whatever it is */
};

/* A run of `point`, to be written unless longer_again() says that there is another. */
typedef int longer_length(void *context, const struct scenario_point *point, struct longer *longer);

/* Run them one after the other; the exit code of the last. */
int longer_run(const struct run_options *o, size_t index, const struct scenario_point *point,
               longer_length *length, void *context);
/* A run of `point` took `simulated` picoseconds and `wall` seconds. True: write nothing, another follows. */
bool longer_again(struct longer *l, const struct run_options *o, size_t index,
                  const struct scenario_point *point, const struct point_results *r, uint64_t simulated,
                  double wall);

#endif
