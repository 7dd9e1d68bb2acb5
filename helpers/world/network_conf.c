/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network_conf.c -- from a point to the network of its packets. */
#include "helpers/world/network_conf.h"

#include <stdlib.h>

#include "engine/wire.h"
#include "helpers/scenario/topology_file.h"
#include "llp/llp.h"
#include "llp/packet.h"

/* The lines that a file describes: the last that were asked for. */
static const struct fabric_line *lines_of(const struct scenario_point *p)
{
    static struct fabric_line *lines;
    const struct topology_file *t = p->described;
    lines = realloc(lines, t->links * sizeof *lines);
    for (uint32_t i = 0; lines && i < t->links; i++)
        lines[i] = (struct fabric_line){t->link[i].a, t->link[i].b, topology_rate(p, &t->link[i]),
                                        topology_delay(p, &t->link[i])};
    return lines;
}

struct fabric_conf network_conf_of(const struct scenario_point *p)
{
    struct fabric_conf c = p->topology;
    bool packets = p->llp.kind == LLP_PACKET;
    c.packet_head = packets ? (uint32_t)PACKET_HEAD : (uint32_t)LLP_IDEAL_HEAD;
    c.channel = p->channel;
    c.data = p->channel_direction != DIRECTION_ACKS;
    c.acks = p->channel_direction != DIRECTION_DATA;
    c.seed = p->seed;
    c.repeat = p->repeat;
    c.trim = p->topology.trim && packets;
    c.trimmed =
        IP_HEAD + packet_charge_of(p->llp.recovery)->data + IW_HEAD_TAGGED; /* where the payload begins */
    if (p->described) {
        c.file.line = lines_of(p);
        c.file.lines = c.file.line ? p->described->links : 0;
    }
    return c;
}
