/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h -- what happens next. Two queues read as one: the links', an entry for each that is busy and one for each
 * packet out of its order; and the timers', a 4-ary heap with an entry for each that is set, found by its number.
 *
 *                   edge
 *   now ... heap ... | slot | slot | slot | ... | last slot: whatever is later, too
 *
 * A link's entry waits unsorted in the slot of its time (a calendar queue, Brown 1988); when the heap before the edge is
 * empty, the next slot with entries is sorted into it and the edge moves behind that slot. So a heap holds few.
 *
 * Entries are ordered by (time, order), then by `earlier`. order: the kind in its two high bits, then the place. */
#ifndef IW_FABRIC_EVENTS_H
#define IW_FABRIC_EVENTS_H

#include "engine/carve.h"
#include "engine/iw.h"

enum event_kind { EVENT_DEPARTURE, EVENT_ARRIVAL, EVENT_TIMER, EVENT_WORKLOAD };
enum { EVENT_PLACES = 1 << 30 };

struct event {
    iw_time at;
    uint32_t order;
    uint32_t item; /* the caller's; of a timer: its number */
};

struct event_timer {
    struct event event;
    uint32_t next; /* of its slot, or of the free ones */
};

struct events {
    struct event *heap;          /* LAW: heap[i].at < edge, and nothing before edge is in a slot */
    struct event_timer *waiting; /* `room` of them, as of the heap's */
    uint32_t used, room, free;
    uint32_t later; /* entries in slots */
    uint32_t *slot; /* its first entry */
    uint64_t *busy; /* a bit for each slot that has entries */
    uint32_t slots; /* a power of two; this many follow the edge */
    unsigned shift; /* a slot is 1 << shift ps */
    iw_time edge;   /* a multiple of that */
    uint32_t set, timers;
    struct event
        *timer; /* LAW: timer[i].at <= wanted[timer[i].item]; fabric_events_top() makes the first one equal */
    uint32_t *where; /* of a timer in the heap */
    iw_time *wanted;
    /* Which of two entries with one time and order comes first. */
    bool (*earlier)(const void *world, uint32_t a, uint32_t b);
    /* Told of entries that come up soon, and of the few after those, so that their memory may be asked for. NULL: none. */
    void (*fetch)(const void *world, uint32_t item, bool soon);
    const void *world;
};

static inline uint32_t event_order(enum event_kind kind, uint32_t place)
{
    return (uint32_t)kind << 30 | place;
}

static inline enum event_kind event_kind(const struct event *e)
{
    return (enum event_kind)(e->order >> 30);
}

/* `room` entries of links at first; timers are numbered from 0. */
void fabric_events_carve(struct events *e, struct carve *c, uint32_t room, uint32_t timers);
/* Clears them; `earlier` and `world` are the caller's to set. span: entries are seldom set further ahead, ps. */
void fabric_events_init(struct events *e, uint32_t room, uint32_t timers, iw_time span);
/* `more` entries of links, in memory for room + more of each kind. */
void fabric_events_grow(struct events *e, struct event *heap, struct event_timer *waiting, uint32_t more);

/* The first of all, or NULL. Valid until the next call. */
const struct event *fabric_events_top(struct events *e);
/* A timer stands at the top: it is not set any more. Else: the entry goes. */
void fabric_events_pop(struct events *e);
/* The entry of a link at the top happens again at `at`. */
void fabric_events_again(struct events *e, iw_time at);
/* LAW: there is room. */
void fabric_events_push(struct events *e, iw_time at, uint32_t order, uint32_t item);
/* IW_NEVER: not set. */
void fabric_events_set(struct events *e, uint32_t timer, uint32_t order, iw_time at);
/* Calls `each` with the item of every entry of a link. */
void fabric_events_each(const struct events *e, void (*each)(void *user, uint32_t item), void *user);

#endif
