/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cut.c -- where a network can be cut into parts (parts.c), and their making. */
#include "fabric/fabric_inner.h"

#include <string.h>

/* ---- where it can be cut ---- */

static const iw_time LONGEST =
    UINT64_C(50000000); /* a window ends before the watch that is set in it: pfc.c */

iw_time fabric_lookahead(const struct fabric *f)
{
    iw_time least = LONGEST;
    for (uint32_t i = 0; i < f->extent.lines; i++)
        least = f->line[i].delay < least ? f->line[i].delay : least;
    return least;
}

/* What a host sends is back at a host, itself or another, after two links at least, where switches are between. */
iw_time fabric_window_max(const struct fabric *f)
{
    bool behind = true;
    for (uint32_t i = 0; i < fabric_host_links(f); i++)
        behind = behind && f->port[i].peer_node >= f->extent.hosts;
    return behind ? 2 * fabric_lookahead(f) : fabric_lookahead(f);
}

uint32_t fabric_parts_max(const struct fabric *f)
{
    uint32_t of_host = fabric_node(f, f->extent.hosts - 1).group;
    uint32_t of_switch = fabric_node(f, fabric_nodes(f) - 1).group;
    return (of_host > of_switch ? of_host : of_switch) + 1;
}

uint32_t fabric_part_among(const struct fabric *f, uint32_t node, uint32_t parts)
{
    return (uint32_t)((uint64_t)fabric_node(f, node).group * parts / fabric_parts_max(f));
}

/* ---- cutting ---- */

void *fabric_room(struct fabric *f, size_t octets)
{
    void *p = f->conf.more ? f->conf.more(f->conf.user, octets) : NULL;
    if (p)
        memset(p, 0, octets);
    return p;
}

static void carve_parts(struct fabric_parts *p, struct carve *c, const struct fabric_extent *x,
                        uint32_t parts)
{
    p->part = carve(c, parts * sizeof *p->part);
    p->of = carve(c, (x->hosts + x->switches) * sizeof *p->of);
    for (int odd = 0; odd < 2; odd++) {
        p->crossed[odd] = carve(c, (size_t)parts * parts * sizeof *p->crossed[odd]);
        p->crossing[odd] = carve(c, (parts > 1 ? x->ports : 0) * sizeof *p->crossing[odd]);
    }
    p->still = carve(c, x->hosts * sizeof *p->still);
    p->due = carve(c, x->hosts * sizeof *p->due);
    p->next = carve(c, (parts + 1) * sizeof *p->next);
    p->touched = carve(c, (parts + 1) * sizeof *p->touched);
}

static struct fabric_parts *new_parts(struct fabric *f, uint32_t parts)
{
    struct carve size = {0};
    struct fabric_parts sized;
    carve(&size, sizeof sized);
    carve_parts(&sized, &size, &f->extent, parts);
    struct carve c = {.memory = fabric_room(f, size.used)};
    if (!c.memory)
        return NULL;
    struct fabric_parts *p = carve(&c, sizeof *p);
    carve_parts(p, &c, &f->extent, parts);
    p->whole = f;
    p->count = parts;
    for (uint32_t n = 0; n < f->extent.hosts + f->extent.switches; n++)
        p->of[n] = fabric_part_among(f, n, parts);
    LAW(c.used == size.used && p->of[f->extent.hosts - 1] < parts);
    memset(p->touched, true, parts + 1);
    return p;
}

/* A departure for each port of the part, an arrival for each that leads to it. */
static uint32_t entries(const struct fabric *f, const struct fabric_parts *p, uint32_t number)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->extent.ports; i++)
        n += (uint32_t)(p->of[fabric_sender(f, i)] == number) + (p->of[f->port[i].peer_node] == number);
    return n;
}

/* Of the nodes below `end`. */
static uint32_t nodes_of(const struct fabric_parts *p, uint32_t number, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < end; i++)
        n += p->of[i] == number;
    return n;
}

/* Timers, and what is due, are found by the number of their node, as in the whole. */
static bool ready_events(struct fabric *part, struct fabric *whole, const struct events_extent *x)
{
    struct carve size = {0};
    fabric_events_carve(&part->events, &size, x);
    struct carve c = {.memory = fabric_room(part, size.used)};
    if (!c.memory)
        return false;
    fabric_events_carve(&part->events, &c, x);
    LAW(c.used == size.used);
    fabric_events_ready(part, x);
    part->events.where = whole->events.where;
    part->events.wanted = whole->events.wanted;
    part->events.mine = whole->events.mine;
    return true;
}

static struct fabric *new_part(struct fabric *f, struct fabric_parts *p, uint32_t number, void *user)
{
    struct fabric *part = fabric_room(f, sizeof *part);
    if (!part)
        return NULL;
    *part = *f;
    part->conf.user = user;
    part->number = number;
    part->parts = p;
    uint32_t hosts = f->extent.hosts, nodes = hosts + f->extent.switches;
    struct events_extent x = {entries(f, p, number), nodes_of(p, number, hosts), nodes_of(p, number, nodes),
                              nodes - 1};
    if (f->failures && !fabric_detours_new(part))
        return NULL;
    return ready_events(part, f, &x) ? part : NULL;
}

int fabric_cut(struct fabric *f, uint32_t parts, void *const *user)
{
    struct fabric_parts *p;
    if (!parts || parts > fabric_parts_max(f) || !fabric_lookahead(f) || !(p = new_parts(f, parts)))
        return -1;
    for (uint32_t i = 0; i < parts; i++)
        if (!(p->part[i] = new_part(f, p, i, user[i])))
            return -1;
    for (uint32_t i = 0; i < f->extent.ports; i++)
        f->port[i].cut = p->of[fabric_sender(f, i)] != p->of[f->port[i].peer_node];
    f->parts = p;
    f->number = parts;
    LAW(!f->counts.events); /* before anything happened */
    return 0;
}
