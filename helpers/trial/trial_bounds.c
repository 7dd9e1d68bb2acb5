/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_bounds.c -- what held connections back, and for how long.
 *
 * Both sides of a connection make one answer. In a window two parts of a world may tell of them, so what they tell waits in a list
 * of each part, and is counted, connection by connection, when all parts are past that window: by one of the two parts while
 * the next one goes on. The order of two sides at one instant changes nothing. */
#include <stdlib.h>

#include "helpers/trial/trial_inner.h"

void bounds_start(struct trial_flow *f)
{
    f->bound_since = IW_NEVER;
    f->bound[0] = f->bound[1] = f->bound_was = f->side[0].bound = f->side[1].bound = NODE_BY_NOTHING;
}

/* ---- of one connection ---- */

static bool waits_for_peer(enum node_bound b)
{
    return b == NODE_BY_DEPTH || b == NODE_BY_ORD || b == NODE_BY_NOTHING;
}

/* Of both sides: who has something to send decides, be it the answer to a Read; else what the requests wait for. */
static enum node_bound bound_of(const enum node_bound side[2])
{
    bool first = !waits_for_peer(side[0]), second = !waits_for_peer(side[1]);
    if (first != second)
        return first ? side[0] : side[1];
    return side[0] < side[1] ? side[0] : side[1];
}

/* Idle time counts when something follows it. */
static void count(struct trial_flow *f, uint64_t ps[NODE_BOUNDS], uint64_t now, int side,
                  enum node_bound bound)
{
    f->bound[side] = bound;
    enum node_bound is = bound_of(f->bound);
    if (is == f->bound_was && f->bound_since != IW_NEVER)
        return;
    if (f->bound_since != IW_NEVER)
        ps[f->bound_was] += now - f->bound_since;
    if (f->bound_since != IW_NEVER || is != NODE_BY_NOTHING)
        f->bound_since = now;
    f->bound_was = is;
}

/* ---- of a window ---- */

static bool has_room(struct trial_bounds *l)
{
    size_t room = l->room ? 2 * l->room : 64;
    struct trial_bound *more = l->count < l->room ? l->at : realloc(l->at, room * sizeof *more);
    if (!more)
        return false;
    l->room = l->count < l->room ? l->room : room;
    l->at = more;
    return true;
}

static void keep(struct trial *t, struct trial_tally *a, const struct trial_bound *b)
{
    struct trial_bounds *l = &a->bounds[t->windows % 2];
    struct trial_told *told = &t->flow[b->user / 2].side[b->user % 2].told[t->windows % 2];
    uint32_t number = (uint32_t)l->count;
    if (!has_room(l)) {
        a->no_memory = true;
        return;
    }
    l->at[l->count++] = *b;
    if (told->window == t->windows)
        l->at[told->last].next = number;
    else
        *told = (struct trial_told){t->windows, (uint32_t)(a - t->tally), number, number};
    told->last = number;
}

/* What both sides of a connection told in a window and is not counted yet. */
struct pending {
    const struct trial_bound *list[2], *next[2];
};

static struct pending pending_of(const struct trial *t, const struct trial_flow *f, uint64_t window)
{
    struct pending p = {0};
    for (int side = 0; side < 2; side++) {
        const struct trial_told *told = &f->side[side].told[window % 2];
        if (told->window != window)
            continue;
        p.list[side] = t->tally[told->part].bounds[window % 2].at;
        p.next[side] = &p.list[side][told->first];
    }
    return p;
}

static void count_until(struct trial_flow *f, uint64_t ps[NODE_BOUNDS], struct pending *p, uint64_t until)
{
    while (p->next[0] || p->next[1]) {
        int side = !p->next[0] || (p->next[1] && p->next[1]->at < p->next[0]->at);
        const struct trial_bound *b = p->next[side];
        if (b->at > until)
            return;
        count(f, ps, b->at, side, b->bound);
        p->next[side] = b->next ? &p->list[side][b->next] : NULL;
    }
}

/* Is it the first that waits of its side, and the side the first of its connection of which something does? */
static bool counts(const struct trial_flow *f, uint32_t user, uint32_t number, uint64_t window)
{
    const struct trial_told *first = &f->side[0].told[window % 2], *own = &f->side[user % 2].told[window % 2];
    return own->window == window && own->first == number && (user % 2 == 0 || first->window != window);
}

void trial_settle_window(struct trial *t, uint32_t part)
{
    uint64_t window = t->windows - 1;
    struct trial_tally *a = &t->tally[part];
    struct trial_bounds *l = &a->bounds[window % 2];
    for (uint32_t i = 0; i < l->count; i++) {
        struct trial_flow *f = &t->flow[l->at[i].user / 2];
        if (!counts(f, l->at[i].user, i, window))
            continue;
        struct pending p = pending_of(t, f, window);
        count_until(f, a->bound_ps, &p, IW_NEVER);
    }
    l->count = 0;
}

void trial_begin_window(struct trial *t)
{
    t->ahead = true;
}

void trial_end_window(struct trial *t)
{
    t->ahead = false;
    t->windows++;
    for (uint32_t i = 0; i < t->tallies; i++)
        measure_progress(t, t->tally[i].progress);
}

void bounds_fill(struct trial *t)
{
    for (uint32_t i = 0; i < t->tallies; i++)
        trial_settle_window(t, i);
}

/* ---- what is told ---- */

/* Of a host that was halted in a window, or behind it: what waits of the connection until then comes before. */
static void count_now(struct trial *t, const struct trial_bound *b)
{
    struct trial_flow *f = &t->flow[b->user / 2];
    uint64_t window = t->windows - 1;
    struct pending p = pending_of(t, f, window);
    count_until(f, t->tally->bound_ps, &p, b->at);
    for (int side = 0; side < 2; side++) {
        struct trial_told *told = &f->side[side].told[window % 2];
        if (p.next[side])
            told->first = (uint32_t)(p.next[side] - p.list[side]);
        else if (p.list[side])
            told->window = 0;
    }
    count(f, t->tally->bound_ps, b->at, (int)(b->user % 2), b->bound);
}

static bool for_port(enum node_bound bound)
{
    return bound == NODE_BY_LINE || bound == NODE_BY_ADAPTER;
}

/* What waits for the port of a host that flow control has stopped waits for that. */
static void changed(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side)
{
    enum node_bound bound = t->flow[conn].side[side].bound;
    bool paused = for_port(bound) && t->host_paused[trial_host(t, conn, side)];
    struct trial_bound b = {now, 2 * conn + (unsigned)side, 0, paused ? NODE_BY_PAUSE : bound};
    if (t->ahead)
        keep(t, a, &b);
    else
        count_now(t, &b);
}

void bounds_told(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side,
                 enum node_bound bound)
{
    t->flow[conn].side[side].bound = bound;
    changed(t, a, now, conn, side);
}

void trial_paused(struct trial *t, uint32_t part, uint64_t now, uint32_t host, bool paused)
{
    t->host_paused[host] = paused;
    for (uint32_t c = 0; c < t->connections; c++)
        for (int side = 0; side < 2; side++)
            if (trial_host(t, c, side) == host && for_port(t->flow[c].side[side].bound))
                changed(t, &t->tally[part], now, c, side);
}
