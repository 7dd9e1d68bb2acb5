/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_bench.c -- what the packet world costs for each packet and hop, beside the least that a loop can cost which does
 * the same work: one event for each packet and hop from a heap of busy links, precomputed paths, queues without a limit.
 *
 *   fabric_bench [K PACKETS]      k-ary fat tree, a permutation, windows of 64 packets of 1500 octets, an
 *                                 acknowledgement for two; both sides see the same traffic in turn */
#include "validation/bench/bench.h"

#include "fabric/fabric.h"

#include <sys/resource.h>

enum { DATA = 1500, ACK = 52, WINDOW = 64, PS_PER_OCTET = 80 };
static const uint64_t RATE = UINT64_C(100000000000), DELAY = 1000000;

static uint64_t mix(uint64_t x)
{
    return channel_draw(77, x);
}

/* One cycle through all hosts (Sattolo). */
static uint32_t *permutation(uint32_t n)
{
    uint32_t *to = must(malloc(n * sizeof *to));
    for (uint32_t i = 0; i < n; i++)
        to[i] = i;
    for (uint32_t i = n - 1; i; i--) {
        uint32_t j = (uint32_t)(mix(i) % i), t = to[i];
        to[i] = to[j];
        to[j] = t;
    }
    return to;
}

/* ---- the sender and receiver of both sides ---- */

struct toy {
    uint32_t self, peer, from, left, inflight, owed, received, number, ack_number;
};

static void toys_init(struct toy *toy, const uint32_t *to, uint32_t hosts, uint32_t packets)
{
    for (uint32_t h = 0; h < hosts; h++) {
        toy[h] = (struct toy){.self = h, .peer = to[h], .left = packets};
    }
    for (uint32_t h = 0; h < hosts; h++)
        toy[to[h]].from = h;
}

static void toy_takes(struct toy *t, bool ack)
{
    if (ack)
        t->inflight -= 2;
    else
        t->owed += ++t->received % 2 == 0;
}

static bool toy_gives(struct toy *t, bool *ack)
{
    *ack = t->owed > 0;
    if (t->owed) {
        t->owed--;
        return true;
    }
    if (!t->left || t->inflight >= WINDOW)
        return false;
    t->left--;
    t->inflight++;
    return true;
}

/* ---- the world ---- */

static bool transmit(void *host, iw_time now, struct ip_packet *out)
{
    static uint8_t head[32];
    struct toy *t = host;
    bool ack;
    (void)now;
    if (!toy_gives(t, &ack))
        return false;
    *out = (struct ip_packet){.size = ack ? ACK : DATA,
                              .connection = ack ? t->from : t->self,
                              .direction = ack,
                              .protocol = IP_PROTOCOL_TCP,
                              .ecn = IP_ECT_0,
                              .head = sizeof head,
                              .number = ack ? t->ack_number++ : t->number++,
                              .octets = head};
    return true;
}

static void arrive(void *host, iw_time now, const struct ip_packet *in)
{
    (void)now;
    toy_takes(host, in->direction);
}

static iw_time deadline(const void *host)
{
    (void)host;
    return IW_NEVER;
}

static void expire(void *host, iw_time now)
{
    (void)host;
    (void)now;
}

static void *more(void *user, size_t octets)
{
    *(size_t *)user += octets;
    return malloc(octets);
}

struct result {
    double ns;
    uint64_t hops;
    size_t octets;
    uint64_t last;
};

static struct result world(uint32_t k, const uint32_t *to, uint32_t packets)
{
    static const struct fabric_host table = {transmit, arrive, deadline, expire};
    struct result r = {0};
    struct fabric_conf conf = {.kind = FABRIC_FAT_TREE,
                               .fat_tree = {k, 1},
                               .rate = RATE,
                               .delay = DELAY,
                               .mtu = DATA,
                               .framing = FABRIC_ETHERNET,
                               .buffer = UINT64_C(1) << 31,
                               .ecn_threshold = 65536,
                               .connections = k * k * k / 4,
                               .user = &r.octets,
                               .more = more};
    r.octets = fabric_size(&conf);
    void *memory = must(malloc(r.octets));
    struct fabric *f = must(fabric_init(memory, &conf));
    struct toy *toy = must(malloc(fabric_hosts(f) * sizeof *toy));
    toys_init(toy, to, fabric_hosts(f), packets);
    for (uint32_t h = 0; h < fabric_hosts(f); h++) {
        fabric_attach(f, h, &table, &toy[h]);
        fabric_connect(f, h, h, to[h]);
        fabric_kick(f, h);
    }
    double begin = now_ns();
    fabric_run(f, IW_NEVER);
    r.ns = now_ns() - begin;
    r.hops = fabric_counts(f).hops;
    r.last = fabric_now(f);
    free(toy);
    free(memory);
    return r;
}

/* ---- the floor ---- */

struct pack {
    uint64_t at;
    uint32_t next, flow;
    uint16_t size;
    uint8_t hop, ack;
};
struct wire {
    uint64_t free_at;
    uint32_t head, tail;
};
struct path {
    uint32_t link[2][6];
    uint8_t hops[2];
};
struct entry {
    uint64_t at;
    uint32_t link;
};
static struct {
    struct pack *pack;
    struct wire *wire;
    struct path *path;
    struct toy *toy;
    struct entry *heap;
    uint32_t used, unused, made, hosts;
    uint64_t now, hops;
    bool *pulling;
} floor_;

static bool sooner(struct entry a, struct entry b)
{
    return a.at < b.at || (a.at == b.at && a.link < b.link);
}

static void sink(struct entry x)
{
    uint32_t i = 0;
    for (uint32_t c = 1; c < floor_.used; c = 4 * i + 1) {
        uint32_t least = c;
        for (uint32_t j = c + 1; j < c + 4 && j < floor_.used; j++)
            if (sooner(floor_.heap[j], floor_.heap[least]))
                least = j;
        if (!sooner(floor_.heap[least], x))
            break;
        floor_.heap[i] = floor_.heap[least];
        i = least;
    }
    floor_.heap[i] = x;
}

static void rise(struct entry x)
{
    uint32_t i = floor_.used++;
    for (; i && sooner(x, floor_.heap[(i - 1) / 4]); i = (i - 1) / 4)
        floor_.heap[i] = floor_.heap[(i - 1) / 4];
    floor_.heap[i] = x;
}

static void put(uint32_t link, uint32_t i)
{
    struct wire *w = &floor_.wire[link];
    struct pack *p = &floor_.pack[i];
    uint64_t start = w->free_at > floor_.now ? w->free_at : floor_.now;
    w->free_at = start + (uint64_t)(p->size + FABRIC_ETHERNET) * PS_PER_OCTET;
    p->at = w->free_at + DELAY;
    p->next = UINT32_MAX;
    if (w->head == UINT32_MAX) {
        w->head = i;
        rise((struct entry){p->at, link});
    } else {
        floor_.pack[w->tail].next = i;
    }
    w->tail = i;
}

/* All that it may send, at once: a port that asks again would be an event more. */
static void push_out(struct toy *t)
{
    bool ack;
    while (toy_gives(t, &ack)) {
        uint32_t i = floor_.unused;
        if (i == UINT32_MAX)
            i = floor_.made++;
        else
            floor_.unused = floor_.pack[i].next;
        floor_.pack[i] = (struct pack){.flow = ack ? t->from : t->self, .size = ack ? ACK : DATA, .ack = ack};
        put(t->self, i);
    }
}

static void floor_run(void)
{
    for (uint32_t h = 0; h < floor_.hosts; h++)
        push_out(&floor_.toy[h]);
    while (floor_.used) {
        struct entry e = floor_.heap[0];
        struct wire *w = &floor_.wire[e.link];
        uint32_t i = w->head;
        struct pack *p = &floor_.pack[i];
        floor_.now = e.at;
        w->head = p->next;
        if (w->head != UINT32_MAX)
            sink((struct entry){floor_.pack[w->head].at, e.link});
        else if (--floor_.used)
            sink(floor_.heap[floor_.used]);
        floor_.hops++;
        const struct path *path = &floor_.path[p->flow];
        if (++p->hop < path->hops[p->ack]) {
            put(path->link[p->ack][p->hop], i);
            continue;
        }
        struct toy *t = &floor_.toy[p->ack ? p->flow : floor_.toy[p->flow].peer];
        toy_takes(t, p->ack);
        p->next = floor_.unused;
        floor_.unused = i;
        push_out(t);
    }
}

static void find_path(struct path *path, struct fabric *f, uint32_t flow, uint32_t from, uint32_t to,
                      uint8_t dir)
{
    uint32_t node = from;
    const struct ip_packet packet = {.connection = flow, .direction = dir};
    do {
        uint32_t link = fabric_route(f, node, to, &packet);
        path->link[dir][path->hops[dir]++] = link;
        node = fabric_link(f, link).to;
    } while (node != to);
}

static struct result least(uint32_t k, const uint32_t *to, uint32_t packets)
{
    struct result r = {0};
    struct fabric_conf conf = {.kind = FABRIC_FAT_TREE,
                               .fat_tree = {k, 1},
                               .rate = RATE,
                               .mtu = DATA,
                               .connections = 1,
                               .user = &r.octets,
                               .more = more};
    void *memory = must(malloc(fabric_size(&conf)));
    struct fabric *f = must(fabric_init(memory, &conf));
    uint32_t hosts = fabric_hosts(f), links = fabric_links(f);
    floor_.hosts = hosts;
    floor_.used = floor_.made = 0;
    floor_.unused = UINT32_MAX;
    floor_.now = floor_.hops = 0;
    floor_.pack = must(malloc((size_t)hosts * (WINDOW + WINDOW / 2 + 2) * sizeof *floor_.pack));
    floor_.wire = must(malloc(links * sizeof *floor_.wire));
    floor_.path = must(calloc(hosts, sizeof *floor_.path));
    floor_.toy = must(malloc(hosts * sizeof *floor_.toy));
    floor_.heap = must(malloc(links * sizeof *floor_.heap));
    toys_init(floor_.toy, to, hosts, packets);
    for (uint32_t i = 0; i < links; i++)
        floor_.wire[i] = (struct wire){0, UINT32_MAX, UINT32_MAX};
    for (uint32_t h = 0; h < hosts; h++) {
        find_path(&floor_.path[h], f, h, h, to[h], 0);
        find_path(&floor_.path[h], f, h, to[h], h, 1);
    }
    double begin = now_ns();
    floor_run();
    r.ns = now_ns() - begin;
    r.hops = floor_.hops;
    r.last = floor_.now;
    free(floor_.pack);
    free(floor_.wire);
    free(floor_.path);
    free(floor_.toy);
    free(floor_.heap);
    free(memory);
    return r;
}

static void compare(uint32_t k, uint32_t packets)
{
    uint32_t hosts = k * k * k / 4, *to = permutation(hosts);
    struct result a = {0}, b = {0};
    for (int round = 0; round < 3; round++) {
        struct result x = least(k, to, packets), y = world(k, to, packets);
        if (!round || x.ns < a.ns)
            a = x;
        if (!round || y.ns < b.ns)
            b = y;
        if (x.hops != y.hops)
            exit((fprintf(stderr, "the two sides carried different traffic\n"), 1));
    }
    free(to);
    printf("k=%-3u %6u hosts %10llu hops   floor %6.1f ns   world %6.1f ns/hop  %4.2fx   %7.1f MB\n", k,
           hosts, (unsigned long long)b.hops, a.ns / (double)a.hops, b.ns / (double)b.hops,
           (b.ns / (double)b.hops) / (a.ns / (double)a.hops), (double)b.octets / 1e6);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        compare((uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]));
        return 0;
    }
    compare(8, 700);
    compare(16, 100);
    compare(32, 20);
    compare(64, 2);
    return 0;
}
