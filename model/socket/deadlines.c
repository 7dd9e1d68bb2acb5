/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "socket/deadlines.h"

#include <stdlib.h>

#include "engine/law.h"

bool deadlines_make_room(struct deadlines *d, uint32_t entries)
{
    uint32_t room = d->room ? d->room : 16;
    while (room < entries)
        room *= 2;
    if (room == d->room)
        return true;
    struct deadline **heap = realloc(d->heap, (room + 1) * sizeof(struct deadline *));
    if (!heap)
        return false;
    d->heap = heap;
    d->room = room;
    return true;
}

void deadlines_free(struct deadlines *d)
{
    free(d->heap);
}

static void put_deadline(struct deadlines *d, struct deadline *e, uint32_t place)
{
    d->heap[place] = e;
    e->place = place;
}

/* Into the hole at `place`, or above it. */
static void rise(struct deadlines *d, struct deadline *e, uint32_t place)
{
    for (; place > 1 && d->heap[place / 2]->at > e->at; place /= 2)
        put_deadline(d, d->heap[place / 2], place);
    put_deadline(d, e, place);
}

/* Into the hole at `place`, or below it. */
static void sink(struct deadlines *d, struct deadline *e, uint32_t place)
{
    for (uint32_t child; (child = 2 * place) <= d->count; place = child) {
        if (child < d->count && d->heap[child + 1]->at < d->heap[child]->at)
            child++;
        if (d->heap[child]->at >= e->at)
            break;
        put_deadline(d, d->heap[child], place);
    }
    put_deadline(d, e, place);
}

/* No entry is due before the one at half its place: looked at around one place. */
static bool is_heap_at(const struct deadlines *d, uint32_t place)
{
    iw_time at = d->heap[place]->at;
    uint32_t low = 2 * place;
    return (place == 1 || d->heap[place / 2]->at <= at) && (low > d->count || at <= d->heap[low]->at) &&
           (low + 1 > d->count || at <= d->heap[low + 1]->at) && d->heap[place]->place == place;
}

static void take_out(struct deadlines *d, struct deadline *e)
{
    uint32_t hole = e->place;
    LAW(hole <= d->count && d->heap[hole] == e);
    struct deadline *last = d->heap[d->count--];
    e->place = 0;
    if (last == e)
        return;
    rise(d, last, hole);
    sink(d, last, last->place);
    LAW(is_heap_at(d, last->place) && is_heap_at(d, hole));
}

void deadline_set(struct deadlines *d, struct deadline *e, iw_time at)
{
    if (e->place && e->at == at)
        return;
    if (e->place)
        take_out(d, e);
    e->at = at;
    LAW(!e->place && (at == IW_NEVER || d->count < d->room));
    if (at != IW_NEVER)
        rise(d, e, ++d->count);
    LAW(!e->place || is_heap_at(d, e->place)); /* no entry is due before the one at half its place */
}

struct deadline *deadlines_first(const struct deadlines *d)
{
    return d->count ? d->heap[1] : NULL;
}
