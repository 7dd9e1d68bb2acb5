/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registered memory: who may use which octets, from when, until when. */
#include "rig.h"

#include <stdlib.h>

enum { REGIONS = 8, PD = 1, OTHER_PD = 2, STREAM = 1, OTHER_STREAM = 2, ALL_RIGHTS = 7 };

struct table {
    struct iw_stags *t;
    uint8_t octets[64];
};

static int open_table(void **state)
{
    struct table *x = calloc(1, sizeof(*x));
    x->t = iw_stags_init(malloc(iw_stags_size(REGIONS)), REGIONS, 0);
    *state = x;
    return 0;
}

static int close_table(void **state)
{
    struct table *x = *state;
    free(x->t);
    free(x);
    return 0;
}

static struct iw_region plain(struct table *x)
{
    return (struct iw_region){.base = x->octets, .to = 0x1000, .len = 64, .rights = ALL_RIGHTS, .pd = PD};
}

static iw_stag add(struct table *x, struct iw_region region)
{
    iw_stag stag = 0;
    assert_int_equal(iw_register(x->t, &region, &stag), IW_OK);
    return stag;
}

static enum stag_fault check(struct table *x, iw_stag stag, uint64_t to, uint64_t len)
{
    struct stag_slot *slot;
    return stag_check(x->t, stag, PD, STREAM, to, len, IW_REMOTE_WRITE, &slot);
}

TEST_WITH(regions_are_named_one_after_the_other, open_table, close_table)
{
    struct table *x = *state;
    uint32_t at = 0;
    iw_stag stag, first = add(x, plain(x)), second = add(x, plain(x)), third = add(x, plain(x));
    assert_int_equal(iw_revoke(x->t, second, IW_CANCEL), IW_OK);
    assert_int_equal(iw_invalidate(x->t, third), IW_OK);
    assert_true(iw_region_next(x->t, &at, &stag));
    assert_int_equal(stag, first);
    assert_true(iw_region_next(x->t, &at, &stag));
    assert_int_equal(stag, third); /* the name is still there */
    assert_false(iw_region_next(x->t, &at, &stag));
}

TEST_WITH(a_table_holds_as_many_regions_as_asked, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    iw_stag stag;
    for (uint32_t i = 0; i < REGIONS; i++)
        assert_int_equal(add(x, region), (i + 1) << 8);
    assert_int_equal(iw_stags_count(x->t), REGIONS);
    assert_int_equal(iw_register(x->t, &region, &stag), IW_EFULL);
    assert_int_equal(iw_revoke(x->t, 0x300, IW_CANCEL), IW_OK);
    assert_int_equal(add(x, region), 0x301); /* the slot again, under another name */
    assert_int_equal(iw_stags_size(0), 0);
    assert_true(iw_stags_size(1) > 0);
    assert_true(iw_stags_size((1u << 24) - 1) > 0);
    assert_int_equal(iw_stags_size((1u << 24) + 1), 0);
}

/* checks: DDP-8.3-1 DDP-8.1-1 DDP-7.1-T3 DDP-7.1-T4 DDP-8.3.1-4 RDMAP-8.1.1-4 */
TEST_WITH(a_range_is_exact_to_the_octet, open_table, close_table)
{
    struct table *x = *state;
    iw_stag stag = add(x, plain(x));
    for (uint64_t to = 0xffc; to < 0x1044; to++) {
        for (uint64_t len = 1; len < 70; len++) {
            bool inside = to >= 0x1000 && to + len <= 0x1040;
            assert_int_equal(check(x, stag, to, len), inside ? STAG_OK : STAG_BOUNDS);
        }
    }
    assert_int_equal(check(x, stag, 0x1000, UINT32_MAX), STAG_BOUNDS);
    assert_int_equal(check(x, stag, 0, 1), STAG_BOUNDS);
    struct iw_region narrow = plain(x);
    narrow.to = 0x2000;
    narrow.len = 4;
    assert_int_equal(iw_rebind(x->t, stag, &narrow), IW_OK);
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_BOUNDS);
    assert_int_equal(check(x, stag, 0x2000, 4), STAG_OK);
    assert_int_equal(check(x, stag, 0x2000, 5), STAG_BOUNDS);
}

/* checks: DDP-7.1-T5 */
TEST_WITH(a_wrap_is_told_before_bounds, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region top = plain(x);
    iw_stag low = add(x, top);
    top.to = UINT64_MAX - 63;
    iw_stag high = add(x, top);
    assert_int_equal(check(x, low, UINT64_MAX, 2), STAG_WRAP);
    assert_int_equal(check(x, low, UINT64_MAX, 1), STAG_BOUNDS);
    assert_int_equal(check(x, high, UINT64_MAX, 1), STAG_OK);
    assert_int_equal(check(x, high, UINT64_MAX, 2), STAG_WRAP);
    assert_int_equal(check(x, high, UINT64_MAX - 63, 64), STAG_OK);
    assert_int_equal(check(x, high, UINT64_MAX - 63, 65), STAG_WRAP);
    assert_int_equal(check(x, high, UINT64_MAX - 64, 1), STAG_BOUNDS);
}

/* checks: DDP-8.2-4 DDP-8.3-3 DDP-8.3.1-1 DDP-8.3.1-2 RDMAP-8.1.1-1 RDMAP-8.1.1-2 */
TEST_WITH(association_is_by_domain_or_by_stream, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    struct stag_slot *slot;
    iw_stag by_pd = add(x, region);
    region.pd = 0;
    region.stream[0] = OTHER_STREAM;
    region.stream[1] = 9;
    iw_stag by_stream = add(x, region);
    assert_int_equal(stag_check(x->t, by_pd, PD, STREAM, 0x1000, 1, 0, &slot), STAG_OK);
    assert_int_equal(stag_check(x->t, by_pd, PD, OTHER_STREAM, 0x1000, 1, 0, &slot), STAG_OK);
    assert_int_equal(stag_check(x->t, by_pd, OTHER_PD, STREAM, 0x1000, 1, 0, &slot), STAG_ASSOCIATION);
    assert_int_equal(stag_check(x->t, by_stream, PD, STREAM, 0x1000, 1, 0, &slot), STAG_ASSOCIATION);
    assert_int_equal(stag_check(x->t, by_stream, PD, OTHER_STREAM, 0x1000, 1, 0, &slot), STAG_OK);
    assert_int_equal(stag_check(x->t, by_stream, PD, 9, 0x1000, 1, 0, &slot), STAG_OK);
    for (uint32_t i = 0; i < IW_REGION_STREAMS; i++)
        region.stream[i] = 20 + i;
    iw_stag by_four = add(x, region);
    for (uint32_t s = 1; s < 30; s++) {
        enum stag_fault want = s >= 20 && s < 20 + IW_REGION_STREAMS ? STAG_OK : STAG_ASSOCIATION;
        assert_int_equal(stag_check(x->t, by_four, PD, s, 0x1000, 1, 0, &slot), want);
    }
    /* PD 0 is nobody's: it associates nothing */
    assert_int_equal(stag_check(x->t, by_stream, 0, STREAM, 0x1000, 1, 0, &slot), STAG_ASSOCIATION);
}

/* checks: DDP-8.2-3 */
TEST_WITH(an_stag_without_association_is_refused, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    iw_stag stag;
    region.pd = 0;
    assert_int_equal(iw_register(x->t, &region, &stag), IW_EINVAL);
    region.stream[0] = STREAM;
    assert_int_equal(iw_register(x->t, &region, &stag), IW_OK);
}

/* checks: DDP-8.3.1-5 RDMAP-8.1.1-5 RDMAP-3.2-9 */
TEST_WITH(rights_are_given_changed_and_taken, open_table, close_table)
{
    struct table *x = *state;
    static const unsigned kinds[] = {IW_LOCAL_WRITE, IW_REMOTE_READ, IW_REMOTE_WRITE};
    struct iw_region region = plain(x);
    struct stag_slot *slot;
    region.rights = 0;
    iw_stag stag = add(x, region);
    for (unsigned rights = 0; rights <= ALL_RIGHTS; rights++) {
        region.rights = rights;
        assert_int_equal(iw_rebind(x->t, stag, &region), IW_OK);
        for (int i = 0; i < 3; i++) {
            enum stag_fault want = rights & kinds[i] ? STAG_OK : STAG_RIGHTS;
            assert_int_equal(stag_check(x->t, stag, PD, STREAM, 0x1000, 1, kinds[i], &slot), want);
        }
        assert_int_equal(stag_check(x->t, stag, PD, STREAM, 0x1000, 1, 0, &slot), STAG_OK);
    }
    region.rights = ALL_RIGHTS + 1;
    assert_int_equal(iw_rebind(x->t, stag, &region), IW_EINVAL);
}

/* checks: RDMAP-3.2-9 DDP-8.3.1-4 */
TEST_WITH(a_registration_is_read_back_as_it_was_made, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x), got;
    bool valid;
    region.owner = 5;
    region.stream[0] = 3;
    region.rights = IW_REMOTE_READ;
    iw_stag stag = add(x, region);
    assert_true(iw_region_of(x->t, stag, &got, &valid));
    assert_true(valid);
    assert_ptr_equal(got.base, x->octets);
    assert_int_equal(got.to, 0x1000);
    assert_int_equal(got.len, 64);
    assert_int_equal(got.rights, IW_REMOTE_READ);
    assert_int_equal(got.pd, PD);
    assert_int_equal(got.stream[0], 3);
    assert_int_equal(got.owner, 5);
    assert_int_equal(iw_invalidate(x->t, stag), IW_OK);
    assert_true(iw_region_of(x->t, stag, &got, &valid));
    assert_false(valid);
    assert_int_equal(iw_revoke(x->t, stag, IW_CANCEL), IW_OK);
    assert_false(iw_region_of(x->t, stag, &got, NULL));
}

/* checks: DDP-8.3-2 DDP-4.2-7 DDP-7.1-T1 */
TEST_WITH(an_stag_is_valid_until_it_is_invalidated_or_revoked, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    iw_stag stag = add(x, region);
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_OK);
    assert_int_equal(check(x, stag ^ 1, 0x1000, 1), STAG_INVALID);
    assert_int_equal(check(x, stag + 0x100, 0x1000, 1), STAG_INVALID);
    assert_int_equal(check(x, 0, 0x1000, 1), STAG_INVALID);
    assert_int_equal(check(x, UINT32_MAX, 0x1000, 1), STAG_INVALID);
    assert_int_equal(iw_invalidate(x->t, stag), IW_OK);
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_INVALID);
    assert_int_equal(iw_rebind(x->t, stag, &region), IW_OK);
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_OK);
    assert_int_equal(iw_revoke(x->t, stag, IW_DRAIN), IW_OK);
    assert_true(iw_revoked(x->t, stag));
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_INVALID);
    assert_int_equal(iw_invalidate(x->t, stag), IW_EINVAL);
    assert_int_equal(iw_rebind(x->t, stag, &region), IW_EINVAL);
    assert_int_equal(iw_revoke(x->t, stag, IW_CANCEL), IW_EINVAL);
    assert_int_equal(iw_stags_count(x->t), 0);
}

static struct stag_slot *in_flight(struct table *x, iw_stag stag)
{
    struct stag_slot *slot = NULL;
    assert_int_equal(stag_check(x->t, stag, PD, STREAM, 0x1000, 8, IW_REMOTE_WRITE, &slot), STAG_OK);
    stag_hold(slot);
    return slot;
}

/* checks: DDP-8.3.1-6 RDMAP-8.1.1-6 DDP-8.3-2 */
TEST_WITH(cancelling_lets_nothing_in_flight_land, open_table, close_table)
{
    struct table *x = *state;
    iw_stag stag = add(x, plain(x));
    struct stag_slot *a = in_flight(x, stag), *b = in_flight(x, stag);
    assert_int_equal(iw_revoke(x->t, stag, IW_CANCEL), IW_EBUSY);
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_INVALID);
    assert_false(iw_revoked(x->t, stag));
    struct iw_region region = plain(x); /* from now on only its end is waited for */
    assert_int_equal(iw_rebind(x->t, stag, &region), IW_EINVAL);
    assert_int_equal(iw_invalidate(x->t, stag), IW_EINVAL);
    assert_int_equal(iw_revoke(x->t, stag, IW_DRAIN), IW_EINVAL);
    assert_false(iw_region_of(x->t, stag, &region, NULL));
    assert_int_equal(stag_remote_invalidate(x->t, stag, PD, STREAM), STAG_INVALID);
    assert_false(stag_commit(x->t, a));
    assert_false(iw_revoked(x->t, stag));
    assert_false(stag_commit(x->t, b));
    assert_true(iw_revoked(x->t, stag));
    assert_int_equal(iw_stags_count(x->t), 0);
}

/* checks: DDP-8.3.1-6 RDMAP-8.1.1-6 */
TEST_WITH(draining_lets_what_is_in_flight_land_and_nothing_after, open_table, close_table)
{
    struct table *x = *state;
    iw_stag stag = add(x, plain(x));
    struct stag_slot *a = in_flight(x, stag), *b = in_flight(x, stag);
    assert_int_equal(iw_revoke(x->t, stag, IW_DRAIN), IW_EBUSY);
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_INVALID);
    assert_true(stag_commit(x->t, a));
    assert_false(iw_revoked(x->t, stag));
    assert_true(stag_commit(x->t, b));
    assert_true(iw_revoked(x->t, stag));
}

/* checks: DDP-8.3.1-6 RDMAP-8.1.1-6 */
TEST_WITH(what_is_in_flight_fails_once_the_stag_is_invalid, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    iw_stag stag = add(x, region);
    struct stag_slot *slot = in_flight(x, stag);
    assert_int_equal(iw_rebind(x->t, stag, &region), IW_EBUSY); /* the DMA still counts on the old range */
    assert_int_equal(iw_invalidate(x->t, stag), IW_OK);
    assert_int_equal(iw_rebind(x->t, stag, &region), IW_EBUSY);
    assert_false(stag_commit(x->t, slot));
    assert_int_equal(iw_rebind(x->t, stag, &region), IW_OK);
    assert_int_equal(check(x, stag, 0x1000, 1), STAG_OK);
}

/* checks: DDP-8.3.1-6 */
TEST_WITH(a_slot_in_use_is_not_given_to_another, open_table, close_table)
{
    struct table *x = *state;
    iw_stag stag = add(x, plain(x));
    struct stag_slot *slot = in_flight(x, stag);
    assert_int_equal(iw_revoke(x->t, stag, IW_CANCEL), IW_EBUSY);
    struct iw_region region = plain(x);
    iw_stag other;
    uint32_t more = 0;
    while (iw_register(x->t, &region, &other) == IW_OK) {
        assert_true(other >> 8 != stag >> 8);
        more++;
    }
    assert_int_equal(more, REGIONS - 1);
    assert_false(stag_commit(x->t, slot));
    assert_int_equal(iw_register(x->t, &region, &other), IW_OK);
    assert_int_equal(other, stag + 1);
}

TEST_WITH(freed_slots_are_used_again_each_once, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    iw_stag stag[REGIONS];
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < REGIONS; i++)
            stag[i] = add(x, region);
        for (uint32_t i = 0; i < REGIONS; i++)
            for (uint32_t j = 0; j < i; j++)
                assert_true(stag[i] >> 8 != stag[j] >> 8);
        for (uint32_t i = 0; i < REGIONS; i++) /* in an order of no order */
            assert_int_equal(iw_revoke(x->t, stag[(5 * i + 3) % REGIONS], IW_CANCEL), IW_OK);
        assert_int_equal(iw_stags_count(x->t), 0);
    }
    for (uint32_t i = 0; i < REGIONS; i++) { /* the one that rested longest comes first */
        iw_stag next = add(x, region);
        assert_int_equal(next >> 8, stag[(5 * i + 3) % REGIONS] >> 8);
        assert_int_equal(next & 255, 3);
    }
}

/* checks: RDMAP-8.1.1-7 RDMAP-5.3-14 RDMAP-5.3-15 RDMAP-7.2-4 RDMAP-7.2-5 */
TEST_WITH(a_peer_invalidates_what_is_its_own_only, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    iw_stag own = add(x, region);
    region.shared = true;
    iw_stag shared = add(x, region);
    region.shared = false;
    region.pd = OTHER_PD;
    iw_stag foreign = add(x, region);
    region.pd = 0;
    region.stream[0] = STREAM;
    iw_stag single = add(x, region);
    region.stream[1] = OTHER_STREAM;
    iw_stag several = add(x, region);
    assert_int_equal(stag_remote_invalidate(x->t, own, PD, STREAM), STAG_OK);
    assert_int_equal(check(x, own, 0x1000, 1), STAG_INVALID);
    assert_int_equal(stag_remote_invalidate(x->t, own, PD, STREAM), STAG_INVALID);
    assert_int_equal(stag_remote_invalidate(x->t, shared, PD, STREAM), STAG_INVALID);
    assert_int_equal(check(x, shared, 0x1000, 1), STAG_OK);
    assert_int_equal(stag_remote_invalidate(x->t, foreign, PD, STREAM), STAG_ASSOCIATION);
    assert_int_equal(stag_remote_invalidate(x->t, several, PD, STREAM), STAG_INVALID);
    assert_int_equal(check(x, several, 0x1000, 1), STAG_OK);
    assert_int_equal(stag_remote_invalidate(x->t, single, PD, OTHER_STREAM), STAG_ASSOCIATION);
    assert_int_equal(stag_remote_invalidate(x->t, single, PD, STREAM), STAG_OK);
    assert_int_equal(stag_remote_invalidate(x->t, 0x12345, PD, STREAM), STAG_INVALID);
}

TEST_WITH(a_range_may_end_at_2_to_64_and_not_pass_it, open_table, close_table)
{
    struct table *x = *state;
    struct iw_region region = plain(x);
    iw_stag stag;
    region.to = UINT64_MAX - 63;
    assert_int_equal(iw_register(x->t, &region, &stag), IW_OK);
    region.to++;
    assert_int_equal(iw_register(x->t, &region, &stag), IW_EINVAL);
    region.to = UINT64_MAX;
    region.len = 0;
    assert_int_equal(iw_register(x->t, &region, &stag), IW_OK);
    assert_int_equal(check(x, stag, UINT64_MAX, 1), STAG_BOUNDS);
}

enum { DRAWS = 4096 };

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void draw_names(uint64_t seed, uint32_t *name)
{
    struct iw_stags *t = iw_stags_init(malloc(iw_stags_size(DRAWS)), DRAWS, seed);
    struct iw_region region = {.len = 64, .pd = PD};
    for (int i = 0; i < DRAWS; i++)
        assert_int_equal(iw_register(t, &region, &name[i]), IW_OK);
    free(t);
}

/* A fair draw of 4096 names from 2^32 leaves the bounds below with a chance under 1e-6 for each seed. */
/* checks: RDMAP-8.1.1-8a RDMAP-8.1.1-8b */
TEST(names_are_sparse_and_without_a_pattern)
{
    static uint32_t name[DRAWS], again[DRAWS], other[DRAWS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        draw_names(seed, name);
        draw_names(seed, again);
        draw_names(seed + 1000, other);
        assert_memory_equal(name, again, sizeof(name)); /* the same seed, the same run */
        uint32_t same = 0, steps = 0, ones[32] = {0}, bin[16] = {0};
        for (int i = 0; i < DRAWS; i++) {
            same += name[i] == other[i];
            if (i)
                steps += name[i] - name[i - 1] < 1u << 16 || name[i - 1] - name[i] < 1u << 16;
            for (int bit = 0; bit < 32; bit++)
                ones[bit] += name[i] >> bit & 1;
            bin[name[i] >> 28]++;
        }
        assert_true(same <= 2);
        assert_true(steps <= 8); /* near neighbours in a row; 0.1 expected */
        for (int bit = 0; bit < 32; bit++)
            assert_true(ones[bit] > 1848 && ones[bit] < 2248);
        for (int i = 0; i < 16; i++)
            assert_true(bin[i] > 150 && bin[i] < 362);
        qsort(name, DRAWS, sizeof(*name), by_value);
        for (int i = 1; i < DRAWS; i++)
            assert_true(name[i] != name[i - 1]);
        assert_true(name[0] != 0);
    }
}

/* checks: RDMAP-8.1.1-8a */
TEST(a_freed_name_comes_back_late_and_changed)
{
    enum { ROUNDS = 200 };
    struct iw_stags *t = iw_stags_init(malloc(iw_stags_size(REGIONS)), REGIONS, 42);
    struct iw_region region = {.len = 64, .pd = PD};
    iw_stag name[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(iw_register(t, &region, &name[i]), IW_OK);
        for (int j = 0; j < i; j++)
            assert_true(name[j] != name[i]);
        assert_int_equal(iw_revoke(t, name[i], IW_CANCEL), IW_OK);
    }
    struct stag_slot *slot;
    for (int i = 0; i < ROUNDS; i++)
        assert_int_equal(stag_check(t, name[i], PD, STREAM, 0, 1, 0, &slot), STAG_INVALID);
    free(t);
}

/* stag.h says when: 2^16 names to a slot beside 16 bits of index, 2^8 in a readable table. */
/* checks: RDMAP-8.1.1-8a */
TEST(a_name_comes_back_when_its_slot_has_had_all_others)
{
    static const struct {
        uint32_t regions, names;
        uint64_t seed;
    } tables[] = {{65535, 1 << 16, 42}, {3, 1 << 8, 0}};
    for (int i = 0; i < 2; i++) {
        uint32_t regions = tables[i].regions, names = tables[i].names;
        struct iw_stags *t = iw_stags_init(malloc(iw_stags_size(regions)), regions, tables[i].seed);
        struct iw_region region = {.len = 64, .pd = PD};
        iw_stag name, first;
        for (uint32_t k = 0; k < regions; k++)
            assert_int_equal(iw_register(t, &region, &first), IW_OK);
        name = first;
        for (uint32_t k = 1; k <= names; k++) {
            assert_int_equal(iw_revoke(t, name, IW_CANCEL), IW_OK);
            assert_int_equal(iw_register(t, &region, &name), IW_OK);
            assert_int_equal(name == first, k == names);
        }
        free(t);
    }
}

/* 0 reads as "none" in too many places. With this seed the 28th slot of a fresh table would be called so. */
TEST(no_region_is_called_0)
{
    enum { SLOTS = 40, SEED = 30646038 };
    struct iw_stags *t = iw_stags_init(malloc(iw_stags_size(SLOTS)), SLOTS, SEED);
    struct iw_region region = {.len = 64, .pd = PD};
    struct stag_slot *slot;
    iw_stag name[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(iw_register(t, &region, &name[i]), IW_OK);
        assert_true(name[i] != 0);
        for (int j = 0; j < i; j++)
            assert_true(name[j] != name[i]);
        assert_int_equal(stag_check(t, name[i], PD, STREAM, 0, 1, 0, &slot), STAG_OK);
    }
    assert_int_equal(stag_check(t, 0, PD, STREAM, 0, 1, 0, &slot), STAG_INVALID);
    free(t);
}
