/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_fat_tree.c -- the k-ary fat tree of Al-Fares 2008.
 *
 * Hosts are numbered pod by pod, edge by edge. Ports of edge and aggregation: half of them down, in order, then half of
 * them up; of a core: one to each pod. A host with several ports has all of them at its edge, which has as many more. Switches: all
 * edges, all aggregations, all cores. */
#include "fabric/fabric_inner.h"

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    uint32_t k = conf->fat_tree.k, half = k / 2, hosts = k * half * half,
             cables = hosts * fabric_asked_ports(conf);
    return (struct fabric_extent){.hosts = hosts,
                                  .switches = 5 * half * half,
                                  .ports = 2 * cables + hosts + 3 * half * half * k,
                                  .lines = FABRIC_LEVELS,
                                  .host_ports = fabric_asked_ports(conf)};
}

static const char *error(const struct fabric_conf *c, const char **keys)
{
    uint32_t k = c->fat_tree.k;
    *keys = "topology.k topology.kind";
    if (k % 2)
        return "must be even: half of a switch's ports go up, half go down";
    if (k < 2 || k > 64)
        return "must be 2 to 64";
    const char *wrong = fabric_asked_ports_error(c, keys);
    if (wrong)
        return wrong;
    *keys = "topology.oversubscription topology.rate";
    if (c->fat_tree.oversubscription > 1 && (c->rates.leaf || c->rates.core)) {
        *keys = c->rates.leaf ? "topology.rates.leaf topology.oversubscription"
                              : "topology.rates.core topology.oversubscription";
        return "and topology.oversubscription are two ways to say how fast links between switches are: give "
               "one";
    }
    bool within = c->fat_tree.oversubscription >= 1 && c->fat_tree.oversubscription <= 1000;
    return within && c->rate / 1000 ? NULL : "must be 1 to 1000, and the rate at least 1 kbps";
}

static uint32_t hops(const struct fabric_conf *conf, uint32_t a, uint32_t b)
{
    uint32_t edge = conf->fat_tree.k / 2, pod = edge * edge;
    return a / edge == b / edge ? 2 : a / pod == b / pod ? 4 : 6;
}

static enum fabric_level level(uint32_t hops, uint32_t i)
{
    return hops == 6 && (i == 2 || i == 3) ? FABRIC_OF_CORE : FABRIC_OF_LEAF;
}

static struct fabric_pace pace(const struct fabric_conf *conf, enum fabric_level l, struct fabric_pace said)
{
    if (l != FABRIC_OF_HOST)
        said.rate = (uint64_t)((double)said.rate / conf->fat_tree.oversubscription);
    return said;
}

/* ---- building ---- */

static void switches(struct fabric *f, uint32_t half)
{
    uint32_t k = 2 * half, edges = k * half, hosts = f->extent.hosts, ports = f->extent.host_ports;
    uint32_t first = fabric_host_links(f);
    for (uint32_t i = 0; i < f->extent.switches; i++) {
        struct fabric_switch *s = &f->fswitch[i];
        s->first = first;
        s->ports = i < edges ? half * ports + half : k;
        first += s->ports;
        if (i < edges)
            s->tree = (struct fabric_tree_switch){i * half, half, 1, ports, half};
        else if (i < 2 * edges)
            s->tree =
                (struct fabric_tree_switch){(i - edges) / half * half * half, half * half, half, 1, half};
        else
            s->tree = (struct fabric_tree_switch){0, hosts, half * half, 1, 0};
    }
    LAW(first == f->extent.ports);
}

/* Port `i` of switch `s`. */
static void join_switches(struct fabric *f, uint32_t s, uint32_t i, uint32_t t, uint32_t j,
                          enum fabric_level l)
{
    uint32_t hosts = f->extent.hosts;
    fabric_join(f, f->fswitch[s].first + i, hosts + s, f->fswitch[t].first + j, hosts + t, l);
}

static void join_hosts(struct fabric *f, uint32_t half)
{
    uint32_t ports = f->extent.host_ports;
    for (uint32_t p = 0; p < fabric_host_links(f); p++) {
        uint32_t host = p / ports, edge = host / half;
        fabric_join(f, p, host, f->fswitch[edge].first + p - edge * half * ports, f->extent.hosts + edge,
                    FABRIC_OF_HOST);
    }
}

static bool build(struct fabric *f)
{
    uint32_t half = f->conf.fat_tree.k / 2, edges = 2 * half * half, down = half * f->extent.host_ports;
    switches(f, half);
    join_hosts(f, half);
    for (uint32_t e = 0; e < edges; e++)
        for (uint32_t i = 0; i < half; i++) {
            join_switches(f, e, down + i, edges + e / half * half + i, e % half, FABRIC_OF_LEAF);
            join_switches(f, edges + e, half + i, 2 * edges + e % half * half + i, e / half, FABRIC_OF_CORE);
        }
    return true;
}

/* ---- routes: down where the host is below, else up by any port ---- */

static inline bool is_below(const struct fabric_tree_switch *t, uint32_t to)
{
    return to - t->low < t->span;
}

uint32_t fabric_tree_ways(const struct fabric *f, uint32_t node, uint32_t to)
{
    const struct fabric_tree_switch *t = &f->fswitch[node - f->extent.hosts].tree;
    return is_below(t, to) ? t->downs : t->ups;
}

uint32_t fabric_tree_way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i)
{
    const struct fabric_switch *s = &f->fswitch[node - f->extent.hosts];
    if (is_below(&s->tree, to))
        return s->first + (to - s->tree.low) / s->tree.width * s->tree.downs + i;
    return s->first + s->ports - s->tree.ups + i;
}

/* ---- tiers, and pods, which are groups ---- */

static struct fabric_node place(const struct fabric_conf *conf, uint32_t i)
{
    uint32_t k = conf->fat_tree.k, half = k / 2, edges = k * half;
    if (i < edges)
        return (struct fabric_node){.tier = FABRIC_EDGE, .index = i, .group = i / half};
    i -= edges;
    if (i < edges)
        return (struct fabric_node){.tier = FABRIC_AGGREGATION, .index = i, .group = i / half};
    i -= edges; /* cores stand in no pod: dealt out */
    return (struct fabric_node){.tier = FABRIC_CORE, .index = i, .group = i * k / (half * half)};
}

FABRIC_TOPOLOGY(fat_tree) = {.farthest = 6,
                             .extent = extent,
                             .error = error,
                             .hops = hops,
                             .level = level,
                             .pace = pace,
                             .build = build,
                             .ways = fabric_tree_ways,
                             .way = fabric_tree_way,
                             .place = place};
