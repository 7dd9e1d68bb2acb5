/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detour.c -- the ways round links that are avoided.
 *
 * A packet keeps its way as long as that leads to its host, be it by other links further on. Else it takes another one of those that
 * the topology has there; where none leads on, one of the fewest links that are left, whatever the topology. What is known of the
 * ways to a host is kept until the next link is avoided, or is so no more. */
#include "fabric/fabric_inner.h"

#include <string.h>

enum { DETOURS_MAX = 1024, UNKNOWN = 0, LEADS, ENDS };

void fabric_detours_carve(struct fabric_detours *d, struct carve *c, const struct fabric_extent *x)
{
    d->count = x->hosts < DETOURS_MAX ? x->hosts : DETOURS_MAX;
    d->of = carve(c, d->count * sizeof *d->of);
    d->queue = carve(c, x->switches * sizeof *d->queue);
    uint8_t *leads = carve(c, (size_t)d->count * x->switches);
    uint16_t *distance = carve(c, (size_t)d->count * x->switches * sizeof *distance);
    for (uint32_t i = 0; c->memory && i < d->count; i++)
        d->of[i] = (struct fabric_detour){.leads = leads + (size_t)i * x->switches,
                                          .distance = distance + (size_t)i * x->switches};
}

/* ---- the topology's own ways ---- */

static bool leads(const struct fabric *f, struct fabric_detour *d, uint32_t node, uint32_t to);

static bool passes(const struct fabric *f, struct fabric_detour *d, uint32_t link, uint32_t to)
{
    uint32_t next = f->port[link].peer_node;
    return !f->port[link].avoided && (next == to || leads(f, d, next, to));
}

/* Some way of its own, as topologies have them, which lead round in no circle. */
static bool leads(const struct fabric *f, struct fabric_detour *d, uint32_t node, uint32_t to)
{
    uint8_t *known = &d->leads[node - f->extent.hosts];
    uint32_t ways = *known == UNKNOWN ? f->topology->ways(f, node, to) : 0;
    for (uint32_t i = 0; i < ways && *known != LEADS; i++)
        *known = passes(f, d, f->topology->way(f, node, to, i), to) ? LEADS : ENDS;
    return *known == LEADS;
}

/* ---- any way ---- */

/* Those switches that have a link to it. */
static uint32_t reach(const struct fabric *f, struct fabric_detour *d, uint32_t node, uint32_t tail)
{
    struct fabric_node n = fabric_node(f, node);
    uint32_t hosts = f->extent.hosts;
    uint16_t distance = node < hosts ? 0 : d->distance[node - hosts];
    for (uint32_t p = n.first_link; p < n.first_link + n.links; p++) {
        uint32_t from = f->port[p].peer_node;
        if (from < hosts || f->port[f->port[p].peer].avoided || d->distance[from - hosts] != UINT16_MAX)
            continue;
        d->distance[from - hosts] = (uint16_t)(distance + 1);
        f->detours->queue[tail++] = from;
    }
    LAW(tail <= f->extent.switches);
    return tail;
}

/* Breadth first, from the host. */
static void measure_ways(const struct fabric *f, struct fabric_detour *d, uint32_t to)
{
    memset(d->distance, 0xff, f->extent.switches * sizeof *d->distance);
    uint32_t tail = reach(f, d, to, 0);
    for (uint32_t head = 0; head < tail; head++)
        tail = reach(f, d, f->detours->queue[head], tail);
    d->measured = true;
}

static struct fabric_detour *detour_to(const struct fabric *f, uint32_t to)
{
    struct fabric_detour *d = &f->detours->of[to % f->detours->count];
    if (d->epoch == f->failures->epoch && d->to == to)
        return d;
    d->epoch = f->failures->epoch;
    d->to = to;
    d->measured = false;
    memset(d->leads, UNKNOWN, f->extent.switches);
    return d;
}

static bool goes_round(const struct fabric *f, const struct fabric_detour *d, uint32_t link, uint32_t node)
{
    uint32_t hosts = f->extent.hosts, next = f->port[link].peer_node;
    return !f->port[link].avoided && next >= hosts && d->distance[next - hosts] < d->distance[node - hosts];
}

/* The pick-th of the links that will do, or of all; how many there are in `*n`. */
static uint32_t nth(const struct fabric *f, struct fabric_detour *d, uint32_t node, uint32_t pick,
                    uint32_t *n)
{
    bool own = leads(f, d, node, d->to);
    struct fabric_node at = fabric_node(f, node);
    uint32_t of = own ? f->topology->ways(f, node, d->to) : at.links;
    *n = 0;
    for (uint32_t i = 0; i < of; i++) {
        uint32_t link = own ? f->topology->way(f, node, d->to, i) : at.first_link + i;
        bool good = own ? passes(f, d, link, d->to) : goes_round(f, d, link, node);
        if (good && (*n)++ == pick)
            return link;
    }
    return NONE;
}

bool fabric_leads_on(const struct fabric *f, uint32_t link, uint32_t to)
{
    return passes(f, detour_to(f, to), link, to);
}

uint32_t fabric_way_round(const struct fabric *f, uint32_t node, const struct fabric_cell *c, uint32_t link)
{
    struct fabric_detour *d = detour_to(f, c->to);
    uint32_t n;
    if (passes(f, d, link, c->to))
        return link;
    if (!leads(f, d, node, c->to) && !d->measured)
        measure_ways(f, d, c->to);
    nth(f, d, node, NONE, &n);
    if (!n)
        return NONE;
    const struct fabric_switch *s = &f->fswitch[node - f->extent.hosts];
    uint64_t choice = fabric_choice(f, s, c) << 32; /* the half that chose nothing */
    f->detours->rerouted++;
    return nth(f, d, node, fabric_pick(choice, n), &n);
}
