/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fabric/events.h"
#include "engine/law.h"

#include <string.h>

enum { ARITY = 4, SLOTS_MIN = 64, SLOTS_MAX = 1 << 12, SLOTS_PER_ENTRY = 4, FEW = 8 };
static const uint32_t NOWHERE = UINT32_MAX;

static uint32_t slots_for(uint32_t room)
{
    uint32_t slots = SLOTS_MIN;
    while (slots < SLOTS_MAX && slots < SLOTS_PER_ENTRY * room)
        slots *= 2;
    return slots;
}

void fabric_events_carve(struct events *e, struct carve *c, const struct events_extent *x)
{
    e->slots = slots_for(x->room);
    e->slot = carve(c, e->slots * sizeof *e->slot);
    e->busy = carve(c, e->slots / 64 * sizeof *e->busy);
    e->heap = carve(c, x->room * sizeof *e->heap);
    e->waiting = carve(c, x->room * sizeof *e->waiting);
    e->timer = carve(c, x->timers * sizeof *e->timer);
    e->where = carve(c, x->timers * sizeof *e->where);
    e->wanted = carve(c, x->timers * sizeof *e->wanted);
    e->mine = carve(c, x->nodes * sizeof *e->mine);
    e->is_due = carve(c, (x->last / 64 + 1) * sizeof *e->is_due);
    e->due = carve(c, x->nodes * sizeof *e->due);
}

void fabric_events_init(struct events *e, const struct events_extent *x, iw_time span)
{
    e->room = x->room;
    e->timers = x->timers;
    e->used = e->later = e->set = e->dues = e->fresh = 0;
    e->apart = e->turn = NOWHERE;
    e->edge = e->until = 0;
    for (e->shift = 0; (iw_time)e->slots << e->shift <= span; e->shift++)
        ;
    e->free = NOWHERE;
    memset(e->slot, 0xff, e->slots * sizeof *e->slot); /* NOWHERE */
    memset(e->busy, 0, e->slots / 64 * sizeof *e->busy);
    memset(e->where, 0xff, x->timers * sizeof *e->where);
    memset(e->wanted, 0xff, x->timers * sizeof *e->wanted); /* IW_NEVER */
    memset(e->mine, 0xff, x->nodes * sizeof *e->mine);
    e->words = x->last / 64 + 1;
    memset(e->is_due, 0, e->words * sizeof *e->is_due);
}

void fabric_events_grow(struct events *e, struct event *heap, struct event *waiting, uint32_t more)
{
    LAW(e->used + e->later <= e->room);
    memcpy(heap, e->heap, e->used * sizeof *heap);
    memcpy(waiting, e->waiting, e->fresh * sizeof *waiting);
    e->heap = heap;
    e->waiting = waiting;
    e->room += more;
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
static uint32_t wheel_slot(const struct events *e, iw_time at)
{
    uint64_t from = e->edge >> e->shift, ahead = (at >> e->shift) - from, last = e->slots - 1;
    return (uint32_t)(from + (ahead < last ? ahead : last)) & (e->slots - 1);
}

static void wait_in(struct events *e, uint32_t slot, uint32_t i)
{
    e->waiting[i].next = e->slot[slot];
    e->slot[slot] = i;
    e->busy[slot / 64] |= UINT64_C(1) << slot % 64;
    e->later++;
}

static uint32_t place_to_wait(struct events *e, const struct event *x)
{
    uint32_t i = e->free != NOWHERE ? e->free : e->fresh++;
    LAW(i < e->fresh && e->fresh <= e->room);
    e->free = i == e->free ? e->waiting[i].next : NOWHERE;
    e->waiting[i] = *x;
    return i;
}

void fabric_events_free(struct events *e, uint32_t i)
{
    LAW(e->later && i < e->room);
    e->waiting[i].next = e->free;
    e->free = i;
    e->later--;
}

static void wait(struct events *e, const struct event x)
{
    LAW(x.at >= e->edge); /* nothing before edge is in a slot */
    wait_in(e, wheel_slot(e, x.at), place_to_wait(e, &x));
}

/* The edge follows few events: sorting them costs less than a slot for each. */
static inline bool is_before_edge(struct events *e, iw_time at)
{
    if (at >= e->edge && e->used < FEW && !e->later && e->apart == NOWHERE)
        e->edge = ((at >> e->shift) + 1) << e->shift;
    return at < e->edge;
}

static void note_due(struct events *e, uint32_t node)
{
    e->is_due[node / 64] |= UINT64_C(1) << node % 64;
}

void fabric_events_keep(struct events *e, uint32_t i)
{
    uint32_t node = e->waiting[i].node;
    note_due(e, node);
    e->waiting[i].next = e->mine[node];
    e->mine[node] = i;
}

/* It is for the heap: before the edge, and of a node that need not wait for its turn. */
static inline bool is_for_heap(struct events *e, const struct event *x)
{
    return is_before_edge(e, x->at) && (x->node < e->apart || (x->node == e->turn && x->at < e->until));
}

/* It waits in its slot, or for the turn of its node. */
static void put_off(struct events *e, const struct event x)
{
    if (x.at >= e->edge) {
        wait(e, x);
        return;
    }
    e->later++;
    fabric_events_keep(e, place_to_wait(e, &x));
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
    iw_time at = e->waiting[i].at;
    while ((i = e->waiting[i].next) != NOWHERE)
        if (e->waiting[i].at < at)
            at = e->waiting[i].at;
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

/* The first entry of a slot that has none then. */
static uint32_t empty(struct events *e, uint32_t slot)
{
    uint32_t first = e->slot[slot];
    e->slot[slot] = NOWHERE;
    e->busy[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    return first;
}

/* The entries from `i` on wait again, or, before the edge, are taken. */
static void sort_out(struct events *e, uint32_t i, void (*take)(struct events *e, uint32_t i))
{
    for (uint32_t next; i != NOWHERE; i = next) {
        next = e->waiting[i].next;
        if (e->waiting[i].at < e->edge) {
            take(e, i);
            continue;
        }
        e->later--;
        wait_in(e, wheel_slot(e, e->waiting[i].at), i);
    }
}

static void into_heap(struct events *e, uint32_t i)
{
    rise(e, e->waiting[i]);
    fabric_events_free(e, i);
}

/* What a slot held is before the edge now; what was put there because it is later waits again. */
static void sort_in(struct events *e, uint32_t slot)
{
    uint32_t first = empty(e, slot);
    iw_time edge = edge_after(e, slot, first, next_slot(e));
    LAW(edge > e->edge);
    e->edge = edge;
    sort_out(e, first, into_heap);
}

/* The next slot with entries, when the heap has none. */
static void sort_in_next(struct events *e)
{
    uint32_t slot;
    while (!e->used && (slot = next_slot(e)) != NOWHERE)
        sort_in(e, slot);
    LAW(e->used || !e->later);
}

void fabric_events_push(struct events *e, const struct event x)
{
    LAW(e->used + e->later < e->room); /* there is room */
    if (is_for_heap(e, &x))
        rise(e, x);
    else
        put_off(e, x);
}

void fabric_events_pop(struct events *e)
{
    LAW(e->used);
    drop_first(e);
}

void fabric_events_again(struct events *e, iw_time at)
{
    struct event x = e->heap[0];
    LAW(at >= x.at);
    x.at = at;
    if (is_for_heap(e, &x)) {
        sink(e, x);
        return;
    }
    drop_first(e);
    put_off(e, x);
}

void fabric_events_each(const struct events *e, void (*each)(void *user, uint32_t item), void *user)
{
    uint32_t later = 0;
    for (uint32_t i = 0; i < e->used; i++)
        each(user, e->heap[i].item);
    for (uint32_t s = 0; s < e->slots; s++)
        for (uint32_t i = e->slot[s]; i != NOWHERE; i = e->waiting[i].next, later++)
            each(user, e->waiting[i].item);
    LAW(later == e->later);
}

/* ---- timers ---- */

static void put_event(struct events *e, uint32_t i, const struct event x)
{
    LAW(x.at <= e->wanted[x.item]); /* timer[i].at <= wanted[timer[i].item] */
    e->timer[i] = x;
    e->where[x.item] = i;
}

static void timer_rise(struct events *e, uint32_t i, const struct event x)
{
    while (i && event_is_before(&x, &e->timer[(i - 1) / ARITY])) {
        put_event(e, i, e->timer[(i - 1) / ARITY]);
        i = (i - 1) / ARITY;
    }
    put_event(e, i, x);
}

static uint32_t least_timer(const struct events *e, uint32_t child)
{
    uint32_t least = child, end = child + ARITY < e->set ? child + ARITY : e->set;
    while (++child < end)
        if (event_is_before(&e->timer[child], &e->timer[least]))
            least = child;
    return least;
}

static void timer_sink(struct events *e, const struct event x)
{
    uint32_t i = 0;
    for (uint32_t child = 1; child < e->set; child = ARITY * i + 1) {
        uint32_t least = least_timer(e, child);
        if (!event_is_before(&e->timer[least], &x))
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

static void settle_timers(struct events *e)
{
    while (events_timer_moved(e)) {
        struct event x = e->timer[0];
        x.at = e->wanted[x.item];
        if (x.at == IW_NEVER)
            drop_first_timer(e);
        else
            timer_sink(e, x);
    }
    LAW(!e->set || e->timer[0].at == e->wanted[e->timer[0].item]); /* the first one equal */
}

static void put_timer(struct events *e, uint32_t timer, uint32_t order, iw_time at)
{
    uint32_t i = e->where[timer];
    LAW(i == NOWHERE ? e->set < e->timers || at == IW_NEVER : i < e->set && e->timer[i].item == timer);
    if (i == NOWHERE && at != IW_NEVER)
        timer_rise(e, e->set++, (struct event){.at = at, .order = order, .item = timer});
    else if (i != NOWHERE && at < e->timer[i].at)
        timer_rise(e, i, (struct event){.at = at, .order = order, .item = timer});
}

void fabric_events_move(struct events *e, uint32_t timer, uint32_t order, iw_time at)
{
    e->wanted[timer] = at;
    if (e->turn == NOWHERE)
        put_timer(e, timer, order, at);
}

/* ---- both ---- */

void fabric_events_settle(struct events *e)
{
    settle_timers(e);
    if (!e->used && e->apart == NOWHERE)
        sort_in_next(e);
    LAW(!e->used || e->heap[0].at < e->edge);
}

/* ---- a window ---- */

/* What is in the heap, be it before the end or not. */
static void clear_heap(struct events *e)
{
    uint32_t first = NOWHERE;
    while (e->used) {
        uint32_t i = place_to_wait(e, &e->heap[--e->used]);
        e->waiting[i].next = first;
        e->later++;
        first = i;
    }
    sort_out(e, first, fabric_events_keep);
}

static void clear_slots(struct events *e, iw_time from)
{
    uint64_t first = from >> e->shift, last = e->edge >> e->shift;
    if (last - first >= e->slots)
        last = first + e->slots - 1;
    for (uint64_t n = first; n <= last; n++) {
        uint32_t slot = (uint32_t)n & (e->slots - 1);
        if (e->slot[slot] != NOWHERE)
            sort_out(e, empty(e, slot), fabric_events_keep);
    }
}

/* They are set again when their node has had its turn. */
static void take_timers(struct events *e)
{
    for (settle_timers(e); e->set && e->timer[0].at < e->edge; settle_timers(e)) {
        note_due(e, e->timer[0].item);
        drop_first_timer(e);
    }
}

void fabric_events_part(struct events *e)
{
    e->apart = 0;
    clear_heap(e);
}

void fabric_events_open(struct events *e, iw_time end)
{
    iw_time from = e->edge;
    LAW(e->apart == NOWHERE && e->turn == NOWHERE);
    e->edge = end;
    if (from < end)
        clear_slots(e, from);
    fabric_events_part(e);
    take_timers(e);
}

/* In the order of their numbers, in which most of them lie in memory. */
void fabric_events_list(struct events *e, uint32_t from, uint32_t to)
{
    e->dues = 0;
    for (uint32_t i = from / 64; i < e->words && i * 64 < to; i++) {
        uint64_t bits = e->is_due[i];
        bits &= i * 64 < from ? UINT64_MAX << from % 64 : UINT64_MAX;
        bits &= to - i * 64 < 64 ? ~(UINT64_MAX << (to - i * 64)) : UINT64_MAX;
        e->is_due[i] &= ~bits;
        for (; bits; bits &= bits - 1)
            e->due[e->dues++] = i * 64 + (uint32_t)__builtin_ctzll(bits);
    }
}

uint32_t fabric_events_take(struct events *e, uint32_t node)
{
    uint32_t first = e->mine[node];
    e->mine[node] = NOWHERE;
    return first;
}

void fabric_events_enter(struct events *e, uint32_t node, iw_time until)
{
    LAW(!e->used && e->turn == NOWHERE && until <= e->edge);
    e->turn = node;
    e->until = until;
    for (uint32_t i = fabric_events_take(e, node), next; i != NOWHERE; i = next) {
        next = e->waiting[i].next;
        if (e->waiting[i].at < until)
            into_heap(e, i);
        else
            fabric_events_keep(e, i);
    }
}

const struct event *fabric_events_next(struct events *e, uint32_t node, uint32_t hosts)
{
    const struct event *link = e->used ? &e->heap[0] : NULL;
    if (node >= hosts || e->wanted[node] >= e->until)
        return link;
    e->own = (struct event){e->wanted[node], event_order(EVENT_TIMER, node), node, node, NOWHERE};
    return link && event_is_before(link, &e->own) ? link : &e->own;
}

void fabric_events_leave(struct events *e, uint32_t node, uint32_t hosts)
{
    clear_heap(e);
    e->turn = NOWHERE;
    if (node < hosts)
        put_timer(e, node, event_order(EVENT_TIMER, node), e->wanted[node]);
}

void fabric_events_join(struct events *e, uint32_t apart)
{
    fabric_events_list(e, 0, apart);
    e->apart = apart;
    for (uint32_t n = 0; n < e->dues; n++)
        for (uint32_t i = fabric_events_take(e, e->due[n]), next; i != NOWHERE; i = next) {
            next = e->waiting[i].next;
            into_heap(e, i);
        }
}
