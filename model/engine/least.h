/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* least.h -- the smaller and the larger of two numbers; of two times, the sooner and the later. */
#ifndef IW_ENGINE_LEAST_H
#define IW_ENGINE_LEAST_H

#include <stdint.h>

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
