/* SPDX-License-Identifier: GPL-2.0-or-later */
/* band.h -- what the ranges of the adapter's numbers leave open: band.csv, from a sweep of rnic.draw.
 *
 * A row for each point without rnic.draw and column of results: the mean over the repeats with the likely numbers, and the
 * least and the greatest mean of all draws, with the draw that gave it. Of N draws beside the likely numbers, another falls
 * outside in 2 of N + 2. Only rows whose status is ok count. */
#ifndef HELPERS_CAMPAIGN_BAND_H
#define HELPERS_CAMPAIGN_BAND_H

#include "helpers/base/rows.h"
#include "helpers/scenario/scenario.h"

/* The axis that sweeps rnic.draw by itself; axes_count: none. */
size_t band_axis(const struct scenario *s);
/* `rows`: a whole results.csv of this scenario. False: `error` (TABLE_ERROR_MAX octets) says why. */
bool band_write(FILE *out, const struct scenario *s, struct rows *rows, char *error);

#endif
