/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Staging: what it must hold when retirement is slow or stands still, what is dropped when it cannot; NIC memory. */
#include "rnic_rig.h"

enum { SEGMENT = 1500 };

/* What a burst does to staging. The adapter is driven by hand: arrivals at their times, releases when placed. */
struct burst {
    uint64_t arrived, dropped, peak,
        first_drop; /* first_drop: octets of the burst, the dropped segment included */
    iw_time worst;  /* longest from arrival to in place */
};

static struct burst run_burst(const struct rnic_conf *conf, uint64_t rate, uint64_t octets, uint64_t key)
{
    struct rnic *r = rnic_init(malloc(rnic_size(conf, 1)), conf, 1, key);
    uint64_t count = octets / SEGMENT, head = 0, tail = 0;
    iw_time *placed = calloc(count, sizeof *placed);
    struct burst b = {.first_drop = UINT64_MAX};
    for (uint64_t i = 0; i < count; i++) {
        iw_time now = (iw_time)takes((double)((i + 1) * SEGMENT), (double)rate);
        for (; head < tail && placed[head] <= now; head++)
            rnic_release(r, SEGMENT);
        if (rnic_arrive(r, now, 0, SEGMENT) == IW_NEVER) {
            b.first_drop = b.first_drop == UINT64_MAX ? (i + 1) * SEGMENT : b.first_drop;
            continue;
        }
        placed[tail] = rnic_place(r, now, 0, SEGMENT);
        b.worst = placed[tail] - now > b.worst ? placed[tail] - now : b.worst;
        tail++;
    }
    b.arrived = rnic_statistics(r)->arrived;
    b.dropped = rnic_statistics(r)->dropped;
    b.peak = rnic_statistics(r)->staging_peak;
    free(placed);
    free(r);
    return b;
}

static void assert_within(double is, double should, double part)
{
    if (fabs(is - should) > fabs(should) * part)
        fail_msg("%.6g is not within %g of %.6g", is, part, should);
}

TEST(a_burst_needs_its_share_that_retirement_cannot_take)
{
    static const double retire[] = {0.2, 0.5, 0.8, 0.95};
    for (int i = 0; i < 4; i++) {
        struct rnic_conf c = preset("ideal");
        c.bus.rate = (uint64_t)(retire[i] * 1e11);
        struct burst b = run_burst(&c, 100 * GBPS, 4 * MIB, 0);
        assert_int_equal(b.dropped, 0);
        assert_within((double)b.peak, 4.0 * (double)MIB * (1 - retire[i]), 0.05);
    }
}

TEST(drops_begin_where_the_closed_form_says)
{
    static const uint64_t segments[] = {20, 50, 200, 1000};
    static const double retire[] = {0.1, 0.5, 0.9};
    for (int s = 0; s < 4; s++)
        for (int i = 0; i < 3; i++) {
            struct rnic_conf c = preset("ideal");
            c.bus.rate = (uint64_t)(retire[i] * 1e11);
            c.staging_bytes = segments[s] * SEGMENT;
            double bound = (double)c.staging_bytes / (1 - retire[i]);
            struct burst more = run_burst(&c, 100 * GBPS, (uint64_t)(bound * 1.2), 0);
            assert_within((double)more.first_drop, bound, 0.05);
            assert_int_equal(more.peak, c.staging_bytes);
            struct burst less = run_burst(&c, 100 * GBPS, (uint64_t)(bound * 0.95), 0);
            assert_int_equal(less.dropped, 0);
        }
}

TEST(a_stall_needs_arrival_rate_times_its_length)
{
    static const iw_time lengths[] = {5 * US, 20 * US, 80 * US};
    for (int i = 0; i < 3; i++) {
        struct rnic_conf c = preset("ideal");
        c.bus.rate = 400 * GBPS;
        c.stall.every = 200 * US, c.stall.for_ = lengths[i];
        double bound = 1e11 / 8 * (double)lengths[i] / 1e12;
        struct burst b = run_burst(&c, 100 * GBPS, 8 * MIB, 0);
        assert_int_equal(b.dropped, 0);
        assert_within((double)b.peak, bound, 0.05);
        assert_true(b.worst <= lengths[i] + 2 * US);
        c.staging_bytes = (uint64_t)(bound * 0.9);
        assert_true(run_burst(&c, 100 * GBPS, 8 * MIB, 0).dropped > 0);
    }
}

TEST(a_stall_begins_and_ends_at_its_instants)
{
    struct rnic_conf c = preset("ideal");
    c.stall.every = 100 * US, c.stall.for_ = 10 * US;
    struct rnic *r = adapter(&c, 1);
    static const iw_time rows[][2] = {{0, 0},
                                      {100 * US - 1, 100 * US - 1},
                                      {100 * US, 110 * US},
                                      {110 * US - 1, 110 * US},
                                      {110 * US, 110 * US},
                                      {705 * US, 710 * US}};
    for (int i = 0; i < 6; i++)
        assert_int_equal(rnic_place(r, rows[i][0], 0, 1), rows[i][1]);
    assert_int_equal(rnic_statistics(r)->stalls, 2);
    free(r);
}

TEST(stalls_come_as_often_and_as_long_as_told)
{
    struct rnic_conf c = preset("ideal");
    c.stall.every = 100 * US, c.stall.for_ = 10 * US, c.stall.jitter = 50 * US;
    struct rnic *r = rnic_init(malloc(rnic_size(&c, 1)), &c, 1, 42);
    iw_time end = 0, earliest = IW_NEVER, latest = 0;
    uint64_t number = 0;
    for (iw_time now = 0; now < 100 * MS; now += 100 * NS) {
        iw_time done = rnic_place(r, now, 0, 1);
        if (done == now || done == end)
            continue;
        iw_time start = done - 10 * US, phase = start % (100 * US);
        assert_true(start <= now && start / (100 * US) == ++number && phase <= 50 * US);
        earliest = phase < earliest ? phase : earliest;
        latest = phase > latest ? phase : latest;
        end = done;
    }
    assert_int_equal(number, 999);
    assert_true(earliest < 2 * US && latest > 48 * US); /* the whole width is used */
    free(r);
}

TEST(the_same_key_gives_the_same_stalls)
{
    struct rnic_conf c = preset("ideal");
    c.bus.rate = 120 * GBPS;
    c.stall.every = 50 * US, c.stall.for_ = 5 * US, c.stall.jitter = 40 * US;
    struct burst a = run_burst(&c, 100 * GBPS, 16 * MIB, 1), b = run_burst(&c, 100 * GBPS, 16 * MIB, 1),
                 other = run_burst(&c, 100 * GBPS, 16 * MIB, 2);
    assert_true(a.peak == b.peak && a.worst == b.worst);
    assert_true(a.peak != other.peak || a.worst != other.worst);
}

TEST(what_finds_staging_full_is_dropped_and_counted)
{
    struct rnic_conf c = preset("ideal");
    c.staging_bytes = 3 * SEGMENT;
    struct rnic *r = adapter(&c, 1);
    for (int i = 0; i < 3; i++)
        assert_true(rnic_arrive(r, 0, 0, SEGMENT) != IW_NEVER);
    assert_true(rnic_arrive(r, 0, 0, 1) == IW_NEVER);
    rnic_release(r, SEGMENT);
    assert_true(rnic_arrive(r, 0, 0, SEGMENT + 1) == IW_NEVER);
    assert_true(rnic_arrive(r, 0, 0, SEGMENT) != IW_NEVER);
    const struct rnic_stats *s = rnic_statistics(r);
    assert_int_equal(s->arrived, 6);
    assert_int_equal(s->dropped, 2);
    assert_int_equal(s->dropped_octets, SEGMENT + 2);
    assert_int_equal(s->staging, 3 * SEGMENT);
    assert_int_equal(rnic_staging_histogram(r)->count, 4);
    free(r);
}

TEST(held_octets_leave_staging_and_are_bounded)
{
    struct rnic_conf c = preset("ideal");
    c.receive = RNIC_HOLD, c.hold_bytes = 2 * SEGMENT + 100;
    struct rnic *r = adapter(&c, 1);
    for (int i = 0; i < 3; i++)
        rnic_arrive(r, 0, 0, SEGMENT);
    assert_true(rnic_hold(r, SEGMENT) && rnic_hold(r, SEGMENT));
    assert_false(rnic_hold(r, SEGMENT));
    const struct rnic_stats *s = rnic_statistics(r);
    assert_int_equal(s->staging, SEGMENT);
    assert_int_equal(s->held, 2 * SEGMENT);
    assert_int_equal(s->refused, 1);
    rnic_unhold(r, SEGMENT);
    assert_true(rnic_hold(r, SEGMENT));
    rnic_unhold(r, 2 * SEGMENT);
    assert_int_equal(s->staging, 0);
    assert_int_equal(s->held, 0);
    assert_int_equal(s->held_peak, 2 * SEGMENT);
    free(r);
}

/* ---- the histogram ---- */

TEST(bins_follow_each_other_without_gap)
{
    assert_int_equal(rnic_histogram_floor(0), 0);
    for (uint32_t i = 0; i + 1 < RNIC_BINS; i++) {
        uint64_t from = rnic_histogram_floor(i), to = rnic_histogram_floor(i + 1);
        assert_true(to > from && (to - from) * 16 <= (from < 16 ? 16 : from));
        static struct rnic_histogram h;
        memset(&h, 0, sizeof h);
        rnic_histogram_add(&h, from);
        rnic_histogram_add(&h, to - 1);
        assert_int_equal(h.bin[i], 2);
    }
    assert_int_equal(rnic_histogram_floor(RNIC_BINS), (uint64_t)1 << 40);
}

/* What is above the last bin falls into it, and its quantile is the largest. */
TEST(the_last_bin_takes_the_rest)
{
    static struct rnic_histogram h;
    const uint64_t end = rnic_histogram_floor(RNIC_BINS);
    rnic_histogram_add(&h, end - 1);
    rnic_histogram_add(&h, end);
    rnic_histogram_add(&h, UINT64_MAX);
    assert_int_equal(h.bin[RNIC_BINS - 1], 3);
    assert_int_equal(h.count, 3);
    assert_true(rnic_histogram_quantile(&h, 1, 1) == UINT64_MAX);
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

TEST(a_quantile_is_never_below_and_a_sixteenth_above_at_most)
{
    enum { SAMPLES = 5000 };
    static uint64_t sample[SAMPLES];
    static struct rnic_histogram h;
    memset(&h, 0, sizeof h);
    assert_int_equal(rnic_histogram_quantile(&h, 999, 1000), 0);
    uint64_t random = 7;
    for (int i = 0; i < SAMPLES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        sample[i] = random >> (24 + random % 40);
        rnic_histogram_add(&h, sample[i]);
    }
    qsort(sample, SAMPLES, sizeof *sample, by_size);
    for (uint64_t permille = 1; permille <= 1000; permille++) {
        uint64_t truth = sample[(permille * SAMPLES + 999) / 1000 - 1],
                 got = rnic_histogram_quantile(&h, permille, 1000);
        assert_true(got >= truth && got - truth <= truth / 16);
    }
    assert_int_equal(rnic_histogram_quantile(&h, 1, 1), sample[SAMPLES - 1]);
    memset(&h, 0, sizeof h);
    rnic_histogram_add(&h, 1000); /* of 992 .. 1023 */
    assert_int_equal(rnic_histogram_quantile(&h, 1, 2), 1000);
}
