/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c -- several workloads at once, each a workload of its own that sees hosts and connections numbered from 0 (kind.h).
 *
 *     world <-> the whole <-> a share: hosts and connections by their numbers in the whole <-> the part
 */
#include <string.h>

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
    while (*conn < w->share[i].w->base)
        i--;
    *conn -= w->share[i].w->base;
    return w->share[i].w;
}

/* The number in the network of a part's host. */
static uint32_t host_of(const struct workload_part *part, uint32_t host)
{
    for (uint32_t i = 0; i < part->ranges; i++) {
        uint32_t here = part->range[i].last - part->range[i].first + 1;
        if (host < here)
            return part->range[i].first + host;
        host -= here;
    }
    return host;
}

struct workload_pair parts_pair(const struct workload_conf *conf, uint32_t conn)
{
    const struct workload_part *part = &conf->part[workload_part_of(conf, conn)];
    const struct workload_conf *own = workload_conf_of(conf, &conn);
    struct workload_pair pair = workload_pair(own, conn);
    return (struct workload_pair){host_of(part, pair.from), host_of(part, pair.to)};
}

/* ---- what they need together ---- */

static uint16_t larger(uint16_t a, uint16_t b)
{
    return a > b ? a : b;
}

struct workload_needs parts_needs(const struct workload_conf *conf)
{
    struct workload_needs sum = {0};
    for (uint32_t i = 0; i < conf->parts; i++) {
        struct workload_needs one = workload_needs(conf->part[i].conf);
        sum.sq_max = larger(sum.sq_max, one.sq_max);
        sum.rq_max = larger(sum.rq_max, one.rq_max);
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

/* ---- what a part asks for ---- */

static int share_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    const struct workload_share *s = context;
    const struct workload_world *world = &s->whole->world;
    return world->memory(world->context, host_of(s->as, host), region, stag);
}

static int share_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    const struct workload_share *s = context;
    const struct workload_world *world = &s->whole->world;
    return world->rebind(world->context, host_of(s->as, host), stag, region);
}

static int share_invalidate(void *context, uint32_t host, iw_stag stag)
{
    const struct workload_share *s = context;
    const struct workload_world *world = &s->whole->world;
    return world->invalidate(world->context, host_of(s->as, host), stag);
}

static int share_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    const struct workload_share *s = context;
    const struct workload_world *world = &s->whole->world;
    return world->post(world->context, now, s->w->base + conn, side, work);
}

static int share_close(void *context, uint64_t now, uint32_t conn, int side, enum iw_close_how how)
{
    const struct workload_share *s = context;
    const struct workload_world *world = &s->whole->world;
    return world->close(world->context, now, s->w->base + conn, side, how);
}

static int share_inject(void *context, uint64_t now, uint32_t conn, int side,
                        const struct workload_wrong *wrong)
{
    const struct workload_share *s = context;
    const struct workload_world *world = &s->whole->world;
    return world->inject ? world->inject(world->context, now, s->w->base + conn, side, wrong) : IW_EINVAL;
}

/* The world has one timer: it stands for the soonest of all. */
static void set_timer(struct workload *whole)
{
    uint64_t soonest = IW_NEVER;
    for (uint32_t i = 0; i < whole->conf.parts; i++)
        soonest = whole->share[i].due < soonest ? whole->share[i].due : soonest;
    whole->world.wake(whole->world.context, soonest);
}

static void share_wake(void *context, uint64_t at)
{
    struct workload_share *s = context;
    s->due = at;
    set_timer(s->whole);
}

/* ---- what it tells ---- */

static void share_message(void *context, uint64_t now, const struct workload_message *message)
{
    const struct workload_share *s = context;
    struct workload_message m = *message;
    m.conn += s->w->base;
    s->whole->notes.message(s->whole->notes.context, now, &m);
}

static void share_broken(void *context, uint64_t now, const struct workload_broken *broken)
{
    const struct workload_share *s = context;
    struct workload_broken b = *broken;
    b.conn += s->w->base;
    s->whole->notes.broken(s->whole->notes.context, now, &b);
}

/* ---- life ---- */

size_t parts_size(const struct workload_conf *conf)
{
    size_t size = align16(conf->parts * sizeof(struct workload_share));
    for (uint32_t i = 0; i < conf->parts; i++)
        size += align16(workload_size(conf->part[i].conf));
    return size;
}

void parts_init(struct workload *w)
{
    static const struct workload_world world = {NULL,       share_memory, share_rebind, share_invalidate,
                                                share_post, share_close,  share_wake,   share_inject,
                                                NULL};
    uint8_t *p = (uint8_t *)w->share + align16(w->conf.parts * sizeof *w->share);
    uint32_t base = 0;
    for (uint32_t i = 0; i < w->conf.parts; i++) {
        const struct workload_part *as = &w->conf.part[i];
        struct workload_share *s = &w->share[i];
        struct workload_world mine = world;
        struct workload_notes notes = {s, share_message, share_broken};
        mine.context = s;
        *s = (struct workload_share){.whole = w, .as = as, .due = IW_NEVER};
        s->w = workload_init(p, as->conf, &mine, &notes);
        s->w->base = base;
        p += align16(workload_size(as->conf));
        base += s->w->connections;
    }
}

int parts_prepare(struct workload *w)
{
    int result = IW_OK;
    for (uint32_t i = 0; result == IW_OK && i < w->conf.parts; i++)
        result = workload_prepare(w->share[i].w);
    return result;
}

static void start_share(struct workload_share *s, uint64_t now)
{
    s->due = IW_NEVER;
    s->under_way = true;
    workload_start(s->w, now);
}

void parts_start(struct workload *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->conf.parts; i++) {
        struct workload_share *s = &w->share[i];
        if (s->w->conf.start)
            s->due = now + s->w->conf.start;
        else
            start_share(s, now);
    }
    set_timer(w);
}

void parts_wake(struct workload *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->conf.parts; i++) {
        struct workload_share *s = &w->share[i];
        if (s->due > now)
            continue;
        if (s->under_way)
            workload_wake(s->w, now);
        else
            start_share(s, now);
    }
    set_timer(w);
}

void parts_stop(struct workload *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->conf.parts; i++)
        workload_stop(w->share[i].w, now);
}

bool parts_over(const struct workload *w)
{
    bool over = true;
    for (uint32_t i = 0; over && i < w->conf.parts; i++)
        over = workload_over(w->share[i].w);
    return over;
}

bool parts_waits(const struct workload *w, struct workload_waits *waits)
{
    for (uint32_t i = 0; i < w->conf.parts; i++)
        if (workload_waits(w->share[i].w, waits)) {
            waits->conn += w->share[i].w->base;
            return true;
        }
    return false;
}
