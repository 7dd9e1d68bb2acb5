/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers to octets and back, against octets written by hand from the RFC's figures. */
#include "rig.h"

static struct ddp_head tagged_head(void)
{
    return (struct ddp_head){
        .tagged = true, .version = 1, .rsvdulp = 0x40, .stag = 0x12345678, .to = 0x0102030405060708};
}

static struct ddp_head untagged_head(void)
{
    return (struct ddp_head){
        .version = 1, .rsvdulp = 0x43aabbccdd, .qn = 0x11121314, .msn = 0x21222324, .mo = 0x31323334};
}

static void expect_head(const struct ddp_head *h, const char *text)
{
    uint8_t out[IW_HEAD_MAX + 1];
    struct ulpdu want = hex(text);
    memset(out, 0xcc, sizeof(out));
    assert_int_equal(ddp_head_put(out, h), want.len);
    assert_int_equal(ddp_head_size(h), want.len);
    assert_memory_equal(out, want.octets, want.len);
    assert_int_equal(out[want.len], 0xcc);
}

/* checks: DDP-4.1-9 DDP-4.1-11 DDP-4.2-1 DDP-4.2-2 DDP-4.2-8 */
TEST(a_tagged_header_is_14_octets_big_endian)
{
    struct ddp_head h = tagged_head();
    expect_head(&h, "81 40 12345678 0102030405060708");
    h.last = true;
    expect_head(&h, "c1 40 12345678 0102030405060708");
    h.version = 0;
    expect_head(&h, "c0 40 12345678 0102030405060708");
}

/* checks: DDP-4.1-9 DDP-4.1-11 DDP-4.3-1 DDP-4.3-2 RDMAP-3.1-8 */
TEST(an_untagged_header_is_18_octets_big_endian)
{
    struct ddp_head h = untagged_head();
    expect_head(&h, "01 43aabbccdd 11121314 21222324 31323334");
    h.last = true;
    expect_head(&h, "41 43aabbccdd 11121314 21222324 31323334");
    h.version = 0;
    expect_head(&h, "40 43aabbccdd 11121314 21222324 31323334");
}

/* checks: DDP-4.2-1 DDP-4.3-1 */
TEST(headers_are_read_as_they_are_written)
{
    struct ddp_head h;
    struct ulpdu u = hex("c1 a5 fedcba98 8877665544332211");
    assert_true(ddp_head_get(u.octets, u.len, &h));
    assert_true(h.tagged && h.last);
    assert_int_equal(h.version, 1);
    assert_int_equal(h.rsvdulp, 0xa5);
    assert_int_equal(h.stag, 0xfedcba98);
    assert_true(h.to == 0x8877665544332211);

    u = hex("02 fffefdfcfb 80000001 fffffffe deadbeef");
    assert_true(ddp_head_get(u.octets, u.len, &h));
    assert_false(h.tagged || h.last);
    assert_int_equal(h.version, 2);
    assert_true(h.rsvdulp == 0xfffefdfcfb);
    assert_int_equal(h.qn, 0x80000001);
    assert_int_equal(h.msn, 0xfffffffe);
    assert_int_equal(h.mo, 0xdeadbeef);
}

/* checks: DDP-4.1-10 */
TEST(reserved_bits_of_the_control_octet_are_ignored)
{
    struct ulpdu u = hex("00 0000000000 00000000 00000000 00000000");
    for (unsigned control = 0; control < 256; control++) {
        struct ddp_head h;
        u.octets[0] = (uint8_t)control;
        assert_true(ddp_head_get(u.octets, u.len, &h));
        assert_int_equal(h.tagged, control >> 7);
        assert_int_equal(h.last, control >> 6 & 1);
        assert_int_equal(h.version, control & 3);
    }
}

/* checks: DDP-4.4-1 */
TEST(a_segment_shorter_than_its_header_is_none)
{
    struct ulpdu tagged = hex("c1 40 00000100 0000000000000000");
    struct ulpdu untagged = hex("41 43 00000000 00000000 00000001 00000000");
    struct ddp_head h;
    for (uint32_t len = 0; len <= 20; len++) {
        struct ulpdu *t = &tagged, *u = &untagged;
        assert_int_equal(ddp_head_get(t->octets, len, &h), len >= 14);
        assert_int_equal(ddp_head_get(u->octets, len, &h), len >= 18);
    }
}

/* checks: DDP-3-7 DDP-4.4-2 */
TEST(the_payload_is_what_the_length_leaves_after_the_header)
{
    struct ulpdu u = hex("c1 40 00000100 0000000000000000 616263 000000000000000000");
    struct iw_seg seg;
    iw_seg_view(&seg, 77, u.octets, 17);
    assert_int_equal(seg.key, 77);
    assert_int_equal(seg.head_len, 14);
    assert_int_equal(seg.payload_len, 3);
    assert_memory_equal(seg.frag[0].octets, "abc", 3);
    iw_seg_view(&seg, 0, u.octets, 14);
    assert_int_equal(seg.payload_len, 0);
    iw_seg_view(&seg, 0, u.octets, 13);
    assert_int_equal(seg.head_len, 13);
    assert_int_equal(seg.payload_len, 0);
    u.octets[0] = 0x41;
    iw_seg_view(&seg, 0, u.octets, 17);
    assert_int_equal(seg.head_len, 17);
    iw_seg_view(&seg, 0, u.octets, 19);
    assert_int_equal(seg.head_len, 18);
    assert_int_equal(seg.payload_len, 1);
    iw_seg_view(&seg, 0, u.octets, 0);
    assert_int_equal(seg.head_len + seg.payload_len, 0);
}

/* checks: RDMAP-4.1-1 RDMAP-4.1-2 RDMAP-4.1-3 RDMAP-3.1-8 */
TEST(the_rdmap_control_octet_leads_rsvdulp)
{
    for (uint8_t opcode = 0; opcode < 16; opcode++) {
        struct rdmap_ctl c = {.version = 1, .opcode = opcode, .inval_stag = 0x11223344}, got;
        assert_true(rdmap_ctl_put(&c, true) == (0x40u | opcode));
        assert_true(rdmap_ctl_put(&c, false) == ((0x40ull | opcode) << 32 | 0x11223344));
        rdmap_ctl_get(rdmap_ctl_put(&c, false), false, &got);
        assert_int_equal(got.version, 1);
        assert_int_equal(got.opcode, opcode);
        assert_int_equal(got.inval_stag, 0x11223344);
        c.version = 0;
        assert_true(rdmap_ctl_put(&c, true) == opcode);
    }
}

/* checks: RDMAP-4.1-8 RDMAP-4.1-9 */
TEST(reserved_bits_of_the_rdmap_control_octet_are_ignored)
{
    for (unsigned octet = 0; octet < 256; octet++) {
        struct rdmap_ctl c;
        rdmap_ctl_get(octet, true, &c);
        assert_int_equal(c.version, octet >> 6);
        assert_int_equal(c.opcode, octet & 15);
        assert_int_equal(c.inval_stag, 0);
        rdmap_ctl_get((uint64_t)octet << 32 | 0xcafef00d, false, &c);
        assert_int_equal(c.version, octet >> 6);
        assert_int_equal(c.opcode, octet & 15);
        assert_int_equal(c.inval_stag, 0xcafef00d);
    }
}

/* checks: RDMAP-4.4-1 */
TEST(a_read_request_header_is_28_octets)
{
    struct rdmap_read_req r = {.sink_stag = 0x01020304,
                               .sink_to = 0x1112131415161718,
                               .size = 0x21222324,
                               .src_stag = 0x31323334,
                               .src_to = 0x4142434445464748},
                          got;
    uint8_t out[IW_READ_REQ_SIZE + 1];
    memset(out, 0xcc, sizeof(out));
    rdmap_read_req_put(out, &r);
    expect_octets(out, "01020304 1112131415161718 21222324 31323334 4142434445464748 cc");
    rdmap_read_req_get(out, &got);
    assert_memory_equal(&got.sink_to, &r.sink_to, sizeof(r.sink_to));
    assert_int_equal(got.sink_stag, r.sink_stag);
    assert_int_equal(got.size, r.size);
    assert_int_equal(got.src_stag, r.src_stag);
    assert_true(got.src_to == r.src_to);
}

struct form {
    const char *name;
    struct rdmap_terminate t;
    const char *octets;
};

/* The forms of RFC 5040 figures 7 and 16: bare, with a tagged header, an untagged one, and with a Read Request. */
static const struct form forms[] = {
    {"LLP error, no headers", {.term = IW_TERM(2, 0, 0x02)}, "20 02 00 00"},
    {"specified without headers", {.term = IW_TERM(0, 2, 0xff)}, "02 ff 00 00"},
    {"tagged buffer error",
     {.term = IW_TERM(1, 1, 0x01),
      .m = true,
      .d = true,
      .segment_len = 0x0102,
      .head_len = 14,
      .head = {0xc1, 0x40, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0, 0, 0, 0, 9}},
     "11 01 c0 00 0102 | c1 40 12345678 0000000000000009"},
    {"untagged buffer error",
     {.term = IW_TERM(1, 2, 0x05),
      .m = true,
      .d = true,
      .segment_len = 46,
      .head_len = 18,
      .head = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7}},
     "12 05 c0 00 002e | 41 43 00000000 00000000 00000001 00000007"},
    {"remote protection error on a Read Request",
     {.term = IW_TERM(0, 1, 0x03),
      .m = true,
      .d = true,
      .r = true,
      .segment_len = 46,
      .head_len = 18,
      .head = {0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0},
      .read_req = {1, 2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 0,  0,
                   0, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}},
     "01 03 e0 00 002e | 41 41 00000000 00000001 00000001 00000000 |"
     "01020304 05060708090a0b0c 0000000d 0e0f1011 1213141516171819"},
    {"length without header",
     {.term = IW_TERM(1, 0, 0x00), .m = true, .segment_len = 17},
     "10 00 80 00 0011"},
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* checks: RDMAP-4.8-1 RDMAP-4.8-2 RDMAP-4.8-7 RDMAP-4.8-9 RDMAP-4.8-10 RDMAP-4.8-11 RDMAP-4.8-13 */
TEST(every_form_of_the_terminate_header)
{
    for (int i = 0; i < FORMS; i++) {
        const struct form *f = &forms[i];
        uint8_t out[IW_TERM_MAX + 1];
        struct ulpdu want = hex(f->octets);
        memset(out, 0xcc, sizeof(out));
        assert_int_equal(rdmap_terminate_put(out, &f->t), want.len);
        assert_memory_equal(out, want.octets, want.len);
        assert_int_equal(out[want.len], 0xcc);
    }
}

static void expect_terminate_read(const struct rdmap_terminate *got, const struct rdmap_terminate *want)
{
    assert_int_equal(got->term, want->term);
    assert_int_equal(got->m, want->m);
    assert_int_equal(got->d, want->d);
    assert_int_equal(got->r, want->r);
    if (want->m)
        assert_int_equal(got->segment_len, want->segment_len);
    assert_int_equal(got->head_len, want->d ? want->head_len : 0);
    assert_memory_equal(got->head, want->head, want->head_len);
    if (want->r)
        assert_memory_equal(got->read_req, want->read_req, IW_READ_REQ_SIZE);
}

/* checks: RDMAP-4.8-11 RDMAP-4.8-13 */
TEST(a_terminate_that_promises_more_than_it_has_is_refused)
{
    for (int i = 0; i < FORMS; i++) {
        struct ulpdu u = hex(forms[i].octets);
        struct rdmap_terminate t;
        for (uint32_t len = 0; len < u.len; len++)
            assert_false(rdmap_terminate_get(u.octets, len, &t));
        assert_true(rdmap_terminate_get(u.octets, u.len, &t));
        expect_terminate_read(&t, &forms[i].t);
        assert_true(rdmap_terminate_get(u.octets, u.len + 20, &t)); /* unused fields sent as zero (F10) */
        expect_terminate_read(&t, &forms[i].t);
    }
}

/* checks: RDMAP-4.8-7 */
TEST(the_13_reserved_bits_of_a_terminate_are_ignored)
{
    struct ulpdu u = hex("12 05 df ff 002e | 41 43 00000000 00000000 00000001 00000007");
    struct rdmap_terminate t;
    assert_true(rdmap_terminate_get(u.octets, u.len, &t));
    assert_int_equal(t.term, IW_TERM(1, 2, 5));
    assert_true(t.m && t.d && !t.r);
    assert_int_equal(t.segment_len, 46);
}
