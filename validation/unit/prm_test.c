/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The privileged resource manager: nobody gets what is not his, nobody loses what was promised
 * (RFC 5041 section 8.3.2, RFC 5040 section 8.1.2). */
#include "rig.h"

#include <stdlib.h>

#include "engine/prm.h"

enum { ALICE = 1, BOB = 2, ROOT = 3, OWNERS = 4, RANGES = 8 };

struct bench {
    struct iw_prm *prm;
    struct iw_stags *stags;
    uint8_t alice[64], bob[64];
};

static const uint32_t totals[IW_PRM_RESOURCES] = {10, 10, 10, 10, 10};

/* The same guarantee and limit of everything. */
static struct iw_prm_owner owner(uint32_t name, uint32_t trust, uint32_t guarantee, uint32_t limit)
{
    struct iw_prm_owner o = {.owner = name, .trust = trust};
    for (int i = 0; i < IW_PRM_RESOURCES; i++) {
        o.guarantee[i] = guarantee;
        o.limit[i] = limit;
    }
    return o;
}

static int open_bench(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct iw_prm_owner alice = owner(ALICE, 7, 3, 8), bob = owner(BOB, 8, 2, 10),
                        root = owner(ROOT, 7, 0, 10);
    root.privileged = true;
    b->prm = iw_prm_init(malloc(iw_prm_size(OWNERS, RANGES)), OWNERS, RANGES, totals);
    b->stags = iw_stags_init(malloc(iw_stags_size(10)), 10, 0);
    assert_int_equal(iw_prm_admit(b->prm, &alice), IW_OK);
    assert_int_equal(iw_prm_admit(b->prm, &bob), IW_OK);
    assert_int_equal(iw_prm_admit(b->prm, &root), IW_OK);
    assert_int_equal(iw_prm_grant(b->prm, ALICE, b->alice, 64), IW_OK);
    assert_int_equal(iw_prm_grant(b->prm, BOB, b->bob, 64), IW_OK);
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *b = *state;
    free(b->prm);
    free(b->stags);
    free(b);
    return 0;
}

static int reg(struct bench *b, uint32_t who, void *base, uint64_t len, iw_stag *stag)
{
    struct iw_region region = {.base = base, .len = len, .rights = IW_REMOTE_WRITE, .pd = 1};
    return iw_prm_register(b->prm, who, b->stags, &region, stag);
}

TEST(a_resource_that_does_not_exist_is_refused)
{
    struct bench *b = *state;
    enum iw_resource none = (enum iw_resource)IW_PRM_RESOURCES;
    assert_int_equal(iw_prm_take(b->prm, ALICE, none, 0), IW_EINVAL);
    assert_int_equal(iw_prm_give(b->prm, ALICE, none, 0), IW_EINVAL);
    assert_int_equal(iw_prm_used(b->prm, ALICE, none), 0);
    assert_int_equal(iw_prm_give(b->prm, 99, IW_PRM_REGIONS, 0), IW_EINVAL);
    assert_int_equal(iw_prm_take(b->prm, 99, IW_PRM_REGIONS, 0), IW_EINVAL);
}

/* checks: DDP-8.3-4 DDP-8.3.2-4 RDMAP-8.1.2-4 */
TEST(memory_is_registered_by_who_may_reach_it)
{
    struct bench *b = *state;
    iw_stag stag;
    assert_int_equal(reg(b, ALICE, b->alice, 64, &stag), IW_OK);
    assert_int_equal(reg(b, ALICE, b->alice + 10, 54, &stag), IW_OK);
    assert_int_equal(reg(b, ALICE, b->alice + 10, 55, &stag), IW_EQUOTA);
    assert_int_equal(reg(b, ALICE, b->alice - 1, 2, &stag), IW_EQUOTA);
    assert_int_equal(reg(b, ALICE, b->bob, 1, &stag), IW_EQUOTA);
    assert_int_equal(reg(b, BOB, b->alice, 1, &stag), IW_EQUOTA);
    assert_int_equal(reg(b, ALICE, b->alice, UINT64_MAX, &stag), IW_EQUOTA);
    assert_int_equal(reg(b, 99, b->alice, 1, &stag), IW_EINVAL);
    assert_int_equal(iw_prm_used(b->prm, ALICE, IW_PRM_REGIONS), 2); /* refusals cost nothing */
    assert_int_equal(iw_prm_refusals(b->prm, ALICE), 4);             /* and are counted */
    assert_int_equal(iw_prm_refusals(b->prm, BOB), 1);
    assert_int_equal(iw_prm_refusals(b->prm, 99), 0);
    assert_int_equal(iw_prm_used(b->prm, 99, IW_PRM_REGIONS), 0);
    assert_int_equal(reg(b, ROOT, b->bob, 64, &stag), IW_OK); /* the privileged one may */
    assert_int_equal(reg(b, BOB, NULL, 1000, &stag), IW_OK);  /* there is nothing to reach */
}

TEST(a_grant_needs_an_owner_and_octets)
{
    struct bench *b = *state;
    assert_int_equal(iw_prm_grant(b->prm, 99, b->alice, 64), IW_EINVAL);
    assert_int_equal(iw_prm_grant(b->prm, ALICE, NULL, 64), IW_EINVAL);
    assert_int_equal(iw_prm_grant(b->prm, ALICE, b->alice, 0), IW_EINVAL);
    iw_stag stag;
    assert_int_equal(reg(b, ALICE, b->bob, 4, &stag), IW_EQUOTA);
    assert_int_equal(iw_prm_grant(b->prm, ALICE, b->bob, 4), IW_OK); /* a second range counts as the first */
    assert_int_equal(reg(b, ALICE, b->bob, 4, &stag), IW_OK);
    assert_int_equal(reg(b, ALICE, b->bob, 5, &stag), IW_EQUOTA);
    assert_int_equal(reg(b, ALICE, b->alice, 64, &stag), IW_OK);
    for (int i = 3; i < RANGES; i++) /* of all owners together */
        assert_int_equal(iw_prm_grant(b->prm, ALICE, b->alice, 64), IW_OK);
    assert_int_equal(iw_prm_grant(b->prm, ALICE, b->alice, 64), IW_EFULL);
}

/* checks: DDP-8.3.2-1 RDMAP-8.1.2-1 DDP-8.3.1-2 */
TEST(nobody_revokes_what_another_has_registered)
{
    struct bench *b = *state;
    iw_stag stag;
    struct iw_region region;
    assert_int_equal(reg(b, ALICE, b->alice, 64, &stag), IW_OK);
    assert_true(iw_region_of(b->stags, stag, &region, NULL));
    assert_int_equal(region.owner, ALICE); /* whatever the caller wrote there */
    assert_int_equal(iw_prm_revoke(b->prm, BOB, b->stags, stag, IW_CANCEL), IW_EQUOTA);
    assert_int_equal(iw_prm_revoke(b->prm, 99, b->stags, stag, IW_CANCEL), IW_EINVAL);
    assert_false(iw_revoked(b->stags, stag));
    assert_int_equal(iw_prm_revoke(b->prm, ALICE, b->stags, stag, IW_CANCEL), IW_OK);
    assert_true(iw_revoked(b->stags, stag));
    assert_int_equal(iw_prm_used(b->prm, ALICE, IW_PRM_REGIONS), 0);
    assert_int_equal(iw_prm_revoke(b->prm, ALICE, b->stags, stag, IW_CANCEL), IW_EINVAL);
}

/* With room for all: what an owner has counts against its limit. */
TEST(a_limit_holds_when_a_part_of_it_is_used)
{
    const uint32_t plenty[IW_PRM_RESOURCES] = {100, 100, 100, 100, 100};
    struct iw_prm_owner alice = owner(ALICE, 1, 0, 8);
    struct iw_prm *prm = iw_prm_init(malloc(iw_prm_size(1, 0)), 1, 0, plenty);
    (void)state;
    assert_int_equal(iw_prm_admit(prm, &alice), IW_OK);
    for (int i = 0; i < IW_PRM_RESOURCES; i++) {
        enum iw_resource what = (enum iw_resource)i;
        assert_int_equal(iw_prm_take(prm, ALICE, what, 5), IW_OK);
        assert_int_equal(iw_prm_take(prm, ALICE, what, 4), IW_EQUOTA);
        assert_int_equal(iw_prm_take(prm, ALICE, what, 3), IW_OK);
        assert_int_equal(iw_prm_give(prm, ALICE, what, 6), IW_OK);
        assert_int_equal(iw_prm_take(prm, ALICE, what, 1), IW_OK);
        assert_int_equal(iw_prm_used(prm, ALICE, what), 3);
        assert_int_equal(iw_prm_peak(prm, ALICE, what), 8);
    }
    assert_int_equal(iw_prm_peak(prm, 99, IW_PRM_REGIONS), 0);
    assert_int_equal(iw_prm_refusals(prm, ALICE), IW_PRM_RESOURCES);
    free(prm);
}

/* checks: DDP-8.3.2-2 DDP-8.3.2-5a RDMAP-8.1.2-2 RDMAP-8.1.2-5 RDMAP-8.1.2-6 RDMAP-8.1.2-7 */
TEST(every_resource_has_a_limit_and_a_guarantee)
{
    struct bench *b = *state;
    for (int i = 0; i < IW_PRM_RESOURCES; i++) {
        enum iw_resource what = (enum iw_resource)i;
        assert_int_equal(iw_prm_take(b->prm, ALICE, what, 9), IW_EQUOTA); /* above the limit of 8 */
        assert_int_equal(iw_prm_take(b->prm, ALICE, what, 8), IW_OK);     /* 10 less the 2 promised to Bob */
        assert_int_equal(iw_prm_take(b->prm, ROOT, what, 1), IW_EQUOTA);  /* only what is promised is left */
        assert_int_equal(iw_prm_take(b->prm, BOB, what, 3), IW_EQUOTA);
        assert_int_equal(iw_prm_take(b->prm, BOB, what, 2), IW_OK);
        assert_int_equal(iw_prm_used(b->prm, ALICE, what), 8);
        assert_int_equal(iw_prm_give(b->prm, ALICE, what, 9), IW_EINVAL);
        assert_int_equal(iw_prm_give(b->prm, ALICE, what, 8), IW_OK);
        assert_int_equal(iw_prm_take(b->prm, BOB, what, 6), IW_EQUOTA); /* 3 stay promised to Alice */
        assert_int_equal(iw_prm_take(b->prm, BOB, what, 5), IW_OK);
        assert_int_equal(iw_prm_take(b->prm, ALICE, what, 3), IW_OK);
        assert_int_equal(iw_prm_give(b->prm, BOB, what, 5), IW_OK);
        assert_int_equal(iw_prm_take(b->prm, ALICE, what, 5), IW_OK);
        assert_int_equal(iw_prm_take(b->prm, ALICE, what, 1),
                         IW_EQUOTA); /* there would be room below the 2 of Bob */
        assert_int_equal(iw_prm_take(b->prm, ALICE, what, 0), IW_OK);
        assert_int_equal(iw_prm_take(b->prm, 99, what, 1), IW_EINVAL);
        assert_int_equal(iw_prm_give(b->prm, 99, what, 1), IW_EINVAL);
    }
    assert_int_equal(iw_prm_take(b->prm, ALICE, IW_PRM_RESOURCES, 0), IW_EINVAL);
    assert_int_equal(iw_prm_take(b->prm, ALICE, IW_PRM_REGIONS, UINT32_MAX), IW_EQUOTA);
}

/* 3 + 2 are promised, so 5 are free: what stops at 4 is the limit, which counts what is taken already. */
/* checks: DDP-8.3.2-2 DDP-8.3.2-5a RDMAP-8.1.2-2 RDMAP-8.1.2-5 RDMAP-8.1.2-6 */
TEST(a_limit_counts_what_is_taken_already)
{
    struct bench *b = *state;
    struct iw_prm_owner carol = owner(4, 1, 0, 4);
    assert_int_equal(iw_prm_admit(b->prm, &carol), IW_OK);
    for (int i = 0; i < IW_PRM_RESOURCES; i++) {
        enum iw_resource what = (enum iw_resource)i;
        assert_int_equal(iw_prm_take(b->prm, 4, what, 3), IW_OK);
        assert_int_equal(iw_prm_take(b->prm, 4, what, 2), IW_EQUOTA);
        assert_int_equal(iw_prm_take(b->prm, 4, what, 1), IW_OK);
        assert_int_equal(iw_prm_take(b->prm, 4, what, 1), IW_EQUOTA);
    }
}

/* checks: DDP-8.3.2-5a RDMAP-8.1.2-6 */
TEST(a_guarantee_that_cannot_be_kept_is_not_given)
{
    struct bench *b = *state;
    struct iw_prm_owner late = owner(4, 1, 6, 10); /* 3 + 2 are promised already */
    assert_int_equal(iw_prm_admit(b->prm, &late), IW_EQUOTA);
    late = owner(4, 1, 5, 4);
    assert_int_equal(iw_prm_admit(b->prm, &late), IW_EINVAL);
    late = owner(0, 1, 0, 4);
    assert_int_equal(iw_prm_admit(b->prm, &late), IW_EINVAL);
    late = owner(ALICE, 1, 0, 4);
    assert_int_equal(iw_prm_admit(b->prm, &late), IW_EINVAL);
    assert_int_equal(iw_prm_take(b->prm, ROOT, IW_PRM_REGIONS, 1), IW_OK);
    late = owner(4, 1, 5, 10);
    assert_int_equal(iw_prm_admit(b->prm, &late), IW_EQUOTA); /* one is in use beside the promises */
    late = owner(4, 1, 4, 4);                                 /* nothing beyond what is promised */
    assert_int_equal(iw_prm_admit(b->prm, &late), IW_OK);
    late = owner(5, 1, 0, 10);
    assert_int_equal(iw_prm_admit(b->prm, &late), IW_EFULL);
}

/* The law of prm.h, held against every step of a long walk. */
static void expect_law(const struct bench *b)
{
    static const uint32_t names[] = {ALICE, BOB, ROOT}, guarantee[] = {3, 2, 0}, limit[] = {8, 10, 10};
    for (int what = 0; what < IW_PRM_RESOURCES; what++) {
        uint32_t sum = 0;
        for (int i = 0; i < 3; i++) {
            uint32_t used = iw_prm_used(b->prm, names[i], (enum iw_resource)what);
            assert_true(used <= limit[i]);
            sum += used > guarantee[i] ? used : guarantee[i];
        }
        assert_true(sum <= totals[what]);
    }
}

/* checks: DDP-8.3.2-2 DDP-8.3.2-5a RDMAP-8.1.2-2 RDMAP-8.1.2-6 */
TEST(what_was_promised_is_always_there)
{
    struct bench *b = *state;
    uint32_t x = 1;
    for (int step = 0; step < 20000; step++) {
        x = x * 1664525 + 1013904223;
        uint32_t who = x >> 30 ? x >> 30 : ALICE, n = x >> 20 & 7;
        enum iw_resource what = (enum iw_resource)(x >> 24 & 3);
        if (x >> 26 & 1)
            iw_prm_take(b->prm, who, what, n);
        else
            iw_prm_give(b->prm, who, what, n);
        expect_law(b);
        uint32_t used = iw_prm_used(b->prm, BOB, what);
        if (used < 2) { /* Bob's two, whatever the others hold */
            assert_int_equal(iw_prm_take(b->prm, BOB, what, 2 - used), IW_OK);
            assert_int_equal(iw_prm_give(b->prm, BOB, what, 2 - used), IW_OK);
        }
    }
}

/* checks: DDP-8.3.2-2 RDMAP-8.1.2-2 */
TEST(a_refused_registration_gives_its_quota_back)
{
    struct bench *b = *state;
    struct iw_region region = {.base = b->alice, .len = 64}; /* no association: the table refuses */
    iw_stag stag;
    assert_int_equal(iw_prm_register(b->prm, ALICE, b->stags, &region, &stag), IW_EINVAL);
    assert_int_equal(iw_prm_used(b->prm, ALICE, IW_PRM_REGIONS), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(reg(b, ALICE, b->alice, 64, &stag), IW_OK);
    assert_int_equal(reg(b, ALICE, b->alice, 64, &stag), IW_EQUOTA);
    assert_int_equal(iw_stags_count(b->stags), 8);
}

/* checks: DDP-8.3.2-3 RDMAP-8.1.2-3 RDMAP-8.1.1-9 */
TEST(trust_is_only_what_was_declared)
{
    struct bench *b = *state;
    assert_true(iw_prm_trusts(b->prm, ALICE, ROOT));
    assert_true(iw_prm_trusts(b->prm, ALICE, ALICE));
    assert_false(iw_prm_trusts(b->prm, ALICE, BOB));
    assert_false(iw_prm_trusts(b->prm, BOB, ROOT));
    assert_false(iw_prm_trusts(b->prm, ALICE, 99));
    assert_false(iw_prm_trusts(b->prm, 99, 99));
}

TEST_EACH(open_bench, close_bench)
