/* SPDX-License-Identifier: GPL-2.0-or-later */
/* short_runs.h -- points whose runs are too short for what chance decides: column marked, at points of fewer repeats than show
 * their interval. Said when a campaign ends, as figures say it below their title. */
#ifndef HELPERS_CAMPAIGN_SHORT_RUNS_H
#define HELPERS_CAMPAIGN_SHORT_RUNS_H

#include <stdio.h>

#include "helpers/campaign/row.h"
#include "helpers/scenario/scenario.h"

struct short_runs;
/* `s` is borrowed. */
struct short_runs *short_runs_new(const struct scenario *s);
void short_runs_free(struct short_runs *t);
/* A run's row is there. */
void short_runs_note(struct short_runs *t, size_t run, const struct row *r);
/* One line: how many points, which, and what would be enough. Nothing where there are none. */
void short_runs_say(const struct short_runs *t, FILE *out);

#endif
