/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h -- what happens next. Two queues read as one: the links', an entry for each that is busy and one for each
 * packet out of its order; and the timers', a 4-ary heap with an entry for each that is set, found by its number.
 *
 *                   edge
 *   now ... heap ... | slot | slot | slot | ... | last slot: whatever is later, too
 *
 * A link's entry waits unsorted in the slot of its time (a calendar queue, Brown 1988); when the heap before the edge is
 * empty, the next slot with entries is sorted into it and the edge moves behind that slot. So a heap holds few. Where there are
 * few at all, the edge moves behind each that comes, and none waits.
 *
 * Or a window is opened up to its end: what comes before it is dealt out to the nodes at which it happens, the edge is the end,
 * and the heap has the entries of one node after the other. Then those of the nodes below a number come together in the heap
 * again, while the others still wait for a turn; at last all do.
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
    uint32_t node; /* of a link's: at which it happens */
    uint32_t next; /* while it waits: of its slot, of its node in a window, or of the free ones */
};

struct events {
    struct event *heap;               /* LAW: heap[i].at < edge, and nothing before edge is in a slot */
    struct event *waiting;            /* `room` of them, as of the heap's */
    uint32_t used, room, free, fresh; /* fresh: the first place to wait that was never used */
    uint32_t later;                   /* entries in slots, and of nodes in a window */
    uint32_t *slot;                   /* its first entry */
    uint64_t *busy;                   /* a bit for each slot that has entries */
    uint32_t slots;                   /* a power of two; this many follow the edge */
    unsigned shift;                   /* a slot is 1 << shift ps */
    iw_time edge;
    uint32_t set, timers;
    struct event
        *timer; /* LAW: timer[i].at <= wanted[timer[i].item]; fabric_events_top() makes the first one equal */
    uint32_t *where; /* of a timer in the heap */
    iw_time *wanted;
    uint32_t apart;   /* in a window: nodes from here on wait for a turn before the edge; else UINT32_MAX */
    uint32_t turn;    /* the node that has it, up to `until`; UINT32_MAX: none has */
    iw_time until;    /* LAW: until <= edge */
    uint32_t *mine;   /* by node: its first entry in the window */
    uint64_t *is_due; /* a bit for each node that has an entry or a timer in it, and */
    uint32_t *due, dues; /* those that were listed, by number */
    uint32_t words;
    struct event own; /* the timer of the node whose turn it is */
    /* Which of two entries with one time and order comes first. */
    bool (*earlier)(const void *world, uint32_t a, uint32_t b);
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

/* What entries, timers and nodes there are at most; of entries, at first. */
struct events_extent {
    uint32_t room, timers, nodes, last; /* last: the highest number of a node */
};
/* Timers are numbered from 0; a host's has the number of its node. */
void fabric_events_carve(struct events *e, struct carve *c, const struct events_extent *x);
/* Clears them; `earlier` and `world` are the caller's to set. span: entries are seldom set further ahead, ps. */
void fabric_events_init(struct events *e, const struct events_extent *x, iw_time span);
/* `more` entries of links, in memory for room + more of each kind. */
void fabric_events_grow(struct events *e, struct event *heap, struct event *waiting, uint32_t more);

/* Of a timer, or where one of them is a timer's. */
static inline bool event_is_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}
/* A timer that moved to a later time waits at its old one until it comes up. */
static inline bool events_timer_moved(const struct events *e)
{
    return e->set && e->timer[0].at < e->wanted[e->timer[0].item];
}
/* No timer that moved is the first, and the heap is empty only where there is no entry. */
void fabric_events_settle(struct events *e);
/* The first of all, or NULL. Valid until the next call. */
static inline const struct event *fabric_events_top(struct events *e)
{
    if (!e->used || events_timer_moved(e))
        fabric_events_settle(e);
    const struct event *link = e->used ? &e->heap[0] : NULL;
    return e->set && (!link || event_is_before(&e->timer[0], link)) ? &e->timer[0] : link;
}
/* The first entry of a link goes. */
void fabric_events_pop(struct events *e);
/* It happens again at `at`. */
void fabric_events_again(struct events *e, iw_time at);
/* LAW: there is room. */
void fabric_events_push(struct events *e, const struct event x);
/* IW_NEVER: not set. */
void fabric_events_move(struct events *e, uint32_t timer, uint32_t order, iw_time at);
static inline void fabric_events_set(struct events *e, uint32_t timer, uint32_t order, iw_time at)
{
    if (at != e->wanted[timer])
        fabric_events_move(e, timer, order, at);
}

/* All that comes before `end` is dealt out to its nodes. */
void fabric_events_open(struct events *e, iw_time end);
/* All nodes wait for their turns again. */
void fabric_events_part(struct events *e);
/* Those from `from` on and below `to` that have something to do: `due`. */
void fabric_events_list(struct events *e, uint32_t from, uint32_t to);
/* All that waits for the turn of a node, UINT32_MAX: nothing; each is in `waiting`, `next` leads on. It is kept, or its place is free. */
uint32_t fabric_events_take(struct events *e, uint32_t node);
void fabric_events_keep(struct events *e, uint32_t i);
void fabric_events_free(struct events *e, uint32_t i);
/* The turn of a node; its first event before `until`, or NULL; its turn is over, be there events left or not. `hosts`: nodes
 * below have the timer of their number. */
void fabric_events_enter(struct events *e, uint32_t node, iw_time until);
const struct event *fabric_events_next(struct events *e, uint32_t node, uint32_t hosts);
void fabric_events_leave(struct events *e, uint32_t node, uint32_t hosts);
/* What nodes below `apart` have not done is the first there is; UINT32_MAX: all nodes, and the window is closed. */
void fabric_events_join(struct events *e, uint32_t apart);
/* Calls `each` with the item of every entry of a link. */
void fabric_events_each(const struct events *e, void (*each)(void *user, uint32_t item), void *user);

#endif
