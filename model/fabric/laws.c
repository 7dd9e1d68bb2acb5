/* SPDX-License-Identifier: GPL-2.0-or-later */
/* laws.c -- what holds between two events, in sums over a network. Asked where laws are: engine/law.h. */
#include "fabric/fabric_inner.h"

enum {
    OFTEN = 4096,
    PORTS_MAX = 64
}; /* events between two counts; ports of a switch that are summed at each packet */

static bool lacks_memory(const struct fabric *f)
{
    return f->ended && f->end == FABRIC_MEMORY;
}

bool fabric_keeps_cells(const struct fabric *f)
{
    const struct fabric_counts *c = &f->counts;
    uint64_t in = c->sent + c->duplicated + f->frames, out = c->delivered + c->dropped + c->lost + c->failed;
    return f->parts || lacks_memory(f) || in == out + (uint64_t)f->arena.out;
}

bool fabric_keeps_packets(const struct fabric *f)
{
    if (f->counts.events % OFTEN || lacks_memory(f))
        return true;
    struct fabric_counts c = fabric_counts(f);
    return c.sent + c.duplicated == c.delivered + c.dropped + c.lost + c.failed + c.in_flight;
}

bool fabric_octets_agree(const struct fabric *f, const struct fabric_switch *s)
{
    uint64_t waiting = 0, ingress = 0;
    for (uint32_t p = s->first; s->ports <= PORTS_MAX && p < s->first + s->ports; p++) {
        waiting += f->queue[p].data.octets + f->queue[p].headers.octets;
        ingress += f->queue[p].ingress;
    }
    return s->ports > PORTS_MAX || (waiting == s->used && (!f->conf.pfc.on || ingress == s->used));
}

bool fabric_pauses_agree(const struct fabric *f)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < f->extent.ports; p++)
        n += f->queue[p].pausing;
    return n == f->pausing;
}

static bool ports_are_dealt(const struct fabric *f)
{
    uint32_t next = f->extent.hosts;
    for (uint32_t i = 0; i < f->extent.switches && f->fswitch[i].first == next; i++)
        next += f->fswitch[i].ports;
    return next == f->extent.ports;
}

bool fabric_is_joined(const struct fabric *f)
{
    bool joined = ports_are_dealt(f);
    for (uint32_t p = 0; p < f->extent.ports && joined; p++)
        joined = f->port[f->port[p].peer].peer == p;
    for (uint32_t h = 0; h < f->extent.hosts && joined; h++)
        joined = fabric_sender(f, h) == h;
    return joined;
}
