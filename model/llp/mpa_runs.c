/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/mpa_runs.h"

static bool is_first_beyond(const struct mpa_runs *runs, uint32_t i, uint64_t offset)
{
    return i < runs->count && runs->run[i].end > offset && (i == 0 || runs->run[i - 1].end <= offset);
}

uint32_t mpa_runs_find(const struct mpa_runs *runs, uint64_t offset)
{
    uint32_t low = 0, high = runs->count;
    if (is_first_beyond(runs, runs->near, offset))
        return runs->near;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (runs->run[middle].end > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Move what lies behind run `from` so that it lies behind run `to`. */
static void shift(struct mpa_runs *runs, uint32_t from, uint32_t to)
{
    struct mpa_run *run = runs->run;
    uint32_t count = runs->count;
    if (to > from) {
        for (uint32_t n = count; n > from; n--)
            run[n - 1 + (to - from)] = run[n - 1];
    } else if (to < from) {
        for (uint32_t n = from; n < count; n++)
            run[n - (from - to)] = run[n];
    }
    runs->count = count + to - from;
}

/* Replace `old` runs at `i` by `fresh` others. */
static void splice(struct mpa_runs *runs, uint32_t i, uint32_t old, const struct mpa_run *with,
                   uint32_t fresh)
{
    shift(runs, i + old, i + fresh);
    for (uint32_t n = 0; n < fresh; n++)
        runs->run[i + n] = with[n];
}

static bool touches_before(const struct mpa_runs *runs, uint32_t i, uint64_t start, enum mpa_run_kind kind)
{
    return i > 0 && runs->run[i - 1].kind == kind && runs->run[i - 1].end == start;
}

static bool touches_behind(const struct mpa_runs *runs, uint32_t i, uint64_t end, enum mpa_run_kind kind)
{
    return i < runs->count && runs->run[i].kind == kind && runs->run[i].start == end;
}

void mpa_runs_insert(struct mpa_runs *runs, uint32_t i, uint64_t start, uint64_t end, uint64_t anchor)
{
    struct mpa_run run = {start, end, anchor, MPA_RUN_HELD};
    uint32_t first = i, old = 0;
    if (touches_before(runs, i, start, MPA_RUN_HELD)) {
        run.start = runs->run[--first].start;
        old++;
    }
    if (touches_behind(runs, i, end, MPA_RUN_HELD)) {
        run.end = runs->run[i].end;
        old++;
    }
    splice(runs, first, old, &run, 1);
    runs->near = first;
}

void mpa_runs_turn(struct mpa_runs *runs, uint32_t i, uint64_t start, uint64_t end, enum mpa_run_kind kind)
{
    struct mpa_run held = runs->run[i], with[3];
    struct mpa_run turned = {start, end, MPA_NOWHERE, kind};
    uint32_t first = i, old = 1, fresh = 0;
    if (start > held.start) {
        with[fresh++] = (struct mpa_run){held.start, start, MPA_NOWHERE, MPA_RUN_HELD};
    } else if (touches_before(runs, i, start, kind)) {
        turned.start = runs->run[--first].start;
        old++;
    }
    if (end == held.end && touches_behind(runs, i + 1, end, kind)) {
        turned.end = runs->run[i + 1].end;
        old++;
    }
    with[fresh++] = turned;
    if (end < held.end)
        with[fresh++] = (struct mpa_run){end, held.end, end, MPA_RUN_HELD};
    splice(runs, first, old, with, fresh);
    runs->near = first + (start > held.start);
}

void mpa_runs_advance(struct mpa_runs *runs, uint64_t edge)
{
    struct mpa_run *first = runs->run;
    if (edge == first->end) {
        shift(runs, 1, 0);
        return;
    }
    first->start = edge;
    first->anchor = edge;
}
