/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The RDMA operations on the wire and at the other end (RFC 5040 sections 4, 5.1, 5.3, appendix A). */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

/* One row of RFC 5040 figure 4: what is posted, and the octets of figures 11, 14 and 15. */
struct row {
    enum iw_op op;
    const char *octets;
};

/* checks: RDMAP-4.1-1 RDMAP-4.1-2 RDMAP-4.1-3 RDMAP-4.1-4 RDMAP-4.1-6 RDMAP-4.1-7 RDMAP-4.1-8 RDMAP-4.1-9 */
/* checks: RDMAP-4.1-10 RDMAP-3.1-2 RDMAP-3.1-4 RDMAP-3.1-6 RDMAP-5.1-1a RDMAP-5.1-1b RDMAP-5.3-1a RDMAP-5.3-1b */
/* checks: RDMAP-5.3-9 RDMAP-5.3-13b RDMAP-A-1 RDMAP-A-4 RDMAP-A-5 RDMAP-3.2-1 RDMAP-4.1-5 DDP-4.1-11 */
TEST(each_operation_as_figure_4_has_it)
{
    static const struct row rows[] = {
        {IW_WRITE, "c1 40 11223344 0102030405060708 | 000102"},
        {IW_SEND, "41 43 00000000 00000000 00000001 00000000 | 000102"},
        {IW_SEND_INV, "41 44 11223344 00000000 00000001 00000000 | 000102"},
        {IW_SEND_SE, "41 45 00000000 00000000 00000001 00000000 | 000102"},
        {IW_SEND_SE_INV, "41 46 11223344 00000000 00000001 00000000 | 000102"},
        {IW_READ, "41 41 00000000 00000001 00000001 00000000 | "
                  "00000100 0000000000001000 00000003 11223344 0102030405060708"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rig r;
        rig_open(&r, rig_conf());
        iw_stag m = rig_memory(&r, 0x1000, 16, ALL);
        rig_count(&r, m);
        struct iw_work work = {.op = rows[i].op,
                               .sges = 1,
                               .sge = {{m, 3, 0x1000}},
                               .remote_stag = 0x11223344,
                               .remote_to = 0x0102030405060708};
        assert_int_equal(rig_post(&r, work), IW_OK);
        assert_true(iw_has_work(r.ep));
        expect_sent(&r, rows[i].octets);
        expect_silence(&r);
        assert_false(iw_has_work(r.ep));
        rig_close(&r);
    }
}

/* checks: RDMAP-5.1-10 RDMAP-5.3-11 RDMAP-5.2.1-12 RDMAP-4.4-5 DDP-5.2-9 */
TEST(each_operation_without_octets)
{
    struct rig r;
    rig_open(&r, rig_conf());
    const enum iw_op ops[] = {IW_SEND, IW_SEND_SE, IW_SEND_INV, IW_SEND_SE_INV};
    for (int i = 0; i < 4; i++) {
        struct iw_work work = {.op = ops[i], .remote_stag = 0x01020304};
        assert_int_equal(rig_post(&r, work), IW_OK);
    }
    struct iw_work write = {.op = IW_WRITE, .remote_stag = 0x01020304, .remote_to = 5};
    struct iw_work read = {.op = IW_READ, .remote_stag = 0x01020304, .remote_to = 5};
    assert_int_equal(rig_post(&r, write), IW_OK);
    assert_int_equal(rig_post(&r, read), IW_OK);
    expect_sent(&r, "41 43 00000000 00000000 00000001 00000000");
    expect_sent(&r, "41 45 00000000 00000000 00000002 00000000");
    expect_sent(&r, "41 44 01020304 00000000 00000003 00000000");
    expect_sent(&r, "41 46 01020304 00000000 00000004 00000000");
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.len, 14);
    assert_memory_equal(u.octets, "\xc1\x40", 2);
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.len, 46);
    assert_memory_equal(u.octets, "\x41\x41", 2);
    assert_memory_equal(u.octets + 18 + 12, "\0\0\0\0", 4); /* size */
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-3.1-3 RDMAP-5.1-9 RDMAP-5.3-13b DDP-4.2-5 DDP-4.3-5 */
TEST(a_long_message_has_the_same_control_in_every_segment)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.mulpdu = 128;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 256, ALL);
    rig_count(&r, m);
    struct iw_work work = {.op = IW_SEND_SE_INV, .sges = 1, .sge = {{m, 256, 0}}, .remote_stag = 0xcafef00d};
    assert_int_equal(rig_post(&r, work), IW_OK);
    work.op = IW_WRITE;
    assert_int_equal(rig_post(&r, work), IW_OK);
    expect_sent_octets(&r, hex_count("01 46 cafef00d 00000000 00000001 00000000", 0, 110));
    expect_sent_octets(&r, hex_count("01 46 cafef00d 00000000 00000001 0000006e", 110, 110));
    expect_sent_octets(&r, hex_count("41 46 cafef00d 00000000 00000001 000000dc", 220, 36));
    expect_sent_octets(&r, hex_count("81 40 cafef00d 0000000000000000", 0, 114));
    expect_sent_octets(&r, hex_count("81 40 cafef00d 0000000000000072", 114, 114));
    expect_sent_octets(&r, hex_count("c1 40 cafef00d 00000000000000e4", 228, 28));
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-5.1-7 RDMAP-5.3-10 RDMAP-5.5-13 DDP-5.3-2 RDMAP-6.1-1 DDP-5.3-1 */
TEST(requests_leave_in_the_order_posted)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    const enum iw_op ops[] = {IW_SEND, IW_WRITE, IW_READ,     IW_SEND_SE,
                              IW_READ, IW_WRITE, IW_SEND_INV, IW_SEND};
    const uint8_t opcode[] = {3, 0, 1, 5, 1, 0, 4, 3};
    const uint8_t msn[] = {1, 0, 1, 2, 2, 0, 3, 4};
    for (int i = 0; i < 8; i++)
        rig_tagged(&r, (uint64_t)i, ops[i], (struct iw_sge){m, 4, 0}, 0x42, 0);
    for (int i = 0; i < 8; i++) {
        struct ulpdu u;
        assert_true(rig_pull(&r, &u));
        assert_int_equal(u.octets[1], 0x40 | opcode[i]);
        if (msn[i])
            assert_int_equal(u.octets[13], msn[i]);
    }
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-3.1-7 RDMAP-3.2-2 RDMAP-5.3-2 RDMAP-5.3-3 RDMAP-5.3-5 RDMAP-5.3-6 RDMAP-5.3-12 RDMAP-5.3-15 */
TEST(each_kind_of_send_completes_one_receive)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 64, IW_LOCAL_WRITE);
    iw_stag a = rig_memory(&r, 0, 4, ALL), b = rig_memory(&r, 0, 4, ALL);
    for (uint32_t i = 0; i < 5; i++)
        rig_recv(&r, i + 1, m, 8 * i, 8);
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000000 | 01020304"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 44 00000200 00000000 00000002 00000000 | 05"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 45 00000000 00000000 00000003 00000000 | 0607"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 46 00000300 00000000 00000004 00000000"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000005 00000000 | 08090a0b0c0d0e0f"),
                     IW_OK);
    const struct {
        uint32_t len;
        iw_stag invalidated;
        bool solicited;
    } want[] = {{4, 0, false}, {1, a, false}, {2, 0, true}, {0, b, true}, {8, 0, false}};
    for (uint32_t i = 0; i < 5; i++) {
        struct iw_done done = expect_done(r.recv_cq, i + 1, IW_RECV, IW_OK);
        assert_int_equal(done.len, want[i].len);
        assert_int_equal(done.invalidated, want[i].invalidated);
        assert_int_equal(done.solicited, want[i].solicited);
        assert_int_equal(done.msn, i + 1);
        assert_false(done.immediate);
    }
    expect_not_done(r.recv_cq);
    expect_octets(rig_at(&r, m, 0),
                  "0102030400000000 0500000000000000 0607000000000000 0000000000000000 08090a0b0c0d0e0f");
    rig_close(&r);
}

/* checks: RDMAP-5.3-15 RDMAP-5.3-14 RDMAP-8.1.1-4 DDP-8.3-2 */
TEST(an_invalidated_stag_is_dead_for_what_follows)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, IW_LOCAL_WRITE);
    iw_stag a = rig_memory(&r, 0, 4, ALL);
    rig_recv(&r, 1, m, 0, 8);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000200 0000000000000000 | 01020304"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 44 00000200 00000000 00000001 00000000"), IW_OK);
    expect_done(r.recv_cq, 1, IW_RECV, IW_OK);
    bool valid = true;
    struct iw_region region;
    assert_true(iw_region_of(r.stags, a, &region, &valid));
    assert_false(valid);
    struct ulpdu late = hex("c1 40 00000200 0000000000000000 | ffffffff");
    assert_int_equal(rig_arrive(&r, late), IW_TERM(1, 1, 0));
    expect_octets(rig_at(&r, a, 0), "01020304");
    expect_terminate(&r, IW_TERM(1, 1, 0), "MD", &late);
    rig_close(&r);
}

/* The invalidation belongs to the delivery, not to the arrival, of the Send. */
/* checks: RDMAP-5.3-14 RDMAP-5.3-15 RDMAP-5.5-16 */
TEST(an_stag_lives_until_the_send_that_invalidates_it_is_delivered)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 8, IW_LOCAL_WRITE);
    iw_stag a = rig_memory(&r, 0, 4, ALL);
    rig_recv(&r, 1, m, 0, 8);
    struct ulpdu u[2] = {hex("c1 40 00000200 0000000000000000 | 01020304"),
                         hex("41 44 00000200 00000000 00000001 00000000")};
    const uint32_t order[] = {1, 0};
    rig_keys(&r, u, 2);
    assert_int_equal(rig_present(&r, u, 2, order, 2), IW_OK);
    expect_octets(rig_at(&r, a, 0), "01020304");
    assert_int_equal(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).invalidated, a);
    rig_close(&r);
}

/* checks: RDMAP-3.2-4 RDMAP-5.1-2 RDMAP-5.1-3 */
TEST(a_write_is_placed_and_never_told)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0x1000, 8, IW_REMOTE_WRITE);
    rig_recv(&r, 1, rig_memory(&r, 0, 8, IW_LOCAL_WRITE), 0, 8);
    assert_int_equal(rig_arrive_hex(&r, "81 40 00000100 0000000000001000 | 01020304"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000001004 | 05060708"), IW_OK);
    expect_octets(rig_at(&r, m, 0x1000), "0102030405060708");
    expect_not_done(r.recv_cq);
    expect_not_done(r.send_cq);
    expect_no_event(&r);
    expect_silence(&r);
    struct ulpdu bad = hex("c1 40 00000100 0000000000001008 | 09");
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 1));
    expect_terminate(&r, IW_TERM(1, 1, 1), "MD", &bad);
    rig_close(&r);
}

/* checks: RDMAP-5.1-8 RDMAP-5.5-10 RDMAP-5.5-16 RDMAP-3.1-11 */
TEST(a_delivered_send_shows_all_earlier_writes)
{
    uint32_t order[] = {0, 1, 2, 3, 4};
    struct ulpdu u[5] = {
        hex("81 40 00000100 0000000000000000 | 0102"),
        hex("c1 40 00000100 0000000000000002 | 0304"),
        hex("c1 40 00000100 0000000000000004 | 05060708"),
        hex("01 43 00000000 00000000 00000001 00000000 | aa"),
        hex("41 43 00000000 00000000 00000001 00000001 | bb"),
    };
    do {
        for (uint32_t arrivals = 4; arrivals <= 5; arrivals++) {
            struct rig r;
            rig_open(&r, rig_conf());
            iw_stag m = rig_memory(&r, 0, 8, IW_REMOTE_WRITE);
            rig_recv(&r, 1, rig_memory(&r, 0, 8, IW_LOCAL_WRITE), 0, 8);
            rig_keys(&r, u, 5);
            assert_int_equal(rig_present(&r, u, 5, order, arrivals), IW_OK);
            if (arrivals < 5) {
                expect_not_done(r.recv_cq); /* whichever segment is missing */
            } else {
                expect_done(r.recv_cq, 1, IW_RECV, IW_OK);
                expect_octets(rig_at(&r, m, 0), "0102030405060708");
            }
            rig_close(&r);
        }
    } while (rig_permute(order, 5));
}

/* checks: RDMAP-3.2-3 RDMAP-3.2-5 RDMAP-5.3-7 RDMAP-7.1-0 RDMAP-3.1-9 */
TEST(both_ends_learn_of_an_error)
{
    static const enum iw_op ops[] = {IW_SEND, IW_WRITE};
    for (int i = 0; i < 2; i++) {
        struct rig a, b;
        rig_open(&a, rig_conf());
        rig_open(&b, rig_conf());
        iw_stag m = rig_memory(&a, 0, 4, ALL);
        rig_tagged(&a, 1, ops[i], (struct iw_sge){m, 4, 0}, 0xbad, 0);
        struct ulpdu bad;
        assert_true(rig_pull(&a, &bad));
        int term = i ? IW_TERM(1, 1, 0) : IW_TERM(1, 2, 2);
        assert_int_equal(rig_arrive(&b, bad), term);
        assert_int_equal(expect_event(&b, IW_EV_FATAL).terminate.term, term);
        assert_int_equal(rig_carry(&b, &a), IW_OK);
        struct iw_event event = expect_event(&a, IW_EV_TERMINATE_RECEIVED);
        assert_true(event.valid);
        assert_int_equal(event.terminate.term, term);
        assert_int_equal(event.terminate.head_len, i ? 14 : 18);
        assert_memory_equal(event.terminate.head, bad.octets, event.terminate.head_len);
        assert_int_equal(event.terminate.segment_len, bad.len);
        assert_true(rig_done(a.send_cq).status != IW_OK);
        expect_not_done(a.send_cq);
        rig_close(&a);
        rig_close(&b);
    }
}
