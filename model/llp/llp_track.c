/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/llp_track.h"

#include <string.h>

#include "engine/law.h"
#include "llp/llp_inner.h"

enum { SLOTS_MIN = 8, BITS = 8, RANGE_BITS = 16 * BITS, COUNTER_BITS = 12 * BITS, BITMAP_BITS = 2 };

/* Where [key, end) would lie: ranges [first, last) become one with it. */
struct lie {
    uint32_t first, last;
};

static struct lie lie_of(const struct llp_track *t, uint64_t key, uint64_t end)
{
    struct lie l = {t->ranges, t->ranges};
    while (l.first && t->range[l.first - 1].to >= key)
        l.first--;
    while (l.last > l.first && t->range[l.last - 1].from > end)
        l.last--;
    return l;
}

/* ---- the layouts ---- */

static bool always(const struct llp_track *t, uint64_t key, uint64_t end)
{
    return t->edge <= key && key < end;
}

static bool has_a_range(const struct llp_track *t, uint64_t key, uint64_t end)
{
    struct lie l = lie_of(t, key, end);
    return !t->conf.ranges || t->ranges - (l.last - l.first) < t->conf.ranges;
}

static bool has_bits(const struct llp_track *t, uint64_t key, uint64_t end)
{
    (void)key;
    return !t->conf.reach || end - t->edge <= (uint64_t)t->conf.reach * t->unit;
}

static bool goes_on(const struct llp_track *t, uint64_t key, uint64_t end)
{
    (void)end;
    return !t->ranges || key == t->range[t->ranges - 1].to;
}

static uint64_t bits_of_ranges(const struct llp_track *t, uint32_t ranges, uint64_t to)
{
    (void)t, (void)to;
    return (uint64_t)RANGE_BITS * ranges;
}

static uint64_t bits_of_bitmap(const struct llp_track *t, uint32_t ranges, uint64_t to)
{
    (void)ranges;
    return (to - t->edge + t->grain - 1) / t->grain;
}

static uint64_t bits_of_counter(const struct llp_track *t, uint32_t ranges, uint64_t to)
{
    (void)t, (void)to;
    LAW(ranges == 1);
    return COUNTER_BITS;
}

/* LIST: the engine's. */
static const struct layout {
    bool (*may)(const struct llp_track *t, uint64_t key, uint64_t end);
    uint64_t (*bits)(const struct llp_track *t, uint32_t ranges, uint64_t to); /* the last one ends at `to` */
    uint32_t least;
} layouts[] = {[TRACK_LIST] = {always, NULL, 0},
               [TRACK_RANGES] = {has_a_range, bits_of_ranges, RANGE_BITS},
               [TRACK_BITMAP] = {has_bits, bits_of_bitmap, BITMAP_BITS},
               [TRACK_COUNTER] = {goes_on, bits_of_counter, COUNTER_BITS}};
_Static_assert(sizeof layouts / sizeof *layouts == LLP_TRACKINGS, "each layout has its row");

uint32_t llp_track_least(enum llp_tracking layout)
{
    return layouts[layout].least;
}

/* ---- the pool ---- */

static uint64_t bits_with(const struct llp_track *t, uint64_t key, uint64_t end)
{
    struct lie l = lie_of(t, key, end);
    uint64_t last = t->ranges ? t->range[t->ranges - 1].to : 0;
    return layouts[t->conf.layout].bits(t, t->ranges + 1 - (l.last - l.first), end > last ? end : last);
}

static bool pool_has(const struct llp_track *t, uint64_t key, uint64_t end)
{
    const struct llp_track_pool *p = t->conf.pool;
    return !p || bits_with(t, key, end) <= t->bits + (p->bits - p->used);
}

/* So many bits are taken now, of the pool if there is one. */
static void hold_bits(struct llp_track *t, uint64_t bits)
{
    struct llp_track_pool *p = t->conf.pool;
    if (p) {
        LAW(t->bits <= p->used);
        p->used = p->used - t->bits + bits;
        p->peak = p->used > p->peak ? p->used : p->peak;
        LAW(p->used <= p->bits); /* no more bits are used than there are */
    }
    t->bits = (uint32_t)bits;
}

/* What its ranges take. */
static void hold_all(struct llp_track *t)
{
    hold_bits(t, t->ranges ? layouts[t->conf.layout].bits(t, t->ranges, t->range[t->ranges - 1].to) : 0);
}

/* ---- what is here ---- */

void llp_track_init(struct llp_track *t, const struct llp_track_conf *conf, uint32_t unit, uint32_t grain)
{
    *t = (struct llp_track){.conf = *conf, .unit = unit, .grain = grain};
}

/* Ranges are apart and in order. */
static bool are_apart(const struct llp_track *t)
{
    bool apart = t->ranges <= t->slots;
    for (uint32_t i = 0; i + 1 < t->ranges; i++)
        apart = apart && t->range[i].from < t->range[i].to && t->range[i].to < t->range[i + 1].from;
    return apart;
}

/* What lies below the edge is no longer out of order. */
void llp_track_forget(struct llp_track *t, uint64_t edge)
{
    uint32_t gone = 0;
    LAW(edge >= t->edge);
    t->edge = edge;
    while (gone < t->ranges && t->range[gone].from <= t->edge)
        gone++;
    t->ranges -= gone;
    if (gone)
        memmove(t->range, t->range + gone, t->ranges * sizeof *t->range);
    hold_all(t);
}

void llp_track_end(struct llp_track *t)
{
    t->ranges = 0;
    hold_all(t);
}

/* Room for one range more. */
static bool finds_slot(struct llp_track *t, const struct llp_object *o)
{
    uint32_t slots = t->slots ? 2 * t->slots : SLOTS_MIN;
    if (t->ranges < t->slots)
        return true;
    struct llp_track_range *more = llp_more(o, slots * sizeof *more);
    if (!more)
        return false;
    if (t->ranges)
        memcpy(more, t->range, t->ranges * sizeof *more);
    t->range = more;
    t->slots = slots;
    return true;
}

bool llp_track_may(struct llp_track *t, const struct llp_object *o, uint64_t edge, uint64_t key, uint64_t end)
{
    const struct layout *layout = &layouts[t->conf.layout];
    if (!layout->bits)
        return true;
    llp_track_forget(t, edge);
    bool may = layout->may(t, key, end) && pool_has(t, key, end) && finds_slot(t, o);
    t->refused += !may;
    return may;
}

void llp_track_took(struct llp_track *t, uint64_t key, uint64_t end)
{
    const struct layout *layout = &layouts[t->conf.layout];
    if (!layout->bits)
        return;
    struct lie l = lie_of(t, key, end);
    struct llp_track_range *at = t->range + l.first;
    if (l.first < l.last) {
        key = at->from < key ? at->from : key;
        end = at[l.last - l.first - 1].to > end ? at[l.last - l.first - 1].to : end;
    }
    memmove(at + 1, t->range + l.last, (t->ranges - l.last) * sizeof *at);
    *at = (struct llp_track_range){key, end};
    t->ranges = t->ranges + 1 - (l.last - l.first);
    LAW(are_apart(t)); /* ranges are apart and in order, no more than the layout may have */
    LAW(!t->conf.ranges || t->ranges <= t->conf.ranges);
    hold_all(t);
    uint64_t octets = (t->bits + BITS - 1) / BITS;
    t->peak = octets > t->peak ? (uint32_t)octets : t->peak;
}
