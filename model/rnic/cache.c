/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rnic/cache.h"

#include <string.h>

#include "engine/law.h"

static uint32_t buckets(uint32_t size)
{
    uint32_t n = 1;
    while (n < size)
        n *= 2;
    return n;
}

size_t rnic_cache_bytes(uint32_t size)
{
    return ((size_t)size + 1) * sizeof(struct rnic_cache_entry) + buckets(size) * sizeof(uint32_t);
}

void rnic_cache_init(struct rnic_cache *cache, void *memory, uint32_t size)
{
    memset(cache, 0, sizeof *cache);
    memset(memory, 0, rnic_cache_bytes(size));
    cache->entry = memory;
    cache->bucket = (uint32_t *)(cache->entry + size + 1);
    cache->size = size;
    cache->mask = buckets(size) - 1;
}

static uint32_t *bucket_of(struct rnic_cache *cache, uint32_t key)
{
    uint64_t mixed = key * UINT64_C(0x9E3779B97F4A7C15);
    return &cache->bucket[(uint32_t)(mixed >> 32) & cache->mask];
}

static uint32_t find(struct rnic_cache *cache, uint32_t key)
{
    uint32_t i = *bucket_of(cache, key);
    while (i && cache->entry[i].key != key)
        i = cache->entry[i].chain;
    LAW(i <= cache->used);
    return i;
}

/* The ring of uses. */
static bool is_in_ring(const struct rnic_cache *cache, uint32_t i)
{
    const struct rnic_cache_entry *e = &cache->entry[i];
    return cache->entry[e->previous].next == i && cache->entry[e->next].previous == i;
}

static void take_out(struct rnic_cache *cache, uint32_t i)
{
    struct rnic_cache_entry *e = &cache->entry[i];
    LAW(is_in_ring(cache, i));
    cache->entry[e->previous].next = e->next;
    cache->entry[e->next].previous = e->previous;
}

static void put_first(struct rnic_cache *cache, uint32_t i)
{
    struct rnic_cache_entry *head = &cache->entry[0];
    cache->entry[i].next = head->next;
    cache->entry[i].previous = 0;
    cache->entry[head->next].previous = i;
    head->next = i;
    LAW(is_in_ring(cache, i) && is_in_ring(cache, 0));
}

/* Forget the least recently used; its entry is free. */
static uint32_t evict(struct rnic_cache *cache)
{
    uint32_t victim = cache->entry[0].previous;
    uint32_t *link = bucket_of(cache, cache->entry[victim].key);
    while (*link != victim)
        link = &cache->entry[*link].chain;
    LAW(victim && cache->used == cache->size);
    *link = cache->entry[victim].chain;
    take_out(cache, victim);
    return victim;
}

static void insert_key(struct rnic_cache *cache, uint32_t key)
{
    uint32_t i = cache->used < cache->size ? ++cache->used : evict(cache);
    uint32_t *bucket = bucket_of(cache, key);
    cache->entry[i].key = key;
    cache->entry[i].chain = *bucket;
    *bucket = i;
    put_first(cache, i);
}

bool rnic_cache_use(struct rnic_cache *cache, uint32_t key)
{
    uint32_t i = find(cache, key);
    if (!i) {
        cache->misses++;
        insert_key(cache, key);
        LAW(find(cache, key) == cache->entry[0].next && cache->used <= cache->misses);
        return false;
    }
    cache->hits++;
    if (cache->entry[0].next == i)
        return true;
    take_out(cache, i);
    put_first(cache, i);
    return true;
}
