/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rights taken away while segments are between check and commit (RFC 5041 section 8.3.1 item 6). */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

struct flight {
    struct iw_seg seg;
    struct iw_place place;
    struct ulpdu u;
};

static struct flight check(struct rig *r, const char *text)
{
    struct flight f = {.u = hex(text)};
    iw_seg_view(&f.seg, r->rx_key, f.u.octets, f.u.len);
    assert_int_equal(iw_check(r->ep, r->now, &f.seg, &f.place), IW_OK);
    return f;
}

static int commit(struct rig *r, struct flight *f)
{
    iw_seg_view(&f->seg, f->seg.key, f->u.octets, f->u.len); /* the copy has moved */
    return iw_commit(r->ep, r->now, &f->seg, &f->place);
}

/* checks: DDP-8.3.1-6 RDMAP-8.1.1-6 DDP-8.3-2 DDP-8.2-1 */
TEST(a_cancelled_region_is_not_written_and_the_stream_ends)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    struct flight f = check(&r, "c1 40 00000100 0000000000000000 | 01020304");
    assert_int_equal(iw_revoke(r.stags, m, IW_CANCEL), IW_EBUSY);
    assert_int_equal(commit(&r, &f), IW_TERM(1, 1, 0));
    expect_zero(rig_at(&r, m, 0), 8);
    assert_true(iw_revoked(r.stags, m));
    expect_terminate(&r, IW_TERM(1, 1, 0), "MD", &f.u);
    rig_close(&r);
}

/* checks: DDP-8.3.1-6 RDMAP-8.1.1-6 */
TEST(a_drained_region_takes_what_was_checked_and_no_more)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    struct flight f = check(&r, "81 40 00000100 0000000000000000 | 01020304");
    assert_int_equal(iw_revoke(r.stags, m, IW_DRAIN), IW_EBUSY);
    assert_false(iw_revoked(r.stags, m));
    assert_int_equal(commit(&r, &f), IW_OK);
    assert_true(iw_revoked(r.stags, m));
    expect_octets(rig_at(&r, m, 0), "01020304 00000000");
    r.rx_key = 24;
    assert_int_equal(iw_deliver(r.ep, r.now, 24, NULL), 0);
    struct ulpdu late = hex("c1 40 00000100 0000000000000004 | 05060708");
    assert_int_equal(rig_arrive(&r, late), IW_TERM(1, 1, 0));
    expect_octets(rig_at(&r, m, 0), "01020304 00000000");
    rig_close(&r);
}

/* checks: DDP-8.3.1-6 RDMAP-8.1.1-6 DDP-8.3-2 */
TEST(an_invalidated_region_is_not_written_either)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    struct flight f = check(&r, "c1 40 00000100 0000000000000000 | 01020304");
    assert_int_equal(iw_invalidate(r.stags, m), IW_OK);
    assert_int_equal(commit(&r, &f), IW_TERM(1, 1, 0));
    expect_zero(rig_at(&r, m, 0), 8);
    rig_close(&r);
}

/* A peer's Send with Invalidate is delivered while a later Write to that STag is on its way into memory. */
/* checks: RDMAP-5.3-15 DDP-8.3.1-6 */
TEST(a_peer_s_invalidate_stops_its_own_later_write)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    rig_recv(&r, 1, rig_memory(&r, 0, 8, ALL), 0, 8);
    struct flight f = {.u = hex("c1 40 00000100 0000000000000000 | 01020304")};
    iw_seg_view(&f.seg, 28, f.u.octets, f.u.len);
    assert_int_equal(iw_check(r.ep, r.now, &f.seg, &f.place), IW_OK); /* out of order */
    assert_int_equal(rig_arrive_hex(&r, "41 44 00000100 00000000 00000001 00000000"), IW_OK);
    expect_done(r.recv_cq, 1, IW_RECV, IW_OK);
    assert_int_equal(commit(&r, &f), IW_TERM(1, 1, 0));
    expect_zero(rig_at(&r, m, 0), 8);
    rig_close(&r);
}

/* The receive buffer is ours: when we take it away the peer is not to blame. */
/* checks: RDMAP-4.8-10 DDP-8.3.1-6 RDMAP-7.1-1 */
TEST(a_receive_buffer_taken_away_is_a_local_error)
{
    for (int before = 0; before < 2; before++) {
        struct rig r;
        rig_open(&r, rig_conf());
        iw_stag m = rig_memory(&r, 0, 8, IW_LOCAL_WRITE);
        rig_recv(&r, 1, m, 0, 8);
        const char *text = "41 43 00000000 00000000 00000001 00000000 | 01020304";
        int got;
        if (before) {
            assert_int_equal(iw_revoke(r.stags, m, IW_CANCEL), IW_OK);
            got = rig_arrive_hex(&r, text);
        } else {
            struct flight f = check(&r, text);
            assert_int_equal(iw_revoke(r.stags, m, IW_CANCEL), IW_EBUSY);
            got = commit(&r, &f);
        }
        assert_true(got > 0);
        assert_int_equal(IW_TERM_ETYPE(got), 0); /* local catastrophic */
        expect_zero(rig_at(&r, m, 0), 8);
        struct iw_done done = rig_done(r.recv_cq);
        assert_int_equal(done.id, 1);
        assert_true(done.status != IW_OK);
        expect_terminate(&r, got, "", NULL);
        rig_close(&r);
    }
}

/* However a stream ends, placements in flight still give their hold back. */
/* checks: DDP-8.3.1-6 */
TEST(an_ended_stream_lets_go_of_what_was_in_flight)
{
    for (int how = 0; how < 4; how++) {
        struct rig r;
        rig_open(&r, rig_conf());
        iw_stag m = rig_memory(&r, 0, 8, ALL);
        struct flight f = check(&r, "c1 40 00000100 0000000000000000 | 01020304");
        switch (how) {
        case 0: iw_llp(r.ep, r.now, IW_LLP_LOST); break;
        case 1: assert_int_equal(iw_close(r.ep, r.now, IW_ABORT), IW_OK); break;
        case 2: assert_int_equal(iw_terminate(r.ep, r.now, IW_T_RDMA_STREAM), IW_OK); break;
        case 3: iw_llp_failed(r.ep, r.now, IW_T_LLP_CRC); break;
        }
        assert_int_equal(iw_revoke(r.stags, m, IW_DRAIN), IW_EBUSY);
        commit(&r, &f);
        assert_true(iw_revoked(r.stags, m));
        rig_close(&r);
    }
}

/* A reply while the source of a Read disappears and comes back under the same name: nothing of the new is read. */
/* checks: DDP-8.3-2 RDMAP-8.1.1-4 RDMAP-8.1.1-5 DDP-8.3.1-5 DDP-8.3.1-4 DDP-8.3-1 */
TEST(what_an_stag_means_can_change_between_messages)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, IW_REMOTE_WRITE);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000004 | 01020304"), IW_OK);
    struct iw_region region;
    assert_true(iw_region_of(r.stags, m, &region, NULL));
    region.to = 0x8000; /* another range */
    region.len = 4;
    assert_int_equal(iw_rebind(r.stags, m, &region), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000008000 | 0a0b0c0d"), IW_OK);
    expect_octets(rig_at(&r, m, 0), "0a0b0c0d 01020304");
    region.rights = IW_REMOTE_READ; /* other rights */
    assert_int_equal(iw_rebind(r.stags, m, &region), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 |"
                                        "00000051 0000000000000000 00000004 00000100 0000000000008000"),
                     IW_OK);
    expect_sent(&r, "c1 42 00000051 0000000000000000 | 0a0b0c0d");
    struct ulpdu bad = hex("c1 40 00000100 0000000000008000 | ff");
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 0));
    expect_octets(rig_at(&r, m, 0), "0a0b0c0d 01020304");
    rig_close(&r);
}
