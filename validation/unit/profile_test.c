/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiles of iw.h, and what a configuration must have (RFC 5041 section 3, conformance.md section 4). */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

static struct iw_conf with(unsigned profile)
{
    struct iw_conf conf = rig_conf();
    conf.profile = profile;
    return conf;
}

/* ---- what the LLP must promise ---- */

/* checks: DDP-3-0 DDP-3-6 */
TEST(an_llp_that_lacks_a_service_is_refused)
{
    struct rig r;
    rig_open(&r, rig_conf());
    struct iw_conf conf = r.conf;
    assert_null(iw_conf_error(&conf));
    for (unsigned bit = 1; bit <= IW_LLP_ALL; bit <<= 1) {
        conf.llp = IW_LLP_ALL & ~bit;
        assert_non_null(iw_conf_error(&conf));
        assert_int_equal(iw_ep_size(&conf), 0);
        assert_null(iw_ep_init(r.ep, &conf));
        conf.profile = IW_NO_DIGEST; /* a weaker LLP must be chosen on purpose, and only for its digest */
        assert_int_equal(iw_conf_error(&conf) == NULL, bit == IW_LLP_DIGEST);
        conf.profile = 0;
    }
    rig_close(&r);
}

TEST(a_configuration_that_makes_no_sense_is_refused_in_words)
{
    struct rig r;
    rig_open(&r, rig_conf());
    const struct iw_conf good = r.conf;
    struct iw_conf bad[9];
    for (int i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].stream = 0;
    bad[1].mulpdu = 127;
    bad[2].stags = NULL;
    bad[3].send_cq = NULL;
    bad[4].profile = IW_DDP_ONLY; /* and no queue */
    bad[5].profile = IW_DDP_ONLY;
    bad[5].queues = IW_QUEUES_MAX + 1;
    bad[6].profile = IW_DDP_ONLY;
    bad[6].queues = 2; /* the same QN twice */
    bad[7].profile = IW_DRAFT00 | IW_RECOVER;
    bad[8].profile = IW_DDP_ONLY;
    bad[8].queues = 3;
    bad[8].queue[0].qn = 1;
    bad[8].queue[1].qn = bad[8].queue[2].qn = 2;
    assert_null(iw_conf_error(&good));
    assert_true(iw_ep_size(&good) > 0);
    for (int i = 0; i < 9; i++) {
        assert_non_null(iw_conf_error(&bad[i]));
        assert_null(iw_ep_init(r.ep, &bad[i]));
    }
    rig_close(&r);
}

TEST(depths_go_up_to_32768)
{
    struct rig r;
    rig_open(&r, rig_conf());
    for (int i = 0; i < 5; i++) {
        struct iw_conf conf = r.conf;
        uint16_t *depth[] = {&conf.sq_max, &conf.rq_max, &conf.reorder_max, &conf.ord, &conf.ird};
        *depth[i] = 32768;
        assert_null(iw_conf_error(&conf));
        *depth[i] = 32769;
        assert_non_null(iw_conf_error(&conf));
        *depth[i] = 0;
        assert_int_equal(iw_conf_error(&conf) == NULL,
                         i != 0); /* without a send queue nothing could be said */
    }
    rig_close(&r);
}

/* ---- the RDMA Consortium's protocol ---- */

/* checks: RDMAP-4.1-8 DDP-4.1-11 RDMAP-4.1-1 DDP-4.1-12 */
TEST(rdmac_has_both_versions_zero)
{
    struct rig r;
    rig_open(&r, with(IW_RDMAC));
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    rig_tagged(&r, 1, IW_WRITE, (struct iw_sge){m, 2, 0}, 0x42, 0);
    rig_send(&r, 2, IW_SEND, m, 0, 2);
    rig_tagged(&r, 3, IW_READ, (struct iw_sge){m, 2, 0}, 0x42, 0);
    expect_sent(&r, "c0 00 00000042 0000000000000000 | 0000");
    expect_sent(&r, "40 03 00000000 00000000 00000001 00000000 | 0000");
    expect_sent(&r, "40 01 00000000 00000001 00000001 00000000 | "
                    "00000100 0000000000000000 00000002 00000042 0000000000000000");
    assert_int_equal(rig_arrive_hex(&r, "c0 02 00000100 0000000000000000 | 0102"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "c0 00 00000100 0000000000000002 | 0304"), IW_OK);
    expect_octets(rig_at(&r, m, 0), "01020304");
    struct ulpdu bad = hex("c1 40 00000100 0000000000000000 | ff");
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 4));
    expect_terminate(&r, IW_TERM(1, 1, 4), "MD", &bad);
    rig_close(&r);

    rig_open(&r, with(IW_RDMAC));
    bad = hex("c0 40 00000100 0000000000000000 | ff");
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(0, 2, 5));
    expect_terminate(&r, IW_TERM(0, 2, 5), "MD", &bad);
    rig_close(&r);
}

/* ---- RFC 7306 ---- */

/* checks: RDMAP-4.1-6 RDMAP-3.1-2 EXT-4.1-1 EXT-4.1-2 EXT-6.3-1 */
TEST(immediate_data_is_a_send_of_eight_octets)
{
    struct rig r;
    rig_open(&r, with(IW_RFC7306));
    rig_recv(&r, 1, rig_memory(&r, 0, 8, ALL), 0, 8);
    rig_recv(&r, 2, 0x100, 0, 8);
    struct iw_work work = {.id = 9, .op = IW_IMMEDIATE, .rsvdulp = 0x0102030405060708};
    assert_int_equal(rig_post(&r, work), IW_OK);
    work.op = IW_IMMEDIATE_SE;
    assert_int_equal(rig_post(&r, work), IW_OK);
    expect_sent(&r, "41 48 00000000 00000000 00000001 00000000 | 0102030405060708");
    expect_sent(&r, "41 49 00000000 00000000 00000002 00000000 | 0102030405060708");
    assert_int_equal(rig_arrive_hex(&r, "41 48 00000000 00000000 00000001 00000000 | 1112131415161718"),
                     IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 49 00000000 00000000 00000002 00000000 | 2122232425262728"),
                     IW_OK);
    struct iw_done done = expect_done(r.recv_cq, 1, IW_RECV, IW_OK);
    assert_true(done.immediate && !done.solicited && done.rsvdulp == 0x1112131415161718);
    done = expect_done(r.recv_cq, 2, IW_RECV, IW_OK);
    assert_true(done.immediate && done.solicited && done.rsvdulp == 0x2122232425262728);
    expect_zero(rig_at(&r, 0x100, 0), 8); /* the buffer itself stays as it was */
    rig_close(&r);
}

/* checks: RDMAP-4.1-6 EXT-8.2-1 */
TEST(what_nobody_defines_is_refused)
{
    static const char *const refused[] = {
        "41 4c 00000000 00000000 00000001 00000000",
        "41 4f 00000000 00000000 00000001 00000000",
        "c1 48 00000100 0000000000000000",
        "c1 4a 00000100 0000000000000000",
    };
    for (int i = 0; i < 4; i++) {
        struct rig r;
        rig_open(&r, with(IW_RFC7306));
        rig_recv(&r, 1, rig_memory(&r, 0, 8, ALL), 0, 8);
        assert_int_equal(rig_arrive_hex(&r, refused[i]), IW_TERM(0, 2, 6));
        rig_close(&r);
    }
}

/* checks: EXT-6.3-3 */
TEST(immediate_data_of_another_length_is_refused)
{
    static const char *const refused[] = {
        "41 48 00000000 00000000 00000001 00000000 | 01020304050607",
        "41 49 00000000 00000000 00000001 00000000 | 010203040506070809",
        "41 48 00000000 00000000 00000001 00000000",
        "01 48 00000000 00000000 00000001 00000000 | 0102030405060708", /* not the last segment */
    };
    for (int i = 0; i < 4; i++) {
        struct rig r;
        struct ulpdu u = hex(refused[i]);
        rig_open(&r, with(IW_RFC7306));
        rig_recv(&r, 1, rig_memory(&r, 0, 8, ALL), 0, 8);
        assert_int_equal(rig_arrive(&r, u), IW_TERM(0, 2, 0xff));
        expect_terminate(&r, IW_TERM(0, 2, 0xff), "MD", &u);
        rig_close(&r);
    }
}

/* checks: EXT-6.3-2 */
TEST(immediate_data_is_delivered_in_the_order_sent)
{
    uint32_t order[3] = {0, 1, 2};
    do {
        struct rig r;
        struct ulpdu u[3] = {hex("41 48 00000000 00000000 00000001 00000000 | 1112131415161718"),
                             hex("41 43 00000000 00000000 00000002 00000000 | 01"),
                             hex("41 49 00000000 00000000 00000003 00000000 | 2122232425262728")};
        rig_open(&r, with(IW_RFC7306));
        iw_stag m = rig_memory(&r, 0, 24, ALL);
        for (uint32_t i = 0; i < 3; i++)
            rig_recv(&r, i, m, 8 * i, 8);
        rig_keys(&r, u, 3);
        assert_int_equal(rig_present(&r, u, 3, order, 3), IW_OK);
        assert_true(expect_done(r.recv_cq, 0, IW_RECV, IW_OK).rsvdulp == 0x1112131415161718);
        assert_false(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).immediate);
        assert_true(expect_done(r.recv_cq, 2, IW_RECV, IW_OK).rsvdulp == 0x2122232425262728);
        rig_close(&r);
    } while (rig_permute(order, 3));
}

/* Two messages of one MSN: the first sent is delivered, the second is the error, whichever came first. */
/* checks: EXT-6.3-2 */
TEST(of_two_immediates_with_one_msn_the_first_sent_counts)
{
    uint32_t order[3] = {0, 1, 2};
    do {
        struct rig r;
        struct ulpdu u[3] = {hex("41 43 00000000 00000000 00000001 00000000 | 01"),
                             hex("41 48 00000000 00000000 00000002 00000000 | 1112131415161718"),
                             hex("41 48 00000000 00000000 00000002 00000000 | 2122232425262728")};
        rig_open(&r, with(IW_RFC7306));
        iw_stag m = rig_memory(&r, 0, 16, ALL);
        for (uint32_t i = 0; i < 2; i++)
            rig_recv(&r, i, m, 8 * i, 8);
        rig_keys(&r, u, 3);
        assert_int_equal(rig_present(&r, u, 3, order, 3), IW_T_DDP_MSN_RANGE);
        expect_done(r.recv_cq, 0, IW_RECV, IW_OK);
        assert_true(expect_done(r.recv_cq, 1, IW_RECV, IW_OK).rsvdulp == 0x1112131415161718);
        rig_close(&r);
    } while (rig_permute(order, 3));
}

TEST(without_the_profile_immediate_data_cannot_be_posted)
{
    struct rig r;
    rig_open(&r, rig_conf());
    struct iw_work work = {.op = IW_IMMEDIATE};
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    rig_close(&r);
}

/* ---- a missing receive buffer ---- */

/* checks: DDP-7.1-U2a DDP-7.1-U2d */
TEST(by_default_a_missing_buffer_disables_the_stream)
{
    static const unsigned profiles[] = {0, IW_DRAFT00, IW_STRICT};
    for (int i = 0; i < 3; i++) {
        struct rig r;
        rig_open(&r, with(profiles[i]));
        struct ulpdu u = hex("41 43 00000000 00000000 00000001 00000000 | 01");
        assert_int_equal(rig_arrive(&r, u), IW_TERM(1, 2, 2));
        assert_int_equal(iw_statistics(r.ep)->no_buffer, 1);
        expect_terminate(&r, IW_TERM(1, 2, 2), "MD", &u);
        rig_close(&r);
    }
}

/* A fault ends its stream, so it does not come again however many Sends follow. */
/* checks: DDP-7.1-U2c DDP-7.1-U2d */
TEST(a_missing_buffer_is_met_once)
{
    struct rig r;
    rig_open(&r, rig_conf());
    struct ulpdu u = hex("41 43 00000000 00000000 00000001 00000000 | 01");
    assert_int_equal(rig_arrive(&r, u), IW_TERM(1, 2, 2));
    expect_terminate(&r, IW_TERM(1, 2, 2), "MD", &u);
    for (unsigned msn = 1; msn <= 1000; msn++) {
        u.octets[12] = (uint8_t)(msn >> 8);
        u.octets[13] = (uint8_t)msn;
        rig_arrive(&r, u);
    }
    assert_int_equal(iw_statistics(r.ep)->no_buffer, 1);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: DDP-7.1-U2a DDP-7.1-U2b */
TEST(with_recovery_a_missing_buffer_only_waits)
{
    struct rig r;
    rig_open(&r, with(IW_RECOVER));
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    const char *text = "41 43 00000000 00000000 00000001 00000000 | 01";
    for (int i = 0; i < 3; i++)
        assert_int_equal(rig_arrive_hex(&r, text), IW_LATER);
    expect_event(&r, IW_EV_NO_BUFFER);
    expect_no_event(&r); /* each kind once */
    expect_silence(&r);
    assert_true(iw_statistics(r.ep)->no_buffer > 0);
    assert_true(iw_statistics(r.ep)->later == 3);
    rig_recv(&r, 1, m, 0, 8);
    assert_int_equal(rig_arrive_hex(&r, text), IW_OK);
    expect_done(r.recv_cq, 1, IW_RECV, IW_OK);
    expect_octets(rig_at(&r, m, 0), "01");
    /* the Read Request queue is RDMAP's own: no recovery there */
    for (uint32_t msn = 1; msn <= 4; msn++) {
        struct ulpdu u = hex("41 41 00000000 00000001 00000000 00000000 | "
                             "00000001 0000000000000000 00000000 00000000 0000000000000000");
        u.octets[13] = (uint8_t)msn;
        assert_int_equal(rig_arrive(&r, u), IW_OK);
    }
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000005 00000000 |"
                                        "00000001 0000000000000000 00000000 00000000 0000000000000000"),
                     IW_TERM(1, 2, 2));
    rig_close(&r);
}

/* ---- strict ---- */

struct strict_row {
    const char *name, *first, *second;
    int term;
    const char *bits;
};

/* checks: DDP-4.2-6 DDP-4.2-11 DDP-4.3-8 DDP-4.3-13 DDP-5.2-12 DDP-4.1-12 */
TEST(strict_finds_segments_that_do_not_continue_their_message)
{
    static const struct strict_row rows[] = {
        {"MO skips", "01 43 00000000 00000000 00000001 00000000 | 0102",
         "41 43 00000000 00000000 00000001 00000003 | 04", IW_TERM(1, 2, 4), "MD"},
        {"MO goes back", "01 43 00000000 00000000 00000001 00000000 | 0102",
         "41 43 00000000 00000000 00000001 00000001 | 04", IW_TERM(1, 2, 4), "MD"},
        {"TO skips", "81 40 00000100 0000000000000000 | 0102", "c1 40 00000100 0000000000000003 | 04",
         IW_TERM(1, 1, 1), "MD"},
        {"another STag", "81 40 00000100 0000000000000000 | 0102", "c1 40 00000200 0000000000000002 | 04",
         IW_TERM(1, 1, 0), "MD"},
        {"another opcode", "01 43 00000000 00000000 00000001 00000000 | 0102",
         "41 45 00000000 00000000 00000001 00000002 | 04", IW_TERM(0, 2, 6), "MD"},
        {"another RsvdULP", "81 40 00000100 0000000000000000 | 0102", "c1 50 00000100 0000000000000002 | 04",
         IW_TERM(1, 0, 0), ""}, /* a fatal header error that has no code of its own */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int way = 0; way < 2; way++) {
            struct rig r;
            const uint32_t orders[2][2] = {{0, 1}, {1, 0}};
            struct ulpdu u[2] = {hex(rows[i].first), hex(rows[i].second)};
            rig_open(&r, with(IW_STRICT));
            rig_memory(&r, 0, 8, ALL);
            rig_memory(&r, 0, 8, ALL);
            rig_recv(&r, 1, 0x100, 0, 8);
            rig_keys(&r, u, 2);
            print_message("    %s\n", rows[i].name);
            assert_int_equal(rig_present(&r, u, 2, orders[way], 2), rows[i].term);
            expect_terminate(&r, rows[i].term, rows[i].bits, &u[1]);
            rig_close(&r);
        }
    }
}

/* checks: DDP-5.2-12 */
TEST(strict_wants_the_first_segment_at_mo_0)
{
    struct rig r;
    rig_open(&r, with(IW_STRICT));
    rig_memory(&r, 0, 8, ALL);
    rig_recv(&r, 1, 0x100, 0, 8);
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000002 | 04"), IW_TERM(1, 2, 4));
    rig_close(&r);
}

/* checks: DDP-5.2-5 DDP-4.2-9 DDP-5.4-6 */
TEST(strict_tells_a_message_from_its_first_segment_on)
{
    struct rig r;
    struct ulpdu u[3] = {hex("81 40 00000100 0000000000000002 | 0102"),
                         hex("81 40 00000100 0000000000000004 | 0304"),
                         hex("c1 40 00000100 0000000000000006 | 05")};
    const uint32_t order[] = {0, 2, 1};
    rig_open(&r, with(IW_STRICT));
    rig_memory(&r, 0, 8, ALL);
    rig_keys(&r, u, 3);
    assert_int_equal(rig_present(&r, u, 3, order, 3), IW_OK);
    assert_int_equal(r.messages, 1);
    const struct iw_message *m = &r.message[0];
    assert_int_equal(m->first_key, u[0].key);
    assert_int_equal(m->key, u[2].key);
    assert_int_equal(m->to, 2);
    assert_int_equal(m->length, 5);
    assert_int_equal(m->segments, 3);
    assert_int_equal(m->segments_ooo, 1);

    rig_recv(&r, 1, 0x100, 0, 8);
    uint64_t first = r.rx_key;
    assert_int_equal(rig_arrive_hex(&r, "01 43 00000000 00000000 00000001 00000000 | 0102"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000002 | 03"), IW_OK);
    m = &r.message[1];
    assert_int_equal(m->first_key, first);
    assert_int_equal(m->length, 3);
    assert_int_equal(m->segments, 2);
    assert_int_equal(m->segments_ooo, 0);
    assert_int_equal(m->ctl.opcode, RDMAP_SEND);
    rig_close(&r);
}

/* What is legal stays legal under the strict profile. */
/* checks: DDP-5.2-11 DDP-4.1-10 RDMAP-4.1-9 */
TEST(strict_takes_what_is_right)
{
    struct rig r;
    rig_open(&r, with(IW_STRICT));
    rig_memory(&r, 0, 8, ALL);
    rig_recv(&r, 1, 0x100, 0, 8);
    rig_recv(&r, 2, 0x100, 0, 8);
    rig_recv(&r, 3, 0x100, 0, 8);
    static const char *const good[] = {
        "c1 40 deadbeef ffffffffffffffff",
        "bd 60 00000100 0000000000000000 | 01",
        "c1 60 00000100 0000000000000001 | 02", /* DDP's reserved bits differ */
        "01 43 00000000 00000000 00000001 00000000 | 01",
        "01 43 00000000 00000000 00000001 00000001",
        "41 43 00000000 00000000 00000001 00000001 | 02",
        "41 43 00000000 00000000 00000002 00000000",
        "81 40 00000100 0000000000000000 | 01",
        "c1 40 00000100 0000000000000001",
        /* no RFC forbids another message between two segments: a Write and a Read Request inside a Send */
        "01 43 00000000 00000000 00000003 00000000 | 01",
        "c1 40 00000100 0000000000000000 | 01",
        "41 41 00000000 00000001 00000001 00000000 | "
        "00000051 0000000000000000 00000000 00000000 0000000000000000",
        "41 43 00000000 00000000 00000003 00000001 | 02",
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        print_message("    %s\n", good[i]);
        assert_int_equal(rig_arrive_hex(&r, good[i]), IW_OK);
    }
    assert_int_equal(r.messages, 8);
    for (uint64_t id = 1; id <= 3; id++)
        expect_done(r.recv_cq, id, IW_RECV, IW_OK);
    rig_close(&r);
}

/* ---- the draft's profile: the same wire, no recovery ---- */

/* checks: DDP-5.2-9 DDP-4.3-10 DDP-4.1-11 DDP-7.1-U2d DRAFT00-D1 DRAFT00-D3 DRAFT00-D9 DRAFT00-D10 DRAFT00-D11 */
TEST(draft_00_is_the_same_on_the_wire)
{
    struct rig r;
    struct iw_conf conf = with(IW_DDP_ONLY | IW_DRAFT00);
    conf.queues = 1;
    conf.queue[0] = (struct iw_queue_conf){.qn = 7, .max = 4};
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    struct iw_work work = {.op = IW_DDP_UNTAGGED, .qn = 7, .rsvdulp = 1};
    assert_int_equal(rig_post(&r, work), IW_OK);
    work = (struct iw_work){
        .op = IW_DDP_TAGGED, .sges = 1, .sge = {{m, 2, 0}}, .remote_stag = 2, .remote_to = 3};
    assert_int_equal(rig_post(&r, work), IW_OK);
    expect_sent(&r, "41 0000000001 00000007 00000001 00000000");
    expect_sent(&r, "c1 00 00000002 0000000000000003 | 0000");
    assert_int_equal(rig_arrive_hex(&r, "41 0000000001 00000007 00000001 00000000 | 01"), IW_TERM(1, 2, 2));
    rig_close(&r);
}

/* ---- DDP alone ---- */

/* checks: DDP-4.2-2 DDP-4.3-2 DDP-7.1-U1 */
TEST(without_rdmap_every_rsvdulp_and_queue_is_the_ulp_s)
{
    struct rig r;
    struct iw_conf conf = with(IW_DDP_ONLY);
    conf.queues = 1;
    conf.queue[0] = (struct iw_queue_conf){.qn = 3, .max = 4};
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 8, ALL);
    for (unsigned octet = 0; octet < 256; octet++) { /* no opcode, no RDMAP version */
        struct ulpdu u = hex("c1 00 00000100 0000000000000000 | 01");
        u.octets[1] = (uint8_t)octet;
        assert_int_equal(rig_arrive(&r, u), IW_OK);
        assert_int_equal(r.message[0].head.rsvdulp, octet);
        r.messages = 0;
    }
    struct iw_work work = {.op = IW_RECV, .qn = 0, .sges = 1, .sge = {{m, 8, 0}}};
    assert_int_equal(rig_post(&r, work), IW_EINVAL); /* not one of its queues */
    work.qn = 3;
    assert_int_equal(rig_post(&r, work), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 ffffffffff 00000003 00000001 00000000 | 01"), IW_OK);
    assert_true(rig_done(r.recv_cq).rsvdulp == 0xffffffffff);
    static const enum iw_op rdmap[] = {IW_SEND, IW_WRITE, IW_READ, IW_IMMEDIATE};
    for (int i = 0; i < 4; i++) {
        work = (struct iw_work){.op = rdmap[i]};
        assert_int_equal(rig_post(&r, work), IW_EINVAL);
    }
    assert_int_equal(rig_arrive_hex(&r, "41 0000000000 00000000 00000001 00000000 | 01"), IW_TERM(1, 2, 1));
    rig_close(&r);
}

/* checks: RDMAP-6.1-1 */
TEST(with_rdmap_only_its_messages_can_be_posted)
{
    struct rig r;
    rig_open(&r, rig_conf());
    static const enum iw_op ddp[] = {IW_DDP_TAGGED, IW_DDP_UNTAGGED};
    for (int i = 0; i < 2; i++) {
        struct iw_work work = {.op = ddp[i]};
        assert_int_equal(rig_post(&r, work), IW_EINVAL);
    }
    struct iw_work work = {.op = IW_OPS};
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: DDP-3-0 MPA-3-6 */
TEST(what_start_up_settles_is_settled_before_the_first_segment)
{
    struct rig r;
    const unsigned no_digest = IW_LLP_ALL & ~(unsigned)IW_LLP_DIGEST;
    rig_init(&r, rig_conf());
    assert_int_equal(iw_settle(r.ep, no_digest, 1), IW_EINVAL);
    assert_int_equal(iw_settle(r.ep, IW_LLP_ALL, 2), IW_EINVAL);
    assert_int_equal(iw_settle(r.ep, IW_LLP_ALL, 0), IW_OK);
    assert_int_equal(iw_enable(r.ep, r.now, 0), IW_OK);
    assert_int_equal(iw_settle(r.ep, IW_LLP_ALL, 1), IW_ESTATE);
    rig_recv(&r, 7, rig_memory(&r, 0, 64, IW_LOCAL_WRITE), 0, 64);
    struct iw_work send = {.id = 1, .op = IW_SEND};
    assert_int_equal(rig_post(&r, send), IW_OK);
    expect_sent(&r, "40 03 00000000 00000000 00000001 00000000"); /* DV = RV = 0 */
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000000"),
                     IW_T_DDP_VERSION_UNTAGGED);
    rig_close(&r);
    rig_init(&r, with(IW_NO_DIGEST));
    assert_int_equal(iw_settle(r.ep, no_digest, 1), IW_OK);
    rig_close(&r);
}

/* ---- where draft-00 differs in words (conformance.md 4.3), its octets and answers are those of the RFC ---- */

static const unsigned either[] = {0, IW_DRAFT00};

/* checks: DRAFT00-D4 DRAFT00-D8 DRAFT00-D11 */
TEST(by_the_draft_too_all_segments_of_a_message_name_it)
{
    for (int i = 0; i < 2; i++) {
        struct rig r;
        struct iw_conf conf = with(either[i]);
        conf.mulpdu = 128;
        rig_open(&r, conf);
        iw_stag m = rig_memory(&r, 0, 120, ALL);
        rig_send(&r, 1, IW_SEND, m, 0, 120);
        rig_tagged(&r, 2, IW_WRITE, (struct iw_sge){m, 120, 0}, 0x700, 9);
        static const char *const heads[] = {
            "01 43 00000000 00000000 00000001 00000000", "41 43 00000000 00000000 00000001 0000006e",
            "81 40 00000700 0000000000000009", "c1 40 00000700 000000000000007b"};
        for (int s = 0; s < 4; s++) {
            struct ulpdu u, want = hex(heads[s]);
            assert_true(rig_pull(&r, &u));
            assert_memory_equal(u.octets, want.octets, want.len);
        }
        expect_silence(&r);
        rig_close(&r);
    }
}

/* A region of another protection domain, of another stream, of this stream and another. */
/* checks: DRAFT00-D5 DRAFT00-D6 */
TEST(by_the_draft_too_access_is_of_a_domain_or_of_streams)
{
    static const struct {
        struct iw_region region;
        int answer;
    } rows[] = {
        {{.len = 8, .rights = ALL, .pd = 1}, IW_OK},
        {{.len = 8, .rights = ALL, .pd = 2}, IW_T_DDP_ASSOCIATION},
        {{.len = 8, .rights = ALL, .stream = {1}}, IW_OK},
        {{.len = 8, .rights = ALL, .stream = {2}}, IW_T_DDP_ASSOCIATION},
        {{.len = 8, .rights = ALL, .stream = {2, 1}}, IW_OK},
    };
    for (int i = 0; i < 10; i++) {
        struct rig r;
        rig_open(&r, with(either[i % 2]));
        assert_int_equal(rig_region(&r, rows[i / 2].region, false), 0x100);
        assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000000 | 01"), rows[i / 2].answer);
        rig_close(&r);
    }
}

/* checks: DRAFT00-D7 */
TEST(by_the_draft_too_what_ends_the_llp_ends_the_stream)
{
    for (int i = 0; i < 4; i++) {
        struct rig r;
        rig_open(&r, with(either[i % 2]));
        if (i < 2)
            iw_llp(r.ep, r.now, IW_LLP_LOST);
        else
            iw_llp_failed(r.ep, r.now, IW_T_LLP_CRC);
        int term = expect_event(&r, IW_EV_FATAL).terminate.term;
        assert_int_equal(term, i < 2 ? IW_T_LLP_LOST : IW_T_LLP_CRC);
        rig_close(&r);
    }
}
