/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adaptive.c -- the shortest of equal ways: what their ports have still to send decides, packet by packet, or as long as a
 * flow finds its own port not much longer than the shortest. */
#include "fabric/fabric_inner.h"

uint32_t fabric_kept_of(const struct fabric_conf *c)
{
    return c->routing == FABRIC_ADAPTIVE && c->adaptive.sticky != FABRIC_NOT_STICKY ? FLOWS_KEPT : 0;
}

/* Octets with those of the packet on the wire and its framing, in whole steps; UINT64_MAX: routes avoid it. */
static uint64_t backlog(struct fabric *f, uint32_t node, uint32_t to, uint32_t way)
{
    uint32_t link = f->topology->way(f, node, to, way);
    if (f->port[link].avoided)
        return UINT64_MAX;
    struct fabric_backlog b = f->conf.backlog ? f->conf.backlog(f->conf.user, link) : f->backlog(f, link);
    uint64_t octets = b.waiting + b.busy * f->line[f->port[link].line].rate / UINT64_C(8000000000000);
    return octets - octets % f->conf.adaptive.quantum;
}

/* The shortest, and how many ways have it. */
struct shortest {
    uint64_t octets;
    uint32_t count;
};

static struct shortest shortest(struct fabric *f, uint32_t node, uint32_t to, uint32_t ways)
{
    struct shortest s = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < ways; i++) {
        uint64_t octets = backlog(f, node, to, i);
        if (octets < s.octets)
            s = (struct shortest){octets, 0};
        s.count += octets == s.octets;
    }
    LAW(s.count && s.count <= ways);
    return s;
}

/* The nth of the shortest. */
static uint32_t one_of(struct fabric *f, uint32_t node, uint32_t to, const struct shortest *s, uint32_t nth)
{
    uint32_t i = 0;
    for (;; i++)
        if (backlog(f, node, to, i) == s->octets && !nth--)
            return i;
}

/* Where a switch remembers the way of a flow; flows share a place when there are more of them. */
static uint16_t *kept_by(const struct fabric *f, uint32_t node, const struct fabric_cell *c)
{
    uint32_t flow = 2 * c->connection + c->direction;
    return &f->kept[(size_t)(node - f->extent.hosts) * FLOWS_KEPT + flow % FLOWS_KEPT];
}

uint32_t fabric_adapt(struct fabric *f, uint32_t node, const struct fabric_cell *c, uint32_t ways,
                      uint64_t choice)
{
    struct shortest s = shortest(f, node, c->to, ways);
    uint16_t *kept = f->kept ? kept_by(f, node, c) : NULL;
    if (kept && *kept && *kept <= ways &&
        backlog(f, node, c->to, *kept - 1u) <= s.octets + f->conf.adaptive.sticky)
        return *kept - 1u;
    uint32_t way = one_of(f, node, c->to, &s, fabric_pick(choice, s.count));
    if (kept)
        *kept = (uint16_t)(way + 1);
    return way;
}
