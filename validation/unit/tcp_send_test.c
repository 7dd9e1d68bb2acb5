/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What leaves: records whole, windows, probes, the retransmission timer. RFC 9293 3.8; RFC 1122 4.2.3.4; RFC 6298. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/tcp_rig.h"

/* ---- records ---- */

/* A record is an FPDU. */
/* checks: MPA-5.1-1 */
TEST(a_record_is_one_segment_each_time)
{
    static const uint32_t lens[] = {10, 1000, 1, 999};
    struct tcp_rig r;
    uint32_t offset = 0;
    uint8_t octets[1000];
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.congestion = &tcp_fixed;
    conf.fixed_window = 100000;
    conf.detection = &tcp_dupack;
    tcp_rig_open(&r, &conf);
    for (int i = 0; i < 4; i++) {
        struct iw_frag frag[2] = {{octets, lens[i] / 2}, {octets + 500, lens[i] - lens[i] / 2}};
        memset(octets, i + 1, 500);
        memset(octets + 500, i + 101, 500);
        assert_int_equal(tcp_append(r.t, r.now, frag, 2), IW_OK);
    }
    for (int again = 0; again < 2; again++, offset = 0) {
        for (int i = 0; i < 4; offset += lens[i++]) {
            assert_true(tcp_rig_take(&r));
            assert_int_equal(r.len, lens[i]);
            assert_int_equal(r.seq, RIG_ISS + 1 + offset);
            assert_int_equal(r.payload[0], lens[i] > 1 ? i + 1 : i + 101);
            assert_int_equal(r.payload[lens[i] - 1], i + 101);
            assert_int_equal(r.flags & PSH, i == 3 ? PSH : 0);
            if (again &&
                i == 0) { /* a timeout: the first; its acknowledgement in part lets the others follow */
                tcp_rig_ack(&r, 10, NULL);
                r.now += 100 * RIG_US;
            }
        }
        assert_false(tcp_rig_take(&r));
        assert_true(tcp_sent(r.t) == 2010 && tcp_acked(r.t) == (again ? 10 : 0));
        if (!again)
            tcp_rig_wait(&r, IW_NEVER); /* the RTO */
    }
    tcp_rig_free(&r);
}

TEST(a_record_above_the_mss_is_cut)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.note_max = 4;
    tcp_rig_open(&r, &conf);
    assert_int_equal(tcp_append_note(r.t, r.now, 2500, "note", 4), IW_OK);
    for (uint32_t before = 0; before < 2500; before += 1000) {
        uint16_t told;
        assert_true(tcp_rig_take(&r));
        assert_int_equal(r.len, before < 2000 ? 1000 : 500);
        assert_int_equal(r.out.head, 26);
        iw_get16(r.payload, &told);
        assert_int_equal(told, before);
        assert_memory_equal(r.payload + 2, "note", 4);
    }
    tcp_rig_free(&r);
}

TEST(a_longer_note_needs_a_wider_table)
{
    static const char *const notes[] = {"note", "longer"};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.note_max = 8;
    conf.note_room = 4;
    tcp_rig_open(&r, &conf);
    assert_int_equal(tcp_note_room(r.t), 4);
    assert_int_equal(tcp_append_note(r.t, r.now, 100, "longer", 6), IW_EFULL);
    assert_int_equal(tcp_append_note(r.t, r.now, 100, "note", 4), IW_OK);
    void *memory = malloc(tcp_widen_octets(r.t));
    tcp_widen(r.t, memory);
    assert_int_equal(tcp_note_room(r.t), 8);
    assert_int_equal(tcp_append_note(r.t, r.now, 100, "longer", 6), IW_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(tcp_rig_take(&r));
        assert_memory_equal(r.payload + 2, notes[i], strlen(notes[i]));
    }
    tcp_rig_free(&r);
    free(memory);
}

TEST(what_cannot_be_appended_is_refused)
{
    struct iw_frag frag = {NULL, 1000};
    struct tcp_conf conf;
    struct tcp_rig r;
    void *old, *memory;
    tcp_rig_defaults(&conf);
    conf.records = 8;
    conf.store = 4096;
    tcp_rig_new(&r, &conf);
    assert_int_equal(tcp_append(r.t, r.now, &frag, 1), IW_ESTATE);
    tcp_rig_free(&r);
    tcp_rig_open(&r, &conf);
    assert_int_equal(tcp_append_note(r.t, r.now, 10, NULL, 0), IW_EINVAL);
    assert_int_equal(tcp_append(r.t, r.now, &frag, 0), IW_EINVAL);
    tcp_rig_append(&r, 4, 1000);
    assert_false(tcp_room(r.t, 100));
    assert_true(tcp_room(r.t, 96));
    assert_int_equal(tcp_append(r.t, r.now, &frag, 1), IW_EFULL);
    assert_int_equal(tcp_rig_drain(&r), 4);
    memory = malloc(tcp_table_octets(r.t, TCP_STORE, 8192));
    assert_int_equal(tcp_table_move(r.t, TCP_STORE, memory, 2048, &old), IW_EFULL);
    assert_int_equal(tcp_table_move(r.t, TCP_STORE, memory, 8192, &old), IW_OK);
    tcp_rig_append(&r, 2, 1000);
    assert_false(tcp_room(r.t, 1)); /* two entries are kept: for a cut, for the FIN */
    tcp_rig_ack(&r, 2000, NULL);
    assert_true(tcp_room(r.t, 2000)); /* of two segments, of which each has its entry */
    assert_false(tcp_room(r.t, 2001));
    tcp_close(r.t, r.now);
    assert_int_equal(tcp_append(r.t, r.now, &frag, 1), IW_ESTATE);
    tcp_rig_free(&r);
    free(memory);
}

/* What is in flight, its octets and its order survive larger tables. */
TEST(tables_may_move_at_any_time)
{
    struct tcp_rig r;
    void *old, *memory[4];
    uint8_t octets[1000];
    tcp_rig_open(&r, NULL);
    for (int i = 0; i < 8; i++) {
        struct iw_frag frag = {octets, 1000};
        memset(octets, i, sizeof octets);
        assert_int_equal(tcp_append(r.t, r.now, &frag, 1), IW_OK);
    }
    tcp_rig_drain(&r);
    tcp_rig_ack(&r, 3000, (uint32_t[]){4000, 6000, 0, 0});
    for (int i = 0; i < 4; i++) {
        enum tcp_table table = i & 1 ? TCP_STORE : TCP_RECORDS;
        uint32_t entries = 2 * tcp_table_entries(r.t, table);
        memory[i] = malloc(tcp_table_octets(r.t, table, entries));
        assert_int_equal(tcp_table_move(r.t, table, memory[i], entries, &old), IW_OK);
        assert_ptr_equal(old, i < 2 ? NULL : memory[i - 2]);
        if (old)
            memset(old, 0xee, 100);
    }
    tcp_rig_ack(&r, 3000, (uint32_t[]){4000, 8000, 0, 0});
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.seq, RIG_ISS + 1 + 3000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(r.payload[i], 3);
    tcp_rig_ack(&r, 8000, NULL);
    assert_int_equal(tcp_table_used(r.t, TCP_RECORDS), 0);
    assert_int_equal(tcp_table_used(r.t, TCP_STORE), 0);
    tcp_rig_free(&r);
    for (int i = 0; i < 4; i++)
        free(memory[i]);
}

/* ---- the peer's window ---- */

static void window_is(struct tcp_rig *r, uint32_t ack, uint32_t window)
{
    tcp_rig_hear(r, RIG_PEER_ISS + 1, RIG_ISS + 1 + ack, ACK, window, 0, NULL, 0);
}

/* checks: TCP-3.8.6-2 TCP-3.8.6-3 */
TEST(nothing_leaves_beyond_the_window)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    window_is(&r, 0, 20); /* 2560 octets */
    tcp_rig_append(&r, 4, 1000);
    assert_int_equal(tcp_rig_drain(&r), 2);
    assert_int_equal(tcp_bound(r.t, r.now), TCP_BOUND_WINDOW);
    window_is(&r, 2000, 5); /* the edge moves left by a little over nothing: 2640 */
    assert_int_equal(tcp_rig_drain(&r), 0);
    window_is(&r, 2000, 16);
    assert_int_equal(tcp_rig_drain(&r), 2);
    tcp_rig_free(&r);
}

/* RFC 9293 3.8.6.1: probed after an RTO, then less and less often; a peer that answers is never given up. */
/* checks: TCP-3.8.6.1-1 TCP-3.8.6.1-3 TCP-3.8.6.1-4 */
TEST(a_closed_window_is_probed)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.retries = 3;
    tcp_rig_open(&r, &conf);
    window_is(&r, 0, 0);
    tcp_rig_append(&r, 2, 1000);
    assert_int_equal(tcp_rig_drain(&r), 0);
    iw_time rto = tcp_statistics(r.t)->rto, from = r.now;
    for (int i = 0; i < 6; i++) {
        tcp_rig_wait(&r, IW_NEVER);
        assert_true(r.now == from + (rto << i));
        from = r.now;
        assert_true(tcp_rig_take(&r));
        assert_int_equal(r.seq, RIG_ISS); /* SND.UNA - 1, no octets */
        assert_int_equal(r.len, 0);
        assert_false(tcp_rig_take(&r));
        window_is(&r, 0, 0);
    }
    const struct tcp_stats *s = tcp_statistics(r.t);
    assert_true(s->stalls == 1 && s->probes == 6 && s->timeouts == 0);
    assert_true(tcp_rig_event(&r, TCP_EV_STALLED) || true);
    window_is(&r, 0, 16);
    assert_int_equal(tcp_rig_drain(&r), 2);
    tcp_rig_free(&r);
}

/* A window that stays open but below the record: cut after an RTO (RFC 1122 4.2.3.4). */
/* checks: TCP-3.8.6.2-1 */
TEST(a_small_window_cuts_a_record_in_the_end)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    window_is(&r, 0, 4); /* 512 */
    tcp_rig_append(&r, 1, 1000);
    assert_int_equal(tcp_rig_drain(&r), 0);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(tcp_rig_take(&r) && r.len == 512 && r.seq == RIG_ISS + 1);
    assert_false(tcp_rig_take(&r));
    assert_int_equal(tcp_statistics(r.t)->records_cut, 1);
    window_is(&r, 512, 4);
    assert_true(tcp_rig_take(&r) && r.len == 488 && r.seq == RIG_ISS + 513);
    tcp_rig_free(&r);
}

/* Half a record would be taken for an altered one: it waits for the window, which is asked for. */
TEST(a_small_window_is_probed_where_records_stay_whole)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.whole = true;
    tcp_rig_open(&r, &conf);
    window_is(&r, 0, 4); /* 512 */
    tcp_rig_append(&r, 1, 1000);
    assert_int_equal(tcp_rig_drain(&r), 0);
    tcp_rig_wait(&r, IW_NEVER);
    assert_true(tcp_rig_take(&r) && r.len == 0 && r.seq == RIG_ISS);
    window_is(&r, 0, 8);
    assert_true(tcp_rig_take(&r) && r.len == 1000 && r.seq == RIG_ISS + 1);
    assert_int_equal(tcp_statistics(r.t)->records_cut, 0);
    tcp_rig_free(&r);
}

/* Wherever the edge stands in the record: with octets and without it is cut at the same place, no piece smaller than what
 * stands for it; octets leave through the smallest window of all. */
/* checks: TCP-3.8.6.2-1 */
TEST(every_small_window_is_used_in_the_end)
{
    enum { RECORD = 1000, LEAST = 2 + TCP_NOTE_MAX };
    static const uint8_t mss[4] = {2, 4, RECORD >> 8, RECORD & 255};
    for (uint32_t window = 1; window < RECORD; window++) {
        uint32_t most = window < RECORD - LEAST ? window : RECORD - LEAST;
        for (int none = 0; none < 2; none++) {
            struct tcp_conf conf;
            struct tcp_rig r;
            tcp_rig_defaults(&conf);
            conf.note_max = none ? 8 : 0;
            tcp_rig_open_with(&r, &conf, mss, sizeof mss, SYN | ACK);
            tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, ACK, window, 0, NULL, 0);
            if (none)
                assert_int_equal(tcp_append_note(r.t, r.now, RECORD, "note", 4), IW_OK);
            else
                tcp_rig_append(&r, 1, RECORD);
            tcp_rig_drain(&r);
            tcp_rig_wait(&r, IW_NEVER);
            bool leaves = tcp_rig_take(&r) && r.seq == RIG_ISS + 1;
            assert_int_equal(leaves ? r.len : 0, none && window < LEAST ? 0 : most);
            tcp_rig_free(&r);
        }
    }
}

/* RFC 9293 3.10.7.4: the window of an older segment is not heard. */
/* checks: TCP-3.10.7.4-4 */
TEST(an_old_segment_does_not_change_the_window)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_hear(&r, RIG_PEER_ISS + 101, RIG_ISS + 1, ACK, 50, 100, NULL, 0); /* newer */
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, ACK, 9, 100, NULL, 0);    /* older, late */
    assert_true(tcp_statistics(r.t)->right_edge == 50 << 7);
    tcp_rig_free(&r);
}

/* ---- the timer ---- */

/* RFC 6298 section 2, with a round trip of 100 us, min_rto out of the way. */
/* checks: TCP6298-2.2 TCP6298-2.3 TCP6298-3-1 TCP6298-5.5 TCP6298-5-1 */
TEST(the_rto_is_computed_as_the_rfc_says)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.min_rto = RIG_US;
    conf.detection = &tcp_dupack;
    tcp_rig_open(&r, &conf); /* the SYN: R = 100 us */
    const struct tcp_stats *s = tcp_statistics(r.t);
    assert_true(s->srtt == 100 * RIG_US && s->rttvar == 50 * RIG_US && s->rto == 300 * RIG_US);
    tcp_rig_append(&r, 1, 1000);
    tcp_rig_drain(&r);
    r.now += 180 * RIG_US;
    tcp_rig_ack(&r, 1000, NULL);
    s = tcp_statistics(r.t); /* RTTVAR = 3/4 50 + 1/4 80; SRTT = 7/8 100 + 1/8 180 */
    assert_true(s->rttvar == 57500000 && s->srtt == 110 * RIG_US && s->rto == 340 * RIG_US);
    tcp_rig_append(&r, 1, 1000);
    tcp_rig_drain(&r);
    iw_time from = r.now;
    for (int i = 0; i < 3; i++) {
        assert_true(tcp_deadline(r.t) == from + (340 * RIG_US << i));
        tcp_rig_wait(&r, IW_NEVER);
        from = r.now;
        assert_true(tcp_rig_take(&r) && r.seq == RIG_ISS + 1001 && r.len == 1000);
        assert_false(tcp_rig_take(&r));
        assert_true(tcp_rig_event(&r, TCP_EV_RETRANSMITTED) && r.event.why == TCP_WHY_RTO &&
                    r.event.offset == 1000);
    }
    r.now += 10 * RIG_US;
    tcp_rig_ack(&r, 2000, NULL); /* of which transmission? no sample, and the back-off stays (Karn) */
    assert_true(tcp_statistics(r.t)->rto == 340 * RIG_US << 3);
    assert_true(tcp_deadline(r.t) == IW_NEVER);
    tcp_rig_append(&r, 1, 1000);
    tcp_rig_drain(&r);
    r.now += 110 * RIG_US;
    tcp_rig_ack(&r, 3000, NULL);
    assert_true(tcp_statistics(r.t)->rto < 340 * RIG_US);
    tcp_rig_free(&r);
}

/* RFC 5681 3.1, RFC 6298 5.4. */
/* checks: TCP5681-3.1-3 TCP5681-3.1-4 TCP6298-5.4 */
TEST(a_timeout_leaves_one_segment)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.detection = &tcp_dupack;
    tcp_rig_open(&r, &conf);
    tcp_rig_append(&r, 10, 1000);
    assert_int_equal(tcp_rig_drain(&r), 10);
    tcp_rig_wait(&r, IW_NEVER);
    const struct tcp_stats *s = tcp_statistics(r.t);
    assert_true(s->timeouts == 1 && s->ssthresh == 5000 && s->cwnd == 1000);
    assert_true(tcp_rig_take(&r) && r.seq == RIG_ISS + 1);
    assert_false(tcp_rig_take(&r));
    tcp_rig_wait(&r, IW_NEVER); /* once more: ssthresh is held */
    assert_int_equal(tcp_statistics(r.t)->ssthresh, 5000);
    assert_true(tcp_rig_take(&r));
    r.now += 100 * RIG_US;
    tcp_rig_ack(&r, 1000, NULL); /* slow start, L = 1 */
    assert_int_equal(tcp_rig_cwnd(&r), 2000);
    assert_int_equal(tcp_rig_drain(&r), 2);
    tcp_rig_free(&r);
}

/* checks: TCP-3.8.3-2 */
TEST(a_peer_that_does_not_answer_is_lost)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.retries = 4;
    tcp_rig_open(&r, &conf);
    tcp_rig_append(&r, 1, 1000);
    for (int i = 0; i < 20 && tcp_state(r.t) != TCP_CLOSED; i++) {
        tcp_rig_drain(&r);
        tcp_rig_wait(&r, IW_NEVER);
    }
    assert_int_equal(tcp_state(r.t), TCP_CLOSED);
    assert_true(tcp_rig_event(&r, TCP_EV_LOST));
    assert_int_equal(tcp_statistics(r.t)->timeouts, 5);
    tcp_rig_free(&r);
}

/* llp.pacing: cwnd in a round trip, twice that while it starts. */
TEST(pacing_spreads_a_window)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.pacing = true;
    tcp_rig_open(&r, &conf);
    tcp_rig_append(&r, 10, 1000);
    for (int i = 0; i < 10; i++) {
        assert_true(tcp_rig_take(&r));
        assert_false(tcp_rig_take(&r));
        if (i == 9)
            break;
        assert_int_equal(tcp_bound(r.t, r.now), TCP_BOUND_PACING);
        assert_true(tcp_deadline(r.t) == r.now + 5 * RIG_US);
        tcp_rig_wait(&r, IW_NEVER);
    }
    tcp_rig_free(&r);
}

/* However large it is: 1,000 octets of 30 MB and of 200 MB in 100 us, the latter half a picosecond each. */
TEST(pacing_spreads_a_large_window)
{
    static const struct {
        uint32_t window;
        iw_time each;
    } rows[] = {{30000000, 3333}, {200000000, 500}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tcp_conf conf;
        struct tcp_rig r;
        (void)state;
        tcp_rig_defaults(&conf);
        conf.pacing = true;
        conf.congestion = &tcp_fixed;
        conf.fixed_window = rows[i].window;
        tcp_rig_open(&r, &conf);
        tcp_rig_append(&r, 2, 1000);
        assert_true(tcp_rig_take(&r));
        assert_true(tcp_deadline(r.t) == r.now + rows[i].each * 100 / 200);
        tcp_rig_free(&r);
    }
}

/* RFC 5681 4.1, only when asked for. */
/* checks: TCP5681-4.1-1 */
TEST(an_idle_time_ends_the_window)
{
    for (int on = 0; on < 2; on++) {
        struct tcp_conf conf;
        struct tcp_rig r;
        (void)state;
        tcp_rig_defaults(&conf);
        conf.idle_restart = on;
        tcp_rig_open(&r, &conf);
        for (uint32_t i = 1; i <= 3; i++) {
            tcp_rig_append(&r, 10 * i, 1000);
            tcp_rig_drain(&r);
            r.now += 100 * RIG_US;
            tcp_rig_ack(&r, (uint32_t)tcp_sent(r.t), NULL);
        }
        assert_true(tcp_rig_cwnd(&r) > 20000);
        r.now += 2 * RIG_MS;
        tcp_rig_append(&r, 40, 1000);
        assert_int_equal(tcp_rig_drain(&r) == 10, on);
        tcp_rig_free(&r);
    }
}

/* Nor does a probe of a closed window begin a transmission. */
TEST(a_probe_does_not_end_the_window)
{
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.idle_restart = true;
    tcp_rig_open(&r, &conf);
    tcp_rig_append(&r, 10, 1000);
    tcp_rig_drain(&r);
    r.now += 100 * RIG_US;
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1 + 10000, ACK, 0, 0, NULL, 0);
    uint32_t cwnd = tcp_rig_cwnd(&r);
    assert_true(cwnd > 10000);
    tcp_rig_append(&r, 20, 1000);
    while (!tcp_statistics(r.t)->probes) {
        tcp_rig_wait(&r, IW_NEVER);
        tcp_rig_drain(&r);
    }
    assert_int_equal(tcp_rig_cwnd(&r), cwnd);
    r.now += RIG_MS;
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1 + 10000, ACK, 1000, 0, NULL, 0);
    assert_int_equal(tcp_rig_drain(&r), 10);
    tcp_rig_free(&r);
}
