/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_tree.c -- two hosts on a line, a star, and the k-ary fat tree of Al-Fares 2008.
 *
 * Hosts are numbered pod by pod, edge by edge. Ports of edge and aggregation: half of them down, in order, then half of
 * them up; of a core: one to each pod. Switches: all edges, all aggregations, all cores. */
#include "fabric/fabric_inner.h"

struct extent fabric_tree_extent(const struct fabric_conf *conf)
{
    uint32_t k = conf->fat_tree.k, half = k / 2;
    switch (conf->kind) {
    case FABRIC_LINK: return (struct extent){.hosts = 2, .ports = 2, .lines = 1};
    case FABRIC_STAR:
        return (struct extent){.hosts = conf->hosts, .switches = 1, .ports = 2 * conf->hosts, .lines = 1};
    default:
        return (struct extent){.hosts = k * half * half,
                               .switches = 5 * half * half,
                               .ports = k * half * half + 5 * half * half * k,
                               .lines = 2};
    }
}

static void star(struct fabric *f)
{
    uint32_t hosts = f->extent.hosts;
    f->fswitch[0].first = f->fswitch[0].ports = hosts;
    f->fswitch[0].tree = (struct tree_switch){.span = hosts, .width = 1};
    for (uint32_t h = 0; h < hosts; h++)
        fabric_join(f, h, h, hosts + h, hosts, 0);
}

static void switches(struct fabric *f, uint32_t half)
{
    uint32_t k = 2 * half, edges = k * half, hosts = f->extent.hosts;
    for (uint32_t i = 0; i < f->extent.switches; i++) {
        struct fswitch *s = &f->fswitch[i];
        s->first = hosts + i * k;
        s->ports = k;
        if (i < edges)
            s->tree = (struct tree_switch){i * half, half, 1, half};
        else if (i < 2 * edges)
            s->tree = (struct tree_switch){(i - edges) / half * half * half, half * half, half, half};
        else
            s->tree = (struct tree_switch){0, hosts, half * half, 0};
    }
}

/* Port `i` of switch `s`. */
static void join_switches(struct fabric *f, uint32_t s, uint32_t i, uint32_t t, uint32_t j)
{
    uint32_t hosts = f->extent.hosts;
    fabric_join(f, f->fswitch[s].first + i, hosts + s, f->fswitch[t].first + j, hosts + t, 1);
}

static void fat_tree(struct fabric *f)
{
    uint32_t half = f->conf.fat_tree.k / 2, edges = 2 * half * half;
    switches(f, half);
    for (uint32_t h = 0; h < f->extent.hosts; h++)
        fabric_join(f, h, h, f->fswitch[h / half].first + h % half, f->extent.hosts + h / half, 0);
    for (uint32_t e = 0; e < edges; e++)
        for (uint32_t i = 0; i < half; i++) {
            join_switches(f, e, half + i, edges + e / half * half + i, e % half);
            join_switches(f, edges + e, half + i, 2 * edges + e % half * half + i, e / half);
        }
}

void fabric_tree_build(struct fabric *f)
{
    double above = (double)f->conf.rate / f->conf.fat_tree.oversubscription;
    fabric_line_init(&f->line[0], f->conf.rate, f->conf.delay);
    if (f->conf.kind == FABRIC_LINK) {
        fabric_join(f, 0, 0, 1, 1, 0);
    } else if (f->conf.kind == FABRIC_STAR) {
        star(f);
    } else {
        fabric_line_init(&f->line[1], (uint64_t)above, f->conf.delay);
        fat_tree(f);
    }
}
