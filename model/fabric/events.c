/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fabric/events.h"
#include "engine/law.h"

#include <string.h>

enum { ARITY = 4, SLOTS_MIN = 64, SLOTS_MAX = 1 << 18, SLOTS_PER_ENTRY = 4 };
static const uint32_t NOWHERE = UINT32_MAX;

static uint32_t slots_for(uint32_t room)
{
    uint32_t slots = SLOTS_MIN;
    while (slots < SLOTS_MAX && slots < SLOTS_PER_ENTRY * room)
        slots *= 2;
    return slots;
}

void fabric_events_carve(struct events *e, struct carve *c, uint32_t room, uint32_t timers)
{
    e->slots = slots_for(room);
    e->slot = carve(c, e->slots * sizeof *e->slot);
    e->busy = carve(c, e->slots / 64 * sizeof *e->busy);
    e->heap = carve(c, room * sizeof *e->heap);
    e->waiting = carve(c, room * sizeof *e->waiting);
    e->timer = carve(c, timers * sizeof *e->timer);
    e->where = carve(c, timers * sizeof *e->where);
    e->wanted = carve(c, timers * sizeof *e->wanted);
}

static void free_from(struct events *e, uint32_t first)
{
    for (uint32_t i = first; i < e->room; i++)
        e->waiting[i].next = i + 1 < e->room ? i + 1 : e->free;
    e->free = first;
}

void fabric_events_init(struct events *e, uint32_t room, uint32_t timers, iw_time span)
{
    e->room = room;
    e->timers = timers;
    e->used = e->later = e->set = 0;
    e->edge = 0;
    for (e->shift = 0; (iw_time)e->slots << e->shift <= span; e->shift++)
        ;
    e->free = NOWHERE;
    free_from(e, 0);
    memset(e->slot, 0xff, e->slots * sizeof *e->slot); /* NOWHERE */
    memset(e->busy, 0, e->slots / 64 * sizeof *e->busy);
    memset(e->where, 0xff, timers * sizeof *e->where);
    memset(e->wanted, 0xff, timers * sizeof *e->wanted); /* IW_NEVER */
}

void fabric_events_grow(struct events *e, struct event *heap, struct event_timer *waiting, uint32_t more)
{
    LAW(e->used + e->later <= e->room);
    memcpy(heap, e->heap, e->used * sizeof *heap);
    memcpy(waiting, e->waiting, e->room * sizeof *waiting);
    e->heap = heap;
    e->waiting = waiting;
    e->room += more;
    free_from(e, e->room - more);
}

/* ---- links: before the edge ---- */

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

/* No entry comes before the one it is below. */
static bool is_in_heap_order(const struct events *e, uint32_t i)
{
    uint32_t child = ARITY * i + 1, end = child + ARITY < e->used ? child + ARITY : e->used;
    bool above = !i || !before(e, &e->heap[i], &e->heap[(i - 1) / ARITY]);
    return above && (child >= end || !before(e, &e->heap[least_child(e, child, end)], &e->heap[i]));
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
    LAW(is_in_heap_order(e, i));
}

static void rise(struct events *e, const struct event x)
{
    LAW(x.at < e->edge); /* heap[i].at < edge */
    uint32_t i = e->used++;
    while (i) {
        uint32_t parent = (i - 1) / ARITY;
        if (!before(e, &x, &e->heap[parent]))
            break;
        e->heap[i] = e->heap[parent];
        i = parent;
    }
    e->heap[i] = x;
    LAW(is_in_heap_order(e, i));
}

static void drop_first(struct events *e)
{
    if (--e->used)
        sink(e, e->heap[e->used]);
}

/* ---- links: behind the edge ---- */

/* The slot of a time, or the last one. */
static uint32_t slot_of(const struct events *e, iw_time at)
{
    uint64_t ahead = (at - e->edge) >> e->shift, last = e->slots - 1;
    return (uint32_t)((e->edge >> e->shift) + (ahead < last ? ahead : last)) & (e->slots - 1);
}

static void wait_in(struct events *e, uint32_t slot, uint32_t i)
{
    e->waiting[i].next = e->slot[slot];
    e->slot[slot] = i;
    e->busy[slot / 64] |= UINT64_C(1) << slot % 64;
    e->later++;
}

static void wait(struct events *e, const struct event x)
{
    uint32_t i = e->free;
    LAW(i < e->room && x.at >= e->edge); /* nothing before edge is in a slot */
    e->free = e->waiting[i].next;
    e->waiting[i].event = x;
    wait_in(e, slot_of(e, x.at), i);
}

static void enter(struct events *e, const struct event x)
{
    if (x.at < e->edge)
        rise(e, x);
    else
        wait(e, x);
}

/* The first slot from the edge on that has entries, or NOWHERE. */
static uint32_t next_slot(const struct events *e)
{
    if (!e->later)
        return NOWHERE;
    uint32_t words = e->slots / 64, from = (uint32_t)(e->edge >> e->shift) & (e->slots - 1);
    uint64_t bits = e->busy[from / 64] & UINT64_MAX << from % 64;
    for (uint32_t i = from / 64, n = 0; n <= words; n++) {
        if (bits)
            return i * 64 + (uint32_t)__builtin_ctzll(bits);
        i = (i + 1) & (words - 1);
        bits = e->busy[i];
    }
    return NOWHERE;
}

static iw_time earliest(const struct events *e, uint32_t i)
{
    iw_time at = e->waiting[i].event.at;
    while ((i = e->waiting[i].next) != NOWHERE)
        if (e->waiting[i].event.at < at)
            at = e->waiting[i].event.at;
    return at;
}

/* Behind the slot; behind the first entry when no other slot, `after`, has any. */
static iw_time edge_after(const struct events *e, uint32_t slot, uint32_t first, uint32_t after)
{
    uint64_t number = e->edge >> e->shift;
    number += (slot - number) & (e->slots - 1);
    if (after == NOWHERE)
        number = earliest(e, first) >> e->shift;
    return (number + 1) << e->shift;
}

/* What a slot held is before the edge now; what was put there because it is later waits again. The slot that
 * was behind it. */
static uint32_t sort_in(struct events *e, uint32_t slot)
{
    uint32_t i = e->slot[slot], next;
    e->slot[slot] = NOWHERE;
    e->busy[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    uint32_t after = next_slot(e);
    iw_time edge = edge_after(e, slot, i, after);
    LAW(edge > e->edge && !(edge & ((UINT64_C(1) << e->shift) - 1))); /* a multiple of a slot */
    e->edge = edge;
    for (; i != NOWHERE; i = next, e->later--) {
        next = e->waiting[i].next;
        LAW(e->later && i < e->room);
        if (e->waiting[i].event.at >= e->edge) {
            wait_in(e, slot_of(e, e->waiting[i].event.at), i);
            continue;
        }
        rise(e, e->waiting[i].event);
        e->waiting[i].next = e->free;
        e->free = i;
    }
    return after;
}

/* `slot`: what is likely to be next. */
static void fetch(const struct events *e, uint32_t slot)
{
    uint32_t i = slot == NOWHERE ? NOWHERE : e->slot[slot];
    for (uint32_t n = 0; n < e->used; n++)
        e->fetch(e->world, e->heap[n].item, true);
    for (; i != NOWHERE; i = e->waiting[i].next)
        e->fetch(e->world, e->waiting[i].event.item, false);
}

static bool has_link(struct events *e)
{
    if (e->used)
        return true;
    uint32_t slot, after = NOWHERE;
    while (!e->used && (slot = next_slot(e)) != NOWHERE)
        after = sort_in(e, slot);
    LAW(e->used || !e->later);
    if (e->used && e->fetch)
        fetch(e, after);
    return e->used;
}

void fabric_events_push(struct events *e, iw_time at, uint32_t order, uint32_t item)
{
    LAW(e->used + e->later < e->room); /* there is room */
    enter(e, (struct event){at, order, item});
}

void fabric_events_again(struct events *e, iw_time at)
{
    struct event x = e->heap[0];
    LAW(at >= x.at);
    x.at = at;
    if (at < e->edge) {
        sink(e, x);
        return;
    }
    drop_first(e);
    wait(e, x);
}

void fabric_events_each(const struct events *e, void (*each)(void *user, uint32_t item), void *user)
{
    uint32_t later = 0;
    for (uint32_t i = 0; i < e->used; i++)
        each(user, e->heap[i].item);
    for (uint32_t s = 0; s < e->slots; s++)
        for (uint32_t i = e->slot[s]; i != NOWHERE; i = e->waiting[i].next, later++)
            each(user, e->waiting[i].event.item);
    LAW(later == e->later);
}

/* ---- timers ---- */

static inline bool timer_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void put_event(struct events *e, uint32_t i, const struct event x)
{
    LAW(x.at <= e->wanted[x.item]); /* timer[i].at <= wanted[timer[i].item] */
    e->timer[i] = x;
    e->where[x.item] = i;
}

static void timer_rise(struct events *e, uint32_t i, const struct event x)
{
    while (i && timer_before(&x, &e->timer[(i - 1) / ARITY])) {
        put_event(e, i, e->timer[(i - 1) / ARITY]);
        i = (i - 1) / ARITY;
    }
    put_event(e, i, x);
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
        put_event(e, i, e->timer[least]);
        i = least;
    }
    put_event(e, i, x);
}

static void drop_first_timer(struct events *e)
{
    LAW(e->where[e->timer[0].item] == 0);
    e->where[e->timer[0].item] = NOWHERE;
    if (--e->set)
        timer_sink(e, e->timer[e->set]);
}

/* A timer that moved to a later time waits at its old one until it comes up here. */
static void settle_timers(struct events *e)
{
    while (e->set && e->timer[0].at < e->wanted[e->timer[0].item]) {
        struct event x = e->timer[0];
        x.at = e->wanted[x.item];
        if (x.at == IW_NEVER)
            drop_first_timer(e);
        else
            timer_sink(e, x);
    }
    LAW(!e->set || e->timer[0].at == e->wanted[e->timer[0].item]); /* the first one equal */
}

void fabric_events_set(struct events *e, uint32_t timer, uint32_t order, iw_time at)
{
    uint32_t i = e->where[timer];
    LAW(i == NOWHERE ? e->set < e->timers || at == IW_NEVER : i < e->set && e->timer[i].item == timer);
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
    settle_timers(e);
    bool link = has_link(e);
    LAW(!link || e->heap[0].at < e->edge);
    if (timer_is_first(e))
        return &e->timer[0];
    return link ? &e->heap[0] : NULL;
}

void fabric_events_pop(struct events *e)
{
    if (timer_is_first(e)) {
        e->wanted[e->timer[0].item] = IW_NEVER;
        drop_first_timer(e);
    } else {
        LAW(e->used);
        drop_first(e);
    }
}
