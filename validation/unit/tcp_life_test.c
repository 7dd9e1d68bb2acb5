/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a connection: handshake, options, close, RST, blind attacks. RFC 9293 3.5, 3.6, 3.10; RFC 7323 2; RFC 5961. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/tcp_rig.h"

/* ---- opening ---- */

/* RFC 9293 3.1, RFC 7323 2.2, RFC 2018 2: octet by octet; the checksum was added up by hand. */
/* checks: TCP-3.1-1 TCP-3.7.1-1 TCP7323-2.2-1 TCP2018-2-1 */
TEST(a_syn_is_what_the_rfcs_draw)
{
    static const uint8_t syn[] = {0x0f, 0xa0, 0x13, 0x88, 0, 0, 3, 0xe8, 0, 0, 0, 0, 0x80, 2, 0xff, 0xff,
                                  0x35, 0xcb, 0,    0,    2, 4, 3, 0xe8, 1, 1, 4, 2, 1,    3, 3,    7};
    struct tcp_rig r;
    tcp_rig_new(&r, NULL);
    assert_int_equal(tcp_connect(r.t, r.now), IW_OK);
    assert_int_equal(tcp_connect(r.t, r.now), IW_ESTATE);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.out.head, sizeof syn);
    assert_memory_equal(r.octets, syn, sizeof syn);
    assert_int_equal(r.out.ecn, IP_NOT_ECT);
    assert_false(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* Who goes back takes nothing out of order: it does not offer SACK, and does not use the peer's. */
TEST(who_goes_back_offers_no_sack)
{
    static const uint8_t options[] = {2, 4, 3, 0xe8, 1, 3, 3, 7};
    static const uint8_t theirs[] = {2, 4, 3, 0xe8, 1, 3, 3, 7, 1, 1, 4, 2};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.go_back_n = true;
    tcp_rig_new(&r, &conf);
    tcp_connect(r.t, r.now);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.option_len, sizeof options);
    assert_memory_equal(r.option, options, sizeof options);
    tcp_rig_free(&r);
    tcp_rig_new(&r, &conf);
    tcp_listen(r.t);
    tcp_rig_hear(&r, RIG_PEER_ISS, 0, SYN, 8192, 0, theirs, sizeof theirs);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.option_len, sizeof options);
    assert_memory_equal(r.option, options, sizeof options);
    tcp_rig_free(&r);
}

/* RFC 9293 3.7.1: what the smaller of both MSS leaves, less 12 for timestamps. */
TEST(a_segment_is_as_large_as_it_may_be)
{
    static const uint8_t options[] = {2, 4, 3, 0xe8, 1, 3, 3, 7, 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    tcp_rig_new(&r, &conf);
    assert_int_equal(tcp_mss(r.t), conf.mtu - 40);
    tcp_rig_free(&r);
    tcp_rig_open(&r, &conf);
    assert_int_equal(tcp_mss(r.t), 1000);
    tcp_rig_append(&r, 1, 1000);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.len, 1000);
    tcp_rig_free(&r);
    conf.timestamps = true;
    tcp_rig_open_with(&r, &conf, options, sizeof options, SYN | ACK);
    assert_int_equal(tcp_mss(r.t), 988);
    tcp_rig_free(&r);
}

/* checks: TCP-3.5-1 TCP-3.5-2 */
TEST(a_listener_answers_and_is_established_by_the_ack)
{
    static const uint8_t options[] = {2, 4, 2, 88, 1, 3, 3, 2, 1, 1, 4, 2};
    struct tcp_rig r;
    tcp_rig_new(&r, NULL);
    assert_int_equal(tcp_listen(r.t), IW_OK);
    tcp_rig_hear(&r, RIG_PEER_ISS, 0, SYN, 8192, 0, options, sizeof options);
    assert_int_equal(tcp_state(r.t), TCP_SYN_RECEIVED);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.flags, SYN | ACK);
    assert_int_equal(r.seq, RIG_ISS);
    assert_int_equal(r.ack, RIG_PEER_ISS + 1);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, ACK, 2048, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_ESTABLISHED);
    assert_int_equal(tcp_mss(r.t), 600);
    assert_true(tcp_statistics(r.t)->right_edge == 8192); /* 2048 << 2 */
    assert_true(tcp_rig_event(&r, TCP_EV_UP));
    assert_false(tcp_rig_event(&r, TCP_EV_UP));
    tcp_rig_free(&r);
}

/* RFC 9293 3.7.1: without an MSS option 536. RFC 7323 2.2: without a scale on one side none on either. */
/* checks: TCP-3.7.1-2 TCP7323-2.2-2 TCP2018-2-2 */
TEST(what_the_peer_does_not_offer_is_not_used)
{
    struct tcp_rig r;
    tcp_rig_open_with(&r, NULL, NULL, 0, SYN | ACK);
    assert_int_equal(tcp_mss(r.t), 536);
    assert_true(tcp_statistics(r.t)->right_edge == 1000);
    tcp_rig_data(&r, 100, 100);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.option_len, 0); /* no SACK */
    assert_int_equal(r.window, 65535);
    tcp_rig_free(&r);
}

/* checks: TCP-3.5-3 */
TEST(both_may_open_at_once)
{
    struct tcp_rig r;
    tcp_rig_new(&r, NULL);
    tcp_connect(r.t, r.now);
    assert_true(tcp_rig_take(&r));
    tcp_rig_hear(&r, RIG_PEER_ISS, 0, SYN, 60000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_SYN_RECEIVED);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.flags, SYN | ACK);
    assert_int_equal(r.seq, RIG_ISS);
    tcp_rig_hear(&r, RIG_PEER_ISS, RIG_ISS + 1, SYN | ACK, 60000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_ESTABLISHED);
    tcp_rig_free(&r);
}

/* RFC 6298 5: backed off each time; RFC 5681 3.1: then one segment is the initial window; the last one is the end. */
/* checks: TCP-3.8.3-1 TCP6298-5.5 TCP6298-5.7 TCP5681-3.1-2 */
TEST(a_lost_syn_is_sent_again_and_again)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.syn_retries = 3;
    tcp_rig_new(&r, &conf);
    tcp_connect(r.t, r.now);
    for (int i = 0; i < 3; i++) {
        assert_true(tcp_rig_take(&r));
        assert_int_equal(r.flags, SYN);
        assert_true(tcp_deadline(r.t) == r.now + (10 << i) * RIG_MS);
        tcp_rig_wait(&r, IW_NEVER);
    }
    struct tcp_rig other = r;
    assert_true(tcp_rig_take(&r));
    tcp_rig_hear(&r, RIG_PEER_ISS, RIG_ISS + 1, SYN | ACK, 60000, 0, options, sizeof options);
    assert_int_equal(tcp_rig_cwnd(&r), 1000);
    assert_true(tcp_statistics(r.t)->srtt == 0); /* Karn */
    tcp_rig_append(&r, 1, 1000);
    tcp_rig_drain(&r);
    assert_true(tcp_deadline(r.t) ==
                r.now + conf.initial_rto); /* RFC 6298 5.7: not the SYN's, which had doubled */
    (void)other;
    tcp_rig_free(&r);
    tcp_rig_new(&r, &conf);
    tcp_connect(r.t, r.now);
    for (int i = 0; i < 4; i++) {
        assert_true(tcp_rig_take(&r));
        tcp_rig_wait(&r, IW_NEVER);
    }
    assert_int_equal(tcp_state(r.t), TCP_CLOSED);
    assert_true(tcp_rig_event(&r, TCP_EV_LOST));
    assert_true(tcp_deadline(r.t) == IW_NEVER);
    tcp_rig_free(&r);
}

/* The answer has come while the second SYN waited for the port. */
TEST(a_syn_that_is_late_does_not_leave)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255};
    struct tcp_rig r;
    tcp_rig_new(&r, NULL);
    tcp_connect(r.t, r.now);
    assert_true(tcp_rig_take(&r));
    tcp_rig_wait(&r, IW_NEVER);
    tcp_rig_hear(&r, RIG_PEER_ISS, RIG_ISS + 1, SYN | ACK, 60000, 0, options, sizeof options);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.flags, ACK);
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_deadline(r.t) == IW_NEVER); /* no timer that would pass for a closed window's */
    tcp_rig_free(&r);
}

/* RFC 9293 3.10.7.3: an acknowledgement of something never sent is answered with RST; a RST without one is ignored. */
/* checks: TCP-3.10.7.3-1 TCP-3.10.7.3-2 */
TEST(a_syn_sent_is_not_fooled)
{
    struct tcp_rig r;
    tcp_rig_new(&r, NULL);
    tcp_connect(r.t, r.now);
    tcp_rig_take(&r);
    tcp_rig_hear(&r, RIG_PEER_ISS, RIG_ISS + 5, SYN | ACK, 60000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_SYN_SENT);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.flags, RST);
    assert_int_equal(r.seq, RIG_ISS + 5);
    tcp_rig_hear(&r, RIG_PEER_ISS, 0, RST, 0, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_SYN_SENT);
    tcp_rig_hear(&r, 0, RIG_ISS + 1, RST | ACK, 0, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_CLOSED);
    assert_true(tcp_rig_event(&r, TCP_EV_REFUSED));
    tcp_rig_free(&r);
}

/* ---- closing ---- */

/* RFC 9293 figure 12. */
/* checks: TCP-3.6-1 TCP-3.6-2 */
TEST(an_active_close_ends_in_time_wait)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_append(&r, 1, 500);
    assert_int_equal(tcp_close(r.t, r.now), IW_OK);
    assert_int_equal(tcp_close(r.t, r.now), IW_ESTATE);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.flags, ACK | PSH); /* the last octets, though the FIN follows */
    assert_int_equal(r.len, 500);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.flags, FIN | ACK);
    assert_int_equal(r.seq, RIG_ISS + 1 + 500);
    tcp_rig_ack(&r, 501, NULL);
    assert_int_equal(tcp_state(r.t), TCP_FIN_WAIT_2);
    assert_true(tcp_acked(r.t) == 500); /* the FIN is no octet of the stream */
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 502, FIN | ACK, 1000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_TIME_WAIT);
    assert_true(tcp_rig_event(&r, TCP_EV_DOWN));
    assert_true(tcp_rig_event(&r, TCP_EV_FIN) || true);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.ack, RIG_PEER_ISS + 2);
    iw_time ends = r.now + 2 * RIG_MS;
    assert_true(tcp_deadline(r.t) == ends);
    r.now += RIG_MS;
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 502, FIN | ACK, 1000, 0, NULL,
                 0); /* again: answered, and 2 MSL anew */
    assert_true(tcp_rig_take(&r));
    assert_true(tcp_deadline(r.t) == ends + RIG_MS);
    tcp_rig_wait(&r, IW_NEVER);
    assert_int_equal(tcp_state(r.t), TCP_CLOSED);
    tcp_rig_free(&r);
}

/* checks: TCP-3.6-3 */
TEST(a_passive_close_answers_and_then_ends)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, FIN | ACK, 1000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_CLOSE_WAIT);
    assert_true(tcp_rig_event(&r, TCP_EV_FIN));
    tcp_rig_append(&r, 1, 100); /* half closed: we may still send */
    assert_true(tcp_rig_take(&r) && r.len == 100 && r.ack == RIG_PEER_ISS + 2);
    tcp_close(r.t, r.now);
    assert_true(tcp_rig_take(&r) && r.flags == (FIN | ACK));
    assert_int_equal(tcp_state(r.t), TCP_LAST_ACK);
    tcp_rig_hear(&r, RIG_PEER_ISS + 2, RIG_ISS + 102, ACK, 1000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_CLOSED);
    assert_true(tcp_rig_event(&r, TCP_EV_DOWN));
    tcp_rig_free(&r);
}

/* The last acknowledgement was lost, and the peer's TIME-WAIT is over: its RST ends what had ended (RFC 9293 3.10.7.4).
 * Where octets are not acknowledged, they are lost. */
/* checks: TCP-3.6-3 */
TEST(a_reset_of_the_last_fin_is_a_close)
{
    for (uint32_t octets = 0; octets <= 100; octets += 100) {
        struct tcp_rig r;
        tcp_rig_open(&r, NULL);
        tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, FIN | ACK, 1000, 0, NULL, 0);
        if (octets) {
            tcp_rig_append(&r, 1, octets);
            assert_true(tcp_rig_take(&r) && r.len == octets);
        }
        tcp_close(r.t, r.now);
        assert_true(tcp_rig_take(&r) && r.flags & FIN);
        assert_int_equal(tcp_state(r.t), TCP_LAST_ACK);
        tcp_rig_hear(&r, RIG_PEER_ISS + 2, 0, RST, 0, 0, NULL, 0);
        assert_int_equal(tcp_state(r.t), TCP_CLOSED);
        assert_true(tcp_rig_event(&r, octets ? TCP_EV_RESET : TCP_EV_DOWN));
        tcp_rig_free(&r);
    }
}

/* RFC 9293 figure 13. */
/* checks: TCP-3.6-4 */
TEST(both_may_close_at_once)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_close(r.t, r.now);
    tcp_rig_take(&r);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 1, FIN | ACK, 1000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_CLOSING);
    assert_true(tcp_rig_take(&r) && r.ack == RIG_PEER_ISS + 2 && r.flags == ACK);
    tcp_rig_hear(&r, RIG_PEER_ISS + 2, RIG_ISS + 2, ACK, 1000, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_TIME_WAIT);
    tcp_rig_free(&r);
}

/* A FIN that comes ahead of a hole has its turn when the hole is filled; what lies beyond it is nobody's. */
/* checks: TCP-3.10.7.4-5 */
TEST(a_fin_waits_for_its_turn)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1 + 100, RIG_ISS + 1, FIN | ACK, 1000, 50, NULL, 0);
    assert_int_equal(r.verdict, TCP_TAKEN);
    assert_int_equal(tcp_state(r.t), TCP_ESTABLISHED);
    tcp_rig_data(&r, 151, 10);
    assert_int_equal(r.verdict, TCP_REFUSED);
    tcp_rig_data(&r, 0, 100);
    assert_int_equal(tcp_state(r.t), TCP_CLOSE_WAIT);
    assert_true(tcp_received(r.t) == 150);
    assert_true(tcp_rig_take(&r));
    assert_int_equal(r.ack, RIG_PEER_ISS + 1 + 151);
    tcp_rig_free(&r);
}

/* ---- RST and blind attacks ---- */

/* RFC 5961 3.2: exactly the next octet, or a challenge. */
/* checks: TCP5961-3.2-1 TCP5961-3.2-2 TCP5961-3.2-3 */
TEST(only_an_exact_rst_resets)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_hear(&r, RIG_PEER_ISS, 0, RST, 0, 0, NULL, 0);          /* outside: silence */
    tcp_rig_hear(&r, RIG_PEER_ISS + 200000, 0, RST, 0, 0, NULL, 0); /* outside */
    assert_false(tcp_rig_take(&r));
    tcp_rig_hear(&r, RIG_PEER_ISS + 2, 0, RST, 0, 0, NULL, 0); /* inside: questioned */
    assert_int_equal(tcp_state(r.t), TCP_ESTABLISHED);
    assert_true(tcp_rig_take(&r) && r.flags == ACK && r.ack == RIG_PEER_ISS + 1);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, 0, RST, 0, 0, NULL, 0);
    assert_int_equal(tcp_state(r.t), TCP_CLOSED);
    assert_true(tcp_rig_event(&r, TCP_EV_RESET));
    assert_false(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* RFC 5961 4.2, 5.2, 7. */
/* checks: TCP5961-4.2-1 TCP5961-5.2-1 TCP5961-7-1 */
TEST(a_blind_syn_or_ack_is_challenged_and_not_too_often)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, 0, SYN, 100, 0, NULL, 0);
    assert_true(tcp_rig_take(&r) && r.flags == ACK);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, RIG_ISS + 2, ACK, 1000, 10, NULL,
                 0); /* acknowledges what was never sent */
    assert_int_equal(r.peeked, TCP_BAD);
    assert_int_equal(r.verdict, TCP_BAD);
    assert_true(tcp_rig_take(&r) && r.flags == ACK && r.ack == RIG_PEER_ISS + 1);
    tcp_rig_hear(&r, RIG_PEER_ISS + 1, 0u + RIG_ISS + 1 - 128001u, ACK, 1000, 10, NULL,
                 0); /* older than any window */
    assert_int_equal(r.verdict, TCP_BAD);
    assert_true(tcp_rig_take(&r));
    unsigned answers = 3;
    for (int i = 0; i < 50; i++) {
        tcp_rig_hear(&r, RIG_PEER_ISS + 2, 0, RST, 0, 0, NULL, 0);
        answers += tcp_rig_take(&r);
    }
    assert_int_equal(answers, 10);
    r.now += 1000 * RIG_MS;
    tcp_rig_hear(&r, RIG_PEER_ISS + 2, 0, RST, 0, 0, NULL, 0);
    assert_true(tcp_rig_take(&r));
    tcp_rig_free(&r);
}

/* RFC 9293 3.10.7.4: acknowledgements that were overtaken are outside the window. However many come, an RST is questioned. */
/* checks: TCP5961-3.2-3 */
TEST(overtaken_acknowledgements_use_up_no_challenge)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    unsigned answers = 0;
    for (int i = 0; i < 50; i++) {
        tcp_rig_hear(&r, RIG_PEER_ISS - 100, RIG_ISS + 1, ACK, 1000, 0, NULL, 0);
        answers += tcp_rig_take(&r);
    }
    assert_int_equal(answers, 10);
    tcp_rig_hear(&r, RIG_PEER_ISS + 2, 0, RST, 0, 0, NULL, 0);
    assert_true(tcp_rig_take(&r) && r.flags == ACK && r.ack == RIG_PEER_ISS + 1);
    tcp_rig_free(&r);
}

/* RFC 9293 3.10.7.1, 3.10.7.2. */
/* checks: TCP-3.10.7.1-1 TCP-3.10.7.1-2 TCP-3.10.7.2-1 */
TEST(what_belongs_to_nobody_is_answered_with_rst)
{
    struct tcp_rig r;
    tcp_rig_new(&r, NULL);
    tcp_rig_hear(&r, 77, 88, ACK, 1000, 10, NULL, 0);
    assert_true(tcp_rig_take(&r) && r.flags == RST && r.seq == 88);
    tcp_rig_hear(&r, 77, 0, SYN, 1000, 0, NULL, 0);
    assert_true(tcp_rig_take(&r) && r.flags == (RST | ACK) && r.seq == 0 && r.ack == 78);
    tcp_rig_hear(&r, 77, 88, RST | ACK, 1000, 10, NULL, 0);
    assert_false(tcp_rig_take(&r));
    tcp_listen(r.t);
    tcp_rig_hear(&r, 77, 99, ACK, 1000, 0, NULL, 0);
    assert_true(tcp_rig_take(&r) && r.flags == RST && r.seq == 99);
    assert_int_equal(tcp_state(r.t), TCP_LISTEN);
    tcp_rig_free(&r);
}

/* The answer needs no connection; the addresses in its checksum are those of the packet, exchanged. */
/* checks: TCP-3.10.7.1-1 */
TEST(a_stray_packet_has_an_answer_without_a_connection)
{
    struct tcp_rig r;
    uint8_t octets[64];
    struct ip_packet answer = {.octets = octets};
    tcp_rig_open(&r, NULL);
    tcp_rig_append(&r, 1, 333);
    assert_true(tcp_rig_take(&r));
    assert_true(tcp_answer_stray(&r.out, &answer));
    assert_int_equal(answer.head, 20);
    uint32_t seq, sum = 6 + 20 + 0x0a00 + 1 + 0x0a00 + 2;
    iw_get32(octets + 4, &seq);
    assert_int_equal(seq, r.ack);
    assert_int_equal(octets[13], RST);
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)octets[i] << 8 | octets[i + 1];
    assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff);
    tcp_rig_free(&r);
}

/* checks: TCP-3.10.5-1 */
TEST(an_abort_says_rst)
{
    struct tcp_rig r;
    tcp_rig_open(&r, NULL);
    tcp_rig_append(&r, 2, 100);
    assert_true(tcp_rig_take(&r));
    tcp_abort(r.t, r.now);
    assert_int_equal(tcp_state(r.t), TCP_CLOSED);
    assert_true(tcp_rig_take(&r) && r.flags == (RST | ACK) && r.seq == RIG_ISS + 1 + 100);
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_deadline(r.t) == IW_NEVER);
    tcp_rig_free(&r);
}

/* ---- what is no segment ---- */

TEST(packets_that_are_cut_or_wrong_are_dropped)
{
    struct tcp_rig r;
    uint8_t octets[64];
    struct tcp_segment s;
    tcp_rig_open(&r, NULL);
    tcp_rig_append(&r, 1, 10);
    assert_true(tcp_rig_take(&r));
    memcpy(octets, r.octets, r.out.head);
    struct ip_packet good = {
        .size = r.out.size, .protocol = IP_PROTOCOL_TCP, .head = r.out.head, .octets = octets};
    for (unsigned i = 0; i < 4; i++) { /* ports are exchanged: it is the peer's now, and its sum stays */
        octets[i] = r.octets[(i + 2) % 4];
    }
    assert_int_not_equal(tcp_peek(r.t, &good, &s), TCP_BAD);
    struct ip_packet p = good;
    p.size -= 1;
    p.head = (uint16_t)(p.head - 1);
    assert_int_equal(tcp_peek(r.t, &p, &s), TCP_BAD); /* the checksum */
    p = good;
    p.trimmed = true;
    assert_int_equal(tcp_peek(r.t, &p, &s), TCP_BAD);
    p = good;
    p.head = 19;
    assert_int_equal(tcp_peek(r.t, &p, &s), TCP_BAD);
    p = good;
    p.protocol = IP_PROTOCOL_SCTP;
    assert_int_equal(tcp_peek(r.t, &p, &s), TCP_BAD);
    octets[12] = 0x40;
    assert_int_equal(tcp_peek(r.t, &good, &s), TCP_BAD);
    octets[12] = 0xf0;
    assert_int_equal(tcp_peek(r.t, &good, &s), TCP_BAD);
    octets[12] = 0x50;
    octets[25] ^= 1;
    assert_int_equal(tcp_accept(r.t, r.now, &good, &s), TCP_BAD);
    assert_int_equal(tcp_statistics(r.t)->dropped, 1);
    tcp_rig_free(&r);
}

TEST(an_idle_connection_is_small)
{
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.records = 4;
    conf.store = conf.ranges = conf.repeats = 0;
    size_t four = tcp_size(&conf);
    conf.records = 8;
    size_t record = (tcp_size(&conf) - four) / 4;
    assert_true(record <= TCP_RECORD_OCTETS_MAX);
    assert_true(four - 4 * record <= TCP_IDLE_OCTETS);
}

TEST(a_configuration_that_makes_no_sense_is_refused)
{
    struct tcp_conf good, c;
    tcp_rig_defaults(&good);
    assert_null(tcp_conf_error(&good));
#define BAD(change)                      \
    c = good;                            \
    change;                              \
    assert_non_null(tcp_conf_error(&c)); \
    assert_int_equal(tcp_size(&c), 0)
    BAD(c.local_port = 0);
    BAD(c.mtu = 575);
    BAD(c.note_max = TCP_NOTE_MAX + 1);
    BAD(c.congestion = NULL);
    BAD(c.detection = NULL);
    BAD(c.congestion = &tcp_fixed);
    BAD(c.window_shift = 15);
    BAD(c.delayed_ack = 0);
    BAD(c.records = 3);
    BAD(c.store = 1000);
    BAD(c.ranges = 6);
    BAD(c.min_rto = 0);
    BAD(c.initial_rto = c.min_rto - 1);
    BAD(c.max_rto = c.initial_rto - 1);
}
