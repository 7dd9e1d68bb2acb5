/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a segment, one row per error: the Terminate that names it, in order and out of order.
 *
 * Every row meets the same stream: first a good Send of four octets (MSN 1), then the bad segment. In order the bad
 * one ends the stream. Out of order (the bad one first) nothing may show before its turn, and then the same must. */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

/* 0x100  TO 0x1000, 64 octets, everything allowed     0x600  invalidated
 * 0x200  the same, of PD 2                            0x700  the last 64 octets below 2^64
 * 0x300  the same, of stream 2 only                   0x800  streams 1 and 2
 * 0x400  remote read only                             0x900  receive buffers: 32 + 32 octets
 * 0x500  remote write only                            0xa00  nothing remote */
static void lay_out(struct rig *r, struct iw_conf conf)
{
    rig_open(r, conf);
    struct iw_region m = {.to = 0x1000, .len = 64, .rights = ALL, .pd = 1};
    rig_region(r, m, false);
    m.pd = 2;
    rig_region(r, m, false);
    m.pd = 0;
    m.stream[0] = 2;
    rig_region(r, m, false);
    rig_memory(r, 0x1000, 64, IW_REMOTE_READ);
    rig_memory(r, 0x1000, 64, IW_REMOTE_WRITE);
    assert_int_equal(iw_invalidate(r->stags, rig_memory(r, 0x1000, 64, ALL)), IW_OK);
    rig_memory(r, UINT64_MAX - 63, 64, ALL);
    m.stream[0] = 1;
    m.stream[1] = 2;
    rig_region(r, m, false);
    rig_memory(r, 0, 64, IW_LOCAL_WRITE);
    rig_memory(r, 0x1000, 64, IW_LOCAL_WRITE);
    assert_int_equal(r->region[9].stag, 0xa00);
    rig_recv(r, 1, 0x900, 0, 32);
    rig_recv(r, 2, 0x900, 32, 32);
}

struct fault {
    const char *name;
    const char *octets;
    int term;
    const char *bits; /* headers in the Terminate: M length, D DDP header, R Read Request header */
};

static struct ulpdu preamble(void)
{
    return hex("41 43 00000000 00000000 00000001 00000000 | 61626364");
}

/* Nothing has changed but the first receive buffer, and that has what the good Send put there. */
static void expect_untouched(struct rig *r)
{
    assert_memory_equal(rig_at(r, 0x900, 0), "abcd", 4);
    for (uint32_t i = 0; i < r->regions; i++) {
        struct rig_region *g = &r->region[i];
        uint32_t skip = g->stag == 0x900 ? 4 : 0;
        expect_zero(g->octets + skip, g->len - skip);
    }
}

/* Both receives come back once: the first good, the second with the error. Late segments are dropped in silence. */
static void expect_the_end(struct rig *r, const struct fault *f, const struct ulpdu *bad)
{
    assert_int_equal(expect_done(r->recv_cq, 1, IW_RECV, IW_OK).len, 4);
    struct iw_done done = rig_done(r->recv_cq);
    assert_int_equal(done.id, 2);
    assert_true(done.status == f->term || done.status == IW_FLUSHED);
    expect_not_done(r->recv_cq);
    expect_untouched(r);
    rig_expect_terminate(r, f->term, f->bits, bad, __FILE__, __LINE__);
    uint64_t before = iw_statistics(r->ep)->dropped;
    assert_int_equal(rig_arrive_hex(r, "c1 40 00000100 0000000000001000 ffff"), IW_ESTATE);
    assert_int_equal(rig_arrive_hex(r, "41 43 00000000 00000000 00000002 00000000 ffff"), IW_ESTATE);
    assert_int_equal(iw_statistics(r->ep)->dropped, before + 2);
    expect_untouched(r);
    expect_no_event(r);
    expect_silence(r);
}

static void try(const struct fault *f, const uint32_t *order, struct iw_conf conf)
{
    struct rig r;
    struct ulpdu u[2] = {preamble(), hex(f->octets)};
    lay_out(&r, conf);
    rig_keys(&r, u, 2);
    assert_int_equal(rig_present(&r, u, 2, order, 2), f->term);
    expect_the_end(&r, f, &u[1]);
    rig_close(&r);
}

static void try_both(const struct fault *faults, size_t n, struct iw_conf conf)
{
    const uint32_t in_order[] = {0, 1}, out_of_order[] = {1, 0};
    for (size_t i = 0; i < n; i++) {
        print_message("    %s\n", faults[i].name);
        try(&faults[i], in_order, conf);
        try(&faults[i], out_of_order, conf);
    }
}
#define TRY(table) try_both(table, sizeof(table) / sizeof(table[0]), rig_conf())

/* checks: DDP-4.1-12 RDMAP-4.1-8 RDMAP-7.2-3 RDMAP-7.2-R3 DDP-6.2.2-3 */
TEST(versions)
{
    static const struct fault faults[] = {
        {"tagged, DV 0", "c0 40 00000100 0000000000001000 ff", IW_TERM(1, 1, 4), "MD"},
        {"tagged, DV 2", "c2 40 00000100 0000000000001000 ff", IW_TERM(1, 1, 4), "MD"},
        {"tagged, DV 3", "c3 40 00000100 0000000000001000 ff", IW_TERM(1, 1, 4), "MD"},
        {"tagged without octets, DV 0", "c0 40 00000100 0000000000001000", IW_TERM(1, 1, 4), "MD"},
        {"untagged, DV 0", "40 43 00000000 00000000 00000002 00000000 ff", IW_TERM(1, 2, 6), "MD"},
        {"untagged, DV 2", "42 43 00000000 00000000 00000002 00000000 ff", IW_TERM(1, 2, 6), "MD"},
        {"untagged, DV 3", "43 43 00000000 00000000 00000002 00000000 ff", IW_TERM(1, 2, 6), "MD"},
        {"Write, RV 0", "c1 00 00000100 0000000000001000 ff", IW_TERM(0, 2, 5), "MD"},
        {"Write, RV 2", "c1 80 00000100 0000000000001000 ff", IW_TERM(0, 2, 5), "MD"},
        {"Write, RV 3", "c1 c0 00000100 0000000000001000 ff", IW_TERM(0, 2, 5), "MD"},
        {"Write without octets, RV 0", "c1 00 00000100 0000000000001000", IW_TERM(0, 2, 5), "MD"},
        {"Send, RV 0", "41 03 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 5), "MD"},
        {"Send, RV 2", "41 83 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 5), "MD"},
        {"Send, RV 3", "41 c3 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 5), "MD"},
        {"Read Request, RV 0",
         "41 01 00000000 00000001 00000001 00000000 | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(0, 2, 5), "MDR"},
        {"Read Request, RV 3",
         "41 c1 00000000 00000001 00000001 00000000 | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(0, 2, 5), "MDR"},
        {"DV before RV", "c0 00 00000100 0000000000001000 ff", IW_TERM(1, 1, 4), "MD"},
        {"RV before opcode", "41 0f 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 5), "MD"},
    };
    TRY(faults);
}

/* checks: RDMAP-4.1-5 RDMAP-4.1-6 RDMAP-7.2-2 RDMAP-7.2-R2 RDMAP-5.2.2-5 */
TEST(opcodes)
{
    static const struct fault faults[] = {
        {"untagged Write", "41 40 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 6), "MD"},
        {"untagged Read Response", "41 42 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 6), "MD"},
        {"tagged Read Request", "c1 41 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"tagged Send", "c1 43 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"tagged Send with Invalidate", "c1 44 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"tagged Send with SE", "c1 45 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"tagged Send with SE and Invalidate", "c1 46 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"tagged opcode 8", "c1 48 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"tagged opcode 15", "c1 4f 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"opcode 8, RFC 7306 off", "41 48 00000000 00000000 00000002 00000000 0001020304050607",
         IW_TERM(0, 2, 6), "MD"},
        {"opcode 9, RFC 7306 off", "41 49 00000000 00000000 00000002 00000000 0001020304050607",
         IW_TERM(0, 2, 6), "MD"},
        {"opcode 10, RFC 7306 off", "41 4a 00000000 00000001 00000001 00000000", IW_TERM(0, 2, 6), "MD"},
        {"opcode 11, RFC 7306 off", "41 4b 00000000 00000003 00000001 00000000", IW_TERM(0, 2, 6), "MD"},
        {"opcode 12", "41 4c 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 6), "MD"},
        {"opcode 13", "41 4d 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 6), "MD"},
        {"opcode 14", "41 4e 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 6), "MD"},
        {"opcode 15", "41 4f 00000000 00000000 00000002 00000000 ff", IW_TERM(0, 2, 6), "MD"},
        {"Send on the Read Request queue", "41 43 00000000 00000001 00000001 00000000 ff", IW_TERM(0, 2, 6),
         "MD"},
        {"Send on the Terminate queue", "41 43 00000000 00000002 00000001 00000000 ff", IW_TERM(0, 2, 6),
         "MD"},
        {"Read Request on the Send queue",
         "41 41 00000000 00000000 00000002 00000000 | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(0, 2, 6), "MDR"},
        {"Read Request on the Terminate queue",
         "41 41 00000000 00000002 00000001 00000000 | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(0, 2, 6), "MDR"},
        {"unsolicited Read Response", "c1 42 00000100 0000000000001000 ff", IW_TERM(0, 2, 6), "MD"},
        {"unsolicited Read Response, first segment", "81 42 00000100 0000000000001000 ff", IW_TERM(0, 2, 6),
         "MD"},
        {"unsolicited Read Response without octets", "c1 42 00000100 0000000000001000", IW_TERM(0, 2, 6),
         "MD"},
        {"opcode before QN", "41 4f 00000000 00000007 00000002 00000000 ff", IW_TERM(0, 2, 6), "MD"},
    };
    TRY(faults);
}

/* checks: DDP-7.1-U0 DDP-7.1-U1 DDP-7.1-U2 DDP-7.1-U2d DDP-7.1-U3 DDP-7.1-U4 DDP-7.1-U5 DDP-7.2-1 RDMAP-7.2-1 */
/* checks: RDMAP-3.1-2 RDMAP-5.3-4 RDMAP-5.3-12 RDMAP-7.2-R1 */
TEST(untagged_buffers)
{
    static const struct fault faults[] = {
        {"QN 3", "41 43 00000000 00000003 00000001 00000000 ff", IW_TERM(1, 2, 1), "MD"},
        {"QN 2^32 - 1", "41 43 00000000 ffffffff 00000001 00000000 ff", IW_TERM(1, 2, 1), "MD"},
        {"QN 2^31, no octets", "41 43 00000000 80000000 00000001 00000000", IW_TERM(1, 2, 1), "MD"},
        {"MSN without a buffer", "41 43 00000000 00000000 00000003 00000000 ff", IW_TERM(1, 2, 2), "MD"},
        {"MSN without a buffer, no octets", "41 43 00000000 00000000 00000003 00000000", IW_TERM(1, 2, 2),
         "MD"},
        {"MSN far ahead", "41 43 00000000 00000000 7fffffff 00000000 ff", IW_TERM(1, 2, 2), "MD"},
        {"MSN already used", "41 43 00000000 00000000 00000001 00000000 ff", IW_TERM(1, 2, 3), "MD"},
        {"MSN 0", "41 43 00000000 00000000 00000000 00000000 ff", IW_TERM(1, 2, 3), "MD"},
        {"MSN far behind", "41 43 00000000 00000000 ffffffff 00000000 ff", IW_TERM(1, 2, 3), "MD"},
        {"MSN already used, no octets", "41 43 00000000 00000000 00000001 00000000", IW_TERM(1, 2, 3), "MD"},
        {"MO at the end", "41 43 00000000 00000000 00000002 00000020 ff", IW_TERM(1, 2, 4), "MD"},
        {"MO one beyond", "41 43 00000000 00000000 00000002 00000021 ff", IW_TERM(1, 2, 4), "MD"},
        {"MO 2^32 - 1", "41 43 00000000 00000000 00000002 ffffffff ffff", IW_TERM(1, 2, 4), "MD"},
        {"MO one beyond, no octets", "41 43 00000000 00000000 00000002 00000021", IW_TERM(1, 2, 4), "MD"},
        {"MO 2^32 - 1, no octets", "41 43 00000000 00000000 00000002 ffffffff", IW_TERM(1, 2, 4), "MD"},
        {"MO before the STag to invalidate", "41 44 deadbeef 00000000 00000002 00000021", IW_TERM(1, 2, 4),
         "MD"},
        {"one octet too long",
         "41 43 00000000 00000000 00000002 00000000 "
         "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 20",
         IW_TERM(1, 2, 5), "MD"},
        {"too long from MO 31", "41 43 00000000 00000000 00000002 0000001f ffff", IW_TERM(1, 2, 5), "MD"},
        {"too long, first segment",
         "01 43 00000000 00000000 00000002 00000000 "
         "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 20",
         IW_TERM(1, 2, 5), "MD"},
        {"QN before MSN", "41 43 00000000 00000003 00000009 ffffffff ff", IW_TERM(1, 2, 1), "MD"},
        {"MSN before MO", "41 43 00000000 00000000 00000009 ffffffff ff", IW_TERM(1, 2, 2), "MD"},
        {"Read Request, MSN beyond IRD",
         "41 41 00000000 00000001 00000005 00000000 | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(1, 2, 2), "MD"},
        {"Read Request, MSN 0",
         "41 41 00000000 00000001 00000000 00000000 | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(1, 2, 3), "MD"},
        {"Read Request, MO at its end",
         "41 41 00000000 00000001 00000001 0000001c | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(1, 2, 4), "MD"},
        {"Read Request, MO 2^32 - 1",
         "41 41 00000000 00000001 00000001 ffffffff | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(1, 2, 4), "MD"},
        {"Read Request on QN 3",
         "41 41 00000000 00000003 00000001 00000000 | "
         "00000001 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(1, 2, 1), "MD"},
    };
    TRY(faults);
}

/* checks: DDP-7.1-T0 DDP-7.1-T1 DDP-7.1-T2 DDP-7.1-T3 DDP-7.1-T4 DDP-7.1-T5 DDP-4.2-7 DDP-7.2-1 RDMAP-7.2-1 */
/* checks: DDP-8.1-1 DDP-8.2-1 DDP-8.2-2 DDP-8.3-1 DDP-8.3-5 DDP-8.3.1-1 DDP-8.3.1-2 DDP-8.3.1-3 DDP-8.3.1-5 */
/* checks: RDMAP-8.1.1-1 RDMAP-8.1.1-2 RDMAP-8.1.1-3 */
TEST(tagged_buffers)
{
    static const struct fault faults[] = {
        {"STag of nobody", "c1 40 deadbeef 0000000000001000 ff", IW_TERM(1, 1, 0), "MD"},
        {"STag 0", "c1 40 00000000 0000000000001000 ff", IW_TERM(1, 1, 0), "MD"},
        {"wrong key", "c1 40 00000101 0000000000001000 ff", IW_TERM(1, 1, 0), "MD"},
        {"invalidated", "c1 40 00000600 0000000000001000 ff", IW_TERM(1, 1, 0), "MD"},
        {"no write right", "c1 40 00000400 0000000000001000 ff", IW_TERM(1, 1, 0), "MD"},
        {"local write right only", "c1 40 00000a00 0000000000001000 ff", IW_TERM(1, 1, 0), "MD"},
        {"other PD", "c1 40 00000200 0000000000001000 ff", IW_TERM(1, 1, 2), "MD"},
        {"other stream", "c1 40 00000300 0000000000001000 ff", IW_TERM(1, 1, 2), "MD"},
        {"one before the base", "c1 40 00000100 0000000000000fff ff", IW_TERM(1, 1, 1), "MD"},
        {"starts one before the base", "c1 40 00000100 0000000000000fff ffff", IW_TERM(1, 1, 1), "MD"},
        {"at the end", "c1 40 00000100 0000000000001040 ff", IW_TERM(1, 1, 1), "MD"},
        {"one beyond the end", "c1 40 00000100 0000000000001041 ff", IW_TERM(1, 1, 1), "MD"},
        {"one octet too long", "c1 40 00000100 000000000000103f ffff", IW_TERM(1, 1, 1), "MD"},
        {"first segment, one octet too long", "81 40 00000100 000000000000103f ffff", IW_TERM(1, 1, 1), "MD"},
        {"TO 0", "c1 40 00000100 0000000000000000 ff", IW_TERM(1, 1, 1), "MD"},
        {"last octet below 2^64", "c1 40 00000100 ffffffffffffffff ff", IW_TERM(1, 1, 1), "MD"},
        {"wrap", "c1 40 00000100 ffffffffffffffff ffff", IW_TERM(1, 1, 3), "MD"},
        {"wrap at the end of a region", "c1 40 00000700 ffffffffffffffff ffff", IW_TERM(1, 1, 3), "MD"},
        {"one before a region that ends at 2^64", "c1 40 00000700 ffffffffffffffbf ff", IW_TERM(1, 1, 1),
         "MD"},
        {"STag before wrap", "c1 40 00000101 ffffffffffffffff ffff", IW_TERM(1, 1, 0), "MD"},
        {"association before rights and bounds", "c1 40 00000200 ffffffffffffffff ffff", IW_TERM(1, 1, 2),
         "MD"},
        {"rights before bounds", "c1 40 00000400 0000000000000000 ff", IW_TERM(1, 1, 0), "MD"},
    };
    TRY(faults);
}

/* The 18 + 28 octets of a Read Request; the Data Source buffer is what the rows are about. */
#define REQUEST(size, stag, to) \
    "41 41 00000000 00000001 00000001 00000000 | 12345678 1112131415161718 " size stag to

/* checks: RDMAP-7.2-R4a RDMAP-7.2-R4b RDMAP-7.2-R4c RDMAP-7.2-R4d RDMAP-7.2-R4e RDMAP-5.2.1-13 RDMAP-5.2.1-5 */
/* checks: RDMAP-7.1-3 RDMAP-4.8-4 RDMAP-4.8-5 RDMAP-4.8-6 RDMAP-4.8-8 RDMAP-4.8-12 RDMAP-4.8-14 RDMAP-3.2-8 */
/* checks: RDMAP-8.1.1-1 RDMAP-8.1.1-2 RDMAP-8.1.1-3 RDMAP-8.1.1-5 */
TEST(read_request_sources)
{
    static const struct fault faults[] = {
        {"STag of nobody", REQUEST("00000001", "deadbeef", "0000000000001000"), IW_TERM(0, 1, 0), "MDR"},
        {"wrong key", REQUEST("00000001", "00000101", "0000000000001000"), IW_TERM(0, 1, 0), "MDR"},
        {"invalidated", REQUEST("00000001", "00000600", "0000000000001000"), IW_TERM(0, 1, 0), "MDR"},
        {"no read right", REQUEST("00000001", "00000500", "0000000000001000"), IW_TERM(0, 1, 2), "MDR"},
        {"local right only", REQUEST("00000001", "00000a00", "0000000000001000"), IW_TERM(0, 1, 2), "MDR"},
        {"other PD", REQUEST("00000001", "00000200", "0000000000001000"), IW_TERM(0, 1, 3), "MDR"},
        {"other stream", REQUEST("00000001", "00000300", "0000000000001000"), IW_TERM(0, 1, 3), "MDR"},
        {"before the base", REQUEST("00000001", "00000100", "0000000000000fff"), IW_TERM(0, 1, 1), "MDR"},
        {"at the end", REQUEST("00000001", "00000100", "0000000000001040"), IW_TERM(0, 1, 1), "MDR"},
        {"one octet too long", REQUEST("00000041", "00000100", "0000000000001000"), IW_TERM(0, 1, 1), "MDR"},
        {"size 2^32 - 1", REQUEST("ffffffff", "00000100", "0000000000001000"), IW_TERM(0, 1, 1), "MDR"},
        {"wrap", REQUEST("00000002", "00000700", "ffffffffffffffff"), IW_TERM(0, 1, 4), "MDR"},
        {"wrap before bounds", REQUEST("00000002", "00000100", "ffffffffffffffff"), IW_TERM(0, 1, 4), "MDR"},
    };
    TRY(faults);
}

/* checks: RDMAP-4.2-1 */
TEST(read_requests_of_the_wrong_length)
{
    static const struct fault faults[] = {
        {"27 octets",
         "41 41 00000000 00000001 00000001 00000000 | "
         "12345678 1112131415161718 00000001 00000100 00000000001000",
         IW_TERM(0, 2, 0xff), "MD"},
        {"29 octets", REQUEST("00000001", "00000100", "0000000000001000") " 00", IW_TERM(0, 2, 0xff), "MDR"},
        {"no octets", "41 41 00000000 00000001 00000001 00000000", IW_TERM(0, 2, 0xff), "MD"},
    };
    TRY(faults);
}

#define INVALIDATE(opcode, stag) "41 " opcode stag " 00000000 00000002 00000000"

/* checks: RDMAP-7.2-4 RDMAP-7.2-5 RDMAP-5.3-14 RDMAP-5.3-15 RDMAP-8.1.1-7 */
TEST(stags_that_a_peer_may_not_invalidate)
{
    static const struct fault faults[] = {
        {"of nobody", INVALIDATE("44", "deadbeef"), IW_TERM(0, 2, 9), "MD"},
        {"wrong key", INVALIDATE("44", "00000101"), IW_TERM(0, 2, 9), "MD"},
        {"invalidated before", INVALIDATE("44", "00000600"), IW_TERM(0, 2, 9), "MD"},
        {"shared by two streams", INVALIDATE("44", "00000800"), IW_TERM(0, 2, 9), "MD"},
        {"other PD", INVALIDATE("44", "00000200"), IW_TERM(0, 1, 9), "MD"},
        {"other stream", INVALIDATE("44", "00000300"), IW_TERM(0, 1, 9), "MD"},
        {"of nobody, SE", INVALIDATE("46", "deadbeef"), IW_TERM(0, 2, 9), "MD"},
        {"shared, SE", INVALIDATE("46", "00000800"), IW_TERM(0, 2, 9), "MD"},
        {"other PD, SE", INVALIDATE("46", "00000200"), IW_TERM(0, 1, 9), "MD"},
    };
    TRY(faults);
}

/* checks: DDP-4.4-1 */
TEST(segments_shorter_than_their_header)
{
    static const struct fault faults[] = {
        {"one octet", "41", IW_TERM(1, 0, 0), ""},
        {"tagged, 13 octets", "c1 40 00000100 00000000000010", IW_TERM(1, 0, 0), ""},
        {"untagged, 17 octets", "41 43 00000000 00000000 00000002 000000", IW_TERM(1, 0, 0), ""},
        {"no octets", "", IW_TERM(1, 0, 0), ""},
    };
    TRY(faults);
}

/* checks: RDMAP-7.1-4 RDMAP-7.1-2 */
TEST(of_several_errors_the_first_in_stream_order_is_told)
{
    uint32_t order[] = {0, 1, 2, 3};
    const struct fault first = {"", "c1 40 00000100 0000000000001040 ff", IW_TERM(1, 1, 1), "MD"};
    do {
        struct rig r;
        struct ulpdu u[4] = {preamble(), hex(first.octets), hex("41 43 00000000 00000009 00000002 00000000"),
                             hex("c2 40 00000100 0000000000001000 ff")};
        lay_out(&r, rig_conf());
        rig_keys(&r, u, 4);
        assert_int_equal(rig_present(&r, u, 4, order, 4), first.term);
        expect_the_end(&r, &first, &u[1]);
        rig_close(&r);
    } while (rig_permute(order, 4));
}

/* The first error keeps its place even when the Terminate has not left and an error of another kind follows. */
/* checks: RDMAP-7.1-4 */
TEST(a_later_error_of_the_host_does_not_replace_the_first)
{
    struct rig r;
    struct ulpdu bad = hex("c1 40 00000100 0000000000001040 ff");
    lay_out(&r, rig_conf());
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 1));
    iw_llp_failed(r.ep, r.now, IW_T_LLP_CRC);
    assert_int_equal(iw_terminate(r.ep, r.now, IW_T_RDMA_STREAM), IW_ESTATE);
    expect_terminate(&r, IW_TERM(1, 1, 1), "MD", &bad);
    rig_close(&r);
}

/* What is good about a message does not save the bad rest of it: nothing of the bad segment is placed. */
/* checks: DDP-7.1-E1 DDP-7.1-E3 DDP-8.1-1 */
TEST(nothing_of_a_bad_segment_is_placed)
{
    struct rig r;
    lay_out(&r, rig_conf());
    assert_int_equal(rig_arrive_hex(&r, "81 40 00000100 0000000000001000 a0a1"), IW_OK);
    struct ulpdu bad = hex_count("c1 40 00000100 0000000000001002", 1, 63);
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 1));
    expect_octets(rig_at(&r, 0x100, 0x1000), "a0a1");
    expect_zero(rig_at(&r, 0x100, 0x1002), 62);
    expect_terminate(&r, IW_TERM(1, 1, 1), "MD", &bad);
    rig_close(&r);
}

/* Rows that look wrong and are not: nobody may end a stream for them. */
/* checks: DDP-4.1-10 DDP-5.2-11 RDMAP-4.1-9 RDMAP-4.1-10 RDMAP-5.1-10 RDMAP-5.2.1-14 DDP-4.3-6 */
TEST(what_a_receiver_must_ignore)
{
    static const char *const good[] = {
        "fd 40 00000100 0000000000001000 00", /* DDP's reserved bits */
        "c5 40 00000100 0000000000001000 00",
        "c1 70 00000100 0000000000001000 00", /* RDMAP's reserved bits */
        "c1 50 00000100 0000000000001000 00",
        "c1 40 deadbeef ffffffffffffffff", /* no octets: STag and TO mean nothing */
        "c1 40 00000200 0000000000000000",
        "41 43 deadbeef 00000000 00000002 00000000 00", /* Invalidate STag of a plain Send */
        "41 45 deadbeef 00000000 00000002 00000000 00",
        "7d 73 00000000 00000000 00000002 00000000 00",
        "41 41 deadbeef 00000001 00000001 00000000 | "
        "12345678 1112131415161718 00000000 deadbeef ffffffffffffffff",
    };
    const uint32_t in_order[] = {0, 1}, out_of_order[] = {1, 0};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        for (int way = 0; way < 2; way++) {
            struct rig r;
            struct ulpdu u[2] = {preamble(), hex(good[i])};
            lay_out(&r, rig_conf());
            rig_keys(&r, u, 2);
            assert_int_equal(rig_present(&r, u, 2, way ? out_of_order : in_order, 2), IW_OK);
            assert_int_equal(r.messages, 2);
            expect_no_event(&r);
            rig_close(&r);
        }
    }
}
