/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the adapter's timing costs per segment, on top of the engine alone in the same run. Every stage and cache of
 * preset t6 is in use; a world's event queue is not counted.
 *   rnic_bench                             all of it
 *   rnic_bench receive|transmit SEGMENTS   that many, for valgrind (see instructions_test.py) */
#include "bench.h"
#include "rnic/rnic.h"
#include "rnic/window.h"

enum { PAYLOAD = 1408, CONNECTIONS = 64 };

struct node {
    struct bench bench;
    struct rnic *rnic;
    struct rnic_window window[CONNECTIONS];
    iw_time now;
    uint64_t next[CONNECTIONS];
};

static void node_init(struct node *n, const char *name, enum rnic_policy policy)
{
    struct rnic_conf conf;
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, name) == 0)
            rnic_preset_load(&conf, &rnic_presets[i]);
    conf.window.policy = policy;
    conf.stall.every = 1000000000, conf.stall.for_ = 10000000, conf.stall.jitter = 500000000;
    *n = (struct node){.bench = bench_new(1),
                       .rnic = rnic_init(must(malloc(rnic_size(&conf, CONNECTIONS))), &conf, CONNECTIONS, 1)};
    for (int c = 0; c < CONNECTIONS; c++)
        rnic_window_init(&n->window[c], &conf.window, PAYLOAD, rnic_window_shift(conf.window.bytes));
}

static void node_free(struct node *n)
{
    bench_free(&n->bench);
    free(n->rnic);
}

static void engine_receives(struct node *n)
{
    struct ddp_head h = {
        .tagged = true, .last = true, .version = 1, .rsvdulp = 0x40 | RDMAP_WRITE, .stag = n->bench.stag};
    uint8_t octets[32];
    struct iw_seg seg;
    ddp_head_put(octets, &h);
    iw_seg_view(&seg, n->bench.key, octets, sizeof octets);
    if (iw_receive(n->bench.ep, 0, &seg) != IW_OK)
        exit(3);
    n->bench.key += PAYLOAD;
    while (iw_deliver(n->bench.ep, 0, n->bench.key, NULL) == 1) {
    }
}

/* All that a received segment asks of the adapter. */
static iw_time receive_timing(struct node *n, uint32_t c)
{
    n->now += 120000;
    iw_time t = rnic_arrive(n->rnic, n->now, c, PAYLOAD);
    if (t == IW_NEVER)
        return 0;
    n->next[c] += PAYLOAD;
    struct rnic_window_state state = {.next = n->next[c], .staging = rnic_statistics(n->rnic)->staging};
    uint64_t field = rnic_window_advertise(&n->window[c], t, &state);
    t = rnic_place(n->rnic, n->now, c + 1, PAYLOAD);
    rnic_release(n->rnic, PAYLOAD);
    return t + field + rnic_window_opened(&n->window[c], &state);
}

/* And a sent one. */
static iw_time transmit_timing(struct node *n, uint32_t c)
{
    n->now += 120000;
    rnic_ready(n->rnic, c);
    rnic_turn(n->rnic, 0, &c);
    iw_time t = rnic_read(n->rnic, n->now, PAYLOAD);
    return t + rnic_send(n->rnic, n->now, c, PAYLOAD);
}

typedef void job(struct node *n, uint32_t c, uint64_t *sum);

static void engine_alone(struct node *n, uint32_t c, uint64_t *sum)
{
    (void)c, (void)sum;
    engine_receives(n);
}

static void engine_and_receive(struct node *n, uint32_t c, uint64_t *sum)
{
    *sum += receive_timing(n, c);
    engine_receives(n);
}

static void receive_alone(struct node *n, uint32_t c, uint64_t *sum)
{
    *sum += receive_timing(n, c);
}

static void transmit_alone(struct node *n, uint32_t c, uint64_t *sum)
{
    *sum += transmit_timing(n, c);
}

static double best(job *work, const char *preset, enum rnic_policy policy, uint32_t connections)
{
    static volatile uint64_t sink;
    struct node n;
    uint64_t sum = 0;
    double least = 1e9;
    node_init(&n, preset, policy);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (uint32_t i = 0; i < BATCH; i++)
            work(&n, i % connections, &sum);
        double ns = (now_ns() - start) / BATCH;
        least = ns < least ? ns : least;
    }
    sink = sink + sum;
    node_free(&n);
    return least;
}

static int some(job *work, uint64_t segments)
{
    static volatile uint64_t sink;
    struct node n;
    uint64_t sum = 0;
    node_init(&n, "t6", RNIC_PLACED);
    for (uint64_t i = 0; i < segments; i++)
        work(&n, (uint32_t)(i % CONNECTIONS), &sum);
    sink = sink + sum;
    node_free(&n);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return some(strcmp(argv[1], "receive") == 0 ? receive_alone : transmit_alone,
                    strtoull(argv[2], NULL, 10));
    double engine = best(engine_alone, "t6", RNIC_PLACED, 1),
           both = best(engine_and_receive, "t6", RNIC_PLACED, 1);
    row("receive, engine alone, header only", engine, engine, "itself");
    row("receive, engine and timing, 1 connection", both, engine, "engine alone");
    row("receive, engine and timing, 64 connections",
        best(engine_and_receive, "t6", RNIC_PLACED, CONNECTIONS), engine, "engine alone");
    row("receive timing, policy placed", best(receive_alone, "t6", RNIC_PLACED, 1), 60,
        "the 60 ns it may cost");
    row("receive timing, policy bdp", best(receive_alone, "t6", RNIC_BDP, 1), 60, "the 60 ns it may cost");
    row("receive timing, policy retire", best(receive_alone, "t6", RNIC_RETIRE, 1), 60,
        "the 60 ns it may cost");
    row("transmit timing", best(transmit_alone, "t6", RNIC_PLACED, CONNECTIONS), 60, "the 60 ns it may cost");
    row("timing on top of the engine, receive", both - engine, 60, "the 60 ns it may cost");
    return 0;
}
