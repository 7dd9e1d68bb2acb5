/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The channel: packet by packet against a table that Python worked out (channel_fates.tsv), and its rates, bursts and
 * independence against closed forms. The draws are the same in every run, so nothing here fails by chance. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"
#include "validation/support/test.h"

/* ---- the table ---- */

#define TABLE "validation/unit/channel_fates.tsv"
enum { LINE = 20000, COLUMNS = 17, ROWS_LEAST = 20, FATES = 300 };

struct row {
    const char *name;
    struct channel_conf conf;
    uint64_t seed;
    uint32_t repeat, link, direction;
    char *fates;
};

static struct row read_row(char *line)
{
    char *column[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        column[i] = line;
        line += strcspn(line, "\t\n");
        assert_true(*line != '\0');
        *line++ = '\0';
    }
    struct row r = {.name = column[0],
                    .seed = strtoull(column[1], NULL, 10),
                    .repeat = (uint32_t)strtoul(column[2], NULL, 10),
                    .link = (uint32_t)strtoul(column[3], NULL, 10),
                    .direction = (uint32_t)strtoul(column[4], NULL, 10),
                    .fates = column[16]};
    double *const p[] = {
        &r.conf.loss,           &r.conf.burst.p, &r.conf.burst.r,   &r.conf.burst.loss_good,
        &r.conf.burst.loss_bad, &r.conf.corrupt, &r.conf.duplicate, &r.conf.reorder.probability};
    for (int i = 0; i < 8; i++)
        *p[i] = strtod(column[5 + i], NULL);
    r.conf.reorder.delay = strtoull(column[13], NULL, 10);
    r.conf.reorder.displacement = (uint32_t)strtoul(column[14], NULL, 10);
    r.conf.jitter = strtoull(column[15], NULL, 10);
    return r;
}

/* A fate in the table's words. */
static void write_fate(char *out, size_t size, const struct channel_fate *f)
{
    bool any = f->lost || f->corrupted || f->duplicated || f->reordered;
    int n = snprintf(out, size, "%s%s%s%s%s", f->lost ? "L" : "", f->corrupted ? "C" : "",
                     f->duplicated ? "D" : "", f->reordered ? "R" : "", any ? "" : "-");
    if (f->delay)
        n += snprintf(out + n, size - (size_t)n, "+%" PRIu64, f->delay);
    if (f->entropy)
        snprintf(out + n, size - (size_t)n, "#%" PRIx64, f->entropy);
}

static void check_row(const struct row *r)
{
    struct channel c;
    uint32_t n = 0;
    assert_null(channel_conf_error(&r->conf));
    channel_init(&c, &r->conf, r->seed, r->repeat, r->link, r->direction);
    for (char *want = strtok(r->fates, " "); want; want = strtok(NULL, " "), n++) {
        char got[64];
        struct channel_fate f = channel_take(&c, (n % 7 + 1) * 120000);
        write_fate(got, sizeof got, &f);
        if (strcmp(got, want))
            fail_msg("%s, seed %" PRIu64 ", packet %u: %s instead of %s", r->name, r->seed, n, got, want);
    }
    assert_int_equal(n, FATES);
}

TEST(every_packet_meets_its_fate)
{
    static char line[LINE];
    uint32_t rows = 0;
    bool head = true;
    FILE *file = fopen(TABLE, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#')
            continue;
        if (!head) {
            struct row r = read_row(line);
            check_row(&r);
            rows++;
        }
        head = false;
    }
    fclose(file);
    assert_true(rows >= ROWS_LEAST);
}

/* ---- rates ---- */

enum { MANY = 1000000, SER = 120000 };

/* `hits` of `n` with probability p: at most five standard deviations from the mean. */
static void expect_rate(uint64_t hits, double n, double p)
{
    double off = fabs((double)hits - n * p), sigma = sqrt(n * p * (1 - p));
    if (off > 5 * sigma)
        fail_msg("%" PRIu64 " of %.0f, not %.1f +- %.1f", hits, n, n * p, sigma);
}

TEST(each_rate_is_what_was_asked_for)
{
    static const double rates[] = {1e-4, 0.01, 0.5, 0.999};
    for (int i = 0; i < 4; i++) {
        struct channel c;
        const struct channel_conf conf = {.loss = rates[i],
                                          .corrupt = rates[(i + 1) % 4],
                                          .duplicate = rates[(i + 2) % 4],
                                          .reorder = {.probability = rates[(i + 3) % 4], .delay = 1}};
        uint64_t n[4] = {0};
        channel_init(&c, &conf, 5, 0, 0, 0);
        for (int k = 0; k < MANY; k++) {
            struct channel_fate f = channel_take(&c, SER);
            n[0] += f.lost;
            n[1] += f.corrupted;
            n[2] += f.duplicated;
            n[3] += f.reordered;
        }
        for (int k = 0; k < 4; k++)
            expect_rate(n[k], MANY, rates[(i + k) % 4]);
    }
}

/* Sum over the bins of (observed - expected)^2 / expected, where the last bin holds the rest. */
static double chi_square(const uint64_t *observed, const double *share, uint32_t bins, double n)
{
    double sum = 0;
    for (uint32_t i = 0; i < bins; i++) {
        double expected = share[i] * n, off = (double)observed[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

/* The value that chi-square with so many degrees passes once in 10^6 (Wilson and Hilferty). */
static double chi_limit(double degrees)
{
    double z = 4.753, a = 2 / (9 * degrees);
    return degrees * pow(1 - a + z * sqrt(a), 3);
}

/* ---- bursts: Gilbert and Elliott in closed form ---- */

enum { BINS = 12 };

/* Lengths 1, 2 ... of runs that end with probability `q` at each step: (1 - q)^(k - 1) q. */
static void expect_geometric(const uint64_t *lengths, uint64_t runs, uint64_t steps, double q)
{
    double share[BINS], mean = (double)steps / (double)runs;
    for (int k = 0; k < BINS; k++)
        share[k] = k < BINS - 1 ? pow(1 - q, k) * q : pow(1 - q, k);
    double chi = chi_square(lengths, share, BINS, (double)runs);
    if (chi > chi_limit(BINS - 1))
        fail_msg("runs that end with %.3f: chi-square %.1f", q, chi);
    double sigma = sqrt((1 - q) / (q * q) / (double)runs); /* of the mean */
    if (fabs(mean - 1 / q) > 5 * sigma)
        fail_msg("a run takes %.3f packets, not %.3f +- %.3f", mean, 1 / q, sigma);
}

struct runs {
    uint64_t length[2][BINS], count[2], steps[2]; /* 0: between bursts, 1: bursts */
    uint64_t now;
    bool in, started;
};

static void add_to_runs(struct runs *r, bool in)
{
    if (r->started && in == r->in) {
        r->now++;
        return;
    }
    if (r->started) {
        r->length[r->in][r->now < BINS ? r->now - 1 : BINS - 1]++;
        r->count[r->in]++;
        r->steps[r->in] += r->now;
    }
    r->started = true;
    r->in = in;
    r->now = 1;
}

/* With loss_bad 1 and loss_good 0 a burst is a sojourn in the bad state: geometric with mean 1 / r, and 1 / p between. */
TEST(sojourns_are_geometric)
{
    static const double chains[][2] = {{0.1, 0.3}, {0.3, 0.1}, {0.25, 0.25}, {0.5, 0.9}};
    for (int i = 0; i < 4; i++) {
        struct channel c;
        struct channel_conf conf = {.burst = {chains[i][0], chains[i][1], 0, 1}};
        struct runs r = {0};
        channel_init(&c, &conf, 11, 0, 0, 0);
        for (int k = 0; k < MANY; k++)
            add_to_runs(&r, channel_take(&c, SER).lost);
        expect_geometric(r.length[0], r.count[0], r.steps[0], chains[i][0]);
        expect_geometric(r.length[1], r.count[1], r.steps[1], chains[i][1]);
    }
}

/* Share of the bad state p / (p + r); loss the mean over both; correlation of neighbours by the eigenvalue 1 - p - r. */
TEST(losses_are_those_of_gilbert_and_elliott)
{
    static const double rows[][4] = {{0.01, 0.2, 0, 0.5},
                                     {0.05, 0.3, 0.02, 0.8},
                                     {0.2, 0.2, 0.5, 0.1},
                                     {0, 0, 0.1, 0.9},
                                     {0.001, 0.5, 0, 1}};
    for (int i = 0; i < 5; i++) {
        const double p = rows[i][0], r = rows[i][1], good = rows[i][2], bad = rows[i][3];
        const double share = p > 0 ? p / (p + r) : 0, loss = share * bad + (1 - share) * good;
        const double both = loss * loss + share * (1 - share) * (bad - good) * (bad - good) * (1 - p - r);
        const double more = p > 0 ? sqrt(2 / (p + r)) : 1; /* neighbours are alike: the count spreads more */
        uint64_t lost = 0, pairs = 0, in_bad = 0;
        bool before = false;
        struct channel c;
        struct channel_conf conf = {.burst = {p, r, good, bad}};
        channel_init(&c, &conf, 3, 0, 0, 0);
        for (int k = 0; k < MANY; k++) {
            bool now = channel_take(&c, SER).lost;
            lost += now;
            pairs += now && before;
            in_bad += c.bad;
            before = now;
        }
        assert_true(fabs((double)in_bad - MANY * share) <= 5 * more * sqrt(MANY * share * (1 - share)));
        assert_true(fabs((double)lost - MANY * loss) <= 5 * more * sqrt(MANY * loss * (1 - loss)));
        assert_true(fabs((double)pairs - MANY * both) <= 5 * more * sqrt(MANY * both * (1 - both)));
    }
}

/* ---- jitter ---- */

TEST(jitter_takes_every_value_up_to_its_limit_equally_often)
{
    enum { LIMIT = 15 };
    uint64_t seen[LIMIT + 1] = {0};
    double share[LIMIT + 1];
    struct channel c;
    struct channel_conf conf = {.jitter = LIMIT};
    channel_init(&c, &conf, 8, 0, 0, 0);
    for (int k = 0; k < MANY; k++) {
        uint64_t delay = channel_take(&c, SER).delay;
        assert_true(delay <= LIMIT);
        seen[delay]++;
    }
    for (int i = 0; i <= LIMIT; i++)
        share[i] = 1.0 / (LIMIT + 1);
    assert_true(chi_square(seen, share, LIMIT + 1, MANY) < chi_limit(LIMIT));
}

/* All of 64 bits: no remainder is taken. */
TEST(the_largest_jitter_is_the_draw_itself)
{
    struct channel c;
    struct channel_conf conf = {.jitter = UINT64_MAX};
    uint64_t all = 0, none = UINT64_MAX;
    channel_init(&c, &conf, 8, 0, 0, 0);
    for (int k = 0; k < 200; k++) {
        uint64_t delay = channel_take(&c, SER).delay;
        all |= delay;
        none &= delay;
    }
    assert_true(all == UINT64_MAX && none == 0);
}

TEST(twice_the_limit_is_twice_the_jitter)
{
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t bits = channel_draw(8, i), limit = channel_draw(9, i) >> (i % 62 + 1);
        uint64_t one = channel_uniform(bits, limit), two = channel_uniform(bits, 2 * limit);
        assert_true(one <= limit);
        assert_true(two + 1 >= 2 * one && two <= 2 * one + 1);
    }
}

/* ---- independence ---- */

enum { EVENTS = 8, SEEDS = 20000 };

/* What packet `n` of a channel draws, one bit each with probability 1/2; the two losses are told apart by asking for one
 * at a time, which changes no other draw. */
static unsigned events_of(uint64_t seed, uint32_t repeat, uint32_t link, uint32_t direction, int n)
{
    const struct channel_conf alone = {.loss = 0.5, .corrupt = 0.5, .duplicate = 0.5, .jitter = 1};
    const struct channel_conf burst = {.burst = {0.5, 0.5, 0.5, 0.5},
                                       .reorder = {.probability = 0.5, .delay = 2}};
    struct channel a, b;
    struct channel_fate f = {0}, g = {0};
    channel_init(&a, &alone, seed, repeat, link, direction);
    channel_init(&b, &burst, seed, repeat, link, direction);
    for (int k = 0; k <= n; k++) {
        f = channel_take(&a, SER);
        g = channel_take(&b, SER);
    }
    return (unsigned)f.lost | (unsigned)g.lost << 1 | (unsigned)b.bad << 2 | (unsigned)f.corrupted << 3 |
           (unsigned)f.duplicated << 4 | (unsigned)g.reordered << 5 | (unsigned)(f.delay & 1) << 6 |
           (unsigned)(f.corrupted && f.entropy & 1) << 7;
}

/* Event i of one and event j of another, in a two by two table. */
static void expect_independent(const unsigned *x, const unsigned *y, int i, int j, const char *what)
{
    double n[2][2] = {{0}};
    for (int k = 0; k < SEEDS; k++)
        n[x[k] >> i & 1][y[k] >> j & 1]++;
    double across = n[0][0] * n[1][1] - n[0][1] * n[1][0];
    double margins = (n[0][0] + n[0][1]) * (n[1][0] + n[1][1]) * (n[0][0] + n[1][0]) * (n[0][1] + n[1][1]);
    double chi = across * across * SEEDS / margins;
    if (!(chi < chi_limit(1)))
        fail_msg("%s: events %d and %d go together: chi-square %.1f", what, i, j, chi);
}

TEST(the_draws_of_a_packet_are_independent)
{
    static unsigned x[SEEDS];
    for (int n = 0; n < 3; n++) {
        for (int k = 0; k < SEEDS; k++)
            x[k] = events_of((uint64_t)k, 0, 0, 0, n);
        for (int i = 0; i < EVENTS; i++)
            for (int j = 0; j < i; j++)
                if (!(i == 7 && j == 3)) /* only a corrupted packet has entropy */
                    expect_independent(x, x, i, j, "one packet");
    }
}

/* Neighbours in every sense: the next packet, repeat, link, direction, seed. */
TEST(neighbours_are_independent)
{
    static unsigned x[SEEDS], y[5][SEEDS];
    static const char *const what[] = {"the next packet", "the next repeat", "the next link",
                                       "the other direction", "the next seed"};
    for (int k = 0; k < SEEDS; k++) {
        uint64_t seed = 2 * (uint64_t)k;
        x[k] = events_of(seed, 0, 0, 0, 0);
        y[0][k] = events_of(seed, 0, 0, 0, 1);
        y[1][k] = events_of(seed, 1, 0, 0, 0);
        y[2][k] = events_of(seed, 0, 1, 0, 0);
        y[3][k] = events_of(seed, 0, 0, 1, 0);
        y[4][k] = events_of(seed + 1, 0, 0, 0, 0);
    }
    for (int w = 0; w < 5; w++)
        for (int i = 0; i < EVENTS; i++)
            for (int j = 0; j < EVENTS; j++)
                expect_independent(x, y[w], i, j, what[w]);
}

/* No two channels of a world share a key, whatever the order in which links and directions are numbered. */
TEST(every_link_and_direction_has_draws_of_its_own)
{
    enum { SIDE = 24 };
    uint64_t key[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        key[i] = channel_key(1, 0, i / SIDE, i % SIDE);
        for (uint32_t j = 0; j < i; j++)
            assert_true(key[i] != key[j]);
    }
}

/* Who is to be held back for no time is not reordered: a baseline. */
TEST(without_a_delay_nothing_is_reordered)
{
    struct channel c;
    const struct channel_conf conf = {.reorder = {.probability = 0.5}};
    channel_init(&c, &conf, 1, 0, 0, 0);
    for (int k = 0; k < 100; k++) {
        struct channel_fate f = channel_take(&c, SER);
        assert_true(!f.reordered && f.delay == 0);
    }
}

/* Adding a setting changes no other draw: what is compared meets the same channel. */
TEST(settings_do_not_disturb_each_other)
{
    const struct channel_conf some = {.loss = 0.1, .reorder = {.probability = 0.2, .delay = 5}};
    struct channel_conf more = some;
    struct channel a, b;
    more.corrupt = more.duplicate = 0.5;
    more.burst.p = more.burst.r = 0.5; /* losing nothing */
    channel_init(&a, &some, 4, 0, 0, 0);
    channel_init(&b, &more, 4, 0, 0, 0);
    for (int k = 0; k < 2000; k++) {
        struct channel_fate f = channel_take(&a, SER), g = channel_take(&b, SER);
        assert_true(f.lost == g.lost && f.reordered == g.reordered && f.delay == g.delay);
    }
}

/* ---- settings that make no sense ---- */

/* Each setting alone makes a channel that something may happen on; what belongs to another that is 0 does not. */
TEST(any_one_setting_impairs)
{
    const double small = 1e-9;
    const struct channel_conf impair[] = {{.loss = small},
                                          {.burst = {.p = small, .r = 1}},
                                          {.burst = {.loss_good = small}},
                                          {.corrupt = small},
                                          {.duplicate = small},
                                          {.reorder = {.probability = small}},
                                          {.jitter = 1}};
    const struct channel_conf nothing[] = {
        {.loss = 0}, {.burst = {.r = 1, .loss_bad = 1}}, {.reorder = {.delay = 1, .displacement = 1}}};
    for (size_t i = 0; i < sizeof impair / sizeof *impair; i++)
        assert_true(channel_impairs(&impair[i]));
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_false(channel_impairs(&nothing[i]));
}

TEST(what_makes_no_sense_is_refused_in_words)
{
    static const struct channel_conf bad[] = {
        {.loss = -0.1},
        {.loss = 1.1},
        {.loss = NAN},
        {.corrupt = 2},
        {.duplicate = -1},
        {.burst = {.p = 0.1, .r = 0, .loss_bad = 1}},
        {.burst = {.p = 1.5, .r = 0.1}},
        {.burst = {.p = 0.1, .r = -0.1}},
        {.burst = {.loss_good = 7}},
        {.burst = {.loss_bad = 7}},
        {.reorder = {.probability = 3, .delay = 1}},
    };
    static const struct channel_conf good[] = {
        {0},
        {.loss = 1, .corrupt = 1, .duplicate = 1},
        {.burst = {.r = 0.5}},
        {.burst = {.p = 0.1, .r = 0.1}},
        {.reorder = {.probability = 0.1, .delay = 1}},
        {.reorder = {.probability = 0.1, .displacement = 1}},
        {.reorder = {.delay = 5}},
        {.reorder = {.probability = 0.1}}, /* held back for no time: none is */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_non_null(channel_conf_error(&bad[i]));
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_null(channel_conf_error(&good[i]));
}

/* ---- a trace ---- */

static const struct channel_seen path[] = {
    {0},
    {.lost = true},
    {.time = 700, .packets = 3},
    {.twice = true},
    {.time = 5, .packets = 1, .twice = true},
};
enum { PATH = sizeof path / sizeof *path };

static struct channel_conf along(uint32_t first, bool by_time)
{
    return (struct channel_conf){.trace = {.seen = path, .count = PATH, .first = first, .by_time = by_time}};
}

static void check_seen(const struct channel_fate *f, const struct channel_seen *s, bool by_time)
{
    uint64_t passed = s->packets ? s->packets * (uint64_t)SER + SER / 2 : 0;
    assert_int_equal(f->lost, s->lost);
    assert_int_equal(f->duplicated, s->twice);
    assert_int_equal(f->delay, by_time ? s->time : passed);
    assert_int_equal(f->reordered, f->delay > 0);
    assert_false(f->corrupted);
}

/* From the first asked for to the last, and again from the first of all. */
TEST(a_trace_is_replayed_in_its_order)
{
    for (uint32_t first = 1; first <= PATH; first++)
        for (int by_time = 0; by_time < 2; by_time++) {
            const struct channel_conf conf = along(first, by_time);
            struct channel c;
            assert_null(channel_conf_error(&conf));
            assert_true(channel_impairs(&conf));
            channel_init(&c, &conf, 1, 0, 0, 0);
            for (uint32_t n = 0; n < 3 * PATH; n++) {
                struct channel_fate f = channel_take(&c, SER);
                check_seen(&f, &path[(first - 1 + n) % PATH], by_time);
            }
        }
}

/* Its first packet is drawn by seed, repeat and link alone, each as often as the others. */
TEST(where_a_trace_starts_is_drawn)
{
    enum { REPEATS = 20000 };
    const struct channel_conf conf = along(0, true);
    uint64_t n[PATH] = {0};
    for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {
        struct channel a, b;
        channel_init(&a, &conf, 7, repeat, 3, 0);
        channel_init(&b, &conf, 7, repeat, 3, 0);
        assert_true(a.at < PATH);
        assert_int_equal(a.at, b.at);
        n[a.at]++;
    }
    for (int i = 0; i < PATH; i++)
        expect_rate(n[i], REPEATS, 1.0 / PATH);
}

TEST(nothing_is_drawn_beside_a_trace)
{
    struct channel_conf with_loss = along(1, false), with_jitter = along(1, false),
                        behind = along(PATH + 1, false);
    with_loss.loss = 0.1;
    with_jitter.jitter = 1;
    assert_non_null(channel_conf_error(&with_loss));
    assert_non_null(channel_conf_error(&with_jitter));
    assert_non_null(channel_conf_error(&behind));
}

/* ---- delays as they were measured ---- */

/* Half of them none, a quarter between 0 and 1,000, a quarter between 1,000 and 9,000. */
static const struct channel_delay delays[] = {
    {0, (uint64_t)1 << 31}, {1000, (uint64_t)3 << 30}, {9000, (uint64_t)1 << 32}};

static struct channel_conf measured(bool overtakes, uint64_t hold)
{
    return (struct channel_conf){
        .delay = {.entry = delays, .count = 3, .overtakes = overtakes, .hold = hold}};
}

static uint64_t arrival(struct channel *c, uint64_t now)
{
    struct channel_fate fate = channel_take(c, SER);
    return channel_arrival(c, now, SER, &fate);
}

TEST(measured_delays_have_their_shares_and_are_even_between_them)
{
    static const uint64_t edge[] = {0, 500, 1000, 5000, 9000};
    static const double share[] = {0.5, 0.125, 0.125, 0.125, 0.125};
    const struct channel_conf conf = measured(true, 0);
    uint64_t n[5] = {0};
    struct channel c;
    assert_true(channel_impairs(&conf));
    assert_int_equal(channel_longest(&conf), 9000);
    channel_init(&c, &conf, 5, 0, 0, 0);
    for (int k = 0; k < MANY; k++) {
        uint64_t late = arrival(&c, 77) - 77;
        int i = 0;
        while (late > edge[i])
            i++;
        assert_true(i < 5);
        n[i]++;
    }
    assert_true(chi_square(n, share, 5, MANY) < chi_limit(4));
}

/* Packets far apart have what is drawn for them; close ones follow each other at the pace of the link. */
TEST(where_order_is_kept_no_packet_overtakes)
{
    const struct channel_conf kept = measured(false, 0), drawn = measured(true, 0);
    struct channel a, b;
    uint64_t last = 0, waited = 0;
    for (uint64_t gap = SER; gap <= 100 * SER; gap *= 100) {
        channel_init(&a, &kept, 6, 0, 0, 0);
        channel_init(&b, &drawn, 6, 0, 0, 0);
        last = 0;
        for (uint64_t k = 1; k < 1000; k++) {
            uint64_t at = arrival(&a, k * gap), own = arrival(&b, k * gap);
            uint64_t wanted = own > last + SER ? own : last + SER;
            assert_int_equal(at, wanted);
            waited += at > own;
            last = at;
        }
    }
    assert_true(waited > 0);
}

TEST(what_holds_for_a_while_is_one_draw)
{
    enum { HOLD = 1000000 };
    const struct channel_conf conf = measured(true, HOLD);
    struct channel c;
    unsigned changes = 0;
    uint64_t before = 0;
    channel_init(&c, &conf, 7, 0, 0, 0);
    for (uint64_t k = 0; k < 40; k++) {
        uint64_t now = 3 * (uint64_t)HOLD + k * HOLD / 4, late = arrival(&c, now) - now;
        if (k % 4 == 0)
            changes += k && late != before;
        else
            assert_int_equal(late, before);
        before = late;
    }
    assert_true(changes >= 3); /* of nine; half of the draws are 0 */
}

static void same_fate(const struct channel_fate *f, const struct channel_fate *g)
{
    assert_int_equal(f->lost, g->lost);
    assert_int_equal(f->corrupted, g->corrupted);
    assert_int_equal(f->duplicated, g->duplicated);
    assert_int_equal(f->reordered, g->reordered);
    assert_int_equal(f->delay, g->delay);
    assert_int_equal(f->entropy, g->entropy);
}

TEST(measured_delays_come_beside_the_other_fates_and_change_none)
{
    const struct channel_conf some = {.loss = 0.1, .jitter = 50};
    struct channel_conf more = some, along_a_path = along(1, false);
    struct channel a, b;
    more.delay = measured(true, 0).delay;
    along_a_path.delay = more.delay;
    channel_init(&a, &some, 9, 1, 2, 0);
    channel_init(&b, &more, 9, 1, 2, 0);
    for (int k = 0; k < 1000; k++) {
        struct channel_fate f = channel_take(&a, SER), g = channel_take(&b, SER);
        same_fate(&f, &g);
        assert_int_equal(channel_arrival(&a, 5, SER, &f), 5 + f.delay);
        assert_true(channel_arrival(&b, 5, SER, &g) >= 5 + g.delay);
    }
    assert_non_null(channel_conf_error(&along_a_path));
}
