/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/arena.h"

#ifdef __linux__
#include <sys/mman.h>
#else
#include <stdlib.h>
#endif

enum {
    ALIGN = 16,
    CHUNK_MIN = 1 << 16,
    HUGE = 1 << 21,
    HUGE_MOST = 1 << 28,
    CHUNK_MAX = 1 << 24,
    WASTE = 8 /* at most this part of it */
};

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
};

static size_t rounded(size_t octets, size_t to)
{
    return (octets + to - 1) & ~(to - 1);
}

static size_t size_of_next(const struct memory_arena *a, size_t octets)
{
    size_t size = a->taken / WASTE;
    size = size < CHUNK_MIN ? CHUNK_MIN : size > CHUNK_MAX ? CHUNK_MAX : size;
    size = size < octets ? octets : size;
    return rounded(size, size < HUGE ? CHUNK_MIN : HUGE);
}

#ifdef __linux__
/* A mapping begins where it likes: what lies before and behind the huge pages goes back. */
static void *map(size_t size)
{
    size_t slack = size < HUGE ? 0 : HUGE;
    uint8_t *p = mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (!slack)
        return p;
    size_t before = rounded((uintptr_t)p, HUGE) - (uintptr_t)p;
    if (before)
        munmap(p, before);
    if (slack - before)
        munmap(p + before + size, slack - before);
    return p + before;
}

static void want_huge_pages(void *memory, size_t size)
{
    madvise(memory, size, MADV_HUGEPAGE);
}

static void unmap(void *memory, size_t size)
{
    munmap(memory, size);
}
#else
static void *map(size_t size)
{
    return calloc(1, size);
}

static void want_huge_pages(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}

static void unmap(void *memory, size_t size)
{
    (void)size;
    free(memory);
}
#endif

static int add_chunk(struct memory_arena *a, size_t octets)
{
    size_t head = rounded(sizeof(struct arena_chunk), ALIGN), size = size_of_next(a, octets + head);
    struct arena_chunk *c = map(size);
    if (!c)
        return -1;
    if (size >= HUGE && a->taken < HUGE_MOST)
        want_huge_pages(c, size);
    *c = (struct arena_chunk){a->chunk, size};
    a->chunk = c;
    a->at = (uint8_t *)c + head;
    a->end = (uint8_t *)c + size;
    a->taken += size;
    return 0;
}

void *memory_arena_take(struct memory_arena *a, size_t octets)
{
    octets = rounded(octets, ALIGN);
    if ((size_t)(a->end - a->at) < octets && add_chunk(a, octets) != 0)
        return NULL;
    void *memory = a->at;
    a->at += octets;
    return memory;
}

void memory_arena_free(struct memory_arena *a)
{
    for (struct arena_chunk *c; (c = a->chunk);) {
        a->chunk = c->next;
        unmap(c, c->size);
    }
    *a = (struct memory_arena){0};
}
