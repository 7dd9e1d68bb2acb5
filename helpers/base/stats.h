/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h -- what may be said of a few repeats of one measurement, and how sure it is.
 *
 * Mean: Student's interval, which rests on means being nearly normal. Median: the interval between two order statistics,
 * which rests on nothing but independence; it is the narrowest symmetric one that covers at least 95 %, and below six
 * values there is none. Values that are all the same say that the repeats are deterministic, not that they are certain: no
 * interval.
 */
#ifndef HELPERS_BASE_STATS_H
#define HELPERS_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum stats_kind {
    STATS_NOTHING, /* no value */
    STATS_ONE,     /* one value */
    STATS_SAME,    /* several, all the same */
    STATS_FEW,     /* 2 .. 5: an interval of the mean, none of the median */
    STATS_MANY,    /* both */
    STATS_KINDS
};

struct stats {
    size_t n;
    enum stats_kind kind;
    double mean, mean_low, mean_high;       /* ends: FEW, MANY; NaN otherwise */
    double median, median_low, median_high; /* ends: MANY; NaN otherwise */
    double smallest, largest;
};

/* Sorts `values`. */
void stats_of(double *values, size_t n, struct stats *s);
/* What a bar shows: the median's interval, of few values the smallest to the largest. */
bool stats_has_bar(const struct stats *s);
double stats_bar_low(const struct stats *s);
double stats_bar_high(const struct stats *s);

/* Student's 97.5 % quantile, `degrees` of freedom, at least 1. */
double student_quantile(size_t degrees);

/* The rank, from 1, of the lower end of the 95 % interval of a median of n values; the upper end is n + 1 minus it. 0: n
 * is below six, there is no such interval. */
size_t median_rank(size_t n);
/* How sure the interval between these ranks is, 0 .. 1. */
double median_coverage(size_t n, size_t rank);

/* How the interval of the mean or median was made: "Student 95 %", "order statistics 2 and 9 (97.9 %)", "deterministic",
 * "one run", "n < 6: no 95 % interval". No comma in it. */
void stats_mean_method(const struct stats *s, FILE *out);
void stats_median_method(const struct stats *s, FILE *out);

#endif
