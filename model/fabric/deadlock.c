/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deadlock.c -- links that wait for each other: can they on these routes, and do they now?
 *
 * A switch that told the sender of a link to stop takes that back when it holds no more than xon of what came by it. It
 * never does when what it must still get rid of waits at ports that are stopped for ever themselves. */
#include "fabric/fabric_inner.h"

static bool is_host(const struct fabric *f, uint32_t node)
{
    return node < f->extent.hosts;
}

/* ---- now ---- */

/* The first half of scratch: stuck, by the port that told its other side to stop. The second: octets held, likewise. */
static uint32_t *stuck_of(const struct fabric *f)
{
    return f->scratch;
}

static bool blocked(const struct fabric *f, uint32_t link)
{
    return f->port[link].paused && stuck_of(f)[f->port[link].peer];
}

static void suspect_all(struct fabric *f)
{
    for (uint32_t p = 0; p < f->extent.ports; p++)
        stuck_of(f)[p] = f->queue[p].pausing;
}

static void hold(struct fabric *f, const struct fabric_fifo *fifo)
{
    uint32_t *held = f->scratch + f->extent.ports;
    for (const struct fabric_cell *c = fifo->head; c; c = c->next)
        held[f->port[c->ingress].peer] += c->size;
}

static void hold_all(struct fabric *f)
{
    uint32_t *held = f->scratch + f->extent.ports;
    for (uint32_t p = 0; p < f->extent.ports; p++)
        held[p] = 0;
    for (uint32_t p = fabric_host_links(f); p < f->extent.ports; p++)
        if (blocked(f, p))
            hold(f, &f->queue[p].data);
}

/* Those whose blocked ports hold too little are not stuck, after all. */
static bool clear_some(struct fabric *f)
{
    const uint32_t *held = f->scratch + f->extent.ports;
    bool some = false;
    for (uint32_t p = 0; p < f->extent.ports; p++)
        if (stuck_of(f)[p] && held[p] <= f->conf.pfc.xon) {
            stuck_of(f)[p] = 0;
            some = true;
        }
    return some;
}

static uint32_t first_stuck(const struct fabric *f)
{
    for (uint32_t p = 0; p < f->extent.ports; p++)
        if (stuck_of(f)[p])
            return p;
    return NONE;
}

bool fabric_deadlocked(struct fabric *f)
{
    suspect_all(f);
    do
        hold_all(f);
    while (clear_some(f));
    return first_stuck(f) != NONE;
}

static bool holds_from(const struct fabric *f, uint32_t link, uint32_t back)
{
    for (const struct fabric_cell *c = f->queue[link].data.head; c; c = c->next)
        if (f->port[c->ingress].peer == back)
            return true;
    return false;
}

/* A stopped port of the same switch that keeps what came in by `back` from leaving. */
static uint32_t blocker(const struct fabric *f, uint32_t back)
{
    const struct fabric_switch *s = &f->fswitch[f->port[f->port[back].peer].peer_node - f->extent.hosts];
    for (uint32_t p = s->first; p < s->first + s->ports; p++)
        if (blocked(f, p) && holds_from(f, p, back))
            return p;
    return NONE;
}

/* Go where each waits for the next: as many steps as there are ports lead onto a circle; once round it then. */
uint32_t fabric_deadlock(struct fabric *f, uint32_t *links, uint32_t max)
{
    if (!f->conf.pfc.on || !fabric_deadlocked(f))
        return 0;
    uint32_t at = first_stuck(f), n = 0;
    for (uint32_t i = 0; i < f->extent.ports; i++)
        at = f->port[blocker(f, at)].peer;
    uint32_t start = at;
    do {
        uint32_t link = blocker(f, at);
        LAW(n < f->extent.ports && link < f->extent.ports);
        if (n < max)
            links[n] = link;
        n++;
        at = f->port[link].peer;
    } while (at != start);
    return n;
}

/* ---- ever ---- */

static bool leads(const struct fabric *f, uint32_t node, uint32_t to, uint32_t link)
{
    uint32_t n = f->topology->ways(f, node, to);
    for (uint32_t i = 0; i < n; i++)
        if (f->topology->way(f, node, to, i) == link)
            return true;
    return false;
}

/* Can a packet that came by `link` go on by `next`? Hosts of one switch, and of no other, are reached alike, up to it. */
static bool follows(const struct fabric *f, uint32_t link, uint32_t next)
{
    uint32_t from = f->port[f->port[link].peer].peer_node, node = f->port[link].peer_node, last = NONE;
    for (uint32_t to = 0; to < f->extent.hosts; to++) {
        uint32_t behind = f->port[fabric_first_port(f, to)].peer_node;
        if ((behind == last && f->extent.host_ports == 1) || behind == node)
            continue;
        last = behind;
        if (behind != from && leads(f, from, to, link) && leads(f, node, to, next))
            return true;
    }
    return false;
}

/* Depth first. State of a link: the one before it on the way, and whether it is on the way (1) or done with (2). */
static uint32_t *states_of_links(const struct fabric *f)
{
    return f->scratch;
}

static uint32_t *tried_of(const struct fabric *f)
{
    return f->scratch + f->extent.ports;
}

static uint32_t before_it(const struct fabric *f, uint32_t link)
{
    return states_of_links(f)[link] >> 2;
}

/* The links from `last` back to `first`, in the order of travel. */
static uint32_t circle(const struct fabric *f, uint32_t first, uint32_t last, uint32_t *links, uint32_t max)
{
    uint32_t n = 1;
    for (uint32_t at = last; at != first; at = before_it(f, at))
        n++;
    LAW(n <= f->extent.ports);
    for (uint32_t i = n, at = last; i--; at = before_it(f, at))
        if (i < max)
            links[i] = at;
    return n;
}

/* One step on from `*link`; true: `*next` was on the way already. */
static bool follow_wait(struct fabric *f, uint32_t *link, uint32_t *next)
{
    const struct fabric_switch *s = &f->fswitch[f->port[*link].peer_node - f->extent.hosts];
    uint32_t tried = tried_of(f)[*link]++;
    if (tried == s->ports) {
        uint32_t back = before_it(f, *link);
        states_of_links(f)[*link] = 2;
        *link = back == *link ? NONE : back;
        return false;
    }
    *next = s->first + tried;
    if (is_host(f, f->port[*next].peer_node) || states_of_links(f)[*next] == 2 || !follows(f, *link, *next))
        return false;
    if (states_of_links(f)[*next])
        return true;
    states_of_links(f)[*next] = *link << 2 | 1;
    *link = *next;
    return false;
}

uint32_t fabric_cycle(struct fabric *f, uint32_t *links, uint32_t max)
{
    if (!f->conf.pfc.on || !f->topology->in_circles)
        return 0; /* up a tree, then down: nothing waits in a circle */
    for (uint32_t i = 0; i < 2 * f->extent.ports; i++)
        f->scratch[i] = 0;
    for (uint32_t root = fabric_host_links(f); root < f->extent.ports; root++) {
        uint32_t next = NONE, link = root;
        if (states_of_links(f)[root] || is_host(f, f->port[root].peer_node))
            continue;
        states_of_links(f)[root] = root << 2 | 1;
        while (link != NONE)
            if (follow_wait(f, &link, &next))
                return circle(f, next, link, links, max);
    }
    return 0;
}
