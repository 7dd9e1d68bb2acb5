/* SPDX-License-Identifier: GPL-2.0-or-later */
/* a_rwnd: what it counts, what it stops, the probe. RFC 9260 sections 6.1 and 6.2. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/sctp_rig.h"

enum { WHOLE = 3, UNORDERED = 7 };

TEST(held_messages_use_up_the_window)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_data(&h, WHOLE, 1001, 1, 1, 1000, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 20), 199000);
    by_hand_data(&h, UNORDERED, 1003, 1, 0, 1000, 1); /* taken at once: free */
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 20), 199000);
    by_hand_close(&h);
}

/* ---- the peer's window ---- */

/* RFC 9260 6.1 A: one chunk may always be out; its T3 does not count against a peer that answers. */
TEST(a_closed_window_is_probed_and_opens)
{
    struct sctp_conf conf;
    struct by_hand h;
    by_hand_defaults(&conf);
    conf.heartbeat = 0;
    by_hand_establish(&h, &conf);
    assert_int_equal(by_hand_flood(&h, 10), 3);
    by_hand_sack(&h, h.tsn + 2, 0, NULL);
    uint32_t cwnd = sctp_statistics(h.a)->cwnd;
    iw_time rto = sctp_statistics(h.a)->rto, before = h.now;
    assert_int_equal(by_hand_take(&h), -1);
    for (uint32_t i = 0; i < 3 * h.conf.retries; i++) {
        h.now = sctp_deadline(h.a);
        assert_int_equal(h.now - before, rto);
        rto =
            i ? 2 * rto : rto; /* the first waits for one RTO, so does its T3, then each for twice as long */
        rto = rto < h.conf.rto_max ? rto : h.conf.rto_max;
        before = h.now;
        sctp_expire(h.a, h.now);
        assert_int_equal(by_hand_take(&h), SCTP_DATA);
        assert_int_equal(at32(h.out + 16), h.tsn + 3);
        assert_int_equal(by_hand_take(&h), -1);
        by_hand_sack(&h, h.tsn + 2, 0, NULL); /* the probe is not taken */
        assert_int_equal(by_hand_take(&h), -1);
    }
    assert_int_equal(sctp_statistics(h.a)->probes, 1);
    assert_int_equal(sctp_statistics(h.a)->timeouts, 0);
    assert_int_equal(sctp_statistics(h.a)->cwnd, cwnd); /* a probe says nothing about the path */
    assert_int_equal(sctp_state(h.a), SCTP_ESTABLISHED);
    by_hand_sack(&h, h.tsn + 3, 100000, NULL);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    by_hand_close(&h);
}

/* What opens in time is not probed; a probe that was not taken goes out again when the window opens, without T3. */
TEST(a_window_that_opens_needs_no_timer)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    assert_int_equal(by_hand_flood(&h, 10), 3);
    by_hand_sack(&h, h.tsn + 2, 0, NULL);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_sack(&h, h.tsn + 2, 1452, NULL);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn + 3);
    assert_int_equal(by_hand_take(&h), -1);
    assert_int_equal(sctp_statistics(h.a)->probes, 0);
    by_hand_sack(&h, h.tsn + 3, 1451, NULL); /* one octet short: closed for the next */
    assert_int_equal(by_hand_take(&h), -1);
    h.now = sctp_deadline(h.a);
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    by_hand_sack(&h, h.tsn + 3, 0, NULL);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_sack(&h, h.tsn + 3, 2904, NULL);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn + 4);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(at32(h.out + 16), h.tsn + 5);
    assert_int_equal(by_hand_take(&h), -1);
    assert_int_equal(sctp_statistics(h.a)->probes, 1);
    assert_int_equal(sctp_statistics(h.a)->timeouts, 0);
    by_hand_close(&h);
}

/* RFC 9260 6.2: new data that the window has no room for is dropped and answered; what fills a hole is taken. */
TEST(what_the_window_has_no_room_for_is_dropped)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_data(&h, UNORDERED, 1001, 0, 0, 8, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    sctp_credit(h.a, 0, 7);
    by_hand_data(&h, UNORDERED, 1002, 0, 0, 8, 1);
    assert_int_equal(sctp_statistics(h.a)->refused, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 16), 999);
    assert_int_equal(at32(h.out + 20), 7);
    assert_int_equal(at16(h.out + 24), 1);
    assert_int_equal(at32(h.out + 28), 0x00020002);
    by_hand_data(&h, UNORDERED, 1000, 0, 0, 8, 1);
    assert_int_equal(sctp_statistics(h.a)->chunks_rx, 2);
    by_hand_data(&h, UNORDERED, 1002, 0, 0, 7, 1);
    assert_int_equal(sctp_statistics(h.a)->chunks_rx, 3);
    assert_int_equal(sctp_statistics(h.a)->refused, 1);
    by_hand_close(&h);
}

TEST(an_opened_window_is_announced)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    sctp_credit(h.a, 0, 0);
    by_hand_data(&h, UNORDERED, 1000, 0, 0, 8, 1);
    by_hand_data(&h, UNORDERED, 1001, 0, 0, 8, 1);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 20), 0);
    sctp_credit(h.a, 0, 100000);
    assert_int_equal(by_hand_take(&h), SCTP_SACK);
    assert_int_equal(at32(h.out + 20), 100000);
    sctp_credit(h.a, 0, 200000);
    assert_int_equal(by_hand_take(&h), -1); /* it was open */
    by_hand_close(&h);
}
