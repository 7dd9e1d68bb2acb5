/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DATA and SACK, losses; two ends on a channel, in all four classes. RFC 9260 sections 6 and 7. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/sctp_rig.h"

enum { WHOLE = 3, UNORDERED = 7 };

/* ---- receiving ---- */

/* TSNs 1000, 1002, 1003, 1005, 1002 arrive. RFC 9260 3.3.4: cumulative 1000, gaps 2-3 and 5-5, duplicate
 * 1002. */
TEST(a_sack_is_what_the_rfc_draws)
{
    static const uint8_t sack[] = {3, 0, 0, 28, 0, 0, 3, 0xe8, 0, 3, 0x0d, 0x40, 0, 2,
                                   0, 1, 0, 2,  0, 3, 0, 5,    0, 5, 0,    0,    3, 0xea};
    static const uint32_t tsn[] = {1000, 1002, 1003, 1005, 1002};
    struct by_hand h;
    by_hand_establish(&h, NULL);
    for (int i = 0; i < 5; i++)
        by_hand_data(&h, UNORDERED, tsn[i], 0, 0, 100, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(h.out_len, 12 + sizeof sack);
    assert_memory_equal(h.out + 12, sack, sizeof sack);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_data(&h, UNORDERED, 1001, 0, 0, 100, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 16), 1003);
    assert_memory_equal(h.out + 24, ((uint8_t[]){0, 1, 0, 0, 0, 2, 0, 2}), 8);
    by_hand_close(&h);
}

/* Every second packet, or after the delay; at once when the I bit asks (RFC 9260 6.2, RFC 7053). */
TEST(acknowledgements_are_delayed)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_data(&h, UNORDERED, 1000, 0, 0, 8, 1);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_data(&h, UNORDERED, 1001, 0, 0, 8, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    by_hand_data(&h, UNORDERED, 1002, 0, 0, 8, 1);
    assert_int_equal(by_hand_take(&h), -1);
    assert_true(sctp_deadline(h.a) == h.conf.sack_delay);
    h.now = h.conf.sack_delay;
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    by_hand_data(&h, UNORDERED | 8, 1003, 0, 0, 8, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    by_hand_close(&h);
}

TEST(ordered_messages_wait_for_their_turn_and_others_do_not)
{
    struct by_hand h;
    by_hand_open_headers(&h);
    by_hand_expect_data(&h, WHOLE, 1002, 1, 2, NULL, 0);
    by_hand_expect_data(&h, WHOLE, 1001, 1, 1, NULL, 0);
    by_hand_expect_data(&h, UNORDERED, 1004, 1, 9, (uint32_t[]){1004}, 1);
    by_hand_expect_data(&h, WHOLE, 1003, 2, 0, (uint32_t[]){1003}, 1); /* another stream */
    by_hand_expect_data(&h, WHOLE, 1000, 1, 0, (uint32_t[]){1000, 1001, 1002}, 3);
    by_hand_expect_data(&h, WHOLE, 1002, 1, 2, NULL, 0); /* late duplicates */
    by_hand_expect_data(&h, WHOLE, 1005, 1, 3, (uint32_t[]){1005}, 1);
    assert_true(sctp_in_order(h.a));
    assert_int_equal(sctp_statistics(h.a)->held, 0);
    by_hand_close(&h);
}

/* What is refused was never here; what was acknowledged was taken. */
TEST(a_refused_message_comes_again)
{
    uint8_t packet[12 + 20] = {0x13, 0x8a, 0x13, 0x89, [12] = 0, 7, 0, 20, 0,  0, 3,
                               0xe8, 0,    0,    0,    0,        0, 0, 0,  16, 1};
    struct by_hand h;
    struct sctp_in in;
    by_hand_open_headers(&h);
    iw_put32(packet + 4, h.tag);
    by_hand_seal(packet, sizeof packet);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sctp_receive(h.a, 0, packet, sizeof packet), IW_OK);
        assert_int_equal(sctp_receive(h.a, 0, packet, sizeof packet), IW_ESTATE);
        assert_true(sctp_take(h.a, &in));
        assert_int_equal(sctp_refuse(h.a), IW_OK);
        assert_int_equal(sctp_refuse(h.a), IW_ESTATE);
        assert_false(sctp_take(h.a, &in));
    }
    assert_int_equal(sctp_statistics(h.a)->chunks_rx, 0);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 16), 999);
    assert_int_equal(sctp_receive(h.a, 0, packet, sizeof packet), IW_OK);
    assert_true(sctp_take(h.a, &in));
    assert_false(sctp_take(h.a, &in));
    assert_int_equal(sctp_refuse(h.a), IW_ESTATE);
    assert_int_equal(sctp_statistics(h.a)->chunks_rx, 1);
    by_hand_close(&h);
}

TEST(a_full_hold_refuses_and_is_not_blocked)
{
    struct by_hand h;
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.head_max = 72;
    conf.store = 256 * 72;
    conf.hold = 1;
    by_hand_establish(&h, &conf);
    by_hand_expect_data(&h, WHOLE, 1001, 0, 1, NULL, 0);
    by_hand_expect_data(&h, WHOLE, 1002, 0, 2, NULL, 0); /* no slot: as if lost */
    assert_int_equal(sctp_statistics(h.a)->refused, 1);
    by_hand_expect_data(&h, WHOLE, 1000, 0, 0, (uint32_t[]){1000, 1001}, 2);
    by_hand_expect_data(&h, WHOLE, 1002, 0, 2, (uint32_t[]){1002}, 1);
    by_hand_close(&h);
}

TEST(what_cannot_be_taken_ends_the_association)
{
    static const struct {
        uint8_t flags;
        uint32_t len;
        uint16_t cause;
    } table[] = {{2, 8, SCTP_CAUSE_PROTOCOL},
                 {1, 8, SCTP_CAUSE_PROTOCOL},
                 {0, 8, SCTP_CAUSE_PROTOCOL},
                 {3, 0, SCTP_CAUSE_NO_DATA}};
    for (int i = 0; i < 4; i++) {
        struct by_hand h;
        uint16_t cause;
        by_hand_establish(&h, NULL);
        by_hand_data(&h, table[i].flags, 1000, 0, 0, table[i].len, 1);
        assert_int_equal(by_hand_take(&h), SCTP_ABORT);
        assert_int_equal(at16(h.out + 16), table[i].cause);
        assert_int_equal(by_hand_event(&h, &cause), SCTP_EV_REFUSED);
        assert_int_equal(cause, table[i].cause);
        by_hand_close(&h);
    }
}

TEST(a_stream_that_does_not_exist_is_told)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_data(&h, WHOLE, 1000, 4, 0, 8, 1);
    assert_int_equal(by_hand_take(&h), SCTP_ERROR);
    assert_memory_equal(h.out + 16, ((uint8_t[]){0, 1, 0, 8, 0, 4, 0, 0}), 8);
    assert_int_equal(sctp_statistics(h.a)->chunks_rx, 0);
    by_hand_data(&h, WHOLE, 1001, 0, 0, 8, 1); /* its TSN counts: nobody waits for it */
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 16), 1001);
    by_hand_close(&h);
}

/* No honest peer sends an SSN again under another TSN: the TSN counts, the message does not. */
TEST(a_number_behind_its_turn_is_not_kept)
{
    struct by_hand h;
    by_hand_open_headers(&h);
    by_hand_expect_data(&h, WHOLE, 1000, 1, 0, (uint32_t[]){1000}, 1);
    by_hand_expect_data(&h, WHOLE, 1001, 1, 0, NULL, 0);
    assert_int_equal(sctp_statistics(h.a)->held, 0);
    assert_true(sctp_in_order(h.a));
    by_hand_expect_data(&h, WHOLE, 1002, 1, 1, (uint32_t[]){1002}, 1);
    by_hand_close(&h);
}

/* As many TSNs are remembered ahead as `chunks` says, less one; what is farther is as if lost. */
TEST(what_is_too_far_ahead_is_as_if_lost)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    for (uint32_t ahead = h.conf.chunks - 2; ahead <= h.conf.chunks; ahead++) {
        by_hand_data(&h, UNORDERED, RIG_PEER_TSN - 1 + ahead, 0, 0, 8, 1);
        assert_int_equal(by_hand_take(&h), SCTP_SACK);
        assert_int_equal(at16(h.out + 24), 1);
        assert_int_equal(at16(h.out + 30), h.conf.chunks - 2);
    }
    assert_int_equal(sctp_statistics(h.a)->chunks_rx, 1);
    by_hand_close(&h);
}

/* ---- sending ---- */

TEST(a_data_chunk_is_what_the_rfc_draws)
{
    static const uint8_t head[] = {0, 7, 0, 21},
                         tail[] = {0, 2, 0, 0, 0, 0, 0, 16, 'h', 'e', 'l', 'l', 'o', 0, 0, 0};
    struct iw_frag frag[2] = {{"hel", 3}, {"lo", 2}};
    struct sctp_out out = {
        .ppid = 16, .stream = 2, .unordered = true, .retransmits = SCTP_RELIABLE, .frags = 2, .frag = frag};
    struct by_hand h;
    by_hand_establish(&h, NULL);
    assert_int_equal(sctp_send(h.a, 0, &out), IW_OK);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(h.out_len, 12 + 24);
    assert_memory_equal(h.out + 12, head, 4);
    assert_int_equal(at32(h.out + 16), h.tsn);
    assert_memory_equal(h.out + 20, tail, sizeof tail);
    out.unordered = false;
    out.at_once = true;
    sctp_send(h.a, 0, &out);
    sctp_send(h.a, 0, &out);
    assert_int_equal(by_hand_take(&h), SCTP_DATA); /* both in one packet, SSN 0 and 1 */
    assert_int_equal(h.out_len, 12 + 48);
    assert_int_equal(h.out[13], 0x0b);
    assert_int_equal(at16(h.out + 22), 0);
    assert_int_equal(at16(h.out + 46), 1);
    by_hand_close(&h);
}

TEST(what_cannot_be_sent_is_refused)
{
    struct by_hand h;
    by_hand_open(&h, NULL);
    assert_int_equal(by_hand_queue(&h, 0, true, SCTP_RELIABLE, 8), IW_ESTATE);
    by_hand_close(&h);
    by_hand_establish(&h, NULL);
    assert_int_equal(sctp_message_max(h.a), RIG_MTU - 28);
    assert_int_equal(by_hand_queue(&h, 0, true, SCTP_RELIABLE, RIG_MTU - 28), IW_OK);
    assert_int_equal(by_hand_queue(&h, 0, true, SCTP_RELIABLE, RIG_MTU - 27), IW_EINVAL);
    assert_int_equal(by_hand_queue(&h, 0, true, SCTP_RELIABLE, 0), IW_EINVAL);
    assert_int_equal(by_hand_queue(&h, 4, true, SCTP_RELIABLE, 8), IW_EINVAL);
    int queued = 1;
    while (sctp_has_room(h.a)) {
        assert_int_equal(by_hand_queue(&h, 0, true, SCTP_RELIABLE, RIG_MTU - 28), IW_OK);
        queued++;
    }
    assert_int_equal(queued, (1 << 18) / (RIG_MTU - 28));
    assert_int_equal(by_hand_queue(&h, 0, true, SCTP_RELIABLE, RIG_MTU - 28), IW_EFULL);
    by_hand_close(&h);
}

/* RFC 9260 7.2.1: at first min(4 MTU, max(2 MTU, 4404)) octets; 7.2.1: a window in use grows by what is
 * acknowledged. */
TEST(the_window_opens_slowly)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    assert_int_equal(sctp_statistics(h.a)->cwnd, 4404);
    assert_int_equal(by_hand_flood(&h, 100), 3);
    by_hand_sack(&h, h.tsn + 1, 1 << 20, NULL);
    assert_int_equal(sctp_statistics(h.a)->cwnd, 4404 + RIG_MTU); /* at most one MTU for each SACK */
    assert_int_equal(by_hand_flood(&h, 0), 3 - 1 + 1);
    by_hand_close(&h);
}

TEST(a_burst_is_limited)
{
    struct sctp_conf conf;
    struct by_hand h;
    by_hand_defaults(&conf);
    conf.initial_window = 100 * RIG_MTU;
    by_hand_establish(&h, &conf);
    assert_int_equal(by_hand_flood(&h, 100), 4);
    by_hand_sack(&h, h.tsn + 3, 1 << 20, NULL);
    assert_int_equal(by_hand_flood(&h, 0), 4);
    h.now++; /* packets that leave one after the other are no burst */
    assert_int_equal(by_hand_flood(&h, 0), 1);
    by_hand_close(&h);
    conf.burst = 0;
    by_hand_establish(&h, &conf);
    assert_true(by_hand_flood(&h, 100) > 50);
    by_hand_close(&h);
}

/* Three reports: sent again, once. Then only T3 helps (usrsctp sends it again and again). */
TEST(a_chunk_is_fast_retransmitted_once)
{
    struct by_hand h;
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.initial_window = 40 * RIG_MTU;
    conf.burst = 0;
    by_hand_establish(&h, &conf);
    by_hand_flood(&h, 30);
    for (uint16_t n = 2; n < 4; n++) {
        by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, n, 0});
        assert_int_equal(by_hand_take(&h), -1);
    }
    uint32_t before = sctp_statistics(h.a)->cwnd;
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, 4, 0});
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn);
    assert_int_equal(by_hand_take(&h), -1);
    assert_int_equal(sctp_statistics(h.a)->ssthresh, before / 2);
    assert_int_equal(sctp_statistics(h.a)->cwnd, before / 2);
    for (uint16_t n = 5; n < 20; n++) {
        by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, n, 0});
        for (int type; (type = by_hand_take(&h)) != -1;)
            assert_int_not_equal(at32(h.out + 16), h.tsn);
    }
    assert_int_equal(sctp_statistics(h.a)->retransmits, 1);
    assert_int_equal(sctp_statistics(h.a)->cwnd, before / 2); /* halved once */
    h.now = sctp_deadline(h.a);
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn);
    assert_int_equal(sctp_statistics(h.a)->timeouts, 1);
    by_hand_close(&h);
}

/* RFC 9260 6.3.3: one packet, with a window of one, and twice the patience. */
TEST(a_timeout_starts_again_from_one_packet)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    assert_int_equal(by_hand_flood(&h, 100), 3);
    iw_time rto = sctp_statistics(h.a)->rto;
    assert_true(sctp_deadline(h.a) == rto);
    h.now = rto;
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_flood(&h, 0), 1);
    assert_int_equal(sctp_statistics(h.a)->cwnd, RIG_MTU);
    assert_int_equal(sctp_statistics(h.a)->ssthresh, 4 * RIG_MTU);
    assert_true(sctp_statistics(h.a)->rto == 2 * rto);
    assert_true(sctp_deadline(h.a) == h.now + 2 * rto);
    by_hand_close(&h);
}

/* As many gap reports as there are leave room for the chunk behind them. */
TEST(a_full_sack_and_shutdown_fit_one_packet)
{
    struct sctp_conf conf;
    struct by_hand h;
    by_hand_defaults(&conf);
    conf.chunks = 1024;
    by_hand_establish(&h, &conf);
    for (uint32_t i = 0; i < RIG_MTU / 4; i++)
        by_hand_data(&h, 7, RIG_PEER_TSN + 1 + 2 * i, 0, 0, 8, 0);
    assert_int_equal(sctp_shutdown(h.a, h.now), IW_OK);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_in_range(h.out_len, RIG_MTU - 24, RIG_MTU);
    by_hand_close(&h);
}

/* A SACK without gaps that reports TSNs as duplicates. */
static void sack_of_duplicates(struct by_hand *h, uint32_t cum, const uint32_t *tsn, uint16_t n)
{
    uint8_t chunk[16 + 4 * 8], *p = iw_put16(chunk, SCTP_SACK << 8);
    p = iw_put32(iw_put32(iw_put16(p, (uint16_t)(16 + 4 * n)), cum), 1 << 20);
    p = iw_put16(iw_put16(p, 0), n);
    for (uint16_t i = 0; i < n; i++)
        p = iw_put32(p, tsn[i]);
    by_hand_send(h, h->tag, chunk, (uint32_t)(p - chunk));
}

/* RFC 3708: of what left twice and is reported twice one was for nothing; of what left once, or is not acknowledged,
 * or was reported so before, none. */
TEST(what_was_sent_again_for_nothing_is_counted)
{
    struct by_hand h;
    uint32_t tsn;
    by_hand_establish(&h, NULL);
    assert_int_equal(by_hand_flood(&h, 3), 3);
    h.now = sctp_deadline(h.a);
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn);
    sack_of_duplicates(&h, h.tsn - 1, (uint32_t[]){h.tsn}, 1); /* not acknowledged: nonsense */
    assert_int_equal(sctp_statistics(h.a)->spurious, 0);
    sack_of_duplicates(&h, h.tsn + 1, (uint32_t[]){h.tsn, h.tsn, h.tsn + 1, h.tsn + 100, h.tsn - 1}, 5);
    assert_int_equal(sctp_statistics(h.a)->spurious, 1);
    assert_true(sctp_spurious(h.a, &tsn));
    assert_int_equal(tsn, h.tsn);
    assert_false(sctp_spurious(h.a, &tsn));
    sack_of_duplicates(&h, h.tsn + 1, (uint32_t[]){h.tsn}, 1);
    assert_int_equal(sctp_statistics(h.a)->spurious, 1);
    by_hand_close(&h);
}

TEST(silence_loses_the_association)
{
    struct by_hand h;
    int timeouts = 0;
    by_hand_establish(&h, NULL);
    by_hand_flood(&h, 1);
    while (sctp_state(h.a) == SCTP_ESTABLISHED && timeouts < 100) {
        h.now = sctp_deadline(h.a);
        sctp_expire(h.a, h.now);
        timeouts++;
        by_hand_take(&h);
    }
    assert_int_equal(h.out[12], SCTP_ABORT);
    assert_int_equal(timeouts, h.conf.retries + 1);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_LOST);
    by_hand_close(&h);
}

/* What a receiver reported and then no longer has is sent again. */
TEST(a_receiver_that_reneges_gets_it_again)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    assert_int_equal(by_hand_flood(&h, 3), 3);
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, 3, 0});
    by_hand_sack(&h, h.tsn, 1 << 20, NULL);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn + 1);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn + 2);
    by_hand_close(&h);
}

/* Reports of before do not count: it takes three new ones until it is sent a third time. */
TEST(reports_count_from_the_last_time_sent)
{
    struct by_hand h;
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.initial_window = 40 * RIG_MTU;
    conf.burst = 0;
    by_hand_establish(&h, &conf);
    assert_int_equal(by_hand_flood(&h, 6), 6);
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){3, 3, 0}); /* h.tsn and the next: one report, */
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){3, 4, 0}); /* two */
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, 4, 0}); /* the next is there */
    by_hand_sack(&h, h.tsn, 1 << 20, NULL);                      /* and gone again */
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn + 1);
    while (by_hand_take(&h) == SCTP_DATA)
        ;
    for (uint16_t n = 2; n < 4; n++) {
        by_hand_sack(&h, h.tsn, 1 << 20, (uint16_t[]){2, n, 0});
        assert_int_equal(by_hand_take(&h), -1);
    }
    by_hand_sack(&h, h.tsn, 1 << 20, (uint16_t[]){2, 4, 0});
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn + 1);
    by_hand_close(&h);
}

/* RFC 9260 7.2.4: one packet of what three reports say is missing leaves at once; the others fit the window. */
TEST(one_packet_is_repeated_over_the_window)
{
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.initial_window = 30 * RIG_MTU;
    conf.burst = 0;
    for (uint16_t lost = 2; lost < 8; lost++) {
        struct by_hand h;
        by_hand_establish(&h, &conf);
        assert_int_equal(by_hand_flood(&h, 30), 30);
        for (uint16_t n = (uint16_t)(lost + 1); n < lost + 4; n++)
            by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){(uint16_t)(lost + 1), n, 0});
        assert_true(sctp_statistics(h.a)->flight > sctp_statistics(h.a)->cwnd);
        assert_int_equal(by_hand_flood(&h, 0), 1);
        assert_int_equal(at32(h.out + 16), h.tsn);
        assert_int_equal(sctp_statistics(h.a)->fast_retransmits, lost);
        by_hand_close(&h);
    }
}

/* A message of one packet leaves, and is acknowledged `after`. */
static void round_trip(struct by_hand *h, uint32_t tsn, iw_time after)
{
    by_hand_queue(h, 0, true, SCTP_RELIABLE, 8);
    assert_int_equal(by_hand_take(h), SCTP_DATA);
    h->now += after;
    by_hand_sack(h, tsn, 1 << 20, NULL);
}

/* RFC 9260 6.3.1, by hand: 100 us; then 200 us; then 20 us. */
TEST(the_rto_follows_the_round_trips)
{
    static const struct {
        iw_time took, srtt, rttvar;
    } table[] = {
        {100 * US, 100 * US, 50 * US},
        {200 * US, 112500000, 62500000},
        {20 * US, 100937500, 70000000},
    };
    struct by_hand h;
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.rto_min = US;
    by_hand_establish(&h, &conf);
    for (uint32_t i = 0; i < 3; i++) {
        round_trip(&h, h.tsn + i, table[i].took);
        assert_true(sctp_statistics(h.a)->srtt == table[i].srtt);
        assert_true(sctp_statistics(h.a)->rttvar == table[i].rttvar);
        assert_true(sctp_statistics(h.a)->rto == table[i].srtt + 4 * table[i].rttvar);
    }
    by_hand_close(&h);
}

/* Karn: what was sent twice is not timed, and something else is, at once. */
TEST(a_new_message_is_timed_in_place_of_a_repeated_one)
{
    struct by_hand h;
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.initial_window = 40 * RIG_MTU;
    conf.burst = 0;
    by_hand_establish(&h, &conf);
    by_hand_flood(&h, 6);
    h.now = 50 * US;
    for (uint16_t n = 2; n < 5; n++)
        by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, n, 0});
    assert_int_equal(by_hand_flood(&h, 1), 2); /* the first again, and a new one */
    assert_true(sctp_statistics(h.a)->srtt == 0);
    h.now = 80 * US;
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, 7, 0});
    assert_true(sctp_statistics(h.a)->srtt == 30 * US);
    by_hand_close(&h);
}

TEST(sacks_that_make_no_sense_change_nothing)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_flood(&h, 3);
    uint32_t flight = sctp_statistics(h.a)->flight;
    by_hand_sack(&h, h.tsn + 3, 1, NULL);                                     /* never sent */
    by_hand_sack(&h, h.tsn - 2, 1, NULL);                                     /* old */
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){2, 9, 0});              /* beyond what was sent */
    by_hand_sack(&h, h.tsn - 1, 1 << 20, (uint16_t[]){3, 2, 0});              /* backwards */
    static uint8_t cut[] = {3, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0}; /* nine reports promised */
    iw_put32(cut + 4, h.tsn - 1);
    by_hand_send(&h, h.tag, cut, sizeof cut);
    assert_int_equal(sctp_statistics(h.a)->flight, flight);
    assert_int_equal(sctp_statistics(h.a)->outstanding, 3);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_close(&h);
}

/* ---- two ends, a channel between ---- */

static void expect_all(const struct two_ends *t)
{
    assert_int_equal(t->got, t->total);
    assert_int_equal(t->wrong + t->twice, 0);
}

/* Throughput of a path without loss: the closed form rate * payload / packet. */
TEST(the_wire_is_full)
{
    static const iw_time rtts[] = {10 * US, 100 * US};
    for (int i = 0; i < 2; i++) {
        struct sctp_link_conf conf;
        struct two_ends t;
        two_ends_conf(&conf, rtts[i]);
        for (int e = 0; e < 2; e++) {
            conf.end[e].head_max = 72;
            conf.end[e].chunks = 4096;
        }
        two_ends_open(&t, &conf, 20000, 1452);
        two_ends_run(&t, 100000 * US);
        expect_all(&t);
        double gbps = 10000 * 1452 * 8e3 / (double)(t.last - t.half), wire = 100.0 * 1452 / (1480 + 58);
        assert_true(gbps > 0.93 * wire && gbps < wire * 1.001); /* slow start is over */
        assert_int_equal(sctp_statistics(sctp_link_end(t.link, 0))->timeouts, 0);
        two_ends_close(&t);
    }
}

/* A simulated path has the same round trip always: RTO must not come down to it, or T3 fires with nothing
 * lost. */
TEST(a_steady_round_trip_times_nothing_out)
{
    struct sctp_link_conf conf;
    struct two_ends t;
    two_ends_conf(&conf, 100 * US);
    for (int e = 0; e < 2; e++) {
        conf.end[e].head_max = 72;
        conf.end[e].rto_min = US;
    }
    two_ends_open(&t, &conf, 20000, 1452);
    two_ends_run(&t, 1000000 * US);
    expect_all(&t);
    const struct sctp_stats *s = sctp_statistics(sctp_link_end(t.link, 0));
    assert_true(s->rto + 4 > 2 * s->srtt && s->srtt >= 100 * US); /* quarters, rounded down */
    assert_int_equal(s->timeouts, 0);
    assert_int_equal(s->retransmits, 0);
    two_ends_close(&t);
}

/* The last packet of all is lost: nobody reports it missing. */
TEST(a_lost_tail_is_there_after_rto_and_a_round_trip)
{
    struct sctp_link_conf conf;
    struct two_ends t;
    two_ends_conf(&conf, 10 * US);
    conf.channel.loss = 1;
    two_ends_open(&t, &conf, 100, 1452);
    sctp_link_impair(t.link, 0, false);
    sctp_link_impair(t.link, 1, false);
    t.lose = 100;
    two_ends_run(&t, 1000000 * US);
    expect_all(&t);
    assert_int_equal(sctp_link_statistics(t.link, 0)->lost, 1);
    iw_time rto = sctp_statistics(sctp_link_end(t.link, 0))->rto / 2; /* as it was before it was doubled */
    iw_time last_sack =
        t.lost_at + 10 * US + conf.end[0].sack_delay; /* T3 starts again with it (RFC 9260 6.3.2) */
    assert_true(t.lost_at && t.last <= last_sack + rto + 10 * US);
    two_ends_close(&t);
}

/* At the drop-tail queue of a bottleneck one retransmission for each drop, not a storm, and never an
 * abort. */
TEST(drops_cost_one_retransmission_each)
{
    for (int i = 0; i < 4; i++) {
        struct sctp_link_conf conf;
        struct two_ends t;
        iw_time rtt = i & 1 ? 100 * US : 10 * US;
        two_ends_conf(&conf, rtt);
        conf.narrow_rate = 10000000000;
        conf.narrow_buffer = conf.narrow_rate / 8 * (rtt / US) / 1000000;
        for (int e = 0; e < 2; e++)
            conf.end[e].burst = i & 2 ? 0 : 4;
        two_ends_open(&t, &conf, 10000, 1452);
        two_ends_run(&t, 1000000 * US);
        expect_all(&t);
        uint64_t drops = sctp_link_statistics(t.link, 0)->dropped;
        assert_true(drops > 0);
        assert_true(sctp_statistics(sctp_link_end(t.link, 0))->retransmits * 10 <= 12 * drops);
        two_ends_close(&t);
    }
}

/* The four classes under loss, reordering, duplication and corruption. */
TEST(each_class_keeps_its_promise)
{
    for (unsigned i = 0; i < 16; i++) {
        struct sctp_link_conf conf;
        struct two_ends t;
        bool ordered = i & 1, reliable = i & 2, headers = i & 4, many = i & 8;
        two_ends_conf(&conf, 10 * US);
        conf.seed = i + 1;
        conf.channel = (struct channel_conf){.loss = 0.02,
                                             .corrupt = 0.01,
                                             .duplicate = 0.02,
                                             .reorder = {.probability = 0.05, .delay = 20 * US}};
        for (int e = 0; e < 2; e++)
            conf.end[e].head_max = headers ? 72 : 0;
        two_ends_open(&t, &conf, 2000, 700);
        t.streams = many ? 4 : 1;
        t.out.unordered = !ordered;
        t.out.retransmits = reliable ? SCTP_RELIABLE : 0;
        two_ends_run(&t, 1000000 * US);
        assert_int_equal(t.wrong + t.twice, 0);
        assert_int_equal(ordered ? t.disordered : 0, 0);
        assert_true(ordered || t.disordered > 0);
        assert_true(reliable ? t.got == t.total : t.got < t.total && t.got > t.total * 8 / 10);
        assert_int_equal(sctp_statistics(sctp_link_end(t.link, 0))->outstanding, 0);
        two_ends_close(&t);
    }
}

/* TSN and SSN wrap. */
TEST(numbers_wrap)
{
    struct sctp_link_conf conf;
    struct two_ends t;
    two_ends_conf(&conf, 10 * US);
    for (int e = 0; e < 2; e++)
        conf.end[e].head_max = 72;
    conf.channel.loss = 0.001;
    two_ends_open(&t, &conf, 70000, 100);
    t.out.unordered = false;
    two_ends_run(&t, 10000000 * US);
    expect_all(&t);
    assert_int_equal(t.disordered, 0);
    two_ends_close(&t);
}
