/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of octets beyond MPA's edge beside a picture of them: one letter for each octet. */
#include <stdlib.h>
#include <string.h>

#include "llp/mpa_runs.h"
#include "validation/support/test.h"

enum { OCTETS = 400, MAX = 220, STEPS = 300, SEEDS = 1000, MISSING = -1 };

static struct mpa_run slot[MAX];
static uint32_t order[MAX];
static struct mpa_runs runs;
static int8_t picture[OCTETS + 1]; /* MISSING, or an mpa_run_kind */
static uint32_t edge;
static uint64_t rng;

static uint32_t draw(uint32_t n)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(rng >> 33) % n;
}

static void check_picture(void)
{
    uint32_t at = edge;
    for (uint32_t i = 0; i < runs.count; i++) {
        const struct mpa_run *run = mpa_run_at(&runs, i);
        assert_true(run->start < run->end);
        for (; at < run->start; at++)
            assert_int_equal(picture[at], MISSING);
        assert_int_equal(run->start, at);
        for (; at < run->end; at++)
            assert_int_equal(picture[at], run->kind);
        if (i + 1 < runs.count && mpa_run_at(&runs, i + 1)->start == run->end)
            assert_true(mpa_run_at(&runs, i + 1)->kind != run->kind);
    }
    for (; at < OCTETS; at++)
        assert_int_equal(picture[at], MISSING);
}

static void check_find(uint64_t offset)
{
    uint32_t i = mpa_runs_find(&runs, offset), naive = 0;
    while (naive < runs.count && mpa_run_at(&runs, naive)->end <= offset)
        naive++;
    assert_int_equal(i, naive);
}

/* Some of the octets missing at a random place arrive. */
static void insert(void)
{
    uint32_t start = edge + draw(OCTETS - edge), end = start, most = 1 + draw(12);
    while (end < OCTETS && end - start < most && picture[end] == MISSING)
        end++;
    if (end == start)
        return;
    uint32_t i = mpa_runs_find(&runs, start);
    mpa_runs_insert(&runs, i, start, end, start);
    memset(picture + start, MPA_RUN_HELD, end - start);
}

/* A part of a held run is taken or kept. */
static void turn(void)
{
    if (!runs.count)
        return;
    uint32_t i = draw(runs.count);
    struct mpa_run run = *mpa_run_at(&runs, i);
    if (run.kind != MPA_RUN_HELD)
        return;
    uint64_t start = run.start + draw((uint32_t)(run.end - run.start));
    uint64_t end = start + 1 + draw((uint32_t)(run.end - start));
    enum mpa_run_kind kind = draw(2) ? MPA_RUN_TAKEN : MPA_RUN_KEPT;
    mpa_runs_turn(&runs, i, start, end, kind);
    memset(picture + start, (int)kind, end - start);
}

static void advance(void)
{
    if (!runs.count || mpa_run_at(&runs, 0)->start != edge)
        return;
    struct mpa_run first = *mpa_run_at(&runs, 0);
    edge += 1 + draw((uint32_t)(first.end - first.start));
    mpa_runs_advance(&runs, edge);
}

static void move(void)
{
    static struct mpa_run slots[2][MAX];
    static uint32_t orders[2][MAX];
    bool second = runs.slot == slots[0];
    memset(slots[second], 0xa5, sizeof slots[0]);
    memset(orders[second], 0xa5, sizeof orders[0]);
    mpa_runs_move(&runs, slots[second], orders[second], runs.count + 2 + draw(MAX - runs.count - 1));
}

static void one(uint64_t seed)
{
    rng = seed;
    edge = 0;
    memset(picture, MISSING, sizeof picture);
    memset(order, 0xa5, sizeof order);
    memset(slot, 0xa5, sizeof slot);
    mpa_runs_init(&runs, slot, order, MAX);
    for (int step = 0; step < STEPS && edge < OCTETS && runs.count + 2 <= MAX; step++) {
        static void (*const acts[])(void) = {insert, insert, turn, advance};
        if (runs.hole < 2 || !draw(9))
            move();
        acts[draw(4)]();
        check_picture();
        check_find(edge + draw(OCTETS - edge + 1));
    }
}

TEST(the_runs_are_what_arrived)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one(seed);
}
