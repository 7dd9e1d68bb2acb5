/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a receiver advertises: the formulas, the law on the wire, and what a sender makes of it. */
#include "rnic_rig.h"

enum { FPDU = 1460 };

static struct rnic_window window(enum rnic_policy policy, uint64_t bytes)
{
    struct rnic_window_conf conf = {
        .policy = policy, .bytes = bytes, .headroom = 2000, .mark = 20000, .drain = 500};
    struct rnic_window w;
    rnic_window_init(&w, &conf, FPDU, rnic_window_shift(bytes));
    return w;
}

/* The edge that one acknowledgement tells. */
static uint64_t edge(struct rnic_window *w, struct rnic_window_state state)
{
    uint64_t field = rnic_window_advertise(w, 0, &state);
    return state.next + (field << w->shift);
}

/* ---- the formulas; windows below 64 KiB have units of one octet ---- */

/* checks: DDP-A-3 */
TEST(each_policy_counts_what_it_says)
{
    static const struct rnic_window_state s = {
        .next = 100000, .backlog = 3000, .held = 5000, .consumed = 90000, .staging = 3000};
    static const struct {
        enum rnic_policy policy;
        uint64_t edge;
    } rows[] = {
        {RNIC_CONSTANT, 100000 + 60000},           {RNIC_PLACED, 100000 + 60000 - 3000},
        {RNIC_HELD, 100000 + 60000 - 3000 - 5000}, {RNIC_BUFFER, 90000 + 60000},
        {RNIC_BDP, 100000 + 10 * FPDU - 3000}, /* nothing measured yet */
        {RNIC_RETIRE, 60000 + 100000 - 3000},  /* bounded by `placed` */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rnic_window w = window(rows[i].policy, 60000);
        assert_int_equal(edge(&w, s), rows[i].edge);
    }
}

TEST(the_backlog_of_octets_out_of_order_may_exceed_everything)
{
    for (enum rnic_policy policy = 0; policy < RNIC_POLICIES; policy++) {
        struct rnic_window w = window(policy, 60000);
        struct rnic_window_state s = {.backlog = 1000000, .held = 1000000, .staging = 1000000};
        assert_true(edge(&w, s) <= 60000);
    }
}

/* checks: DDP-A-2 */
TEST(what_was_told_stays_told)
{
    struct rnic_window w = window(RNIC_HELD, 60000);
    struct rnic_window_state s = {.next = 1000};
    assert_int_equal(edge(&w, s), 61000);
    s.held = 30000, s.next = 2000;
    assert_int_equal(edge(&w, s), 61000);
    s.next = 61000;
    assert_int_equal(edge(&w, s), 91000);
    s.held = 0;
    assert_int_equal(edge(&w, s), 121000);
    assert_int_equal(w.excess, 61000 - 32000);
}

TEST(a_shift_is_the_smallest_that_can_say_it)
{
    assert_int_equal(rnic_window_shift(1), 0);
    assert_int_equal(rnic_window_shift(65535), 0);
    assert_int_equal(rnic_window_shift(65536), 1);
    for (unsigned shift = 0; shift < 14; shift++) {
        assert_int_equal(rnic_window_shift((uint64_t)65535 << shift), shift);
        assert_int_equal(rnic_window_shift(((uint64_t)65535 << shift) + 1), shift + 1);
    }
    assert_int_equal(rnic_window_shift(RNIC_WINDOW_MAX), 14);
}

TEST(octets_that_are_placed_are_rounded_up_buffered_ones_down)
{
    static const uint64_t bytes = 1000001; /* unit 16 */
    struct rnic_window up = window(RNIC_PLACED, bytes), down = window(RNIC_HELD, bytes);
    assert_int_equal(up.shift, 4);
    assert_int_equal(edge(&up, (struct rnic_window_state){0}), 1000016);
    assert_int_equal(edge(&down, (struct rnic_window_state){0}), 1000000);
}

/* ---- the law under random runs ---- */

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 20) % below;
}

/* What a receiver can go through, between one acknowledgement and the next. */
static void live(struct rnic_window_state *s, uint64_t told, uint64_t *random)
{
    uint64_t room = told - s->next;
    s->next += draw(random, 3) ? draw(random, 3 * FPDU) % (room + 1) : 0;
    s->backlog = draw(random, 4) ? draw(random, 60 * FPDU) : 0;
    s->held = draw(random, 4) ? 0 : draw(random, 100 * FPDU);
    s->staging = s->backlog + draw(random, 60 * FPDU);
    s->consumed += draw(random, s->next - s->consumed + 1);
}

/* checks: DDP-A-2 */
TEST(no_edge_on_the_wire_moves_left_whatever_happens)
{
    static const uint64_t bytes[] = {2 * FPDU, 65535, 65536, 1000000, 50000000, RNIC_WINDOW_MAX};
    for (enum rnic_policy policy = 0; policy < RNIC_POLICIES; policy++)
        for (int b = 0; b < 6; b++)
            for (uint64_t seed = 1; seed <= 20; seed++) {
                struct rnic_window w = window(policy, bytes[b]);
                struct rnic_window_state s = {0};
                uint64_t told = 0, random = seed;
                iw_time now = 0;
                for (int i = 0; i < 2000; i++) {
                    uint64_t field = rnic_window_advertise(&w, now += draw(&random, 50 * US), &s);
                    uint64_t now_told = s.next + (field << w.shift);
                    assert_true(field <= 65535);
                    assert_true(now_told >= told);
                    assert_true(now_told <= s.next + bytes[b] + ((uint64_t)1 << w.shift) || now_told == told);
                    told = now_told;
                    live(&s, told, &random);
                }
            }
}

TEST(sctp_credit_is_not_bounded_by_16_bits)
{
    struct rnic_window_conf conf = {.policy = RNIC_PLACED, .bytes = 10 * MIB};
    struct rnic_window w;
    rnic_window_init(&w, &conf, FPDU, 0);
    assert_int_equal(rnic_window_advertise(&w, 0, &(struct rnic_window_state){0}), 10 * MIB);
}

/* ---- updates ---- */

/* The others' edge is the same whether the ULP has read or not. */
TEST(only_buffer_counts_what_is_consumed)
{
    for (unsigned policy = RNIC_CONSTANT; policy < RNIC_POLICIES; policy++) {
        struct rnic_window w = window(policy, 20 * FPDU);
        struct rnic_window_state s = {.next = 4 * FPDU, .consumed = 2 * FPDU};
        uint64_t told = edge(&w, s);
        s.consumed = s.next;
        assert_int_equal(rnic_window_counts_consumed(&w), edge(&w, s) > told);
        assert_int_equal(rnic_window_counts_consumed(&w), policy == RNIC_BUFFER);
    }
}

TEST(a_window_that_opens_is_told)
{
    struct rnic_window w = window(RNIC_PLACED, 20 * FPDU);
    struct rnic_window_state s = {0};
    edge(&w, s);
    assert_false(rnic_window_opened(&w, &s));
    s.next = 20 * FPDU, s.backlog = 20 * FPDU, s.staging = s.backlog;
    edge(&w, s);
    assert_false(rnic_window_opened(&w, &s)); /* closed, and nothing placed */
    s.backlog = 20 * FPDU - 1;
    assert_false(rnic_window_opened(&w, &s)); /* an octet is no use */
    s.backlog = 19 * FPDU;
    assert_true(rnic_window_opened(&w, &s)); /* the peer has nothing and would get one */
    assert_int_equal(edge(&w, s), 21 * FPDU);
    assert_false(rnic_window_opened(&w, &s));
    s.backlog = 18 * FPDU;
    assert_false(rnic_window_opened(&w, &s)); /* it has one: wait for more */
    s.backlog = 17 * FPDU;
    assert_true(rnic_window_opened(&w, &s));
    edge(&w, s);
    s.backlog = 1;
    edge(&w, s);
    s.backlog = 0;
    assert_false(rnic_window_opened(&w, &s));
}

TEST(the_last_one_placed_is_told_too)
{
    struct rnic_window w = window(RNIC_PLACED, 20 * FPDU);
    struct rnic_window_state s = {.next = 5 * FPDU, .backlog = FPDU};
    edge(&w, s);
    s.backlog = 0;
    assert_true(rnic_window_opened(&w, &s));
    edge(&w, s);
    assert_false(rnic_window_opened(&w, &s));
}

TEST(an_update_is_never_less_than_an_fpdu)
{
    for (enum rnic_policy policy = 0; policy < RNIC_POLICIES; policy++) {
        struct rnic_window w = window(policy, 1000000);
        struct rnic_window_state s = {0};
        uint64_t told = edge(&w, s), random = 5;
        for (int i = 0; i < 20000; i++) {
            live(&s, told, &random);
            bool opened = rnic_window_opened(&w, &s);
            uint64_t before = told, room = before > s.next ? before - s.next : 0;
            told = edge(&w, s);
            if (opened)
                assert_true(told - before >= FPDU || (room < FPDU && told - s.next >= FPDU));
            else if (room < FPDU)
                assert_true(told - s.next < FPDU); /* nobody is left waiting */
        }
    }
}

/* ---- what is refused ---- */

TEST(a_window_that_makes_no_sense_is_refused_with_the_reason)
{
    struct rnic_window_conf c = {.policy = RNIC_PLACED, .bytes = 2 * FPDU};
    assert_null(rnic_window_error(&c, FPDU));
    c.bytes--;
    assert_non_null(strstr(rnic_window_error(&c, FPDU), "must hold two full segments"));
    c.bytes = RNIC_WINDOW_MAX;
    assert_null(rnic_window_error(&c, FPDU));
    c.bytes++;
    assert_non_null(strstr(rnic_window_error(&c, FPDU), "1073725440"));
    c.policy = RNIC_BUFFER, c.bytes = (uint64_t)65535 << 10;
    assert_null(rnic_window_error(&c, FPDU));
    c.bytes++; /* unit 2048 */
    assert_non_null(strstr(rnic_window_error(&c, FPDU), "never close"));
}

/* ---- a sender on a link ---- */

static void assert_within(double is, double should, double part)
{
    if (fabs(is - should) > fabs(should) * part)
        fail_msg("%.6g is not within %g of %.6g", is, part, should);
}

/* floor(W / FPDU) segments a round trip, or the line. */
static double closed_form(const struct link_conf *c)
{
    double rtt = 2.0 * (double)c->delay + takes(c->fpdu + c->framing + c->ack, (double)c->rate);
    double bound = (double)(c->rnic.window.bytes / c->fpdu) * c->fpdu * 8e3 / rtt;
    double line = (double)c->rate / 1e9 * c->fpdu / (c->fpdu + c->framing);
    return bound < line ? bound : line;
}

/* checks: DDP-A-1 */
TEST(a_window_bounds_the_rate_as_the_closed_form_says)
{
    static const iw_time delays[] = {500 * NS, 2 * US, 5 * US, 20 * US, 50 * US, 200 * US, 500 * US};
    static const uint64_t segments[] = {2, 3, 7, 20, 100, 400};
    static const enum rnic_policy policies[] = {RNIC_CONSTANT, RNIC_PLACED, RNIC_HELD, RNIC_BUFFER};
    for (int d = 0; d < 7; d++)
        for (int s = 0; s < 6; s++)
            for (int p = 0; p < 4; p++) {
                struct link_conf c = link_of(delays[d], policies[p], segments[s] * 8960 + 4000);
                c.segments = (uint32_t)segments[s] * 200; /* the half is a multiple of the window */
                struct link_result r = link_run(&c);
                assert_within(r.steady_gbps, closed_form(&c), 0.01);
                assert_false(r.edge_fell || r.field_passed);
            }
}

TEST(bdp_finds_95_percent_of_the_line_by_itself)
{
    static const struct {
        iw_time delay;
        uint64_t rate;
        uint32_t segments;
    } rows[] = {{5 * US, 100 * GBPS, 5000},
                {50 * US, 100 * GBPS, 10000},
                {500 * US, 100 * GBPS, 40000},
                {5 * MS, 10 * GBPS, 40000}};
    for (int i = 0; i < 4; i++) {
        struct link_conf c = link_of(rows[i].delay, RNIC_BDP, RNIC_WINDOW_MAX);
        c.rate = rows[i].rate, c.segments = rows[i].segments;
        struct link_result r = link_run(&c);
        double line = (double)c.rate / 1e9 * 8960 / 9038, bdp = (double)c.rate / 8e12 * 2.0 * (double)c.delay;
        assert_true(r.steady_gbps >= 0.95 * line);
        assert_false(r.edge_fell || r.field_passed);
        assert_true((double)r.window >= bdp && (double)r.window < 4 * bdp + 20 * 8960);
    }
}

TEST(bdp_trusts_no_octets_that_were_under_way_before_it_spoke)
{
    struct rnic_window w = window(RNIC_BDP, MIB);
    struct rnic_window_state s = {0};
    rnic_window_advertise(&w, 10 * US, &s);
    s.next = FPDU; /* sent before anybody heard of that */
    rnic_window_advertise(&w, 11 * US, &s);
    assert_true(w.bdp.rtt == IW_NEVER);
    s.next = 10 * FPDU; /* the whole window of 10 us */
    rnic_window_advertise(&w, 15 * US, &s);
    assert_true(w.bdp.rtt == IW_NEVER);
    s.next = 11 * FPDU; /* the answer to what was told at 11 us */
    rnic_window_advertise(&w, 111 * US, &s);
    assert_int_equal(w.bdp.rtt, 100 * US);
}

/* 10 FPDUs in a round trip: W is that many times the headroom, to the octet. */
TEST(bdp_gives_its_headroom_times_what_it_measured)
{
    static const uint64_t headroom[] = {1250, 2000, 3500};
    for (int i = 0; i < 3; i++) {
        struct rnic_window w = window(RNIC_BDP, MIB);
        struct rnic_window_state s = {0};
        w.conf.headroom = headroom[i];
        rnic_window_advertise(&w, 10 * US, &s);
        s.next = FPDU;
        rnic_window_advertise(&w, 11 * US, &s);
        s.next = 11 * FPDU;
        rnic_window_advertise(&w, 111 * US, &s);
        assert_int_equal(rnic_window_bytes(&w), headroom[i] * 10 * FPDU / 1000);
    }
}

/* Beyond what it was told, as a probe is: what came then was no answer to anything. */
TEST(bdp_measures_nothing_by_octets_that_were_here_before)
{
    struct rnic_window w = window(RNIC_BDP, MIB);
    struct rnic_window_state s = {0};
    rnic_window_advertise(&w, 10 * US, &s);
    s.next = 10 * FPDU + 100; /* the edge was 10 FPDUs */
    w.advertised = w.edge = 10 * FPDU;
    rnic_window_advertise(&w, 15 * US, &s);
    rnic_window_advertise(&w, 16 * US, &s);
    assert_true(w.bdp.rtt == IW_NEVER);
    assert_true(w.bdp.to >= w.bdp.from);
}

TEST(retire_gains_twice_then_an_eighth_more_and_above_the_mark_its_drain)
{
    struct rnic_window w = window(RNIC_RETIRE, 10 * MIB);
    struct rnic_window_state s = {0};
    rnic_window_advertise(&w, 0, &s);
    assert_int_equal(w.edge, 10 * FPDU);
    s.next = 8000;
    rnic_window_advertise(&w, 0, &s);
    assert_int_equal(w.edge, 10 * FPDU + 16000);
    s.next = 16000, s.staging = 20001;
    rnic_window_advertise(&w, 0, &s);
    assert_int_equal(w.edge, 10 * FPDU + 16000 + 4000);
    s.next = 24000, s.staging = 20000;
    rnic_window_advertise(&w, 0, &s);
    assert_int_equal(w.edge, 10 * FPDU + 16000 + 4000 + 9000);
    s.next = 32000, s.staging = 0; /* once slowed it stays careful */
    rnic_window_advertise(&w, 0, &s);
    assert_int_equal(w.edge, 10 * FPDU + 16000 + 4000 + 18000);
}

static struct link_conf slow_retirement(enum rnic_policy policy, uint32_t connections)
{
    struct link_conf c = link_of(5 * US, policy, MIB);
    c.rnic.bus.rate = 50 * GBPS, c.rnic.staging_bytes = 512 * KIB, c.rnic.window.mark = 64 * KIB;
    c.connections = connections, c.segments = 20000 / connections;
    return c;
}

TEST(retire_slows_the_sender_before_staging_overflows)
{
    struct link_conf placed = slow_retirement(RNIC_PLACED, 1), retire = slow_retirement(RNIC_RETIRE, 1);
    struct link_result a = link_run(&placed), b = link_run(&retire);
    assert_true(a.stats.dropped > 1000);
    assert_int_equal(b.stats.dropped, 0);
    assert_true(b.stats.staging_peak < 256 * KIB);
    assert_within(b.steady_gbps, 50, 0.01);
    assert_false(b.edge_fell);
    struct link_conf placed8 = slow_retirement(RNIC_PLACED, 8), retire8 = slow_retirement(RNIC_RETIRE, 8);
    assert_true(link_run(&retire8).stats.dropped * 20 < link_run(&placed8).stats.dropped);
}

TEST(retire_never_starves_the_sender)
{
    struct link_conf c = slow_retirement(RNIC_RETIRE, 4);
    c.rnic.window.drain = 0, c.rnic.window.mark = 0; /* always above the mark, and nothing gained there */
    assert_within(link_run(&c).steady_gbps, 50, 0.2);
}

TEST(a_slow_consumer_closes_buffer_and_nothing_else)
{
    for (enum rnic_policy policy = 0; policy < RNIC_POLICIES; policy++) {
        struct link_conf c = link_of(5 * US, policy, MIB);
        c.consume_rate = 10 * GBPS, c.segments = 20000;
        struct link_result r = link_run(&c);
        if (policy == RNIC_BUFFER)
            assert_within(r.steady_gbps, 10, 0.01);
        else
            assert_within(r.steady_gbps, 100.0 * 8960 / 9038, 0.01);
        assert_false(r.edge_fell);
    }
}

TEST(equal_runs_are_equal)
{
    for (enum rnic_policy policy = 0; policy < RNIC_POLICIES; policy++) {
        struct link_conf c = slow_retirement(policy, 3);
        c.rnic.stall.every = 100 * US, c.rnic.stall.for_ = 20 * US, c.rnic.stall.jitter = 50 * US;
        assert_int_equal(link_run(&c).hash, link_run(&c).hash);
    }
}
