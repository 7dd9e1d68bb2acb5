/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/cost.h"

#include <math.h>

#include "helpers/scenario/bound.h"
#include "helpers/scenario/world.h"

enum { PAIRS_LOOKED_AT = 1000, SAMPLES_KEPT = 1 << 20 };

/* ---- what the workload sends ---- */

/* Between two entries of a distribution sizes are uniform. */
static double drawn_size(const struct workload_conf *w)
{
    double mean = 0, before = 0, octets = 0;
    for (uint32_t i = 0; i < w->sizes; i++) {
        const struct workload_size *s = &w->distribution[i];
        double share = (double)s->share / 4294967296.0;
        mean += (share - before) * (i ? (octets + s->octets) / 2 : s->octets);
        before = share;
        octets = s->octets;
    }
    return mean;
}

/* ULP octets of a message, in the mean. */
static double mean_size(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    struct workload_conf some = *w;
    some.count = w->count < WORKLOAD_UNLIMITED ? w->count : 1;
    double messages = (double)workload_messages(&some);
    return w->sizes ? drawn_size(w) : messages > 0 ? (double)workload_octets(&some) / messages : 0;
}

/* Of all connections, those that never end included, as many from each. */
static double all_messages(const struct workload_conf *w)
{
    struct workload_conf one = *w;
    if (w->count < WORKLOAD_UNLIMITED)
        return (double)workload_messages(w);
    one.count = 1;
    return (double)workload_messages(&one) * (double)WORKLOAD_UNLIMITED;
}

static double time_us(const struct scenario_point *p);

/* 0: none is measured. */
static double window_end_us(const struct scenario_point *p)
{
    return p->measure.span ? (double)(p->measure.from + p->measure.span) / 1e6 : 0;
}

/* Messages until the end of the run, of the workload or of the window that is measured. */
static double messages_of(const struct scenario_point *p)
{
    double messages = all_messages(&p->workload), end = window_end_us(p);
    double whole = end > 0 ? time_us(p) : 0;
    return whole > end ? messages * end / whole : messages;
}

/* Each packet a way of its own, and what overtakes is discarded: nobody knows how often all is sent again. */
static bool repeats_at_random(const struct scenario_point *p)
{
    return fabric_overtakes(&p->topology) && rnic_path_is(p->rnic.receive, RNIC_GOES_BACK);
}

static bool knows_workload(const struct workload_conf *w)
{
    return !workload_is(w->kind, WORKLOAD_ALONE);
}

/* Small packets beside those of a message: what asks for it and what answers. */
static double packets_beside(const struct workload_conf *w)
{
    if (workload_is(w->kind, WORKLOAD_COMMANDED))
        return 2.5;
    return workload_is(w->kind, WORKLOAD_ROUND) || w->op == WORKLOAD_READ ? 1 : 0;
}

/* A point as if one of its workloads were alone. */
static struct scenario_point alone(const struct scenario_point *p, uint32_t load)
{
    struct scenario_point one = *p;
    one.workload = *p->workload.part[load].conf;
    return one;
}

double scenario_packets(const struct scenario_point *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->workload.parts; i++) {
        struct scenario_point one = alone(p, i);
        double packets = scenario_packets(&one);
        if (packets <= 0)
            return 0;
        sum += packets;
    }
    if (p->workload.parts)
        return sum;
    const struct workload_conf *w = &p->workload;
    struct scenario_derived d;
    double messages = messages_of(p), size = mean_size(p);
    scenario_derive(p, &d);
    if (!knows_workload(w) || d.payload == 0)
        return 0;
    double each = w->sizes ? size / d.payload + 0.5 : ceil(size / d.payload);
    return messages * (fmax(each, 1) + packets_beside(w));
}

/* What a world handles as one: a message, or as flows a chunk of one. */
static double pieces(const struct scenario_point *p)
{
    double messages = messages_of(p);
    bool flows = worlds[p->world].flows;
    double chunks = flows ? ceil(mean_size(p) / (double)p->simgrid_chunk) : 1;
    return messages * (fmax(chunks, 1) + (flows ? packets_beside(&p->workload) : 0));
}

/* Links of a path, in the mean over connections. */
static double mean_hops(const struct scenario_point *p)
{
    uint32_t connections = workload_connections(&p->workload);
    uint32_t step = connections / PAIRS_LOOKED_AT + 1, count = 0;
    double sum = 0;
    for (uint32_t c = 0; c < connections; c += step, count++) {
        struct workload_pair pair = workload_pair(&p->workload, c);
        sum += scenario_hops(p, pair.from, pair.to);
    }
    return sum / count;
}

/* ---- simulated time ---- */

/* One message after the other, each waited for. */
static double in_turn_us(const struct scenario_derived *d, double octets)
{
    double packets = ceil(octets / d->payload);
    return ((double)d->rtt + (packets > 1 ? packets - 1 : 0) * (double)d->serialization) / 1e6;
}

static double closed_us(const struct scenario_point *p)
{
    struct scenario_bound b[SCENARIO_BOUNDS];
    struct scenario_derived d;
    const struct workload_conf *w = &p->workload;
    scenario_derive(p, &d);
    scenario_bounds(p, b);
    double messages = all_messages(w), line = messages * mean_size(p) * 8e-3 / b[0].gbps,
           connections = workload_connections(w);
    double each = messages / connections / w->depth;
    if (workload_is(w->kind, WORKLOAD_ALTERNATES))
        return messages / connections * in_turn_us(&d, w->size);
    return fmax(line, each * in_turn_us(&d, mean_size(p)));
}

static double time_us(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    double arrivals = (double)w->interval * (double)w->count / 1e6;
    return w->arrival == WORKLOAD_CLOSED ? closed_us(p) : fmax(arrivals, closed_us(p));
}

/* ---- what that takes ---- */

/* Memory that messages are sent from and placed in, where their octets are real. */
static double payload_bytes(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    double slots = 2.0 * w->depth * fmax(w->size_max, 64);
    return p->payload == PAYLOAD_REAL ? slots * workload_connections(w) : 0;
}

/* Latency and slowdowns of all messages, while they are kept one by one. */
static double samples_bytes(const struct scenario_point *p)
{
    double messages = messages_of(p);
    return 24.0 * (messages < SAMPLES_KEPT ? messages : SAMPLES_KEPT);
}

static double piece_us(const struct scenario_point *p)
{
    const struct world_cost *c = &worlds[p->world].cost;
    return workload_is(p->workload.kind, WORKLOAD_ROUND) && c->ring_us > 0 ? c->ring_us : c->message_us;
}

static bool has_costs(const struct scenario_point *p)
{
    return p->preset != 0;
}

/* What each takes; what a process takes to start, and hosts, are there once. */
static const char *cost_of_loads(const struct scenario_point *p, struct scenario_cost *cost)
{
    const struct world_cost *c = &worlds[p->world].cost;
    double hosts = 0, each = c->host_bytes + (has_costs(p) ? c->adapter_bytes : 0);
    *cost = (struct scenario_cost){.cpu_s = c->start_s, .bytes = c->start_bytes};
    for (uint32_t i = 0; i < p->workload.parts; i++) {
        struct scenario_point one = alone(p, i);
        struct scenario_cost own;
        const char *why = scenario_cost(&one, &own);
        if (why)
            return why;
        hosts += one.workload.hosts;
        cost->cpu_s += own.cpu_s - c->start_s;
        cost->bytes += own.bytes - c->start_bytes;
        cost->time_us = fmax(cost->time_us, (double)p->workload.part[i].conf->start / 1e6 + own.time_us);
    }
    cost->cpu_s += (p->workload.hosts - hosts) * c->host_us * 1e-6;
    cost->bytes += (p->workload.hosts - hosts) * each;
    return NULL;
}

const char *scenario_cost(const struct scenario_point *p, struct scenario_cost *cost)
{
    if (p->workload.parts)
        return cost_of_loads(p, cost);
    const struct workload_conf *w = &p->workload;
    const struct world_cost *c = &worlds[p->world].cost;
    double packets = scenario_packets(p), octets = messages_of(p) * mean_size(p);
    double hosts = w->hosts, connections = workload_connections(w);
    if (packets <= 0 || c->start_s <= 0)
        return "for this workload";
    if (repeats_at_random(p))
        return "where packets are sprayed and rnic.receive is discard: how often they are retransmitted is "
               "left "
               "to chance";
    double us = hosts * c->host_us + connections * c->connection_us + pieces(p) * piece_us(p) +
                packets * c->segment_us + packets * mean_hops(p) * c->segment_hop_us;
    double touched = p->payload == PAYLOAD_REAL ? octets * c->payload_ns * 1e-9 : 0;
    cost->cpu_s = c->start_s + us * 1e-6 + touched;
    cost->bytes = c->start_bytes + hosts * (c->host_bytes + (has_costs(p) ? c->adapter_bytes : 0)) +
                  connections * c->connection_bytes + payload_bytes(p) + samples_bytes(p);
    double end = window_end_us(p), whole = time_us(p);
    cost->time_us = end > 0 && end < whole ? end : whole;
    return NULL;
}
