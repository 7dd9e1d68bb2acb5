/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_star.c -- hosts around a switch, whose ports are numbered as they are. */
#include "fabric/fabric_inner.h"

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    return (struct fabric_extent){.hosts = conf->hosts, .switches = 1, .ports = 2 * conf->hosts, .lines = 1};
}

static const char *error(const struct fabric_conf *c, const char **keys)
{
    *keys = "topology.hosts topology.kind";
    return c->hosts < 2 || c->hosts > HOSTS_MAX ? "a star must have 2 to 2^20 hosts" : NULL;
}

static bool build(struct fabric *f)
{
    uint32_t hosts = f->extent.hosts;
    f->fswitch[0].first = f->fswitch[0].ports = hosts;
    for (uint32_t h = 0; h < hosts; h++)
        fabric_join(f, h, h, hosts + h, hosts, 0);
    return true;
}

static uint32_t ways(const struct fabric *f, uint32_t node, uint32_t to)
{
    (void)f, (void)node, (void)to;
    return 1;
}

static uint32_t way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i)
{
    (void)node, (void)i;
    return f->fswitch[0].first + to;
}

FABRIC_TOPOLOGY(star) = {
    .farthest = 2, .extent = extent, .error = error, .build = build, .ways = ways, .way = way};
