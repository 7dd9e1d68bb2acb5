/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of repeats: means, medians and their intervals, against tables and by hand. */
#include "scenario_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/samples.h"
#include "helpers/base/stats.h"

#define NEAR(a, b) assert_float_equal((float)(a), (float)(b), 0.00051f)

/* Any printed table of Student's t, two-sided 95 %. */
TEST(students_quantiles_are_those_of_the_table)
{
    static const struct {
        size_t degrees;
        double t;
    } rows[] = {{1, 12.706},  {2, 4.303},   {3, 3.182},    {4, 2.776},      {5, 2.571},
                {9, 2.262},   {10, 2.228},  {19, 2.093},   {29, 2.045},     {60, 2.000},
                {120, 1.980}, {200, 1.972}, {1000, 1.962}, {1000000, 1.960}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        NEAR(student_quantile(rows[i].degrees), rows[i].t);
    NEAR(1e5 * (student_quantile(21) - 2.079613845), 0); /* the series is 8e-6 off there */
    NEAR(1e5 * (student_quantile(200) - student_quantile(201)),
         5.9718); /* where the formulas meet: 2.3722 / 200 / 201 and a bit */
}

/* P(Binomial(n, 1/2) < rank) <= 0.025, by hand for small n: 1/64 is below, 7/64 is not; 1 + 8 of 256 is not, 1 of 256
 * is; 1 + 10 of 1024 is, 1 + 10 + 45 is not. */
TEST(ranks_of_a_median_are_the_binomials)
{
    static const struct {
        size_t n, rank;
        double coverage;
    } rows[] = {{6, 1, 1 - 2.0 / 64},   {7, 1, 1 - 2.0 / 128},    {8, 1, 1 - 2.0 / 256},
                {9, 2, 1 - 20.0 / 512}, {10, 2, 1 - 22.0 / 1024}, {20, 6, 0.9586},
                {100, 40, 0.9648}};
    for (size_t n = 0; n < 6; n++)
        assert_int_equal(median_rank(n), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(median_rank(rows[i].n), rows[i].rank);
        NEAR(median_coverage(rows[i].n, rows[i].rank), rows[i].coverage);
    }
    for (size_t n = 6; n < 5000; n = n * 3 / 2) /* the narrowest that covers 95 % */
        assert_true(median_coverage(n, median_rank(n)) >= 0.95 &&
                    median_coverage(n, median_rank(n) + 1) < 0.95);
    assert_true(median_coverage(20000, median_rank(20000)) > 0.949);
}

static void check_text(void (*say)(const struct stats *, FILE *), const struct stats *s, const char *expected)
{
    char text[128] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    say(s, out);
    fclose(out);
    assert_string_equal(text, expected);
}

/* 2 4 4 4 5 5 7 9: mean 5, squares 32, deviation sqrt(32/7) = 2.13809, over sqrt(8) = 0.755929, times 2.36462 = 1.78748.
 * With 8 values the interval of the median goes from the first to the last. */
TEST(mean_and_median_by_hand)
{
    double values[] = {9, 4, 4, 2, 5, 7, 5, 4};
    struct stats s;
    stats_of(values, 8, &s);
    assert_int_equal(s.kind, STATS_MANY);
    NEAR(s.mean, 5);
    NEAR(s.mean_low, 5 - 1.78748);
    NEAR(s.mean_high, 5 + 1.78748);
    NEAR(s.median, 4.5);
    NEAR(s.median_low, 2);
    NEAR(s.median_high, 9);
    check_text(stats_mean_method, &s, "Student 95 %");
    check_text(stats_median_method, &s, "order statistics 1 and 8 (99.2 %)");
}

TEST(few_have_no_interval_of_the_median)
{
    double values[] = {3, 1, 2};
    struct stats s;
    stats_of(values, 3, &s);
    assert_int_equal(s.kind, STATS_FEW);
    NEAR(s.median, 2);
    assert_true(isnan(s.median_low) && isnan(s.median_high));
    NEAR(s.mean_high, 2 + 4.30265 / sqrt(3)); /* deviation 1 */
    check_text(stats_median_method, &s, "n < 6: no 95 % interval");
}

TEST(the_same_again_is_deterministic_and_has_no_interval)
{
    double values[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    struct stats s;
    stats_of(values, 10, &s);
    assert_int_equal(s.kind, STATS_SAME);
    assert_true(s.mean <= 0.1 && s.mean >= 0.1 && s.median <= 0.1 && s.median >= 0.1);
    assert_true(isnan(s.mean_low) && isnan(s.mean_high) && isnan(s.median_low) && isnan(s.median_high));
    check_text(stats_mean_method, &s, "deterministic");
    check_text(stats_median_method, &s, "deterministic");
    stats_of(values, 1, &s);
    check_text(stats_mean_method, &s, "one run");
    stats_of(values, 0, &s);
    assert_int_equal(s.kind, STATS_NOTHING);
    assert_true(isnan(s.mean) && isnan(s.median));
    check_text(stats_median_method, &s, "no value");
}

/* Values that differ in their last places only: the spread is not lost in the mean. */
TEST(small_spreads_on_large_values_survive)
{
    double values[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    struct stats s;
    stats_of(values, 3, &s);
    NEAR(s.mean - 1e9, 2);
    NEAR(s.mean_high - s.mean, 4.30265 / sqrt(3));
}

/* 1 .. n in an order of its own. */
static void add_permuted(struct samples *s, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        assert_true(samples_add(s, 1 + i * 1000003 % n)); /* a prime that does not divide n */
}

TEST(percentiles_are_exact_while_there_are_few)
{
    struct samples s = {0};
    add_permuted(&s, SAMPLES_EXACT);
    assert_int_equal(samples_percentile(&s, 50, 100), SAMPLES_EXACT / 2);
    assert_int_equal(samples_percentile(&s, 999, 1000), (SAMPLES_EXACT * 999ull + 999) / 1000);
    assert_int_equal(samples_percentile(&s, 1, 1), SAMPLES_EXACT);
    samples_free(&s);
}

/* Of any size: they differ in three octets, then in two. */
TEST(percentiles_are_those_of_any_numbers)
{
    static const uint64_t value[] = {UINT64_C(1) << 63, 256, UINT64_C(5) << 40, 0, 7 << 8, UINT64_C(5) << 40},
                          sorted[] = {
                              0, 256, 7 << 8, UINT64_C(5) << 40, UINT64_C(5) << 40, UINT64_C(1) << 63};
    for (uint32_t from = 0; from < 2; from++) {
        struct samples s = {0};
        for (uint32_t i = from; i < 6; i++)
            assert_true(samples_add(&s, value[i]));
        for (uint32_t i = 1; i + from <= 6; i++)
            assert_int_equal(samples_percentile(&s, i, 6 - from), sorted[i - 1]);
        samples_free(&s);
    }
}

/* Beyond that memory stays, mean and largest are exact, and a percentile is at most one part in 1024 too small. */
TEST(percentiles_of_many_come_from_bins)
{
    struct samples s = {0};
    struct samples_bins b = {0};
    const uint64_t n = SAMPLES_EXACT + 500000;
    add_permuted(&s, n);
    assert_null(s.value);
    assert_int_equal(s.count, n);
    assert_int_equal(samples_percentile(&s, 1, 1), n);
    NEAR(samples_mean(&s) / ((double)(n + 1) / 2), 1);
    for (uint32_t percent = 1; percent < 100; percent++) {
        uint64_t found = samples_percentile(&s, percent, 100), exact = (n * percent + 99) / 100;
        assert_true(found <= exact);
        assert_true(found >= exact - exact / 1024 - 1);
    }
    assert_true(samples_bin(&s, &b));
    assert_int_equal(b.count, n);
    bins_free(&b);
    samples_free(&s);
}
