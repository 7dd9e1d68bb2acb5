/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h -- what the benches share: a clock, one receiving endpoint, one way to print a figure beside its floor.
 * Figures are the best of many rounds, in CPU time; the ratios are what counts. */
#ifndef VALIDATION_BENCH_H
#define VALIDATION_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/iw.h"

enum { BATCH = 1024, ROUNDS = 1000, SPREAD = 64 };

static inline double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void *must(void *p)
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

static inline struct iw_conf conf_of(struct iw_stags *stags, struct iw_cq *cq)
{
    return (struct iw_conf){.stags = stags,
                            .send_cq = cq,
                            .recv_cq = cq,
                            .pd = 1,
                            .stream = 1,
                            .mulpdu = 1442,
                            .llp = IW_LLP_ALL,
                            .sq_max = BATCH,
                            .rq_max = BATCH,
                            .ord = 1,
                            .ird = 1,
                            .reorder_max = 4 * SPREAD,
                            .linger = 1};
}

static inline struct iw_stags *stags_with(uint32_t regions, iw_stag *last)
{
    struct iw_stags *t = iw_stags_init(must(malloc(iw_stags_size(regions))), regions, 1);
    struct iw_region r = {
        .len = 1ull << 40, .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, .pd = 1};
    for (uint32_t i = 0; i < regions; i++)
        if (iw_register(t, &r, last))
            exit(3);
    return t;
}

static inline struct bench bench_new(uint32_t regions)
{
    struct bench b = {.msn = 1};
    b.stags = stags_with(regions, &b.stag);
    b.cq = iw_cq_init(must(malloc(iw_cq_size(2 * BATCH))), 2 * BATCH, 0);
    struct iw_conf conf = conf_of(b.stags, b.cq);
    b.ep = must(iw_ep_init(must(malloc(iw_ep_size(&conf))), &conf));
    iw_enable(b.ep, 0, 0);
    return b;
}

static inline void bench_free(struct bench *b)
{
    free(b->ep);
    free(b->cq);
    free(b->stags);
}

/* Segment i leaves at i and arrives at i + (0 .. spread): sort by arrival. */
static inline void displace(uint32_t *order, uint32_t n, uint32_t spread)
{
    static uint32_t at[BATCH];
    uint64_t rng = 88172645463325252u;
    for (uint32_t i = 0; i < n; i++) {
        rng = rng * 6364136223846793005u + 1442695040888963407u;
        at[i] = i + (spread ? (uint32_t)(rng >> 33) % (spread + 1) : 0);
        uint32_t j = i;
        for (; j && at[order[j - 1]] > at[i]; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

static inline void row(const char *what, double ns, double floor, const char *than)
{
    printf("%-46s %8.1f ns  %6.2f x %s\n", what, ns, ns / floor, than);
}

#endif
