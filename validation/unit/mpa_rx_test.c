/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's bounds, what it keeps, what it refuses, and what it copies; and the same without octets. */
#include <stdlib.h>
#include <string.h>

#include "llp/mpa.h"
#include "validation/support/test.h"

enum { FPDUS = 64, ULPDU = 100, FPDU = 108 }; /* 2 + 100 + 2 + 4 without markers */

/* ---- a stream of FPDUs alike but for their first octet ---- */

static uint8_t stream[FPDUS * 256];
static uint64_t keys[FPDUS + 1];
static struct mpa_mark marks[FPDUS];

static void make_stream(unsigned flags)
{
    struct mpa_tx tx, twin;
    uint8_t ulpdu[ULPDU];
    mpa_tx_init(&tx, flags, 1460);
    twin = tx;
    for (int i = 0; i < FPDUS; i++) {
        struct iw_seg seg;
        memset(ulpdu, 0x80 | i, sizeof ulpdu);
        keys[i] = mpa_key(&tx);
        iw_seg_view(&seg, keys[i], ulpdu, ULPDU);
        assert_true(mpa_put(&tx, &seg, stream + keys[i]) > 0);
        mpa_advance(&twin, &seg, &marks[i]);
    }
    keys[FPDUS] = mpa_key(&tx);
}

static struct mpa_rx *rx;

static void open_rx(struct mpa_rx_conf conf)
{
    free(rx);
    make_stream(conf.flags & (MPA_MARKERS | MPA_CRC));
    void *memory = malloc(mpa_rx_size(&conf));
    rx = mpa_rx_init(memory, &conf);
    assert_non_null(rx);
}

static struct mpa_rx_conf usual(unsigned flags)
{
    return (struct mpa_rx_conf){.flags = flags, .ulpdu_max = 200, .store = 40 * FPDU, .ranges = 16};
}

static uint32_t octets(uint64_t from, uint64_t to)
{
    return mpa_receive(rx, from, stream + from, (uint32_t)(to - from));
}

static uint32_t fpdus(int first, int behind)
{
    return octets(keys[first], keys[behind]);
}

static void expect(int i, bool in_order, bool again)
{
    struct mpa_fpdu f;
    assert_int_equal(mpa_take(rx, &f), 1);
    assert_int_equal(f.key, keys[i]);
    assert_int_equal(f.end, keys[i + 1]);
    assert_int_equal(f.len, ULPDU);
    assert_int_equal(f.ulpdu[0], 0x80 | i);
    assert_int_equal(f.in_order, in_order);
    assert_int_equal(f.again, again);
}

static void expect_no_more(void)
{
    struct mpa_fpdu f;
    assert_int_equal(mpa_take(rx, &f), 0);
}

static void expect_edge(int i)
{
    assert_int_equal(mpa_edge(rx), keys[i]);
}

static int close_rx(void **state)
{
    (void)state;
    free(rx);
    rx = NULL;
    return 0;
}

/* ---- configuration ---- */

TEST(impossible_configurations_are_refused_with_a_sentence)
{
    static const struct mpa_rx_conf bad[] = {
        {.store = 1000},
        {.ulpdu_max = 65536, .store = 1 << 20},
        {.store = (1u << 31) + 1},
        {.flags = 64, .store = 1 << 20},
        {.flags = MPA_CRC_DROP, .store = 1 << 20},
        {.store = 1 << 20, .ranges = 65536},
        {.store = 1 << 20, .fpdus = 1},
        {.store = 1 << 20, .fpdus = 65536},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_non_null(mpa_rx_conf_error(&bad[i]));
        assert_int_equal(mpa_rx_size(&bad[i]), 0);
        assert_null(mpa_rx_init(stream, &bad[i]));
    }
    struct mpa_rx_conf least = {.ulpdu_max = 128, .store = 140}; /* RFC 5044 A.5.2 */
    assert_null(mpa_rx_conf_error(&least));
    least.flags = MPA_MARKERS;
    assert_null(mpa_rx_conf_error(&least));
}

/* ---- bounds ---- */

/* checks: MPA-3-4 MPA-A-1 */
TEST(the_largest_fpdus_pass_through_the_smallest_store)
{
    static uint8_t ulpdu[MPA_ULPDU_MAX], fpdu[MPA_FPDU_MAX];
    static const struct {
        unsigned flags;
        uint32_t len;
    } cases[] = {
        {0, 64768}, {MPA_CRC, 64768}, {MPA_MARKERS | MPA_CRC, 64768}, {MPA_MARKERS, 1}, {MPA_CRC, 128}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct mpa_rx_conf conf = {.flags = cases[c].flags, .ulpdu_max = cases[c].len};
        conf.store = mpa_fpdu_size(0, cases[c].len, conf.flags & MPA_MARKERS);
        open_rx(conf);
        struct mpa_tx tx;
        mpa_tx_init(&tx, conf.flags, 65000);
        for (int n = 0; n < 5; n++) {
            struct iw_seg seg;
            struct mpa_fpdu f;
            uint64_t key = mpa_key(&tx);
            memset(ulpdu, n + 1, cases[c].len);
            iw_seg_view(&seg, key, ulpdu, cases[c].len);
            uint32_t size = mpa_put(&tx, &seg, fpdu), cut = size / 3;
            assert_int_equal(mpa_receive(rx, key, fpdu, cut), cut);
            assert_int_equal(mpa_take(rx, &f), 0);
            assert_int_equal(mpa_receive(rx, key + cut, fpdu + cut, size - cut), size - cut);
            assert_int_equal(mpa_take(rx, &f), 1);
            assert_int_equal(f.len, cases[c].len);
            assert_memory_equal(f.ulpdu, ulpdu, f.len);
            assert_int_equal(mpa_take(rx, &f), 0);
        }
    }
}

/* RFC 5044 forbids senders more than 64768; some send more. */
/* checks: MPA-3-3 */
TEST(a_receiver_may_take_all_that_the_length_field_can_say)
{
    static uint8_t fpdu[MPA_FPDU_MAX];
    struct mpa_rx_conf conf = {.ulpdu_max = MPA_ULPDU_MAX, .store = 1 << 17, .ranges = 4};
    struct mpa_fpdu f;
    open_rx(conf);
    memset(fpdu, 0xff, 2);
    uint32_t size = mpa_fpdu_size(0, MPA_ULPDU_MAX, false);
    assert_int_equal(mpa_receive(rx, 0, fpdu, size), size);
    assert_int_equal(mpa_take(rx, &f), 1);
    assert_int_equal(f.len, MPA_ULPDU_MAX);
    conf.ulpdu_max = 0;
    open_rx(conf);
    mpa_receive(rx, 0, fpdu, size);
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_MARKER);
}

TEST(what_lies_beyond_the_store_is_refused)
{
    open_rx(usual(MPA_CRC));
    struct mpa_arrival in = {keys[38], stream + keys[38], 4 * FPDU, 0, NULL};
    assert_int_equal(mpa_would_take(rx, &in), 2 * FPDU);
    assert_int_equal(fpdus(38, 42), 2 * FPDU); /* up to edge + store */
    expect(38, false, false);
    expect(39, false, false);
    expect_no_more();
    assert_int_equal(fpdus(40, 41), 0);
    assert_int_equal(mpa_receive(rx, UINT64_MAX - 10, stream, 10), 0);
    assert_int_equal(octets(keys[40] - 1, keys[40] + 5), 1); /* known already */
    expect_no_more();
    fpdus(0, 1);
    expect(0, true, false);
    expect_no_more();
    assert_int_equal(fpdus(40, 42), FPDU); /* the edge has moved by one FPDU, so has the end */
    expect(40, false, false);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->octets_refused, 2 * FPDU + FPDU + 10 + 5 + FPDU);
}

/* One run too many is refused, but never what the edge waits for. */
TEST(one_range_too_many_is_refused)
{
    struct mpa_rx_conf conf = usual(MPA_CRC | MPA_IN_ORDER);
    conf.ranges = 3;
    open_rx(conf);
    for (int i = 2; i <= 6; i += 2) {
        assert_int_equal(fpdus(i, i + 1), FPDU);
        expect_no_more();
    }
    assert_int_equal(fpdus(8, 9), 0);                 /* a fourth */
    assert_int_equal(octets(keys[7], keys[8]), FPDU); /* joins the third */
    expect_no_more();
    assert_int_equal(octets(keys[8], keys[10]), 2 * FPDU);
    expect_no_more();
    assert_int_equal(fpdus(12, 13), 0);
    assert_int_equal(octets(0, keys[0] + 50), 50); /* at the edge: always */
    expect_no_more();
    assert_int_equal(octets(keys[0] + 50, keys[12]), keys[12] - 50);
    for (int i = 0; i < 12; i++)
        expect(i, true, false);
    expect_no_more();
    expect_edge(12);
    assert_true(mpa_statistics(rx)->ranges_peak <= 3 + 2);
    assert_int_equal(fpdus(13, 14), FPDU);
}

/* An arrival with several gaps is taken as far as the ranges reach. */
TEST(an_arrival_is_taken_up_to_the_gap_that_has_no_range)
{
    struct mpa_rx_conf conf = usual(MPA_CRC);
    conf.ranges = 4;
    open_rx(conf);
    for (int i = 2; i <= 4; i += 2) {
        assert_int_equal(fpdus(i, i + 1), FPDU);
        expect(i, false, false);
        expect_no_more();
    }
    /* runs: [2] [4]; the arrival has gaps 3, 5 and, beyond 6, none known */
    assert_int_equal(fpdus(1, 6), 5 * FPDU - FPDU); /* gaps 1 and 3 get the last two ranges, 5 none */
    struct mpa_fpdu f;
    while (mpa_take(rx, &f) == 1) {
    }
    fpdus(0, 1);
    while (mpa_take(rx, &f) == 1) {
    }
    expect_edge(5);
}

TEST(without_ranges_only_what_is_in_order_is_taken)
{
    struct mpa_rx_conf conf = usual(MPA_CRC);
    conf.ranges = 0;
    open_rx(conf);
    assert_int_equal(fpdus(1, 2), 0);
    assert_int_equal(octets(0, keys[1] + 30), FPDU + 30);
    expect(0, true, false);
    expect_no_more();
    assert_int_equal(octets(keys[1] + 31, keys[2]), 0);
    assert_int_equal(octets(keys[1] + 30, keys[2]), FPDU - 30);
    expect(1, true, false);
    expect_no_more();
}

/* When ranges are nearly used up, FPDUs ahead are held instead of handed up: nothing is lost. */
TEST(few_ranges_mean_later_not_lost)
{
    struct mpa_rx_conf conf = usual(MPA_CRC);
    conf.ranges = 2;
    open_rx(conf);
    assert_int_equal(fpdus(2, 3), FPDU);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->held, FPDU);
    fpdus(0, 2);
    for (int i = 0; i < 3; i++)
        expect(i, true, false);
    expect_no_more();
    expect_edge(3);
}

TEST(an_arrival_must_be_finished_before_the_next)
{
    open_rx(usual(MPA_CRC));
    fpdus(0, 2);
    expect(0, true, false);
    assert_int_equal(fpdus(2, 3), 0);
    expect(1, true, false);
    expect_no_more();
    assert_int_equal(fpdus(2, 3), FPDU);
    expect(2, true, false);
    expect_no_more();
}

/* ---- what is copied ---- */

/* checks: MPA-3-5 */
TEST(aligned_segments_are_read_where_they_arrived)
{
    static const unsigned kinds[] = {MPA_CRC, MPA_CRC | MPA_MARKERS, 0, MPA_TRUST_ALIGNMENT};
    for (int k = 0; k < 4; k++) {
        open_rx(usual(kinds[k]));
        bool ahead = kinds[k] != 0;
        for (int i = 0; ahead && i < 30; i += 2) {
            fpdus(i + 1, i + 2);
            expect(i + 1, false, false);
            expect_no_more();
            fpdus(i, i + 1);
            expect(i, true, false);
            expect_no_more();
        }
        if (!ahead)
            fpdus(0, 30);
        for (int i = 0; !ahead && i < 30; i++)
            expect(i, true, false);
        expect_no_more();
        expect_edge(30);
        assert_int_equal(mpa_statistics(rx)->octets_copied, 0);
        assert_int_equal(mpa_statistics(rx)->held_peak, 0);
    }
}

TEST(only_what_is_not_whole_is_copied)
{
    open_rx(usual(MPA_CRC));
    octets(0, keys[2] + 10);
    expect(0, true, false);
    expect(1, true, false);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->octets_copied, 10);
    octets(keys[2] + 10, keys[4] + 3);
    expect(2, true, false);
    expect(3, true, false);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->octets_copied, 13);
    assert_int_equal(mpa_statistics(rx)->held, 3);
    assert_int_equal(mpa_statistics(rx)->held_peak, 10);
}

/* ---- kept ---- */

static void keep(void)
{
    assert_int_equal(mpa_keep(rx), IW_OK);
}

/* checks: MPA-3-5 */
TEST(what_is_kept_ahead_comes_again_in_its_turn)
{
    for (unsigned flags = MPA_CRC; flags <= (MPA_CRC | MPA_MARKERS); flags++) {
        open_rx(usual(flags));
        fpdus(1, 4);
        expect(1, false, false);
        keep();
        expect(2, false, false);
        expect(3, false, false);
        keep();
        expect_no_more();
        expect_edge(0);
        assert_int_equal(mpa_statistics(rx)->octets_copied, keys[2] - keys[1] + keys[4] - keys[3]);
        fpdus(0, 1);
        expect(0, true, false);
        expect(1, true, true);
        expect_edge(3); /* 2 was taken */
        expect(3, true, true);
        expect_no_more();
        expect_edge(4);
        assert_int_equal(mpa_statistics(rx)->held, 0);
        assert_int_equal(mpa_statistics(rx)->fpdus, 4);
        assert_int_equal(mpa_statistics(rx)->kept, 2);
    }
}

/* A byte stream has acknowledged what it brings, so nothing may get lost, however small the store is. */
TEST(a_byte_stream_is_taken_piece_by_piece)
{
    for (unsigned flags = MPA_CRC; flags <= (MPA_CRC | MPA_MARKERS); flags++)
        for (uint32_t piece = 1; piece < 3 * FPDU; piece += piece < 9 ? 1 : 61) {
            struct mpa_rx_conf conf = usual(flags);
            conf.store = 2 * FPDU;
            open_rx(conf);
            uint32_t at = 0, taken, n = 0;
            for (struct mpa_fpdu f; at < keys[FPDUS]; at += taken) {
                uint64_t left = keys[FPDUS] - at;
                taken = mpa_stream(rx, stream + at, left < piece ? (uint32_t)left : piece);
                assert_true(taken > 0);
                while (mpa_take(rx, &f) == 1)
                    assert_int_equal(f.key, keys[n++]);
            }
            assert_int_equal(n, FPDUS);
            assert_int_equal(mpa_edge(rx), keys[FPDUS]);
        }
}

TEST(a_byte_stream_waits_for_what_is_kept)
{
    struct mpa_fpdu f;
    struct mpa_rx_conf conf = usual(MPA_CRC | MPA_IN_ORDER);
    conf.store = 2 * FPDU;
    open_rx(conf);
    uint32_t taken = mpa_stream(rx, stream, 3 * FPDU);
    assert_int_equal(taken, 2 * FPDU);
    assert_int_equal(mpa_take(rx, &f), 1);
    keep();
    expect_no_more();
    assert_int_equal(mpa_stream(rx, stream + taken, FPDU), 0);
    mpa_again(rx);
    expect(0, true, true);
    assert_int_equal(mpa_take(rx, &f), 1);
    expect_no_more();
    assert_true(mpa_stream(rx, stream + taken, FPDU) > 0);
}

TEST(what_is_kept_at_the_edge_waits_until_asked_for)
{
    open_rx(usual(MPA_CRC));
    fpdus(0, 3);
    expect(0, true, false);
    keep();
    expect_edge(0);
    expect(1, false, false); /* the chain of lengths goes on */
    expect(2, false, false);
    expect_no_more();
    expect_no_more();
    mpa_again(rx);
    expect(0, true, true);
    keep();
    expect_no_more();
    fpdus(3, 4); /* an arrival asks as well */
    expect(0, true, true);
    expect_edge(3);
    expect(3, true, false);
    expect_no_more();
    expect_edge(4);
}

/* Without CRC too: the chain of lengths proves what follows. */
TEST(without_crc_the_chain_goes_on_behind_what_is_kept)
{
    open_rx(usual(0));
    fpdus(0, 1);
    expect(0, true, false);
    keep();
    expect_no_more();
    fpdus(1, 2);
    expect(0, true, true);
    keep();
    expect(1, false, false);
    expect_no_more();
    fpdus(3, 4); /* a hole before it */
    expect(0, true, true);
    keep();
    expect_no_more();
    fpdus(2, 3);
    expect(0, true, true);
    expect_edge(2);
    expect(2, true, false);
    expect(3, true, false);
    expect_no_more();
}

TEST(only_the_last_fpdu_can_be_kept_and_only_once)
{
    open_rx(usual(MPA_CRC));
    assert_int_equal(mpa_keep(rx), IW_ESTATE);
    fpdus(0, 1);
    expect(0, true, false);
    keep();
    assert_int_equal(mpa_keep(rx), IW_ESTATE);
    expect_no_more();
    mpa_again(rx);
    expect(0, true, true);
    expect_edge(1);
    assert_int_equal(mpa_keep(rx), IW_ESTATE); /* mpa_edge() has counted it */
    expect_edge(1);
    expect_no_more();
}

/* checks: MPA-7.2-1 */
TEST(the_end_waits_for_what_is_kept)
{
    open_rx(usual(MPA_CRC));
    fpdus(0, 1);
    expect(0, true, false);
    keep();
    expect_no_more();
    mpa_fin(rx, keys[1]);
    assert_int_equal(mpa_ended(rx), MPA_OPEN);
    mpa_again(rx);
    expect(0, true, true);
    assert_int_equal(mpa_ended(rx), MPA_FIN);
}

/* The head of an FPDU that a marker leads is missing: that is known, not found out by its CRC. */
TEST(a_marker_that_points_behind_another_means_that_one)
{
    static uint8_t ulpdu[1100], fpdu[1200];
    struct mpa_tx tx = {.offset = 512, .emss = 1460, .flags = MPA_MARKERS | MPA_CRC};
    struct iw_seg seg;
    open_rx((struct mpa_rx_conf){.flags = MPA_MARKERS | MPA_CRC, .store = 1 << 17, .ranges = 8});
    iw_seg_view(&seg, 512, ulpdu, sizeof ulpdu);
    uint32_t size = mpa_put(&tx, &seg, fpdu);
    mpa_receive(rx, 514, fpdu + 2, size - 2);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->guesses_wrong, 0);
}

/* ---- errors ---- */

/* checks: MPA-8-2 MPA-8-3 */
TEST(after_an_error_octets_are_taken_and_nothing_is_handed_up)
{
    struct mpa_fpdu f;
    open_rx(usual(MPA_CRC));
    fpdus(3, 4);
    expect(3, false, false);
    expect_no_more();
    stream[keys[1] + 20] ^= 1;
    fpdus(0, 3);
    expect(0, true, false);
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);
    stream[keys[1] + 20] ^= 1;
    assert_int_equal(fpdus(1, 3), 2 * FPDU); /* TCP goes on: MPA does not end it */
    assert_int_equal(mpa_receive(rx, UINT64_MAX - 200, stream, 100), 100);
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);
    expect_edge(1);
    assert_int_equal(mpa_keep(rx), IW_ESTATE);
}

/* ---- length-only ---- */

static uint32_t arrive_marks(int first, int behind, uint64_t from, uint64_t to)
{
    struct mpa_arrival in = {from, NULL, (uint32_t)(to - from), (uint32_t)(behind - first), &marks[first]};
    return mpa_arrive(rx, &in);
}

static struct mpa_rx_conf without_octets(unsigned flags)
{
    struct mpa_rx_conf conf = usual(flags);
    conf.fpdus = 8;
    return conf;
}

static void expect_mark(int i, bool in_order, bool again)
{
    struct mpa_fpdu f;
    struct iw_seg seg;
    assert_int_equal(mpa_take(rx, &f), 1);
    assert_int_equal(f.key, keys[i]);
    assert_int_equal(f.len, ULPDU);
    assert_int_equal(f.octets, IW_HEAD_TAGGED);
    assert_int_equal(f.in_order, in_order);
    assert_int_equal(f.again, again);
    mpa_seg(&f, &seg);
    assert_int_equal(seg.key, keys[i]);
    assert_int_equal(seg.head_len, IW_HEAD_TAGGED);
    assert_int_equal(seg.head[0], 0x80 | i);
    assert_int_equal(seg.payload_len, ULPDU - IW_HEAD_TAGGED);
    assert_int_equal(seg.frag[0].len, seg.payload_len);
    assert_null(seg.frag[0].octets);
}

static void drop_payload_from_marks(void)
{
    for (int i = 0; i < FPDUS; i++)
        marks[i].head_len = IW_HEAD_TAGGED;
}

/* checks: MPA-3-4 MPA-3-5 */
TEST(marks_go_the_way_of_octets)
{
    open_rx(without_octets(MPA_CRC));
    drop_payload_from_marks();
    assert_int_equal(arrive_marks(1, 3, keys[1], keys[3]), 2 * FPDU);
    expect_mark(1, false, false);
    expect_mark(2, false, false);
    keep();
    expect_no_more();
    assert_int_equal(arrive_marks(0, 1, keys[0], keys[0] + 40), 40); /* cut in two */
    expect_no_more();
    assert_int_equal(arrive_marks(0, 1, keys[0] + 40, keys[1]), FPDU - 40);
    expect_mark(0, true, false);
    expect_mark(2, true, true);
    expect_no_more();
    expect_edge(3);
    assert_int_equal(mpa_statistics(rx)->held, 0);
}

/* checks: MPA-4.4-3 MPA-8-1 */
TEST(a_bad_mark_is_a_bad_crc)
{
    struct mpa_fpdu f;
    open_rx(without_octets(MPA_CRC));
    drop_payload_from_marks();
    marks[1].bad = true;
    arrive_marks(1, 2, keys[1], keys[2]);
    expect_no_more(); /* no error yet: it is ahead of the edge */
    arrive_marks(0, 1, keys[0], keys[1]);
    expect_mark(0, true, false);
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);

    open_rx(without_octets(MPA_CRC)); /* either part of an FPDU cut in two */
    drop_payload_from_marks();
    marks[0].bad = true;
    arrive_marks(0, 1, keys[0], keys[0] + 40);
    expect_no_more();
    marks[0].bad = false;
    arrive_marks(0, 1, keys[0] + 40, keys[1]);
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);

    open_rx(without_octets(MPA_CRC)); /* the first of three parts */
    drop_payload_from_marks();
    for (unsigned part = 0; part < 3; part++) {
        marks[0].bad = part == 0;
        arrive_marks(0, 1, keys[0] + 36 * part, keys[0] + 36 * (part + 1));
        if (part < 2)
            expect_no_more();
    }
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);

    open_rx(without_octets(MPA_CRC | MPA_CRC_DROP));
    drop_payload_from_marks();
    marks[0].bad = true;
    assert_int_equal(arrive_marks(0, 1, keys[0], keys[1]), 0);
    marks[0].bad = false;
    assert_int_equal(arrive_marks(0, 1, keys[0], keys[1]), FPDU);
    expect_mark(0, true, false);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->crc_bad, 1);

    open_rx(without_octets(0)); /* CRC off: nobody looks */
    drop_payload_from_marks();
    marks[0].bad = true;
    arrive_marks(0, 1, keys[0], keys[1]);
    expect_mark(0, true, false);
    expect_no_more();
}

/* Half of the marks are the edge's; what does not fit is refused, what the edge waits for is not. */
TEST(marks_are_bounded)
{
    open_rx(without_octets(MPA_CRC | MPA_IN_ORDER));
    drop_payload_from_marks();
    assert_int_equal(arrive_marks(2, 8, keys[2], keys[8]), 4 * FPDU);
    expect_no_more();
    assert_int_equal(arrive_marks(10, 11, keys[10], keys[11]), 0);
    assert_int_equal(arrive_marks(0, 2, keys[0], keys[1] + 20), FPDU + 20);
    expect_mark(0, true, false);
    expect_no_more();
    assert_int_equal(arrive_marks(1, 2, keys[1] + 20, keys[2]), FPDU - 20);
    for (int i = 1; i < 6; i++)
        expect_mark(i, true, false);
    expect_no_more();
    assert_int_equal(arrive_marks(6, 8, keys[6], keys[8]), 2 * FPDU);
}

/* There is a mark left for one FPDU more, and no run: what is cut off for want of the second mark no longer joins. */
TEST(what_the_marks_cut_off_needs_a_run_of_its_own)
{
    struct mpa_rx_conf conf = without_octets(MPA_CRC | MPA_IN_ORDER);
    conf.fpdus = 6; /* three of them ahead of the edge */
    conf.ranges = 1;
    open_rx(conf);
    drop_payload_from_marks();
    assert_int_equal(arrive_marks(5, 7, keys[5], keys[7]), 2 * FPDU);
    expect_no_more();
    assert_int_equal(arrive_marks(3, 5, keys[3], keys[5]), 0);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->ranges, 1);
    assert_int_equal(arrive_marks(4, 5, keys[4], keys[5]), FPDU);
    expect_no_more();
    assert_int_equal(mpa_statistics(rx)->ranges, 1);
}

TEST(the_head_of_a_kept_fpdu_outlives_its_mark)
{
    struct mpa_fpdu f;
    open_rx(without_octets(MPA_CRC));
    drop_payload_from_marks();
    arrive_marks(1, 4, keys[1], keys[4]);
    for (int i = 1; i < 4; i++) {
        expect_mark(i, false, false);
        keep();
    }
    expect_no_more();
    arrive_marks(0, 1, keys[0], keys[1]);
    expect_mark(0, true, false);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(mpa_take(rx, &f), 1);
        expect_edge(i + 1); /* its mark is forgotten, the others move up */
        assert_int_equal(f.ulpdu[0], 0x80 | i);
    }
}

TEST(marks_are_forgotten_when_their_fpdus_are_taken)
{
    open_rx(without_octets(MPA_CRC));
    drop_payload_from_marks();
    for (int i = 0; i < 32; i++) { /* four times what can be remembered */
        assert_int_equal(arrive_marks(i, i + 1, keys[i], keys[i] + 40), 40);
        expect_no_more();
        assert_int_equal(arrive_marks(i, i + 1, keys[i] + 40, keys[i + 1]), FPDU - 40);
        expect_mark(i, true, false);
        expect_no_more();
    }
}

/* A Read Request's payload has octets even here. */
TEST(a_mark_with_all_its_octets_is_a_whole_segment)
{
    struct mpa_mark mark = {.ulpdu_len = 46, .head_len = 46};
    struct mpa_rx_conf conf = without_octets(0);
    struct mpa_fpdu f;
    struct iw_seg seg;
    open_rx(conf);
    for (uint8_t i = 0; i < 46; i++)
        mark.head[i] = i; /* T = 0: untagged */
    mpa_arrive(rx, &(struct mpa_arrival){.len = 52, .marks = 1, .mark = &mark});
    assert_int_equal(mpa_take(rx, &f), 1);
    mpa_seg(&f, &seg);
    assert_int_equal(seg.head_len, IW_HEAD_UNTAGGED);
    assert_int_equal(seg.payload_len, IW_READ_REQ_SIZE);
    assert_memory_equal(seg.frag[0].octets, mark.head + IW_HEAD_UNTAGGED, IW_READ_REQ_SIZE);
}

/* ---- FPDUs of 308 octets and markers, the second and fourth of which have a marker in their second half ---- */

enum { LONG_ULPDU = 300, LONG_FPDUS = 6 };

static void make_long_stream(void)
{
    struct mpa_tx tx;
    uint8_t ulpdu[LONG_ULPDU];
    mpa_tx_init(&tx, MPA_CRC | MPA_MARKERS, 1460);
    for (int i = 0; i < LONG_FPDUS; i++) {
        struct iw_seg seg;
        memset(ulpdu, 0x80 | i, sizeof ulpdu);
        keys[i] = mpa_key(&tx);
        iw_seg_view(&seg, keys[i], ulpdu, sizeof ulpdu);
        assert_true(mpa_put(&tx, &seg, stream + keys[i]) > 0);
    }
    keys[LONG_FPDUS] = mpa_key(&tx);
    assert_true(keys[1] == 312 && keys[2] == 624 && keys[3] == 932 && keys[4] == 1244);
}

static void expect_long(int i, bool in_order)
{
    struct mpa_fpdu f;
    assert_int_equal(mpa_take(rx, &f), 1);
    assert_int_equal(f.key, keys[i]);
    assert_int_equal(f.ulpdu[0], 0x80 | i);
    assert_int_equal(f.in_order, in_order);
}

/* Each of two FPDUs was altered in the half that is here already, so sending the other half again mends neither. The first
 * decides: the second time it is taken, and its error comes out in its turn. */
/* checks: MPA-8-1 */
TEST(of_two_bad_fpdus_the_first_is_given_up)
{
    struct mpa_fpdu f;
    open_rx(
        (struct mpa_rx_conf){.flags = MPA_CRC | MPA_MARKERS | MPA_CRC_DROP, .store = 1 << 17, .ranges = 16});
    make_long_stream();
    stream[350] ^= 1;
    stream[950] ^= 1;
    assert_int_equal(octets(312, 400), 88);
    expect_no_more();
    assert_int_equal(octets(932, 1000), 68);
    expect_no_more();
    for (int time = 0; time < 2; time++) { /* TCP sends both again, round after round */
        assert_int_equal(octets(400, 624), time ? 224 : 0);
        expect_no_more();
        assert_int_equal(octets(1000, 1244), 0);
        expect_no_more();
    }
    assert_int_equal(octets(0, 312), 312);
    expect_long(0, true);
    assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);
    assert_int_equal(mpa_edge(rx), 312);
}

/* The new octets complete an FPDU that a marker pointed to before, and hold a marker that points elsewhere: the older
 * guess proves itself, and all of them are handed up. */
/* checks: MPA-3-5 */
TEST(a_guess_that_proves_itself_is_not_given_up_for_a_newer_one)
{
    open_rx((struct mpa_rx_conf){.flags = MPA_CRC | MPA_MARKERS, .store = 1 << 17, .ranges = 16});
    make_long_stream();
    octets(312, 560);
    expect_no_more();
    octets(560, 1244);
    for (int i = 1; i < 4; i++)
        expect_long(i, false);
    expect_no_more();
    octets(0, 312);
    expect_long(0, true);
    expect_no_more();
    assert_int_equal(mpa_edge(rx), 1244);
}

/* An altered length makes the first FPDU reach into the second, which may have been handed up already. */
/* checks: MPA-8-1 MPA-8-2 */
TEST(an_altered_length_is_a_bad_crc_in_any_order)
{
    static const unsigned all[] = {MPA_CRC, MPA_CRC | MPA_MARKERS};
    for (int way = 0; way < 4; way++) {
        struct mpa_fpdu f;
        bool markers = all[way / 2] & MPA_MARKERS;
        open_rx(usual(all[way / 2]));
        stream[markers ? 5 : 1] ^= 8; /* 108 octets instead of 100 */
        if (way % 2) {
            octets(keys[1], keys[2]);
            expect(1, false, false);
            expect_no_more();
        }
        octets(0, way % 2 ? keys[1] : keys[2]);
        assert_int_equal(mpa_take(rx, &f), IW_T_LLP_CRC);
        expect_edge(0);
    }
}

/* A block of memory that is full of anything. */
TEST(the_block_need_not_be_clean)
{
    struct mpa_rx_conf conf = usual(MPA_CRC | MPA_MARKERS);
    open_rx(conf);
    memset(rx, 0xa5, mpa_rx_size(&conf));
    rx = mpa_rx_init(rx, &conf);
    octets(0, keys[1] + 30);
    expect(0, true, false);
    expect_no_more();
    octets(keys[1] + 30, keys[3]);
    expect(1, true, false);
    expect(2, true, false);
    expect_no_more();
}

TEST_EACH(NULL, close_rx)
