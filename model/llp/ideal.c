/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/ideal.h"

#include "engine/law.h"

static size_t rounded(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

struct run {
    uint64_t start, end;
};

struct ideal_in {
    uint64_t next;
    uint32_t max, count;
    struct run *run;
};

size_t ideal_in_size(uint32_t max)
{
    return rounded(sizeof(struct ideal_in)) + max * sizeof(struct run);
}

struct ideal_in *ideal_in_init(void *memory, uint32_t max)
{
    struct ideal_in *in = memory;
    *in = (struct ideal_in){.max = max};
    in->run = (struct run *)(void *)((uint8_t *)memory + rounded(sizeof *in));
    return in;
}

uint64_t ideal_in_edge(const struct ideal_in *in)
{
    return in->next;
}

bool ideal_in_whole(const struct ideal_in *in)
{
    return in->count == 0;
}

uint32_t ideal_in_runs(const struct ideal_in *in, uint64_t (*run)[2], uint32_t max)
{
    for (uint32_t i = 0; i < in->count && i < max; i++) {
        run[i][0] = in->run[i].start - in->next;
        run[i][1] = in->run[i].end - in->next;
    }
    return in->count;
}

/* The first run that ends at or behind `offset`. */
static uint32_t run_at(const struct ideal_in *in, uint64_t offset)
{
    uint32_t low = 0, high = in->count;
    while (low != high) {
        uint32_t middle = low + (high - low) / 2;
        if (in->run[middle].end < offset)
            low = middle + 1;
        else
            high = middle;
    }
    LAW(!low || in->run[low - 1].end < offset);
    LAW(low == in->count || in->run[low].end >= offset);
    return low;
}

bool ideal_in_has(const struct ideal_in *in, uint64_t offset, uint32_t len)
{
    uint64_t end = offset + len;
    if (end <= in->next)
        return true;
    uint32_t i = run_at(in, end);
    return i < in->count && in->run[i].start <= (offset > in->next ? offset : in->next);
}

/* Runs first .. last - 1, at least one, are no more. */
static void drop_runs(struct ideal_in *in, uint32_t first, uint32_t last)
{
    for (; last < in->count; first++, last++)
        in->run[first] = in->run[last];
    in->count -= last - first;
}

/* Run `i` is new; those behind it move. */
static void insert_run(struct ideal_in *in, uint32_t i, struct run new)
{
    for (uint32_t k = in->count++; k > i; k--)
        in->run[k] = in->run[k - 1];
    in->run[i] = new;
}

/* The run that has come within reach of `next` belongs to it. */
static void absorb_next(struct ideal_in *in)
{
    if (!in->count || in->run[0].start > in->next)
        return;
    if (in->run[0].end > in->next)
        in->next = in->run[0].end;
    drop_runs(in, 0, 1);
}

int ideal_in_take(struct ideal_in *in, uint64_t offset, uint32_t len)
{
    struct run new = {offset, offset + len};
    uint32_t first, last;
    if (new.end <= in->next)
        return IW_OK;
    if (new.start <= in->next && !in->count) {
        in->next = new.end;
        return IW_OK;
    }
    for (first = last = run_at(in, new.start); last < in->count && in->run[last].start <= new.end; last++) {
        if (in->run[last].start < new.start)
            new.start = in->run[last].start;
        if (in->run[last].end > new.end)
            new.end = in->run[last].end;
    }
    if (first == last && in->count == in->max)
        return IW_EFULL;
    if (first == last)
        insert_run(in, first, new);
    else if (last - first > 1)
        drop_runs(in, first + 1, last);
    in->run[first] = new;
    LAW(in->count <= in->max && (!first || in->run[first - 1].end < new.start));
    LAW(first + 1 == in->count || new.end < in->run[first + 1].start);
    absorb_next(in);
    LAW(!in->count ||
        in->run[0].start > in->next); /* everything below `next` is here; runs are beyond it, apart */
    return IW_OK;
}
