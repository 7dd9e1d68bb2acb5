/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From 1 to 10,000 endpoints, one segment each in turn: what a segment costs when its endpoint has left the caches.
 *   scale_bench              time for 1, 10, ... endpoints
 *   scale_bench N SEGMENTS   that many once, for valgrind (see cold.py) */
#include "bench.h"

struct crowd {
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint32_t count;
    struct iw_ep **ep;
    iw_stag *stag;
};

static void crowd_init(struct crowd *c, uint32_t count)
{
    *c = (struct crowd){.count = count,
                        .ep = must(calloc(count, sizeof *c->ep)),
                        .stag = must(calloc(count, sizeof *c->stag))};
    c->stags = iw_stags_init(must(malloc(iw_stags_size(count))), count, 1);
    c->cq = iw_cq_init(must(malloc(iw_cq_size(64))), 64, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct iw_conf conf = conf_of(c->stags, c->cq);
        struct iw_region r = {.len = 1ull << 40, .rights = IW_REMOTE_WRITE, .stream = {i + 1}};
        conf.sq_max = conf.rq_max = 8;
        conf.reorder_max = 15;
        conf.stream = i + 1;
        if (iw_register(c->stags, &r, &c->stag[i]))
            exit(3);
        c->ep[i] = must(iw_ep_init(must(malloc(iw_ep_size(&conf))), &conf));
        iw_enable(c->ep[i], 0, 0);
    }
}

static void crowd_free(struct crowd *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->ep[i]);
    free(c->ep);
    free(c->stag);
    free(c->stags);
    free(c->cq);
}

/* Not inlined: cold.py counts what happens in here. */
__attribute__((noinline)) void receive_one(struct iw_ep *ep, const struct iw_seg *seg);
void receive_one(struct iw_ep *ep, const struct iw_seg *seg)
{
    if (iw_receive(ep, 0, seg) != IW_OK)
        exit(3);
    iw_deliver(ep, 0, seg->key + 100, NULL);
}

/* Segment `first` and those after it, each for the next endpoint in turn. */
static void receive_some(struct crowd *c, uint32_t first, uint32_t segments)
{
    struct ddp_head h = {.tagged = true, .last = true, .version = 1, .rsvdulp = 0x40 | RDMAP_WRITE};
    uint32_t i = first % c->count;
    uint64_t key = first / c->count * 100ull;
    for (uint32_t n = 0; n < segments; n++) {
        struct iw_seg seg = {.key = key, .payload_len = 64, .frags = 1, .frag = {{NULL, 64}}};
        h.stag = c->stag[i];
        seg.head_len = (uint8_t)ddp_head_put(seg.head, &h);
        receive_one(c->ep[i], &seg);
        bool round = ++i == c->count;
        key += round ? 100 : 0;
        i = round ? 0 : i;
    }
}

static double time_of(uint32_t count, uint32_t segments)
{
    struct crowd c;
    crowd_init(&c, count);
    receive_some(&c, 0, count);
    double start = now_ns();
    receive_some(&c, count, segments);
    double ns = (now_ns() - start) / segments;
    crowd_free(&c);
    return ns;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        struct crowd c;
        uint32_t count = (uint32_t)strtoul(argv[1], NULL, 10),
                 segments = (uint32_t)strtoul(argv[2], NULL, 10);
        if (!count || !segments)
            return 2;
        crowd_init(&c, count);
        receive_some(&c, 0, segments);
        crowd_free(&c);
        return 0;
    }
    double one = time_of(1, 1000000);
    for (uint32_t n = 1; n <= 10000; n *= 10) {
        char what[64];
        snprintf(what, sizeof what, "receive, %u endpoints in turn", n);
        row(what, time_of(n, 1000000), one, "1 endpoint");
    }
    return 0;
}
