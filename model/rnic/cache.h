/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache.h -- contexts that an adapter keeps close: the least recently used one makes room. O(1) per look-up. */
#ifndef IW_RNIC_CACHE_H
#define IW_RNIC_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entry 0 is the head of the ring of uses: next is the latest, previous the least recent. */
struct rnic_cache_entry {
    uint32_t key, next, previous, chain;
};
struct rnic_cache {
    struct rnic_cache_entry *entry; /* size + 1 of them */
    uint32_t *bucket;               /* first entry of each hash chain, 0: none */
    uint32_t size, used, mask;
    uint64_t hits, misses;
};

/* Octets of memory for `size` entries (1 .. 2^24), aligned as uint32_t; the caller's. */
size_t rnic_cache_bytes(uint32_t size);
void rnic_cache_init(struct rnic_cache *cache, void *memory, uint32_t size);
/* Use `key`: true when it was there. It is there from now on and the latest. */
bool rnic_cache_use(struct rnic_cache *cache, uint32_t key);

#ifdef __cplusplus
}
#endif
#endif
