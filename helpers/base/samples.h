/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h -- many numbers, and what to say about them. */
#ifndef HELPERS_BASE_SAMPLES_H
#define HELPERS_BASE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many fell into which logarithmic bin, 2^BIN_BITS to the octave: for as many as there may be. Values below
 * 2^BIN_BITS have a bin each. */
enum { BIN_BITS = 10, BINS = (64 - BIN_BITS + 1) << BIN_BITS };
struct samples_bins {
    uint64_t count;
    uint64_t *bin; /* BINS of them; NULL until the first */
};
/* False: out of memory. */
bool bins_add(struct samples_bins *b, uint64_t value);
void bins_free(struct samples_bins *b);
/* Nearest rank, as the smallest value of its bin: at most one part in 1024 too small. */
uint64_t bins_percentile(const struct samples_bins *b, uint32_t n, uint32_t of);
/* The smallest value of a bin. */
uint64_t bin_floor(size_t bin);

/* Numbers, and what to say of them: percentiles are exact up to SAMPLES_EXACT of them and come from bins beyond, so that
 * memory does not grow with their number. Mean and largest are always exact. Zero is an empty set; samples_free() ends it. */
enum { SAMPLES_EXACT = 1 << 20 };
struct samples {
    uint64_t count, largest;
    double sum;
    uint64_t *value; /* all of them, while they are few; NULL afterwards */
    bool sorted;
    struct samples_bins bins; /* afterwards */
};

/* False: out of memory. */
bool samples_add(struct samples *s, uint64_t value);
void samples_free(struct samples *s);
/* Nearest rank: the smallest value that n of every `of` do not exceed; 99, 100: p99. Some must be there. Of more than
 * SAMPLES_EXACT at most one part in 1024 too small. */
uint64_t samples_percentile(struct samples *s, uint32_t n, uint32_t of);
double samples_mean(const struct samples *s);
/* Add how many fell into which bin to `b`. False: out of memory. */
bool samples_bin(const struct samples *s, struct samples_bins *b);

#endif
