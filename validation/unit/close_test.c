/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a stream ends (RFC 5041 section 6.2, RFC 5040 section 6.2). Time passes only where the test says so. */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

#define expect_request(r, want) assert_int_equal(iw_llp_request((r)->ep), want)

static iw_stag start(struct rig *r, struct iw_conf conf)
{
    rig_open(r, conf);
    return rig_memory(r, 0, 16, ALL);
}

static struct iw_conf ddp_conf(void)
{
    struct iw_conf conf = rig_conf();
    conf.profile = IW_DDP_ONLY;
    conf.queues = 1;
    conf.queue[0] = (struct iw_queue_conf){.qn = 0, .max = 8};
    return conf;
}

/* checks: DDP-6.2.1-1 DDP-6.2.1-2 RDMAP-6.2-1 DDP-3-8b RDMAP-7-1b DDP-6.2-2 */
TEST(a_graceful_close_sends_everything_first)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_send(&r, 1, IW_SEND, m, 0, 4);
    rig_tagged(&r, 2, IW_WRITE, (struct iw_sge){m, 4, 0}, 0x42, 0);
    assert_int_equal(iw_close(r.ep, r.now, IW_CLOSE), IW_OK);
    struct iw_work late = {.op = IW_SEND};
    assert_int_equal(rig_post(&r, late), IW_ESTATE);
    expect_request(&r, IW_LLP_NOTHING);
    expect_sent(&r, "41 43 00000000 00000000 00000001 00000000 | 00000000");
    expect_request(&r, IW_LLP_NOTHING);
    expect_sent(&r, "c1 40 00000042 0000000000000000 | 00000000");
    expect_silence(&r);
    expect_request(&r, IW_LLP_SEND_FIN);
    expect_request(&r, IW_LLP_NOTHING); /* each answer once */
    rig_ack(&r);
    expect_done(r.send_cq, 1, IW_SEND, IW_OK);
    expect_done(r.send_cq, 2, IW_WRITE, IW_OK);
    iw_llp(r.ep, r.now, IW_LLP_FIN);
    iw_llp(r.ep, r.now, IW_LLP_DOWN);
    expect_event(&r, IW_EV_HALF_CLOSED);
    expect_event(&r, IW_EV_CLOSED);
    expect_no_event(&r);
    expect_request(&r, IW_LLP_NOTHING);
    rig_close(&r);
}

/* Both ULPs close when they have said all: neither end loses anything, neither hears of an error. */
/* checks: DDP-6.2.1-0 */
TEST(two_ends_that_close_together_stop_together)
{
    struct rig r[2];
    for (int i = 0; i < 2; i++) {
        iw_stag m = start(&r[i], rig_conf());
        rig_recv(&r[i], 9, m, 0, 4);
        rig_send(&r[i], 1, IW_SEND, m, 0, 4);
        assert_int_equal(iw_close(r[i].ep, r[i].now, IW_CLOSE), IW_OK);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rig_carry(&r[i], &r[!i]), IW_OK);
        expect_request(&r[i], IW_LLP_SEND_FIN);
    }
    for (int i = 0; i < 2; i++) {
        iw_llp(r[i].ep, r[i].now, IW_LLP_FIN);
        iw_llp(r[i].ep, r[i].now, IW_LLP_DOWN);
        expect_done(r[i].send_cq, 1, IW_SEND, IW_OK);
        expect_done(r[i].recv_cq, 9, IW_RECV, IW_OK);
        expect_event(&r[i], IW_EV_HALF_CLOSED);
        expect_event(&r[i], IW_EV_CLOSED);
        expect_no_event(&r[i]);
        rig_close(&r[i]);
    }
}

/* checks: DDP-6.2.1-1 */
TEST(a_read_response_owed_to_the_peer_goes_before_the_fin)
{
    struct rig r;
    start(&r, rig_conf());
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 |"
                                        "00000051 0000000000000000 00000002 00000100 0000000000000000"),
                     IW_OK);
    assert_int_equal(iw_close(r.ep, r.now, IW_CLOSE), IW_OK);
    expect_request(&r, IW_LLP_NOTHING);
    expect_sent(&r, "c1 42 00000051 0000000000000000 | 0000");
    expect_request(&r, IW_LLP_SEND_FIN);
    rig_close(&r);
}

/* checks: DDP-6.2.1-1 RDMAP-5.5-19 */
TEST(a_read_posted_before_the_close_still_completes)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_tagged(&r, 1, IW_READ, (struct iw_sge){m, 2, 0}, 0x42, 0);
    assert_int_equal(iw_close(r.ep, r.now, IW_CLOSE), IW_OK);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(rig_arrive_hex(&r, "c1 42 00000100 0000000000000000 | 0102"), IW_OK);
    expect_done(r.send_cq, 1, IW_READ, IW_OK);
    expect_request(&r, IW_LLP_SEND_FIN);
    rig_close(&r);
}

/* However long the queue takes to drain: the wait for the peer begins with the FIN. */
/* checks: DDP-6.2.1-1 */
TEST(a_slow_queue_is_not_cut_off_by_the_linger)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    for (uint64_t i = 0; i < 8; i++)
        rig_send(&r, i, IW_SEND, m, 0, 4);
    assert_int_equal(iw_close(r.ep, r.now, IW_CLOSE), IW_OK);
    for (int i = 0; i < 8; i++) {
        struct ulpdu u;
        r.now += r.conf.linger;
        if (iw_deadline(r.ep) <= r.now)
            iw_expire(r.ep, r.now);
        assert_true(rig_pull(&r, &u));
        rig_accept(&r);
        expect_done(r.send_cq, (uint64_t)i, IW_SEND, IW_OK);
    }
    expect_request(&r, IW_LLP_SEND_FIN);
    assert_true(iw_deadline(r.ep) == r.now + r.conf.linger);
    iw_expire(r.ep, r.now); /* too early: nothing */
    expect_request(&r, IW_LLP_NOTHING);
    expect_no_event(&r);
    r.now = iw_deadline(r.ep);
    iw_expire(r.ep, r.now);
    expect_request(&r, IW_LLP_SEND_RST);
    expect_event(&r, IW_EV_CLOSED);
    assert_true(iw_deadline(r.ep) == IW_NEVER);
    rig_close(&r);
}

/* checks: DDP-6.2.1-4 DDP-6.2.1-5 DDP-3-9a DDP-3-9b */
TEST(the_peer_s_half_close_is_told_and_sending_goes_on)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_recv(&r, 9, m, 0, 4);
    iw_llp(r.ep, r.now, IW_LLP_FIN);
    expect_event(&r, IW_EV_HALF_CLOSED);
    expect_no_event(&r);
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    expect_sent(&r, "41 43 00000000 00000000 00000001 00000000 | 00");
    rig_accept(&r);
    expect_done(r.send_cq, 1, IW_SEND, IW_OK);
    expect_request(&r, IW_LLP_NOTHING);
    assert_int_equal(iw_close(r.ep, r.now, IW_CLOSE), IW_OK);
    expect_request(&r, IW_LLP_SEND_FIN); /* not RST */
    iw_llp(r.ep, r.now, IW_LLP_DOWN);
    expect_event(&r, IW_EV_CLOSED);
    struct iw_done done = rig_done(r.recv_cq); /* the receive that nobody can use any more */
    assert_int_equal(done.id, 9);
    assert_int_equal(done.status, IW_FLUSHED);
    expect_request(&r, IW_LLP_NOTHING);
    rig_close(&r);
}

/* checks: DDP-6.2.1-6 */
TEST(our_half_close_keeps_reception_open)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_recv(&r, 9, m, 8, 8);
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    assert_int_equal(iw_close(r.ep, r.now, IW_HALF_CLOSE), IW_OK);
    expect_sent(&r, "41 43 00000000 00000000 00000001 00000000 | 00");
    expect_request(&r, IW_LLP_SEND_FIN);
    r.now += 100 * r.conf.linger; /* reception has no deadline */
    if (iw_deadline(r.ep) <= r.now)
        iw_expire(r.ep, r.now);
    expect_request(&r, IW_LLP_NOTHING);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000000 | 0102"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000000 | 05"), IW_OK);
    expect_done(r.recv_cq, 9, IW_RECV, IW_OK);
    expect_octets(rig_at(&r, m, 0), "0102");
    struct iw_work work = {.op = IW_SEND};
    assert_int_equal(rig_post(&r, work), IW_ESTATE);
    work = (struct iw_work){.op = IW_RECV};
    assert_int_equal(rig_post(&r, work), IW_OK); /* receives still make sense */
    expect_no_event(&r);
    rig_close(&r);
}

/* checks: DDP-6.2.1-3 */
TEST(data_after_the_peer_s_fin_is_an_abort)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000000 | 01"), IW_OK);
    iw_llp(r.ep, r.now, IW_LLP_FIN);
    expect_event(&r, IW_EV_HALF_CLOSED);
    r.rx_key = 0; /* a duplicate below the edge is no data */
    rig_arrive_hex(&r, "c1 40 00000100 0000000000000000 | 01");
    expect_request(&r, IW_LLP_NOTHING);
    r.rx_key = 100;
    assert_true(rig_arrive_hex(&r, "c1 40 00000100 0000000000000000 | ff") != IW_OK);
    expect_octets(rig_at(&r, m, 0), "01");
    expect_request(&r, IW_LLP_SEND_RST);
    assert_true(rig_done(r.send_cq).status != IW_OK);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: DDP-6.2.2-1 DDP-6.2.2-4 DDP-7-1 RDMAP-6.2-1 DDP-3-3 */
TEST(a_lost_connection_is_fatal)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    rig_recv(&r, 2, m, 8, 8);
    iw_llp(r.ep, r.now, IW_LLP_LOST);
    struct iw_event event = expect_event(&r, IW_EV_FATAL);
    assert_int_equal(event.terminate.term, IW_TERM(2, 0, 1));
    expect_event(&r, IW_EV_CLOSED);
    expect_no_event(&r);
    expect_silence(&r); /* nobody to tell */
    assert_true(rig_done(r.send_cq).status != IW_OK);
    assert_true(rig_done(r.recv_cq).status != IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000000 | 01"), IW_ESTATE);
    assert_int_equal(iw_close(r.ep, r.now, IW_CLOSE), IW_ESTATE);
    iw_llp(r.ep, r.now, IW_LLP_LOST); /* once is enough */
    expect_no_event(&r);
    expect_request(&r, IW_LLP_NOTHING); /* there is nothing to close */
    rig_close(&r);
}

/* checks: DDP-6.2.2-2 DDP-7-1 RDMAP-6.2.1-1 RDMAP-7.1-0 */
TEST(an_error_of_the_llp_is_passed_up_and_terminated)
{
    static const int terms[] = {IW_T_LLP_CRC, IW_T_LLP_MARKER, IW_T_LLP_CATASTROPHIC, IW_T_LLP_IRD,
                                IW_T_LLP_RTR};
    for (int i = 0; i < 5; i++) {
        struct rig r;
        start(&r, rig_conf());
        iw_llp_failed(r.ep, r.now, terms[i]);
        expect_terminate(&r, terms[i], "", NULL);
        expect_request(&r, IW_LLP_SEND_FIN);
        rig_close(&r);
    }
}

/* checks: RDMAP-6.2.1-3 RDMAP-6.2.1-4 RDMAP-6.2-1 DDP-3-8b RDMAP-7-1b RDMAP-7-2 */
TEST(after_a_terminate_comes_a_fin_and_at_last_a_reset)
{
    struct rig r;
    start(&r, rig_conf());
    r.now = 5000;
    assert_int_equal(rig_arrive_hex(&r, "c1 40 deadbeef 0000000000000000 | 01"), IW_TERM(1, 1, 0));
    expect_request(&r, IW_LLP_NOTHING); /* the Terminate has not left */
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    expect_request(&r, IW_LLP_SEND_FIN); /* gracefully, so that it arrives */
    expect_request(&r, IW_LLP_NOTHING);
    assert_true(iw_deadline(r.ep) == r.now + r.conf.linger);
    iw_expire(r.ep, iw_deadline(r.ep) - 1);
    expect_request(&r, IW_LLP_NOTHING);
    r.now = iw_deadline(r.ep);
    iw_expire(r.ep, r.now);
    expect_request(&r, IW_LLP_SEND_RST);
    expect_event(&r, IW_EV_FATAL);
    expect_event(&r, IW_EV_TERMINATE_SENT);
    expect_event(&r, IW_EV_CLOSED);
    expect_no_event(&r);
    rig_close(&r);
}

/* checks: RDMAP-6.2.1-4 */
TEST(a_peer_that_answers_the_fin_ends_it_sooner)
{
    struct rig r;
    start(&r, rig_conf());
    assert_int_equal(iw_terminate(r.ep, r.now, IW_T_RDMA_STREAM), IW_OK);
    expect_terminate(&r, IW_T_RDMA_STREAM, "", NULL);
    expect_request(&r, IW_LLP_SEND_FIN);
    iw_llp(r.ep, r.now, IW_LLP_FIN);
    iw_llp(r.ep, r.now, IW_LLP_DOWN);
    expect_event(&r, IW_EV_CLOSED);
    assert_true(iw_deadline(r.ep) == IW_NEVER);
    expect_request(&r, IW_LLP_NOTHING);
    rig_close(&r);
}

/* checks: RDMAP-6.2-1 DDP-6.2.2-4 */
TEST(an_abort_is_immediate)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    assert_int_equal(iw_close(r.ep, r.now, IW_ABORT), IW_OK);
    expect_request(&r, IW_LLP_SEND_RST);
    expect_silence(&r);
    assert_int_equal(rig_done(r.send_cq).status, IW_FLUSHED);
    expect_event(&r, IW_EV_CLOSED);
    assert_int_equal(iw_close(r.ep, r.now, IW_ABORT), IW_ESTATE);
    expect_request(&r, IW_LLP_NOTHING);
    rig_close(&r);
}

/* Without RDMAP the ULP decides: after an error DDP only reports, drops, and lets one more message out. */
/* checks: DDP-6.2-1 DDP-6.2.2-3 DDP-6.2.2-5 DDP-6.2.2-6 DDP-7.1-E1 DDP-7.1-E2 DDP-7.1-E3 DDP-7.1-E4 DDP-6.2.2-4 */
TEST(ddp_alone_never_ends_a_stream_by_itself)
{
    struct rig r;
    iw_stag m = start(&r, ddp_conf());
    struct iw_work work = {.id = 1, .op = IW_DDP_UNTAGGED, .sges = 1, .sge = {{m, 1, 0}}, .rsvdulp = 0x47};
    assert_int_equal(rig_post(&r, work), IW_OK);
    struct ulpdu bad = hex("c1 00 deadbeef 0000000000000000 | 0102");
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 0));
    struct iw_event event = expect_event(&r, IW_EV_FATAL);
    assert_int_equal(event.terminate.term, IW_TERM(1, 1, 0));
    assert_true(event.terminate.m && event.terminate.d);
    assert_int_equal(event.terminate.segment_len, 16);
    assert_int_equal(event.terminate.head_len, 14);
    assert_memory_equal(event.terminate.head, bad.octets, 14);
    assert_true(rig_done(r.send_cq).status != IW_OK);
    expect_silence(&r);
    expect_request(&r, IW_LLP_NOTHING);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 0000000000000000 | 01"), IW_ESTATE);
    expect_zero(rig_at(&r, m, 0), 16);
    r.now += 1000 * r.conf.linger; /* it stays so for as long as the ULP likes */
    if (iw_deadline(r.ep) <= r.now)
        iw_expire(r.ep, r.now);
    expect_request(&r, IW_LLP_NOTHING);
    expect_no_event(&r);
    work.id = 2;
    assert_int_equal(rig_post(&r, work), IW_OK);
    expect_sent(&r, "41 0000000047 00000000 00000001 00000000 | 00"); /* the first that was sent */
    rig_ack(&r);
    expect_done(r.send_cq, 2, IW_DDP_UNTAGGED, IW_OK);
    assert_int_equal(iw_close(r.ep, r.now, IW_CLOSE), IW_OK);
    expect_request(&r, IW_LLP_SEND_FIN);
    rig_close(&r);
}

/* checks: DDP-6.2.2-2 DDP-6.2.2-5 DDP-6.2-1 DDP-7-1 */
TEST(ddp_alone_reports_the_llp_s_errors)
{
    struct rig r;
    start(&r, ddp_conf());
    iw_llp_failed(r.ep, r.now, IW_T_LLP_CRC);
    assert_int_equal(expect_event(&r, IW_EV_FATAL).terminate.term, IW_TERM(2, 0, 2));
    expect_request(&r, IW_LLP_NOTHING);
    assert_int_equal(iw_close(r.ep, r.now, IW_ABORT), IW_OK);
    expect_request(&r, IW_LLP_SEND_RST);
    expect_event(&r, IW_EV_CLOSED);
    rig_close(&r);
}

/* checks: DDP-6.2.1-3 DDP-6.2.2-1 */
TEST(a_fin_in_the_middle_of_a_read_is_a_loss)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_tagged(&r, 1, IW_READ, (struct iw_sge){m, 4, 0}, 0x42, 0);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    iw_llp(r.ep, r.now, IW_LLP_FIN); /* it can never be answered now */
    assert_int_equal(expect_event(&r, IW_EV_FATAL).terminate.term, IW_TERM(2, 0, 1));
    assert_true(rig_done(r.send_cq).status != IW_OK);
    rig_close(&r);
}

/* checks: DDP-6.2.2-1 */
TEST(a_fin_in_the_middle_of_a_message_is_a_loss)
{
    for (int how = 0; how < 3; how++) {
        struct rig r;
        struct iw_conf conf = rig_conf();
        if (how != 2)
            conf.profile = IW_STRICT; /* who follows each message knows that one is open */
        start(&r, conf);
        rig_recv(&r, 1, 0x100, 0, 8);
        if (how == 0)
            assert_int_equal(rig_arrive_hex(&r, "81 40 00000100 0000000000000000 | 01"), IW_OK);
        if (how == 1)
            assert_int_equal(rig_arrive_hex(&r, "01 43 00000000 00000000 00000001 00000000 | 01"), IW_OK);
        if (how == 2) { /* and everybody knows of a hole */
            struct ulpdu late = hex("c1 40 00000100 0000000000000000 | 01");
            struct iw_seg seg;
            iw_seg_view(&seg, 100, late.octets, late.len);
            assert_int_equal(iw_receive(r.ep, r.now, &seg), IW_OK);
        }
        iw_llp(r.ep, r.now, IW_LLP_FIN);
        assert_int_equal(expect_event(&r, IW_EV_FATAL).terminate.term, IW_TERM(2, 0, 1));
        assert_true(rig_done(r.recv_cq).status != IW_OK);
        rig_close(&r);
    }
}

/* checks: DDP-6.2.1-4 RDMAP-5.5-19 */
TEST(after_the_peer_s_fin_neither_receives_nor_reads_make_sense)
{
    struct rig r;
    iw_stag m = start(&r, rig_conf());
    rig_send(&r, 1, IW_SEND, m, 0, 1);
    rig_tagged(&r, 2, IW_READ, (struct iw_sge){m, 1, 0}, 0x42, 0);
    iw_llp(r.ep, r.now, IW_LLP_FIN); /* nothing has left yet */
    expect_event(&r, IW_EV_HALF_CLOSED);
    struct iw_work work = {.op = IW_RECV, .sges = 1, .sge = {{m, 1, 0}}};
    assert_int_equal(rig_post(&r, work), IW_ESTATE);
    work.op = IW_READ;
    assert_int_equal(rig_post(&r, work), IW_ESTATE);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    rig_ack(&r);
    expect_done(r.send_cq, 1, IW_SEND, IW_OK);
    expect_silence(&r); /* nobody would answer the Read: it fails, and does not wait */
    assert_int_equal(rig_done(r.send_cq).id, 2);
    expect_event(&r, IW_EV_FATAL);
    rig_close(&r);
}

/* An MPA responder may not speak before the first segment; when none can come any more, nothing waits for it. */
/* checks: DDP-6.2.2-4 */
TEST(a_responder_that_may_never_speak_fails_its_requests)
{
    struct rig r;
    rig_init(&r, rig_conf());
    assert_int_equal(iw_enable(r.ep, r.now, IW_WAIT_FIRST), IW_OK);
    rig_send(&r, 1, IW_SEND, rig_memory(&r, 0, 4, ALL), 0, 4);
    expect_silence(&r);
    iw_llp(r.ep, r.now, IW_LLP_FIN);
    expect_silence(&r);
    assert_int_equal(rig_done(r.send_cq).id, 1);
    expect_event(&r, IW_EV_FATAL);
    rig_close(&r);
}

/* checks: RDMAP-6.2.1-3 DDP-6.2.2-4 */
TEST(a_terminate_that_the_llp_never_takes_is_given_up)
{
    struct rig r;
    start(&r, rig_conf());
    r.now = 77;
    assert_int_equal(iw_terminate(r.ep, r.now, IW_T_RDMA_STREAM), IW_OK);
    assert_true(iw_deadline(r.ep) == 77 + r.conf.linger);
    r.now = iw_deadline(r.ep);
    iw_expire(r.ep, r.now);
    expect_request(&r, IW_LLP_SEND_RST);
    expect_silence(&r);
    expect_event(&r, IW_EV_FATAL);
    expect_event(&r, IW_EV_CLOSED);
    rig_close(&r);
}

/* checks: DDP-3-8b DDP-6.2.1-2 */
TEST(posting_is_refused_from_the_close_on)
{
    static const enum iw_close_how hows[] = {IW_CLOSE, IW_HALF_CLOSE, IW_ABORT};
    for (int i = 0; i < 3; i++) {
        struct rig r;
        iw_stag m = start(&r, rig_conf());
        assert_int_equal(iw_close(r.ep, r.now, hows[i]), IW_OK);
        static const enum iw_op ops[] = {IW_SEND, IW_WRITE, IW_READ, IW_SEND_SE_INV};
        for (int k = 0; k < 4; k++) {
            struct iw_work work = {.op = ops[k], .sges = 1, .sge = {{m, 1, 0}}};
            assert_int_equal(rig_post(&r, work), IW_ESTATE);
        }
        expect_silence(&r);
        expect_not_done(r.send_cq);
        rig_close(&r);
    }
}

/* The connection is gone before the LLP was asked what to do: there is nothing to send a FIN or RST on. */
/* checks: DDP-6.2.2-1 */
TEST(nothing_is_wanted_of_an_llp_that_is_gone)
{
    static const enum iw_llp_says gone[] = {IW_LLP_LOST, IW_LLP_DOWN};
    static const enum iw_close_how hows[] = {IW_CLOSE, IW_HALF_CLOSE, IW_ABORT};
    for (int i = 0; i < 6; i++) {
        struct rig r;
        start(&r, rig_conf());
        assert_int_equal(iw_close(r.ep, r.now, hows[i % 3]), IW_OK);
        iw_llp(r.ep, r.now, gone[i / 3]);
        bool aborted = hows[i % 3] == IW_ABORT; /* it was closed already: the RST may still be asked for */
        expect_request(&r, aborted ? IW_LLP_SEND_RST : IW_LLP_NOTHING);
        expect_request(&r, IW_LLP_NOTHING);
        rig_close(&r);
    }
}
