/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h -- memory that is kept until all of it goes. */
#ifndef HELPERS_ARENA_H
#define HELPERS_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. Chunks grow with what was taken. No huge pages: queues have room that is seldom used, which would take
 * memory there (twice to four times as much for 1,024 hosts). */
struct arena_chunk;
struct memory_arena {
    struct arena_chunk *chunk;
    uint8_t *at, *end;
    size_t taken;
};

/* Zeroed, aligned to 16. NULL: no memory. */
void *memory_arena_take(struct memory_arena *a, size_t octets);
/* Everything goes; it is empty again. */
void memory_arena_free(struct memory_arena *a);

#endif
