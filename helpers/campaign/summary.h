/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h -- what the repeats of each point say together: summary.csv, and paired.csv, the differences between points.
 *
 * A row per point and column of results: n, mean, median, the 95 % interval of both and how it was made (stats.h). Only
 * rows whose status is ok count.
 *
 * Points that differ in one key alone meet the same channel, draw for draw, as long as that key does not enter a draw. Then
 * repeat r of one is compared with repeat r of the other, and what is left is the difference that the key makes.
 */
#ifndef HELPERS_CAMPAIGN_SUMMARY_H
#define HELPERS_CAMPAIGN_SUMMARY_H

#include "helpers/base/rows.h"
#include "helpers/scenario/scenario.h"

/* `rows`: a whole results.csv of this scenario; the repeats of one point, of two for the differences, are in memory at a
 * time. False: `error` (TABLE_ERROR_MAX octets) says why. */
bool summary_write(FILE *out, const struct scenario *s, struct rows *rows, char *error);
bool paired_write(FILE *out, const struct scenario *s, struct rows *rows, char *error);

#endif
