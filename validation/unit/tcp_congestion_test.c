/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How cwnd moves: newreno (RFC 5681, 3465), HyStart++ (RFC 9406), CUBIC (RFC 9438), DCTCP (RFC 8257), ECN (RFC 3168). */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/tcp_rig.h"

static const uint8_t plain[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7, 1, 1, 4, 2};

static void open_with(struct tcp_rig *r, const struct tcp_congestion *congestion, uint32_t window, bool ecn)
{
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.congestion = congestion;
    conf.initial_window = window;
    conf.fixed_window = 20000;
    conf.ecn = ecn;
    conf.records = 1024;
    conf.store = 1 << 20;
    tcp_rig_open_with(r, &conf, plain, sizeof plain, (uint8_t)(SYN | ACK | (ecn ? ECE : 0)));
}

static void opens_wide(struct tcp_rig *r)
{
    tcp_rig_hear(r, RIG_PEER_ISS + 1, RIG_ISS + 1 + (uint32_t)tcp_acked(r->t), ACK, 65535, 0, NULL, 0);
}

static void acks(struct tcp_rig *r, uint32_t offset, uint8_t flags)
{
    tcp_rig_hear(r, RIG_PEER_ISS + 1, RIG_ISS + 1 + offset, (uint8_t)(ACK | flags), 65535, 0, NULL, 0);
}

/* One round: the window leaves, a round trip passes, each record is acknowledged and answered with what fits. */
static void round_trip(struct tcp_rig *r, iw_time rtt, uint8_t flags)
{
    uint64_t to = tcp_sent(r->t);
    r->now += rtt;
    for (uint64_t at = tcp_acked(r->t) + 1000; at <= to; at += 1000) {
        acks(r, (uint32_t)at, flags);
        while (tcp_room(r->t, 1000) && tcp_unsent(r->t) < 10000)
            tcp_rig_append(r, 1, 1000);
        tcp_rig_drain(r);
    }
}

static void start(struct tcp_rig *r)
{
    opens_wide(r);
    tcp_rig_append(r, 100, 1000);
    tcp_rig_drain(r);
}

/* ---- newreno ---- */

/* checks: TCP5681-3.1-1 TCP5681-3.1-5 TCP3465-2.2-1 TCP6928-2-1 */
TEST(slow_start_doubles_and_avoidance_adds_one)
{
    struct tcp_rig r;
    open_with(&r, &tcp_newreno, 10, false);
    assert_int_equal(tcp_rig_cwnd(&r), 10000);
    start(&r);
    round_trip(&r, 100 * RIG_US, 0);
    assert_int_equal(tcp_rig_cwnd(&r), 20000);
    tcp_rig_ack(&r, (uint32_t)tcp_acked(r.t), (uint32_t[]){11000, 15000, 0, 0}); /* one is lost: halved */
    tcp_rig_drain(&r);
    tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL);
    opens_wide(&r);
    assert_int_equal(tcp_rig_cwnd(&r), 10000);
    tcp_rig_drain(&r);
    for (uint32_t i = 0; i < 5; i++) {
        assert_in_range(tcp_rig_cwnd(&r), 10000 + 1000 * i, 10000 + 1000 * i + 1000);
        round_trip(&r, 100 * RIG_US, 0);
    }
    tcp_rig_free(&r);
}

/* RFC 9438 5.8, RFC 7661: a window that is not used does not grow. */
TEST(an_unused_window_does_not_grow)
{
    struct tcp_rig r;
    open_with(&r, &tcp_newreno, 10, false);
    opens_wide(&r);
    for (uint32_t i = 1; i <= 20; i++) {
        tcp_rig_append(&r, 2, 1000);
        tcp_rig_drain(&r);
        r.now += 100 * RIG_US;
        acks(&r, 2000 * i, 0);
    }
    assert_int_equal(tcp_rig_cwnd(&r), 10000);
    tcp_rig_free(&r);
}

TEST(a_fixed_window_stays)
{
    struct tcp_rig r;
    open_with(&r, &tcp_fixed, 10, false);
    start(&r);
    round_trip(&r, 100 * RIG_US, 0);
    assert_int_equal(tcp_rig_cwnd(&r), 20000);
    uint32_t una = (uint32_t)tcp_acked(r.t);
    tcp_rig_ack(&r, una, (uint32_t[]){una + 1000, una + 6000, 0, 0});
    assert_int_equal(tcp_rig_drain(&r), 6); /* one for each that arrived and one more, no burst */
    tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL);
    assert_int_equal(tcp_rig_cwnd(&r), 20000);
    tcp_rig_free(&r);
}

/* ---- HyStart++ ---- */

/* RFC 9406 4.2 with RttThresh = max(4 us, RTT / 8): a round whose smallest delay is longer ends the doubling. */
/* checks: TCP9406-4.2-1 TCP9406-4.2-2 TCP9406-4.2-3 TCP9406-4.2-4 */
TEST(slow_start_ends_when_the_delay_grows)
{
    for (int back = 0; back < 2; back++) {
        struct tcp_rig r;
        (void)state;
        open_with(&r, &tcp_newreno, 10, false);
        start(&r);
        round_trip(&r, 100 * RIG_US, 0);
        round_trip(&r, 111 * RIG_US, 0); /* below an eighth */
        assert_int_equal(tcp_rig_cwnd(&r), 40000);
        round_trip(&r, 140 * RIG_US, 0); /* its round has samples of the one before */
        assert_int_equal(tcp_rig_cwnd(&r), 80000);
        round_trip(&r, 140 * RIG_US, 0); /* after eight samples a quarter */
        assert_in_range(tcp_rig_cwnd(&r), 80000 + 20000, 80000 + 20000 + 8000);
        uint32_t cwnd = tcp_rig_cwnd(&r);
        if (back) { /* it was jitter */
            round_trip(&r, 111 * RIG_US, 0);
            round_trip(&r, 111 * RIG_US, 0);
            assert_true(tcp_rig_cwnd(&r) > 2 * cwnd);
        } else {
            for (int i = 0; i < 5; i++)
                round_trip(&r, 140 * RIG_US, 0);
            assert_true(tcp_statistics(r.t)->ssthresh < TCP_CWND_MAX);
            cwnd = tcp_rig_cwnd(&r);
            round_trip(&r, 140 * RIG_US, 0);
            assert_in_range(tcp_rig_cwnd(&r), cwnd, cwnd + 2000);
        }
        tcp_rig_free(&r);
    }
}

/* ---- CUBIC ---- */

/* RFC 9438 4.2: after a reduction from W the window is W again after K = cbrt(0.3 W / 0.4) seconds: 100 segments, 4.217 s; and
 * 1 s later W + 0.4. At long round trips, for W_est is slower there. */
/* checks: TCP9438-4.2-1 TCP9438-4.2-2 TCP9438-4.6-1 */
TEST(cubic_returns_after_k_seconds)
{
    struct tcp_rig r;
    open_with(&r, &tcp_cubic, 100, false);
    opens_wide(&r);
    tcp_rig_append(&r, 300, 1000);
    assert_int_equal(tcp_rig_drain(&r), 100);
    r.now += 1000 * RIG_MS;
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 5000, 0, 0});
    tcp_rig_drain(&r);
    tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL);
    assert_int_equal(tcp_rig_cwnd(&r), 70000);
    opens_wide(&r);
    tcp_rig_drain(&r);
    const iw_time rtt = 1000 * RIG_MS;
    iw_time from = r.now + rtt; /* the first growth */
    uint32_t before = 0, at_k = 0;
    for (int i = 0; i < 6; i++) {
        round_trip(&r, rtt, 0);
        if (r.now - from <= 3 * rtt)
            before = tcp_rig_cwnd(&r);
        if (r.now - from <= 5 * rtt)
            at_k = tcp_rig_cwnd(&r);
    }
    assert_in_range(before, 96400, 97100);
    assert_in_range(at_k, 99500, 101000);
    tcp_rig_free(&r);
}

/* 4.2: a time in which nothing was sent is none: after 100 s of it the window goes on where it was. */
TEST(cubic_does_not_grow_in_idle_time)
{
    struct tcp_rig r;
    open_with(&r, &tcp_cubic, 100, false);
    opens_wide(&r);
    tcp_rig_append(&r, 300, 1000);
    assert_int_equal(tcp_rig_drain(&r), 100);
    r.now += 1000 * RIG_MS;
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 5000, 0, 0});
    tcp_rig_drain(&r);
    tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL);
    opens_wide(&r);
    tcp_rig_drain(&r);
    while (tcp_acked(r.t) < tcp_sent(r.t)) {
        r.now += 1000 * RIG_MS;
        acks(&r, (uint32_t)tcp_sent(r.t), 0);
        tcp_rig_drain(&r);
    }
    assert_in_range(tcp_rig_cwnd(&r), 70000, 80000);
    r.now += 100000 * RIG_MS;
    tcp_rig_append(&r, 200, 1000);
    tcp_rig_drain(&r);
    for (int i = 0; i < 2; i++)
        round_trip(&r, 1000 * RIG_MS, 0);
    assert_in_range(tcp_rig_cwnd(&r), 75000, 100000);
    tcp_rig_free(&r);
}

/* 4.7: a loss before the window was what it had been leaves room to others: W is 0.85 of what was used, 59.5 segments, and
 * K = cbrt(10.5 / 0.4) = 2.97 s. */
TEST(cubic_converges_fast)
{
    struct tcp_rig r;
    open_with(&r, &tcp_cubic, 100, false);
    opens_wide(&r);
    tcp_rig_append(&r, 400, 1000);
    assert_int_equal(tcp_rig_drain(&r), 100);
    for (uint32_t window = 70000; window >= 49000; window = window * 7 / 10) {
        uint32_t una = (uint32_t)tcp_acked(r.t);
        r.now += 1000 * RIG_MS;
        tcp_rig_ack(&r, una, (uint32_t[]){una + 1000, una + 5000, 0, 0});
        tcp_rig_drain(&r);
        tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL);
        assert_int_equal(tcp_rig_cwnd(&r), window);
        opens_wide(&r);
        tcp_rig_drain(&r);
    }
    for (int i = 0; i < 4; i++)
        round_trip(&r, 1000 * RIG_MS, 0);
    assert_in_range(tcp_rig_cwnd(&r), 58000, 61500);
    tcp_rig_free(&r);
}

/* 4.3: where round trips are short the window grows as Reno's does, with alpha 9/17 up to the window before. */
/* What alpha was over some round trips: each acknowledgement adds alpha mss octets / cwnd, so cwnd^2 grows by 2 alpha mss for
 * each octet acknowledged. */
static double alpha_of(struct tcp_rig *r, int round_trips)
{
    double before = tcp_rig_cwnd(r), acked = (double)tcp_acked(r->t);
    for (int i = 0; i < round_trips; i++)
        round_trip(r, 100 * RIG_US, 0);
    double after = tcp_rig_cwnd(r);
    return (after * after - before * before) / (2 * 1000 * ((double)tcp_acked(r->t) - acked));
}

static bool is_within_a_twentieth(double value, double of)
{
    return value > 0.95 * of && value < 1.05 * of;
}

/* checks: TCP9438-4.3-1 TCP9438-4.3-2 */
TEST(cubic_is_reno_where_round_trips_are_short)
{
    struct tcp_rig r;
    open_with(&r, &tcp_cubic, 20, false);
    opens_wide(&r);
    tcp_rig_append(&r, 60, 1000);
    tcp_rig_drain(&r);
    r.now += 100 * RIG_US;
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 5000, 0, 0});
    tcp_rig_drain(&r);
    tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL);
    assert_int_equal(tcp_rig_cwnd(&r), 14000);
    opens_wide(&r);
    tcp_rig_drain(&r);
    assert_true(is_within_a_twentieth(alpha_of(&r, 10), 9.0 / 17));
    while (tcp_rig_cwnd(&r) < 20000) /* what it was before the reduction */
        round_trip(&r, 100 * RIG_US, 0);
    assert_true(is_within_a_twentieth(alpha_of(&r, 10), 1));
    tcp_rig_free(&r);
}

/* ---- ECN and DCTCP ---- */

/* RFC 3168 6.1.1, 6.1.2: set up, ECT on data the first time only, one reduction in a window, CWR. */
/* checks: TCP3168-6.1.1-1 TCP3168-6.1.2-1 TCP3168-6.1.2-2 TCP3168-6.1.2-3 TCP3168-6.1.5-1 TCP3168-6.1.4-1 */
TEST(a_mark_halves_once_in_a_window)
{
    struct tcp_rig r;
    open_with(&r, &tcp_newreno, 10, true);
    assert_int_equal(r.out.ecn, IP_NOT_ECT); /* the ACK */
    opens_wide(&r);
    tcp_rig_append(&r, 60, 1000);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.out.ecn, IP_ECT_0);
    tcp_rig_drain(&r);
    r.now += 100 * RIG_US;
    acks(&r, 1000, ECE);
    assert_int_equal(tcp_statistics(r.t)->reductions, 1);
    assert_int_equal(tcp_statistics(r.t)->ssthresh, 5000);
    for (uint32_t i = 2; i < 10; i++)
        acks(&r, 1000 * i, ECE);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.flags & CWR, CWR);
    assert_true(!tcp_rig_take(&r) || !(r.flags & CWR));
    acks(&r, 10000, ECE);
    assert_int_equal(tcp_statistics(r.t)->reductions, 1);
    tcp_rig_drain(&r);
    acks(&r, (uint32_t)tcp_sent(r.t), 0);
    assert_int_equal(tcp_statistics(r.t)->reductions, 1);
    assert_in_range(tcp_rig_cwnd(&r), 5000, 6000);
    tcp_rig_free(&r);
}

/* RFC 3168 6.1.4, 6.1.5. */
/* checks: TCP3168-6.1.4-1 TCP3168-6.1.5-1 */
TEST(only_what_is_sent_for_the_first_time_bears_ect)
{
    struct tcp_rig r;
    open_with(&r, &tcp_newreno, 10, true);
    opens_wide(&r);
    tcp_rig_append(&r, 10, 1000);
    assert_true(tcp_rig_take(&r) && r.len == 1000 && r.out.ecn == IP_ECT_0);
    tcp_rig_drain(&r);
    r.now += 100 * RIG_US;
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 4000, 0, 0});
    assert_true(tcp_rig_take(&r) && r.seq == RIG_ISS + 1 && r.out.ecn == IP_NOT_ECT);
    tcp_rig_ack(&r, 10000, NULL);
    tcp_rig_data(&r, 0, 1000);
    tcp_rig_data(&r, 1000, 1000);
    assert_true(tcp_rig_take(&r) && r.len == 0 && r.out.ecn == IP_NOT_ECT);
    tcp_rig_free(&r);
}

/* The SYN: ECE and CWR; the answer ECE alone, or there is none. */
/* checks: TCP3168-6.1.1-1 TCP3168-6.1.1-2 */
TEST(ecn_is_agreed_on)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.ecn = true;
    tcp_rig_new(&r, &conf);
    tcp_connect(r.t, r.now);
    assert_true(tcp_rig_take(&r) && r.flags == (SYN | ECE | CWR));
    tcp_rig_hear(&r, RIG_PEER_ISS, RIG_ISS + 1, SYN | ACK | ECE | CWR, 60000, 0, plain,
                 sizeof plain); /* a reflection */
    tcp_rig_append(&r, 1, 500);
    assert_true(tcp_rig_take(&r) && r.len == 500 && r.out.ecn == IP_NOT_ECT);
    tcp_rig_free(&r);
    tcp_rig_new(&r, &conf);
    tcp_listen(r.t);
    tcp_rig_hear(&r, RIG_PEER_ISS, 0, SYN | ECE | CWR, 60000, 0, plain, sizeof plain);
    assert_true(tcp_rig_take(&r) && r.flags == (SYN | ACK | ECE));
    tcp_rig_free(&r);
}

/* RFC 8257 3.3: alpha begins at 1, moves by a sixteenth; cwnd loses half of it. Two segments are the floor. */
/* checks: TCP8257-3.3-1 TCP8257-3.3-2 TCP8257-3.3-3 */
TEST(dctcp_cuts_by_the_share_of_marks)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dctcp, 20, true);
    start(&r);
    for (int i = 0; i < 3; i++)
        round_trip(&r, 100 * RIG_US, 0);
    uint32_t cwnd = tcp_rig_cwnd(&r);
    acks(&r, (uint32_t)tcp_acked(r.t) + 1000, ECE); /* alpha after 3 windows: about (15/16)^3 */
    assert_in_range(tcp_statistics(r.t)->ssthresh, cwnd * 0.55, cwnd * 0.62);
    for (int i = 0; i < 200; i++)
        round_trip(&r, 100 * RIG_US, ECE);
    assert_int_equal(tcp_statistics(r.t)->ssthresh, 2000);
    assert_in_range(tcp_rig_cwnd(&r), 1000, 4000);
    assert_int_equal(tcp_statistics(r.t)->stalls, 0);
    tcp_rig_free(&r);
}

/* 3.5: a loss halves whatever alpha says, and also after a mark in the same window. */
/* checks: TCP8257-3.5-1 */
TEST(dctcp_halves_at_a_loss)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dctcp, 20, true);
    start(&r);
    for (int i = 0; i < 2; i++)
        round_trip(&r, 100 * RIG_US, 0);
    uint32_t cwnd = tcp_rig_cwnd(&r), una = (uint32_t)tcp_acked(r.t);
    r.now += 100 * RIG_US;
    tcp_rig_ack(&r, una, (uint32_t[]){una + 1000, una + 6000, 0, 0});
    assert_int_equal(tcp_statistics(r.t)->ssthresh, cwnd / 2);
    tcp_rig_free(&r);
}

/* A control that lacks a rule is refused, never taken for another. */
TEST(every_control_of_the_list_is_whole)
{
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.fixed_window = 20000;
    for (int i = 0; i < TCP_CONGESTIONS; i++) {
        assert_non_null(tcp_congestion_words[i]);
        struct tcp_congestion less = *(conf.congestion = tcp_congestions[i]);
        assert_null(tcp_conf_error(&conf));
        conf.congestion = &less;
        less.grow = NULL;
        assert_string_equal(tcp_conf_error(&conf), "no such congestion control or loss detection");
    }
    assert_null(tcp_congestion_words[TCP_CONGESTIONS]);
    assert_null(tcp_detection_words[TCP_DETECTIONS]);
}
