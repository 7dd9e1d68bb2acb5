/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network_conf.c -- from a point to the network of its packets. */
#include "helpers/world/network_conf.h"

#include <stdlib.h>

#include "engine/wire.h"
#include "helpers/scenario/link_events.h"
#include "helpers/scenario/topology_file.h"
#include "llp/llp.h"
#include "llp/packet.h"

/* A point has been checked, and its events with it. */
static struct link_events events_of(const struct scenario_point *p)
{
    char why[SCENARIO_ERROR_MAX];
    struct link_events e = {0};
    size_t number;
    if (link_events_some(p))
        link_events_read(p, &e, why, &number);
    return e;
}

struct fabric_conf network_conf_of(const struct scenario_point *p)
{
    const struct link_events e =
        events_of(p); /* builds a network, too, of which topology_network() has one at a time */
    struct fabric_conf c = topology_network(p);
    bool packets = p->llp.kind == LLP_PACKET;
    c.packet_head = packets ? (uint32_t)PACKET_HEAD : (uint32_t)LLP_IDEAL_HEAD;
    c.channel = p->channel;
    c.data = p->channel_direction != DIRECTION_ACKS;
    c.acks = p->channel_direction != DIRECTION_DATA;
    c.seed = p->seed;
    c.repeat = p->repeat;
    c.change = e.change;
    c.changes = e.changes;
    c.trim = p->topology.trim && packets;
    c.trimmed =
        IP_HEAD + packet_charge_of(p->llp.recovery)->data + IW_HEAD_TAGGED; /* where the payload begins */
    return c;
}

static void *no_packets(void *user, size_t octets)
{
    (void)user, (void)octets;
    return NULL;
}

struct fabric *network_map(const struct scenario_point *p, uint32_t connections)
{
    struct fabric_conf c = network_conf_of(p);
    c.connections = connections;
    c.more = no_packets;
    void *memory = fabric_conf_error(&c) ? NULL : malloc(fabric_size(&c));
    struct fabric *f = memory ? fabric_init(memory, &c) : NULL;
    if (!f)
        free(memory);
    return f;
}

void network_tell_change(const struct scenario_point *p, const struct fabric *f, struct trial *t,
                         uint64_t now, enum fabric_event_kind kind, uint32_t link)
{
    static const enum trial_link_change changes[FABRIC_EVENTS] = {[FABRIC_DOWN] = TRIAL_LINK_DOWN,
                                                                  [FABRIC_UP] = TRIAL_LINK_UP,
                                                                  [FABRIC_RATE] = TRIAL_LINK_RATE,
                                                                  [FABRIC_AVOIDED] = TRIAL_LINK_AVOIDED};
    char name[TRIAL_NAME];
    struct fabric_link l = fabric_link(f, link);
    uint32_t host = l.from < l.to ? l.from : l.to;
    network_link_name(p, f, link, name, sizeof name);
    trial_link_changes(t, now, host < p->workload.hosts ? host : 0, name, changes[kind],
                       (double)l.rate / 1e9);
}

uint64_t network_check_interval(const struct scenario_point *p)
{
    enum { CHECKS_PER_LIMIT = 16 };
    return (p->limit.idle < p->limit.sim ? p->limit.idle : p->limit.sim) / CHECKS_PER_LIMIT + 1;
}
