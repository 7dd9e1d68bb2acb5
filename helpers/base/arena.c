/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/arena.h"

#include <stdlib.h>

enum {
    ALIGN = 16,
    LINE = 64, /* of cache */
    LARGE = 4 * LINE,
    CHUNK_MIN = 1 << 16,
    CHUNK_MAX = 1 << 24,
    WASTE = 8 /* at most this part of what was taken */
};

struct arena_chunk {
    struct arena_chunk *next;
};

static size_t rounded(size_t octets)
{
    return (octets + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static int add_chunk(struct memory_arena *a, size_t octets)
{
    size_t head = rounded(sizeof(struct arena_chunk)), size = a->taken / WASTE;
    size = size < CHUNK_MIN ? CHUNK_MIN : size > CHUNK_MAX ? CHUNK_MAX : size;
    size = size < octets + head ? octets + head : size;
    struct arena_chunk *c = calloc(1, size);
    if (!c)
        return -1;
    c->next = a->chunk;
    a->chunk = c;
    a->at = (uint8_t *)c + head;
    a->end = (uint8_t *)c + size;
    a->taken += size;
    return 0;
}

/* To where a line of cache begins, for what takes several. */
static size_t gap(const struct memory_arena *a, size_t octets)
{
    return octets < LARGE ? 0 : -(uintptr_t)a->at & (LINE - 1);
}

void *memory_arena_take(struct memory_arena *a, size_t octets)
{
    octets = rounded(octets);
    if ((size_t)(a->end - a->at) < octets + gap(a, octets) && add_chunk(a, octets + LINE) != 0)
        return NULL;
    a->at += gap(a, octets) + octets;
    return a->at - octets;
}

void memory_arena_free(struct memory_arena *a)
{
    for (struct arena_chunk *c; (c = a->chunk);) {
        a->chunk = c->next;
        free(c);
    }
    *a = (struct memory_arena){0};
}
