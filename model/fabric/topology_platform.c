/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_platform.c -- a platform of SimGrid: hosts, and paths that SimGrid alone knows. */
#include "fabric/fabric_inner.h"

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    return (struct fabric_extent){.hosts = conf->file.hosts};
}

static const char *error(const struct fabric_conf *conf, const char **keys)
{
    (void)conf;
    *keys = "topology.kind topology.hosts topology.groups world";
    return "platform: a SimGrid platform needs world simgrid; topology.kind: file describes a network of "
           "packets";
}

FABRIC_TOPOLOGY(platform) = {.farthest = 2, .of_flows = true, .extent = extent, .error = error};
