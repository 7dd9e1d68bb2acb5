/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fabric/events.h"

#include <string.h>

enum { ARITY = 4 };
static const uint32_t NOWHERE = UINT32_MAX;

void fabric_events_carve(struct events *e, struct carve *c, uint32_t room, uint32_t timers)
{
    e->heap = carve(c, room * sizeof *e->heap);
    e->timer = carve(c, timers * sizeof *e->timer);
    e->where = carve(c, timers * sizeof *e->where);
    e->wanted = carve(c, timers * sizeof *e->wanted);
}

void fabric_events_init(struct events *e, uint32_t room, uint32_t timers)
{
    e->room = room;
    e->timers = timers;
    e->used = e->set = 0;
    memset(e->where, 0xff, timers * sizeof *e->where);
    memset(e->wanted, 0xff, timers * sizeof *e->wanted); /* IW_NEVER */
}

/* ---- links ---- */

static inline bool before(const struct events *e, const struct event *a, const struct event *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->order != b->order)
        return a->order < b->order;
    return e->earlier(e->world, a->item, b->item);
}

static uint32_t least_child(const struct events *e, uint32_t child, uint32_t end)
{
    uint32_t least = child;
    while (++child < end)
        if (before(e, &e->heap[child], &e->heap[least]))
            least = child;
    return least;
}

static void sink(struct events *e, const struct event x)
{
    uint32_t i = 0;
    for (uint32_t child = 1; child < e->used; child = ARITY * i + 1) {
        uint32_t end = child + ARITY < e->used ? child + ARITY : e->used;
        uint32_t least = least_child(e, child, end);
        if (!before(e, &e->heap[least], &x))
            break;
        e->heap[i] = e->heap[least];
        i = least;
    }
    e->heap[i] = x;
}

void fabric_events_push(struct events *e, iw_time at, uint32_t order, uint32_t item)
{
    const struct event x = {at, order, item};
    uint32_t i = e->used++;
    while (i) {
        uint32_t parent = (i - 1) / ARITY;
        if (!before(e, &x, &e->heap[parent]))
            break;
        e->heap[i] = e->heap[parent];
        i = parent;
    }
    e->heap[i] = x;
}

void fabric_events_again(struct events *e, iw_time at)
{
    struct event x = e->heap[0];
    x.at = at;
    sink(e, x);
}

/* ---- timers ---- */

static inline bool timer_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void put(struct events *e, uint32_t i, const struct event x)
{
    e->timer[i] = x;
    e->where[x.item] = i;
}

static void timer_rise(struct events *e, uint32_t i, const struct event x)
{
    while (i && timer_before(&x, &e->timer[(i - 1) / ARITY])) {
        put(e, i, e->timer[(i - 1) / ARITY]);
        i = (i - 1) / ARITY;
    }
    put(e, i, x);
}

static uint32_t least_timer(const struct events *e, uint32_t child)
{
    uint32_t least = child, end = child + ARITY < e->set ? child + ARITY : e->set;
    while (++child < end)
        if (timer_before(&e->timer[child], &e->timer[least]))
            least = child;
    return least;
}

static void timer_sink(struct events *e, const struct event x)
{
    uint32_t i = 0;
    for (uint32_t child = 1; child < e->set; child = ARITY * i + 1) {
        uint32_t least = least_timer(e, child);
        if (!timer_before(&e->timer[least], &x))
            break;
        put(e, i, e->timer[least]);
        i = least;
    }
    put(e, i, x);
}

static void drop_first_timer(struct events *e)
{
    e->where[e->timer[0].item] = NOWHERE;
    if (--e->set)
        timer_sink(e, e->timer[e->set]);
}

/* A timer that moved to a later time waits at its old one until it comes up here. */
static void settle(struct events *e)
{
    while (e->set && e->timer[0].at < e->wanted[e->timer[0].item]) {
        struct event x = e->timer[0];
        x.at = e->wanted[x.item];
        if (x.at == IW_NEVER)
            drop_first_timer(e);
        else
            timer_sink(e, x);
    }
}

void fabric_events_set(struct events *e, uint32_t timer, uint32_t order, iw_time at)
{
    uint32_t i = e->where[timer];
    e->wanted[timer] = at;
    if (i == NOWHERE && at != IW_NEVER)
        timer_rise(e, e->set++, (struct event){at, order, timer});
    else if (i != NOWHERE && at < e->timer[i].at)
        timer_rise(e, i, (struct event){at, order, timer});
}

/* ---- both ---- */

static bool timer_is_first(const struct events *e)
{
    return e->set && (!e->used || timer_before(&e->timer[0], &e->heap[0]));
}

const struct event *fabric_events_top(struct events *e)
{
    settle(e);
    if (timer_is_first(e))
        return &e->timer[0];
    return e->used ? &e->heap[0] : NULL;
}

void fabric_events_pop(struct events *e)
{
    if (timer_is_first(e)) {
        e->wanted[e->timer[0].item] = IW_NEVER;
        drop_first_timer(e);
    } else if (--e->used) {
        sink(e, e->heap[e->used]);
    }
}
