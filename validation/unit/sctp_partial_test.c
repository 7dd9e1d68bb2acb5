/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Partial reliability: what is given up, and what the peer is told. RFC 3758. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/sctp_rig.h"

enum { WHOLE = 3, UNORDERED = 7 };

/* ---- partial reliability (RFC 3758) ---- */

/* Four messages leave, and the first, which may be given up, is reported missing three times. */
static void give_one_up(struct by_hand *h)
{
    by_hand_queue(h, 2, false, 0, 8);
    assert_int_equal(by_hand_take(h), SCTP_DATA);
    for (int i = 0; i < 3; i++) {
        by_hand_queue(h, 1, false, 0, 8);
        assert_int_equal(by_hand_take(h), SCTP_DATA);
    }
    for (uint16_t n = 2; n < 5; n++)
        by_hand_sack(h, h->tsn - 1, 1 << 20, (uint16_t[]){2, n, 0});
}

/* Ordered, no retransmission: the one that is missing is given up after three reports, and the peer is told
 * which messages of which stream it need not wait for. */
TEST(a_message_given_up_is_skipped)
{
    static const uint8_t forward_tail[] = {0, 2, 0, 0};
    struct by_hand h;
    by_hand_establish(&h, NULL);
    give_one_up(&h);
    assert_int_equal(by_hand_take(&h), SCTP_FORWARD_TSN);
    assert_int_equal(h.out_len, 12 + 12);
    assert_int_equal(at32(h.out + 12), 0xc000000c);
    assert_int_equal(at32(h.out + 16), h.tsn);
    assert_memory_equal(h.out + 20, forward_tail, 4);
    assert_int_equal(by_hand_take(&h), -1);
    assert_int_equal(sctp_statistics(h.a)->abandoned, 1);
    assert_int_equal(sctp_statistics(h.a)->retransmits, 0);
    h.now = sctp_deadline(h.a); /* FORWARD-TSN was lost */
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_FORWARD_TSN);
    by_hand_sack(&h, h.tsn + 3, 1 << 20, NULL);
    assert_int_equal(sctp_acked(h.a, 2), 1);
    assert_true(sctp_deadline(h.a) == h.now + h.conf.heartbeat || sctp_deadline(h.a) > h.now);
    by_hand_close(&h);
}

TEST(what_is_skipped_lets_those_behind_it_go)
{
    uint8_t packet[12 + 12] = {0x13, 0x8a, 0x13, 0x89, [12] = 192, 0, 0, 12, 0, 0, 3, 0xea, 0, 1, 0, 1};
    struct by_hand h;
    by_hand_open_headers(&h);
    iw_put32(packet + 4, h.tag);
    by_hand_seal(packet, sizeof packet);
    by_hand_expect_data(&h, WHOLE, 1003, 1, 2, NULL, 0);
    by_hand_expect_data(&h, WHOLE, 1001, 1, 0, (uint32_t[]){1001}, 1);
    by_hand_expect_data(&h, WHOLE, 1004, 1, 4, NULL, 0);
    by_hand_expect(&h, packet, sizeof packet, (uint32_t[]){1003}, 1); /* up to TSN 1002, SSN 1 */
    by_hand_expect_data(&h, WHOLE, 1002, 1, 1, NULL, 0);              /* too late */
    by_hand_expect_data(&h, WHOLE, 1005, 1, 3, (uint32_t[]){1005, 1004}, 2);
    assert_true(sctp_in_order(h.a));
    by_hand_close(&h);
}

/* A SACK with as many gap reports as a packet holds leaves no room for the FORWARD-TSN that is due: it goes next. */
TEST(a_full_sack_leaves_the_forward_tsn_to_the_next_packet)
{
    struct sctp_conf conf;
    struct by_hand h;
    by_hand_defaults(&conf);
    conf.chunks = 1024;
    by_hand_establish(&h, &conf);
    give_one_up(&h);
    for (uint32_t i = 0; i < RIG_MTU / 4; i++)
        by_hand_data(&h, UNORDERED, RIG_PEER_TSN + 1 + 2 * i, 0, 0, 8, 0);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_in_range(h.out_len, RIG_MTU - 28, RIG_MTU);
    assert_int_equal(by_hand_take(&h), SCTP_FORWARD_TSN);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_close(&h);
}

/* A FORWARD-TSN that names a stream twice: the later SSN counts, whichever comes first. */
TEST(skips_add_up_before_they_are_read)
{
    static const uint8_t ssns[2][2] = {{1, 5}, {5, 1}};
    for (int i = 0; i < 2; i++) {
        uint8_t packet[12 + 16] = {0x13, 0x8a, 0x13, 0x89, [12] = 192, 0,          0, 16, 0, 0,
                                   3,    0xea, 0,    1,    0,          ssns[i][0], 0, 1,  0, ssns[i][1]};
        struct by_hand h;
        (void)state;
        by_hand_open_headers(&h);
        iw_put32(packet + 4, h.tag);
        by_hand_seal(packet, sizeof packet);
        by_hand_expect_data(&h, WHOLE, 1003, 1, 3, NULL, 0);
        by_hand_expect_data(&h, WHOLE, 1004, 1, 6, NULL, 0);
        by_hand_expect(&h, packet, sizeof packet, (uint32_t[]){1003, 1004}, 2);
        by_hand_close(&h);
    }
}
