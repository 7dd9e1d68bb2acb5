/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packets of many flows in the order they arrive, as far as the horizon lets. */
#include <stdlib.h>

#include "simgrid/merge.h"
#include "validation/support/test.h"

enum { RUNS = 200, LENGTH = 50 };

struct field {
    struct grid_packet packet[RUNS][LENGTH];
    struct grid_run run[RUNS];
    struct grid_merge merge;
};

static uint64_t draw(uint64_t *random)
{
    return (*random = *random * 6364136223846793005u + 1442695040888963407u) >> 33;
}

/* Run r starts at 100 r and has a packet every 1 .. 200. */
static struct field *sow(uint64_t seed)
{
    struct field *f = calloc(1, sizeof *f);
    for (uint32_t r = 0; r < RUNS; r++) {
        iw_time at = 100 * r;
        for (uint32_t i = 0; i < LENGTH; i++) {
            struct grid_packet *p = &f->packet[r][i];
            at += 1 + draw(&seed) % 200;
            p->at = at;
            p->key = r;
            p->next = i + 1 < LENGTH ? p + 1 : NULL;
        }
        f->run[r].first = &f->packet[r][0];
    }
    return f;
}

struct narration {
    iw_time at;
    uint64_t run;
};

static int sooner(const void *a, const void *b)
{
    const struct narration *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

/* What a sort of all of them says. */
static struct narration *sorted(const struct field *f)
{
    struct narration *all = calloc(RUNS * LENGTH, sizeof *all);
    for (uint32_t i = 0; i < RUNS * LENGTH; i++)
        all[i] = (struct narration){f->packet[i / LENGTH][i % LENGTH].at, i / LENGTH};
    qsort(all, RUNS * LENGTH, sizeof *all, sooner);
    return all;
}

TEST(all_at_once_is_a_sort)
{
    struct field *f = sow(1);
    struct narration *all = sorted(f);
    for (uint32_t r = 0; r < RUNS; r++)
        grid_merge_add(&f->merge, &f->run[r]);
    for (uint32_t i = 0; i < RUNS * LENGTH; i++) {
        assert_int_equal(grid_merge_deadline(&f->merge), all[i].at);
        const struct grid_packet *p = grid_merge_take(&f->merge, IW_NEVER);
        assert_int_equal(p->at, all[i].at);
        assert_int_equal(p->key, all[i].run);
    }
    assert_null(grid_merge_take(&f->merge, IW_NEVER));
    assert_int_equal(grid_merge_deadline(&f->merge), IW_NEVER);
    free(all);
    free(f);
}

/* Runs come when they are known; what lies at or below the earliest start that is still to come, goes out. */
TEST(with_the_right_horizon_it_is_the_same_sort)
{
    struct field *f = sow(2);
    struct narration *all = sorted(f);
    const struct grid_packet *p;
    uint32_t n = 0;
    for (uint32_t r = 0; r < RUNS; r++) {
        grid_merge_add(&f->merge, &f->run[r]);
        iw_time horizon = r + 1 < RUNS ? 100 * (r + 1) : IW_NEVER;
        for (; (p = grid_merge_take(&f->merge, horizon)); n++) {
            assert_true(p->at <= horizon);
            assert_int_equal(p->at, all[n].at);
            assert_int_equal(p->key, all[n].run);
        }
    }
    assert_int_equal(n, RUNS * LENGTH);
    free(all);
    free(f);
}

TEST(what_comes_too_late_goes_out_at_once)
{
    struct grid_merge m = {0};
    struct grid_packet a = {.at = 50}, b = {.at = 20};
    struct grid_run first = {.first = &a}, late = {.first = &b};
    grid_merge_add(&m, &first);
    assert_ptr_equal(grid_merge_take(&m, 60), &a);
    grid_merge_add(&m, &late);
    assert_ptr_equal(grid_merge_take(&m, 60), &b);
    assert_null(late.first);
}

TEST(ties_go_to_the_run_that_came_first)
{
    struct grid_merge m = {0};
    struct grid_packet p[3] = {{.at = 5}, {.at = 5}, {.at = 5}};
    struct grid_run r[3] = {{.first = &p[0]}, {.first = &p[1]}, {.first = &p[2]}};
    for (int i = 2; i >= 0; i--)
        grid_merge_add(&m, &r[i]);
    for (int i = 2; i >= 0; i--)
        assert_ptr_equal(grid_merge_take(&m, 5), &p[i]);
}
