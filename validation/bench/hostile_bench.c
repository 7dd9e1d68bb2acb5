/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The most that one segment of a hostile peer can cost, beside a good one of 1454 octets in order. The receivers remember
 * as much as they ever may. Each attack is repeated; the figure is that of its worst segment at its quietest, on the
 * clock. */
#include "bench.h"

#include "llp/mpa.h"

enum {
    TIMES = 5,
    SEGMENTS = 70000,
    RANGES = 65535,
    STORE = 1 << 20,
    HOLES = 4480,
    JUMBO = 8960,
    FALSE = 115,
    DEEP = 32768
};

static uint8_t octets[STORE + MPA_FPDU_MAX];
static double best[SEGMENTS];

static double clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- MPA ---- */

static struct mpa_rx *rx;
static bool keeps; /* every other FPDU is given back, as IW_LATER asks */

static void open_mpa(unsigned flags)
{
    struct mpa_rx_conf conf = {.flags = flags, .store = STORE, .ranges = RANGES};
    if (!rx) {
        rx = must(malloc(mpa_rx_size(&conf)));
        memset(rx, 1, mpa_rx_size(&conf)); /* so that no page is new to the system */
    }
    must(mpa_rx_init(rx, &conf));
    memset(octets, 0, sizeof octets);
}

static void arrive(uint32_t at, uint32_t len)
{
    struct mpa_fpdu f;
    mpa_receive(rx, at, octets + at, len);
    for (uint32_t n = 0; mpa_take(rx, &f) == 1; n++)
        if (keeps && n % 2)
            mpa_keep(rx);
}

static void open_crc(void)
{
    keeps = false;
    open_mpa(MPA_CRC);
}

/* As many runs of one octet as are remembered, with a hole before each. */
static void open_holes(void)
{
    open_crc();
    for (uint32_t i = 0; i < RANGES; i++)
        arrive(4 + 2 * i, 1);
}

static void close_the_first_holes(uint32_t i)
{
    (void)i;
    arrive(3, 2 * HOLES);
}

/* Before all others and behind them, in turn. */
static void one_octet_at_both_ends(uint32_t i)
{
    uint32_t middle = RANGES / 2, k = i % 2 ? middle - i / 2 - 1 : middle + i / 2;
    arrive(4 + 2 * k, 1);
}

static void one_octet_from_behind(uint32_t i)
{
    arrive(4 + 2 * (RANGES - 1 - i), 1);
}

/* 60,000 octets are held. */
static void open_held(void)
{
    open_crc();
    arrive(STORE / 2, 60000);
}

static void four_octets_that_claim_to_start_a_long_fpdu(uint32_t i)
{
    uint32_t at = STORE / 2 - 4 * (i + 1), len = STORE / 2 + 60000 - at - 8;
    if (len > MPA_MULPDU_MAX)
        len = MPA_MULPDU_MAX;
    octets[at] = (uint8_t)(len >> 8);
    octets[at + 1] = (uint8_t)len;
    arrive(at, 4);
}

/* Every marker points to a start of its own, which claims 60,000 octets. */
static void open_false_markers(void)
{
    open_mpa(MPA_CRC | MPA_MARKERS);
    for (uint32_t m = 512; m < STORE; m += 512) {
        octets[m - 8] = 60000 >> 8;
        octets[m - 7] = 60000 & 255;
        octets[m + 3] = 8;
    }
}

static void a_segment_of_false_markers(uint32_t i)
{
    arrive(4 + (FALSE - 1 - i) * JUMBO, JUMBO);
}

/* Holes everywhere, but for a stretch where a segment brings FPDUs as short as they get. */
static void open_short_fpdus(void)
{
    struct mpa_tx tx;
    uint8_t ulpdu[2] = {0};
    open_crc();
    for (uint32_t i = 0; i < RANGES - 2 * JUMBO / 8; i++)
        arrive(20000 + 2 * i, 1);
    mpa_tx_init(&tx, MPA_CRC, 1460);
    for (uint32_t at = 0; at < JUMBO; at = (uint32_t)mpa_key(&tx)) {
        struct iw_seg seg;
        iw_seg_view(&seg, mpa_key(&tx), ulpdu, 2);
        mpa_put(&tx, &seg, octets + at);
    }
    keeps = true;
}

static void short_fpdus_kept_and_taken_in_turn(uint32_t i)
{
    (void)i;
    arrive(8, JUMBO - 8);
}

static void open_good(void)
{
    struct mpa_tx tx;
    static uint8_t ulpdu[1454];
    open_crc();
    mpa_tx_init(&tx, MPA_CRC, 1460);
    while (mpa_key(&tx) < STORE) {
        struct iw_seg seg;
        iw_seg_view(&seg, mpa_key(&tx), ulpdu, sizeof ulpdu);
        mpa_put(&tx, &seg, octets + mpa_key(&tx));
    }
}

static void a_good_fpdu_in_order(uint32_t i)
{
    arrive(1460 * i, 1460);
}

/* ---- the engine ---- */

static struct bench engine;

static void open_engine(void)
{
    struct iw_seg seg;
    bench_free(&engine);
    engine = (struct bench){.msn = 1};
    engine.stags = stags_with(1, &engine.stag);
    engine.cq = iw_cq_init(must(malloc(iw_cq_size(DEEP))), DEEP, 0);
    struct iw_conf conf = conf_of(engine.stags, engine.cq);
    conf.reorder_max = conf.ord = conf.ird = conf.sq_max = DEEP;
    engine.ep = must(iw_ep_init(must(malloc(iw_ep_size(&conf))), &conf));
    iw_enable(engine.ep, 0, 0);
    for (uint32_t i = 0; i < DEEP; i++) {
        struct iw_work read = {.op = IW_READ, .sges = 1, .sge = {{engine.stag, 8, 8 * i}}};
        iw_post(engine.ep, 0, &read);
        iw_transmit(engine.ep, 0, i, &seg);
    }
}

static void present(uint64_t key, const char *head)
{
    struct iw_seg seg;
    struct iw_place place;
    uint8_t ulpdu[16] = {0};
    memcpy(ulpdu, head, 2);
    iw_seg_view(&seg, key, ulpdu, sizeof ulpdu - (head[1] == 0x40 ? 2 : 0));
    if (iw_check(engine.ep, 0, &seg, &place) == IW_OK)
        iw_commit(engine.ep, 0, &seg, &place);
}

/* Empty Writes out of order: from both ends towards the middle, which is where most must move. */
static void an_empty_write_in_the_middle(uint32_t i)
{
    present(1 + (i % 2 ? 2 * DEEP - i : i), "\xc1\x40");
}

static void a_response_to_none_of_the_reads(uint32_t i)
{
    present(1 + i, "\xc1\x42");
}

/* ---- all ---- */

struct attack {
    const char *name;
    void (*open)(void);
    void (*segment)(uint32_t i);
    uint32_t segments;
};

static double worst_of(const struct attack *a)
{
    double worst = 0;
    for (int time = 0; time < TIMES; time++) {
        a->open();
        for (uint32_t i = 0; i < a->segments; i++) {
            double start = clock_ns();
            a->segment(i);
            double ns = clock_ns() - start;
            if (time == 0 || ns < best[i])
                best[i] = ns;
        }
    }
    for (uint32_t i = 0; i < a->segments; i++)
        if (best[i] > worst)
            worst = best[i];
    return worst;
}

int main(void)
{
    static const struct attack attacks[] = {
        {"a good FPDU in order", open_good, a_good_fpdu_in_order, 500},
        {"one segment closes 4480 of 65535 holes", open_holes, close_the_first_holes, 1},
        {"one octet, from behind, 65535 runs", open_crc, one_octet_from_behind, RANGES},
        {"one octet, at both ends of 65535 runs", open_crc, one_octet_at_both_ends, RANGES - 1},
        {"4 octets that claim to start a long FPDU", open_held, four_octets_that_claim_to_start_a_long_fpdu,
         1000},
        {"a segment of false markers", open_false_markers, a_segment_of_false_markers, FALSE},
        {"1119 FPDUs, kept and taken in turn", open_short_fpdus, short_fpdus_kept_and_taken_in_turn, 1},
        {"an empty Write among 32768", open_engine, an_empty_write_in_the_middle, DEEP},
        {"a Response to none of 32768 Reads", open_engine, a_response_to_none_of_the_reads, 1000},
    };
    double good = worst_of(&attacks[0]);
    for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++)
        row(attacks[i].name, worst_of(&attacks[i]), good, "a good one, at its worst");
    bench_free(&engine);
    free(rx);
    return 0;
}
