/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "helpers/scenario/bound.h"
#include "helpers/scenario/world.h"

enum { PAIRS_LOOKED_AT = 1000 };

static double more(double a, double b)
{
    return a > b ? a : b;
}

/* ---- what the workload sends ---- */

static double mean_size(const struct scenario_point *p)
{
    double octets = (double)workload_octets(&p->workload), messages = (double)workload_messages(&p->workload);
    return messages > 0 ? octets / messages : 0;
}

static bool is_known(const struct workload_conf *w)
{
    return w->kind != WORKLOAD_errors && w->kind != WORKLOAD_script && w->kind != WORKLOAD_transport_classes;
}

/* Small packets beside those of a message: what asks for it and what answers. */
static double packets_beside(const struct workload_conf *w)
{
    return w->kind == WORKLOAD_storage ? 2.5 : w->kind == WORKLOAD_ring || w->op == WORKLOAD_READ ? 1 : 0;
}

double scenario_packets(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    struct scenario_derived d;
    double messages = (double)workload_messages(w), size = mean_size(p);
    scenario_derive(p, &d);
    if (!is_known(w) || d.payload == 0)
        return 0;
    double each = w->sizes ? size / d.payload + 0.5 : ceil(size / d.payload);
    return messages * (more(each, 1) + packets_beside(w));
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
    double line = (double)workload_octets(w) * 8e-3 / b[0].gbps;
    double messages = (double)workload_messages(w), connections = workload_connections(w);
    double each = messages / connections / w->depth;
    if (w->kind == WORKLOAD_pingpong)
        return messages / connections * in_turn_us(&d, w->size);
    return more(line, each * in_turn_us(&d, mean_size(p)));
}

static double time_us(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    double arrivals = (double)w->interval * (double)w->count / 1e6;
    return w->arrival == WORKLOAD_CLOSED ? closed_us(p) : more(arrivals, closed_us(p));
}

/* ---- what that takes ---- */

/* Memory that messages are sent from and placed in, where their octets are real. */
static double payload_bytes(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    double slots = 2.0 * w->depth * more(w->size_max, 64);
    return p->payload == PAYLOAD_REAL ? slots * workload_connections(w) : 0;
}

bool scenario_cost(const struct scenario_point *p, struct scenario_cost *cost)
{
    const struct workload_conf *w = &p->workload;
    const struct world_cost *c = &worlds[p->world].cost;
    double packets = scenario_packets(p), octets = (double)workload_octets(w);
    double hosts = w->hosts, connections = workload_connections(w);
    if (packets <= 0 || c->start_s <= 0)
        return false;
    double us = hosts * c->host_us + connections * c->connection_us +
                (double)workload_messages(w) * c->message_us + packets * c->segment_us +
                packets * mean_hops(p) * c->segment_hop_us;
    double touched = p->payload == PAYLOAD_REAL ? octets * c->payload_ns * 1e-9 : 0;
    if (getenv("COSTDUMP"))
        fprintf(stderr, "COST %g %g %g %g %g %g %d\n", hosts, connections, (double)workload_messages(w),
                packets, packets * mean_hops(p), p->payload == PAYLOAD_REAL ? octets : 0, p->world);
    cost->cpu_s = c->start_s + us * 1e-6 + touched;
    cost->bytes =
        c->start_bytes + hosts * c->host_bytes + connections * c->connection_bytes + payload_bytes(p);
    cost->time_us = time_us(p);
    return true;
}
