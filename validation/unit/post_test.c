/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a ULP may ask for, and what is refused before anything happens. */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

static const enum iw_op rdmap_ops[] = {IW_SEND,  IW_SEND_INV, IW_SEND_SE, IW_SEND_SE_INV,
                                       IW_WRITE, IW_READ,     IW_RECV};
enum { OPS = sizeof(rdmap_ops) / sizeof(rdmap_ops[0]) };

static void expect_refused(struct rig *r, struct iw_work work)
{
    assert_int_equal(rig_post(r, work), IW_EINVAL);
    expect_silence(r);
    expect_not_done(r->send_cq);
    expect_not_done(r->recv_cq);
    expect_no_event(r);
}

/* checks: DDP-5.2-7 RDMAP-5.3-13a RDMAP-3.2-1 RDMAP-3.2-6 DDP-8.3-1 */
TEST(local_memory_must_be_the_ulp_s_own)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0x1000, 16, ALL);
    iw_stag dead = rig_memory(&r, 0x1000, 16, ALL);
    assert_int_equal(iw_invalidate(r.stags, dead), IW_OK);
    iw_stag foreign =
        rig_region(&r, (struct iw_region){.to = 0x1000, .len = 16, .rights = ALL, .pd = 2}, false);
    const struct iw_sge bad[] = {
        {m, 17, 0x1000},   {m, 1, 0xfff},        {m, 1, 0x1010},      {m, 2, 0x100f}, {m, 2, UINT64_MAX},
        {dead, 1, 0x1000}, {foreign, 1, 0x1000}, {0xdead, 1, 0x1000}, {0, 1, 0x1000}, {m, UINT32_MAX, 0x1000},
    };
    for (int op = 0; op < OPS; op++) {
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
            expect_refused(&r, (struct iw_work){.op = rdmap_ops[op], .sges = 1, .sge = {bad[i]}});
        struct iw_work good = {.op = rdmap_ops[op], .sges = 1, .sge = {{m, 16, 0x1000}}};
        assert_int_equal(rig_post(&r, good), IW_OK);
        struct ulpdu out[2];
        assert_int_equal(rig_pull_all(&r, out, 2), rdmap_ops[op] == IW_RECV ? 0 : 1);
    }
    rig_close(&r);
}

/* checks: DDP-8.3.1-5 RDMAP-8.1.1-5 */
TEST(memory_to_be_written_must_allow_it)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 16, IW_REMOTE_READ | IW_REMOTE_WRITE);
    for (int op = 0; op < OPS; op++) {
        struct iw_work work = {.op = rdmap_ops[op], .sges = 1, .sge = {{m, 4, 0}}};
        bool writes = work.op == IW_RECV || work.op == IW_READ;
        assert_int_equal(rig_post(&r, work), writes ? IW_EINVAL : IW_OK);
    }
    rig_close(&r);
}

/* checks: RDMAP-5.2.1-9b RDMAP-5.1-9 RDMAP-5.2.2-9 */
TEST(lists_are_as_long_as_the_operation_allows)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    for (int op = 0; op < OPS; op++) {
        bool one = rdmap_ops[op] == IW_READ || rdmap_ops[op] == IW_RECV;
        for (uint8_t n = 0; n <= IW_SGE_MAX + 1; n++) {
            struct iw_work work = {.op = rdmap_ops[op], .sges = n};
            for (int i = 0; i < n && i < IW_SGE_MAX; i++)
                work.sge[i] = (struct iw_sge){m, 1, 0};
            int want = n <= (one ? 1 : IW_SGE_MAX) ? IW_OK : IW_EINVAL;
            assert_int_equal(rig_post(&r, work), want);
            struct ulpdu out[2];
            rig_pull_all(&r, out, 2);
            rig_accept(&r);
            if (work.op == IW_READ && want == IW_OK) {
                struct ulpdu u = hex("c1 42 00000100 0000000000000000 | 00");
                u.len = 14u + n;
                assert_int_equal(rig_arrive(&r, u), IW_OK);
            }
            while (rig_done(r.send_cq).status == IW_OK)
                continue;
        }
    }
    rig_close(&r);
}

/* checks: RDMAP-5.2.2-3 RDMAP-6.1-5 RDMAP-6.1-2 RDMAP-6.1-3 */
TEST(with_ord_at_most_ird_no_read_ever_finds_the_queue_full)
{
    for (uint16_t depth = 1; depth <= 4; depth++) {
        struct rig a, b;
        rig_open(&a, rig_conf());
        rig_open(&b, rig_conf());
        assert_int_equal(iw_set_read_depth(a.ep, depth, depth), IW_OK);
        assert_int_equal(iw_set_read_depth(b.ep, depth, depth), IW_OK);
        iw_stag sink = rig_memory(&a, 0, 64, ALL), source = rig_memory(&b, 0, 64, ALL);
        rig_count(&b, source);
        uint32_t posted = 0, done = 0;
        while (done < 200) {
            while (posted < 200 && posted - done < 16) {
                rig_tagged(&a, posted, IW_READ, (struct iw_sge){sink, posted % 3, 0}, source, posted % 60);
                posted++;
            }
            assert_int_equal(rig_carry(&a, &b), IW_OK); /* all it may ask at once */
            assert_int_equal(rig_carry(&b, &a), IW_OK);
            a.messages = b.messages = 0;
            for (struct iw_done d; (d = rig_done(a.send_cq)).status == IW_OK; done++) {
                assert_int_equal(d.id, done);
                assert_int_equal(d.len, done % 3);
            }
        }
        expect_no_event(&b);
        rig_close(&a);
        rig_close(&b);
    }
}

/* What an endpoint says of itself. */
TEST(statistics_count_what_happened)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.mulpdu = 128;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 300, ALL);
    rig_send(&r, 1, IW_SEND, m, 0, 300);
    struct ulpdu out[3];
    assert_int_equal(rig_pull_all(&r, out, 3), 3);
    assert_int_equal(rig_arrive_hex(&r, "81 40 00000100 0000000000000000 | 010203"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000003 | 04"), IW_OK);
    const struct iw_stats *s = iw_statistics(r.ep);
    assert_int_equal(s->segments_tx, 3);
    assert_int_equal(s->octets_tx, 300);
    assert_int_equal(s->segments_rx, 2);
    assert_int_equal(s->octets_rx, 4);
    assert_int_equal(s->segments_ooo, 0);
    assert_int_equal(s->messages_rx, 1);
    assert_int_equal(s->dropped + s->duplicates + s->later + s->no_buffer, 0);
    assert_int_equal(iw_delivered_edge(r.ep), r.rx_key);
    assert_true(iw_ooo_state_octets() > 0 && iw_ooo_state_octets() <= 64);
    rig_close(&r);
}

static void *grow(struct rig *r, enum iw_table table, uint32_t expected)
{
    uint32_t entries = iw_table_wants(r->ep, table);
    assert_int_equal(entries, expected);
    void *memory = test_malloc(iw_table_octets(table, entries));
    memset(memory, 0xa5, iw_table_octets(table, entries));
    iw_table_move(r->ep, table, memory, entries);
    assert_int_equal(iw_table_wants(r->ep, table), 0);
    return memory;
}

/* 2 entries, then 4, 8 and the 9 that there may be: none is lost, and none comes twice. */
TEST(the_send_queue_grows_to_what_it_may_hold)
{
    enum { MOST = 9 };
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.sq_max = MOST;
    conf.at_first = 2;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, MOST, ALL);
    void *table[3];
    uint32_t moved = 0;
    for (uint32_t i = 0; i < MOST; i++) {
        struct iw_work w = {.op = IW_SEND, .id = i, .sges = 1, .sge = {{m, i + 1, 0}}};
        if (rig_post(&r, w) == IW_OK)
            continue;
        table[moved] = grow(&r, IW_TABLE_SENDS, 4u << moved);
        moved++;
        assert_int_equal(rig_post(&r, w), IW_OK);
    }
    assert_int_equal(moved, 3);
    assert_int_equal(iw_table_wants(r.ep, IW_TABLE_SENDS), 0);
    assert_int_equal(rig_post(&r, (struct iw_work){.op = IW_SEND}), IW_EFULL);
    struct ulpdu out[MOST + 1];
    assert_int_equal(rig_pull_all(&r, out, MOST + 1), MOST);
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(out[i].len, 18 + i + 1);
    rig_close(&r);
    while (moved)
        test_free(table[--moved]);
}

/* And with IW_RECOVER a Send waits for it. */
TEST(receives_have_no_room_before_the_first)
{
    enum { MOST = 5 };
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.profile |= IW_RECOVER;
    conf.rq_max = MOST;
    conf.at_first = 2;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, MOST, ALL);
    struct iw_work w = {.op = IW_RECV, .sges = 1, .sge = {{m, MOST, 0}}};
    assert_int_equal(rig_post(&r, w), IW_EFULL);
    assert_int_equal(rig_arrive(&r, hex("41 43 00000000 00000000 00000001 00000000")), IW_LATER);
    void *table = grow(&r, IW_TABLE_RECEIVES, 8);
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(rig_post(&r, w), IW_OK);
    assert_int_equal(rig_post(&r, w), IW_EFULL);
    rig_close(&r);
    test_free(table);
}

/* 1 segment out of order beside one in order, then 3, then the 5 that there may be; they are delivered in their order. */
TEST(what_is_out_of_order_grows_to_what_may_be_remembered)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.reorder_max = 5;
    conf.at_first = 2;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0x100, 16, ALL);
    void *table[2];
    uint32_t moved = 0;
    struct iw_place place;
    for (uint32_t i = 5; i; i--) {
        uint8_t head[IW_HEAD_MAX] = {0xc1, 0x40};
        iw_put32(head + 2, m);
        iw_put64(head + 6, 0x100 + i);
        struct iw_frag octet = {(const uint8_t *)"x", 1};
        struct iw_seg seg = {.key = i, .head_len = 14, .payload_len = 1, .frags = 1, .frag = {octet}};
        memcpy(seg.head, head, sizeof head);
        if (iw_table_wants(r.ep, IW_TABLE_REORDER)) {
            table[moved] = grow(&r, IW_TABLE_REORDER, 4u << moved);
            moved++;
        }
        assert_int_equal(iw_check(r.ep, r.now, &seg, &place), IW_OK);
        assert_int_equal(iw_commit(r.ep, r.now, &seg, &place), IW_OK);
    }
    assert_int_equal(moved, 2);
    assert_int_equal(iw_table_wants(r.ep, IW_TABLE_REORDER), 0);
    assert_int_equal(iw_statistics(r.ep)->remembered, 5);
    struct iw_message message;
    for (uint64_t key = 1; key <= 5; key++) {
        assert_int_equal(iw_deliver(r.ep, r.now, 6, &message), 1);
        assert_int_equal(message.key, key);
    }
    rig_close(&r);
    while (moved)
        test_free(table[--moved]);
}
