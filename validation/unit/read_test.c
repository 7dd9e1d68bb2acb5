/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RDMA Read, both sides (RFC 5040 sections 4.4, 5.2, 6.1). */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

static void read_into(struct rig *r, uint64_t id, iw_stag sink, uint64_t to, uint32_t len)
{
    rig_tagged(r, id, IW_READ, (struct iw_sge){sink, len, to}, 0x11223344, 0x8000);
}

/* ---- the responder ---- */

/* checks: RDMAP-5.2-1 RDMAP-5.2.1-3 RDMAP-5.2.1-11 RDMAP-4.4-2 RDMAP-4.4-3 RDMAP-5.2.2-1 RDMAP-5.2.2-2a */
/* checks: RDMAP-5.2.2-2b RDMAP-5.2.2-9 RDMAP-A-3 RDMAP-3.2-7 RDMAP-5.2.1-4 RDMAP-5.2.2-6 */
TEST(a_request_is_answered_with_the_octets_it_names)
{
    struct rig r;
    rig_open(&r, rig_conf());
    rig_count(&r, rig_memory(&r, 0x1000, 64, IW_REMOTE_READ));
    rig_recv(&r, 1, rig_memory(&r, 0, 8, IW_LOCAL_WRITE), 0, 8);
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 |"
                                        "deadbeef fffffffffffffffe 00000006 00000100 0000000000001010"),
                     IW_OK);
    expect_sent(&r, "c1 42 deadbeef fffffffffffffffe | 101112131415");
    expect_silence(&r);
    expect_not_done(r.send_cq); /* the responder's ULP sees nothing */
    expect_not_done(r.recv_cq);
    expect_no_event(&r);
    rig_close(&r);
}

/* checks: RDMAP-5.2.1-14 RDMAP-5.2.1-15 RDMAP-5.2.1-12 */
TEST(a_request_for_no_octets_is_answered_with_none)
{
    struct rig r;
    rig_open(&r, rig_conf());
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 |"
                                        "12345678 0000000000000009 00000000 deadbeef ffffffffffffffff"),
                     IW_OK);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.len, 14);
    assert_memory_equal(u.octets, "\xc1\x42", 2);
    expect_silence(&r);
    expect_no_event(&r);
    rig_close(&r);
}

/* checks: RDMAP-4.4-3 RDMAP-5.2.2-9 RDMAP-3.1-3 DDP-5.2-8 */
TEST(a_long_response_is_cut_like_any_message)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.mulpdu = 128;
    rig_open(&r, conf);
    rig_count(&r, rig_memory(&r, 0, 256, IW_REMOTE_READ));
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 |"
                                        "deadbeef 00000000ffffffff 00000100 00000100 0000000000000000"),
                     IW_OK);
    expect_sent_octets(&r, hex_count("81 42 deadbeef 00000000ffffffff", 0, 114));
    expect_sent_octets(&r, hex_count("81 42 deadbeef 0000000100000071", 114, 114));
    expect_sent_octets(&r, hex_count("c1 42 deadbeef 00000001000000e3", 228, 28));
    expect_silence(&r);
    rig_close(&r);
}

static struct ulpdu request(uint32_t msn, uint32_t at, uint32_t len)
{
    struct ulpdu u = hex("41 41 00000000 00000001 00000000 00000000 |"
                         "00000000 0000000000000000 00000000 00000100 0000000000000000");
    u.octets[13] = (uint8_t)msn;
    u.octets[21] = (uint8_t)msn; /* the sink STag tells the responses apart */
    u.octets[33] = (uint8_t)len;
    u.octets[45] = (uint8_t)at;
    return u;
}

/* checks: RDMAP-5.2.1-8 RDMAP-5.2.2-7 RDMAP-5.5-17 RDMAP-5.5-20a RDMAP-B-9 RDMAP-5.2.1-2 */
TEST(requests_are_answered_in_the_order_sent)
{
    uint32_t order[] = {0, 1, 2, 3};
    do {
        struct rig r;
        rig_open(&r, rig_conf());
        rig_count(&r, rig_memory(&r, 0, 64, IW_REMOTE_READ));
        struct ulpdu u[4];
        for (uint32_t i = 0; i < 4; i++)
            u[i] = request(i + 1, 8 * i, 2);
        rig_keys(&r, u, 4);
        assert_int_equal(rig_present(&r, u, 4, order, 4), IW_OK);
        expect_sent(&r, "c1 42 00000001 0000000000000000 | 0001");
        expect_sent(&r, "c1 42 00000002 0000000000000000 | 0809");
        expect_sent(&r, "c1 42 00000003 0000000000000000 | 1011");
        expect_sent(&r, "c1 42 00000004 0000000000000000 | 1819");
        expect_silence(&r);
        rig_close(&r);
    } while (rig_permute(order, 4));
}

/* checks: RDMAP-5.5-12a RDMAP-5.5-17 RDMAP-B-3 RDMAP-B-6 */
TEST(a_request_out_of_order_waits_for_the_write_before_it)
{
    for (uint32_t size = 0; size <= 4; size += 4) {
        struct rig r;
        rig_open(&r, rig_conf());
        rig_memory(&r, 0, 64, ALL);
        struct ulpdu u[2] = {hex("c1 40 00000100 0000000000000000 | 01020304"), request(1, 0, size)};
        const uint32_t order[] = {1, 0};
        rig_keys(&r, u, 2);
        assert_int_equal(rig_present(&r, u, 2, order, 1), IW_OK);
        expect_silence(&r);
        r.rx_key = 0;
        assert_int_equal(rig_arrive(&r, u[0]), IW_OK);
        assert_int_equal(iw_deliver(r.ep, r.now, u[1].key + 100, NULL), 1);
        assert_int_equal(iw_deliver(r.ep, r.now, u[1].key + 100, NULL), 0);
        if (size)
            expect_sent(&r, "c1 42 00000001 0000000000000000 | 01020304");
        else
            expect_sent(&r, "c1 42 00000001 0000000000000000");
        rig_close(&r);
    }
}

/* checks: RDMAP-6.1-6 RDMAP-6.1-2 RDMAP-8.1.1-11 RDMAP-8.1.2-7 RDMAP-5.2.1-2 */
TEST(one_request_beyond_ird_has_no_buffer)
{
    for (uint32_t ird = 0; ird <= 4; ird++) {
        struct rig r;
        rig_open(&r, rig_conf());
        assert_int_equal(iw_set_read_depth(r.ep, 4, (uint16_t)ird), IW_OK);
        rig_memory(&r, 0, 64, ALL);
        for (uint32_t i = 0; i < ird; i++)
            assert_int_equal(rig_arrive(&r, request(i + 1, 0, 1)), IW_OK);
        struct ulpdu u = request(ird + 1, 0, 1);
        assert_int_equal(rig_arrive(&r, u), IW_TERM(1, 2, 2));
        expect_terminate(&r, IW_TERM(1, 2, 2), "MD", &u);
        rig_close(&r);
    }
}

/* checks: RDMAP-8.1.2-7 */
TEST(a_greedy_stream_takes_only_its_own_slots)
{
    struct rig greedy, other;
    rig_open(&greedy, rig_conf());
    struct iw_conf conf = greedy.conf;
    conf.stream = 2;
    rig_open(&other, conf); /* the same table of STags, the same queues */
    rig_memory(&greedy, 0, 64, ALL);
    for (uint32_t i = 1; i <= 4; i++)
        assert_int_equal(rig_arrive(&greedy, request(i, 0, 1)), IW_OK);
    for (uint32_t i = 1; i <= 4; i++)
        assert_int_equal(rig_arrive(&other, request(i, 0, 1)), IW_OK);
    assert_int_equal(rig_arrive(&greedy, request(5, 0, 1)), IW_TERM(1, 2, 2));
    struct ulpdu u;
    for (uint32_t i = 1; i <= 4; i++) {
        assert_true(rig_pull(&other, &u));
        assert_int_equal(u.octets[5], i);
    }
    expect_no_event(&other);
    rig_close(&other);
    rig_close(&greedy);
}

/* checks: RDMAP-5.2.1-2 RDMAP-6.1-6 */
TEST(an_answered_request_makes_room_for_another)
{
    struct rig r;
    rig_open(&r, rig_conf());
    rig_count(&r, rig_memory(&r, 0, 64, ALL));
    for (uint32_t i = 1; i <= 4; i++)
        assert_int_equal(rig_arrive(&r, request(i, 0, 1)), IW_OK);
    for (uint32_t i = 1; i <= 50; i++) {
        struct ulpdu u;
        assert_true(rig_pull(&r, &u));
        assert_int_equal(u.octets[5], i);
        assert_int_equal(rig_arrive(&r, request(i + 4, 0, 1)), IW_OK);
    }
    rig_close(&r);
}

/* checks: RDMAP-6.1-2 RDMAP-6.1-3 */
TEST(the_negotiated_depths_are_at_most_those_configured)
{
    struct rig r;
    rig_open(&r, rig_conf());
    assert_int_equal(iw_set_read_depth(r.ep, 5, 4), IW_EINVAL);
    assert_int_equal(iw_set_read_depth(r.ep, 4, 5), IW_EINVAL);
    assert_int_equal(iw_set_read_depth(r.ep, 1, 1), IW_OK);
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    read_into(&r, 1, m, 0, 1);
    read_into(&r, 2, m, 0, 1);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    expect_silence(&r);
    rig_close(&r);
}

/* Lowered, it stays lowered: an answer makes room for one Request, not for those of the configuration. */
/* checks: RDMAP-6.1-2 RDMAP-6.1-3 */
TEST(a_lowered_depth_holds_after_each_answer)
{
    for (uint16_t ird = 1; ird <= 4; ird++) {
        struct rig r;
        struct ulpdu u;
        uint32_t msn = 1;
        rig_open(&r, rig_conf());
        assert_int_equal(iw_set_read_depth(r.ep, 1, ird), IW_OK);
        rig_count(&r, rig_memory(&r, 0, 64, ALL));
        for (; msn <= ird; msn++)
            assert_int_equal(rig_arrive(&r, request(msn, 0, 1)), IW_OK);
        for (; msn <= ird + 3u; msn++) {
            assert_true(rig_pull(&r, &u));
            assert_int_equal(rig_arrive(&r, request(msn, 0, 1)), IW_OK);
        }
        assert_int_equal(rig_arrive(&r, request(msn, 0, 1)), IW_TERM(1, 2, 2));
        rig_close(&r);
    }
}

/* What the Terminate of a half-sent Response says: where it stood (RFC 5040 section 4.8). */
/* checks: RDMAP-4.8-15 RDMAP-4.8-13 RDMAP-7.1-3 RDMAP-8.1.1-6 */
TEST(a_response_cut_short_tells_how_far_it_came)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.mulpdu = 128;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0x1000, 300, IW_REMOTE_READ);
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 |"
                                        "deadbeef 0000000000000010 0000012c 00000100 0000000000001000"),
                     IW_OK);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_true(rig_pull(&r, &u)); /* 228 octets are out */
    assert_int_equal(iw_revoke(r.stags, m, IW_CANCEL), IW_OK);
    expect_sent(&r, "41 47 00000000 00000002 00000001 00000000 | 01 00 e0 00 002e"
                    "41 41 00000000 00000001 00000001 00000000 |"
                    "deadbeef 00000000000000f4 00000048 00000100 00000000000010e4");
    expect_silence(&r);
    assert_int_equal(expect_event(&r, IW_EV_FATAL).terminate.term, IW_TERM(0, 1, 0));
    rig_close(&r);
}

/* checks: RDMAP-4.8-14 RDMAP-8.1.1-6 */
TEST(a_source_that_goes_before_the_first_octet_sends_the_original_header)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0x1000, 300, IW_REMOTE_READ);
    struct ulpdu u = hex("41 41 00000000 00000001 00000001 00000000 |"
                         "deadbeef 0000000000000010 0000012c 00000100 0000000000001000");
    assert_int_equal(rig_arrive(&r, u), IW_OK);
    assert_int_equal(iw_invalidate(r.stags, m), IW_OK);
    struct ulpdu got;
    assert_true(rig_pull(&r, &got));
    assert_int_equal(got.len, 18 + 6 + 46);
    assert_memory_equal(got.octets + 24, u.octets, 46);
    expect_silence(&r);
    rig_close(&r);
}

/* ---- the requester ---- */

/* checks: RDMAP-4.4-5 */
TEST(sizes_go_up_to_4_gib_less_one)
{
    struct rig a, b;
    rig_open(&a, rig_conf());
    rig_open(&b, rig_conf());
    const struct iw_region big = {.to = 5, .len = UINT32_MAX, .rights = ALL, .pd = 1};
    iw_stag sink = rig_region(&a, big, true), source = rig_region(&b, big, true);
    rig_tagged(&a, 1, IW_READ, (struct iw_sge){sink, UINT32_MAX, 5}, source, 5);
    struct ulpdu u = {0};
    assert_true(rig_pull(&a, &u));
    expect_octets(u.octets + 18 + 12, "ffffffff");
    assert_int_equal(rig_arrive(&b, u), IW_OK);
    assert_int_equal(iw_set_mulpdu(b.ep, 64768), IW_OK);
    uint64_t octets = 0;
    struct iw_seg seg;
    for (uint64_t key = 0; iw_transmit(b.ep, b.now, key, &seg); key += 70000) {
        assert_int_equal(iw_receive(a.ep, a.now, &seg), IW_OK); /* both ends count in the same keys */
        octets += seg.payload_len;
        int told = iw_deliver(a.ep, a.now, key + 70000, NULL);
        assert_int_equal(told, octets == UINT32_MAX);
    }
    assert_true(octets == UINT32_MAX);
    assert_int_equal(expect_done(a.send_cq, 1, IW_READ, IW_OK).len, UINT32_MAX);
    rig_close(&a);
    rig_close(&b);
}

/* checks: RDMAP-4.4-1 RDMAP-5.2.1-1a RDMAP-5.2.1-1b RDMAP-5.2.1-6a RDMAP-5.2.1-6b RDMAP-A-2 RDMAP-3.2-6 */
/* checks: RDMAP-5.2.2-4 RDMAP-5.5-19 RDMAP-5.5-20c RDMAP-5.5-11 RDMAP-5.2.1-10 */
TEST(a_read_completes_with_its_response)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0x1000, 16, IW_LOCAL_WRITE);
    read_into(&r, 9, m, 0x1004, 6);
    expect_sent(&r, "41 41 00000000 00000001 00000001 00000000 | "
                    "00000100 0000000000001004 00000006 11223344 0000000000008000");
    rig_accept(&r);
    rig_ack(&r);
    expect_not_done(r.send_cq); /* neither acceptance nor acknowledgement completes a Read */
    assert_int_equal(rig_arrive_hex(&r, "81 42 00000100 0000000000001004 | 010203"), IW_OK);
    expect_not_done(r.send_cq);
    assert_int_equal(rig_arrive_hex(&r, "c1 42 00000100 0000000000001007 | 040506"), IW_OK);
    assert_int_equal(expect_done(r.send_cq, 9, IW_READ, IW_OK).len, 6);
    expect_octets(rig_at(&r, m, 0x1000), "00000000 010203040506 000000000000");
    expect_not_done(r.send_cq);
    expect_no_event(&r);
    rig_close(&r);
}

/* checks: RDMAP-5.5-20c RDMAP-5.5-19 */
TEST(a_delivered_response_suffices)
{
    struct rig r;
    rig_open(&r, rig_conf());
    read_into(&r, 9, rig_memory(&r, 0, 16, IW_LOCAL_WRITE), 0, 2);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u)); /* neither accepted nor acknowledged yet */
    assert_int_equal(rig_arrive_hex(&r, "c1 42 00000100 0000000000000000 | 0102"), IW_OK);
    expect_done(r.send_cq, 9, IW_READ, IW_OK);
    rig_close(&r);
}

/* Never sent, but it may come (conformance.md F21). */
/* checks: DDP-4.4-2 RDMAP-5.5-20c */
TEST(a_response_may_end_with_an_empty_segment)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 16, IW_LOCAL_WRITE);
    read_into(&r, 9, m, 0, 2);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(rig_arrive_hex(&r, "81 42 00000100 0000000000000000 | 0102"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c1 42 00000100 0000000000000002"), IW_OK);
    expect_done(r.send_cq, 9, IW_READ, IW_OK);
    expect_octets(rig_at(&r, m, 0), "0102");
    rig_close(&r);
}

/* Neither our own requests nor the peer's wait for the other kind to run out. */
TEST(responses_and_requests_take_turns)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.mulpdu = 128;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 256, ALL);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(rig_arrive(&r, request(i, 0, 200)), IW_OK); /* two segments each */
        rig_send(&r, i, IW_SEND, m, 0, 200);
    }
    uint8_t want = 0, last = 0;
    for (int i = 0; i < 12; i++) {
        struct ulpdu u;
        assert_true(rig_pull(&r, &u));
        uint8_t opcode = u.octets[1] & 15;
        if (i % 2 == 0) { /* a message begins: of the other kind than the one before */
            if (i)
                assert_int_equal(opcode, want);
            want = opcode == 2 ? 3 : 2;
        } else {
            assert_int_equal(opcode, last); /* and is not interrupted */
        }
        last = opcode;
    }
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-3.1-3 */
TEST(what_arrives_in_the_middle_of_a_message_waits_for_its_end)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.mulpdu = 128;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 256, ALL);
    struct ulpdu u;
    rig_send(&r, 1, IW_SEND, m, 0, 4);
    assert_true(rig_pull(&r, &u)); /* a request was the last to speak */
    rig_send(&r, 2, IW_SEND, m, 0, 200);
    assert_true(rig_pull(&r, &u));
    assert_int_equal(rig_arrive(&r, request(1, 0, 200)), IW_OK);
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.octets[1], 0x43);
    assert_true(rig_pull(&r, &u)); /* now the Response, and in its middle a Send */
    assert_int_equal(u.octets[1], 0x42);
    rig_send(&r, 3, IW_SEND, m, 0, 4);
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.octets[1], 0x42);
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.octets[1], 0x43);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-5.2.1-12 RDMAP-5.2.2-4 */
TEST(a_read_of_no_octets_completes_too)
{
    struct rig r;
    rig_open(&r, rig_conf());
    struct iw_work work = {.id = 3, .op = IW_READ, .remote_stag = 1};
    assert_int_equal(rig_post(&r, work), IW_OK);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(rig_arrive_hex(&r, "c1 42 ffffffff 1234567812345678"), IW_OK);
    assert_int_equal(expect_done(r.send_cq, 3, IW_READ, IW_OK).len, 0);
    rig_close(&r);
}

/* checks: RDMAP-6.1-5 RDMAP-6.1-3 RDMAP-5.5-13 RDMAP-8.1.1-11 */
TEST(no_more_than_ord_reads_are_out_and_later_work_waits)
{
    for (uint16_t ord = 1; ord <= 4; ord++) {
        struct rig r;
        rig_open(&r, rig_conf());
        assert_int_equal(iw_set_read_depth(r.ep, ord, 4), IW_OK);
        iw_stag m = rig_memory(&r, 0, 64, ALL);
        for (uint32_t i = 0; i < 6; i++)
            read_into(&r, i, m, 4 * i, 1);
        rig_send(&r, 6, IW_SEND, m, 0, 1);
        struct ulpdu u;
        for (uint16_t i = 0; i < ord; i++) {
            assert_true(rig_pull(&r, &u));
            assert_int_equal(u.octets[1], 0x41);
        }
        expect_silence(&r);
        for (uint32_t i = 0; i < 6; i++) { /* each Response lets exactly one more out */
            u = hex("c1 42 00000100 0000000000000000 | ee");
            u.octets[13] = (uint8_t)(4 * i);
            assert_int_equal(rig_arrive(&r, u), IW_OK);
            expect_done(r.send_cq, i, IW_READ, IW_OK);
            bool read = i + ord < 6, send = i + ord == 6;
            assert_int_equal(rig_pull(&r, &u), read || send);
            if (read)
                assert_int_equal(u.octets[1], 0x41);
            if (send)
                assert_int_equal(u.octets[1], 0x43);
            if (send || !read)
                expect_silence(&r);
        }
        rig_close(&r);
    }
}

/* checks: RDMAP-6.1-5 */
TEST(with_ord_0_there_are_no_reads)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 64, ALL);
    assert_int_equal(iw_set_read_depth(r.ep, 0, 0), IW_OK);
    struct iw_work work = {.op = IW_READ, .sges = 1, .sge = {{m, 1, 0}}};
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    rig_send(&r, 6, IW_SEND, m, 0, 1);
    expect_sent(&r, "41 43 00000000 00000000 00000001 00000000 | 00");
    rig_close(&r);
}

/* checks: RDMAP-5.2.1-7 RDMAP-5.2.1-9a RDMAP-5.2.1-9b */
TEST(several_buffers_take_several_requests)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 64, ALL);
    struct iw_work two = {.op = IW_READ, .sges = 2, .sge = {{m, 4, 0}, {m, 4, 8}}};
    assert_int_equal(rig_post(&r, two), IW_EINVAL);
    rig_tagged(&r, 1, IW_READ, (struct iw_sge){m, 4, 0}, 0xa, 0);
    rig_tagged(&r, 2, IW_READ, (struct iw_sge){m, 4, 8}, 0xb, 0);
    expect_sent(&r, "41 41 00000000 00000001 00000001 00000000 | "
                    "00000100 0000000000000000 00000004 0000000a 0000000000000000");
    expect_sent(&r, "41 41 00000000 00000001 00000002 00000000 | "
                    "00000100 0000000000000008 00000004 0000000b 0000000000000000");
    rig_close(&r);
}

struct reply {
    const char *name, *octets;
    int term;
};

/* checks: RDMAP-5.2.2-8 RDMAP-5.2.2-5 RDMAP-4.4-4 DDP-7.1-T1 */
TEST(a_response_must_be_what_was_asked_for)
{
    static const struct reply replies[] = {
        {"another STag", "c1 42 00000200 0000000000001000 | 01020304", IW_TERM(1, 1, 0)},
        {"before the sink", "c1 42 00000100 0000000000000fff | 01020304", IW_TERM(1, 1, 1)},
        {"beyond the sink", "c1 42 00000100 0000000000001004 | 01", IW_TERM(1, 1, 1)},
        {"inside the region, beyond the sink", "c1 42 00000100 0000000000001001 | 01020304",
         IW_TERM(1, 1, 1)},
        {"too long", "c1 42 00000100 0000000000001000 | 0102030405", IW_TERM(1, 1, 1)},
        {"too short", "c1 42 00000100 0000000000001000 | 010203", IW_TERM(1, 1, 1)},
        {"empty", "c1 42 00000100 0000000000001000", IW_TERM(1, 1, 1)},
        {"starts one octet late", "c1 42 00000100 0000000000001001 | 010203", IW_TERM(1, 1, 1)},
    };
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        for (int way = 0; way < 4; way++) { /* in order and out of order, strict and not */
            struct rig r;
            struct iw_conf conf = rig_conf();
            if (way >= 2)
                conf.profile = IW_STRICT;
            print_message("    %s\n", replies[i].name);
            rig_open(&r, conf);
            iw_stag m = rig_memory(&r, 0x1000, 16, ALL);
            rig_memory(&r, 0x1000, 16, ALL);
            read_into(&r, 5, m, 0x1000, 4);
            struct ulpdu u[2] = {hex("c1 40 00000200 0000000000001000"), hex(replies[i].octets)}, out;
            const uint32_t order[2][2] = {{0, 1}, {1, 0}};
            assert_true(rig_pull(&r, &out));
            rig_keys(&r, u, 2);
            assert_int_equal(rig_present(&r, u, 2, order[way % 2], 2), replies[i].term);
            struct iw_done done = rig_done(r.send_cq);
            assert_int_equal(done.id, 5);
            assert_true(done.status != IW_OK);
            expect_terminate(&r, replies[i].term, "MD", &u[1]);
            expect_zero(rig_at(&r, m, 0x1004), 12);
            expect_zero(r.region[1].octets, 16); /* writable for the peer, but not what was asked for */
            rig_close(&r);
        }
    }
}

/* A Read of 8 octets, and the segments that answer it. */
struct answer {
    const char *name;
    uint32_t n;
    const char *octets[3];
    bool right;
    bool wrong_if_strict; /* as many octets as asked for, but not in a row (DDP-5.2-12) */
};

/* The ULP must not be told that its buffer is full when octets of it never came. */
/* checks: RDMAP-5.2.2-8 RDMAP-5.2.2-9 RDMAP-5.5-20c */
TEST(a_read_that_got_fewer_octets_than_it_asked_for_fails)
{
    static const struct answer answers[] = {
        {"none", 1, {"c1 42 00000100 0000000000001000"}, false, false},
        {"none, at the end", 1, {"c1 42 00000100 0000000000001008"}, false, false},
        {"the last one only", 1, {"c1 42 00000100 0000000000001007 | 07"}, false, false},
        {"all but the first",
         2,
         {"81 42 00000100 0000000000001001 | 010203", "c1 42 00000100 0000000000001004 | 04050607"},
         false,
         false},
        {"the last two missing, the end empty",
         2,
         {"81 42 00000100 0000000000001000 | 000102030405", "c1 42 00000100 0000000000001006"},
         false,
         false},
        {"a hole in the middle",
         3,
         {"81 42 00000100 0000000000001000 | 0001", "81 42 00000100 0000000000001002 | 02",
          "c1 42 00000100 0000000000001005 | 050607"},
         false,
         false},
        {"some twice and some never",
         2,
         {"81 42 00000100 0000000000001004 | 04050607", "c1 42 00000100 0000000000001004 | 04050607"},
         true,
         true},
        {"the beginning last",
         2,
         {"81 42 00000100 0000000000001004 | 04050607", "c1 42 00000100 0000000000001000 | 00010203"},
         false,
         false},
        {"all, in three segments",
         3,
         {"81 42 00000100 0000000000001000 | 0001", "81 42 00000100 0000000000001002 | 020304",
          "c1 42 00000100 0000000000001005 | 050607"},
         true,
         false},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        const struct answer *a = &answers[i];
        uint32_t order[6] = {0, 1, 2};
        do {
            for (int way = 0; way < 4; way++) { /* each once and twice, strict and not */
                struct rig r;
                struct iw_conf conf = rig_conf();
                struct ulpdu u[3], out;
                uint32_t twice[6];
                bool strict = way & 1, right = strict ? a->right && !a->wrong_if_strict : a->right;
                conf.profile = strict ? IW_STRICT : 0;
                rig_open(&r, conf);
                read_into(&r, 5, rig_memory(&r, 0x1000, 16, ALL), 0x1000, 8);
                assert_true(rig_pull(&r, &out));
                for (uint32_t k = 0; k < a->n; k++) {
                    u[k] = hex(a->octets[k]);
                    twice[2 * k] = twice[2 * k + 1] = order[k];
                }
                rig_keys(&r, u, a->n);
                bool again = way & 2;
                int end = rig_present(&r, u, a->n, again ? twice : order, again ? 2 * a->n : a->n);
                if ((end == IW_OK) != right)
                    fail_msg("%s: %x", a->name, (unsigned)end);
                struct iw_done done = rig_done(r.send_cq);
                assert_int_equal(done.id, 5);
                assert_int_equal(done.status == IW_OK, right);
                if (!right && !strict)
                    expect_terminate(&r, IW_TERM(1, 1, 1), "MD", &u[a->n - 1]);
                rig_close(&r);
            }
        } while (rig_permute(order, a->n));
    }
}

/* checks: RDMAP-5.2.2-8 RDMAP-8.1.1-6 */
TEST(a_sink_that_was_taken_away_ends_the_stream)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0x1000, 16, ALL);
    read_into(&r, 5, m, 0x1000, 4);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(iw_revoke(r.stags, m, IW_DRAIN), IW_OK);
    u = hex("c1 42 00000100 0000000000001000 | 01020304");
    assert_int_equal(rig_arrive(&r, u), IW_TERM(1, 1, 0));
    expect_zero(rig_at(&r, m, 0x1000), 16);
    expect_terminate(&r, IW_TERM(1, 1, 0), "MD", &u);
    rig_close(&r);
}

/* checks: RDMAP-5.5-11 RDMAP-5.5-20a RDMAP-5.5-15 RDMAP-5.5-3 RDMAP-B-9 */
TEST(responses_out_of_order_complete_reads_in_order)
{
    uint32_t order[] = {0, 1, 2, 3};
    struct ulpdu u[4] = {
        hex("81 42 00000100 0000000000000000 | 0102"),
        hex("c1 42 00000100 0000000000000002 | 03"),
        hex("c1 42 00000100 0000000000000008 | 040506"),
        hex("c1 42 00000100 0000000000000010 | 0708"),
    };
    do {
        for (uint32_t arrivals = 1; arrivals <= 4; arrivals++) {
            struct rig r;
            struct ulpdu out[3];
            rig_open(&r, rig_conf());
            iw_stag m = rig_memory(&r, 0, 32, IW_LOCAL_WRITE);
            read_into(&r, 0, m, 0, 3);
            read_into(&r, 1, m, 8, 3);
            read_into(&r, 2, m, 16, 2);
            assert_int_equal(rig_pull_all(&r, out, 3), 3);
            rig_keys(&r, u, 4);
            assert_int_equal(rig_present(&r, u, 4, order, arrivals), IW_OK);
            uint32_t whole = 0, have = 0; /* segments in order from the first on */
            for (uint32_t i = 0; i < arrivals; i++)
                have |= 1u << order[i];
            while (have >> whole & 1)
                whole++;
            for (uint32_t i = 0; i + 1 < whole; i++)
                expect_done(r.send_cq, i, IW_READ, IW_OK);
            expect_not_done(r.send_cq);
            if (arrivals == 4)
                expect_octets(rig_at(&r, m, 0), "0102030000000000 0405060000000000 0708");
            rig_close(&r);
        }
    } while (rig_permute(order, 4));
}

/* checks: RDMAP-4.4-2 RDMAP-5.2.2-2a */
TEST(a_sink_stag_is_not_looked_up_by_the_responder)
{
    static const char *const sinks[] = {"00000000", "00000100", "00000200", "ffffffff"};
    for (int i = 0; i < 4; i++) {
        struct rig r;
        char request_text[200], response_text[100];
        rig_open(&r, rig_conf());
        rig_memory(&r, 0, 4, IW_REMOTE_READ);
        assert_int_equal(iw_invalidate(r.stags, rig_memory(&r, 0, 4, 0)), IW_OK);
        strcpy(request_text, "41 41 00000000 00000001 00000001 00000000 | ");
        strcat(strcat(request_text, sinks[i]), " 0000000000000077 00000001 00000100 0000000000000000");
        strcat(strcat(strcpy(response_text, "c1 42 "), sinks[i]), " 0000000000000077 | 00");
        assert_int_equal(rig_arrive_hex(&r, request_text), IW_OK);
        expect_sent(&r, response_text);
        rig_close(&r);
    }
}

/* checks: RDMAP-5.5-13 */
TEST(a_fence_waits_for_earlier_reads)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 32, ALL);
    read_into(&r, 0, m, 0, 1);
    struct iw_work fenced = {.id = 1, .op = IW_SEND, .flags = IW_FENCE, .sges = 1, .sge = {{m, 1, 0}}};
    assert_int_equal(rig_post(&r, fenced), IW_OK);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    expect_silence(&r);
    assert_int_equal(rig_arrive_hex(&r, "c1 42 00000100 0000000000000000 | 77"), IW_OK);
    expect_sent(&r, "41 43 00000000 00000000 00000001 00000000 | 77");
    rig_close(&r);
}
