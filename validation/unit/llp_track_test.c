/* SPDX-License-Identifier: GPL-2.0-or-later */
/* llp_track_test.c -- what each layout of llp.tracking remembers, in how many octets, and what it refuses; by hand. */
#include "llp/llp_inner.h"
#include "validation/support/test.h"

static uint64_t memory[512];
static size_t used;

static void *more(void *user, size_t octets)
{
    void *at = &memory[used];
    (void)user;
    used += (octets + 7) / 8;
    return used <= 512 ? at : NULL;
}

static struct llp_object object;
static struct llp_track track;
static struct llp_track_pool *shared;

/* Chunks: a key is a segment and a bit. */
static void begin(enum llp_tracking layout, uint32_t reach, uint32_t ranges, uint32_t unit, uint32_t grain)
{
    struct llp_track_conf conf = {.layout = layout, .reach = reach, .ranges = ranges, .pool = shared};
    used = 0;
    object = (struct llp_object){.conf = {.memory = {more, NULL}}};
    llp_track_init(&track, &conf, unit, grain);
}

static bool come(uint64_t edge, uint64_t key, uint64_t end)
{
    bool may = llp_track_may(&track, &object, edge, key, end);
    if (may)
        llp_track_took(&track, key, end);
    return may;
}

TEST(a_list_refuses_nothing_here_and_is_counted_by_the_engine)
{
    begin(TRACK_LIST, 1, 1, 1, 1);
    assert_true(come(0, 1, 2) && come(0, 5000, 5001));
    assert_int_equal(track.peak, 0);
    assert_int_equal(track.refused, 0);
}

TEST(a_range_is_16_octets_and_two_that_meet_are_one)
{
    begin(TRACK_RANGES, 0, 2, 1, 1);
    assert_true(come(0, 2, 3) && come(0, 3, 4));
    assert_int_equal(track.peak, 16);
    assert_true(come(0, 6, 7));
    assert_int_equal(track.peak, 32);
    assert_false(come(0, 9, 10)); /* a third */
    assert_true(come(0, 5, 6));   /* at the front of the second */
    assert_true(come(0, 4, 5));   /* between both: one is left */
    assert_int_equal(track.ranges, 1);
    assert_true(track.range[0].from == 2 && track.range[0].to == 7);
    assert_true(come(0, 9, 10));
    assert_int_equal(track.peak, 32);
    assert_int_equal(track.refused, 1);
}

TEST(what_lies_below_the_edge_is_forgotten)
{
    begin(TRACK_RANGES, 0, 1, 1, 1);
    assert_true(come(0, 2, 3));
    assert_false(come(1, 5, 6));
    assert_true(come(3, 5, 6)); /* 0 to 2 have come */
    assert_true(track.ranges == 1 && track.range[0].from == 5);
}

TEST(ranges_without_a_limit_take_as_many_as_come)
{
    begin(TRACK_RANGES, 0, 0, 1, 1);
    for (uint64_t i = 0; i < 40; i++)
        assert_true(come(0, 100 - 2 * i, 101 - 2 * i));
    assert_int_equal(track.ranges, 40);
    assert_int_equal(track.peak, 640);
    assert_int_equal(track.range[39].to, 101);
}

TEST(a_bitmap_has_a_bit_for_each_key_from_the_edge_on)
{
    begin(TRACK_BITMAP, 16, 0, 1, 1);
    assert_true(come(0, 7, 8));
    assert_int_equal(track.peak, 1);
    assert_true(come(0, 8, 9));
    assert_int_equal(track.peak, 2);
    assert_true(come(0, 15, 16));
    assert_false(come(0, 16, 17));
    assert_true(come(1, 16, 17));
    assert_int_equal(track.peak, 2);
}

TEST(of_a_byte_stream_a_bit_is_four_octets_and_the_limit_full_segments)
{
    begin(TRACK_BITMAP, 3, 0, 1000, 4);
    assert_true(come(0, 1000, 2000));
    assert_int_equal(track.peak, 63); /* 500 bits */
    assert_true(come(0, 2100, 3000));
    assert_false(come(0, 2100, 3004));
    assert_int_equal(track.peak, 94); /* 750 bits */
}

TEST(a_counter_goes_on_where_its_run_ends_and_nowhere_else)
{
    begin(TRACK_COUNTER, 0, 0, 1, 1);
    assert_true(come(0, 3, 4) && come(0, 4, 5));
    assert_int_equal(track.peak, 12);
    assert_false(come(0, 2, 3)); /* at its front: it might have been counted */
    assert_false(come(0, 6, 7)); /* a second hole */
    assert_true(come(1, 5, 6));
    assert_true(come(6, 9, 10)); /* the hole has filled: a new run */
    assert_int_equal(track.peak, 12);
    assert_int_equal(track.refused, 2);
}

TEST(without_memory_nothing_is_remembered)
{
    begin(TRACK_RANGES, 0, 0, 1, 1);
    used = 512;
    assert_false(come(0, 2, 3));
    assert_int_equal(track.refused, 1);
}

/* ---- a pool ---- */

/* Another connection of the adapter comes to the same object: tracks are swapped. */
static bool comes_to(struct llp_track *t, uint64_t edge, uint64_t key)
{
    struct llp_track own = track;
    track = *t;
    bool may = come(edge, key, key + 1);
    *t = track;
    track = own;
    return may;
}

TEST(connections_share_the_bits_of_a_pool)
{
    struct llp_track_pool pool = {.bits = 8};
    shared = &pool;
    begin(TRACK_BITMAP, 0, 0, 1, 1);
    struct llp_track other = track;
    assert_true(come(0, 4, 5)); /* 5 bits */
    assert_int_equal(pool.used, 5);
    assert_true(comes_to(&other, 10, 12)); /* 3 */
    assert_int_equal(pool.used, 8);
    assert_false(comes_to(&other, 10, 13)); /* a fourth */
    assert_int_equal(other.refused, 1);
    assert_true(come(0, 2, 3)); /* it has that bit */
    llp_track_passed(&track, 3);
    assert_int_equal(pool.used, 3 + 2); /* 3 and 4 are left of the first */
    assert_true(comes_to(&other, 10, 14));
    assert_int_equal(pool.used, 2 + 5);
    llp_track_end(&other);
    assert_int_equal(pool.used, 2);
    llp_track_passed(&track, 5);
    assert_int_equal(pool.used, 0);
    assert_int_equal(pool.peak, 8);
    shared = NULL;
}

TEST(of_a_pool_a_range_takes_128_bits_and_a_counter_96)
{
    struct llp_track_pool pool = {.bits = 255};
    shared = &pool;
    begin(TRACK_RANGES, 0, 0, 1, 1);
    assert_true(come(0, 4, 5));
    assert_false(come(0, 9, 10)); /* 256 */
    assert_true(come(0, 5, 6));   /* it goes on */
    assert_int_equal(pool.used, 128);
    begin(TRACK_COUNTER, 0, 0, 1, 1);
    assert_true(come(0, 4, 5));
    assert_int_equal(pool.used, 128 + 96);
    shared = NULL;
}
