/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_conf.c -- from a point to the configurations of its nodes and connections. */
#include "helpers/world/hosts_conf.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/scenario.h"
#include "helpers/world/hosts.h"

enum { FIRST_PORT = 10000, PORTS = 50000, PORT = 4791 };
#define START_TIMEOUT UINT64_C(10000000000000) /* ps, for the whole of MPA's start-up */

uint32_t hosts_address(uint32_t host)
{
    return 0x0a000001u + host; /* 10.0.0.1 and up */
}

/* ---- connections ---- */

/* How long the adapter may take to answer a full window. */
static uint64_t adapter_time(const struct rnic_conf *r)
{
    uint64_t rate = r->rx.rate < r->rx.crc_rate ? r->rx.rate : r->rx.crc_rate;
    rate = r->crypto.rate < rate ? r->crypto.rate : rate;
    double octets = rate == RNIC_UNLIMITED ? 0 : (double)r->window.bytes * 8e12 / (double)rate;
    return r->tx.latency + r->rx.latency + 2 * r->crypto.latency + 2 * r->pcie.read + (uint64_t)octets;
}

/* Of the slowest host. */
static uint64_t slowest_adapter(const struct scenario_point *p)
{
    uint64_t most = adapter_time(&p->rnic);
    for (uint32_t i = 0; i < p->overrides; i++) {
        struct rnic_conf rnic = scenario_adapter(p, (uint32_t)strtoul(p->override_of[i].hosts, NULL, 10));
        uint64_t own = adapter_time(&rnic);
        most = own > most ? own : most;
    }
    return most;
}

/* Ideal: until a packet is sent again: two round trips, and as long as channel and adapters may hold it up. */
static uint64_t timeout_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    return 2 * (d->path + slowest_adapter(p)) + scenario_held_up(p, d) + p->llp.delayed_ack_timeout;
}

/* Ideal: how much later than its successor a packet may be acknowledged: held up there and on the way back. On several paths
 * nobody knows. */
static uint64_t late_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    return fabric_overtakes(&p->topology) ? 0 : 2 * scenario_held_up(p, d) + d->serialization;
}

void hosts_factory(const struct scenario_point *p, struct factory *f)
{
    struct workload_needs needs = workload_needs(&p->workload);
    struct scenario_derived d;
    scenario_derive(p, &d);
    struct factory_conf c = {.llp = &p->llp,
                             .rnic = &p->rnic,
                             .real = p->payload == PAYLOAD_REAL,
                             .mtu = scenario_mtu(p),
                             .segment = d.fpdu,
                             .rate = p->topology.rate * scenario_dealt(p),
                             .planes = fabric_topology_of(&p->topology)->of_planes,
                             .around = d.wire - scenario_mtu(p),
                             .flight = d.flight,
                             .track = d.track,
                             .rtt = d.span,
                             .trims = p->topology.trim,
                             .max_rto = scenario_max_rto(p),
                             .timeout = timeout_of(p, &d),
                             .late = late_of(p, &d),
                             .start_timeout = START_TIMEOUT,
                             .pd = WORKLOAD_PD,
                             .sq_max = needs.sq_max,
                             .rq_max = needs.rq_max};
    factory_init(f, &c);
}

void hosts_factory_of(const struct scenario_point *p, uint32_t load, struct factory *f)
{
    struct scenario_point own = *p;
    own.llp = p->load_of[load].llp;
    hosts_factory(&own, f);
}

struct factory_end hosts_end(const struct scenario_point *p, uint32_t number, int side, uint32_t from,
                             uint32_t to)
{
    uint16_t port = (uint16_t)(FIRST_PORT + number % PORTS);
    bool same_ports = p->llp.kind == LLP_SCTP; /* each association has a port of its own at both hosts */
    return (struct factory_end){.number = number,
                                .initiator = side == 0,
                                .source = hosts_address(side ? to : from),
                                .destination = hosts_address(side ? from : to),
                                .local_port = side && !same_ports ? PORT : port,
                                .remote_port = side || same_ports ? port : PORT,
                                .ports = fabric_ports_at(&p->topology, side ? to : from),
                                .seed = p->seed,
                                .repeat = p->repeat};
}

/* ---- nodes ---- */

struct node_conf hosts_node_conf(const struct scenario_point *p, uint32_t host, uint32_t streams,
                                 uint32_t connections)
{
    struct workload_needs needs = workload_needs_on(&p->workload, streams);
    return (struct node_conf){.rnic = &p->rnic,
                              .streams = streams ? streams : 1,
                              .connections = connections ? connections : 1,
                              .regions_max = needs.regions_max,
                              .cq_entries = needs.cq_entries,
                              .shared_receives = p->workload.shared_receives * (p->loads ? p->loads : 1),
                              .pd = WORKLOAD_PD,
                              .tenants = p->tenants,
                              .stag_key = p->seed ? p->seed * 2 + host : 0,
                              .stall_key = factory_stall_key(p->seed, p->repeat, host),
                              .line_rate = scenario_rate(p, host) * fabric_ports_at(&p->topology, host),
                              .ports = fabric_ports_at(&p->topology, host),
                              .mtu = p->topology.mtu,
                              .security = p->llp.security,
                              .consume_rate = p->workload.consume_rate,
                              .profile = needs.profile};
}

void hosts_tenants(const struct scenario_point *p, struct node_tenant tenant[POINT_TENANTS])
{
    for (uint32_t i = 0; i < p->tenants; i++) {
        tenant[i].group = scenario_trust(p, i + 1);
        tenant[i].pd = scenario_domain(p, i + 1);
        memcpy(tenant[i].limit, p->tenant_of[i].limit, sizeof tenant[i].limit);
    }
}
