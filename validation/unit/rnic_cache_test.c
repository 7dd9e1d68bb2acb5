/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contexts on the adapter: who is forgotten, and what that costs. */
#include "rnic_rig.h"

/* The same cache, told naively: the latest first. */
struct list {
    uint32_t key[64], size, used;
};

static bool list_use(struct list *l, uint32_t key)
{
    uint32_t i = 0;
    while (i < l->used && l->key[i] != key)
        i++;
    bool hit = i < l->used;
    if (!hit && l->used < l->size)
        i = l->used++;
    else if (!hit)
        i = l->used - 1;
    memmove(l->key + 1, l->key, i * sizeof *l->key);
    l->key[0] = key;
    return hit;
}

TEST(the_least_recently_used_makes_room)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 8, 33, 64};
    for (int s = 0; s < 7; s++) {
        struct list list = {.size = sizes[s]};
        void *memory = malloc(rnic_cache_bytes(sizes[s]));
        struct rnic_cache cache;
        rnic_cache_init(&cache, memory, sizes[s]);
        uint64_t random = 3, hits = 0;
        for (int i = 0; i < 50000; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t key = (uint32_t)(random >> 33) % 80 * (i % 1000 < 500 ? 1 : 0x01000000);
            bool hit = rnic_cache_use(&cache, key);
            assert_int_equal(hit, list_use(&list, key));
            hits += hit;
        }
        assert_int_equal(cache.hits, hits);
        assert_int_equal(cache.misses, 50000 - hits);
        free(memory);
    }
}

TEST(one_more_than_fits_always_misses_in_turn)
{
    enum { SIZE = 1000, ROUNDS = 5 };
    struct rnic_cache cache;
    void *memory = malloc(rnic_cache_bytes(SIZE));
    rnic_cache_init(&cache, memory, SIZE);
    for (uint32_t i = 0; i < ROUNDS * SIZE; i++)
        rnic_cache_use(&cache, i % SIZE);
    assert_int_equal(cache.misses, SIZE);
    rnic_cache_init(&cache, memory, SIZE);
    for (uint32_t i = 0; i < ROUNDS * (SIZE + 1); i++)
        rnic_cache_use(&cache, i % (SIZE + 1));
    assert_int_equal(cache.hits, 0);
    free(memory);
}

static struct rnic_conf small_caches(void)
{
    struct rnic_conf c = preset("ideal");
    c.pcie.generation = 1, c.pcie.lanes = 1, c.pcie.overhead = 20, c.pcie.read = 800 * NS;
    c.rx.segment = c.tx.segment = 10 * NS;
    c.cache.stags = 4, c.cache.connections = 4, c.cache.context = 256, c.cache.misses = 2;
    return c;
}

TEST(a_miss_costs_a_pcie_read)
{
    struct rnic_conf c = small_caches();
    iw_time fetch = 800 * NS + (256 + 20) * 4 * NS;
    struct rnic *r = adapter(&c, 8);
    assert_int_equal(rnic_arrive(r, 0, 3, 100), fetch + 10 * NS);
    iw_time now = 10 * US;
    assert_int_equal(rnic_arrive(r, now, 3, 100), now + 10 * NS);
    assert_int_equal(rnic_send(r, now, 3, 100), now + 10 * NS); /* the same contexts */
    now = 20 * US;
    iw_time write = 120 * 4 * NS;
    assert_int_equal(rnic_place(r, now, 7, 100), now + fetch + write);
    now = 30 * US;
    assert_int_equal(rnic_place(r, now, 7, 100), now + write);
    now = 40 * US;
    assert_int_equal(rnic_place(r, now, 0, 100), now + write); /* no STag, no look-up */
    assert_int_equal(rnic_stag_cache(r)->misses, 1);
    assert_int_equal(rnic_connection_cache(r)->misses, 1);
    free(r);
}

TEST(an_unlimited_cache_never_misses)
{
    struct rnic_conf c = small_caches();
    c.cache.stags = c.cache.connections = RNIC_UNLIMITED;
    struct rnic *r = adapter(&c, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(rnic_arrive(r, i * US, i, 100), i * US + 10 * NS);
    assert_null(rnic_stag_cache(r));
    assert_null(rnic_connection_cache(r));
    free(r);
}

/* Picoseconds per segment when `connections` take turns. */
static double per_segment(uint32_t connections, uint32_t count)
{
    struct rnic_conf c = small_caches();
    struct rnic *r = adapter(&c, connections);
    iw_time done = 0;
    for (uint32_t i = 0; i < count; i++)
        done = rnic_arrive(r, 0, i % connections, 1);
    free(r);
    return (double)done / count;
}

TEST(the_cliff_is_where_the_cache_ends)
{
    assert_true(fabs(per_segment(4, 10000) - 10e3) < 0.02 * 10e3);
    assert_true(fabs(per_segment(5, 10000) - 400e3) < 0.02 * 400e3); /* read / misses */
}
