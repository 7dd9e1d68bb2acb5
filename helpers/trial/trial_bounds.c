/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_bounds.c -- what held connections back, and for how long.
 *
 * Both sides of a connection make one answer, and two parts of a world may tell of them. So what they tell in a window waits in a
 * list of each part, and is counted, connection by connection, when all parts are past that window: by one of the two parts
 * while the next one goes on. Where events come one by one an instant is a window.
 * Law: what counts of an instant is what either side told, side 0 before side 1, and not in which order the world did. */
#include "helpers/base/list.h"
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
    if (is == f->bound_was)
        return;
    if (f->bound_since != IW_NEVER)
        ps[f->bound_was] += now - f->bound_since;
    f->bound_was = is;
    f->bound_since = now;
}

/* ---- of a window ---- */

/* In the list of the part that told the first of that side. */
static void keep(struct trial *t, uint32_t part, uint64_t window, const struct trial_bound *b)
{
    struct trial_told *told = &t->flow[b->user / 2].side[b->user % 2].told[window % 2];
    bool first = told->window != window;
    struct trial_tally *a = &t->tally[first ? part : told->part];
    struct trial_bounds *l = &a->bounds[window % 2];
    struct trial_bound *at = list_room(l->at, &l->room, l->count + 1, sizeof *at);
    uint32_t number = (uint32_t)l->count;
    a->no_memory |= !at;
    if (!at)
        return;
    l->at = at;
    l->at[l->count++] = *b;
    if (first)
        *told = (struct trial_told){window, part, number, number};
    else
        l->at[told->last].next = number;
    told->last = number;
    a->told_before = b->at >= a->told_before ? b->at + 1 : a->told_before;
}

static void count_window(const struct trial *t, struct trial_flow *f, uint64_t ps[NODE_BOUNDS],
                         uint64_t window)
{
    const struct trial_bound *list[2] = {NULL, NULL}, *next[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        const struct trial_told *told = &f->side[side].told[window % 2];
        list[side] = t->tally[told->part].bounds[window % 2].at;
        next[side] = told->window == window ? &list[side][told->first] : NULL;
    }
    while (next[0] || next[1]) {
        int side = !next[0] || (next[1] && next[1]->at < next[0]->at);
        count(f, ps, next[side]->at, side, next[side]->bound);
        next[side] = next[side]->next ? &list[side][next[side]->next] : NULL;
    }
}

/* Is it the first of its side, and the side the first of its connection of which something was told? */
static bool counts(const struct trial_flow *f, uint32_t user, uint32_t number, uint64_t window)
{
    const struct trial_told *first = &f->side[0].told[window % 2], *own = &f->side[user % 2].told[window % 2];
    return own->first == number && (user % 2 == 0 || first->window != window);
}

void trial_settle_window(struct trial *t, uint32_t part)
{
    uint64_t window = t->windows - 1;
    struct trial_tally *a = &t->tally[part];
    struct trial_bounds *l = &a->bounds[window % 2];
    for (uint32_t i = 0; i < l->count; i++) {
        struct trial_flow *f = &t->flow[l->at[i].user / 2];
        if (counts(f, l->at[i].user, i, window))
            count_window(t, f, a->bound_ps, window);
    }
    l->count = 0;
}

void bounds_fill(struct trial *t)
{
    for (uint32_t i = 0; i < t->tallies; i++)
        trial_settle_window(t, i);
}

void trial_begin_window(struct trial *t)
{
    t->ahead = true;
}

void trial_end_window(struct trial *t)
{
    t->ahead = false;
    t->windows++;
    t->told_before = 0;
    for (uint32_t i = 0; i < t->tallies; i++) {
        const struct trial_tally *a = &t->tally[i];
        measure_progress(t, a->progress);
        t->told_before = a->told_before > t->told_before ? a->told_before : t->told_before;
    }
}

/* ---- what is told ---- */

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
    if (!t->ahead && now >= t->told_before) {
        bounds_fill(t);
        t->windows++;
        t->told_before = now + 1;
    }
    keep(t, (uint32_t)(a - t->tally), t->windows - !t->ahead, &b);
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
