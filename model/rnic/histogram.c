/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rnic/histogram.h"

#include "engine/law.h"

enum { SUB = 16, SUB_BITS = 4 };

/* Values below 16 have a bin each; above, the octave and the four bits behind the leading one. */
static uint32_t bin_of(uint64_t value)
{
    if (value < SUB)
        return (uint32_t)value;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(value);
    uint32_t bin = (octave - SUB_BITS + 1) * SUB + (uint32_t)(value >> (octave - SUB_BITS) & (SUB - 1));
    LAW(bin >= RNIC_BINS || (rnic_histogram_floor(bin) <= value && value < rnic_histogram_floor(bin + 1)));
    return bin < RNIC_BINS ? bin : RNIC_BINS - 1;
}

uint64_t rnic_histogram_floor(uint32_t bin)
{
    uint32_t octave = bin / SUB;
    return octave == 0 ? bin : (uint64_t)(SUB + bin % SUB) << (octave - 1);
}

void rnic_histogram_add(struct rnic_histogram *h, uint64_t value)
{
    uint32_t *bin = &h->bin[bin_of(value)];
    h->count++;
    *bin += *bin != UINT32_MAX;
    if (value > h->max)
        h->max = value;
}

/* The bin of the sample with this rank, 1 .. count. */
static uint32_t bin_with_rank(const struct rnic_histogram *h, uint64_t rank)
{
    uint32_t i = 0;
    LAW(rank && rank <= h->count);
    for (uint64_t below = h->bin[0]; below < rank; below += h->bin[i])
        i++;
    LAW(i < RNIC_BINS && h->bin[i]);
    return i;
}

uint64_t rnic_histogram_quantile(const struct rnic_histogram *h, uint64_t n, uint64_t of)
{
    if (h->count == 0)
        return 0;
    uint64_t rank = h->count / of * n + (h->count % of * n + of - 1) / of;
    uint32_t bin = bin_with_rank(h, rank ? rank : 1);
    uint64_t top = bin + 1 < RNIC_BINS ? rnic_histogram_floor(bin + 1) - 1 : h->max;
    return top < h->max ? top : h->max;
}
