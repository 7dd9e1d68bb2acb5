/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_star.c -- hosts around a switch, whose ports are numbered as theirs are. */
#include "fabric/fabric_inner.h"

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    uint32_t ports = fabric_asked_ports(conf);
    return (struct fabric_extent){.hosts = conf->hosts,
                                  .switches = 1,
                                  .ports = 2 * conf->hosts * ports,
                                  .lines = 1,
                                  .host_ports = ports};
}

static const char *error(const struct fabric_conf *c, const char **keys)
{
    *keys = "topology.hosts topology.kind";
    if (c->hosts < 2 || c->hosts > HOSTS_MAX)
        return "a star must have 2 to 2^20 hosts";
    return fabric_asked_ports_error(c, keys);
}

static bool build(struct fabric *f)
{
    uint32_t hosts = f->extent.hosts, ports = f->extent.host_ports, links = hosts * ports;
    f->fswitch[0].first = f->fswitch[0].ports = links;
    for (uint32_t p = 0; p < links; p++)
        fabric_join(f, p, p / ports, links + p, hosts, 0);
    return true;
}

static uint32_t ways(const struct fabric *f, uint32_t node, uint32_t to)
{
    (void)node, (void)to;
    return f->extent.host_ports;
}

static uint32_t way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i)
{
    (void)node;
    return f->fswitch[0].first + to * f->extent.host_ports + i;
}

FABRIC_TOPOLOGY(star) = {
    .farthest = 2, .extent = extent, .error = error, .build = build, .ways = ways, .way = way};
