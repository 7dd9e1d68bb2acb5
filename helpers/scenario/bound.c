/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/bound.h"

#include <math.h>
#include <stdlib.h>

#include "scenarios/workloads/collective.h"

/* What so many octets per round trip give, as whole FPDUs: nothing less flies. */
static double flying(const struct scenario_derived *d, uint64_t octets)
{
    double share =
        d->line_gbps / ((double)d->fpdu * 8e3 / (double)d->serialization); /* payload of an FPDU's octets */
    return floor((double)octets / d->fpdu) * d->fpdu * share * 8e3 / (double)d->rtt;
}

/* So many messages, each from its post to its acknowledgement or answer; picoseconds of the round trip and of a full packet. */
static double outstanding(const struct scenario_point *p, const struct scenario_derived *d, uint32_t messages,
                          double rtt, double serialization)
{
    double size = p->workload.size, packets = ceil(size / d->payload);
    double each = rtt + (packets > 1 ? packets - 1 : 0) * serialization;
    return messages * size * 8e3 / each;
}

static bool has_depth(const struct workload_conf *w)
{
    return workload_is(w->kind, WORKLOAD_OPEN) && w->arrival == WORKLOAD_CLOSED && !w->sizes && !w->parts;
}

double scenario_waiting(const struct scenario_point *p, const struct scenario_derived *d, double rtt,
                        double serialization)
{
    const struct workload_conf *w = &p->workload;
    if (!has_depth(w))
        return HUGE_VAL;
    uint32_t most = llp_ord(&p->llp);
    most = workload_is_asked_for(w->op) && most < w->depth ? most : w->depth;
    return outstanding(p, d, most, rtt, serialization);
}

/* Where a file says how long its links are, they may be of any length. */
static double shortest_way(const struct scenario_point *p)
{
    uint32_t links = fabric_switches_of(&p->topology) ? 2 : 1;
    return p->described ? 0 : (double)links * (double)p->topology.delay;
}

double scenario_collective(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    struct scenario_derived d;
    if (!workload_is(w->kind, WORKLOAD_JOINT) || w->parts || !w->goal || p->platform)
        return 0;
    scenario_derive(p, &d);
    struct collective_cost c = collective_cost(w);
    double gbps = d.line_gbps * fabric_ports_of(&p->topology);
    return (double)c.units * w->goal_unit * 8e3 / gbps + (double)c.rounds * shortest_way(p);
}

static int least_first(const void *a, const void *b)
{
    double x = ((const struct scenario_bound *)a)->gbps, y = ((const struct scenario_bound *)b)->gbps;
    return (x > y) - (x < y);
}

size_t scenario_bounds(const struct scenario_point *p, struct scenario_bound bounds[SCENARIO_BOUNDS])
{
    const struct workload_conf *w = &p->workload;
    struct scenario_derived d;
    size_t n = 0;
    scenario_derive(p, &d);
    double connections = scenario_connections(w);
    double line = d.line_gbps * fabric_ports_of(&p->topology);
    bounds[n++] = (struct scenario_bound){"line", scenario_ends(w) * line};
    if (d.rtt == 0)
        return n;
    bool packets = p->llp.kind == LLP_PACKET;
    if (packets && d.flight < PACKET_RANGE_MAX) /* a full one stands for an FPDU */
        bounds[n++] =
            (struct scenario_bound){"flight", connections * flying(&d, (uint64_t)d.flight * d.fpdu)};
    if (packets && p->llp.recovery != PACKET_GO_BACK_N)
        bounds[n++] = (struct scenario_bound){"track", connections * flying(&d, (uint64_t)d.track * d.fpdu)};
    if (!packets)
        bounds[n++] = (struct scenario_bound){"window", connections * flying(&d, p->rnic.window.bytes)};
    if (p->llp.send_buffer)
        bounds[n++] = (struct scenario_bound){"send_buffer", connections * flying(&d, p->llp.send_buffer)};
    if (p->llp.kind == LLP_MPA && p->llp.congestion == CONGESTION_fixed)
        bounds[n++] =
            (struct scenario_bound){"congestion", connections * flying(&d, p->llp.congestion_window)};
    double rtt = (double)d.rtt, serialization = (double)d.serialization;
    if (has_depth(w))
        bounds[n++] =
            (struct scenario_bound){"depth", connections * outstanding(p, &d, w->depth, rtt, serialization)};
    if (has_depth(w) && workload_is_asked_for(w->op))
        bounds[n++] = (struct scenario_bound){
            "ord", connections * outstanding(p, &d, llp_ord(&p->llp), rtt, serialization)};
    double least = scenario_collective(p);
    if (least > 0)
        bounds[n++] =
            (struct scenario_bound){"operation", (double)workload_octets(w) / (double)w->count * 8e3 / least};
    qsort(bounds, n, sizeof *bounds, least_first);
    return n;
}
