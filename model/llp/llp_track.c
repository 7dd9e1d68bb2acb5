/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/llp_track.h"

#include <string.h>

#include "engine/law.h"
#include "llp/llp_inner.h"

enum { SLOTS_MIN = 8, RANGE_OCTETS = 16, COUNTER_OCTETS = 12, BITS = 8 };

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

static uint64_t octets_of_ranges(const struct llp_track *t)
{
    return (uint64_t)RANGE_OCTETS * t->ranges;
}

static uint64_t octets_of_bits(const struct llp_track *t)
{
    uint64_t keys = t->range[t->ranges - 1].to - t->edge;
    return ((keys + t->grain - 1) / t->grain + BITS - 1) / BITS;
}

static uint64_t octets_of_counter(const struct llp_track *t)
{
    LAW(t->ranges == 1);
    return COUNTER_OCTETS;
}

/* LIST: the engine's. */
static const struct layout {
    bool (*may)(const struct llp_track *t, uint64_t key, uint64_t end);
    uint64_t (*octets)(const struct llp_track *t); /* of one range at least */
} layouts[] = {[TRACK_LIST] = {always, NULL},
               [TRACK_RANGES] = {has_a_range, octets_of_ranges},
               [TRACK_BITMAP] = {has_bits, octets_of_bits},
               [TRACK_COUNTER] = {goes_on, octets_of_counter}};
_Static_assert(sizeof layouts / sizeof *layouts == LLP_TRACKINGS, "each layout has its row");

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
static void forget(struct llp_track *t)
{
    uint32_t gone = 0;
    while (gone < t->ranges && t->range[gone].from <= t->edge)
        gone++;
    t->ranges -= gone;
    if (gone)
        memmove(t->range, t->range + gone, t->ranges * sizeof *t->range);
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
    if (!layout->octets)
        return true;
    LAW(edge >= t->edge);
    t->edge = edge;
    forget(t);
    bool may = layout->may(t, key, end) && finds_slot(t, o);
    t->refused += !may;
    return may;
}

void llp_track_took(struct llp_track *t, uint64_t key, uint64_t end)
{
    const struct layout *layout = &layouts[t->conf.layout];
    if (!layout->octets)
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
    uint64_t octets = layout->octets(t);
    t->peak = octets > t->peak ? octets : t->peak;
}
