/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiving side of DDP: where octets go, and what is told when a message is whole (RFC 5041 sections 4, 5). */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

static struct iw_conf ddp_conf(void)
{
    struct iw_conf conf = rig_conf();
    conf.profile = IW_DDP_ONLY;
    conf.queues = 2;
    conf.queue[0] = (struct iw_queue_conf){.qn = 0, .max = 8};
    conf.queue[1] = (struct iw_queue_conf){.qn = 0xfffffffe, .max = 8};
    return conf;
}

static void recv_on(struct rig *r, uint64_t id, uint32_t qn, iw_stag stag, uint64_t to, uint32_t len)
{
    struct iw_work work = {.id = id, .op = IW_RECV, .qn = qn, .sges = 1, .sge = {{stag, len, to}}};
    assert_int_equal(rig_post(r, work), IW_OK);
}

/* checks: DDP-4.1-1 DDP-4.2-3 DDP-4.2-4 DDP-4.2-9 DDP-5.4-8 DDP-8.3.1-5 */
TEST(a_tagged_message_lands_at_its_stag_and_to)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0x1000, 16, IW_REMOTE_WRITE);
    assert_int_equal(rig_arrive_hex(&r, "c1 a5 00000100 0000000000001004 | 01020304"), IW_OK);
    expect_octets(rig_at(&r, m, 0x1000), "00000000 01020304 0000000000000000");
    assert_int_equal(r.messages, 1);
    assert_true(r.message[0].head.tagged);
    assert_int_equal(r.message[0].head.rsvdulp, 0xa5);
    assert_int_equal(r.message[0].head.stag, m);
    assert_int_equal(r.message[0].to, 0x1004);
    assert_int_equal(r.message[0].length, 4);
    assert_int_equal(r.message[0].segments, 1);
    assert_int_equal(r.message[0].segments_ooo, 0);
    expect_not_done(r.recv_cq);
    rig_close(&r);
}

/* checks: DDP-4.1-2 DDP-4.3-3 DDP-4.3-4 DDP-5.1.2-1 DDP-5.4-6 DDP-5.4-7 DDP-5.4-8 RDMAP-3.1-5 */
TEST(an_untagged_message_lands_in_the_buffer_of_its_qn_and_msn)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 32, IW_LOCAL_WRITE);
    recv_on(&r, 10, 0, m, 0, 8);
    recv_on(&r, 20, 0xfffffffe, m, 8, 8);
    recv_on(&r, 11, 0, m, 16, 8);
    recv_on(&r, 21, 0xfffffffe, m, 24, 8);
    assert_int_equal(rig_arrive_hex(&r, "41 ff00000001 fffffffe 00000001 00000000 | b1b1b1"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 0102030405 00000000 00000001 00000000 | a1a1a1a1"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 0000000000 fffffffe 00000002 00000000 | b2"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 0000000007 00000000 00000002 00000000"), IW_OK);
    expect_octets(rig_at(&r, m, 0), "a1a1a1a1 00000000 b1b1b100 00000000 0000000000000000 b200000000000000");
    struct iw_done done = expect_done(r.recv_cq, 20, IW_RECV, IW_OK);
    assert_true(done.qn == 0xfffffffe && done.msn == 1 && done.len == 3 && done.rsvdulp == 0xff00000001);
    assert_int_equal(done.user, 7);
    done = expect_done(r.recv_cq, 10, IW_RECV, IW_OK);
    assert_true(done.qn == 0 && done.msn == 1 && done.len == 4 && done.rsvdulp == 0x0102030405);
    done = expect_done(r.recv_cq, 21, IW_RECV, IW_OK);
    assert_true(done.qn == 0xfffffffe && done.msn == 2 && done.len == 1);
    done = expect_done(r.recv_cq, 11, IW_RECV, IW_OK);
    assert_true(done.qn == 0 && done.msn == 2 && done.len == 0 && done.rsvdulp == 7);
    expect_not_done(r.recv_cq);
    rig_close(&r);
}

/* checks: DDP-4.1-8 DDP-5.4-2 DDP-5.4-6 DDP-5.4-7 */
TEST(a_message_is_whole_with_its_last_segment)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 16, IW_LOCAL_WRITE);
    recv_on(&r, 1, 0, m, 0, 16);
    assert_int_equal(rig_arrive_hex(&r, "01 0000000000 00000000 00000001 00000000 | 0102030405"), IW_OK);
    expect_not_done(r.recv_cq);
    assert_int_equal(rig_arrive_hex(&r, "01 0000000000 00000000 00000001 00000005 | 0607"), IW_OK);
    expect_not_done(r.recv_cq);
    assert_int_equal(r.messages, 0);
    assert_int_equal(rig_arrive_hex(&r, "41 0000000000 00000000 00000001 00000007 | 08"), IW_OK);
    assert_int_equal(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).len, 8);
    expect_octets(rig_at(&r, m, 0), "0102030405060708 0000000000000000");
    rig_close(&r);
}

/* A last segment without octets is never sent, but may come (conformance.md F21). */
/* checks: DDP-4.4-2 DDP-5.4-7 */
TEST(a_last_segment_may_be_empty)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    recv_on(&r, 1, 0, m, 0, 5);
    assert_int_equal(rig_arrive_hex(&r, "01 0000000000 00000000 00000001 00000000 | 0102030405"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 0000000000 00000000 00000001 00000005"), IW_OK);
    assert_int_equal(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).len, 5);
    assert_int_equal(rig_arrive_hex(&r, "81 00 00000100 0000000000000008 | 0708"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 000000000000000a"), IW_OK);
    assert_int_equal(r.messages, 2);
    rig_close(&r);
}

/* The peer must not choose the length that the ULP is told (conformance.md F21). */
/* checks: DDP-5.4-7 DDP-7.1-U3 */
TEST(an_empty_last_segment_beyond_its_buffer_ends_the_stream)
{
    static const char *const last[] = {"41 0000000000 00000000 00000001 00000006",
                                       "41 0000000000 00000000 00000001 ffffffff"};
    for (int i = 0; i < 2; i++) {
        for (int first = 0; first < 2; first++) { /* alone; after the five octets that there is room for */
            struct rig r;
            rig_open(&r, ddp_conf());
            recv_on(&r, 1, 0, rig_memory(&r, 0, 16, ALL), 0, 5);
            if (first)
                assert_int_equal(rig_arrive_hex(&r, "01 0000000000 00000000 00000001 00000000 | 0102030405"),
                                 IW_OK);
            assert_int_equal(rig_arrive_hex(&r, last[i]), IW_TERM(1, 2, 4));
            expect_done(r.recv_cq, 1, IW_RECV, IW_TERM(1, 2, 4));
            rig_close(&r);
        }
    }
}

/* An empty segment that is not the last tells the ULP nothing: RFC 5041 section 7.1 exempts it. */
/* checks: DDP-7.1-U0 */
TEST(an_empty_segment_in_the_middle_may_have_any_mo)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    recv_on(&r, 1, 0, rig_memory(&r, 0, 16, ALL), 0, 5);
    assert_int_equal(rig_arrive_hex(&r, "01 0000000000 00000000 00000001 ffffffff"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 0000000000 00000000 00000001 00000000 | 0102030405"), IW_OK);
    assert_int_equal(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).len, 5);
    rig_close(&r);
}

/* checks: DDP-4.3-6 */
TEST(of_several_rsvdulp_the_last_segment_s_is_told)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 16, IW_LOCAL_WRITE);
    recv_on(&r, 1, 0, m, 0, 16);
    assert_int_equal(rig_arrive_hex(&r, "01 1111111111 00000000 00000001 00000000 | 01"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 2222222222 00000000 00000001 00000001 | 02"), IW_OK);
    assert_true(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).rsvdulp == 0x2222222222);
    rig_close(&r);
}

/* checks: DDP-5.2-12 */
TEST(a_hole_in_a_message_is_not_looked_for)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 16, IW_LOCAL_WRITE);
    recv_on(&r, 1, 0, m, 0, 16);
    assert_int_equal(rig_arrive_hex(&r, "41 0000000000 00000000 00000001 0000000a | 0102"), IW_OK);
    assert_int_equal(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).len, 12);
    assert_int_equal(iw_statistics(r.ep)->octets_rx, 2); /* what did not come is not counted as placed */
    expect_octets(rig_at(&r, m, 0), "00000000000000000000 0102 00000000");
    rig_close(&r);
}

/* checks: DDP-5.1.1-1 */
TEST(a_tagged_buffer_may_be_written_again)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 8, IW_REMOTE_WRITE);
    assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 0000000000000000 | 1111111111111111"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 0000000000000002 | 2222"), IW_OK);
    expect_octets(rig_at(&r, m, 0), "1111 2222 11111111");
    rig_close(&r);
}

/* checks: DDP-4.2-12 RDMAP-5.1-4 RDMAP-5.1-5 RDMAP-4.4-4 RDMAP-4.4-6 */
TEST(a_message_may_start_at_any_to)
{
    static const uint64_t base[] = {
        0, 1, 0xffffffff, 1ull << 32, 0x123456789abcdef0, 1ull << 63, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof(base) / sizeof(base[0]); i++) {
        struct rig r;
        rig_open(&r, ddp_conf());
        iw_stag m = rig_memory(&r, base[i], 8, IW_REMOTE_WRITE);
        struct ulpdu u = hex("c1 00 00000100 0000000000000000 | aabbcc");
        for (uint64_t at = 0; at + 3 <= 8; at++) {
            iw_put64(u.octets + 6, base[i] + at);
            memset(rig_at(&r, m, base[i]), 0, 8);
            assert_int_equal(rig_arrive(&r, u), IW_OK);
            assert_int_equal(rig_at(&r, m, base[i])[at], 0xaa);
            assert_int_equal(rig_at(&r, m, base[i])[at + 2], 0xcc);
        }
        rig_close(&r);
    }
}

/* checks: DDP-4.3-11 */
TEST(receives_pass_through_sequence_number_zero)
{
    struct rig r;
    struct iw_conf conf = ddp_conf();
    conf.first_msn = 0xfffffffe;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 8, IW_LOCAL_WRITE);
    for (uint32_t i = 0; i < 4; i++)
        recv_on(&r, i, 0, m, i, 1);
    struct ulpdu u[4] = {hex("41 0000000000 00000000 fffffffe 00000000 | a0"),
                         hex("41 0000000000 00000000 ffffffff 00000000 | a1"),
                         hex("41 0000000000 00000000 00000000 00000000 | a2"),
                         hex("41 0000000000 00000000 00000001 00000000 | a3")};
    const uint32_t order[] = {3, 2, 1, 0};
    rig_keys(&r, u, 4);
    assert_int_equal(rig_present(&r, u, 4, order, 4), IW_OK);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(expect_done(r.recv_cq, i, IW_RECV, IW_OK).msn, 0xfffffffe + i);
    expect_octets(rig_at(&r, m, 0), "a0a1a2a3");
    rig_close(&r);
}

/* checks: DDP-4.3-11 DDP-7.1-U5 */
TEST(the_window_of_sequence_numbers_spans_zero)
{
    static const struct {
        uint32_t msn;
        int want;
    } rows[] = {
        {0xfffffffe, IW_TERM(1, 2, 3)}, {0xffffffff, IW_OK},
        {0, IW_TERM(1, 2, 2)},          {0x7ffffffe, IW_TERM(1, 2, 2)},
        {0x80000000, IW_TERM(1, 2, 3)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rig r;
        struct iw_conf conf = ddp_conf();
        conf.first_msn = 0xffffffff;
        rig_open(&r, conf);
        iw_stag m = rig_memory(&r, 0, 8, IW_LOCAL_WRITE);
        recv_on(&r, 0, 0, m, 0, 8);
        struct ulpdu u = hex("41 0000000000 00000000 00000000 00000000 | a0");
        iw_put32(u.octets + 10, rows[i].msn);
        assert_int_equal(rig_arrive(&r, u), rows[i].want);
        rig_close(&r);
    }
}

static int present_frags(struct rig *r, const uint8_t *octets, uint32_t head, const uint32_t *cuts, uint8_t n)
{
    struct iw_seg seg = {.key = r->rx_key, .head_len = (uint8_t)head, .frags = n};
    memcpy(seg.head, octets, head);
    const uint8_t *p = octets + head;
    for (int i = 0; i < n; i++) {
        seg.frag[i] = (struct iw_frag){cuts[i] ? p : NULL, cuts[i]};
        seg.payload_len += cuts[i];
        p += cuts[i];
    }
    int got = iw_receive(r->ep, r->now, &seg);
    r->rx_key += 100;
    return got ? got : iw_deliver(r->ep, r->now, r->rx_key, NULL);
}

/* An LLP that takes markers out hands the payload up in pieces. */
/* checks: DDP-5.2-5 DDP-3-4 */
TEST(a_payload_in_pieces_is_placed_whole)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 32, IW_REMOTE_WRITE);
    struct ulpdu u = hex_count("c1 40 00000100 0000000000000004", 1, 16);
    uint8_t *copy = test_malloc(14 + 5); /* the first piece stands alone: who reads beyond it is seen */
    memcpy(copy, u.octets, 19);
    struct iw_seg seg = {.key = r.rx_key, .head_len = 14, .payload_len = 16, .frags = 4};
    memcpy(seg.head, copy, 14);
    seg.frag[0] = (struct iw_frag){copy + 14, 5};
    seg.frag[1] = (struct iw_frag){NULL, 0};
    seg.frag[2] = (struct iw_frag){u.octets + 19, 10};
    seg.frag[3] = (struct iw_frag){u.octets + 29, 1};
    assert_int_equal(iw_receive(r.ep, r.now, &seg), IW_OK);
    expect_octets(rig_at(&r, m, 0), "00000000 0102030405060708090a0b0c0d0e0f10 000000000000000000000000");
    test_free(copy);
    r.rx_key += 100;
    assert_int_equal(iw_deliver(r.ep, r.now, r.rx_key, NULL), 1);
    assert_int_equal(iw_deliver(r.ep, r.now, r.rx_key, NULL), 0);

    rig_count(&r, rig_memory(&r, 0, 32, IW_REMOTE_READ));
    u = hex("41 41 00000000 00000001 00000001 00000000 | "
            "12345678 1112131415161718 00000008 00000200 0000000000000010");
    const uint32_t request[] = {3, 11, 0, 14};
    assert_int_equal(present_frags(&r, u.octets, 18, request, 4), 1);
    expect_sent(&r, "c1 42 12345678 1112131415161718 | 1011121314151617");
    rig_close(&r);
}

/* Length-only memory: the same checks, counts and deliveries, and nothing is stored. */
/* checks: DDP-8.1-1 */
TEST(memory_of_length_only_is_checked_like_any)
{
    struct rig r;
    rig_open(&r, rig_conf());
    rig_region(&r, (struct iw_region){.to = 0x1000, .len = 64, .rights = ALL, .pd = 1}, true);
    struct iw_seg seg = {.key = 0, .head_len = 14, .payload_len = 64, .frags = 1, .frag = {{NULL, 64}}};
    struct ulpdu head = hex("c1 40 00000100 0000000000001000");
    memcpy(seg.head, head.octets, 14);
    struct iw_place place;
    assert_int_equal(iw_check(r.ep, 0, &seg, &place), IW_OK);
    assert_null(place.address);
    assert_int_equal(place.len, 64);
    assert_int_equal(place.stag, 0x100);
    assert_int_equal(place.to, 0x1000);
    assert_int_equal(iw_commit(r.ep, 0, &seg, &place), IW_OK);
    assert_int_equal(iw_deliver(r.ep, 0, 80, NULL), 1);
    assert_int_equal(iw_deliver(r.ep, 0, 80, NULL), 0);
    seg.key = 80;
    seg.payload_len = seg.frag[0].len = 65;
    assert_int_equal(iw_check(r.ep, 0, &seg, &place), IW_TERM(1, 1, 1));
    rig_close(&r);
}

/* Of a Send, a Write and a Read Response: the second segment comes first, and memory has its octets, though none of the first and
 * without any delivery. */
/* checks: RDMAP-5.5-4 RDMAP-5.5-5 RDMAP-5.5-6 */
TEST(memory_has_holes_until_delivery)
{
    static const char *const second[] = {"41 43 00000000 00000000 00000001 00000004 | 05060708",
                                         "c1 40 00000100 0000000000000004 | 05060708",
                                         "c1 42 00000100 0000000000000004 | 05060708"};
    for (int i = 0; i < 3; i++) {
        struct rig r;
        struct ulpdu u[2] = {hex("81 40 00000100 0000000000000000 | 01020304"), hex(second[i])};
        rig_open(&r, rig_conf());
        iw_stag m = rig_memory(&r, 0, 8, ALL);
        rig_recv(&r, 1, m, 0, 8);
        rig_tagged(&r, 2, IW_READ, (struct iw_sge){m, 8, 0}, 0x42, 0);
        struct ulpdu request;
        assert_true(rig_pull(&r, &request));
        rig_keys(&r, u, 2);
        struct iw_seg seg;
        iw_seg_view(&seg, u[1].key, u[1].octets, u[1].len);
        assert_int_equal(iw_receive(r.ep, 0, &seg), IW_OK);
        expect_octets(rig_at(&r, m, 0), "00000000 05060708");
        assert_int_equal(iw_deliver(r.ep, 0, u[0].key, NULL), 0);
        expect_not_done(r.recv_cq);
        expect_not_done(r.send_cq);
        rig_close(&r);
    }
}

/* checks: DDP-5.3-4 DDP-3-5a DDP-3-5b DDP-4.1-7 DDP-5.4-5 */
TEST(octets_are_placed_before_earlier_ones_arrive_and_delivered_after)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    recv_on(&r, 1, 0, m, 4, 4);
    struct ulpdu u[2] = {hex("c1 00 00000100 0000000000000000 | 01020304"),
                         hex("41 0000000000 00000000 00000001 00000000 | 05060708")};
    rig_keys(&r, u, 2);
    struct iw_seg seg;
    struct iw_place place;
    iw_seg_view(&seg, u[1].key, u[1].octets, u[1].len);
    assert_int_equal(iw_check(r.ep, 0, &seg, &place), IW_OK);
    expect_zero(rig_at(&r, m, 0), 8); /* checked, not yet committed */
    assert_ptr_equal(place.address, rig_at(&r, m, 4));
    assert_int_equal(place.stag, m); /* where the receive buffer lies */
    assert_int_equal(place.to, 4);
    assert_int_equal(place.len, 4);
    assert_int_equal(iw_commit(r.ep, 0, &seg, &place), IW_OK);
    expect_octets(rig_at(&r, m, 0), "00000000 05060708");
    assert_int_equal(iw_deliver(r.ep, 0, u[0].key, NULL), 0); /* nothing has become whole */
    expect_not_done(r.recv_cq);
    iw_seg_view(&seg, u[0].key, u[0].octets, u[0].len);
    assert_int_equal(iw_receive(r.ep, 0, &seg), IW_OK);
    struct iw_message message;
    assert_int_equal(iw_deliver(r.ep, 0, u[1].key + 28, &message), 1);
    assert_true(message.head.tagged);
    expect_not_done(r.recv_cq);
    assert_int_equal(iw_deliver(r.ep, 0, u[1].key + 28, &message), 1);
    assert_false(message.head.tagged);
    expect_done(r.recv_cq, 1, IW_RECV, IW_OK);
    assert_int_equal(iw_deliver(r.ep, 0, u[1].key + 28, &message), 0);
    assert_int_equal(iw_statistics(r.ep)->segments_ooo, 1);
    assert_int_equal(iw_statistics(r.ep)->octets_ooo, 4);
    rig_close(&r);
}

/* A Write in four segments: the last two come early and twice, the second early, the first in its turn. */
TEST(what_comes_early_and_again_is_counted)
{
    struct rig r;
    static const uint32_t order[] = {3, 3, 2, 2, 1, 0};
    struct ulpdu u[4] = {
        hex("81 40 00000100 0000000000000000 | 01020304"), hex("81 40 00000100 0000000000000004 | 0506"),
        hex("81 40 00000100 0000000000000006 | 07"), hex("c1 40 00000100 0000000000000007 | 08")};
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    rig_keys(&r, u, 4);
    assert_int_equal(rig_present(&r, u, 4, order, 6), IW_OK);
    expect_octets(rig_at(&r, m, 0), "01020304 05060708");
    const struct iw_stats *s = iw_statistics(r.ep);
    assert_int_equal(s->duplicates, 2);
    assert_int_equal(s->remembered_peak, 3);
    assert_int_equal(s->remembered, 0);
    assert_int_equal(s->segments_rx, 6);
    assert_int_equal(s->octets_rx, 4 + 2 + 2 * 1 + 2 * 1);
    assert_int_equal(s->segments_ooo, 5);
    assert_int_equal(s->octets_ooo, 2 + 2 * 1 + 2 * 1);
    assert_int_equal(s->messages_rx, 1);
    rig_close(&r);
}

/* checks: DDP-3-11 */
TEST(what_is_delivered_is_not_written_again)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 4, ALL);
    assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 0000000000000000 | 01020304"), IW_OK);
    memset(rig_at(&r, m, 0), 0x55, 4);
    struct ulpdu again = hex("c1 00 00000100 0000000000000000 | 01020304");
    struct iw_seg seg;
    struct iw_place place;
    iw_seg_view(&seg, 0, again.octets, again.len);
    assert_int_equal(iw_check(r.ep, 0, &seg, &place), IW_EINVAL);
    expect_octets(rig_at(&r, m, 0), "55555555");
    assert_int_equal(iw_statistics(r.ep)->duplicates, 1);
    assert_int_equal(iw_statistics(r.ep)->segments_rx, 1);
    assert_int_equal(iw_deliver(r.ep, 0, 5, NULL), 0); /* the edge never goes back */
    assert_int_equal(iw_delivered_edge(r.ep), r.rx_key);
    assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 0000000000000000 | 0a"),
                     IW_OK); /* the stream goes on */
    rig_close(&r);
}

/* checks: DDP-6.1-1 */
TEST(before_it_is_enabled_a_stream_carries_no_ddp)
{
    struct rig r;
    rig_init(&r, ddp_conf());
    iw_stag m = rig_memory(&r, 0, 4, ALL);
    recv_on(&r, 1, 0, m, 0, 4); /* receives may be posted before */
    struct iw_work work = {.op = IW_DDP_UNTAGGED, .sges = 1, .sge = {{m, 4, 0}}};
    assert_int_equal(rig_post(&r, work), IW_OK);
    expect_silence(&r);
    assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 0000000000000000 | 01020304"), IW_ESTATE);
    expect_zero(rig_at(&r, m, 0), 4);
    assert_int_equal(iw_enable(r.ep, 0, 0), IW_OK);
    assert_int_equal(iw_enable(r.ep, 0, 0), IW_ESTATE);
    expect_sent(&r, "41 0000000000 00000000 00000001 00000000 00000000");
    assert_int_equal(rig_arrive_hex(&r, "c1 00 00000100 0000000000000000 | 01020304"), IW_OK);
    expect_octets(rig_at(&r, m, 0), "01020304");
    rig_close(&r);
}
