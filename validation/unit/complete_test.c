/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Local completion: when a request is done, in which order, and what an ended stream says about the rest
 * (RFC 5041 section 5.4, RFC 5040 section 5.5). */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

static struct iw_conf on(enum iw_complete_on when)
{
    struct iw_conf conf = rig_conf();
    conf.complete_on = when;
    return conf;
}

/* checks: DDP-5.4-1 RDMAP-5.5-9 RDMAP-5.5-14 */
TEST(acceptance_completes_when_that_is_chosen)
{
    struct rig r;
    rig_open(&r, on(IW_ON_ACCEPT));
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    rig_send(&r, 1, IW_SEND, m, 0, 4);
    rig_tagged(&r, 2, IW_WRITE, (struct iw_sge){m, 5, 0}, 0x42, 0);
    expect_not_done(r.send_cq);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    expect_not_done(r.send_cq);
    rig_accept(&r); /* nothing says that the peer has it */
    assert_int_equal(expect_done(r.send_cq, 1, IW_SEND, IW_OK).len, 4);
    expect_not_done(r.send_cq);
    assert_true(rig_pull(&r, &u));
    rig_accept(&r);
    assert_int_equal(expect_done(r.send_cq, 2, IW_WRITE, IW_OK).len, 5);
    rig_ack(&r);
    expect_not_done(r.send_cq);
    rig_close(&r);
}

/* checks: DDP-5.4-1 RDMAP-5.5-14 */
TEST(acknowledgement_completes_when_that_is_chosen)
{
    struct rig r;
    rig_open(&r, on(IW_ON_ACK));
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    rig_send(&r, 1, IW_SEND, m, 0, 4);
    rig_tagged(&r, 2, IW_WRITE, (struct iw_sge){m, 5, 0}, 0x42, 0);
    struct ulpdu out[2];
    assert_int_equal(rig_pull_all(&r, out, 2), 2);
    rig_accept(&r);
    expect_not_done(r.send_cq);
    iw_note_acked(r.ep, r.now, out[1].key); /* everything below the second segment */
    expect_done(r.send_cq, 1, IW_SEND, IW_OK);
    expect_not_done(r.send_cq);
    iw_note_acked(r.ep, r.now, out[1].key); /* the same again says nothing new */
    expect_not_done(r.send_cq);
    iw_note_acked(r.ep, r.now, out[1].key + 1);
    expect_done(r.send_cq, 2, IW_WRITE, IW_OK);
    rig_close(&r);
}

/* checks: RDMAP-5.5-14 DDP-5.4-1 */
TEST(a_message_is_done_with_its_last_segment_only)
{
    for (int when = IW_ON_ACCEPT; when <= IW_ON_ACK; when++) {
        struct rig r;
        struct iw_conf conf = on((enum iw_complete_on)when);
        conf.mulpdu = 128;
        rig_open(&r, conf);
        iw_stag m = rig_memory(&r, 0, 300, ALL);
        rig_send(&r, 1, IW_SEND, m, 0, 300);
        struct ulpdu out[3];
        assert_int_equal(rig_pull_all(&r, out, 3), 3);
        for (int i = 0; i < 3; i++) {
            expect_not_done(r.send_cq);
            iw_note_acked(r.ep, r.now, out[i].key);
        }
        expect_not_done(r.send_cq);
        rig_ack(&r);
        expect_done(r.send_cq, 1, IW_SEND, IW_OK);
        rig_close(&r);
    }
}

/* checks: RDMAP-5.5-15 RDMAP-5.5-14 RDMAP-5.5-19 */
TEST(a_send_after_a_read_waits_for_the_read)
{
    struct rig r;
    rig_open(&r, on(IW_ON_ACCEPT));
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    rig_tagged(&r, 2, IW_READ, (struct iw_sge){m, 1, 0}, 0x42, 0);
    rig_send(&r, 3, IW_SEND, m, 0, 1);
    rig_tagged(&r, 4, IW_READ, (struct iw_sge){m, 1, 4}, 0x42, 0);
    rig_tagged(&r, 5, IW_WRITE, (struct iw_sge){m, 1, 0}, 0x42, 0);
    struct ulpdu out[5];
    assert_int_equal(rig_pull_all(&r, out, 5), 5);
    rig_ack(&r);
    expect_done(r.send_cq, 1, IW_SEND, IW_OK);
    expect_not_done(r.send_cq);
    assert_int_equal(rig_arrive_hex(&r, "c1 42 00000100 0000000000000000 | 01"), IW_OK);
    expect_done(r.send_cq, 2, IW_READ, IW_OK);
    expect_done(r.send_cq, 3, IW_SEND, IW_OK);
    expect_not_done(r.send_cq);
    assert_int_equal(rig_arrive_hex(&r, "c1 42 00000100 0000000000000004 | 01"), IW_OK);
    expect_done(r.send_cq, 4, IW_READ, IW_OK);
    expect_done(r.send_cq, 5, IW_WRITE, IW_OK);
    expect_not_done(r.send_cq);
    rig_close(&r);
}

enum { WORKS = 4 };

/* Post `kind[i]` (0 Send, 1 Write, 2 Read) and let acceptance and Responses come in every interleaving; completions
 * must come in order, and never before their own cause. */
static void interleave(const int *kind, uint32_t mask)
{
    struct rig r;
    rig_open(&r, on(IW_ON_ACCEPT));
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    static const enum iw_op ops[] = {IW_SEND, IW_WRITE, IW_READ};
    struct ulpdu out[WORKS];
    for (uint32_t i = 0; i < WORKS; i++)
        rig_tagged(&r, i, ops[kind[i]], (struct iw_sge){m, 1, i}, 0x42, 0);
    assert_int_equal(rig_pull_all(&r, out, WORKS), WORKS);
    uint32_t accepted = 0, answered = 0, told = 0; /* all below are */
    for (int step = 0; step < 2 * WORKS; step++, mask >>= 1) {
        while (answered < WORKS && kind[answered] != 2)
            answered++;
        if (mask & 1 && accepted < WORKS) {
            iw_accepted(r.ep, r.now, out[accepted++].key + 1);
        } else if (answered < WORKS) {
            struct ulpdu u = hex("c1 42 00000100 0000000000000000 | 01");
            u.octets[13] = (uint8_t)answered++;
            assert_int_equal(rig_arrive(&r, u), IW_OK);
        }
        for (; told < WORKS; told++) {
            bool done = kind[told] == 2 ? told < answered : told < accepted;
            if (!done)
                break;
            expect_done(r.send_cq, told, ops[kind[told]], IW_OK);
        }
        expect_not_done(r.send_cq);
    }
    rig_close(&r);
}

/* checks: RDMAP-5.5-15 RDMAP-5.5-14 RDMAP-5.5-19 */
TEST(completions_come_in_the_order_posted)
{
    int kind[WORKS];
    for (int code = 0; code < 81; code++) {
        int c = code;
        for (int i = 0; i < WORKS; i++, c /= 3)
            kind[i] = c % 3;
        for (uint32_t mask = 0; mask < 1u << (2 * WORKS); mask++)
            interleave(kind, mask);
    }
}

/* checks: RDMAP-3.2-1 */
TEST(an_unsignalled_request_says_nothing_when_it_succeeds)
{
    struct rig r;
    rig_open(&r, on(IW_ON_ACCEPT));
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    struct iw_work work = {.id = 1, .op = IW_SEND, .flags = IW_UNSIGNALLED, .sges = 1, .sge = {{m, 1, 0}}};
    assert_int_equal(rig_post(&r, work), IW_OK);
    rig_send(&r, 2, IW_SEND, m, 0, 1);
    struct ulpdu out[2];
    assert_int_equal(rig_pull_all(&r, out, 2), 2);
    rig_accept(&r);
    expect_done(r.send_cq, 2, IW_SEND, IW_OK);
    expect_not_done(r.send_cq);
    work.id = 3;
    assert_int_equal(rig_post(&r, work), IW_OK);
    iw_llp(r.ep, r.now, IW_LLP_LOST);
    struct iw_done done = rig_done(r.send_cq); /* and does when it fails */
    assert_int_equal(done.id, 3);
    assert_true(done.status != IW_OK && done.status != IW_ESTATE);
    expect_not_done(r.send_cq);
    rig_close(&r);
}

enum { POSTED = 7 };

/* One request in each state there is: accepted Send and answered Read behind it (blocked by an open Read), and so on. */
static void busy(struct rig *r)
{
    struct iw_conf conf = on(IW_ON_ACCEPT);
    conf.mulpdu = 128;
    rig_open(r, conf);
    iw_stag m = rig_memory(r, 0, 400, ALL);
    rig_tagged(r, 0, IW_READ, (struct iw_sge){m, 1, 0}, 0x42, 0); /* out, unanswered */
    rig_send(r, 1, IW_SEND, m, 0, 1);                             /* accepted, waits for the Read */
    rig_send(r, 2, IW_SEND, m, 0, 1);                             /* sent, not accepted */
    rig_send(r, 3, IW_SEND, m, 0, 400);                           /* half sent */
    rig_send(r, 4, IW_SEND, m, 0, 1);                             /* not begun */
    struct ulpdu u;
    for (int i = 0; i < 2; i++)
        assert_true(rig_pull(r, &u));
    rig_accept(r);
    for (int i = 0; i < 2; i++)
        assert_true(rig_pull(r, &u));
    rig_recv(r, 5, m, 0, 8);
    rig_recv(r, 6, m, 0, 8);
    expect_not_done(r->send_cq);
}

static void expect_each_once_in_error(struct rig *r)
{
    for (uint64_t id = 0; id < POSTED; id++) {
        struct iw_done done = rig_done(id < 5 ? r->send_cq : r->recv_cq);
        assert_int_equal(done.id, id);
        assert_true(done.status > 0 || done.status == IW_FLUSHED);
        assert_int_equal(done.user, 7);
    }
    expect_not_done(r->send_cq);
    expect_not_done(r->recv_cq);
}

/* checks: DDP-6.2.2-4 RDMAP-5.4-7 RDMAP-6.2.1-2 DDP-6.2.2-1 */
TEST(whatever_ends_a_stream_completes_every_request_once)
{
    for (int how = 0; how < 6; how++) {
        struct rig r;
        busy(&r);
        switch (how) {
        case 0: iw_llp(r.ep, r.now, IW_LLP_LOST); break;
        case 1: iw_llp_failed(r.ep, r.now, IW_T_LLP_CRC); break;
        case 2: assert_int_equal(iw_terminate(r.ep, r.now, IW_T_RDMA_STREAM), IW_OK); break;
        case 3: assert_int_equal(iw_close(r.ep, r.now, IW_ABORT), IW_OK); break;
        case 4:
            assert_int_equal(rig_arrive_hex(&r, "c3 40 00000100 0000000000000000"), IW_TERM(1, 1, 4));
            break;
        case 5:
            assert_int_equal(rig_arrive_hex(&r, "41 47 00000000 00000002 00000001 00000000 02060000"), IW_OK);
            break;
        }
        expect_each_once_in_error(&r);
        rig_ack(&r); /* what the LLP says afterwards changes nothing */
        rig_arrive_hex(&r, "c1 42 00000100 0000000000000000 | 01");
        expect_not_done(r.send_cq);
        expect_not_done(r.recv_cq);
        struct iw_work work = {.op = IW_SEND};
        assert_int_equal(rig_post(&r, work), IW_ESTATE);
        work.op = IW_RECV;
        assert_int_equal(rig_post(&r, work), IW_ESTATE);
        rig_close(&r);
    }
}

/* What was complete before the end stays complete. */
/* checks: DDP-6.2.2-4 DDP-3-3 */
TEST(a_completion_is_final)
{
    struct rig r;
    rig_open(&r, on(IW_ON_ACCEPT));
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    rig_recv(&r, 8, m, 0, 8);
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    rig_send(&r, 2, IW_SEND, m, 0, 1);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    rig_accept(&r);
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000000 | 01"), IW_OK);
    iw_llp(r.ep, r.now, IW_LLP_LOST);
    expect_done(r.send_cq, 1, IW_SEND, IW_OK);
    assert_true(rig_done(r.send_cq).status != IW_OK);
    expect_done(r.recv_cq, 8, IW_RECV, IW_OK);
    expect_not_done(r.recv_cq);
    rig_close(&r);
}

TEST(a_full_send_queue_refuses_and_loses_nothing)
{
    struct rig r;
    struct iw_conf conf = on(IW_ON_ACCEPT);
    conf.sq_max = 3;
    conf.rq_max = 2;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    for (int round = 0; round < 5; round++) {
        struct iw_work work = {.op = IW_SEND};
        for (uint64_t i = 0; i < 3; i++)
            rig_send(&r, i, IW_SEND, m, 0, 1);
        assert_int_equal(rig_post(&r, work), IW_EFULL);
        struct ulpdu out[3];
        assert_int_equal(rig_pull_all(&r, out, 3), 3);
        assert_int_equal(rig_post(&r, work), IW_EFULL); /* cut is not complete */
        rig_accept(&r);
        for (uint64_t i = 0; i < 3; i++)
            expect_done(r.send_cq, i, IW_SEND, IW_OK);
    }
    struct iw_work work = {.op = IW_RECV};
    for (int round = 1; round < 5; round++) {
        assert_int_equal(rig_post(&r, work), IW_OK);
        assert_int_equal(rig_post(&r, work), round == 1 ? IW_OK : IW_EFULL);
        struct ulpdu u = hex("41 43 00000000 00000000 00000000 00000000");
        u.octets[13] = (uint8_t)round;
        assert_int_equal(rig_arrive(&r, u), IW_OK);
        expect_done(r.recv_cq, 0, IW_RECV, IW_OK);
    }
    rig_close(&r);
}
