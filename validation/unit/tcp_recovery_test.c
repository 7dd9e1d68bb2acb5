/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is lost and how it is repaired: RACK-TLP (RFC 8985), SACK (RFC 6675), newreno (RFC 6582), PRR (RFC 6937), F-RTO
 * (RFC 5682), D-SACK (RFC 2883), going back. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/tcp_rig.h"

enum { RTT = 100 }; /* us */

static void open_with(struct tcp_rig *r, const struct tcp_detection *detection, unsigned records)
{
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.detection = detection;
    tcp_rig_open(r, &conf);
    tcp_rig_append(r, records, 1000);
    tcp_rig_drain(r);
    r->now += RTT * RIG_US;
}

static bool takes(struct tcp_rig *r, uint32_t offset)
{
    return tcp_rig_take(r) && r->len && r->seq == RIG_ISS + 1 + offset;
}

/* ---- RACK ---- */

/* RFC 8985 6.2: three records SACKed and no reordering seen: at once. */
/* checks: TCP8985-6.2-1 TCP8985-6.2-2 TCP6675-5-1 */
TEST(rack_repairs_at_the_third_sack)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 2000, 0, 0});
    assert_false(tcp_rig_take(&r));
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 3000, 0, 0});
    assert_false(tcp_rig_take(&r));
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 4000, 0, 0});
    assert_true(takes(&r, 0));
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_rig_event(&r, TCP_EV_REDUCED) && r.event.why == TCP_WHY_RACK);
    assert_true(tcp_rig_event(&r, TCP_EV_RETRANSMITTED) && r.event.why == TCP_WHY_RACK &&
                r.event.offset == 0);
    assert_int_equal(tcp_statistics(r.t)->ssthresh, 5000);
    tcp_rig_free(&r);
}

/* With fewer the reordering window passes first: a quarter of the smallest round trip. */
/* checks: TCP8985-6.2-3 TCP8985-6.3-1 */
TEST(rack_waits_a_quarter_of_the_round_trip)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 2000, 0, 0});
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_deadline(r.t) == r.now + RTT * RIG_US / 4);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 0));
    assert_int_equal(tcp_statistics(r.t)->why[TCP_WHY_RACK], 1);
    tcp_rig_free(&r);
}

/* Reordering seen: the third SACK is no proof any more. A D-SACK widens the window. */
/* checks: TCP8985-6.2-4 TCP8985-6.2-5 */
TEST(rack_learns_of_reordering)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 2000, 0, 0});
    tcp_rig_ack(&r, 2000, NULL); /* the first was late, not lost */
    tcp_rig_ack(&r, 2000, (uint32_t[]){3000, 6000, 0, 0});
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_deadline(r.t) == r.now + RTT * RIG_US / 4);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 2000));
    tcp_rig_ack(&r, 6000, (uint32_t[]){2000, 3000, 0, 0}); /* for nothing: it had arrived */
    assert_int_equal(tcp_statistics(r.t)->spurious, 1);
    assert_true(tcp_rig_event(&r, TCP_EV_SPURIOUS) && r.event.why == TCP_WHY_RACK && r.event.offset == 2000);
    assert_int_equal(tcp_statistics(r.t)->undone, 1);
    tcp_rig_ack(&r, 6000, (uint32_t[]){7000, 10000, 0, 0});
    assert_true(tcp_deadline(r.t) == r.now + 2 * (RTT * RIG_US / 4));
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 6000));
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 10000, NULL);
    tcp_rig_append(&r, 5, 1000);
    assert_true(tcp_rig_drain(&r) >= 4);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 10000, (uint32_t[]){11000, 14000, 0, 0}); /* as wide after a recovery: for 16 of them */
    assert_true(tcp_deadline(r.t) == r.now + 2 * (RTT * RIG_US / 4));
    tcp_rig_free(&r);
}

/* RFC 8985 6.2 step 4: however many come in a round trip, one D-SACK widens the reordering window, by a quarter of min_RTT. */
/* checks: TCP8985-6.2-5 */
TEST(rack_s_window_widens_once_in_a_round_trip)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    for (uint32_t i = 4; i <= 9; i++) { /* the first three are late, and leave again */
        tcp_rig_ack(&r, 0, (uint32_t[]){3000, 1000 * i, 0, 0});
        tcp_rig_drain(&r);
    }
    assert_int_equal(tcp_statistics(r.t)->retransmits, 3);
    for (uint32_t i = 0; i < 3; i++) /* for nothing */
        tcp_rig_ack(&r, 9000, (uint32_t[]){1000 * i, 1000 * (i + 1), 0, 0});
    assert_int_equal(tcp_statistics(r.t)->spurious, 3);
    tcp_rig_append(&r, 10, 1000);
    tcp_rig_drain(&r);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 10000, (uint32_t[]){11000, 12000, 0, 0});
    assert_true(tcp_deadline(r.t) == r.now + 2 * (RTT * RIG_US / 4));
    tcp_rig_free(&r);
}

/* What was sent again comes below what was heard of, and says nothing of reordering. */
TEST(a_repetition_is_no_reordering)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 4000, 0, 0});
    assert_true(takes(&r, 0));
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 10000, NULL);
    tcp_rig_append(&r, 5, 1000);
    assert_true(tcp_rig_drain(&r) >= 4);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 10000, (uint32_t[]){11000, 14000, 0, 0});
    assert_true(takes(&r, 10000)); /* at the third, again, without a wait */
    tcp_rig_free(&r);
}

/* A repetition that is lost is found by time, without a timeout; the second indication halves again (RFC 5681 4.3). */
/* checks: TCP8985-3-1 TCP5681-4.3-1 */
TEST(rack_finds_a_lost_repetition)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    tcp_rig_append(&r, 20, 1000);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 6000, 0, 0});
    assert_true(takes(&r, 0));
    unsigned more = tcp_rig_drain(&r);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 10000, 0, 0});
    more += tcp_rig_drain(&r);
    assert_true(more > 0);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 10000 + 1000 * more, 0, 0});
    assert_true(takes(&r, 0));
    const struct tcp_stats *s = tcp_statistics(r.t);
    assert_true(s->timeouts == 0 && s->reductions == 2 && s->ssthresh < 5000);
    tcp_rig_free(&r);
}

/* RFC 6937 3.1: a loss that time shows opens recovery with one record, too, however many were lost. */
/* checks: TCP6937-3-3 */
TEST(what_time_shows_lost_leaves_one_by_one)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    tcp_rig_ack(&r, 0, (uint32_t[]){9000, 10000, 0, 0});
    tcp_rig_wait(&r, IW_NEVER);
    assert_int_equal(tcp_statistics(r.t)->lost, 9);
    assert_true(takes(&r, 0));
    assert_false(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* An acknowledgement that another one overtook still says what arrived, and what arrived lets as much leave, although more
 * has left in this recovery already (the successor of RFC 6937). */
/* checks: TCP6937-3-4 */
TEST(an_overtaken_acknowledgement_counts)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 10);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 2000, 0, 0});
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 3000, 0, 0});
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 3000, 8000, 9000, 0, 0});
    assert_true(takes(&r, 0));
    assert_false(tcp_rig_take(&r));
    r.now += RTT * RIG_US + 20 * RIG_US;
    tcp_rig_ack(&r, 4000, (uint32_t[]){8000, 9000, 0, 0});
    assert_true(takes(&r, 4000) && takes(&r, 5000) && takes(&r, 6000));
    assert_false(tcp_rig_take(&r));
    tcp_rig_append(&r, 10, 1000);
    r.now += 20 * RIG_US;
    tcp_rig_ack(&r, 3000, (uint32_t[]){5000, 7000, 0, 0});
    assert_int_equal(tcp_statistics(r.t)->sacked, 3);
    assert_int_equal(tcp_statistics(r.t)->spurious,
                     0); /* no D-SACK: it is above what this one acknowledges */
    assert_true(takes(&r, 7000) && takes(&r, 10000));
    assert_false(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* ---- timestamps ---- */

static uint32_t stamp_of_last(const struct tcp_rig *r)
{
    uint32_t value;
    assert_true(r->option_len == 12 && r->option[2] == 8);
    iw_get32(r->option + 4, &value);
    return value;
}

static void open_stamped(struct tcp_rig *r, const struct tcp_detection *detection, bool stamps,
                         unsigned records)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7, 1, 1, 4, 2,
                                      1, 1, 8,         10,         0, 0, 0, 1, 0, 0, 0, 0};
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.detection = detection;
    conf.timestamps = stamps;
    tcp_rig_open_with(r, &conf, options, sizeof options, SYN | ACK);
    tcp_rig_append(r, records, 900);
}

/* As tcp_rig_ack() with one block, and the echo of a timestamp. */
static void ack_stamped(struct tcp_rig *r, uint32_t offset, uint32_t echo, uint32_t from, uint32_t to)
{
    uint8_t options[24] = {1, 1, 8, 10, 0, 0, 0, 1};
    iw_put32(iw_put32(options + 8, echo), 0x01010500 | 10);
    iw_put32(iw_put32(options + 16, RIG_ISS + 1 + from), RIG_ISS + 1 + to);
    tcp_rig_hear(r, RIG_PEER_ISS + 1, RIG_ISS + 1 + offset, ACK, 1000, 0, options, to ? 24 : 12);
}

/* RFC 7323 4.1: with timestamps a repetition gives a round trip, and ends the back-off; without, Karn forbids it. */
/* checks: TCP7323-4.1-1 TCP6298-3-1 */
TEST(a_timestamp_times_a_repetition)
{
    for (int stamps = 0; stamps < 2; stamps++) {
        struct tcp_rig r;
        (void)state;
        open_stamped(&r, &tcp_dupack, stamps, 1);
        tcp_rig_drain(&r);
        iw_time srtt = tcp_statistics(r.t)->srtt;
        assert_true(srtt == 100 * RIG_US);
        tcp_rig_wait(&r, IW_NEVER);
        assert_true(takes(&r, 0));
        uint32_t echo = stamps ? stamp_of_last(&r) : 0;
        r.now += 500 * RIG_US;
        if (stamps)
            ack_stamped(&r, 900, echo, 0, 0);
        else
            tcp_rig_ack(&r, 900, NULL);
        assert_true(tcp_statistics(r.t)->srtt == (stamps ? 150 * RIG_US : srtt));
        assert_int_equal(tcp_statistics(r.t)->rto < 2 * RIG_MS, stamps);
        tcp_rig_free(&r);
    }
}

/* RFC 8985 6.2: what echoes an older timestamp is the answer to an earlier transmission, however late it comes. Taken for the
 * repetition's, all that left before it would be lost. */
/* checks: TCP8985-6.2-6 */
TEST(an_old_echo_is_not_the_repetition)
{
    for (int old = 0; old < 2; old++) {
        struct tcp_rig r;
        (void)state;
        open_stamped(&r, &tcp_rack, true, 10);
        assert_true(takes(&r, 0));
        uint32_t first = stamp_of_last(&r);
        tcp_rig_drain(&r);
        r.now += RTT * RIG_US;
        ack_stamped(&r, 0, first, 900, 4 * 900);
        assert_true(takes(&r, 0));
        uint32_t again = stamp_of_last(&r);
        tcp_rig_drain(&r);
        r.now += 2 * RTT * RIG_US;
        ack_stamped(&r, 4 * 900, old ? first : again, 0, 0);
        tcp_rig_drain(&r);
        assert_int_equal(tcp_statistics(r.t)->retransmits > 1, !old);
        tcp_rig_free(&r);
    }
}

/* ---- TLP ---- */

/* RFC 8985 7.2, 7.3: after two round trips the last record leaves again; an acknowledgement beyond it halves. */
/* checks: TCP8985-7.2-1 TCP8985-7.3-1 TCP8985-7.3-2 TCP8985-7.4-1 TCP8985-7.4-2 */
TEST(the_tail_is_probed)
{
    for (int spurious = 0; spurious < 2; spurious++) {
        struct tcp_rig r;
        (void)state;
        open_with(&r, &tcp_rack, 4);
        assert_true(tcp_deadline(r.t) == r.now + RTT * RIG_US); /* 2 SRTT from when they left */
        tcp_rig_wait(&r, IW_NEVER);
        assert_true(takes(&r, 3000));
        assert_false(tcp_rig_take(&r));
        assert_true(tcp_rig_event(&r, TCP_EV_RETRANSMITTED) && r.event.why == TCP_WHY_TLP);
        assert_true(tcp_deadline(r.t) == r.now + RIG_MS); /* then the RTO; one probe only */
        r.now += RTT * RIG_US;
        tcp_rig_ack(&r, 4000, spurious ? (uint32_t[]){3000, 4000, 0, 0} : NULL);
        tcp_rig_append(&r, 1, 1000);
        assert_true(takes(&r, 4000));
        r.now += RTT * RIG_US;
        tcp_rig_ack(&r, 5000, NULL);
        assert_int_equal(tcp_statistics(r.t)->reductions, !spurious);
        assert_int_equal(tcp_statistics(r.t)->spurious, spurious);
        tcp_rig_free(&r);
    }
}

/* With something new to send the probe is new; a single record in flight waits for the peer's delayed acknowledgement. */
/* checks: TCP8985-7.2-2 TCP8985-7.3-3 */
TEST(a_probe_is_new_data_when_there_is_some)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.initial_window = 1;
    tcp_rig_open(&r, &conf);
    tcp_rig_append(&r, 2, 1000);
    assert_int_equal(tcp_rig_drain(&r), 1);
    assert_true(tcp_deadline(r.t) == r.now + 250 * RIG_US);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 1000)); /* beyond cwnd */
    assert_int_equal(tcp_statistics(r.t)->retransmits, 0);
    tcp_rig_free(&r);
}

/* RFC 8985 8: neither without SACK. */
/* checks: TCP8985-4-1 */
TEST(without_sack_there_is_no_rack_and_no_probe)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255};
    struct tcp_rig r;
    tcp_rig_open_with(&r, NULL, options, sizeof options, SYN | ACK);
    tcp_rig_append(&r, 1, 1000);
    tcp_rig_drain(&r);
    assert_true(tcp_deadline(r.t) == r.now + RIG_MS);
    tcp_rig_free(&r);
}

/* ---- counting ---- */

/* RFC 6675: three records behind it; each hole once. */
/* checks: TCP6675-4-1 TCP6675-5-2 TCP6675-5-3 */
TEST(holes_are_repaired_once_with_sack)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dupack, 10);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 2000, 3000, 4000, 0, 0});
    assert_false(tcp_rig_take(&r));
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 2000, 3000, 5000, 0, 0});
    assert_true(takes(&r, 0));
    assert_int_equal(tcp_statistics(r.t)->lost, 0); /* 2000: two records behind it */
    tcp_rig_ack(&r, 0, (uint32_t[]){3000, 7000, 1000, 2000, 0, 0});
    assert_int_equal(tcp_statistics(r.t)->lost + tcp_statistics(r.t)->why[TCP_WHY_DUPACK], 2);
    tcp_rig_ack(&r, 0, (uint32_t[]){3000, 10000, 1000, 2000, 0, 0});
    assert_true(takes(&r, 2000));
    tcp_rig_drain(&r);
    tcp_rig_ack(&r, 10000, NULL);
    assert_int_equal(tcp_statistics(r.t)->retransmits, 2);
    assert_int_equal(tcp_rig_cwnd(&r), 5000);
    tcp_rig_free(&r);
}

/* checks: TCP6675-5-2 */
TEST(what_is_lost_leaves_before_what_is_new)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dupack, 10);
    tcp_rig_append(&r, 5, 1000);
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 4000, 0, 0});
    assert_true(takes(&r, 0));
    tcp_rig_free(&r);
}

/* RFC 6582 3.2: three duplicates, a partial acknowledgement repeats the next, the end deflates. */
/* checks: TCP6582-3.2-1 TCP6582-3.2-2 TCP6582-3.2-3 TCP5681-3.2-1 TCP5681-3.2-2 */
TEST(newreno_repairs_a_hole_in_each_round_trip)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7};
    struct tcp_rig r;
    tcp_rig_open_with(&r, NULL, options, sizeof options, SYN | ACK);
    tcp_rig_append(&r, 10, 1000);
    tcp_rig_drain(&r);
    r.now += RTT * RIG_US;
    for (int i = 0; i < 2; i++) {
        tcp_rig_ack(&r, 0, NULL);
        assert_false(takes(&r, 0));
    }
    tcp_rig_ack(&r, 0, NULL);
    assert_true(takes(&r, 0));
    assert_int_equal(tcp_statistics(r.t)->ssthresh, 5000);
    for (int i = 0; i < 5; i++)
        tcp_rig_ack(&r, 0, NULL);
    assert_false(tcp_rig_take(&r));
    tcp_rig_ack(&r, 4000, NULL); /* partial */
    assert_true(takes(&r, 4000));
    assert_false(tcp_rig_take(&r));
    tcp_rig_ack(&r, 10000, NULL);
    const struct tcp_stats *s = tcp_statistics(r.t);
    assert_true(s->cwnd == 5000 && s->retransmits == 2 && s->reductions == 1);
    tcp_rig_free(&r);
}

/* RFC 3042: the first two duplicates let new records out. */
/* checks: TCP3042-2-1 */
TEST(limited_transmit_keeps_the_clock)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7};
    struct tcp_rig r;
    tcp_rig_open_with(&r, NULL, options, sizeof options, SYN | ACK);
    tcp_rig_append(&r, 20, 1000);
    assert_int_equal(tcp_rig_drain(&r), 10);
    tcp_rig_ack(&r, 0, NULL);
    assert_true(takes(&r, 10000));
    assert_false(tcp_rig_take(&r));
    tcp_rig_ack(&r, 0, NULL);
    assert_true(takes(&r, 11000));
    assert_false(tcp_rig_take(&r));
    assert_int_equal(tcp_statistics(r.t)->retransmits, 0);
    tcp_rig_free(&r);
}

/* ---- PRR ---- */

/* RFC 6937 3.1: what leaves in recovery is what arrived times ssthresh over the flight; in the end cwnd is ssthresh. The
 * numbers are those of the RFC's first example: 20 in flight, one lost. */
/* checks: TCP6937-3-1 TCP6937-3-2 */
TEST(prr_sends_one_for_two)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    unsigned sent = 0;
    tcp_rig_defaults(&conf);
    conf.initial_window = 20;
    conf.detection = &tcp_dupack;
    tcp_rig_open(&r, &conf);
    tcp_rig_append(&r, 40, 1000);
    assert_int_equal(tcp_rig_drain(&r), 20);
    r.now += RTT * RIG_US;
    for (uint32_t i = 2; i <= 20; i++) {
        tcp_rig_ack(&r, 0, (uint32_t[]){1000, 1000 * i, 0, 0});
        sent += tcp_rig_drain(&r);
        if (i == 3)
            assert_int_equal(sent, 2); /* limited transmit */
        if (i == 4)
            assert_int_equal(sent, 3); /* the repetition */
        if (i > 4 &&
            i < 17) { /* the pipe is above ssthresh: what left is to the i - 3 that arrived as 10 to the flight of 22 */
            double due = (i - 3) * 10.0 / 22;
            assert_true(sent - 2 >= due - 1 && sent - 2 <= due + 1);
        }
    }
    assert_in_range(sent, 10, 12);
    tcp_rig_ack(&r, 20000, NULL);
    assert_int_equal(tcp_rig_cwnd(&r), 10000);
    tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL); /* the end of it */
    assert_int_equal(tcp_rig_cwnd(&r), 10000);
    tcp_rig_free(&r);
}

/* ---- undoing ---- */

/* RFC 5682 3: the timer was too early; the second acknowledgement after it is for what was never repeated. */
/* checks: TCP5682-3-1 TCP5682-3-2 TCP5682-3-3 */
TEST(a_spurious_timeout_is_seen_and_undone)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dupack, 10);
    uint32_t cwnd = tcp_rig_cwnd(&r), ssthresh = tcp_statistics(r.t)->ssthresh;
    tcp_rig_append(&r, 10, 1000);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 0));
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_statistics(r.t)->ssthresh < ssthresh);
    tcp_rig_ack(&r, 1000, NULL);
    assert_true(takes(&r, 10000)); /* two new ones instead of repetitions */
    assert_true(takes(&r, 11000));
    assert_false(tcp_rig_take(&r));
    tcp_rig_ack(&r, 2000, NULL);
    const struct tcp_stats *s = tcp_statistics(r.t);
    assert_true(s->timeouts == 0 && s->timeouts_spurious == 1 && s->undone == 1);
    assert_true(s->cwnd >= cwnd && s->lost == 0 && s->retransmits == 1);
    assert_int_equal(s->ssthresh, ssthresh);
    assert_true(tcp_rig_event(&r, TCP_EV_TIMEOUT_SPURIOUS));
    tcp_rig_free(&r);
}

/* A duplicate instead: the loss was one. */
/* checks: TCP5682-3-4 */
TEST(a_true_timeout_is_repaired)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dupack, 10);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 0));
    tcp_rig_ack(&r, 1000, NULL); /* nothing new to send: as ever */
    assert_true(takes(&r, 1000));
    assert_true(takes(&r, 2000));
    assert_false(tcp_rig_take(&r));
    assert_int_equal(tcp_statistics(r.t)->timeouts, 1);
    tcp_rig_free(&r);
}

/* ---- going back ---- */

static void go_back_opened(struct tcp_rig *r, uint32_t len)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7};
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.go_back_n = true;
    conf.congestion = &tcp_fixed;
    conf.fixed_window = 60000;
    tcp_rig_open_with(r, &conf, options, sizeof options, SYN | ACK);
    tcp_rig_append(r, 10, len);
    assert_int_equal(tcp_rig_drain(r), 10);
    r->now += 100 * RIG_US;
}

/* Rule (a): three duplicates of a new SND.UNA. Rule (b): at the old one those that are still to come are not counted. The
 * count is of records, short ones too. */
TEST(all_in_flight_leaves_again_once_for_each_loss)
{
    struct tcp_rig r;
    go_back_opened(&r, 77);
    for (int i = 0; i < 3; i++) {
        assert_false(tcp_rig_take(&r));
        tcp_rig_ack(&r, 0, NULL);
    }
    for (uint32_t i = 0; i < 10; i++)
        assert_true(takes(&r, 77 * i));
    assert_false(tcp_rig_take(&r));
    for (int i = 3; i < 9; i++) /* nine were out beyond the hole: six more duplicates are old */
        tcp_rig_ack(&r, 0, NULL);
    tcp_rig_ack(&r, 0, NULL);
    tcp_rig_ack(&r, 0, NULL);
    tcp_rig_ack(&r, 0, NULL); /* twelve; but none is as young as a round trip after the repetition */
    assert_false(tcp_rig_take(&r));
    r.now += 100 * RIG_US;
    tcp_rig_ack(&r, 0, NULL); /* this one is: the repetition of the first was lost */
    assert_true(takes(&r, 0));
    tcp_rig_drain(&r);
    r.now += 100 * RIG_US;
    tcp_rig_ack(&r, 77, NULL);
    for (int i = 0; i < 3; i++) {
        assert_false(tcp_rig_take(&r));
        tcp_rig_ack(&r, 77, NULL);
    }
    assert_true(takes(&r, 77)); /* and the second is missing now */
    assert_int_equal(tcp_statistics(r.t)->gone_back, 3);
    assert_int_equal(tcp_statistics(r.t)->timeouts, 0);
    tcp_rig_free(&r);
}

/* A SYN that left twice is no sample (Karn), and the timer is shorter than the round trip. What it repeats comes back as
 * duplicates of what is out by then: they prove no loss, and nothing that goes back for them feeds on itself. */
TEST(what_a_hasty_timer_repeated_is_no_loss)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.go_back_n = true;
    conf.congestion = &tcp_fixed;
    conf.fixed_window = 60000;
    conf.min_rto = conf.initial_rto = 120 * RIG_US;
    tcp_rig_new(&r, &conf);
    tcp_connect(r.t, r.now);
    tcp_rig_take(&r);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(tcp_rig_take(&r) && r.flags == SYN);
    tcp_rig_hear(&r, RIG_PEER_ISS, RIG_ISS + 1, SYN | ACK, 60000, 0, options, sizeof options);
    tcp_rig_append(&r, 4, 1000);
    assert_int_equal(tcp_rig_drain(&r), 4);
    tcp_rig_wait(&r, IW_NEVER);
    assert_int_equal(tcp_statistics(r.t)->timeouts, 2); /* the SYN's is one */
    tcp_rig_drain(&r);
    r.now += 40 * RIG_US; /* 160 us: the answers to what left first */
    for (uint32_t i = 1; i <= 4; i++) {
        tcp_rig_ack(&r, 1000 * i, NULL);
        tcp_rig_drain(&r);
    }
    tcp_rig_append(&r, 4, 1000);
    assert_int_equal(tcp_rig_drain(&r), 4);
    r.now += 120 * RIG_US;
    for (int i = 0; i < 4; i++)
        tcp_rig_ack(&r, 4000, NULL); /* to what left again */
    assert_int_equal(tcp_statistics(r.t)->gone_back, 0);
    assert_false(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* ---- a hostile or forgetful peer ---- */

/* RFC 2018 section 8: after a timeout what was SACKed is sent again if it waits still. */
/* checks: TCP2018-8-1 */
TEST(a_peer_that_reneges_gets_it_again)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dupack, 3);
    tcp_rig_ack(&r, 0, (uint32_t[]){0, 2000, 0, 0}); /* SACKs what it does not acknowledge */
    assert_true(tcp_deadline(r.t) != IW_NEVER);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 0));
    assert_int_equal(tcp_statistics(r.t)->reneged, 1);
    tcp_rig_free(&r);
}

TEST(blocks_that_make_no_sense_are_ignored)
{
    struct tcp_rig r;
    open_with(&r, &tcp_rack, 5);
    tcp_rig_ack(&r, 1000, (uint32_t[]){3000, 2000, 2000, 900000, 2500, 2900, 0, 0});
    assert_int_equal(tcp_statistics(r.t)->sacked, 0);
    assert_int_equal(tcp_statistics(r.t)->flight, 4000);
    tcp_rig_free(&r);
}

/* ---- what an end may do without ---- */

/* RFC 6298 2.3: G is the least that 4 RTTVAR count for. RFC 8985 7.2: a lone record waits for the peer's delay. */
/* checks: TCP6298-2.3-1 TCP8985-7.2-2 */
TEST(the_timers_have_floors_of_their_own)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.min_rto = 10 * RIG_US;
    conf.granularity = 5 * RIG_MS;
    conf.max_ack_delay = 2 * RIG_MS;
    tcp_rig_open(&r, &conf);
    assert_true(tcp_statistics(r.t)->rto == 5 * RIG_MS + 100 * RIG_US);
    tcp_rig_append(&r, 1, 1000);
    tcp_rig_drain(&r);
    assert_true(tcp_deadline(r.t) == r.now + 2 * RIG_MS + 200 * RIG_US);
    tcp_rig_free(&r);
}

static void open_without(struct tcp_rig *r, uint8_t without, unsigned records)
{
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.without = without;
    tcp_rig_open(r, &conf);
    tcp_rig_append(r, records, 1000);
    tcp_rig_drain(r);
}

TEST(an_end_may_do_without)
{
    struct tcp_rig r;
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.without = TCP_WITHOUT_SACK | TCP_WITHOUT_SCALE;
    tcp_rig_new(&r, &conf);
    assert_int_equal(tcp_connect(r.t, r.now), IW_OK);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.option_len, 4); /* MSS */
    tcp_rig_free(&r);
    open_without(&r, TCP_WITHOUT_TLP, 4);
    assert_true(tcp_deadline(r.t) == r.now + RIG_MS); /* the RTO */
    tcp_rig_free(&r);
    for (int whole = 0; whole < 2; whole++) { /* two records in flight of a cwnd of ten */
        open_without(&r, whole ? TCP_WITHOUT_USAGE | TCP_WITHOUT_TLP : TCP_WITHOUT_TLP, 2);
        tcp_rig_wait(&r, IW_NEVER);
        assert_int_equal(tcp_statistics(r.t)->ssthresh, whole ? 5000 : 2000);
        tcp_rig_free(&r);
    }
}

/* RFC 5682: with new data to send a timeout is doubted, and what follows the first repetition is new. */
TEST(a_timeout_may_be_believed)
{
    for (int believed = 0; believed < 2; believed++) {
        struct tcp_rig r;
        (void)state;
        open_without(&r, believed ? TCP_WITHOUT_FRTO | TCP_WITHOUT_TLP : TCP_WITHOUT_TLP, 10);
        tcp_rig_append(&r, 10, 1000);
        tcp_rig_wait(&r, IW_NEVER);
        assert_true(takes(&r, 0));
        r.now += RTT * RIG_US;
        tcp_rig_ack(&r, 1000, NULL);
        assert_true(takes(&r, believed ? 1000 : 10000));
        tcp_rig_free(&r);
    }
}

/* The acknowledgement that ends the repair of a timeout makes cwnd grow, too (RFC 5681 3.1). */
/* checks: TCP5681-3.1-6 */
TEST(slow_start_begins_with_the_repetition)
{
    struct tcp_rig r;
    open_with(&r, &tcp_dupack, 1);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(takes(&r, 0));
    assert_int_equal(tcp_rig_cwnd(&r), 1000);
    tcp_rig_ack(&r, 1000, NULL);
    assert_int_equal(tcp_rig_cwnd(&r), 2000);
    tcp_rig_free(&r);
}

/* RFC 3465 2.3, RFC 9406 4.2: eight segments for one acknowledgement, unless the owner says otherwise. */
/* checks: TCP3465-2.2-1 */
TEST(one_acknowledgement_opens_so_much)
{
    for (uint8_t limit = 0; limit < 12; limit++) {
        struct tcp_conf conf;
        struct tcp_rig r;
        (void)state;
        tcp_rig_defaults(&conf);
        conf.slow_start_limit = limit;
        tcp_rig_open(&r, &conf);
        tcp_rig_append(&r, 10, 1000);
        tcp_rig_drain(&r);
        tcp_rig_ack(&r, 10000, NULL);
        assert_int_equal(tcp_rig_cwnd(&r), 10000 + 1000 * (!limit ? 8 : limit > 10 ? 10 : limit));
        tcp_rig_free(&r);
    }
}
