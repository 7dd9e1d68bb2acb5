/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.c -- what there is, and what happened. */
#include "fabric/fabric_inner.h"

/* ---- nodes and links ---- */

uint32_t fabric_hosts(const struct fabric *f)
{
    return f->extent.hosts;
}

uint32_t fabric_nodes(const struct fabric *f)
{
    return f->extent.hosts + f->extent.switches;
}

uint32_t fabric_links(const struct fabric *f)
{
    return f->extent.ports;
}

uint32_t fabric_host_links(const struct fabric *f)
{
    return f->extent.host_links;
}

struct fabric_node fabric_node(const struct fabric *f, uint32_t node)
{
    if (node < f->extent.hosts) {
        uint32_t ports = fabric_host_ports(f, node), first = fabric_first_port(f, node);
        bool behind = f->extent.switches;
        uint32_t group = behind ? fabric_node(f, f->port[first].peer_node).group : node;
        return (struct fabric_node){
            .tier = FABRIC_HOST, .index = node, .group = group, .first_link = first, .links = ports};
    }
    uint32_t i = node - f->extent.hosts;
    struct fabric_node n = {.tier = FABRIC_SWITCH, .index = i, .group = i};
    if (f->topology->place)
        n = f->topology->place(&f->conf, i);
    n.first_link = f->fswitch[i].first;
    n.links = f->fswitch[i].ports;
    return n;
}

struct fabric_link fabric_link(const struct fabric *f, uint32_t link)
{
    const struct fabric_port *p = &f->port[link], *q = &f->port[p->peer];
    const struct fabric_timing *l = &f->line[p->line];
    return (struct fabric_link){
        .from = q->peer_node,
        .from_port = link - fabric_node(f, q->peer_node).first_link,
        .to = p->peer_node,
        .to_port = p->peer - fabric_node(f, p->peer_node).first_link,
        .reverse = p->peer,
        .rate = l->rate,
        .delay = l->delay,
        .share = l->share,
    };
}

/* ---- statistics ---- */

static double waited(const struct fabric *f, const struct fabric_fifo *q)
{
    double area = 0;
    for (const struct fabric_cell *c = q->head; c; c = c->next)
        area += (double)c->size * (double)(f->now - c->start);
    return area;
}

/* What will start later was counted as if it had. */
static void not_yet(const struct fabric *f, const struct fabric_port *p, struct fabric_link_stats *s,
                    double *area)
{
    for (const struct fabric_waits *w = p->waits; w; w = w->next)
        for (unsigned i = w->first; i < w->end; i++)
            if (w->start[i] > f->now) {
                s->packets--;
                s->octets -= w->size[i];
                *area -= (double)w->size[i] * (double)(w->start[i] - f->now);
            }
}

struct fabric_link_stats fabric_link_stats(const struct fabric *f, uint32_t link)
{
    const struct fabric_port *p = &f->port[link];
    const struct fabric_tally *t = &f->tally[link];
    struct fabric_link_stats s = {.packets = p->packets,
                                  .octets = p->octets,
                                  .drops = t->drops,
                                  .marks = t->marks,
                                  .trims = t->trims,
                                  .lost = t->lost,
                                  .failed = t->flushed + t->severed,
                                  .queue_peak = t->peak,
                                  .pauses = t->pauses,
                                  .paused = t->paused};
    double area = t->area; /* octets x ps, from 0 to now */
    not_yet(f, p, &s, &area);
    if (f->queues) {
        area += waited(f, &f->queue[link].data) + waited(f, &f->queue[link].headers);
        s.ingress_peak = f->queue[p->peer].ingress_peak;
        s.paused += p->paused ? f->now - f->queue[link].paused_since : 0;
    }
    s.queue_mean = f->now ? area / (double)f->now : 0;
    return s;
}

static uint64_t length(const struct fabric_cell *c)
{
    uint64_t n = 0;
    for (; c; c = c->next)
        n++;
    return n;
}

struct late_count {
    const struct fabric *f;
    uint64_t n;
};

static void count_late(void *user, uint32_t item)
{
    struct late_count *l = user;
    l->n += item & LATE && l->f->late[item & ~LATE].cell->connection != NONE;
}

static uint64_t late_of(const struct fabric *f)
{
    struct late_count late = {.f = f};
    fabric_events_each(&f->events, count_late, &late);
    return late.n;
}

/* What ports told is what the network counted. */
static bool tallies_agree(const struct fabric *f, const struct fabric_counts *c)
{
    struct fabric_tally sum = {0};
    for (uint32_t p = 0; p < f->extent.ports; p++) {
        sum.drops += f->tally[p].drops;
        sum.marks += f->tally[p].marks;
        sum.trims += f->tally[p].trims;
        sum.lost += f->tally[p].lost;
        sum.flushed += f->tally[p].flushed + f->tally[p].severed;
    }
    return sum.drops == c->dropped && sum.marks == c->marked && sum.trims == c->trimmed &&
           sum.lost == c->lost && sum.flushed == c->failed;
}

/* Counted, not reckoned: the law of conservation would be none otherwise. */
static uint64_t in_flight(const struct fabric *f)
{
    uint64_t n = late_of(f);
    for (uint32_t p = 0; p < f->extent.ports; p++)
        n += length(f->port[p].head);
    for (uint32_t p = 0; f->queues && p < f->extent.ports; p++)
        n += length(f->queue[p].data.head) + length(f->queue[p].headers.head);
    for (uint32_t i = 0; f->parts && i < f->parts->count; i++)
        n += late_of(f->parts->part[i]);
    return n;
}

static void add_counts(struct fabric_counts *c, const struct fabric_counts *of)
{
    c->sent += of->sent;
    c->delivered += of->delivered;
    c->dropped += of->dropped;
    c->lost += of->lost;
    c->failed += of->failed;
    c->duplicated += of->duplicated;
    c->marked += of->marked;
    c->trimmed += of->trimmed;
    c->altered += of->altered;
    c->delayed += of->delayed;
    c->pauses += of->pauses;
    c->hops += of->hops;
    c->events += of->events;
}

static uint64_t rerouted(const struct fabric *f)
{
    uint64_t packets = f->detours ? f->detours->rerouted : 0;
    for (uint32_t i = 0; f->failures && f->parts && i < f->parts->count; i++)
        packets += f->parts->part[i]->detours->rerouted;
    return packets;
}

struct fabric_counts fabric_counts(const struct fabric *f)
{
    struct fabric_counts c = f->counts;
    for (uint32_t i = 0; f->parts && i < f->parts->count; i++)
        add_counts(&c, &f->parts->part[i]->counts);
    c.rerouted = rerouted(f);
    LAW(tallies_agree(f, &c));
    c.in_flight = in_flight(f);
    return c;
}

uint64_t fabric_happened(const struct fabric *f)
{
    uint64_t events = f->counts.events;
    for (uint32_t i = 0; f->parts && i < f->parts->count; i++)
        events += f->parts->part[i]->counts.events;
    return events;
}
