/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enough.h -- how many repeats each point takes, where the scenario says `repeat: {until, of, most}`.
 *
 * Law: a point takes its first n repeats, n the smallest number from ENOUGH_LEAST on with half of the 95 % interval of their
 * mean at most `until` times it; `most` when there is none. That follows from the rows alone, so whoever runs how many at a
 * time, and in how many sessions, comes to the same n; what was run beyond it is left out.
 */
#ifndef HELPERS_CAMPAIGN_ENOUGH_H
#define HELPERS_CAMPAIGN_ENOUGH_H

#include "helpers/base/table.h"
#include "helpers/campaign/row.h"
#include "helpers/scenario/scenario.h"

enum { ENOUGH_LEAST = 6 };

/* The head of results.csv, to be freed; and a row below it as a table, to be freed. False: it cannot be read. */
char *row_head(const struct scenario *s);
bool row_table(const char *head, const struct row *r, struct table *t);

struct enough;
/* NULL: no memory. `s` is borrowed. */
struct enough *enough_new(const struct scenario *s);
void enough_free(struct enough *e);

/* A run's row is there: its value is taken, unless its status is not ok. */
void enough_note(struct enough *e, size_t run, const struct row *r);
/* Is a run one that its point takes, as far as is known? */
bool enough_takes(const struct enough *e, size_t run);
/* What was taken so far is done, or failed (`done` says): decide how many each point takes. False: all is decided. */
bool enough_more(struct enough *e, const bool *done);
/* Points that took `most` and whose interval is wider still. */
size_t enough_wide(const struct enough *e);

#endif
