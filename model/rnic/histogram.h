/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram.h -- how often which size occurred, in logarithmic bins: 16 to the octave, so a bin is known to 1/16. */
#ifndef IW_RNIC_HISTOGRAM_H
#define IW_RNIC_HISTOGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RNIC_BINS = 16 * 37 }; /* 0 .. 2^40 - 1; what is above falls into the last */

struct rnic_histogram {
    uint64_t count, max;
    uint32_t bin[RNIC_BINS]; /* from UINT32_MAX on it counts no further */
};

void rnic_histogram_add(struct rnic_histogram *h, uint64_t value);
/* The smallest value of a bin; bins are [floor(i), floor(i + 1)). */
uint64_t rnic_histogram_floor(uint32_t bin);
/* The largest value that the `n`-th of every `of` samples (nearest rank) can have had: never below the true quantile,
 * at most 1/16 above it, never above the largest seen. 999, 1000: p999. 0 without samples. */
uint64_t rnic_histogram_quantile(const struct rnic_histogram *h, uint64_t n, uint64_t of);

#ifdef __cplusplus
}
#endif
#endif
