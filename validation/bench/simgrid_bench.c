/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a segment costs in the world of SimGrid, without SimGrid: expander, merge, adapter and engine, length-only,
 * beside the engine alone in the same run.
 *   simgrid_bench [ideal | t6 | lossy]     prints ratios; judges nothing. */
#include "bench.h"
#include "simgrid/node.h"

enum { TRIES = 301, CHUNK = 64 * 1024, CHUNKS = 64, PACKETS = 64, WIRE = 78, FPDU = 1448, SEGMENT = 1428 };
#define US UINT64_C(1000000)

struct rig {
    struct grid_conf conf;
    struct grid_observer observer;
    struct rnic_conf adapter;
    struct iw_stags *stags;
    iw_stag stag;
    struct grid_node node[2];
    struct grid_end end[2];
    struct grid_loss_process loss_process;
    struct grid_chunk *chunk;
    iw_time now;
};

/* ---- an observer that notes nothing ---- */

static void on_told(void *c, struct grid_end *end, const struct node_event *e)
{
    (void)c, (void)end, (void)e;
}
static void on_end(void *c, iw_time at, struct grid_end *e)
{
    (void)c, (void)at, (void)e;
}
static void on_two(void *c, iw_time at, struct grid_end *e, uint64_t a, uint64_t b)
{
    (void)c, (void)at, (void)e, (void)a, (void)b;
}
static void on_node(void *c, iw_time at, struct grid_node *n)
{
    (void)c, (void)at, (void)n;
}
static void on_done(void *c, struct grid_chunk *chunk)
{
    (void)c, (void)chunk;
}

/* ---- the rig ---- */

static void make_end(struct rig *r, int side)
{
    struct grid_end *e = &r->end[side];
    struct grid_node *n = &r->node[side];
    *n = (struct grid_node){.conf = &r->conf, .observer = &r->observer, .due = IW_NEVER};
    n->nic = n->tx = rnic_init(must(malloc(rnic_size(&r->adapter, 1))), &r->adapter, 1, 0);
    n->cq = iw_cq_init(must(malloc(iw_cq_size(2 * BATCH))), 2 * BATCH, 0);
    struct iw_conf conf = conf_of(r->stags, n->cq);
    conf.reorder_max = CHUNKS * PACKETS; /* there is no window: all of a round may wait for what was lost */
    *e =
        (struct grid_end){.node = n, .peer = &r->end[!side], .side = side, .latency = 2 * US, .back = 2 * US};
    e->ep = must(iw_ep_init(must(malloc(iw_ep_size(&conf))), &conf));
    iw_enable(e->ep, 0, 0);
    rnic_window_init(&e->advertised, &r->adapter.window, FPDU, rnic_window_shift(r->adapter.window.bytes));
}

static struct rig *rig_new(unsigned preset, double loss)
{
    struct rig *r = must(calloc(1, sizeof *r));
    rnic_preset_load(&r->adapter, &rnic_presets[preset]);
    r->conf = (struct grid_conf){
        .path = {.framing = WIRE, .octet = 80000, .recovery = 10 * US, .timeout = 1000 * US, .dupacks = 3},
        .receive = RNIC_PLACE,
        .acks = {.every = 2},
        .exact = preset == 0,
        .latency_least = 2 * US,
        .chunk = CHUNK,
        .messages = UINT32_MAX};
    r->observer = (struct grid_observer){r, on_told, on_end, on_node, on_two, on_done};
    r->stags = stags_with(1, &r->stag);
    make_end(r, 0);
    make_end(r, 1);
    if (loss > 0) {
        struct channel_conf conf = {.loss = loss};
        grid_weather_init(&r->loss_process, &conf, 1, 0, 0, 0);
        r->end[0].loss_process = &r->loss_process;
    }
    r->chunk = must(calloc(CHUNKS, sizeof(struct grid_chunk) + PACKETS * sizeof(struct grid_packet)));
    return r;
}

static struct grid_chunk *chunk_at(struct rig *r, uint32_t i)
{
    uint8_t *base = (uint8_t *)r->chunk;
    return (struct grid_chunk *)(void *)(base + i * (sizeof(struct grid_chunk) +
                                                     PACKETS * sizeof(struct grid_packet)));
}

static void post(struct rig *r)
{
    struct iw_work w = {.op = IW_WRITE, .flags = IW_UNSIGNALLED, .sges = 1, .remote_stag = r->stag};
    w.sge[0] = (struct iw_sge){r->stag, 46 * SEGMENT, 0};
    while (iw_post(r->end[0].ep, r->now, &w) == IW_OK) {
    }
}

/* One round: CHUNKS chunks cut, landed, received; ns per segment of each. */
static uint32_t round_of(struct rig *r, double *cut, double *receive)
{
    uint32_t segments = 0, chunks = 0;
    double start = now_ns();
    for (; chunks < CHUNKS; chunks++) {
        struct grid_chunk *c = chunk_at(r, chunks);
        c->room = PACKETS;
        c->flow.packet = c->packet;
        if (grid_cut(&r->end[0], r->now, c) == IW_NEVER)
            break;
        segments += c->flow.n;
    }
    double between = now_ns();
    for (uint32_t i = 0; i < chunks; i++) {
        grid_started(chunk_at(r, i), r->now);
        r->now += 6 * US;
        grid_land(chunk_at(r, i), r->now);
        grid_receive(&r->node[1], r->now);
    }
    for (iw_time next; (next = grid_receive_deadline(&r->node[1])) != IW_NEVER;
         r->now = next > r->now ? next : r->now)
        grid_receive(&r->node[1], next > r->now ? next : r->now);
    grid_settle(&r->node[1], IW_NEVER);
    double end = now_ns();
    iw_note_acked(r->end[0].ep, r->now, r->end[0].next_key);
    *cut = (between - start) / segments;
    *receive = (end - between) / segments;
    return segments;
}

/* ---- the engine alone: as engine_bench, tagged, in order ---- */

struct alone {
    struct bench bench;
    uint8_t octets[BATCH][32];
};

static struct alone *alone_new(void)
{
    struct alone *a = must(calloc(1, sizeof *a));
    a->bench = bench_new(1);
    for (uint32_t i = 0; i < BATCH; i++) {
        struct ddp_head h = {.tagged = true, .last = true, .version = 1, .stag = a->bench.stag, .to = i * 64};
        struct rdmap_ctl c = {1, RDMAP_WRITE, 0};
        h.rsvdulp = rdmap_ctl_put(&c, true);
        ddp_head_put(a->octets[i], &h);
    }
    return a;
}

static double alone_round(struct alone *a)
{
    struct bench *b = &a->bench;
    double start = now_ns();
    for (uint32_t i = 0; i < BATCH; i++) {
        struct iw_place place;
        struct iw_seg seg;
        iw_seg_view(&seg, b->key, a->octets[i], sizeof a->octets[i]);
        seg.payload_len = seg.frag[0].len = 64;
        seg.frag[0].octets = NULL;
        if (iw_check(b->ep, 0, &seg, &place) != IW_OK || iw_commit(b->ep, 0, &seg, &place) != IW_OK)
            exit(3);
        b->key += 100;
        iw_deliver(b->ep, 0, b->key, NULL);
    }
    return (now_ns() - start) / BATCH;
}

/* ---- in turn, so that both meet the same machine; medians ---- */

struct medians {
    double engine, cut, receive;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *of)
{
    qsort(of, TRIES, sizeof *of, by_value);
    return of[TRIES / 2];
}

static unsigned preset_named(const char *name)
{
    unsigned i = 0;
    while (i < rnic_presets_count && strcmp(rnic_presets[i].name, name))
        i++;
    return i;
}

static struct medians measure(const char *preset, double loss)
{
    static double engine[TRIES], cut[TRIES], receive[TRIES];
    struct rig *r = rig_new(preset_named(preset), loss);
    struct alone *a = alone_new();
    for (int i = 0; i < TRIES; i++) {
        engine[i] = alone_round(a);
        post(r);
        round_of(r, &cut[i], &receive[i]);
    }
    return (struct medians){median(engine), median(cut), median(receive)};
}

static const struct {
    const char *name, *what, *preset;
    double loss;
} rows[] = {{"ideal", "expander + merge + adapter + engine, ideal", "ideal", 0},
            {"t6", "the same, t6", "t6", 0},
            {"lossy", "the same, t6, a loss of 1e-3", "t6", 1e-3}};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (argc > 1 && strcmp(argv[1], rows[i].name))
            continue;
        struct medians m = measure(rows[i].preset, rows[i].loss);
        row("engine alone: receive, header only, in order", m.engine, m.engine, "itself");
        row("engine and adapter: cut into a chunk", m.cut, m.engine, "engine alone");
        row(rows[i].what, m.receive, m.engine, "engine alone");
    }
    return 0;
}
