/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/binding.h"

#include <math.h>
#include <string.h>

#include "helpers/scenario/bound.h"

/* One part at work on one message: picoseconds, by number. */
enum { TERMS = 4 };
struct term {
    const char *name;
    double time;
};
struct part {
    struct term term[TERMS];
};
enum part_name { POSTS, SENDS, RECEIVES, CHECKS, DECRYPTS, WRITES, FETCHES, CROSSES_BUS, COPIES, PARTS };

struct message {
    double size, segments, wire; /* octets; with the headers that the pipelines see */
};

static double octets_at(double octets, uint64_t rate)
{
    return rate == RNIC_UNLIMITED ? 0 : octets * 8e12 / (double)rate;
}

/* One request, and its completion. */
static double interrupt_time(const struct rnic_conf *r)
{
    return r->completion.mode == RNIC_INTERRUPT ? (double)r->cpu.wakeup / (double)r->completion.count : 0;
}

enum { PAGE = 4096 };

/* A message's segments over PCIe: on its lanes, or waiting for credits or tags, whichever takes longer. */
static struct term crossing(const struct rnic_conf *r, const char *wait, const struct message *m,
                            uint64_t each, uint64_t at_once)
{
    static const double lane_gbps[] = {0, 2, 4, 8 * 128.0 / 130, 16 * 128.0 / 130, 32 * 128.0 / 130};
    double segment = m->size / m->segments, packets = ceil(segment / (double)r->pcie.payload);
    double octets = m->segments * (segment + packets * (double)r->pcie.overhead);
    double lanes = lane_gbps[r->pcie.generation] * (double)r->pcie.lanes;
    double wire = lanes > 0 ? octets * 8e3 / lanes : 0;
    double waits = m->segments * ceil(segment / (double)each) * (double)r->pcie.read / (double)at_once;
    return wire > waits ? (struct term){"pcie.lanes", wire} : (struct term){wait, waits};
}

/* How many of an adapter's pipelines have work: a connection uses one. `several`: its connections go to all other hosts. */
static double pipelines(const struct scenario_point *p, uint64_t queues, bool several)
{
    double peers = several ? p->workload.hosts - 1 : 1;
    return fmin((double)queues, peers * p->workload.connections);
}

static bool at_sender(size_t part)
{
    return part == POSTS || part == SENDS || part == FETCHES;
}

/* The look-ups of a message, one after the other. */
static double walking(const struct rnic_conf *r, const struct message *m, uint64_t miss)
{
    double pages = m->segments * ceil(m->size / m->segments / PAGE);
    return pages * (double)miss / 1000 * (double)r->iommu.walk;
}

static void sender_parts(const struct rnic_conf *r, const struct message *m, double out,
                         struct part part[PARTS])
{
    double cores = (double)r->cpu.cores;
    bool in_turn = r->read_order == RNIC_READS_ONE_BY_ONE;
    part[POSTS] = (struct part){{{"cpu.post", (double)r->cpu.post / cores},
                                 {"cpu.poll", (double)r->cpu.poll / cores},
                                 {"cpu.wakeup", interrupt_time(r) / cores}}};
    part[SENDS] =
        (struct part){{{"tx.segment", m->segments * (double)r->tx.segment / (double)r->tx.burst / out},
                       {"tx.rate", octets_at(m->wire, r->tx.rate) / out}}};
    if (m->size > (double)r->inline_bytes)
        part[FETCHES] = (struct part){{crossing(r, "pcie.reads", m, r->pcie.request, r->pcie.reads),
                                       {"tx.descriptor", (double)r->pcie.read / (double)r->pcie.reads},
                                       {"iommu.walk", in_turn ? walking(r, m, r->iommu.read_miss) : 0}}};
}

static void receiver_parts(const struct rnic_conf *r, const struct message *m, double out, double in,
                           struct part part[PARTS])
{
    bool copied = rnic_path_is(r->receive, RNIC_BY_CPU);
    bool walks = r->pcie.ordering == RNIC_STRICT;
    double cores = (double)r->cpu.cores, crossings = copied ? 3 : 1;
    part[RECEIVES] =
        (struct part){{{"rx.segment", m->segments * (double)r->rx.segment / (double)r->rx.coalesce / in},
                       {"rx.rate", octets_at(m->wire, r->rx.rate) / in}}};
    part[CHECKS] = (struct part){{{"rx.crc_rate", octets_at(m->wire, r->rx.crc_rate) / in}}};
    part[DECRYPTS] = (struct part){{{"crypto.rate", octets_at(m->wire, r->crypto.rate) / fmin(in, out)}}};
    part[WRITES] = (struct part){{crossing(r, "pcie.credits", m, r->pcie.payload, r->pcie.credits),
                                  {"iommu.walk", walks ? walking(r, m, r->iommu.miss) : 0}}};
    if (r->bus.rate != RNIC_UNLIMITED)
        part[CROSSES_BUS] =
            (struct part){{{"bus.rate", octets_at(crossings * m->size, r->bus.rate - r->bus.background)}}};
    if (copied)
        part[COPIES] = (struct part){{{"cpu.segment", m->segments * (double)r->cpu.segment / cores},
                                      {"cpu.copy_rate", octets_at(m->size, r->cpu.copy_rate) / cores},
                                      {"cpu.syscall", (double)r->cpu.syscall / cores},
                                      {"cpu.wakeup", interrupt_time(r) / cores}}};
}

/* Those that have no work take no time. */
static void parts_of(const struct scenario_point *p, const struct message *m, struct part part[PARTS])
{
    double out = pipelines(p, p->rnic.tx.queues, workload_is(p->workload.kind, WORKLOAD_SPREADS));
    double in = pipelines(p, p->rnic.rx.queues, workload_is(p->workload.kind, WORKLOAD_CONVERGES));
    sender_parts(&p->rnic, m, out, part);
    receiver_parts(&p->rnic, m, out, in, part);
}

static double sum_of(const struct part *part)
{
    double sum = 0;
    for (size_t i = 0; i < TERMS; i++)
        sum += part->term[i].time;
    return sum;
}

/* The number that takes most of a part's time. */
static const char *largest(const struct part *part)
{
    size_t best = 0;
    for (size_t i = 1; i < TERMS; i++)
        best = part->term[i].time > part->term[best].time ? i : best;
    return part->term[best].name;
}

/* The number is the preset's own, or one of its range; else somebody gave another. */
static const struct rnic_fact *fact_of(const struct scenario_point *p, const char *name)
{
    const struct rnic_fact *fact = rnic_preset_fact(&rnic_presets[p->preset], name);
    if (!fact)
        return NULL;
    uint64_t value = parameter_get(&p->rnic, parameter_find(&rnic_parameters, name));
    return value == fact->low || value == fact->value || value == fact->high ? fact : NULL;
}

static void take_slower(const struct scenario_point *p, struct scenario_binding *b, const char *name,
                        double gbps)
{
    if (name && gbps > 0 && gbps < b->gbps)
        *b = (struct scenario_binding){name, fact_of(p, name), gbps};
}

void scenario_slowest_part(const struct scenario_point *p, struct scenario_binding *b)
{
    struct part part[PARTS] = {0};
    struct scenario_derived d;
    scenario_derive(p, &d);
    struct message m = {.size = p->workload.size};
    m.segments = m.size > 0 ? ceil(m.size / d.payload) : 1;
    m.wire = m.size + m.segments * (double)(d.fpdu - d.payload);
    bool meet =
        workload_is(p->workload.kind, WORKLOAD_CONVERGES) && !workload_is(p->workload.kind, WORKLOAD_SPREADS);
    double senders = meet ? p->workload.hosts - 1 : 1;
    double alone = (double)workload_connections(&p->workload);
    *b = (struct scenario_binding){NULL, NULL, INFINITY};
    parts_of(p, &m, part);
    for (size_t i = 0; i < PARTS; i++) {
        double time = sum_of(&part[i]);
        if (time > 0)
            take_slower(p, b, largest(&part[i]), (at_sender(i) ? senders : 1) * m.size * 8e3 / time);
    }
    if (p->rnic.tx.connection_rate != RNIC_UNLIMITED)
        take_slower(p, b, "tx.connection_rate",
                    alone * m.size * 8e3 / octets_at(m.wire, p->rnic.tx.connection_rate));
}

/* The longest time of the way of one message, when nothing waits. */
static const char *longest_time(const struct rnic_conf *r, bool fetched)
{
    const struct {
        const char *name;
        double time;
    } times[] = {
        {"tx.doorbell", (double)r->tx.doorbell},
        {"tx.latency", (double)r->tx.latency},
        {"rx.latency", (double)r->rx.latency},
        {"pcie.read", fetched ? 2 * (double)r->pcie.read : 0},
        {"pcie.write", (double)r->pcie.write},
        {"completion.latency", r->completion.mode == RNIC_INTERRUPT ? (double)r->completion.latency : 0},
        {"cpu.wakeup", interrupt_time(r)},
        {"cpu.segment", rnic_path_is(r->receive, RNIC_BY_CPU) ? (double)r->cpu.segment : 0}};
    size_t best = 0;
    for (size_t i = 1; i < sizeof times / sizeof *times; i++)
        best = times[i].time > times[best].time ? i : best;
    return times[best].time > 0 ? times[best].name : NULL;
}

static bool is_simple(const struct workload_conf *w)
{
    return workload_is(w->kind, WORKLOAD_MOVES) && !w->sizes && w->size;
}

/* What the least of the other bounds is called in the adapter; NULL: it is none of the adapter's. */
static const char *number_of(const struct scenario_point *p, const char *bound)
{
    if (strcmp(bound, "window") == 0)
        return "window.bytes";
    bool waits = strcmp(bound, "depth") == 0 || strcmp(bound, "ord") == 0;
    return waits ? longest_time(&p->rnic, p->workload.size > p->rnic.inline_bytes) : NULL;
}

bool scenario_binding(const struct scenario_point *p, struct scenario_binding *b)
{
    struct scenario_bound other[SCENARIO_BOUNDS];
    if (!is_simple(&p->workload))
        return false;
    scenario_bounds(p, other);
    scenario_slowest_part(p, b);
    bool in_turn = workload_is(p->workload.kind, WORKLOAD_ALTERNATES);
    if (b->name && b->gbps < other[0].gbps && !in_turn)
        return true;
    const char *name = number_of(p, in_turn ? "depth" : other[0].name);
    *b = (struct scenario_binding){name, name ? fact_of(p, name) : NULL, other[0].gbps};
    return name != NULL && p->preset != 0;
}

static void add_guess(struct binding_guesses *g, const char *name)
{
    char whole[64];
    size_t used = strlen(g->names);
    g->points++;
    snprintf(whole, sizeof whole, "rnic.%s", name);
    if (!strstr(g->names, whole) && used + strlen(whole) + 3 < sizeof g->names)
        snprintf(g->names + used, sizeof g->names - used, "%s%s", used ? ", " : "", whole);
}

void guesses_of(const struct scenario *s, struct binding_guesses *g)
{
    bool swept = scenario_sweeps(s, key_find("rnic.draw"));
    *g = (struct binding_guesses){0};
    for (size_t i = 0; i < s->points; i++) {
        struct scenario_point p;
        struct scenario_binding b;
        char error[SCENARIO_ERROR_MAX];
        scenario_point(s, i, 0, &p, error);
        if (swept && p.draw)
            continue;
        g->of++;
        if (scenario_binding(&p, &b) && b.fact && b.fact->grade == RNIC_GUESS)
            add_guess(g, b.name);
    }
}
