/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network_conf.c -- from a point to the network of its packets. */
#include "helpers/world/network_conf.h"

#include <stdlib.h>

#include "engine/wire.h"
#include "helpers/scenario/topology_file.h"
#include "helpers/world/hosts_conf.h"
#include "llp/llp.h"
#include "llp/packet.h"

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

/* The lines that a file describes: the last that were asked for. */
static const struct fabric_line *lines_of(const struct scenario_point *p)
{
    static struct fabric_line *lines;
    const struct topology_file *t = p->topology.described;
    lines = realloc(lines, t->links * sizeof *lines);
    for (uint32_t i = 0; lines && i < t->links; i++)
        lines[i] = (struct fabric_line){t->link[i].a, t->link[i].b, topology_rate(p, &t->link[i]),
                                        topology_delay(p, &t->link[i])};
    return lines;
}

static void describe(struct fabric_conf *c, const struct scenario_point *p)
{
    const struct topology_file *t = p->topology.described;
    c->file.line = lines_of(p);
    c->file.hosts = t->hosts;
    c->file.switches = t->switches;
    c->file.lines = c->file.line ? t->links : 0;
}

/* Headroom that every link has enough of. */
static uint64_t headroom_of(const struct fabric_conf *c)
{
    if (c->kind != FABRIC_FILE)
        return fabric_headroom(c->rate, c->delay, c->mtu, c->framing);
    uint64_t most = 0;
    for (uint32_t i = 0; i < c->file.lines; i++) {
        uint64_t needed = fabric_headroom(c->file.line[i].rate, c->file.line[i].delay, c->mtu, c->framing);
        most = needed > most ? needed : most;
    }
    return most;
}

struct fabric_conf network_conf_of(const struct scenario_point *p)
{
    static const enum fabric_kind kinds[TOPOLOGIES] = {
        [TOPOLOGY_LINK] = FABRIC_LINK,           [TOPOLOGY_STAR] = FABRIC_STAR,
        [TOPOLOGY_FAT_TREE] = FABRIC_FAT_TREE,   [TOPOLOGY_CLUSTER] = FABRIC_STAR,
        [TOPOLOGY_DRAGONFLY] = FABRIC_DRAGONFLY, [TOPOLOGY_FILE] = FABRIC_FILE};
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
                            .packet_head =
                                p->llp.kind == LLP_PACKET ? (uint32_t)PACKET_HEAD : (uint32_t)LLP_IDEAL_HEAD,
                            .buffer = t->buffer,
                            .ecn_threshold = t->ecn_threshold,
                            .shared = t->sharing == SHARING_SHARED,
                            .alpha = t->alpha,
                            .channel = p->channel,
                            .data = p->channel_direction != DIRECTION_ACKS,
                            .acks = p->channel_direction != DIRECTION_DATA,
                            .seed = p->seed,
                            .repeat = p->repeat};
    if (t->kind == TOPOLOGY_FILE)
        describe(&c, p);
    if (t->trim && p->llp.kind == LLP_PACKET)
        c.trim =
            IP_HEAD + packet_charge_of(p->llp.recovery)->data + IW_HEAD_TAGGED; /* where the payload begins */
    c.red.kmin = t->ecn_kmin;
    c.red.kmax = t->ecn_kmax;
    c.red.pmax = t->ecn_pmax;
    if (t->flow_control == FLOW_CONTROL_PFC) {
        c.pfc.xoff = t->pfc_xoff;
        c.pfc.xon = t->pfc_xon;
        c.pfc.headroom = t->pfc_headroom ? t->pfc_headroom : headroom_of(&c);
    }
    return c;
}
