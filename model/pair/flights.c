/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flights.c -- what is under way: a heap of flights by (at, order), the free ones, and queues of those that wait. */
#include "pair/pair_inner.h"

static uint32_t number_of(const struct pair *p, const struct flight *f)
{
    return (uint32_t)(f - p->flight);
}

static bool sooner(const struct pair *p, uint32_t a, uint32_t b)
{
    const struct flight *x = &p->flight[a], *y = &p->flight[b];
    return x->at != y->at ? x->at < y->at : x->order < y->order;
}

struct flight *flight_take(struct pair *p, uint32_t spared)
{
    if (p->spares <= spared)
        return NULL;
    struct flight *f = &p->flight[p->spare[--p->spares]];
    f->kind = FLIGHT_FREE;
    f->staged = 0;
    f->acked = f->edge = 0;
    return f;
}

void flight_free(struct pair *p, struct flight *f)
{
    p->spare[p->spares++] = number_of(p, f);
}

void flight_launch(struct pair *p, struct flight *f, enum flight_kind kind, int side, iw_time at)
{
    uint32_t i = p->flights++, me = number_of(p, f);
    f->kind = kind;
    f->side = side;
    f->at = at;
    f->order = p->order++;
    for (; i && sooner(p, me, p->heap[(i - 1) / 2]); i = (i - 1) / 2)
        p->heap[i] = p->heap[(i - 1) / 2];
    p->heap[i] = me;
}

struct flight *flight_land(struct pair *p, enum flight_kind *kind)
{
    uint32_t first = p->heap[0], last = p->heap[--p->flights], i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= p->flights)
            break;
        if (child + 1 < p->flights && sooner(p, p->heap[child + 1], p->heap[child]))
            child++;
        if (!sooner(p, p->heap[child], last))
            break;
        p->heap[i] = p->heap[child];
        i = child;
    }
    if (p->flights)
        p->heap[i] = last;
    *kind = p->flight[first].kind;
    p->flight[first].kind = FLIGHT_FREE;
    return &p->flight[first];
}

iw_time flight_next(const struct pair *p)
{
    return p->flights ? p->flight[p->heap[0]].at : IW_NEVER;
}

/* ---- queues ---- */

void queue_put(struct pair *p, struct queue *q, struct flight *f)
{
    uint32_t me = number_of(p, f);
    f->kind = FLIGHT_QUEUED;
    f->next = NO_FLIGHT;
    if (q->first == NO_FLIGHT)
        q->first = me;
    else
        p->flight[q->last].next = me;
    q->last = me;
}

struct flight *queue_first(const struct pair *p, const struct queue *q)
{
    return q->first == NO_FLIGHT ? NULL : &p->flight[q->first];
}

struct flight *queue_get(struct pair *p, struct queue *q)
{
    struct flight *f = queue_first(p, q);
    if (!f)
        return NULL;
    q->first = f->next;
    f->kind = FLIGHT_FREE;
    return f;
}
