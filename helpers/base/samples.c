/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/samples.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/list.h"

/* Which of `count`, from 1: the first that covers n of every `of`. */
static uint64_t rank_of(uint64_t count, uint32_t n, uint32_t of)
{
    uint64_t rank = count / of * n + (count % of * n + of - 1) / of;
    return rank < 1 ? 1 : rank;
}

static size_t bin_of(uint64_t value)
{
    unsigned bits = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
    unsigned octave = bits > BIN_BITS + 1 ? bits - BIN_BITS - 1 : 0;
    return ((size_t)octave << BIN_BITS) + (size_t)(value >> octave);
}

uint64_t bin_floor(size_t bin)
{
    size_t octave = bin >> BIN_BITS;
    if (octave < 2)
        return bin;
    return (uint64_t)((bin & (((size_t)1 << BIN_BITS) - 1)) + ((size_t)1 << BIN_BITS)) << (octave - 1);
}

static bool add_many(struct samples_bins *b, size_t bin, uint64_t count)
{
    if (!b->bin)
        b->bin = calloc(BINS, sizeof *b->bin);
    if (!b->bin)
        return false;
    b->bin[bin] += count;
    b->count += count;
    return true;
}

bool bins_add(struct samples_bins *b, uint64_t value)
{
    return add_many(b, bin_of(value), 1);
}

void bins_free(struct samples_bins *b)
{
    free(b->bin);
    *b = (struct samples_bins){0};
}

uint64_t bins_percentile(const struct samples_bins *b, uint32_t n, uint32_t of)
{
    uint64_t rank = rank_of(b->count, n, of), seen = 0;
    size_t bin = 0;
    for (; bin < BINS; bin++) {
        seen += b->bin[bin];
        if (seen >= rank)
            break;
    }
    return bin_floor(bin);
}

/* ---- samples ---- */

static bool keep_value(struct samples *s, uint64_t value)
{
    uint64_t *more = list_grow(s->value, s->count, sizeof *more);
    if (!more)
        return false;
    s->value = more;
    s->value[s->count] = value;
    s->sorted = false;
    return true;
}

/* They have become too many to be kept. */
static bool fold(struct samples *s)
{
    if (!samples_bin(s, &s->bins))
        return false;
    free(s->value);
    s->value = NULL;
    return true;
}

bool samples_add(struct samples *s, uint64_t value)
{
    bool good = s->count != SAMPLES_EXACT || fold(s);
    good = good && (s->count < SAMPLES_EXACT ? keep_value(s, value) : bins_add(&s->bins, value));
    if (!good)
        return false;
    s->count++;
    s->sum += (double)value;
    s->largest = value > s->largest ? value : s->largest;
    return true;
}

void samples_free(struct samples *s)
{
    free(s->value);
    bins_free(&s->bins);
    *s = (struct samples){.count = 0};
}

static int compare_values(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_by_octet(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t at[257] = {0};
    for (size_t i = 0; i < count; i++)
        at[(from[i] >> shift & 0xff) + 1]++;
    for (size_t octet = 1; octet < 256; octet++)
        at[octet] += at[octet - 1];
    for (size_t i = 0; i < count; i++)
        to[at[from[i] >> shift & 0xff]++] = from[i];
}

/* Octet by octet, the lowest first, those passed over in which no two values differ: a twentieth of qsort()'s instructions,
 * which needs as much memory and takes its time where there is none. */
static void sort(uint64_t *value, size_t count)
{
    uint64_t *room = malloc(count * sizeof *room), *from = value, *to = room, differ = 0;
    for (size_t i = 0; i < count; i++)
        differ |= value[i] ^ value[0];
    if (!room)
        qsort(value, count, sizeof *value, compare_values);
    for (unsigned shift = 0; room && shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff))
            continue;
        sort_by_octet(from, to, count, shift);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != value)
        memcpy(value, from, count * sizeof *value);
    free(room);
}

uint64_t samples_percentile(struct samples *s, uint32_t n, uint32_t of)
{
    if (n == of)
        return s->largest;
    if (s->bins.count)
        return bins_percentile(&s->bins, n, of);
    if (!s->sorted)
        sort(s->value, s->count);
    s->sorted = true;
    return s->value[rank_of(s->count, n, of) - 1];
}

double samples_mean(const struct samples *s)
{
    return s->sum / (double)s->count;
}

bool samples_bin(const struct samples *s, struct samples_bins *b)
{
    bool good = true;
    for (size_t i = 0; good && s->value && i < s->count; i++)
        good = bins_add(b, s->value[i]);
    for (size_t i = 0; good && !s->value && s->bins.count && i < BINS; i++)
        if (s->bins.bin[i])
            good = add_many(b, i, s->bins.bin[i]);
    return good;
}
