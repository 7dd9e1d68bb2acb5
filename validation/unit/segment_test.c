/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sending side of DDP: how a message becomes segments (RFC 5041 sections 4 and 5.2). */
#include "rig.h"

enum { BASE = 0x1000, ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

/* DDP alone, so that RsvdULP and QN are the ULP's own. */
static struct iw_conf ddp_conf(void)
{
    struct iw_conf conf = rig_conf();
    conf.profile = IW_DDP_ONLY;
    conf.queues = 2;
    conf.queue[0] = (struct iw_queue_conf){.qn = 0, .max = 16};
    conf.queue[1] = (struct iw_queue_conf){.qn = 5, .max = 16};
    return conf;
}

static void post_tagged(struct rig *r, iw_stag local, uint32_t len, iw_stag remote, uint64_t to)
{
    struct iw_work work = {.op = IW_DDP_TAGGED,
                           .sges = 1,
                           .sge = {{local, len, BASE}},
                           .remote_stag = remote,
                           .remote_to = to,
                           .rsvdulp = 0xa5};
    assert_int_equal(rig_post(r, work), IW_OK);
}

static void post_untagged(struct rig *r, iw_stag local, uint32_t len, uint32_t qn)
{
    struct iw_work work = {
        .op = IW_DDP_UNTAGGED, .sges = 1, .sge = {{local, len, BASE}}, .qn = qn, .rsvdulp = 0x0102030405};
    assert_int_equal(rig_post(r, work), IW_OK);
}

/* checks: DDP-5.2-6 DDP-5.2-1 DDP-5.2-4 DDP-4.3-14 DDP-4.3-10 DDP-4.3-2 DDP-4.3-5 DDP-4.3-8 */
TEST(an_untagged_message_of_2048_octets_at_mulpdu_1500)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, BASE, 2048, ALL);
    rig_count(&r, m);
    post_untagged(&r, m, 2048, 5);
    expect_sent_octets(&r, hex_count("01 0102030405 00000005 00000001 00000000", 0, 1482));
    expect_sent_octets(&r, hex_count("41 0102030405 00000005 00000001 000005ca", 1482, 566));
    expect_silence(&r);
    rig_close(&r);
}

/* checks: DDP-5.2-8 DDP-5.2-1 DDP-5.2-4 DDP-4.2-2 DDP-4.2-5 DDP-4.2-6 DDP-4.2-8 DDP-4.2-10 DDP-4.2-11 DDP-5.2-7 */
TEST(a_tagged_message_of_2048_octets_at_to_16384)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, BASE, 2048, ALL);
    rig_count(&r, m);
    post_tagged(&r, m, 2048, 0xabcdef01, 16384);
    expect_sent_octets(&r, hex_count("81 a5 abcdef01 0000000000004000", 0, 1486));
    expect_sent_octets(&r, hex_count("c1 a5 abcdef01 00000000000045ce", 1486, 562));
    expect_silence(&r);
    rig_close(&r);
}

/* checks: DDP-5.2-9 DDP-5.2-10 DDP-4.4-2 DDP-4.4-1 */
TEST(a_message_without_octets_is_one_segment)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, BASE, 16, ALL);
    post_tagged(&r, m, 0, 0x11223344, 0x5566);
    post_untagged(&r, m, 0, 0);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.len, 14);
    assert_int_equal(u.octets[0], 0xc1); /* of a tagged one only the first two octets mean something */
    assert_int_equal(u.octets[1], 0xa5);
    expect_sent(&r, "41 0102030405 00000000 00000001 00000000");
    expect_silence(&r);
    rig_close(&r);
}

/* checks: DDP-4.3-9 DDP-4.3-10 DDP-4.3-12 DDP-4.3-13 DDP-4.3-7 DDP-5.3-2 */
TEST(each_queue_counts_its_own_messages_from_one)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, BASE, 2, ALL);
    const uint32_t qn[] = {0, 5, 5, 0, 0xffffffff, 5, 0};
    const char *want[] = {
        "41 0102030405 00000000 00000001 00000000 0000", "41 0102030405 00000005 00000001 00000000 0000",
        "41 0102030405 00000005 00000002 00000000 0000", "41 0102030405 00000000 00000002 00000000 0000",
        "41 0102030405 ffffffff 00000001 00000000 0000", "41 0102030405 00000005 00000003 00000000 0000",
        "41 0102030405 00000000 00000003 00000000 0000",
    };
    for (int i = 0; i < 7; i++)
        post_untagged(&r, m, 2, qn[i]);
    for (int i = 0; i < 7; i++)
        expect_sent(&r, want[i]);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: DDP-4.3-11 */
TEST(the_sequence_number_passes_through_zero)
{
    struct rig r;
    struct iw_conf conf = ddp_conf();
    conf.first_msn = 0xfffffffe;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, BASE, 1, ALL);
    for (int i = 0; i < 4; i++)
        post_untagged(&r, m, 1, 0);
    expect_sent(&r, "41 0102030405 00000000 fffffffe 00000000 00");
    expect_sent(&r, "41 0102030405 00000000 ffffffff 00000000 00");
    expect_sent(&r, "41 0102030405 00000000 00000000 00000000 00");
    expect_sent(&r, "41 0102030405 00000000 00000001 00000000 00");
    rig_close(&r);
}

static uint64_t get(const uint8_t *p, int octets)
{
    uint64_t v = 0;
    while (octets--)
        v = v << 8 | *p++;
    return v;
}

/* What every segment of a message must say, whatever its size. */
struct seen {
    uint64_t first, octets;
    uint32_t segments, lasts, largest;
};

static void expect_segment(struct seen *s, const struct iw_seg *seg, uint32_t mulpdu, uint32_t len)
{
    bool tagged = seg->head[0] & 0x80;
    uint32_t head = tagged ? 14 : 18;
    assert_int_equal(seg->head_len, head);
    assert_int_equal(seg->head[0] & 0x3f, 1);
    uint64_t offset = tagged ? get(seg->head + 6, 8) - s->first : get(seg->head + 14, 4);
    assert_int_equal(offset, s->octets); /* contiguous and rising */
    if (tagged) {
        assert_int_equal(seg->head[1], 0xa5);
        assert_int_equal(get(seg->head + 2, 4), 0xabcdef01);
    } else {
        assert_int_equal(get(seg->head + 1, 5), 0x0102030405);
        assert_int_equal(get(seg->head + 6, 4), 0);
    }
    assert_true(head + seg->payload_len <= mulpdu);
    s->octets += seg->payload_len;
    s->segments++;
    bool last = seg->head[0] & 0x40;
    s->lasts += last;
    assert_int_equal(last, s->octets == len);
    assert_true(seg->payload_len > 0 || len == 0);
}

static void cut(struct rig *r, uint32_t mulpdu, uint32_t len, bool tagged, iw_stag m)
{
    struct seen s = {.first = UINT64_MAX - 5};
    struct iw_seg seg;
    assert_int_equal(iw_set_mulpdu(r->ep, mulpdu), IW_OK);
    if (tagged)
        post_tagged(r, m, len, 0xabcdef01, s.first);
    else
        post_untagged(r, m, len, 0);
    while (iw_transmit(r->ep, r->now, r->tx_key, &seg)) {
        r->tx_key += 70000;
        expect_segment(&s, &seg, mulpdu, len);
    }
    uint32_t room = mulpdu - (tagged ? 14 : 18);
    assert_int_equal(s.octets, len);
    assert_int_equal(s.lasts, 1);
    assert_int_equal(s.segments, len ? (len + room - 1) / room : 1);
    rig_accept(r);
    expect_done(r->send_cq, 0, tagged ? IW_DDP_TAGGED : IW_DDP_UNTAGGED, IW_OK);
}

/* checks: DDP-4.1-3 DDP-4.1-4 DDP-4.1-5 DDP-4.1-6 DDP-4.2-10 DDP-4.3-7 DDP-5.2-2 DDP-5.3-3 DDP-5.2-4 */
TEST(all_sizes_at_many_mulpdus)
{
    static const uint32_t mulpdu[] = {128, 129, 130, 131, 512, 1442, 8938, 64768};
    struct rig r;
    struct iw_conf conf = ddp_conf();
    rig_open(&r, conf);
    iw_stag m = rig_region(&r, (struct iw_region){.to = BASE, .len = 200000, .pd = 1}, true);
    for (int i = 0; i < 8; i++) {
        uint32_t step = mulpdu[i] < 512 ? 1 : mulpdu[i] / 40;
        for (uint32_t len = 0; len <= 3 * mulpdu[i]; len += step) {
            cut(&r, mulpdu[i], len, false, m);
            cut(&r, mulpdu[i], len, true, m);
        }
        for (uint32_t k = 1; k <= 3; k++) { /* around whole segments */
            for (uint32_t d = 0; d < 3; d++) {
                cut(&r, mulpdu[i], k * (mulpdu[i] - 18) - 1 + d, false, m);
                cut(&r, mulpdu[i], k * (mulpdu[i] - 14) - 1 + d, true, m);
            }
        }
    }
    rig_close(&r);
}

/* checks: DDP-3-1 DDP-3-2 */
TEST(a_new_mulpdu_counts_from_the_next_segment)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, BASE, 2048, ALL);
    rig_count(&r, m);
    post_tagged(&r, m, 2048, 0xabcdef01, 0);
    struct ulpdu sent[3];
    assert_true(rig_pull(&r, &sent[0]));
    assert_int_equal(sent[0].len, 1500);
    assert_int_equal(iw_set_mulpdu(r.ep, 128), IW_OK);
    assert_true(rig_pull(&r, &sent[1]));
    assert_int_equal(sent[1].len, 128);
    assert_int_equal(get(sent[1].octets + 6, 8), 1486);
    assert_int_equal(iw_set_mulpdu(r.ep, 600), IW_OK);
    assert_true(rig_pull(&r, &sent[2]));
    assert_int_equal(sent[2].len, 14 + 2048 - 1486 - 114);
    expect_silence(&r);
    assert_int_equal(sent[2].octets[0], 0xc1);
    rig_close(&r);
}

/* checks: DDP-3-1 */
TEST(a_mulpdu_below_128_is_refused)
{
    struct rig r;
    struct iw_conf conf = ddp_conf();
    rig_open(&r, conf);
    assert_int_equal(iw_set_mulpdu(r.ep, 127), IW_EINVAL);
    assert_int_equal(iw_set_mulpdu(r.ep, 0), IW_EINVAL);
    iw_stag m = rig_memory(&r, BASE, 2048, ALL);
    post_tagged(&r, m, 2048, 0xabcdef01, 0);
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.len, 1500); /* nothing has changed */
    r.conf.mulpdu = conf.mulpdu = 127;
    conf.stags = r.stags;
    conf.send_cq = r.send_cq;
    conf.recv_cq = r.recv_cq;
    assert_int_equal(iw_ep_size(&conf), 0);
    assert_non_null(iw_conf_error(&conf));
    rig_close(&r);
}

/* checks: DDP-3-2 DDP-3-8b */
TEST(a_segment_once_made_stays_as_it_was)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_memory(&r, BASE, 2048, ALL);
    rig_count(&r, m);
    post_tagged(&r, m, 2048, 0xabcdef01, 0);
    struct iw_seg seg;
    assert_true(iw_transmit(r.ep, r.now, 0, &seg));
    struct ulpdu want = hex_count("81 a5 abcdef01 0000000000000000", 0, 1486);
    assert_int_equal(iw_set_mulpdu(r.ep, 128), IW_OK);
    struct iw_seg next;
    assert_true(iw_transmit(r.ep, r.now, 2000, &next));
    assert_memory_equal(seg.head, want.octets, 14); /* the first is untouched by the second */
    assert_int_equal(seg.frag[0].len, 1486);
    assert_memory_equal(seg.frag[0].octets, want.octets + 14, 1486);
    rig_close(&r);
}

/* checks: DDP-5.2-3 */
TEST(a_message_of_4_gib_is_refused_and_one_octet_less_is_sent)
{
    struct rig r;
    rig_open(&r, ddp_conf());
    struct iw_region big = {.to = 0, .len = 1ull << 32, .pd = 1};
    iw_stag m = rig_region(&r, big, true);
    struct iw_work work = {
        .op = IW_DDP_TAGGED, .sges = 2, .remote_stag = 1, .sge = {{m, 1u << 31, 0}, {m, 1u << 31, 1u << 31}}};
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    expect_silence(&r);
    work.sge[1].len--;
    assert_int_equal(rig_post(&r, work), IW_OK);
    assert_int_equal(iw_set_mulpdu(r.ep, 64768), IW_OK);
    uint64_t octets = 0;
    struct iw_seg seg;
    for (uint64_t key = 0; iw_transmit(r.ep, r.now, key, &seg); key += 70000)
        octets += seg.payload_len;
    assert_true(octets == UINT32_MAX);
    rig_close(&r);
}

/* checks: RDMAP-5.1-6 RDMAP-5.3-8 */
TEST(pieces_of_memory_are_gathered_in_their_order)
{
    struct rig r;
    struct iw_conf conf = ddp_conf();
    conf.mulpdu = 128; /* 110 octets a segment */
    rig_open(&r, conf);
    iw_stag a = rig_memory(&r, BASE, 256, ALL), b = rig_memory(&r, 0, 256, ALL);
    rig_count(&r, a);
    rig_count(&r, b);
    struct iw_work work = {.op = IW_DDP_UNTAGGED,
                           .sges = 4,
                           .rsvdulp = 1,
                           .sge = {{a, 100, BASE + 50}, {b, 0, 0}, {b, 5, 200}, {a, 30, BASE}}};
    assert_int_equal(rig_post(&r, work), IW_OK);
    struct ulpdu got[2], want = {0};
    for (uint32_t i = 0; i < 135; i++) {
        uint32_t at = i < 100 ? 50 + i : i < 105 ? 200 + i - 100 : i - 105;
        want.octets[i] = (uint8_t)at;
    }
    assert_int_equal(rig_pull_all(&r, got, 2), 2);
    assert_int_equal(got[0].len, 128);
    assert_int_equal(got[1].len, 18 + 25);
    assert_memory_equal(got[0].octets + 18, want.octets, 110);
    assert_memory_equal(got[1].octets + 18, want.octets + 110, 25);

    work.sges = 2; /* a segment that begins inside one piece and ends inside the next */
    work.sge[0] = (struct iw_sge){a, 150, BASE};
    work.sge[1] = (struct iw_sge){b, 50, 100};
    assert_int_equal(rig_post(&r, work), IW_OK);
    assert_int_equal(rig_pull_all(&r, got, 2), 2);
    assert_int_equal(got[1].len, 18 + 90);
    for (uint32_t i = 0; i < 90; i++)
        assert_int_equal(got[1].octets[18 + i], i < 40 ? 110 + i : 100 + i - 40);
    rig_close(&r);
}

/* Every segment of a message bears its number, however many there are, and the next message the next one. */
/* checks: DDP-4.3-9 DDP-4.3-8 DDP-4.3-12 DDP-4.3-13 DDP-5.2-1 */
TEST(long_messages_keep_their_number)
{
    enum { LONG = 3000000 };
    struct rig r;
    struct ulpdu u;
    rig_open(&r, ddp_conf());
    iw_stag m = rig_region(&r, (struct iw_region){.to = BASE, .len = LONG, .rights = ALL, .pd = 1}, true);
    for (uint32_t msn = 1; msn <= 3; msn++) {
        uint32_t mo = 0;
        post_untagged(&r, m, LONG, 5);
        do {
            assert_true(rig_pull(&r, &u));
            assert_int_equal(u.octets[13], msn);
            assert_int_equal(u.octets[10] | u.octets[11] | u.octets[12], 0);
            assert_int_equal((uint32_t)u.octets[14] << 24 | (uint32_t)u.octets[15] << 16 |
                                 (uint32_t)u.octets[16] << 8 | u.octets[17],
                             mo);
            mo += u.len - 18;
        } while (!(u.octets[0] & 0x40));
        assert_int_equal(mo, LONG);
        rig_ack(&r);
        rig_done(r.send_cq);
    }
    rig_close(&r);
}
