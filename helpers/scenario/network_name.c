/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/network_name.h"

#include <stdio.h>

#include "helpers/scenario/topology_file.h"

const char *network_node_name(const struct scenario_point *p, const struct fabric *f, uint32_t node,
                              char name[NETWORK_NAME])
{
    static const char *const tiers[] = {[FABRIC_HOST] = "host", [FABRIC_SWITCH] = "switch",
                                        [FABRIC_EDGE] = "edge", [FABRIC_AGGREGATION] = "aggregation",
                                        [FABRIC_CORE] = "core", [FABRIC_ROUTER] = "router",
                                        [FABRIC_LEAF] = "leaf", [FABRIC_SPINE] = "spine"};
    _Static_assert(sizeof tiers / sizeof *tiers == FABRIC_TIERS, "each tier has its word");
    struct fabric_node n = fabric_node(f, node);
    if (p->described)
        return p->described->names[node];
    bool plane = n.tier == FABRIC_LEAF || n.tier == FABRIC_SPINE;
    int len = plane ? snprintf(name, NETWORK_NAME, "plane%u.", n.plane) : 0;
    snprintf(name + len, NETWORK_NAME - (size_t)len, "%s%u", tiers[n.tier], n.index);
    return name;
}

/* As the node with the lesser number has them. */
unsigned network_link_place(const struct fabric *f, uint32_t link, unsigned *of)
{
    struct fabric_link l = fabric_link(f, link);
    if (l.from > l.to)
        return network_link_place(f, l.reverse, of);
    struct fabric_node n = fabric_node(f, l.from);
    unsigned place = 0;
    *of = 0;
    for (uint32_t i = n.first_link; i < n.first_link + n.links; i++) {
        *of += fabric_link(f, i).to == l.to;
        place = i == link ? *of : place;
    }
    return place;
}

void network_link_name(const struct scenario_point *p, const struct fabric *f, uint32_t link, char *name,
                       size_t size)
{
    char from[NETWORK_NAME], to[NETWORK_NAME];
    struct fabric_link l = fabric_link(f, link);
    unsigned of, place = network_link_place(f, link, &of);
    int len = snprintf(name, size, "%s>%s", network_node_name(p, f, l.from, from),
                       network_node_name(p, f, l.to, to));
    if (of > 1)
        snprintf(name + len, size - (size_t)len, "#%u", place);
}
