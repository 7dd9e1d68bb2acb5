/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_tally.c -- what is counted of events in no order: each part of a world that runs beside others has a tally of its own, and
 * nobody hears of such an event once more. What it keeps of a connection's side is that of one host, and so of one part. */
#include <stdlib.h>

#include "helpers/trial/trial_inner.h"

static bool begin(const struct trial *t, struct trial_tally *a)
{
    *a = (struct trial_tally){.all.last_placed = IW_NEVER, .window_min = UNDEFINED, .window_max = UNDEFINED};
    if (t->load)
        a->load = calloc(t->point->loads, sizeof *a->load);
    for (uint32_t i = 0; a->load && i < t->point->loads; i++)
        a->load[i].last_placed = IW_NEVER;
    return !t->load || a->load;
}

bool trial_in_parts(struct trial *t, uint32_t parts)
{
    struct trial_tally *more = realloc(t->tally, parts * sizeof *more);
    t->tally = more ? more : t->tally;
    bool good = more != NULL;
    while (good && t->tallies < parts)
        good = begin(t, &t->tally[t->tallies++]);
    return good;
}

bool tally_start(struct trial *t)
{
    return trial_in_parts(t, 1);
}

void tally_end(struct trial *t)
{
    for (uint32_t c = 0; t->flow && c < t->connections; c++)
        for (int side = 0; side < 2; side++)
            free(t->flow[c].side[side].waiting.heap);
    for (uint32_t i = 0; i < t->tallies; i++) {
        bins_free(&t->tally[i].early);
        free(t->tally[i].bounds[0].at);
        free(t->tally[i].bounds[1].at);
        free(t->tally[i].load);
    }
    free(t->tally);
}

/* ---- segments, octets and windows ---- */

/* Those that a connection counts in, as loads_next(). */
static struct trial_tally_load *next_load(const struct trial *t, struct trial_tally *a, uint32_t conn,
                                          const struct trial_tally_load *before)
{
    if (!before)
        return &a->all;
    return before == &a->all && a->load ? &a->load[t->flow[conn].load] : NULL;
}

void tally_taken(const struct trial *t, struct trial_tally *a, uint32_t conn, bool ooo, bool late)
{
    a->segments_late += late;
    for (struct trial_tally_load *l = NULL; (l = next_load(t, a, conn, l));) {
        l->segments++;
        l->segments_ooo += ooo;
    }
}

static void add_slice(const struct trial *t, struct trial_tally *a, uint64_t now, uint32_t len)
{
    double part = (double)(now - t->from) / (double)(t->until - t->from) * PARTS;
    a->slice[part < PARTS ? (unsigned)part : PARTS - 1] += len;
}

void tally_octets(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side, uint32_t len,
                  bool ooo)
{
    struct trial_side *s = &t->flow[conn].side[side];
    s->last_placed = later(s->last_placed, now);
    a->progress = now > a->progress ? now : a->progress;
    if (!in_window(t, now))
        return;
    if (t->point->measure.span)
        add_slice(t, a, now, len);
    s->bytes += len;
    for (struct trial_tally_load *l = NULL; (l = next_load(t, a, conn, l));) {
        l->bytes += len;
        l->placed_ooo_bytes += ooo ? len : 0;
        l->last_placed = later(l->last_placed, now);
    }
}

void tally_window(struct trial_tally *a, uint64_t window)
{
    a->window_min = window < a->window_min ? window : a->window_min;
    a->window_max = a->window_max == UNDEFINED || window > a->window_max ? window : a->window_max;
}

/* ---- placed and not delivered ---- */

static void swap(struct trial_early *a, struct trial_early *b)
{
    struct trial_early t = *a;
    *a = *b;
    *b = t;
}

static bool push_early(struct trial_undelivered *w, struct trial_early e)
{
    if (w->count == w->room) {
        size_t room = w->room ? 2 * w->room : 16;
        struct trial_early *more = realloc(w->heap, room * sizeof *more);
        if (!more)
            return false;
        w->heap = more;
        w->room = room;
    }
    size_t i = w->count++;
    w->heap[i] = e;
    for (; i && w->heap[i].key < w->heap[(i - 1) / 2].key; i = (i - 1) / 2)
        swap(&w->heap[i], &w->heap[(i - 1) / 2]);
    return true;
}

static struct trial_early pop(struct trial_undelivered *w)
{
    struct trial_early first = w->heap[0];
    w->heap[0] = w->heap[--w->count];
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < w->count && w->heap[child + 1].key < w->heap[child].key)
            child++;
        if (child >= w->count || w->heap[i].key <= w->heap[child].key)
            return first;
        swap(&w->heap[i], &w->heap[child]);
        i = child;
    }
}

void tally_placed(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side, uint64_t key)
{
    a->no_memory |= !push_early(&t->flow[conn].side[side].waiting, (struct trial_early){key, now});
}

void tally_edge(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side, uint64_t edge)
{
    struct trial_side *s = &t->flow[conn].side[side];
    s->edge = edge > s->edge ? edge : s->edge;
    while (s->waiting.count && s->waiting.heap[0].key < edge)
        a->no_memory |= !bins_add(&a->early, now - pop(&s->waiting).placed);
}

/* ---- together ---- */

static bool add_early(struct samples_bins *sum, const struct samples_bins *b)
{
    struct samples part = {.count = b->count, .bins = *b};
    return !b->count || samples_bin(&part, sum);
}

static void add_load(struct trial_tally_load *sum, const struct trial_tally_load *a)
{
    sum->segments += a->segments;
    sum->segments_ooo += a->segments_ooo;
    sum->bytes += a->bytes;
    sum->placed_ooo_bytes += a->placed_ooo_bytes;
    sum->last_placed = later(sum->last_placed, a->last_placed);
}

static void add(struct trial *t, struct trial_tally *sum, const struct trial_tally *a)
{
    add_load(&sum->all, &a->all);
    sum->segments_late += a->segments_late;
    if (a->window_max != UNDEFINED) {
        tally_window(sum, a->window_min);
        tally_window(sum, a->window_max);
    }
    for (uint32_t i = 0; a->load && i < t->point->loads; i++)
        add_load(&sum->load[i], &a->load[i]);
    for (unsigned n = 0; n < PARTS; n++)
        sum->slice[n] += a->slice[n];
    for (int i = 0; i < NODE_BOUNDS; i++)
        sum->bound_ps[i] += a->bound_ps[i];
    sum->no_memory |= a->no_memory || !add_early(&sum->early, &a->early);
}

static void fill_load(struct trial_load *load, const struct trial_tally_load *a)
{
    load->r->segments = a->segments;
    load->r->segments_ooo = a->segments_ooo;
    load->r->bytes = a->bytes;
    load->r->placed_ooo_bytes = a->placed_ooo_bytes;
    load->last_placed = a->last_placed;
}

void tally_fill(struct trial *t)
{
    struct trial_tally *sum = t->tally;
    bounds_fill(t);
    for (uint32_t i = 1; i < t->tallies; i++)
        add(t, sum, &t->tally[i]);
    fill_load(&t->all, &sum->all);
    t->r.counted.segments_late = sum->segments_late;
    t->r.window_min = sum->window_min;
    t->r.window_max = sum->window_max;
    for (uint32_t i = 0; sum->load && i < t->point->loads; i++)
        fill_load(&t->load[i], &sum->load[i]);
    t->no_memory |= sum->no_memory;
}
