/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine costs per segment, beside floors measured in the same run. Prints ratios; judges nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/iw.h"

enum { BATCH = 1024, ROUNDS = 7, SPREAD = 64 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *must(void *p)
{
    if (!p) {
        fputs("out of memory, or a configuration was refused\n", stderr);
        exit(3);
    }
    return p;
}

/* One receiving endpoint with length-only memory and endless receives. */
struct bench {
    struct iw_stags *stags;
    struct iw_cq *cq;
    struct iw_ep *ep;
    iw_stag stag;
    uint64_t key;
    uint32_t msn;
};

static struct iw_conf conf_of(struct iw_stags *stags, struct iw_cq *cq)
{
    return (struct iw_conf){.stags = stags, .send_cq = cq, .recv_cq = cq, .pd = 1, .stream = 1, .mulpdu = 1442,
                            .llp = IW_LLP_ALL, .sq_max = 64, .rq_max = BATCH, .ord = 1, .ird = 1, .reorder_max = 4 * SPREAD, .linger = 1};
}

static struct iw_stags *stags_with(uint32_t regions, iw_stag *last)
{
    struct iw_stags *t = iw_stags_init(must(malloc(iw_stags_size(regions))), regions, 1);
    struct iw_region r = {.len = 1ull << 40, .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, .pd = 1};
    for (uint32_t i = 0; i < regions; i++)
        if (iw_register(t, &r, last)) exit(3);
    return t;
}

static struct bench bench_new(uint32_t regions)
{
    struct bench b = {.msn = 1};
    b.stags = stags_with(regions, &b.stag);
    b.cq = iw_cq_init(must(malloc(iw_cq_size(2 * BATCH))), 2 * BATCH, 0);
    struct iw_conf conf = conf_of(b.stags, b.cq);
    b.ep = must(iw_ep_init(must(malloc(iw_ep_size(&conf))), &conf));
    iw_enable(b.ep, 0, 0);
    return b;
}

static void bench_free(struct bench *b)
{
    free(b->ep);
    free(b->cq);
    free(b->stags);
}

enum kind { TAGGED, UNTAGGED };

static void make(struct bench *b, enum kind kind, struct iw_seg *seg, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct ddp_head h = {.tagged = kind == TAGGED, .last = true, .version = 1, .stag = b->stag, .to = i * 64, .qn = 0, .msn = b->msn};
        struct rdmap_ctl c = {1, kind == TAGGED ? RDMAP_WRITE : RDMAP_SEND, 0};
        h.rsvdulp = rdmap_ctl_put(&c, h.tagged);
        if (kind == UNTAGGED) b->msn++;
        seg[i] = (struct iw_seg){.key = b->key, .payload_len = 64, .frags = 1, .frag = {{NULL, 64}}};
        seg[i].head_len = (uint8_t)ddp_head_put(seg[i].head, &h);
        b->key += 100;
    }
}

/* Segment i leaves at i and arrives at i + (0 .. spread): sort by arrival. */
static void displace(uint32_t *order, uint32_t n, uint32_t spread)
{
    static uint32_t at[BATCH];
    uint64_t rng = 88172645463325252u;
    for (uint32_t i = 0; i < n; i++) {
        rng = rng * 6364136223846793005u + 1442695040888963407u;
        at[i] = i + (spread ? (uint32_t)(rng >> 33) % (spread + 1) : 0);
        uint32_t j = i;
        for (; j && at[order[j - 1]] > at[i]; j--) order[j] = order[j - 1];
        order[j] = i;
    }
}

static void post_receives(struct bench *b)
{
    struct iw_work w = {.op = IW_RECV, .sges = 1, .sge = {{b->stag, 4096, 0}}};
    struct iw_done d;
    while (iw_poll(b->cq, &d)) {}
    while (iw_post(b->ep, 0, &w) == IW_OK) {}
}

/* ns per segment: receive `n` segments in `order`, delivering up to the edge as an LLP would. */
static double receive(struct bench *b, const struct iw_seg *seg, const uint32_t *order, uint32_t n)
{
    static bool arrived[BATCH + 1];
    uint32_t edge = 0;
    memset(arrived, 0, sizeof arrived);
    double start = now_ns();
    for (uint32_t i = 0; i < n; i++) {
        struct iw_place place;
        const struct iw_seg *s = &seg[order[i]];
        if (iw_check(b->ep, 0, s, &place) != IW_OK || iw_commit(b->ep, 0, s, &place) != IW_OK) {
            fputs("a segment was refused\n", stderr);
            exit(3);
        }
        arrived[order[i]] = true;
        uint32_t from = edge;
        while (arrived[edge]) edge++;
        if (edge != from)
            while (iw_deliver(b->ep, 0, seg[0].key + edge * 100ull, NULL) == 1) {}
    }
    return (now_ns() - start) / n;
}

static double best_receive(enum kind kind, uint32_t regions, uint32_t spread)
{
    static struct iw_seg seg[BATCH];
    static uint32_t order[BATCH];
    struct bench b = bench_new(regions);
    double best = 1e9;
    for (int round = 0; round < ROUNDS * 200; round++) {
        make(&b, kind, seg, BATCH);
        displace(order, BATCH, spread);
        post_receives(&b);
        double ns = receive(&b, seg, order, BATCH);
        if (ns < best) best = ns;
    }
    bench_free(&b);
    return best;
}

static double bare_decode(enum kind kind)
{
    static struct iw_seg seg[BATCH];
    struct bench b = bench_new(1);
    double best = 1e9;
    volatile uint64_t sink = 0;
    make(&b, kind, seg, BATCH);
    for (int round = 0; round < ROUNDS * 200; round++) {
        uint64_t sum = 0;
        double start = now_ns();
        for (uint32_t i = 0; i < BATCH; i++) {
            struct ddp_head h;
            struct rdmap_ctl c;
            ddp_head_get(seg[i].head, seg[i].head_len, &h);
            rdmap_ctl_get(h.rsvdulp, h.tagged, &c);
            sum += h.to + h.msn + c.opcode;
        }
        sink = sink + sum;
        double ns = (now_ns() - start) / BATCH;
        if (ns < best) best = ns;
    }
    bench_free(&b);
    return best;
}

static double best_transmit(enum kind kind)
{
    struct bench b = bench_new(1);
    struct iw_work w = {.op = kind == TAGGED ? IW_WRITE : IW_SEND, .flags = IW_UNSIGNALLED, .sges = 1, .sge = {{b.stag, 64, 0}}, .remote_stag = 7};
    double best = 1e9;
    for (int round = 0; round < ROUNDS * 2000; round++) {
        struct iw_seg seg;
        for (int i = 0; i < 64; i++) iw_post(b.ep, 0, &w);
        double start = now_ns();
        while (iw_transmit(b.ep, 0, b.key, &seg)) {
            b.key += 100;
            iw_accepted(b.ep, 0, b.key);
        }
        double ns = (now_ns() - start) / 64;
        if (ns < best) best = ns;
    }
    bench_free(&b);
    return best;
}

static void row(const char *what, double ns, double floor, const char *than)
{
    printf("%-46s %8.1f ns  %6.2f x %s\n", what, ns, ns / floor, than);
}

int main(void)
{
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
