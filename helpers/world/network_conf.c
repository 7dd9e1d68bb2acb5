/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network_conf.c -- from a point to the network of its packets. */
#include "helpers/world/network_conf.h"

#include "helpers/world/hosts_conf.h"
#include "llp/llp.h"

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

struct fabric_conf network_conf_of(const struct scenario_point *p)
{
    static const enum fabric_kind kinds[TOPOLOGIES] = {[TOPOLOGY_LINK] = FABRIC_LINK,
                                                       [TOPOLOGY_STAR] = FABRIC_STAR,
                                                       [TOPOLOGY_FAT_TREE] = FABRIC_FAT_TREE,
                                                       [TOPOLOGY_CLUSTER] = FABRIC_STAR,
                                                       [TOPOLOGY_DRAGONFLY] = FABRIC_DRAGONFLY};
    const struct point_topology_conf *t = &p->topology;
    struct fabric_conf c = {.kind = kinds[t->kind],
                            .hosts = t->hosts,
                            .fat_tree = {t->k, t->oversubscription},
                            .dragonfly = {t->groups, t->routers, t->nodes,
                                          t->globals ? t->globals : fewest_globals(t->groups, t->routers)},
                            .rate = t->rate,
                            .delay = t->delay,
                            .mtu = t->mtu,
                            .framing = hosts_framing(p),
                            .spray = t->routing == ROUTING_SPRAY,
                            .packet_head = LLP_IDEAL_HEAD,
                            .buffer = t->buffer,
                            .ecn_threshold = t->ecn_threshold,
                            .shared = t->sharing == SHARING_SHARED,
                            .alpha = t->alpha,
                            .channel = p->channel,
                            .data = p->channel_direction != DIRECTION_ACKS,
                            .acks = p->channel_direction != DIRECTION_DATA,
                            .seed = p->seed,
                            .repeat = p->repeat};
    c.red.kmin = t->ecn_kmin;
    c.red.kmax = t->ecn_kmax;
    c.red.pmax = t->ecn_pmax;
    if (t->flow_control == FLOW_CONTROL_PFC) {
        c.pfc.xoff = t->pfc_xoff;
        c.pfc.xon = t->pfc_xon;
        c.pfc.headroom =
            t->pfc_headroom ? t->pfc_headroom : fabric_headroom(t->rate, t->delay, t->mtu, hosts_framing(p));
    }
    return c;
}
