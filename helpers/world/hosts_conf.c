/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_conf.c -- from a point to the configurations of its nodes and connections. */
#include "helpers/world/hosts_conf.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/scenario.h"
#include "helpers/world/hosts.h"
#include "rnic/window.h"

enum { PORT = 4791, REMEMBERED_MIN = 64, REMEMBERED_MAX = 16384 };
enum { DRAWS_OF_ENDS = 1 << 29, DRAWS_OF_STALLS = 1 << 30 }; /* beside those of links */
#define RETRIES       64 /* some 6,000 shortest timeouts: Linux has 4,600 (15 tries), limit.idle 5,000 by default */
#define LINGER        16   /* shortest timeouts for a Terminate or FIN to get through, before RST */
#define LINGER_SCTP   2048 /* the association itself gives up before: 10 of them, doubling */
#define START_TIMEOUT UINT64_C(10000000000000) /* ps, for the whole of MPA's start-up */

uint32_t hosts_framing(const struct scenario_point *p)
{
    static const uint32_t octets[FRAMINGS] = {[FRAMING_ETHERNET] = 38, [FRAMING_PPP] = 2};
    return octets[p->topology.framing];
}

uint32_t hosts_address(uint32_t host)
{
    return 0x0a000001u + host; /* 10.0.0.1 and up */
}

/* ---- TCP ---- */

static void tcp_conf_of(const struct scenario_point *p, struct tcp_conf *c)
{
    static const uint8_t congestions[CONGESTIONS] = {[CONGESTION_CUBIC] = TCP_CUBIC,
                                                     [CONGESTION_DCTCP] = TCP_DCTCP,
                                                     [CONGESTION_NEWRENO] = TCP_NEWRENO,
                                                     [CONGESTION_FIXED] = TCP_FIXED};
    bool marks = p->llp.congestion == CONGESTION_DCTCP;
    tcp_defaults(c);
    c->mtu = (uint16_t)scenario_mtu(p);
    c->congestion = congestions[p->llp.congestion];
    c->detection = p->llp.detection == DETECTION_DUPACK ? TCP_DUPACK : TCP_RACK;
    c->window_shift = (uint8_t)rnic_window_shift(p->rnic.window.bytes);
    c->ecn = p->llp.ecn == ECN_ON || (p->llp.ecn == ECN_AUTO && marks);
    c->timestamps = p->llp.timestamps;
    c->pacing = p->llp.pacing;
    c->idle_restart = p->llp.idle_restart;
    c->delayed_ack = (uint8_t)p->llp.delayed_ack;
    if (p->llp.dupack_threshold) /* adaptive: rack */
        c->dupack_threshold = (uint16_t)p->llp.dupack_threshold;
    c->initial_window = p->llp.initial_window;
    c->fixed_window = (uint32_t)p->llp.congestion_window;
    c->delayed_ack_timeout = p->llp.delayed_ack_timeout;
    c->min_rto = p->llp.min_rto;
    c->initial_rto = point_initial_rto(p);
    c->max_rto = scenario_max_rto(p);
    c->retries = RETRIES;
    c->msl = p->llp.msl;
}

/* ---- packets ---- */

static struct packet_conf packet_conf_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    return (struct packet_conf){.recovery = scenario_form(p).recovery,
                                .flight = d->flight,
                                .track = d->track,
                                .dcqcn = p->llp.congestion == CONGESTION_DCQCN,
                                .rate = p->topology.rate};
}

/* ---- what all have in common ---- */

/* Segments remembered beyond the delivered edge. */
static uint16_t remembered(const struct scenario_point *p, const struct scenario_derived *d)
{
    uint64_t segments = REMEMBERED_MIN + 2 * p->rnic.window.bytes / d->fpdu;
    if (p->llp.kind == LLP_PACKET)
        segments = REMEMBERED_MIN + d->track;
    return (uint16_t)(segments < REMEMBERED_MAX ? segments : REMEMBERED_MAX);
}

static struct iw_conf endpoint_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    struct workload_needs needs = workload_needs(&p->workload);
    return (struct iw_conf){.pd = WORKLOAD_PD,
                            .complete_on = IW_ON_ACK,
                            .sq_max = needs.sq_max,
                            .rq_max = needs.rq_max,
                            .ord = point_ord(p),
                            .ird = p->llp.ird,
                            .reorder_max = remembered(p, d),
                            .linger = p->llp.min_rto * (p->llp.kind == LLP_SCTP ? LINGER_SCTP : LINGER)};
}

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

/* How long the channel may hold up a packet. */
static uint64_t held_time(const struct scenario_point *p, const struct scenario_derived *d)
{
    if (p->fates)
        return p->channel.trace.by_time ? p->fates->latest
                                        : (p->fates->furthest + (uint64_t)1) * d->serialization;
    return p->channel.reorder.delay + p->channel.reorder.displacement * d->serialization + p->channel.jitter;
}

/* Ideal: until a packet is sent again: two round trips, and as long as channel and adapters may hold it up. */
static uint64_t timeout_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    return 2 * (d->path + slowest_adapter(p)) + held_time(p, d) + p->llp.delayed_ack_timeout;
}

/* Ideal: how much later than its successor a packet may be acknowledged: held up there and on the way back. On several paths
 * nobody knows. */
static uint64_t late_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    return p->topology.routing == ROUTING_SPRAY ? 0 : 2 * held_time(p, d) + d->serialization;
}

void hosts_conf_of(const struct scenario_point *p, struct hosts_conf *c)
{
    static const struct llp *const tables[LLPS] = {
        [LLP_MPA] = &llp_tcp, [LLP_SCTP] = &llp_sctp, [LLP_IDEAL] = &llp_ideal, [LLP_PACKET] = &llp_packet};
    bool drop = p->llp.crc && p->llp.crc_error == CRC_ERROR_DROP; /* every packet is one FPDU here */
    struct scenario_derived d;
    scenario_derive(p, &d);
    bool packets = p->llp.kind == LLP_PACKET;
    *c = (struct hosts_conf){.llp = tables[p->llp.kind],
                             .streams = p->llp.kind == LLP_SCTP ? p->llp.streams : 1,
                             .ep = endpoint_of(p, &d)};
    c->llp_conf = (struct llp_conf){.real = p->payload == PAYLOAD_REAL,
                                    .mtu = scenario_mtu(p),
                                    .window = p->rnic.window.bytes,
                                    .reorder = c->ep.reorder_max,
                                    .go_back = packets && p->llp.recovery == RECOVERY_GO_BACK_N,
                                    .markers = p->llp.markers && !packets,
                                    .crc = p->llp.crc || packets,
                                    .crc_drop = drop,
                                    .trust_alignment = drop || p->llp.trust_alignment,
                                    .ord = p->llp.ord,
                                    .ird = p->llp.ird,
                                    .start_timeout = START_TIMEOUT,
                                    .delayed_ack_timeout = p->llp.delayed_ack_timeout,
                                    .min_rto = p->llp.min_rto,
                                    .max_rto = scenario_max_rto(p),
                                    .delayed_ack = p->llp.delayed_ack,
                                    .send_buffer = p->llp.send_buffer,
                                    .timeout = timeout_of(p, &d),
                                    .late = late_of(p, &d)};
    tcp_conf_of(p, &c->tcp);
    c->packet = packet_conf_of(p, &d);
}

struct llp_conf hosts_end_conf(struct hosts_conf *c, const struct scenario_point *p, uint32_t number,
                               int side, uint32_t from, uint32_t to, uint16_t port)
{
    struct llp_conf l = c->llp_conf;
    uint16_t least = p->llp.ord < p->llp.ird ? p->llp.ord : p->llp.ird;
    bool same_ports = p->llp.kind == LLP_SCTP; /* each association has a port of its own at both hosts */
    l.initiator = side == 0;
    l.streams = (uint16_t)c->streams;
    l.source = hosts_address(side ? to : from);
    l.destination = hosts_address(side ? from : to);
    l.local_port = side && !same_ports ? PORT : port;
    l.remote_port = side || same_ports ? port : PORT;
    l.secret = channel_key(p->seed, p->repeat, number, DRAWS_OF_ENDS + (same_ports ? 0 : (unsigned)side));
    l.ord =
        p->llp.kind == LLP_MPA ? p->llp.ord : least; /* MPA agrees on it (RFC 6581); the others need not */
    l.tcp = &c->tcp;
    l.packet = &c->packet;
    return l;
}

struct node_conf hosts_node_conf(const struct scenario_point *p, uint32_t host, uint32_t streams,
                                 uint32_t connections)
{
    struct workload_needs needs = workload_needs(&p->workload);
    return (struct node_conf){.rnic = &p->rnic,
                              .streams = streams ? streams : 1,
                              .connections = connections ? connections : 1,
                              .regions_max = needs.regions_max,
                              .cq_entries = needs.cq_entries,
                              .shared_receives = p->workload.shared_receives,
                              .pd = WORKLOAD_PD,
                              .stag_key = p->seed ? p->seed * 2 + host : 0,
                              .stall_key = channel_key(p->seed, p->repeat, host, DRAWS_OF_STALLS),
                              .line_rate = scenario_rate(p, host),
                              .mtu = p->topology.mtu,
                              .security = p->llp.security,
                              .consume_rate = p->consume_rate,
                              .profile = needs.profile};
}
