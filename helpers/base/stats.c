/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/stats.h"

#include <math.h>
#include <stdlib.h>

/* ---- Student ---- */

/* P(-t < T < t) for a whole number of degrees of freedom: Abramowitz and Stegun 26.7.3 and 26.7.4. */
static double student_within(double t, size_t degrees)
{
    double theta = atan(t / sqrt((double)degrees)), c = cos(theta), square = c * c;
    bool odd = degrees % 2;
    double term = odd ? c : 1, sum = 0;
    for (size_t i = odd ? 3 : 2; i <= degrees; i += 2) {
        sum += term;
        term *= square * (double)(i - 1) / (double)i;
    }
    return odd ? 2 / acos(-1) * (theta + sin(theta) * sum) : sin(theta) * sum;
}

/* Abramowitz and Stegun 26.7.5: powers of the normal quantile over powers of the degrees of freedom. */
static double student_large(double degrees)
{
    const double z = 1.959963984540054, z2 = z * z;
    double first = z * (z2 + 1) / 4, second = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + (first + (second + third / degrees) / degrees) / degrees;
}

enum { LARGE = 200, HALVINGS = 60 };

double student_quantile(size_t degrees)
{
    double low = 1, high = 16;
    if (degrees > LARGE)
        return student_large((double)degrees);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (student_within(middle, degrees) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- order statistics ---- */

/* P(Binomial(n, 1/2) = k) */
static double half_chance(size_t n, size_t k)
{
    double logarithm = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(logarithm - (double)n * log(2));
}

size_t median_rank(size_t n)
{
    double below = 0;
    size_t k = 0;
    if (n < 6)
        return 0;
    if (n > 5000) /* where the chances below would be rounded away: 1.96 deviations of sqrt(n) / 2 */
        return (size_t)((double)n / 2 - 0.98 * sqrt((double)n));
    for (double chance; below + (chance = half_chance(n, k)) <= 0.025; k++)
        below += chance;
    return k;
}

double median_coverage(size_t n, size_t rank)
{
    double below = 0;
    for (size_t k = 0; k < rank; k++)
        below += half_chance(n, k);
    return 1 - 2 * below;
}

/* ---- both ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum stats_kind kind_of_stats(const struct stats *s)
{
    if (s->n < 2)
        return s->n ? STATS_ONE : STATS_NOTHING;
    if (!(s->smallest < s->largest))
        return STATS_SAME;
    return median_rank(s->n) ? STATS_MANY : STATS_FEW;
}

/* Differences from the smallest are added, so that values that agree in many places keep the others. */
static void mean_of(const double *values, struct stats *s)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += values[i] - s->smallest;
    s->mean = s->smallest + sum / (double)s->n;
    if (!stats_has_bar(s))
        return;
    for (size_t i = 0; i < s->n; i++)
        squares += (values[i] - s->mean) * (values[i] - s->mean);
    double error = sqrt(squares / (double)(s->n - 1) / (double)s->n);
    double half = student_quantile(s->n - 1) * error;
    s->mean_low = s->mean - half;
    s->mean_high = s->mean + half;
}

static void median_of(const double *values, struct stats *s)
{
    s->median = (values[(s->n - 1) / 2] + values[s->n / 2]) / 2;
    if (s->kind != STATS_MANY)
        return;
    size_t rank = median_rank(s->n);
    s->median_low = values[rank - 1];
    s->median_high = values[s->n - rank];
}

void stats_of(double *values, size_t n, struct stats *s)
{
    *s = (struct stats){.n = n};
    s->mean = s->mean_low = s->mean_high = s->median = s->median_low = s->median_high = NAN;
    s->smallest = s->largest = NAN;
    if (n == 0)
        return;
    qsort(values, n, sizeof *values, by_value);
    s->smallest = values[0];
    s->largest = values[n - 1];
    s->kind = kind_of_stats(s);
    mean_of(values, s);
    median_of(values, s);
}

bool stats_has_bar(const struct stats *s)
{
    return s->kind == STATS_FEW || s->kind == STATS_MANY;
}

double stats_bar_low(const struct stats *s)
{
    return s->kind == STATS_MANY ? s->median_low : s->smallest;
}

double stats_bar_high(const struct stats *s)
{
    return s->kind == STATS_MANY ? s->median_high : s->largest;
}

/* ---- in words ---- */

static const char *const plain[STATS_KINDS] = {
    [STATS_NOTHING] = "no value", [STATS_ONE] = "one run", [STATS_SAME] = "deterministic"};

void stats_mean_method(const struct stats *s, FILE *out)
{
    fputs(plain[s->kind] ? plain[s->kind] : "Student 95 %", out);
}

void stats_median_method(const struct stats *s, FILE *out)
{
    size_t rank = median_rank(s->n);
    if (plain[s->kind])
        fputs(plain[s->kind], out);
    else if (s->kind == STATS_FEW)
        fputs("n < 6: no 95 % interval", out);
    else
        fprintf(out, "order statistics %zu and %zu (%.1f %%)", rank, s->n + 1 - rank,
                100 * median_coverage(s->n, rank));
}
