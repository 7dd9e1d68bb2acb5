/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What arrives: order, ranges, SACK and D-SACK, when to acknowledge, the window, timestamps. RFC 9293 3.8.6, 3.10.7.4;
 * RFC 2018, 2883, 5681 4.2, 7323. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/tcp_rig.h"

static void blocks_are(const struct tcp_rig *r, unsigned n, const uint32_t *offsets)
{
    uint32_t from[4], to[4];
    assert_int_equal(tcp_rig_sacks(r, from, to), n);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(from[i], offsets[2 * i]);
        assert_int_equal(to[i], offsets[2 * i + 1]);
    }
}

/* ---- octets ---- */

/* checks: TCP-3.10.7.4-1 TCP-3.10.7.4-2 */
TEST(what_arrives_is_handed_up_at_its_offset)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_data(&r, 1000, 500);
    assert_int_equal(r.peeked, TCP_TAKEN);
    assert_int_equal(r.verdict, TCP_TAKEN);
    assert_true(r.in.offset == 1000 && r.in.len == 500 && !r.in.in_order);
    assert_true(tcp_received(r.t) == 0 && tcp_has(r.t, 1000, 500) && !tcp_has(r.t, 999, 2));
    tcp_rig_data(&r, 0, 1000);
    assert_true(r.in.in_order && tcp_received(r.t) == 1500);
    tcp_rig_data(&r, 1100, 300);
    assert_int_equal(r.peeked, TCP_DUPLICATE);
    assert_int_equal(r.verdict, TCP_DUPLICATE);
    tcp_rig_data(&r, 1400, 200); /* half old */
    assert_int_equal(r.verdict, TCP_TAKEN);
    assert_true(r.in.offset == 1400 && r.in.len == 200 && tcp_received(r.t) == 1600);
    const struct tcp_stats *s = tcp_statistics(r.t);
    assert_true(s->segments_rx == 3 && s->ahead == 1 && s->duplicates == 1);
    tcp_rig_free(&r);
}

/* RFC 9293 3.4: outside the window nothing is taken, and an acknowledgement says what is expected; what lies across its
 * edge is cut. */
/* checks: TCP-3.4-1 TCP-3.10.7.4-3 */
TEST(the_window_is_the_limit)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    assert_true(tcp_told(r.t) == 99968); /* 781 units of 128 */
    tcp_rig_data(&r, 99968, 100);
    assert_int_equal(r.verdict, TCP_REFUSED);
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 1);
    tcp_rig_data(&r, 99900, 500);
    assert_int_equal(r.verdict, TCP_TAKEN);
    assert_true(r.in.len == 68);
    tcp_rig_free(&r);
}

/* A packet that was only peeked at never arrived. */
TEST(peeking_takes_nothing)
{
    uint8_t octets[40] = {0};
    struct tcp_segment s;
    struct tcp_rig r;
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.note_max = 8;
    tcp_rig_open(&r, &conf);
    uint8_t *p = iw_put32(iw_put16(iw_put16(octets, 5000), 4000), RIG_PEER_ISS + 1 + 700);
    p = iw_put16(iw_put16(iw_put32(p, RIG_ISS + 1), 0x5010), 1000);
    memcpy(octets + 20,
           "\0\5"
           "note",
           6);
    struct ip_packet in = {.size = 40 + 300, .protocol = IP_PROTOCOL_TCP, .head = 26, .octets = octets};
    for (int i = 0; i < 2; i++)
        assert_int_equal(tcp_peek(r.t, &in, &s), TCP_TAKEN);
    assert_true(s.offset == 700 && s.len == 300 && s.before == 5 && s.note_len == 4 && !s.octets);
    assert_memory_equal(s.note, "note", 4);
    assert_false(tcp_wants_control(r.t) || tcp_wants_data(r.t, r.now));
    assert_int_equal(tcp_accept(r.t, r.now, &in, &s), TCP_TAKEN);
    assert_int_equal(tcp_peek(r.t, &in, &s), TCP_DUPLICATE);
    tcp_rig_free(&r);
}

/* ---- SACK ---- */

/* RFC 2018 section 4: the block of the segment that arrived last comes first, then those before. */
/* checks: TCP2018-4-1 TCP2018-4-2 TCP2018-4-3 */
TEST(sack_tells_the_newest_first)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_data(&r, 1000, 100);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 1, (uint32_t[]){1000, 1100});
    tcp_rig_data(&r, 3000, 100);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 2, (uint32_t[]){3000, 3100, 1000, 1100});
    tcp_rig_data(&r, 2000, 100);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 3, (uint32_t[]){2000, 2100, 3000, 3100, 1000, 1100});
    tcp_rig_data(&r, 1100, 100); /* joins */
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 3, (uint32_t[]){1000, 1200, 2000, 2100, 3000, 3100});
    tcp_rig_data(&r, 4000, 100);
    tcp_rig_take(&r);
    tcp_rig_data(&r, 5000, 100);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 4, (uint32_t[]){5000, 5100, 4000, 4100, 1000, 1200, 2000, 2100});
    tcp_rig_data(&r, 1200, 800); /* closes a gap */
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 4, (uint32_t[]){1000, 2100, 5000, 5100, 4000, 4100, 3000, 3100});
    tcp_rig_data(&r, 0, 1000);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.ack, RIG_PEER_ISS + 1 + 2100);
    blocks_are(&r, 3, (uint32_t[]){5000, 5100, 4000, 4100, 3000, 3100});
    assert_int_equal(tcp_statistics(r.t)->ranges_peak, 5);
    tcp_rig_free(&r);
}

/* One that ends inside a block held joins all of that. */
TEST(a_segment_joins_the_blocks_that_it_meets)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_data(&r, 1000, 100);
    tcp_rig_data(&r, 2000, 100);
    tcp_rig_data(&r, 3000, 2000);
    tcp_rig_drain(&r);
    tcp_rig_data(&r, 1050, 2950);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 2, (uint32_t[]){1050, 1100, 1000, 5000}); /* what came twice is told before it */
    assert_true(tcp_has(r.t, 1000, 4000) && !tcp_has(r.t, 5000, 1));
    tcp_rig_free(&r);
}

/* RFC 2883 4.1 and 4.2: below the acknowledgement; inside a block, which then comes second. */
/* checks: TCP2883-4-1 TCP2883-4-2 TCP2883-4-3 */
TEST(duplicates_are_told_once)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_data(&r, 0, 1000);
    tcp_rig_take(&r);
    tcp_rig_data(&r, 200, 300);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 1, (uint32_t[]){200, 500});
    assert_false(tcp_rig_take(&r));
    tcp_rig_data(&r, 2000, 1000);
    tcp_rig_take(&r);
    tcp_rig_data(&r, 4000, 1000);
    tcp_rig_take(&r);
    tcp_rig_data(&r, 2500, 500);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 3, (uint32_t[]){2500, 3000, 2000, 3000, 4000, 5000});
    tcp_rig_data(&r, 2000, 100); /* two duplicates before the port pulls: two acknowledgements */
    tcp_rig_data(&r, 4000, 100);
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 3, (uint32_t[]){2000, 2100, 4000, 5000, 2000, 3000});
    assert_true(tcp_rig_take(&r));
    blocks_are(&r, 3, (uint32_t[]){4000, 4100, 4000, 5000, 2000, 3000});
    assert_false(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* A segment of which a part is new: the first run that was here, wherever it is; what only touches is none. */
/* checks: TCP2883-4-1 TCP2883-4-3 */
TEST(duplicate_parts_are_told)
{
    static const struct {
        uint32_t from, len, dsack[2], sacks;
    } steps[] = {{1000, 1000, {0, 0}, 1},      {3000, 1000, {0, 0}, 2},    {2500, 500, {0, 0}, 2},
                 {1500, 700, {1500, 2000}, 3}, {0, 1100, {1000, 1100}, 2}, {2100, 3000, {2100, 2200}, 1}};
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint32_t from[4], to[4];
        tcp_rig_data(&r, steps[i].from, steps[i].len);
        assert_true(tcp_rig_take(&r));
        assert_int_equal(tcp_rig_sacks(&r, from, to), steps[i].sacks);
        if (steps[i].dsack[1])
            assert_true(from[0] == steps[i].dsack[0] && to[0] == steps[i].dsack[1]);
    }
    assert_int_equal(tcp_received(r.t), 5100);
    tcp_rig_free(&r);
}

/* A segment for which there is no entry is as if it had been lost. */
TEST(a_full_table_of_ranges_refuses)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    void *old, *memory;
    tcp_rig_defaults(&conf);
    conf.ranges = 2;
    tcp_rig_open(&r, &conf);
    tcp_rig_data(&r, 1000, 100);
    tcp_rig_data(&r, 2000, 100);
    tcp_rig_data(&r, 3000, 100);
    assert_int_equal(r.peeked, TCP_REFUSED);
    assert_int_equal(r.verdict, TCP_REFUSED);
    assert_false(tcp_has(r.t, 3000, 100));
    tcp_rig_data(&r, 2100, 100); /* joins: needs none */
    assert_int_equal(r.verdict, TCP_TAKEN);
    memory = malloc(tcp_table_octets(r.t, TCP_RANGES, 4));
    assert_int_equal(tcp_table_move(r.t, TCP_RANGES, memory, 3, &old), IW_EINVAL);
    assert_int_equal(tcp_table_move(r.t, TCP_RANGES, memory, 1, &old), IW_EFULL);
    assert_int_equal(tcp_table_move(r.t, TCP_RANGES, memory, 4, &old), IW_OK);
    assert_null(old);
    tcp_rig_data(&r, 3000, 100);
    assert_int_equal(r.verdict, TCP_TAKEN);
    assert_true(tcp_has(r.t, 2000, 200) && tcp_has(r.t, 1000, 100));
    assert_int_equal(tcp_table_used(r.t, TCP_RANGES), 3);
    tcp_rig_free(&r);
    free(memory);
}

/* go_back_n: what is out of order is refused, each with a duplicate of its own, without SACK, the window as it was. */
TEST(going_back_takes_nothing_out_of_order)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7, 1, 1, 4, 2};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.go_back_n = true;
    tcp_rig_open_with(&r, &conf, options, sizeof options, SYN | ACK);
    tcp_rig_data(&r, 0, 1000);
    assert_true(tcp_rig_take(&r));
    uint32_t window = r.window;
    for (uint32_t i = 2; i < 5; i++) {
        tcp_rig_data(&r, 1000 * i, 1000);
        assert_int_equal(r.verdict, TCP_REFUSED);
        tcp_credit(r.t, r.now, 110000 + 1000 * i, false);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(tcp_rig_take(&r));
        assert_int_equal(r.ack, RIG_PEER_ISS + 1 + 1000);
        assert_int_equal(r.window, window);
        assert_int_equal(r.option_len, 0);
    }
    assert_false(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* ---- when to acknowledge ---- */

/* RFC 9293 3.8.6.3, RFC 5681 4.2. */
/* checks: TCP-3.8.6.3-1 TCP-3.8.6.3-2 TCP5681-4.2-1 TCP5681-4.2-2 TCP5681-4.2-3 */
TEST(acknowledgements_wait_for_a_second_segment_or_the_timer)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.delayed_ack = 2;
    tcp_rig_open(&r, &conf);
    tcp_rig_data(&r, 0, 100);
    assert_false(tcp_ack_due(r.t));
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_deadline(r.t) == r.now + 50 * RIG_US);
    tcp_rig_data(&r, 100, 100);
    assert_true(tcp_ack_due(r.t));
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 1 + 200);
    assert_true(tcp_deadline(r.t) == IW_NEVER);
    tcp_rig_data(&r, 200, 100);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 1 + 300);
    tcp_rig_data(&r, 400, 100); /* out of order: at once */
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 1 + 300);
    tcp_rig_data(&r, 300, 100); /* fills the hole: at once */
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 1 + 500);
    tcp_rig_data(&r, 300, 100); /* again: at once */
    assert_true(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* With data to send it rides; what has SACK or is a duplicate goes first and alone. */
TEST(acknowledgements_ride_on_data_unless_they_say_more)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_data(&r, 0, 100);
    tcp_rig_append(&r, 1, 500);
    assert_true(tcp_rig_take(&r) && r.len == 500 && r.ack == RIG_PEER_ISS + 1 + 100);
    assert_false(tcp_rig_take(&r));
    tcp_rig_data(&r, 200, 100);
    tcp_rig_append(&r, 1, 500);
    assert_true(tcp_rig_take(&r) && r.len == 0 && r.option_len == 12);
    assert_true(tcp_rig_take(&r) && r.len == 500 && r.option_len == 0);
    tcp_rig_free(&r);
}

/* ---- the window ---- */

/* RFC 9293 3.8.6: the right edge never moves left; RFC 7323 2.3: rounded up to the unit where it was told. */
/* checks: TCP-3.8.6-1 TCP7323-2.4-1 */
TEST(the_right_edge_moves_right_only)
{
    struct tcp_rig r;
    uint32_t edge;
    tcp_rig_open(&r, NULL);
    edge = r.ack + (r.window << 7);
    assert_int_equal(edge, RIG_PEER_ISS + 1 + 99968);
    tcp_credit(r.t, r.now, 50000, true);
    assert_false(tcp_ack_due(r.t));
    for (uint32_t i = 0; i < 40; i++) {
        tcp_rig_data(&r, i * 333, 333); /* the window is not given back: it shrinks, its edge stays */
        assert_true(tcp_rig_take(&r));
        assert_true(r.ack + (r.window << 7) >= edge && r.ack + (r.window << 7) < edge + 128);
        edge = r.ack + (r.window << 7);
        assert_true(tcp_told(r.t) == edge - RIG_PEER_ISS - 1);
    }
    tcp_credit(r.t, r.now, 200000, true);
    assert_true(tcp_rig_take(&r) && r.len == 0);
    assert_in_range(r.ack + (r.window << 7), RIG_PEER_ISS + 1 + 200000 - 127, RIG_PEER_ISS + 1 + 200127);
    tcp_rig_free(&r);
}

/* checks: TCP-3.8.6.1-2 */
TEST(a_window_probe_is_answered)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_data(&r, 0, 100);
    tcp_rig_take(&r);
    tcp_rig_hear(&r, RIG_PEER_ISS + 100, RIG_ISS + 1, ACK, 1000, 0, NULL, 0);
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 101 && r.len == 0);
    tcp_rig_free(&r);
}

/* ---- timestamps ---- */

/* RFC 7323 3.2, 4.3, 5.3. */
/* checks: TCP7323-3.2-1 TCP7323-3.2-2 TCP7323-4.3-1 TCP7323-5.3-1 */
TEST(timestamps_are_echoed_and_old_ones_dropped)
{
    uint8_t syn[] = {2, 4, 1000 >> 8, 1000 & 255, 4, 2, 8, 10, 0, 0, 0, 100, 0, 0, 0, 0};
    uint8_t stamp[] = {1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0};
    struct tcp_conf conf;
    struct tcp_rig r;
    uint32_t val, ecr;
    tcp_rig_defaults(&conf);
    conf.timestamps = true;
    tcp_rig_open_with(&r, &conf, syn, sizeof syn, SYN | ACK);
    assert_int_equal(tcp_mss(r.t), 1000 - 12);
    assert_int_equal(r.option_len, 12);
    iw_get32(iw_get32(r.option + 4, &val), &ecr);
    assert_int_equal(ecr, 100);
    assert_int_equal(val, RIG_ISS + (uint32_t)(r.now / RIG_US));
    tcp_rig_data(&r, 0, 10); /* without one: dropped (3.2) */
    assert_int_equal(r.verdict, TCP_BAD);
    stamp[7] = 120;
    tcp_rig_hear(&r, RIG_PEER_ISS + 1 + 50, RIG_ISS + 1, ACK, 1000, 50, stamp, 12);
    assert_true(tcp_rig_take(&r));
    iw_get32(r.option + 8, &ecr);
    assert_int_equal(ecr, 100); /* not at the left edge: the earlier one is echoed */
    stamp[7] = 110;
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, ACK, 1000, 50, stamp, 12);
    assert_int_equal(r.verdict, TCP_TAKEN);
    assert_true(tcp_rig_take(&r));
    iw_get32(r.option + 8, &ecr);
    assert_int_equal(ecr, 110);
    stamp[7] = 108; /* older by more than the tick of conf.late_ticks */
    tcp_rig_hear(&r, RIG_PEER_ISS + 1 + 100, RIG_ISS + 1, ACK, 1000, 50, stamp, 12);
    assert_int_equal(r.peeked, TCP_REFUSED);
    assert_int_equal(r.verdict, TCP_REFUSED);
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 101);
    stamp[7] = 121;
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, ACK, 1000, 50, stamp, 12);
    assert_int_equal(r.verdict, TCP_DUPLICATE);
    assert_true(tcp_rig_take(&r));
    iw_get32(r.option + 8, &ecr);
    assert_int_equal(ecr, 110); /* rejected by R2 before R3 could note its timestamp */
    tcp_rig_free(&r);
}

/* ---- congestion marks ---- */

/* RFC 3168 6.1.3: ECE until CWR. */
/* checks: TCP3168-6.1.3-1 TCP3168-6.1.3-2 */
TEST(a_mark_is_echoed_until_the_sender_has_heard)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 1, 4, 2};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.ecn = true;
    tcp_rig_open_with(&r, &conf, options, sizeof options, SYN | ACK | ECE);
    tcp_rig_data(&r, 0, 100);
    assert_true(tcp_rig_take(&r) && r.flags == ACK);
    r.ecn = IP_CE;
    tcp_rig_data(&r, 100, 100);
    r.ecn = IP_ECT_0;
    assert_true(tcp_rig_take(&r) && r.flags == (ACK | ECE));
    tcp_rig_data(&r, 200, 100);
    assert_true(tcp_rig_take(&r) && r.flags == (ACK | ECE));
    tcp_rig_hear(&r, RIG_PEER_ISS + 1 + 300, RIG_ISS + 1, ACK | CWR, 1000, 100, NULL, 0);
    assert_true(tcp_rig_take(&r) && r.flags == ACK);
    tcp_rig_free(&r);
}

/* RFC 8257 3.2: when CE changes, what came before it is acknowledged at once, with the old echo. */
/* checks: TCP8257-3.2-1 TCP8257-3.2-2 */
TEST(dctcp_tells_exactly_what_was_marked)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 1, 4, 2};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.ecn = true;
    conf.congestion = &tcp_dctcp;
    conf.delayed_ack = 4;
    tcp_rig_open_with(&r, &conf, options, sizeof options, SYN | ACK | ECE);
    r.ecn = IP_ECT_0;
    tcp_rig_data(&r, 0, 100);
    tcp_rig_data(&r, 100, 100);
    assert_false(tcp_rig_take(&r));
    r.ecn = IP_CE;
    tcp_rig_data(&r, 200, 100);
    assert_true(tcp_rig_take(&r) && r.flags == ACK && r.ack == RIG_PEER_ISS + 1 + 200);
    assert_true(tcp_rig_take(&r) && r.flags == (ACK | ECE) && r.ack == RIG_PEER_ISS + 1 + 300);
    tcp_rig_data(&r, 300, 100);
    assert_false(tcp_rig_take(&r));
    r.ecn = IP_ECT_0;
    tcp_rig_data(&r, 400, 100);
    assert_true(tcp_rig_take(&r) && r.flags == (ACK | ECE) && r.ack == RIG_PEER_ISS + 1 + 400);
    assert_true(tcp_rig_take(&r) && r.flags == ACK && r.ack == RIG_PEER_ISS + 1 + 500);
    tcp_rig_free(&r);
}
