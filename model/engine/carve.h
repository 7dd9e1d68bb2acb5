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

/* The next part, aligned as malloc does; NULL while counting. */
static inline void *carve(struct carve *c, size_t octets)
{
    void *p = c->memory ? c->memory + c->used : NULL;
    c->used += (octets + 15) & ~(size_t)15;
    return p;
}

/* The same, as far into a line of cache as the block itself. */
static inline void *carve_line(struct carve *c, size_t octets)
{
    c->used = (c->used + 63) & ~(size_t)63;
    return carve(c, octets);
}

#endif
