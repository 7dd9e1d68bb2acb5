/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Atomics of RFC 7306: what is done, in which order, and what is refused. */
#include "rig.h"

#include "engine/rdmap.h"

enum { BOTH = IW_REMOTE_READ | IW_REMOTE_WRITE, ALL = BOTH | IW_LOCAL_WRITE };

static struct iw_conf conf_7306(void)
{
    struct iw_conf conf = rig_conf();
    conf.profile = IW_RFC7306;
    return conf;
}

/* ---- arithmetic ---- */

/* The pseudocode of RFC 7306 5.1.1, line by line. */
static uint64_t bit_by_bit(uint64_t original, uint64_t data, uint64_t mask)
{
    uint64_t bit_location = 1, carry = 0, value = 0;
    for (int bit = 0; bit <= 63; bit++) {
        if (bit != 0)
            bit_location = bit_location << 1;
        uint64_t val1 = (original & bit_location) >> bit, val2 = (data & bit_location) >> bit;
        uint64_t sum = carry + val1 + val2;
        carry = (sum & 2) >> 1;
        sum = sum & 1;
        if (sum)
            value |= bit_location;
        carry = carry && !(mask & bit_location);
    }
    return value;
}

/* checks: EXT-5.1.1-1 EXT-5.1.1-2 */
TEST(fetch_add_is_the_sum_of_the_rfc_bit_by_bit)
{
    static const uint64_t masks[] = {
        0, UINT64_MAX,         1ull << 63,        0x8000000080000000, 0x8080808080808080,
        1, 0x00000000ffffffff, 0x8000000000000001};
    uint64_t rng = 1, x[3];
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < 3; i++) {
            rng = rng * 6364136223846793005u + 1442695040888963407u;
            x[i] = rng ^ rng >> 29;
        }
        uint64_t mask = round % 2 ? x[2] : masks[round / 2 % 8];
        const struct rdmap_atomic_req r = {.code = RDMAP_FETCH_ADD, .data = x[0], .mask = mask};
        assert_true(rdmap_atomic(&r, x[1]) == bit_by_bit(x[1], x[0], mask));
    }
    const struct rdmap_atomic_req r = {.code = RDMAP_FETCH_ADD, .data = 1};
    assert_true(rdmap_atomic(&r, UINT64_MAX) == 0);
}

/* checks: EXT-5.1.2-1 EXT-5.1.2-2 */
TEST(cmp_swap_swaps_what_the_masks_select)
{
    static const struct {
        uint64_t original, compare, compare_mask, data, mask, left;
    } rows[] = {
        {5, 5, UINT64_MAX, 9, UINT64_MAX, 9},
        {5, 4, UINT64_MAX, 9, UINT64_MAX, 5},
        {5, 4, ~1ull, 9, UINT64_MAX, 9},
        {5, 0xff00, 0, 9, UINT64_MAX, 9},
        {0x1234567890abcdef, 0x1200000000000000, 0xff00000000000000, 0, 0x00000000ffffffff,
         0x1234567800000000},
        {5, 5, UINT64_MAX, 9, 0, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct rdmap_atomic_req r = {.code = RDMAP_CMP_SWAP,
                                           .data = rows[i].data,
                                           .mask = rows[i].mask,
                                           .compare = rows[i].compare,
                                           .compare_mask = rows[i].compare_mask};
        assert_true(rdmap_atomic(&r, rows[i].original) == rows[i].left);
    }
}

/* ---- the responder ---- */

/* A FetchAdd of 1 at 0x1000 of STag 0x100. */
static struct ulpdu add_one(uint8_t msn)
{
    struct ulpdu u = hex("41 4a 00000000 00000001 00000000 00000000 |"
                         "00000000 00000000 00000100 0000000000001000 0000000000000001 0000000000000000"
                         "0000000000000000 ffffffffffffffff");
    u.octets[13] = u.octets[25] = msn;
    return u;
}

static uint64_t number_at(struct rig *r, iw_stag stag, uint64_t to)
{
    uint64_t number;
    memcpy(&number, rig_at(r, stag, to), sizeof number);
    return number;
}

/* The Response that leaves now: the number it brings. */
static uint64_t next_original(struct rig *r, uint8_t msn)
{
    struct ulpdu u;
    uint64_t original = 0;
    assert_true(rig_pull(r, &u));
    assert_int_equal(u.len, 30);
    assert_memory_equal(u.octets, "\x41\x4b\0\0\0\0\0\0\0\3\0\0\0", 13);
    assert_int_equal(u.octets[13], msn);
    for (int i = 22; i < 30; i++)
        original = original << 8 | u.octets[i];
    return original;
}

/* checks: EXT-5.1.1-4 EXT-5.2.1-3 EXT-5.2.1-8 EXT-5.2.1-7 */
TEST(numbers_are_in_the_order_of_the_memory_there_and_big_endian_on_the_wire)
{
    struct rig r;
    rig_open(&r, conf_7306());
    iw_stag m = rig_memory(&r, 0x1000, 16, BOTH);
    const uint64_t before = 0x01020304050607ff;
    memcpy(rig_at(&r, m, 0x1000), &before, sizeof before);
    assert_int_equal(rig_arrive(&r, add_one(1)), IW_OK);
    assert_int_equal(rig_arrive(&r, add_one(2)), IW_OK);
    expect_sent(&r, "41 4b 00000000 00000003 00000001 00000000 | 00000001 01020304050607ff");
    assert_true(next_original(&r, 2) == 0x0102030405060800);
    assert_true(number_at(&r, m, 0x1000) == 0x0102030405060801);
    expect_silence(&r);
    expect_not_done(r.recv_cq); /* the responder's ULP sees nothing */
    expect_not_done(r.send_cq);
    rig_close(&r);
}

/* checks: EXT-5.1.1-3 EXT-5.1.2-3 EXT-8.2-2 */
TEST(an_address_that_is_no_multiple_of_8_is_refused)
{
    for (uint8_t code = 0; code <= 2; code += 2) {
        for (uint8_t off = 0; off < 8; off++) {
            struct rig r;
            struct ulpdu u = add_one(1);
            u.octets[21] = code;
            u.octets[37] = off;
            rig_open(&r, conf_7306());
            iw_stag m = rig_memory(&r, 0x1000, 16, BOTH);
            assert_int_equal((uintptr_t)rig_at(&r, m, 0x1000) % 8, 0);
            assert_int_equal(rig_arrive(&r, u), off ? IW_TERM(0, 2, 7) : IW_OK);
            if (off) {
                expect_terminate(&r, IW_TERM(0, 2, 7), "MD", &u);
                expect_zero(rig_at(&r, m, 0x1000), 16);
            }
            rig_close(&r);
        }
    }
}

/* The address counts, not the Tagged Offset. */
/* checks: EXT-5.1.1-3 */
TEST(a_region_may_start_at_any_offset_and_address)
{
    for (uint64_t to = 0xff8; to < 0x1000; to++) {
        struct rig r;
        rig_open(&r, conf_7306());
        iw_stag m = rig_memory(&r, to, 32, BOTH);
        struct ulpdu u = add_one(1); /* at 0x1000 */
        bool aligned = (uintptr_t)rig_at(&r, m, 0x1000) % 8 == 0;
        assert_int_equal(aligned, to == 0xff8);
        assert_int_equal(rig_arrive(&r, u), aligned ? IW_OK : IW_TERM(0, 2, 7));
        rig_close(&r);
    }
}

/* checks: EXT-5.1.1-3 EXT-5.2.1-8 */
TEST(without_octets_the_offset_in_the_region_counts_and_zero_comes_back)
{
    for (uint64_t off = 0; off < 16; off += 4) {
        struct rig r;
        rig_open(&r, conf_7306());
        rig_region(&r, (struct iw_region){.to = 0x1000 - off, .len = 64, .rights = BOTH, .pd = 1}, true);
        assert_int_equal(rig_arrive(&r, add_one(1)), off % 8 ? IW_TERM(0, 2, 7) : IW_OK);
        if (off % 8 == 0)
            assert_true(next_original(&r, 1) == 0);
        rig_close(&r);
    }
}

/* checks: EXT-5.2.1-4 */
TEST(codes_that_nobody_defines_are_refused)
{
    for (uint8_t code = 0; code < 16; code++) {
        struct rig r;
        struct ulpdu u = add_one(1);
        bool known = code == 0 || code == 2;
        u.octets[21] = code;
        rig_open(&r, conf_7306());
        rig_memory(&r, 0x1000, 16, BOTH);
        assert_int_equal(rig_arrive(&r, u), known ? IW_OK : IW_TERM(0, 2, 6));
        if (!known)
            expect_terminate(&r, IW_TERM(0, 2, 6), "MD", &u);
        rig_close(&r);
    }
}

/* checks: EXT-8.2-1 */
TEST(without_the_profile_there_are_no_atomics)
{
    struct rig r;
    struct iw_work work = {.id = 1, .op = IW_FETCH_ADD, .remote_stag = 1};
    struct ulpdu u = add_one(1);
    rig_open(&r, rig_conf());
    rig_memory(&r, 0x1000, 16, BOTH);
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    work.op = IW_CMP_SWAP;
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    assert_int_equal(rig_arrive(&r, u), IW_TERM(0, 2, 6));
    expect_terminate(&r, IW_TERM(0, 2, 6), "MD", &u);
    rig_close(&r);
}

static struct ulpdu read_request(uint8_t msn)
{
    struct ulpdu u = hex("41 41 00000000 00000001 00000000 00000000 |"
                         "00000abc 0000000000000000 00000008 00000100 0000000000001000");
    u.octets[13] = msn;
    return u;
}

/* checks: EXT-5.2.2-4 EXT-5.2-1 */
TEST(ird_is_the_sum_of_reads_and_atomics)
{
    for (unsigned mix = 0; mix < 1 << 5; mix++) { /* a bit each: a Read or an Atomic; IRD is 4 */
        struct rig r;
        struct ulpdu out[8];
        rig_open(&r, conf_7306());
        rig_memory(&r, 0x1000, 16, BOTH);
        for (uint8_t i = 0; i < 5; i++) {
            int want = i < 4 ? IW_OK : IW_TERM(1, 2, 2);
            assert_int_equal(rig_arrive(&r, mix >> i & 1 ? add_one(i + 1) : read_request(i + 1)), want);
        }
        rig_close(&r);
        rig_open(&r, conf_7306()); /* each answer makes room for one */
        rig_memory(&r, 0x1000, 16, BOTH);
        for (uint8_t i = 0; i < 20; i++) {
            bool atomic = mix >> i % 5 & 1;
            assert_int_equal(rig_arrive(&r, atomic ? add_one(i + 1) : read_request(i + 1)), IW_OK);
            assert_int_equal(rig_pull_all(&r, out, 8), 1);
            assert_int_equal(out[0].octets[1], atomic ? 0x4b : 0x42);
        }
        rig_close(&r);
    }
}

/* checks: EXT-5.4-3 EXT-5.4-5 EXT-5.4-4 EXT-5.4-6 */
TEST(nothing_is_done_before_its_turn_and_later_sends_need_not_wait)
{
    struct rig r;
    rig_open(&r, conf_7306());
    iw_stag m = rig_memory(&r, 0x1000, 16, ALL), buffer = rig_memory(&r, 0, 16, IW_LOCAL_WRITE);
    rig_recv(&r, 7, buffer, 0, 8);
    struct ulpdu u[3] = {hex("c1 40 00000100 0000000000001008 | 01"), add_one(1),
                         hex("41 43 00000000 00000000 00000001 00000000 | 0a0b")};
    const uint32_t late[] = {1, 2};
    rig_keys(&r, u, 3);
    assert_int_equal(rig_present(&r, u, 3, late, 2), IW_OK);
    expect_silence(&r);
    expect_zero(rig_at(&r, m, 0x1000), 8);
    expect_octets(rig_at(&r, buffer, 0), "0a0b"); /* placed, not delivered */
    expect_not_done(r.recv_cq);
    r.rx_key = 0;
    assert_int_equal(rig_arrive(&r, u[0]), IW_OK);
    assert_int_equal(iw_deliver(r.ep, r.now, u[2].key + 100, NULL), 1);
    expect_done(r.recv_cq, 7, IW_RECV, IW_OK); /* the Send, before the Response is made */
    expect_zero(rig_at(&r, m, 0x1000), 8);
    assert_true(next_original(&r, 1) == 0);
    assert_true(number_at(&r, m, 0x1000) == 1);
    rig_close(&r);
}

/* Two streams of one RNIC add to one number, in every order of their Responses: no original comes twice. */
/* checks: EXT-5-1 EXT-5.3-1 EXT-5.4-2 */
TEST(streams_of_one_rnic_never_see_the_same_number)
{
    for (unsigned order = 0; order < 1 << 6; order++) {
        struct rig a, b;
        struct iw_conf conf = conf_7306();
        unsigned seen = 0;
        uint8_t next[2] = {0, 0};
        rig_open(&a, conf);
        iw_stag m = rig_memory(&a, 0x1000, 16, BOTH);
        conf.stags = a.stags;
        conf.stream = 2;
        rig_open(&b, conf);
        for (uint8_t i = 1; i <= 3; i++) {
            assert_int_equal(rig_arrive(&a, add_one(i)), IW_OK);
            assert_int_equal(rig_arrive(&b, add_one(i)), IW_OK);
        }
        for (int i = 0; i < 6; i++) {
            int who = (order >> i & 1 || next[0] == 3) && next[1] < 3;
            uint64_t original = next_original(who ? &b : &a, ++next[who]);
            assert_int_equal(original, i);
            seen |= 1u << original;
        }
        assert_int_equal(seen, 63);
        assert_true(number_at(&a, m, 0x1000) == 6);
        rig_close(&b);
        rig_close(&a);
    }
}

/* checks: EXT-8.1-2 */
TEST(memory_that_goes_before_the_response_ends_the_stream_and_the_header_says_which)
{
    struct rig r;
    rig_open(&r, conf_7306());
    iw_stag m = rig_memory(&r, 0x1000, 16, BOTH);
    assert_int_equal(rig_arrive(&r, add_one(1)), IW_OK);
    assert_int_equal(iw_revoke(r.stags, m, IW_DRAIN), IW_OK);
    /* M and D, the length 18 + 52, and the header of the request */
    expect_sent(&r, "41 47 00000000 00000002 00000001 00000000 | 01 00 c0 00 | 00 46 | "
                    "41 4a 00000000 00000001 00000001 00000000");
    expect_silence(&r);
    expect_event(&r, IW_EV_FATAL);
    expect_event(&r, IW_EV_TERMINATE_SENT);
    expect_zero(r.region[0].octets, 16);
    rig_close(&r);
}

/* Of two Requests with one MSN the first in the stream is done, and the second is the error. */
/* checks: EXT-5.2.1-7 */
TEST(a_second_request_with_the_same_number_changes_nothing)
{
    uint32_t order[2] = {0, 1};
    do {
        struct rig r;
        struct ulpdu u[2] = {add_one(1), add_one(1)};
        u[1].octets[45] = 0x55; /* adds more */
        rig_open(&r, conf_7306());
        iw_stag m = rig_memory(&r, 0x1000, 16, BOTH);
        rig_keys(&r, u, 2);
        assert_int_equal(rig_present(&r, u, 2, order, 2), IW_TERM(1, 2, 3));
        expect_terminate(&r, IW_TERM(1, 2, 3), "MD", &u[1]);
        expect_zero(rig_at(&r, m, 0x1000), 8); /* its Response was not made */
        rig_close(&r);
    } while (rig_permute(order, 2));
}

/* ---- the requester ---- */

static void post(struct rig *r, uint64_t id, enum iw_op op, uint8_t flags)
{
    struct iw_work work = {.id = id, .op = op, .flags = flags, .atomic = {.data = id}, .remote_stag = 0xabc};
    assert_int_equal(rig_post(r, work), IW_OK);
}

static struct ulpdu answer(uint8_t msn, uint8_t id, uint8_t original)
{
    struct ulpdu u = hex("41 4b 00000000 00000003 00000000 00000000 | 00000000 0000000000000000");
    u.octets[13] = msn;
    u.octets[21] = id;
    u.octets[29] = original;
    return u;
}

/* checks: EXT-5.4-7 EXT-5.2.2-6 */
TEST(an_atomic_is_complete_with_its_response_and_in_its_turn)
{
    struct rig r;
    struct ulpdu out[8];
    rig_open(&r, conf_7306());
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    rig_send(&r, 1, IW_SEND, m, 0, 4);
    post(&r, 2, IW_FETCH_ADD, 0);
    post(&r, 3, IW_CMP_SWAP, IW_UNSIGNALLED);
    rig_send(&r, 4, IW_SEND, m, 0, 4);
    assert_int_equal(rig_pull_all(&r, out, 8), 4);
    assert_int_equal(rig_arrive(&r, answer(1, 1, 0x77)), IW_OK);
    expect_not_done(r.send_cq); /* the Send before it is not accepted */
    rig_ack(&r);
    expect_done(r.send_cq, 1, IW_SEND, IW_OK);
    struct iw_done done = expect_done(r.send_cq, 2, IW_FETCH_ADD, IW_OK);
    assert_int_equal(done.len, 8);
    assert_true(done.rsvdulp == 0x77 && !done.immediate);
    expect_not_done(r.send_cq); /* acknowledged, not answered */
    assert_int_equal(rig_arrive(&r, answer(2, 2, 0x88)), IW_OK);
    expect_done(r.send_cq, 4, IW_SEND, IW_OK);
    expect_not_done(r.send_cq);
    rig_close(&r);
}

/* checks: EXT-5.2.2-5 EXT-5.2.2-7 */
TEST(responses_count_from_1_and_each_answers_one)
{
    static const struct {
        uint8_t msn, id;
        int term;
    } rows[] = {{1, 0, IW_TERM(1, 2, 3)}, {3, 2, IW_TERM(1, 2, 2)}, {2, 0, IW_TERM(0, 2, 0xff)}, {2, 1, 0}};
    for (int i = 0; i < 4; i++) {
        struct rig r;
        struct ulpdu out[4], u = answer(rows[i].msn, rows[i].id, 9);
        rig_open(&r, conf_7306());
        post(&r, 5, IW_FETCH_ADD, 0);
        post(&r, 6, IW_FETCH_ADD, 0);
        assert_int_equal(rig_pull_all(&r, out, 4), 2);
        assert_int_equal(rig_arrive(&r, answer(1, 0, 4)), IW_OK);
        expect_done(r.send_cq, 5, IW_FETCH_ADD, IW_OK);
        assert_int_equal(rig_arrive(&r, u), rows[i].term);
        expect_done(r.send_cq, 6, IW_FETCH_ADD, rows[i].term);
        if (rows[i].term)
            expect_terminate(&r, rows[i].term, "MD", &u);
        rig_close(&r);
    }
}

/* The second Response of one MSN comes first and is the error in its turn; the ULP is told what the first brought. */
/* checks: EXT-5.2.2-7 EXT-5.2.2-8 */
TEST(of_two_responses_with_one_number_the_first_counts)
{
    uint32_t order[2] = {0, 1};
    do {
        struct rig r;
        struct ulpdu out, u[2] = {answer(1, 0, 4), answer(1, 0, 5)};
        rig_open(&r, conf_7306());
        post(&r, 5, IW_FETCH_ADD, 0);
        assert_true(rig_pull(&r, &out));
        rig_keys(&r, u, 2);
        assert_int_equal(rig_present(&r, u, 2, order, 2), IW_TERM(1, 2, 3));
        assert_true(expect_done(r.send_cq, 5, IW_FETCH_ADD, IW_OK).rsvdulp == 4);
        rig_close(&r);
    } while (rig_permute(order, 2));
}

/* checks: EXT-5.2-1 */
TEST(with_ord_0_there_are_no_atomics_and_none_gathers)
{
    struct rig r;
    struct iw_conf conf = conf_7306();
    struct iw_work work = {.op = IW_FETCH_ADD, .remote_stag = 1, .sges = 1};
    rig_open(&r, conf);
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    rig_close(&r);
    conf.ord = 0;
    work.sges = 0;
    rig_open(&r, conf);
    assert_int_equal(rig_post(&r, work), IW_EINVAL);
    rig_close(&r);
}

TEST(a_fence_waits_for_earlier_atomics)
{
    struct rig r;
    struct ulpdu out;
    rig_open(&r, conf_7306());
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    post(&r, 5, IW_FETCH_ADD, 0);
    assert_int_equal(
        rig_post(&r,
                 (struct iw_work){.id = 6, .op = IW_SEND, .flags = IW_FENCE, .sges = 1, .sge = {{m, 4, 0}}}),
        IW_OK);
    assert_true(rig_pull(&r, &out));
    expect_silence(&r);
    assert_int_equal(rig_arrive(&r, answer(1, 0, 4)), IW_OK);
    assert_true(rig_pull(&r, &out));
    assert_int_equal(out.octets[1], 0x43);
    rig_close(&r);
}

/* The peer's FIN cannot come before its Response. */
/* checks: EXT-5.4-7 */
TEST(a_fin_instead_of_the_response_is_a_loss)
{
    struct rig r;
    struct ulpdu out;
    rig_open(&r, conf_7306());
    post(&r, 5, IW_CMP_SWAP, IW_UNSIGNALLED);
    assert_true(rig_pull(&r, &out));
    iw_llp(r.ep, r.now, IW_LLP_FIN);
    expect_done(r.send_cq, 5, IW_CMP_SWAP, IW_TERM(2, 0, 1));
    assert_int_equal(rig_post(&r, (struct iw_work){.op = IW_FETCH_ADD, .remote_stag = 1}), IW_ESTATE);
    rig_close(&r);
}

/* Two endpoints, Atomics and Reads in turn: what one asks the other does. */
/* checks: EXT-5.2.1-6 EXT-5.2.2-8 EXT-7-1 */
TEST(two_ends_count_together)
{
    struct rig a, b;
    rig_open(&a, conf_7306());
    rig_open(&b, conf_7306());
    iw_stag sink = rig_memory(&a, 0, 8, ALL), m = rig_memory(&b, 0x1000, 8, BOTH);
    for (uint64_t i = 0; i < 40; i++) {
        struct iw_work add = {
            .id = i, .op = IW_FETCH_ADD, .atomic = {.data = 3}, .remote_stag = m, .remote_to = 0x1000};
        struct iw_work swap = {.id = i,
                               .op = IW_CMP_SWAP,
                               .atomic = {i + 1, UINT64_MAX, 3 + i, UINT64_MAX},
                               .remote_stag = m,
                               .remote_to = 0x1000};
        assert_int_equal(rig_post(&a, add), IW_OK);
        rig_tagged(&a, i, IW_READ, (struct iw_sge){sink, 8, 0}, m, 0x1000);
        assert_int_equal(rig_post(&a, swap), IW_OK);
        assert_int_equal(rig_carry(&a, &b), IW_OK);
        assert_int_equal(rig_carry(&b, &a), IW_OK);
        assert_true(expect_done(a.send_cq, i, IW_FETCH_ADD, IW_OK).rsvdulp == i);
        expect_done(a.send_cq, i, IW_READ, IW_OK);
        assert_true(number_at(&a, sink, 0) == i + 3);
        assert_true(expect_done(a.send_cq, i, IW_CMP_SWAP, IW_OK).rsvdulp == i + 3);
        assert_true(number_at(&b, m, 0x1000) == i + 1);
    }
    rig_close(&a);
    rig_close(&b);
}
