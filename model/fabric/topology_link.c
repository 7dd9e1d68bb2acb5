/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_link.c -- two hosts on a line. */
#include "fabric/fabric_inner.h"

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    (void)conf;
    return (struct fabric_extent){.hosts = 2, .ports = 2, .lines = 1};
}

static bool build(struct fabric *f)
{
    fabric_join(f, 0, 0, 1, 1, 0);
    return true;
}

FABRIC_TOPOLOGY(link) = {.farthest = 1, .extent = extent, .build = build};
