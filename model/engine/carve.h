/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* carve.h -- an object in one block of memory that its caller owns: the same walk over its parts, once without memory,
 * gives the block's size, and once with it, their places. */
#ifndef IW_ENGINE_CARVE_H
#define IW_ENGINE_CARVE_H

#include <stddef.h>
#include <stdint.h>

struct carve {
    uint8_t *memory; /* NULL: only count; aligned as malloc does */
    size_t used;
};

/* The next part, aligned as malloc does, a large one as the block's first is in lines of cache; NULL while counting. */
static inline void *carve(struct carve *c, size_t octets)
{
    enum { LEAST = 16, LINE = 64, LARGE = 8 * LINE };
    if (octets >= LARGE)
        c->used = (c->used + LINE - 1) & ~(size_t)(LINE - 1);
    void *p = c->memory ? c->memory + c->used : NULL;
    c->used += (octets + LEAST - 1) & ~(size_t)(LEAST - 1);
    return p;
}

#endif
