/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_dragonfly.c -- groups of routers, all joined within a group and all groups joined (Kim 2008), with minimal
 * routes: a local hop, a global one, a local one.
 *
 * Ports of a router: its hosts, the other routers of its group in order, its global lines. The global lines of a group
 * are numbered router by router; line x = c * (groups - 1) + y goes to the y-th group after this one, and is line
 * c * (groups - 1) + (groups - 2 - y) there: c counts parallel lines between two groups. */
#include "fabric/fabric_inner.h"

struct dragon {
    uint32_t groups, routers, hosts, globals, copies;
};

/* The fewest global lines of a router that give each two groups equally many. */
static uint32_t fewest_globals(uint32_t groups, uint32_t routers)
{
    uint32_t a = groups > 1 ? groups - 1 : 1, b = routers;
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return groups > 1 ? (groups - 1) / a : 1;
}

static struct dragon dragon(const struct fabric_conf *conf)
{
    struct dragon d = {conf->dragonfly.groups, conf->dragonfly.routers, conf->dragonfly.hosts,
                       conf->dragonfly.globals, 0};
    if (!d.globals)
        d.globals = fewest_globals(d.groups, d.routers);
    if (d.groups < 2)
        d.globals = 0;
    else
        d.copies = d.routers * d.globals / (d.groups - 1);
    return d;
}

static uint32_t ports_of(const struct dragon *d)
{
    return d->hosts + d->routers - 1 + d->globals;
}

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    struct dragon d = dragon(conf);
    uint32_t routers = d.groups * d.routers;
    return (struct fabric_extent){.hosts = routers * d.hosts,
                                  .switches = routers,
                                  .ports = routers * (d.hosts + ports_of(&d)),
                                  .lines = FABRIC_LEVELS};
}

static const char *error(const struct fabric_conf *c, const char **keys)
{
    uint64_t groups = c->dragonfly.groups, routers = c->dragonfly.routers, hosts = c->dragonfly.hosts;
    *keys = "topology.kind topology.hosts topology.groups world";
    if (groups * routers * hosts == 1)
        return "has one host, and a workload needs two";
    if (!groups || !routers || !hosts || groups > HOSTS_MAX || routers > 4096 || hosts > 4096 ||
        c->dragonfly.globals > 4096 || groups * routers * hosts > HOSTS_MAX ||
        groups * routers * (routers + dragon(c).globals) > LINES_MAX)
        return "a dragonfly needs groups, routers and hosts, and may have at most 2^20 hosts and 2^24 links";
    *keys = "topology.globals topology.groups topology.routers";
    return groups > 1 && routers * dragon(c).globals % (groups - 1)
               ? "times topology.routers must be a multiple of topology.groups - 1: each pair of groups "
                 "must have the same number of links"
               : NULL;
}

/* Two groups are one link apart where both routers have a global line, and that is the least. */
static uint32_t hops(const struct fabric_conf *conf, uint32_t a, uint32_t b)
{
    return a / conf->dragonfly.hosts == b / conf->dragonfly.hosts ? 2 : 3;
}

/* A path of three has one of either in its middle. */
static enum fabric_level level(uint32_t hops, uint32_t i)
{
    return hops < 5 ? FABRIC_LEVELS : i == 2 ? FABRIC_OF_CORE : FABRIC_OF_LEAF;
}

/* ---- ports, by what is behind them ---- */

static uint32_t local_port(const struct fabric *f, const struct dragon *d, uint32_t router, uint32_t other)
{
    uint32_t r = router % d->routers, o = other % d->routers;
    return f->fswitch[router].first + d->hosts + (o < r ? o : o - 1);
}

static uint32_t global_port(const struct fabric *f, const struct dragon *d, uint32_t group, uint32_t x)
{
    return f->fswitch[group * d->routers + x / d->globals].first + d->hosts + d->routers - 1 + x % d->globals;
}

/* ---- building ---- */

static void join_hosts(struct fabric *f, const struct dragon *d)
{
    for (uint32_t h = 0; h < f->extent.hosts; h++)
        fabric_join(f, h, h, f->fswitch[h / d->hosts].first + h % d->hosts, f->extent.hosts + h / d->hosts,
                    0);
}

static void join_group(struct fabric *f, const struct dragon *d, uint32_t group)
{
    uint32_t first = group * d->routers, hosts = f->extent.hosts;
    for (uint32_t a = first; a < first + d->routers; a++)
        for (uint32_t b = a + 1; b < first + d->routers; b++)
            fabric_join(f, local_port(f, d, a, b), hosts + a, local_port(f, d, b, a), hosts + b,
                        FABRIC_OF_LEAF);
}

static void join_groups(struct fabric *f, const struct dragon *d, uint32_t group)
{
    uint32_t others = d->groups - 1, hosts = f->extent.hosts;
    for (uint32_t x = 0; x < d->copies * others; x++) {
        uint32_t y = x % others, there = (group + 1 + y) % d->groups, z = x - y + others - 1 - y;
        LAW(z < d->copies * others && there != group);
        fabric_join(f, global_port(f, d, group, x), hosts + group * d->routers + x / d->globals,
                    global_port(f, d, there, z), hosts + there * d->routers + z / d->globals, FABRIC_OF_CORE);
    }
}

static bool build(struct fabric *f)
{
    struct dragon d = dragon(&f->conf);
    for (uint32_t r = 0; r < f->extent.switches; r++) {
        f->fswitch[r].first = f->extent.hosts + r * ports_of(&d);
        f->fswitch[r].ports = ports_of(&d);
    }
    join_hosts(f, &d);
    for (uint32_t group = 0; group < d.groups; group++) {
        join_group(f, &d, group);
        join_groups(f, &d, group);
    }
    return true;
}

/* ---- routes ---- */

/* The lines from a group to another are y, y + others, ...; those of one router are `first` .. `first + n - 1` of them. */
struct bundle {
    uint32_t y, first, n;
};

static struct bundle bundle(const struct dragon *d, uint32_t router, uint32_t other)
{
    uint32_t group = router / d->routers, others = d->groups - 1;
    uint32_t low = router % d->routers * d->globals, high = low + d->globals;
    struct bundle b = {.y = (other + d->groups - group - 1) % d->groups};
    b.first = low > b.y ? (low - b.y + others - 1) / others : 0;
    b.n = high > b.y ? (high - b.y + others - 1) / others - b.first : 0;
    LAW(b.first + b.n <= d->copies);
    return b;
}

static uint32_t ways(const struct fabric *f, uint32_t node, uint32_t to)
{
    struct dragon d = dragon(&f->conf);
    uint32_t router = node - f->extent.hosts, there = to / d.hosts;
    if (router / d.routers == there / d.routers)
        return 1;
    uint32_t own = bundle(&d, router, there / d.routers).n;
    return own ? own : d.copies;
}

static uint32_t way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i)
{
    struct dragon d = dragon(&f->conf);
    uint32_t router = node - f->extent.hosts, there = to / d.hosts, group = router / d.routers;
    if (router == there)
        return f->fswitch[router].first + to % d.hosts;
    if (group == there / d.routers)
        return local_port(f, &d, router, there);
    struct bundle b = bundle(&d, router, there / d.routers);
    uint32_t x = b.y + (b.first + i) * (d.groups - 1);
    if (b.n)
        return global_port(f, &d, group, x);
    LAW(d.globals); /* there is another group */
    x = b.y + i * (d.groups - 1);
    return local_port(f, &d, router, x / d.globals);
}

static struct fabric_node place(const struct fabric_conf *conf, uint32_t i)
{
    return (struct fabric_node){.tier = FABRIC_ROUTER, .index = i, .group = i / conf->dragonfly.routers};
}

FABRIC_TOPOLOGY(dragonfly) = {.farthest = 5,
                              .in_circles = true,
                              .extent = extent,
                              .error = error,
                              .hops = hops,
                              .level = level,
                              .build = build,
                              .ways = ways,
                              .way = way,
                              .place = place};
