/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine costs per segment, beside floors measured in the same run. Prints ratios; judges nothing.
 *   engine_bench                     all of it
 *   engine_bench transmit SEGMENTS   that many, for valgrind (see instructions_test.py) */
#include "bench.h"

enum kind { TAGGED, UNTAGGED };
enum { PAYLOAD = 64 };

/* A ULPDU as it arrives: a header, and a payload nobody stores. */
struct arrived {
    uint64_t key;
    uint8_t octets[32];
};

static void make(struct bench *b, enum kind kind, struct arrived *in, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct ddp_head h = {.tagged = kind == TAGGED,
                             .last = true,
                             .version = 1,
                             .stag = b->stag,
                             .to = i * 64,
                             .qn = 0,
                             .msn = b->msn};
        struct rdmap_ctl c = {1, kind == TAGGED ? RDMAP_WRITE : RDMAP_SEND, 0};
        h.rsvdulp = rdmap_ctl_put(&c, h.tagged);
        if (kind == UNTAGGED)
            b->msn++;
        in[i].key = b->key;
        ddp_head_put(in[i].octets, &h);
        b->key += 100;
    }
}

static void post_receives(struct bench *b)
{
    struct iw_work w = {.op = IW_RECV, .sges = 1, .sge = {{b->stag, 4096, 0}}};
    struct iw_done d;
    while (iw_poll(b->cq, &d)) {
    }
    while (iw_post(b->ep, 0, &w) == IW_OK) {
    }
}

static void view(struct iw_seg *seg, const struct arrived *in)
{
    iw_seg_view(seg, in->key, in->octets, sizeof in->octets);
    seg->payload_len = seg->frag[0].len = PAYLOAD;
    seg->frag[0].octets = NULL;
}

/* ns per segment: receive `n` segments in `order`, delivering up to the edge as an LLP would. */
static double receive(struct bench *b, const struct arrived *in, const uint32_t *order, uint32_t n)
{

    static bool arrived[BATCH + 1];
    uint32_t edge = 0;
    memset(arrived, 0, sizeof arrived);
    double start = now_ns();
    for (uint32_t i = 0; i < n; i++) {
        struct iw_place place;
        struct iw_seg seg;
        view(&seg, &in[order[i]]);
        if (iw_check(b->ep, 0, &seg, &place) != IW_OK || iw_commit(b->ep, 0, &seg, &place) != IW_OK) {
            fputs("a segment was refused\n", stderr);
            exit(3);
        }
        arrived[order[i]] = true;
        uint32_t from = edge;
        while (arrived[edge])
            edge++;
        if (edge != from)
            iw_deliver(b->ep, 0, in[0].key + edge * 100ull, NULL);
    }
    return (now_ns() - start) / n;
}

static double best_receive(enum kind kind, uint32_t regions, uint32_t spread)
{
    static struct arrived in[BATCH];
    static uint32_t order[BATCH];
    struct bench b = bench_new(regions);
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        make(&b, kind, in, BATCH);
        displace(order, BATCH, spread);
        post_receives(&b);
        double ns = receive(&b, in, order, BATCH);
        if (ns < best)
            best = ns;
    }
    bench_free(&b);
    return best;
}

/* The floor: the same octets viewed and their headers read, every field used. */
static double bare_decode(enum kind kind)
{
    static struct arrived in[BATCH];
    struct bench b = bench_new(1);
    double best = 1e9;
    volatile uint64_t sink = 0;
    make(&b, kind, in, BATCH);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t sum = 0;
        double start = now_ns();
        for (uint32_t i = 0; i < BATCH; i++) {
            struct iw_seg seg;
            struct ddp_head h;
            struct rdmap_ctl c;
            view(&seg, &in[i]);
            if (!ddp_head_get(seg.head, seg.head_len, &h))
                continue;
            rdmap_ctl_get(h.rsvdulp, h.tagged, &c);
            sum += h.stag + h.to + h.qn + h.msn + h.mo + h.last + h.version + c.version + c.opcode +
                   c.inval_stag + seg.key;
        }
        sink = sink + sum;
        double ns = (now_ns() - start) / BATCH;
        if (ns < best)
            best = ns;
    }
    bench_free(&b);
    return best;
}

static void post_short(struct bench *b, enum kind kind)
{
    struct iw_work w = {.op = kind == TAGGED ? IW_WRITE : IW_SEND,
                        .flags = IW_UNSIGNALLED,
                        .sges = 1,
                        .sge = {{b->stag, 64, 0}},
                        .remote_stag = 7};
    for (int i = 0; i < BATCH; i++)
        iw_post(b->ep, 0, &w);
}

static void transmit_posted(struct bench *b)
{
    struct iw_seg seg;
    while (iw_transmit(b->ep, 0, b->key, &seg)) {
        b->key += 100;
        iw_accepted(b->ep, 0, b->key);
    }
}

static double best_transmit(enum kind kind)
{
    struct bench b = bench_new(1);
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        post_short(&b, kind);
        double start = now_ns();
        transmit_posted(&b);
        double ns = (now_ns() - start) / BATCH;
        if (ns < best)
            best = ns;
    }
    bench_free(&b);
    return best;
}

static int transmit_some(uint64_t segments)
{
    struct bench b = bench_new(1);
    for (uint64_t i = 0; i < segments; i += BATCH) {
        post_short(&b, TAGGED);
        transmit_posted(&b);
    }
    bench_free(&b);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return transmit_some(strtoull(argv[2], NULL, 10));
    double tagged = bare_decode(TAGGED), untagged = bare_decode(UNTAGGED);
    double in_t = best_receive(TAGGED, 1, 0), in_u = best_receive(UNTAGGED, 1, 0);
    row("header decode alone, tagged", tagged, tagged, "itself");
    row("header decode alone, untagged", untagged, untagged, "itself");
    row("receive, header only, in order, tagged", in_t, tagged, "header decode");
    row("receive, header only, in order, untagged", in_u, untagged, "header decode");
    row("receive, out of order up to 64, tagged", best_receive(TAGGED, 1, SPREAD), in_t, "in order");
    row("transmit, header only, tagged", best_transmit(TAGGED), tagged, "header decode");
    row("transmit, header only, untagged", best_transmit(UNTAGGED), untagged, "header decode");
    row("receive, tagged, 1000000 STags registered", best_receive(TAGGED, 1000000, 0), in_t, "1 STag");
    struct iw_conf least = conf_of(NULL, NULL);
    least.sq_max = 1;
    least.rq_max = least.ord = least.ird = least.reorder_max = 0;
    printf("%-46s %8zu octets\n", "an endpoint with the shortest queues", iw_ep_size(&least));
    return 0;
}
