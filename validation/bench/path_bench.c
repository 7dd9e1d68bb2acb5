/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole receive path, octets of the stream to octets in memory: MPA with CRC, engine, copy. Beside it the floor that
 * nobody can pass: the CRC and the copy of the same octets alone. */
#include "bench.h"
#include "llp/crc32c.h"
#include "llp/mpa.h"

enum { FPDUS = 16, MEMORY = 1 << 18 };

struct path {
    struct bench bench;
    struct mpa_rx *rx;
    uint32_t payload, size; /* octets of a payload and of its FPDU */
    uint8_t *fpdu[FPDUS];
    uint8_t *memory;
    uint64_t offset;
};

static void path_init(struct path *p, uint32_t payload)
{
    struct mpa_rx_conf conf = {.flags = MPA_CRC, .store = 1 << 20, .ranges = 256};
    struct mpa_tx tx;
    *p = (struct path){.bench = bench_new(1), .payload = payload, .memory = must(calloc(1, MEMORY))};
    struct iw_region r = {.base = p->memory, .len = MEMORY, .rights = IW_REMOTE_WRITE, .pd = 1};
    if (iw_rebind(p->bench.stags, p->bench.stag, &r))
        exit(3);
    p->rx = must(mpa_rx_init(must(malloc(mpa_rx_size(&conf))), &conf));
    mpa_tx_init(&tx, MPA_CRC, 9000);
    uint8_t *octets = must(calloc(1, payload));
    for (int i = 0; i < FPDUS; i++) {
        struct ddp_head h = {.tagged = true,
                             .last = true,
                             .version = 1,
                             .rsvdulp = 0x40 | RDMAP_WRITE,
                             .stag = p->bench.stag,
                             .to = (uint64_t)i * payload};
        struct iw_seg seg = {
            .key = mpa_key(&tx), .payload_len = payload, .frags = 1, .frag = {{octets, payload}}};
        memset(octets, i, payload);
        seg.head_len = (uint8_t)ddp_head_put(seg.head, &h);
        p->size = mpa_fpdu_len(&tx, &seg);
        p->fpdu[i] = must(malloc(p->size));
        mpa_put(&tx, &seg, p->fpdu[i]);
    }
    free(octets);
}

static void path_free(struct path *p)
{
    for (int i = 0; i < FPDUS; i++)
        free(p->fpdu[i]);
    free(p->memory);
    free(p->rx);
    bench_free(&p->bench);
}

static void arrive(struct path *p, uint64_t n)
{
    struct mpa_fpdu fpdu;
    struct iw_seg seg;
    mpa_receive(p->rx, p->offset + n * p->size, p->fpdu[n % FPDUS], p->size);
    while (mpa_take(p->rx, &fpdu) == 1) {
        mpa_seg(&fpdu, &seg);
        if (iw_receive(p->bench.ep, 0, &seg) != IW_OK)
            exit(3);
    }
    iw_deliver(p->bench.ep, 0, mpa_edge(p->rx), NULL);
}

static double best_path(uint32_t payload, uint32_t spread)
{
    static uint32_t order[BATCH];
    struct path p;
    double best = 1e9;
    path_init(&p, payload);
    displace(order, BATCH, spread);
    for (int round = 0; round < ROUNDS / 5; round++) {
        double start = now_ns();
        for (uint32_t i = 0; i < BATCH; i++)
            arrive(&p, order[i]);
        double ns = (now_ns() - start) / BATCH;
        if (ns < best)
            best = ns;
        p.offset += (uint64_t)BATCH * p.size;
    }
    path_free(&p);
    return best;
}

static double best_floor(uint32_t payload)
{
    struct path p;
    double best = 1e9;
    volatile uint32_t sink = 0;
    path_init(&p, payload);
    for (int round = 0; round < ROUNDS / 5; round++) {
        uint32_t sum = 0;
        double start = now_ns();
        for (uint32_t i = 0; i < BATCH; i++) {
            const uint8_t *fpdu = p.fpdu[i % FPDUS];
            sum += crc32c(0, fpdu, p.size - 4);
            memcpy(p.memory + (i % FPDUS) * payload, fpdu + 2 + IW_HEAD_TAGGED, payload);
        }
        double ns = (now_ns() - start) / BATCH;
        sink = sink + sum;
        if (ns < best)
            best = ns;
    }
    path_free(&p);
    return best;
}

int main(void)
{
    static const uint32_t payload[] = {1408, 8928};
    for (int i = 0; i < 2; i++) {
        char what[64];
        double floor = best_floor(payload[i]), in_order = best_path(payload[i], 0);
        printf("payload of %u octets\n", payload[i]);
        row("  CRC32c and copy alone", floor, floor, "itself");
        row("  receive in order, MPA + engine + copy", in_order, floor, "CRC and copy");
        snprintf(what, sizeof what, "  receive out of order, up to %d segments", SPREAD);
        row(what, best_path(payload[i], SPREAD), in_order, "in order");
        printf("  in order above the floor: %.1f ns\n", in_order - floor);
    }
    return 0;
}
