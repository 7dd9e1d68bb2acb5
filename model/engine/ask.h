/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ask.h -- memory that is needed soon is asked for: lines of cache then come side by side, while something else goes on. */
#ifndef IW_ENGINE_ASK_H
#define IW_ENGINE_ASK_H

#include <stddef.h>

/* NULL is allowed: nothing is read. gcc sees no effect in a prefetch, and drops calls of functions that do nothing else: hence
 * the empty statement. */
static inline void ask_for(const void *memory, size_t octets)
{
    const size_t line = 64;
    for (size_t i = 0; i < octets; i += line)
        __builtin_prefetch((const char *)memory + i);
    __asm__ volatile("");
}

#endif
