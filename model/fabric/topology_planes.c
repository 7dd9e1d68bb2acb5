/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_planes.c -- several networks that share their hosts and nothing else: each has a port of each host. One of them is a single
 * switch while that has a port for each host, else two tiers: leaves with half of their ports down and half up, to as many spines.
 *
 * Switches are numbered plane by plane, leaves before spines, and so are their ports: of a leaf those to hosts, in order, then
 * those to spines; of a spine one to each leaf. */
#include "fabric/fabric_inner.h"

enum { RADIX_MAX = 1024 };

struct plane {
    uint32_t down;           /* hosts of each leaf, but for the last */
    uint32_t leaves, spines; /* one leaf has no spines above it */
    uint32_t ports;          /* of its switches */
};

static struct plane plane_of(const struct fabric_conf *c)
{
    uint32_t radix = c->planes.radix, half = radix / 2;
    if (c->hosts <= radix)
        return (struct plane){radix, 1, 0, c->hosts};
    struct plane p = {.down = half, .leaves = (c->hosts + half - 1) / half, .spines = half};
    p.ports = c->hosts + 2 * p.leaves * p.spines;
    return p;
}

static uint32_t switches_of(const struct plane *p)
{
    return p->leaves + p->spines;
}

static struct fabric_extent extent(const struct fabric_conf *c)
{
    struct plane p = plane_of(c);
    uint32_t planes = c->planes.count;
    return (struct fabric_extent){.hosts = c->hosts,
                                  .switches = planes * switches_of(&p),
                                  .ports = planes * (c->hosts + p.ports),
                                  .lines = FABRIC_OF_CORE,
                                  .host_ports = planes};
}

static const char *error(const struct fabric_conf *c, const char **keys)
{
    *keys = "topology.planes topology.kind";
    if (!c->planes.count || c->planes.count > FABRIC_PORTS_MAX)
        return "a host may have at most eight ports, one in each plane";
    *keys = "topology.radix topology.kind";
    if (c->planes.radix < 2 || c->planes.radix > RADIX_MAX || c->planes.radix % 2)
        return "must be even, 2 to 1024: half of a leaf's ports go up, half go down";
    *keys = "topology.hosts topology.radix topology.kind";
    if (c->hosts < 2 || c->hosts > HOSTS_MAX)
        return "planes need 2 to 2^20 hosts";
    return c->hosts > c->planes.radix * c->planes.radix / 2
               ? "does not fit into two tiers of switches, which have topology.radix squared and halved at "
                 "most"
               : NULL;
}

static uint32_t hops(const struct fabric_conf *c, uint32_t a, uint32_t b)
{
    struct plane p = plane_of(c);
    return a / p.down == b / p.down ? 2 : 4;
}

static enum fabric_level level(uint32_t hops, uint32_t i)
{
    (void)hops;
    (void)i;
    return FABRIC_OF_LEAF;
}

/* ---- building ---- */

static void make_leaf(struct fabric *f, const struct plane *p, uint32_t plane, uint32_t leaf)
{
    uint32_t hosts = f->extent.hosts, low = leaf * p->down, left = hosts - low;
    uint32_t here = left < p->down ? left : p->down;
    struct fabric_switch *s = &f->fswitch[plane * switches_of(p) + leaf];
    s->first = fabric_host_links(f) + plane * p->ports + low + leaf * p->spines;
    s->ports = here + p->spines;
    s->tree = (struct fabric_tree_switch){low, here, 1, 1, p->spines};
    for (uint32_t i = 0; i < here; i++)
        fabric_join(f, (low + i) * f->extent.host_ports + plane, low + i, s->first + i,
                    hosts + plane * switches_of(p) + leaf, FABRIC_OF_HOST);
}

static void make_spine(struct fabric *f, const struct plane *p, uint32_t plane, uint32_t spine)
{
    uint32_t hosts = f->extent.hosts, first = plane * switches_of(p);
    struct fabric_switch *s = &f->fswitch[first + p->leaves + spine];
    s->first = fabric_host_links(f) + plane * p->ports + hosts + p->leaves * (p->spines + spine);
    s->ports = p->leaves;
    s->tree = (struct fabric_tree_switch){0, hosts, p->down, 1, 0};
    for (uint32_t leaf = 0; leaf < p->leaves; leaf++) {
        const struct fabric_switch *below = &f->fswitch[first + leaf];
        fabric_join(f, below->first + below->tree.span + spine, hosts + first + leaf, s->first + leaf,
                    hosts + first + p->leaves + spine, FABRIC_OF_LEAF);
    }
}

static bool build(struct fabric *f)
{
    struct plane p = plane_of(&f->conf);
    for (uint32_t plane = 0; plane < f->conf.planes.count; plane++) {
        for (uint32_t leaf = 0; leaf < p.leaves; leaf++)
            make_leaf(f, &p, plane, leaf);
        for (uint32_t spine = 0; spine < p.spines; spine++)
            make_spine(f, &p, plane, spine);
    }
    return true;
}

/* ---- tiers, and groups: the leaves of the same hosts, with spines dealt out ---- */

static struct fabric_node place(const struct fabric_conf *c, uint32_t i)
{
    struct plane p = plane_of(c);
    uint32_t plane = i / switches_of(&p), n = i % switches_of(&p), spine = n - p.leaves;
    if (n < p.leaves)
        return (struct fabric_node){.tier = FABRIC_LEAF, .index = n, .group = n, .plane = plane};
    return (struct fabric_node){
        .tier = FABRIC_SPINE, .index = spine, .group = spine * p.leaves / p.spines, .plane = plane};
}

FABRIC_TOPOLOGY(planes) = {.of_planes = true,
                           .extent = extent,
                           .error = error,
                           .hops = hops,
                           .level = level,
                           .build = build,
                           .ways = fabric_tree_ways,
                           .way = fabric_tree_way,
                           .place = place};
