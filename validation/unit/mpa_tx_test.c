/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes, markers and MULPDU in every phase, against the marker walk of RFC 5044 4.3, word by word. */
#include <string.h>

#include "llp/crc32c.h"
#include "llp/mpa.h"
#include "validation/support/test.h"

enum { LARGEST = 66100 };

static uint8_t payload[MPA_ULPDU_MAX];
static uint8_t out[LARGEST];

static struct iw_seg segment(uint64_t key, uint32_t len)
{
    struct iw_seg seg;
    iw_seg_view(&seg, key, payload, len);
    return seg;
}

/* Octets of an FPDU, one word after the other. */
static uint32_t walk(uint64_t key, uint32_t ulpdu_len, bool markers)
{
    uint32_t words = (2 + ulpdu_len + 3) / 4 + 1;
    uint64_t at = key;
    for (; words; words--) {
        if (markers && at % 512 == 0)
            at += 4;
        at += 4;
    }
    return (uint32_t)(at - key);
}

/* checks: MPA-4.1-1 MPA-4.3-2 */
TEST(sizes_are_those_of_the_word_walk)
{
    for (uint32_t len = 0; len < 2200; len++) {
        assert_int_equal(mpa_fpdu_size(8, len, false), walk(8, len, false));
        for (uint64_t key = 0; key < 512; key += 4) {
            assert_int_equal(mpa_fpdu_size(key, len, true), walk(key, len, true));
            assert_true(walk(key, len, true) <= walk(0, len, true)); /* the receiver's store counts on it */
        }
    }
    for (uint64_t key = 0; key < 512; key += 4)
        assert_int_equal(mpa_fpdu_size(key, 65535, true), walk(key, 65535, true));
    assert_true(mpa_fpdu_size(0, 65535, true) <= MPA_FPDU_MAX);
    assert_int_equal(mpa_fpdu_size((1ull << 40) + 508, 600, true), walk(508, 600, true));
}

static void check_markers(uint64_t key, uint32_t size)
{
    uint64_t body = key % 512 ? key : key + 4;
    for (uint64_t at = key; at < key + size; at += 4) {
        const uint8_t *word = out + (at - key);
        if (at % 512)
            continue;
        assert_int_equal(word[0] << 8 | word[1], 0);
        assert_int_equal(word[2] << 8 | word[3], at == key ? 0 : at - body);
        assert_int_equal(word[3] & 3, 0);
    }
}

static void check_crc(uint32_t size)
{
    uint32_t crc = crc32c(0, out, size - 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(out[size - 4 + i], crc >> 8 * i & 255);
}

/* What is left of an FPDU without its markers. */
static void check_rest(uint64_t key, uint32_t size, uint32_t len)
{
    static uint8_t rest[LARGEST];
    uint32_t n = 0;
    for (uint32_t at = 0; at < size; at += 4) {
        if ((key + at) % 512 == 0)
            continue;
        memcpy(rest + n, out + at, 4);
        n += 4;
    }
    assert_int_equal(rest[0] << 8 | rest[1], len);
    assert_memory_equal(rest + 2, payload, len);
    for (uint32_t i = 2 + len; i < n - 4; i++)
        assert_int_equal(rest[i], 0); /* PAD */
    assert_true(n - 4 - (2 + len) < 4);
}

/* checks: MPA-4.1-1 MPA-4.2-1 MPA-4.3-1 MPA-4.3-2 MPA-4.3-3 MPA-4.4-2 */
TEST(markers_stand_every_512_octets_and_point_to_the_length)
{
    static const uint32_t lens[] = {1,   2,   3,   4,   5,   10,  14,  46,  498,  499,  500, 501,
                                    502, 503, 504, 505, 506, 507, 508, 509, 1016, 1428, 8882};
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        for (uint64_t key = 0; key < 1024; key += 4) {
            struct mpa_tx tx = {.offset = key, .emss = 9000, .flags = MPA_MARKERS | MPA_CRC};
            struct iw_seg seg = segment(key, lens[i]);
            uint32_t size = mpa_put(&tx, &seg, out);
            assert_int_equal(size, walk(key, lens[i], true));
            assert_int_equal(mpa_key(&tx), key + size);
            check_markers(key, size);
            check_crc(size);
            check_rest(key, size, lens[i]);
        }
    }
}

/* The largest ULPDU: FPDUPTR reaches its highest values. */
/* checks: MPA-3-2 MPA-3-3 MPA-4.3-3 */
TEST(the_largest_ulpdu_can_be_sent_and_no_larger)
{
    struct mpa_tx tx = {.offset = 4, .emss = 65483, .flags = MPA_MARKERS | MPA_CRC};
    struct iw_seg seg = segment(4, MPA_MULPDU_MAX);
    uint32_t size = mpa_put(&tx, &seg, out);
    assert_int_equal(size, walk(4, MPA_MULPDU_MAX, true));
    check_markers(4, size);
    check_rest(4, size, MPA_MULPDU_MAX);
    uint64_t key = mpa_key(&tx);
    struct mpa_gather g;
    struct mpa_mark mark;
    struct iw_seg refused[] = {segment(key, MPA_MULPDU_MAX + 1), segment(key, 0), segment(key + 4, 100),
                               segment(4, 100)};
    refused[0].payload_len = MPA_MULPDU_MAX + 1 - refused[0].head_len;
    for (size_t i = 0; i < 4; i++) {
        if (i < 2)
            assert_int_equal(mpa_fpdu_len(&tx, &refused[i]), 0);
        assert_int_equal(mpa_put(&tx, &refused[i], out), 0);
        assert_int_equal(mpa_gather(&tx, &refused[i], &g), 0);
        assert_int_equal(mpa_advance(&tx, &refused[i], &mark), 0);
        assert_int_equal(mpa_key(&tx), key);
    }
    refused[0].payload_len = UINT32_MAX; /* would wrap with the header */
    assert_int_equal(mpa_put(&tx, &refused[0], out), 0);
}

/* checks: MPA-3-2 MPA-4.5-1 MPA-4.5-2 */
TEST(an_fpdu_of_mulpdu_fits_the_segment_in_every_phase)
{
    for (uint32_t emss = 160; emss < 2100; emss++) {
        for (int markers = 0; markers < 2; markers++) {
            uint32_t mulpdu = mpa_mulpdu(emss, markers);
            assert_in_range(mulpdu, 128, MPA_MULPDU_MAX);
            for (uint64_t key = 0; key < 512; key += 4)
                assert_in_range(mpa_fpdu_size(key, mulpdu, markers), 1, emss);
        }
    }
}

/* The rest of a segment: filled as far as it goes, never below 128 (RFC 5044 4.5). */
/* checks: MPA-3-2 MPA-4.5-2 */
TEST(the_rest_of_a_segment_is_filled)
{
    for (unsigned flags = 0; flags < 2; flags++) {
        struct mpa_tx tx = {.emss = 1448, .flags = flags};
        uint32_t whole = mpa_mulpdu(1448, flags & MPA_MARKERS);
        for (tx.offset = 0; tx.offset < 512; tx.offset += 4) {
            for (uint32_t room = 0; room <= 1448; room++) {
                uint32_t fit = mpa_mulpdu_fit(&tx, room),
                         size = mpa_fpdu_size(tx.offset, fit, flags & MPA_MARKERS);
                assert_in_range(fit, 128, whole);
                if (fit != whole)
                    assert_true(size <= room &&
                                mpa_fpdu_size(tx.offset, fit + 8, flags & MPA_MARKERS) > room);
                if (fit == whole && size > room)
                    assert_true(mpa_fpdu_size(tx.offset, 129, flags & MPA_MARKERS) > room);
            }
        }
    }
}

/* TCP sequence numbers wrap; offsets, and so the markers, do not (RFC 5044 4.3: "SeqNum can wrap"). */
/* checks: MPA-4.3-2 MPA-4.3-3 */
TEST(markers_keep_their_places_when_the_sequence_number_wraps)
{
    static const uint32_t starts[] = {0xffffff00, 0xfffffffc, 0xffffffff, 0xfffffe00, 11};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct mpa_tx tx = {.emss = 1460, .flags = MPA_MARKERS | MPA_CRC};
        uint32_t seq = starts[i], found = 0;
        while (mpa_key(&tx) < 4096) {
            uint64_t key = mpa_key(&tx);
            struct iw_seg seg = segment(key, 300);
            assert_int_equal(mpa_offset(key < 1000 ? 0 : key - 1000, seq, starts[i]), key);
            assert_int_equal(mpa_offset(key + 1000, seq, starts[i]), key);
            uint32_t size = mpa_put(&tx, &seg, out);
            check_markers(key, size);
            for (uint32_t at = 0; at < size; at += 4)
                found += (seq + at - starts[i]) % 512 == 0; /* as the RFC counts */
            seq += size;
        }
        assert_int_equal(found, (mpa_key(&tx) + 511) / 512);
    }
}

TEST(offsets_are_found_across_many_wraps)
{
    static const uint64_t nears[] = {
        0, 5, 0x7fffffff, 0xffffffff, 0x100000000, 0x1234567890, 0x7fffffffffff0000};
    for (size_t i = 0; i < sizeof nears / sizeof nears[0]; i++) {
        for (int64_t away = nears[i] < 0x7fffffff ? 0 : -0x7fffffffll; away <= 0x7fffffff;
             away += 0x0ffffff1) {
            uint64_t offset = nears[i] + (uint64_t)away;
            assert_int_equal(mpa_offset(nears[i], (uint32_t)offset + 77, 77), offset);
        }
    }
}

/* Fragments without octets are zeros on the wire, in both forms; the mark counts the same octets. */
/* checks: MPA-4.1-1 */
TEST(payload_without_octets_is_sent_as_zeros)
{
    struct mpa_tx tx, twin;
    static uint8_t gathered[4096];
    struct mpa_gather g;
    struct mpa_mark mark;
    mpa_tx_init(&tx, MPA_CRC, 9000);
    twin = tx;
    struct iw_seg seg = segment(0, 14);
    seg.head_len = 14;
    seg.payload_len = 1501;
    seg.frags = 2;
    seg.frag[0] = (struct iw_frag){NULL, 1500};
    seg.frag[1] = (struct iw_frag){payload, 1};
    assert_int_equal(mpa_gather(&twin, &seg, &g), 1524);
    assert_int_equal(mpa_put(&tx, &seg, out), 1524);
    memcpy(gathered, g.head, g.head_len);
    gathered[16 + 1500] = payload[0];
    memcpy(gathered + 1524 - g.tail_len, g.tail, g.tail_len);
    assert_memory_equal(gathered, out, 1524);
    check_crc(1524);
    mpa_tx_init(&tx, 0, 9000);
    assert_int_equal(mpa_advance(&tx, &seg, &mark), 1524);
    assert_int_equal(mark.head_len, 14);
    assert_int_equal(mark.ulpdu_len, 1515);
    mpa_tx_init(&tx, MPA_MARKERS, 9000);
    assert_int_equal(mpa_gather(&tx, &seg, &g), 0);
}

/* A short payload with octets rides in the mark: Read Requests are read in simulations without payload. */
TEST(a_mark_carries_a_read_request)
{
    struct mpa_tx tx;
    struct mpa_mark mark;
    mpa_tx_init(&tx, 0, 1460);
    struct iw_seg seg = segment(0, IW_HEAD_UNTAGGED + IW_READ_REQ_SIZE);
    assert_int_equal(mpa_advance(&tx, &seg, &mark), 52);
    assert_int_equal(mark.head_len, 46);
    assert_memory_equal(mark.head, payload, 46);
}

static int fill_payload(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7 + (i >> 8));
    payload[0] = 0x41;
    return 0;
}

/* Bit by bit, as the polynomial has it. */
static uint32_t crc_by_bits(uint32_t crc, const uint8_t *octets, size_t len)
{
    crc = ~crc;
    for (size_t i = 0; i < len; i++) {
        crc ^= octets[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

/* Short ones and long ones are not computed by the same code. */
TEST(the_crc_is_that_of_the_polynomial_at_every_length)
{
    uint8_t octets[512];
    for (size_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)(i * 167 + (i >> 3));
    for (size_t len = 0; len < sizeof octets; len++)
        for (size_t skip = 0; skip < 8 && skip <= len; skip++)
            assert_int_equal(crc32c((uint32_t)len, octets + skip, len - skip),
                             crc_by_bits((uint32_t)len, octets + skip, len - skip));
}

TEST_FIRST(fill_payload)
