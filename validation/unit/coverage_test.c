/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often the 95 % intervals of summary.csv hold what is known: campaigns in the packet world whose mean has a closed form.
 *
 * A Send of 64 octets, alone on its link, takes delay + serialization + jitter, the jitter uniform from 0 to 10 us:
 * 64 + 18 (DDP and RDMAP) + 2 (length) + 4 (CRC) + 40 (TCP and IP) + 38 (Ethernet) = 166 octets at 100 Gb/s = 13.28 ns,
 * so the mean, and the median of means, is 20 us + 13.28 ns + 5 us.
 *
 *   coverage_test [CAMPAIGNS]      60; 2,000 with IWARPSIM_NIGHTLY
 */
#include "scenario_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/stats.h"
#include "helpers/campaign/summary.h"

enum { REPEATS = 20 };

static size_t campaigns;

/* Binomial: three deviations of a share of 0.95 around 93 .. 97 %, which 2,000 campaigns must meet without them. */
static double slack(void)
{
    return campaigns >= 2000 ? 0 : 3 * sqrt(0.95 * 0.05 / (double)campaigns);
}

static void check_share(const char *what, size_t covered)
{
    double share = (double)covered / (double)campaigns;
    print_message("%s: %.1f %% of %zu\n", what, 100 * share, campaigns);
    assert_true(share >= 0.93 - slack() && share <= 0.97 + slack());
}

/* ---- through a scenario, its rows and summary.csv ---- */

static const char text[] = "world: fabric\nllp: {kind: ideal}\n"
                           "repeat: 20\n"
                           "topology: {delay: 20us}\n"
                           "channel: {jitter: 10us}\n"
                           "workload: {kind: pingpong, op: send, size: 64B, count: 10}\n"
                           "payload: none\n"
                           "sweep: {rnic.receive: [place, hold]}\n";
static const double mean_us = 20 + 0.01328 + 5;

/* results.csv of a scenario, run here. */
static void run_campaign(const struct scenario *s, struct rows *rows)
{
    FILE *out = tmpfile();
    assert_non_null(out);
    rows_init(rows, out, s->points);
    results_write_head(out, s);
    for (size_t i = 0; i < s->points; i++) {
        rows_note(rows);
        for (uint32_t r = 0; r < s->conf.repeat; r++) {
            char *row = rig_row(s, i, r);
            fprintf(out, "%s\n", row);
            free(row);
        }
    }
    rows_note(rows);
    assert_true(rows_written(rows));
}

static void summarize(const struct scenario *s, struct rows *rows,
                      bool (*write)(FILE *, const struct scenario *, struct rows *, char *),
                      struct table *summary)
{
    char *csv = NULL, error[TABLE_ERROR_MAX];
    size_t size;
    FILE *out = open_memstream(&csv, &size);
    assert_non_null(out);
    assert_true(write(out, s, rows, error));
    assert_int_equal(fclose(out), 0);
    assert_true(table_parse(summary, "summary.csv", csv, size, error));
}

static double cell(const struct table *t, size_t row, const char *column)
{
    double number;
    assert_true(table_number(t, row, table_column(t, column), &number));
    return number;
}

/* The first row about latency_mean_us. */
static size_t latency_row(const struct table *t)
{
    size_t row = 0;
    while (strcmp(table_cell(t, row, table_column(t, "column")), "latency_mean_us"))
        row++;
    return row;
}

static bool covers(const struct table *t, const char *low, const char *high, double known)
{
    size_t row = latency_row(t);
    return cell(t, row, low) <= known && known <= cell(t, row, high);
}

/* Both points meet the same jitter, and the receive path does not matter here: no difference, and no interval of it. */
static void check_pairs(const struct scenario *s, struct rows *rows)
{
    struct table paired;
    summarize(s, rows, paired_write, &paired);
    size_t row = latency_row(&paired);
    assert_string_equal(table_cell(&paired, row, table_column(&paired, "mean_method")), "deterministic");
    assert_string_equal(table_cell(&paired, row, table_column(&paired, "mean")), "0");
    table_free(&paired);
}

TEST(intervals_of_campaigns_cover_the_closed_form)
{
    size_t mean = 0, median = 0;
    for (size_t i = 0; i < campaigns; i++) {
        char seed[32];
        const char *sets[] = {seed};
        struct table summary;
        struct rows rows;
        snprintf(seed, sizeof seed, "seed=%zu", i + 1);
        struct scenario *s = rig_scenario(text, sets, 1);
        run_campaign(s, &rows);
        summarize(s, &rows, summary_write, &summary);
        mean += covers(&summary, "mean_low", "mean_high", mean_us);
        median += covers(&summary, "median_low", "median_high", mean_us);
        check_pairs(s, &rows);
        table_free(&summary);
        fclose(rows.file);
        rows_free(&rows);
        scenario_free(s);
    }
    check_share("packet world, mean", mean);
    check_share("packet world, median", median);
}

/* ---- known distributions ---- */

static uint64_t random_state;

static double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

static double exponential(void)
{
    return -log(uniform());
}

TEST(intervals_of_known_distributions_cover)
{
    static const struct {
        const char *name;
        double (*draw)(void);
        double mean, median;
    } rows[] = {{"uniform", uniform, 0.5, 0.5},
                {"normal", normal, 0, 0},
                {"exponential", exponential, NAN, 0.6931471805599453}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t mean = 0, median = 0;
        random_state = 1;
        for (size_t c = 0; c < campaigns; c++) {
            double values[REPEATS];
            struct stats s;
            for (size_t r = 0; r < REPEATS; r++)
                values[r] = rows[i].draw();
            stats_of(values, REPEATS, &s);
            mean += s.mean_low <= rows[i].mean && rows[i].mean <= s.mean_high;
            median += s.median_low <= rows[i].median && rows[i].median <= s.median_high;
        }
        if (!isnan(rows[i].mean)) /* Student does not promise it for skewed ones */
            check_share(rows[i].name, mean);
        check_share(rows[i].name, median);
    }
}

int main(int argc, char **argv)
{
    campaigns = argc > 1 ? strtoul(argv[1], NULL, 10) : getenv("IWARPSIM_NIGHTLY") ? 2000 : 60;
    return test_run();
}
