/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_hosts.c -- hosts and the ends of their connections: made from a point, given back (world_simgrid.h). */
#include <stdlib.h>

#include "helpers/world/simgrid/world_simgrid.h"
#include "node/factory.h"

/* Ends of a host, and what they need of it. */
struct tally {
    uint32_t ends;
    uint64_t regions, completions;
};

static struct tally *tally_of(const struct cluster *c)
{
    const struct workload_conf *w = &c->point->workload;
    struct tally *all = calloc(w->hosts, sizeof *all);
    for (uint32_t i = 0; all && i < c->connections; i++) {
        struct workload_pair pair = workload_pair(w, i);
        for (int side = 0; side < 2; side++) {
            struct tally *t = &all[side ? pair.to : pair.from];
            t->ends++;
            struct workload_needs needs = workload_needs_of(w, i, side);
            t->regions += needs.regions_max;
            t->completions += needs.cq_entries;
        }
    }
    return all;
}

/* A cache that holds all there is misses as one that holds more: memory for a table of so many entries and no more. */
static uint64_t enough(uint64_t entries, uint32_t used)
{
    uint64_t room = 2 * (uint64_t)used + 16;
    return entries != RNIC_UNLIMITED && entries > room ? room : entries;
}

static bool make_host(struct cluster *c, uint32_t number, const struct tally *t)
{
    const struct scenario_point *p = c->point;
    struct cluster_host *h = &c->host[number];
    uint64_t key = factory_stall_key(p->seed, p->repeat, number);
    uint32_t ends = t->ends ? t->ends : 1, regions = t->regions ? (uint32_t)t->regions : 1;
    uint32_t completions = t->completions ? (uint32_t)t->completions : 1;
    struct rnic_conf rnic = p->rnic;
    rnic.cache.stags = enough(rnic.cache.stags, regions);
    rnic.cache.connections = enough(rnic.cache.connections, ends);
    void *nic = malloc(rnic_size(&rnic, ends)), *cq = malloc(iw_cq_size(completions));
    void *stags = malloc(iw_stags_size(regions));
    void *tx = c->conf.grid.exact ? nic : malloc(rnic_size(&rnic, ends));
    h->node = (struct grid_node){.number = number, .conf = &c->conf.grid, .observer = &c->observer};
    h->receives_at = h->dones_at = h->node.due = IW_NEVER;
    h->node.nic = nic ? rnic_init(nic, &rnic, ends, key) : NULL;
    h->node.tx = tx == nic ? h->node.nic : tx ? rnic_init(tx, &rnic, ends, key) : NULL;
    h->node.cq = cq ? iw_cq_init(cq, completions, 0) : NULL;
    h->stags = stags ? iw_stags_init(stags, regions, key | 1) : NULL;
    bool good = nic && tx && cq && stags;
    if (good)
        dones_init(&h->dones, &rnic, h->node.cq);
    return good;
}

static bool make_hosts(struct cluster *c)
{
    uint32_t hosts = c->point->workload.hosts;
    struct tally *tally = tally_of(c);
    c->host = calloc(hosts, sizeof *c->host);
    bool good = tally && c->host;
    for (uint32_t i = 0; good && i < hosts; i++)
        good = make_host(c, i, &tally[i]);
    free(tally);
    return good;
}

enum { REMEMBERED_CLEAR = 16, REMEMBERED_MIN = 64, REMEMBERED_MAX = 16384 };

/* Segments ahead of their turn that the engine knows; those beyond wait in staging, where staging_peak_bytes counts them.
 * On a clear channel into staging that never fills there are none, and a few where it may; but for stalls, what is behind
 * a segment that full staging refused would keep it full. */
static uint16_t remembered(const struct cluster *c)
{
    const struct scenario_point *p = c->point;
    bool overflows = p->rnic.staging_bytes != RNIC_UNLIMITED && p->rnic.stall.every && p->rnic.stall.for_;
    if (!channel_impairs(&p->channel) && !overflows)
        return p->rnic.staging_bytes == RNIC_UNLIMITED ? 1 : REMEMBERED_CLEAR;
    uint64_t segments = 2 * p->rnic.window.bytes / c->conf.fpdu;
    return (uint16_t)(segments < REMEMBERED_MIN   ? REMEMBERED_MIN
                      : segments > REMEMBERED_MAX ? REMEMBERED_MAX
                                                  : segments);
}

/* Room for Reads costs memory at every endpoint. */
static bool uses_reads(const struct workload_conf *w)
{
    return workload_is(w->kind, WORKLOAD_MOVES) ? workload_is_asked_for(w->op)
                                                : !workload_is(w->kind, WORKLOAD_ROUND);
}

static bool make_endpoint(struct cluster *c, struct grid_end *e)
{
    const struct scenario_point *p = c->point;
    struct workload_needs needs = workload_needs_of(&p->workload, e->conn, e->side);
    uint32_t own = e->conn;
    bool reads = uses_reads(workload_conf_of(&p->workload, &own));
    struct iw_conf conf = c->conf.ep;
    conf.stags = host_of(e)->stags;
    conf.send_cq = conf.recv_cq = e->node->cq;
    conf.user = (uint64_t)e->conn << 1 | (uint64_t)e->side;
    conf.stream = workload_stream(e->conn);
    conf.mulpdu = c->conf.mulpdu;
    conf.llp = IW_LLP_ALL;
    conf.profile = needs.profile | (p->llp.crc ? 0 : IW_NO_DIGEST);
    conf.sq_max = needs.sq_max;
    conf.rq_max = needs.rq_max;
    conf.ord = reads ? conf.ord : 0;
    conf.ird = reads ? conf.ird : 0;
    conf.reorder_max = remembered(c);
    void *memory = malloc(iw_ep_size(&conf));
    e->ep = memory ? iw_ep_init(memory, &conf) : NULL;
    if (!e->ep)
        return false;
    iw_enable(e->ep, 0, 0);
    return true;
}

static bool make_loss_process(struct cluster *c, struct grid_end *e)
{
    const struct scenario_point *p = c->point;
    if (p->channel_direction == DIRECTION_ACKS || !channel_impairs(&p->channel))
        return true;
    e->loss_process = malloc(sizeof *e->loss_process);
    if (e->loss_process)
        grid_weather_init(e->loss_process, &p->channel, p->seed, p->repeat, e->conn, (uint32_t)e->side);
    return e->loss_process != NULL;
}

static bool make_end(struct cluster *c, uint32_t conn, int side, uint32_t *lanes)
{
    struct workload_pair pair = workload_pair(&c->point->workload, conn);
    struct grid_end *e = &c->end[2 * conn + (uint32_t)side];
    const struct rnic_window_conf *window = &c->point->rnic.window;
    uint32_t host = side ? pair.to : pair.from;
    e->node = &c->host[host].node;
    e->lane = lanes[host]++;
    rnic_window_init(&e->advertised, window, c->conf.fpdu, rnic_window_shift(window->bytes));
    e->advertised.bdp.rtt_least = e->latency + e->again * c->conf.wire / 1000 + e->back;
    e->window = rnic_window_bytes(&e->advertised);
    e->round = cluster_rtt(&c->conf, e) + (c->conf.grid.acks.every - 1) * c->conf.serialization;
    e->ramp = e->ramp_left = c->conf.ramp;
    return make_endpoint(c, e) && make_loss_process(c, e);
}

static bool make_ends(struct cluster *c)
{
    uint32_t *lanes = calloc(c->point->workload.hosts, sizeof *lanes);
    c->end = calloc(2 * (size_t)c->connections, sizeof *c->end);
    bool good = lanes && c->end && cluster_make_paths(c);
    for (uint32_t i = 0; good && i < c->connections; i++)
        good = make_end(c, i, 0, lanes) && make_end(c, i, 1, lanes);
    free(lanes);
    return good;
}

bool cluster_make(struct cluster *c)
{
    return make_hosts(c) && make_ends(c);
}

static void free_chunks(struct cluster *c)
{
    while (c->spare) {
        struct grid_chunk *chunk = c->spare;
        c->spare = chunk->next;
        free(chunk);
    }
}

void cluster_free(struct cluster *c)
{
    for (uint32_t i = 0; c->end && i < 2 * c->connections; i++) {
        free(c->end[i].ep);
        free(c->end[i].loss_process);
    }
    for (uint32_t i = 0; c->host && i < c->point->workload.hosts; i++) {
        if (c->host[i].node.tx != c->host[i].node.nic)
            free(c->host[i].node.tx);
        free(c->host[i].node.nic);
        free(c->host[i].node.cq);
        free(c->host[i].stags);
        free(c->host[i].dones.ring);
    }
    free_chunks(c);
    message_memory_free(&c->memory);
    free(c->link);
    free(c->hop);
    free(c->met);
    free(c->end);
    free(c->host);
    free(c->event);
}
