/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion queues: order, arming, overflow, trust (RFC 5040 sections 5.3 and 8.1.1). */
#include "rig.h"

#include <stdlib.h>

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

static struct iw_cq *queue(uint32_t entries, uint32_t trust)
{
    return iw_cq_init(malloc(iw_cq_size(entries)), entries, trust);
}

static int arrive_send(struct rig *r, uint32_t msn, uint8_t opcode)
{
    struct ulpdu u = hex("41 43 00000000 00000000 00000000 00000000");
    u.octets[1] = 0x40 | opcode;
    u.octets[13] = (uint8_t)msn;
    return rig_arrive(r, u);
}

TEST(a_queue_gives_back_what_came_first)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.send_cq = conf.recv_cq = queue(3, 1);
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    for (uint32_t round = 0; round < 7; round++) { /* around the ring, one entry full */
        rig_recv(&r, 2 * round, m, 0, 8);
        rig_send(&r, 2 * round + 1, IW_SEND, m, 0, 1);
        assert_int_equal(arrive_send(&r, round + 1, 3), IW_OK);
        struct ulpdu u;
        assert_true(rig_pull(&r, &u));
        rig_accept(&r);
        expect_done(r.recv_cq, 2 * round, IW_RECV, IW_OK);
        expect_done(r.send_cq, 2 * round + 1, IW_SEND, IW_OK);
        expect_not_done(r.send_cq);
    }
    assert_false(iw_cq_overflowed(conf.send_cq));
    rig_close(&r);
    free(conf.send_cq);
}

/* Three of three entries, the oldest in the middle of the ring, then four of five. */
TEST(a_queue_that_is_moved_keeps_its_entries)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.send_cq = conf.recv_cq = queue(3, 1);
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    for (uint32_t msn = 1; msn <= 4; msn++) {
        rig_recv(&r, msn, m, 0, 8);
        assert_int_equal(arrive_send(&r, msn, 3), IW_OK);
        if (msn == 2)
            expect_done(r.recv_cq, 1, IW_RECV, IW_OK);
    }
    void *ring = malloc(iw_cq_size(5));
    iw_cq_move(r.recv_cq, ring, 5);
    rig_recv(&r, 5, m, 0, 8);
    assert_int_equal(arrive_send(&r, 5, 3), IW_OK);
    for (uint32_t id = 2; id <= 5; id++)
        expect_done(r.recv_cq, id, IW_RECV, IW_OK);
    expect_not_done(r.recv_cq);
    assert_false(iw_cq_overflowed(r.recv_cq));
    rig_close(&r);
    free(ring);
    free(conf.recv_cq);
}

/* checks: RDMAP-5.3-6 RDMAP-3.2-2 */
TEST(an_event_comes_when_asked_for_and_once)
{
    static const uint8_t sends[] = {3, 4, 5, 6}; /* Send, with Invalidate, with SE, with SE and Invalidate */
    static const enum iw_arm arms[] = {IW_ARM_NONE, IW_ARM_SOLICITED, IW_ARM_OWN, IW_ARM_ALL};
    for (int a = 0; a < 4; a++) {
        for (int s = 0; s < 4; s++) {
            struct rig r;
            rig_open(&r, rig_conf());
            iw_stag m = rig_memory(&r, 0, 8, ALL);
            struct ulpdu u = hex("41 40 00000000 00000000 00000001 00000000");
            u.octets[1] |= sends[s];
            iw_put32(u.octets + 2, rig_memory(&r, 0, 8, ALL));
            rig_recv(&r, 1, m, 0, 8);
            rig_recv(&r, 2, m, 0, 8);
            iw_cq_arm(r.recv_cq, arms[a]);
            assert_false(iw_cq_event(r.recv_cq));
            assert_int_equal(rig_arrive(&r, u), IW_OK);
            bool solicited = sends[s] >= 5;
            bool some = arms[a] == IW_ARM_SOLICITED || arms[a] == IW_ARM_OWN;
            bool want = arms[a] == IW_ARM_ALL || (some && solicited);
            assert_int_equal(iw_cq_event(r.recv_cq), want);
            assert_false(iw_cq_event(r.recv_cq));
            assert_int_equal(arrive_send(&r, 2, 5), IW_OK); /* armed for one only */
            bool second = some && !solicited;
            assert_int_equal(iw_cq_event(r.recv_cq), second);
            rig_close(&r);
        }
    }
}

/* checks: RDMAP-5.3-6 */
TEST(a_failure_counts_as_solicited)
{
    static const enum iw_arm arms[] = {IW_ARM_SOLICITED, IW_ARM_OWN};
    for (int i = 0; i < 2; i++) {
        struct rig r;
        rig_open(&r, rig_conf());
        rig_recv(&r, 1, rig_memory(&r, 0, 8, ALL), 0, 8);
        iw_cq_arm(r.recv_cq, arms[i]);
        iw_llp(r.ep, r.now, IW_LLP_LOST);
        assert_true(iw_cq_event(r.recv_cq));
        rig_close(&r);
    }
}

/* A Send of our own is an event where the queue is armed as if Sends had one of their own. */
TEST(a_request_of_our_own_is_an_event_if_asked_for)
{
    static const enum iw_arm arms[] = {IW_ARM_SOLICITED, IW_ARM_OWN, IW_ARM_ALL};
    for (int i = 0; i < 3; i++) {
        struct rig r;
        struct ulpdu u;
        rig_open(&r, rig_conf());
        iw_cq_arm(r.send_cq, arms[i]);
        rig_send(&r, 1, IW_SEND, rig_memory(&r, 0, 8, ALL), 0, 1);
        assert_true(rig_pull(&r, &u));
        rig_accept(&r);
        assert_int_equal(iw_cq_event(r.send_cq), arms[i] != IW_ARM_SOLICITED);
        rig_close(&r);
    }
}

/* An adapter takes the entry, and says when it is written: only then is there an event, for what is asked for by then. */
TEST(a_deferred_event_comes_when_the_entry_is_written)
{
    struct rig r;
    struct iw_done done;
    rig_open(&r, rig_conf());
    iw_cq_defer_events(r.recv_cq);
    iw_cq_arm(r.recv_cq, IW_ARM_ALL);
    rig_recv(&r, 1, rig_memory(&r, 0, 8, ALL), 0, 8);
    assert_int_equal(arrive_send(&r, 1, 3), IW_OK);
    assert_true(iw_poll(r.recv_cq, &done));
    assert_false(iw_cq_event(r.recv_cq));
    iw_cq_arm(r.recv_cq, IW_ARM_SOLICITED); /* which it is not */
    iw_cq_written(r.recv_cq, &done);
    assert_false(iw_cq_event(r.recv_cq));
    iw_cq_arm(r.recv_cq, IW_ARM_ALL);
    iw_cq_written(r.recv_cq, &done);
    assert_true(iw_cq_event(r.recv_cq));
    iw_cq_written(r.recv_cq, &done); /* armed for one only */
    assert_false(iw_cq_event(r.recv_cq));
    rig_close(&r);
}

/* checks: RDMAP-8.1.1-10 */
TEST(an_overflow_ends_the_streams_of_that_queue_only)
{
    struct iw_cq *small = queue(2, 1), *large = queue(32, 1);
    struct iw_stags *stags = iw_stags_init(malloc(iw_stags_size(8)), 8, 0);
    struct rig r[3];
    for (uint32_t i = 0; i < 3; i++) { /* two on the small queue, one beside it; memory is theirs together */
        struct iw_conf conf = rig_conf();
        conf.stags = stags;
        conf.stream = i + 1;
        conf.send_cq = large;
        conf.recv_cq = i < 2 ? small : large;
        rig_open(&r[i], conf);
    }
    iw_stag m = rig_memory(&r[0], 0, 8, ALL);
    for (uint64_t i = 0; i < 4; i++)
        rig_recv(&r[0], i, m, 0, 8);
    rig_recv(&r[1], 10, m, 0, 8);
    rig_recv(&r[2], 20, m, 0, 8);
    assert_int_equal(arrive_send(&r[0], 1, 3), IW_OK);
    assert_int_equal(arrive_send(&r[0], 2, 3), IW_OK);
    assert_false(iw_cq_overflowed(small));
    arrive_send(&r[0], 3, 3);
    assert_true(iw_cq_overflowed(small));
    struct iw_event event = expect_event(&r[0], IW_EV_FATAL);
    assert_int_equal(event.terminate.term, IW_TERM(0, 0, 0));
    expect_sent(&r[0], "41 47 00000000 00000002 00000001 00000000 | 00 00 00 00");
    expect_done(small, 0, IW_RECV, IW_OK); /* what was in it is still good */
    expect_done(small, 1, IW_RECV, IW_OK);
    expect_not_done(small);

    arrive_send(&r[1], 1, 3); /* the same queue: no completion can be trusted there any more */
    assert_int_equal(expect_event(&r[1], IW_EV_FATAL).terminate.term, IW_TERM(0, 0, 0));

    assert_int_equal(arrive_send(&r[2], 1, 3), IW_OK); /* another queue */
    expect_done(large, 20, IW_RECV, IW_OK);
    expect_no_event(&r[2]);
    for (int i = 0; i < 3; i++)
        rig_close(&r[i]);
    free(small);
    free(large);
    free(stags);
}

/* checks: RDMAP-8.1.1-10 */
TEST(sends_overflow_a_queue_too)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.send_cq = queue(1, 1);
    conf.recv_cq = queue(8, 1);
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    for (uint64_t i = 0; i < 3; i++)
        rig_send(&r, i, IW_SEND, m, 0, 1);
    struct ulpdu out[3];
    assert_int_equal(rig_pull_all(&r, out, 3), 3);
    rig_accept(&r);
    assert_int_equal(expect_event(&r, IW_EV_FATAL).terminate.term, IW_TERM(0, 0, 0));
    expect_done(conf.send_cq, 0, IW_SEND, IW_OK);
    expect_not_done(conf.send_cq);
    assert_true(iw_cq_overflowed(conf.send_cq));
    rig_close(&r);
    free(conf.send_cq);
    free(conf.recv_cq);
}

/* checks: RDMAP-8.1.1-9 DDP-8.3.2-3 RDMAP-8.1.2-3 */
TEST(a_queue_of_another_trust_group_is_refused)
{
    struct iw_cq *ours = queue(4, 1), *theirs = queue(4, 2);
    struct iw_conf conf = rig_conf();
    conf.stags = iw_stags_init(malloc(iw_stags_size(1)), 1, 0);
    for (int i = 0; i < 4; i++) {
        conf.send_cq = i & 1 ? theirs : ours;
        conf.recv_cq = i & 2 ? theirs : ours;
        assert_int_equal(iw_conf_error(&conf) == NULL, i == 0);
        char block[1];
        if (i)
            assert_null(iw_ep_init(block, &conf));
    }
    free(conf.stags);
    free(ours);
    free(theirs);
}
