/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c -- several workloads at once, each a workload of its own that sees hosts and connections numbered from 0 (kind.h).
 */
#include <string.h>

#include "engine/least.h"
#include "scenarios/workloads/kind.h"

/* ---- whose connection ---- */

uint32_t workload_part_of(const struct workload_conf *conf, uint32_t conn)
{
    uint32_t i = 0;
    for (; i + 1 < conf->parts; i++) {
        uint32_t here = workload_connections(conf->part[i].conf);
        if (conn < here)
            break;
        conn -= here;
    }
    return i;
}

const struct workload_conf *workload_conf_of(const struct workload_conf *conf, uint32_t *conn)
{
    uint32_t i = workload_part_of(conf, *conn);
    for (uint32_t before = 0; conf->parts && before < i; before++)
        *conn -= workload_connections(conf->part[before].conf);
    return conf->parts ? conf->part[i].conf : conf;
}

struct workload *part_with(struct workload *w, uint32_t *conn)
{
    if (!w->conf.parts)
        return w;
    uint32_t i = w->conf.parts - 1;
    while (*conn < w->part[i]->base)
        i--;
    *conn -= w->part[i]->base;
    LAW(*conn < w->part[i]->connections);
    return w->part[i];
}

static uint32_t hosts_in(const struct workload_range *r)
{
    LAW(r->step && r->first <= r->last && (r->last - r->first) % r->step == 0); /* `last` is one of them */
    return (r->last - r->first) / r->step + 1;
}

uint32_t part_host(const struct workload_part *part, uint32_t host)
{
    for (uint32_t i = 0; part && i < part->ranges; i++) {
        uint32_t here = hosts_in(&part->range[i]);
        if (host < here)
            return part->range[i].first + host * part->range[i].step;
        host -= here;
    }
    return host;
}

uint32_t part_own_host(const struct workload_part *part, uint32_t host)
{
    uint32_t before = 0;
    for (uint32_t i = 0; part && i < part->ranges; i++) {
        const struct workload_range *r = &part->range[i];
        if (workload_range_has(r, host))
            return before + (host - r->first) / r->step;
        before += hosts_in(r);
    }
    return host;
}

uint32_t part_number(const struct workload *w)
{
    return w->as ? (uint32_t)(w->as - w->whole->conf.part) : 0;
}

struct workload *part_numbered(struct workload *w, uint32_t number)
{
    LAW(w->whole ? number < w->whole->conf.parts : !number);
    return w->whole ? w->whole->part[number] : w;
}

struct workload_pair parts_pair(const struct workload_conf *conf, uint32_t conn)
{
    const struct workload_part *part = &conf->part[workload_part_of(conf, conn)];
    const struct workload_conf *own = workload_conf_of(conf, &conn);
    struct workload_pair pair = workload_pair(own, conn);
    return (struct workload_pair){part_host(part, pair.from), part_host(part, pair.to)};
}

/* ---- what they need together ---- */

struct workload_needs parts_needs(const struct workload_conf *conf)
{
    struct workload_needs sum = {0};
    for (uint32_t i = 0; i < conf->parts; i++) {
        struct workload_needs one = workload_needs(conf->part[i].conf);
        sum.sq_max = (uint16_t)most(sum.sq_max, one.sq_max);
        sum.rq_max = (uint16_t)most(sum.rq_max, one.rq_max);
        sum.regions_max += one.regions_max;
        sum.cq_entries += one.cq_entries;
        sum.profile |= one.profile;
    }
    return sum;
}

const char *parts_error(const struct workload_conf *conf)
{
    enum { REGIONS_MAX = 1 << 24, CONNECTIONS_MAX = 1 << 24 };
    uint64_t connections = 0, regions = 0, completions = 0;
    for (uint32_t i = 0; i < conf->parts; i++) {
        const struct workload_conf *one = conf->part[i].conf;
        const char *why = workload_conf_error(one);
        if (why)
            return why;
        connections += workload_connections(one);
        regions += workload_needs(one).regions_max;
        completions += workload_needs(one).cq_entries;
    }
    if (connections > CONNECTIONS_MAX)
        return "more than 16777216 connections together";
    if (regions > REGIONS_MAX)
        return "more regions on one host than an STag can name (2^24)";
    return completions > UINT32_MAX ? "more completions outstanding on one host than a queue can count"
                                    : NULL;
}

/* ---- life ---- */

/* The world has one timer: it stands for the soonest of all. */
void parts_set_timer(struct workload *whole)
{
    uint64_t soonest = IW_NEVER;
    for (uint32_t i = 0; i < whole->conf.parts; i++)
        soonest = whole->part[i]->due < soonest ? whole->part[i]->due : soonest;
    ask_wake(whole, soonest);
}

size_t parts_size(const struct workload_conf *conf)
{
    size_t size = align16(conf->parts * sizeof(struct workload *));
    for (uint32_t i = 0; i < conf->parts; i++)
        size += align16(workload_size(conf->part[i].conf));
    return size;
}

void parts_init(struct workload *w, uint8_t *memory)
{
    w->part = (struct workload **)(void *)memory;
    memory += align16(w->conf.parts * sizeof(struct workload *));
    for (uint32_t i = 0, base = 0; i < w->conf.parts; i++) {
        const struct workload_part *as = &w->conf.part[i];
        struct workload *part = w->part[i] = workload_init(memory, as->conf, &w->notes);
        part->whole = w;
        part->as = as;
        part->base = base;
        part->due = IW_NEVER;
        memory += align16(workload_size(as->conf));
        base += part->connections;
    }
    LAW((size_t)(memory - (uint8_t *)w->part) ==
        parts_size(&w->conf)); /* what was carved is what was asked for */
}

static void start_part(struct workload *part, uint64_t now)
{
    LAW(!part->under_way);
    part->due = IW_NEVER;
    part->under_way = true;
    workload_start(part, now);
}

void parts_start(struct workload *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->conf.parts; i++) {
        struct workload *part = w->part[i];
        if (part->conf.start)
            part->due = now + part->conf.start;
        else
            start_part(part, now);
    }
    parts_set_timer(w);
}

void parts_wake(struct workload *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->conf.parts; i++) {
        struct workload *part = w->part[i];
        if (part->due > now)
            continue;
        if (part->under_way)
            workload_wake(part, now);
        else
            start_part(part, now);
        LAW(part->due > now); /* what was due is done */
    }
    parts_set_timer(w);
}

bool parts_waits(const struct workload *w, struct workload_waits *waits)
{
    for (uint32_t i = 0; i < w->conf.parts; i++)
        if (workload_waits(w->part[i], waits)) {
            waits->conn += w->part[i]->base;
            return true;
        }
    return false;
}
