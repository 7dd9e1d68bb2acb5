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
