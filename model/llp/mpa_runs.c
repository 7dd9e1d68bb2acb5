/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/mpa_runs.h"

#include <string.h>

#include "engine/law.h"

void mpa_runs_init(struct mpa_runs *runs, struct mpa_run *slot, uint32_t *order, uint32_t max)
{
    *runs = (struct mpa_runs){.slot = slot, .order = order, .hole = max, .free = MPA_NO_SLOT};
}

void mpa_runs_move(struct mpa_runs *runs, struct mpa_run *slot, uint32_t *order, uint32_t max)
{
    const struct mpa_runs old = *runs;
    LAW(old.count <= max);
    mpa_runs_init(runs, slot, order, max);
    for (uint32_t i = 0; i < old.count; i++) {
        slot[i] = *mpa_run_at(&old, i);
        order[i] = i;
    }
    runs->count = runs->gap = runs->used = old.count;
    runs->hole = max - old.count;
    runs->near = old.near;
}

/* The one before ends at or before `offset`. */
static bool is_first_beyond(const struct mpa_runs *r, uint32_t i, uint64_t offset)
{
    bool ends_before = !i || mpa_run_at(r, i - 1)->end <= offset;
    return ends_before && (i == r->count || mpa_run_at(r, i)->end > offset);
}

static uint32_t search(const struct mpa_runs *runs, uint64_t offset)
{
    uint32_t low = 0, high = runs->count, near = runs->near;
    if (near < high && mpa_run_at(runs, near)->end <= offset) {
        low = near + 1;
        if (low < high && mpa_run_at(runs, low)->end > offset)
            return low;
    } else if (near < high) {
        high = near;
        if (near == 0 || mpa_run_at(runs, near - 1)->end <= offset)
            return near;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mpa_run_at(runs, middle)->end > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t mpa_runs_find(const struct mpa_runs *runs, uint64_t offset)
{
    uint32_t i = search(runs, offset);
    LAW(is_first_beyond(runs, i, offset));
    return i;
}

enum { FEW = 16 }; /* moved faster one by one */

/* The gap stands before run `i`. */
static void move_gap(struct mpa_runs *r, uint32_t i)
{
    uint32_t *front = r->order, *back = r->order + r->hole;
    if (i + FEW < r->gap)
        memmove(back + i, front + i, (r->gap - i) * sizeof *front);
    else if (i > r->gap + FEW)
        memmove(front + r->gap, back + r->gap, (i - r->gap) * sizeof *front);
    else {
        for (uint32_t n = r->gap; n > i; n--)
            back[n - 1] = front[n - 1];
        for (uint32_t n = r->gap; n < i; n++)
            front[n] = back[n];
    }
    r->gap = i;
}

static uint32_t take_slot(struct mpa_runs *r)
{
    uint32_t slot = r->free;
    LAW(r->hole && r->used <= r->count + r->hole && r->gap <= r->count);
    if (slot == MPA_NO_SLOT)
        return r->used++;
    r->free = (uint32_t)r->slot[slot].start;
    return slot;
}

/* Run `i` is not empty and lies apart from its neighbours. */
static bool lies_apart(const struct mpa_runs *r, uint32_t i)
{
    const struct mpa_run *run = mpa_run_at(r, i), *left = i ? mpa_run_at(r, i - 1) : NULL;
    const struct mpa_run *right = i + 1 < r->count ? mpa_run_at(r, i + 1) : NULL;
    return run->start < run->end && (!left || left->end + (left->kind == run->kind) <= run->start) &&
           (!right || run->end + (right->kind == run->kind) <= right->start);
}

static void insert_run(struct mpa_runs *r, uint32_t i, const struct mpa_run *run)
{
    uint32_t slot = take_slot(r);
    move_gap(r, i);
    r->order[r->gap++] = slot;
    r->hole--;
    r->count++;
    r->slot[slot] = *run;
}

static void erase(struct mpa_runs *r, uint32_t i)
{
    uint32_t slot = (uint32_t)(mpa_run_at(r, i) - r->slot);
    LAW(i < r->count && slot < r->used);
    if (i != r->gap)
        move_gap(r, i + 1);
    r->gap -= i != r->gap; /* the gap swallows it, on its left or on its right */
    r->hole++;
    r->count--;
    r->slot[slot].start = r->free;
    r->free = slot;
}

/* Replace `old` runs at `i` by `fresh` others. */
static void splice(struct mpa_runs *runs, uint32_t i, uint32_t old, const struct mpa_run *with,
                   uint32_t fresh)
{
    uint32_t n = 0;
    for (; n < old && n < fresh; n++)
        *mpa_run_at(runs, i + n) = with[n];
    for (; n < fresh; n++)
        insert_run(runs, i + n, &with[n]);
    for (; n < old; n++)
        erase(runs, i + fresh);
}

static bool touches_before(const struct mpa_runs *runs, uint32_t i, uint64_t start, enum mpa_run_kind kind)
{
    return i > 0 && mpa_run_at(runs, i - 1)->kind == kind && mpa_run_at(runs, i - 1)->end == start;
}

static bool touches_behind(const struct mpa_runs *runs, uint32_t i, uint64_t end, enum mpa_run_kind kind)
{
    return i < runs->count && mpa_run_at(runs, i)->kind == kind && mpa_run_at(runs, i)->start == end;
}

void mpa_runs_insert(struct mpa_runs *runs, uint32_t i, uint64_t start, uint64_t end, uint64_t anchor)
{
    struct mpa_run run = {start, end, anchor, MPA_RUN_HELD};
    uint32_t first = i, old = 0;
    if (touches_before(runs, i, start, MPA_RUN_HELD)) {
        run.start = mpa_run_at(runs, --first)->start;
        old++;
    }
    if (touches_behind(runs, i, end, MPA_RUN_HELD)) {
        run.end = mpa_run_at(runs, i)->end;
        old++;
    }
    splice(runs, first, old, &run, 1);
    runs->near = first;
    LAW(lies_apart(runs, first)); /* runs are sorted, never empty and never overlap */
}

void mpa_runs_turn(struct mpa_runs *runs, uint32_t i, uint64_t start, uint64_t end, enum mpa_run_kind kind)
{
    struct mpa_run held = *mpa_run_at(runs, i), with[3];
    struct mpa_run turned = {start, end, MPA_NOWHERE, kind};
    uint32_t first = i, old = 1, fresh = 0;
    if (start > held.start) {
        with[fresh++] = (struct mpa_run){held.start, start, MPA_NOWHERE, MPA_RUN_HELD};
    } else if (touches_before(runs, i, start, kind)) {
        turned.start = mpa_run_at(runs, --first)->start;
        old++;
    }
    if (end == held.end && touches_behind(runs, i + 1, end, kind)) {
        turned.end = mpa_run_at(runs, i + 1)->end;
        old++;
    }
    with[fresh++] = turned;
    if (end < held.end)
        with[fresh++] = (struct mpa_run){end, held.end, end, MPA_RUN_HELD};
    splice(runs, first, old, with, fresh);
    runs->near = first + (start > held.start);
    LAW(lies_apart(runs, runs->near)); /* neighbours of the same kind do not touch */
    LAW(lies_apart(runs, first) && runs->gap <= runs->count);
}

void mpa_runs_advance(struct mpa_runs *runs, uint64_t edge)
{
    struct mpa_run *first = mpa_run_at(runs, 0);
    if (edge == first->end) {
        erase(runs, 0);
        return;
    }
    LAW(first->start <= edge && edge < first->end);
    first->start = edge;
    first->anchor = edge;
}
