/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What parts of a world count for themselves, window by window, is what a trial counts that hears one event after the other. */
#include <stdlib.h>

#include "helpers/trial/trial_inner.h"
#include "helpers/world/placed_list.h"
#include "scenario_rig.h"

enum { PARTS_OF_WORLD = 3, EVENTS = 40, WINDOWS = 12, MOVES = 8 };

static const char text[] = "world: fabric\ntopology: {kind: fat_tree, k: 4}\n"
                           "workload: {kind: permutation, op: write, size: 1000B, count: 20, depth: 1}\n";
static struct scenario *scenario;
static struct scenario_point point;
static struct trial *one, *parts; /* hears one event after the other; counts in parts */
static uint64_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((drawn >> 33) % below);
}

static void begin(uint64_t seed)
{
    static const struct trial_files nothing;
    char error[SCENARIO_ERROR_MAX];
    drawn = seed;
    scenario = rig_scenario(text, NULL, 0);
    assert_true(scenario_point(scenario, 0, 0, &point, error));
    one = trial_new(&point, &nothing);
    parts = trial_new(&point, &nothing);
    assert_true(one && parts && trial_in_parts(parts, PARTS_OF_WORLD));
}

static void end(void)
{
    trial_free(one);
    trial_free(parts);
    scenario_free(scenario);
}

/* ---- what held connections back ---- */

struct told {
    struct node_event e;
    uint32_t host; /* of which the port was stopped or let go on, where `e` is no event */
    bool stopped;
};

static void draw_events(struct told told[EVENTS], uint64_t *now)
{
    for (int i = 0; i < EVENTS; i++) {
        uint32_t conn = draw(one->connections);
        int side = (int)draw(2);
        *now += draw(3);
        told[i] =
            (struct told){{.t = *now, .user = trial_user(conn, side)}, trial_host(one, conn, side), draw(2)};
        if (draw(8)) {
            told[i].e.kind = NODE_BOUND;
            told[i].e.bound = (enum node_bound)draw(NODE_BOUNDS);
        }
    }
}

static uint32_t part_of(uint32_t host)
{
    return host % PARTS_OF_WORLD;
}

static void tell(struct trial *t, const struct told *x)
{
    uint32_t part = t == parts ? part_of(x->host) : 0;
    if (x->e.kind == NODE_NO_EVENT)
        trial_paused(t, part, x->e.t, x->host, x->stopped);
    else if (t->ahead)
        assert_int_equal(trial_tally(t, part, &x->e), 0);
    else
        trial_event(t, &x->e);
}

/* Host by host; from a host that is halted one hears when all are past the window, one event after the other. */
static void run_ahead(const struct told told[EVENTS])
{
    bool later[EVENTS] = {false};
    trial_begin_window(parts);
    for (uint32_t host = point.workload.hosts; host-- > 0;)
        for (int i = 0, halted = draw(4) ? EVENTS : (int)draw(EVENTS); i < EVENTS; i++)
            if (told[i].host == host && !(later[i] = i >= halted))
                tell(parts, &told[i]);
    for (uint32_t p = PARTS_OF_WORLD; p-- > 0;)
        trial_settle_window(parts, p);
    trial_end_window(parts);
    for (int i = 0; i < EVENTS; i++)
        if (later[i])
            tell(parts, &told[i]);
}

static void same_bounds(void)
{
    bounds_fill(one);
    bounds_fill(parts);
    for (int b = 0; b < NODE_BOUNDS; b++) {
        uint64_t sum = 0;
        for (uint32_t p = 0; p < PARTS_OF_WORLD; p++)
            sum += parts->tally[p].bound_ps[b];
        assert_int_equal(sum, one->tally->bound_ps[b]);
    }
    for (uint32_t c = 0; c < one->connections; c++) {
        assert_int_equal(parts->flow[c].bound_was, one->flow[c].bound_was);
        if (one->flow[c].bound_was == NODE_BY_NOTHING)
            assert_int_equal(parts->flow[c].bound_since, one->flow[c].bound_since);
    }
}

TEST(what_held_connections_back_is_the_same_in_parts)
{
    for (uint64_t seed = 0; seed < test_seeds(300, 30000); seed++) {
        uint64_t now = 0;
        begin(seed);
        for (int w = 0; w < WINDOWS; w++) {
            struct told told[EVENTS];
            draw_events(told, &now);
            for (int i = 0; i < EVENTS; i++)
                tell(one, &told[i]);
            if (draw(3))
                run_ahead(told);
            else
                for (int i = 0; i < EVENTS; i++)
                    tell(parts, &told[i]);
            now++; /* an instant is in one window */
        }
        same_bounds();
        end();
    }
}

static void tell_bound(uint64_t now, int side, enum node_bound bound)
{
    trial_event(
        one, &(struct node_event){.kind = NODE_BOUND, .t = now, .user = trial_user(0, side), .bound = bound});
}

/* The line holds the one side back, and from 10 on the other: in between neither has anything to send. */
TEST(at_one_instant_side_0_comes_first)
{
    for (int first = 0; first < 2; first++) {
        begin(0);
        tell_bound(0, 0, NODE_BY_LINE);
        tell_bound(0, 1, NODE_BY_DEPTH);
        tell_bound(10, first, first ? NODE_BY_LINE : NODE_BY_DEPTH);
        tell_bound(10, !first, first ? NODE_BY_DEPTH : NODE_BY_LINE);
        bounds_fill(one);
        assert_int_equal(one->tally->bound_ps[NODE_BY_LINE], 10);
        assert_int_equal(one->flow[0].bound_since, 10);
        end();
    }
}

/* ---- octets ---- */

struct step {
    struct hosts_key key;
    uint32_t octets[MOVES], count, list;
};

/* In order; no two are alike. */
static void draw_steps(struct step step[EVENTS], uint64_t *now)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        *now += draw(4) ? 0 : 1 + draw(50);
        step[i] = (struct step){
            .key = {*now, 10 * i + draw(10), 0}, .count = 1 + draw(MOVES), .list = draw(PARTS_OF_WORLD)};
        for (uint32_t n = 0; n < step[i].count; n++)
            trial_octets(one, *now, step[i].octets[n] = 1 + draw(100));
    }
}

static void swap_steps(struct step step[EVENTS])
{
    for (uint32_t i = EVENTS; i > 1; i--) {
        struct step kept = step[i - 1], *other = &step[draw(i)];
        step[i - 1] = *other;
        *other = kept;
    }
}

TEST(a_part_of_a_run_ends_with_the_same_octets_in_parts)
{
    for (uint64_t seed = 0; seed < test_seeds(300, 30000); seed++) {
        struct placed_list list[PARTS_OF_WORLD] = {{NULL}};
        uint64_t now = 0;
        begin(seed);
        for (int w = 0; w < WINDOWS * 4; w++) {
            struct step step[EVENTS];
            now++;
            draw_steps(step, &now);
            swap_steps(step);
            for (uint32_t i = 0; i < EVENTS; i++)
                for (uint32_t n = 0; n < step[i].count; n++)
                    placed_add(&list[step[i].list], step[i].key, step[i].octets[n]);
            assert_true(placed_hear(list, PARTS_OF_WORLD, parts));
            assert_int_equal(parts->octets, one->octets);
            assert_int_equal(parts->progress, one->progress);
        }
        assert_int_equal(one->parts, PARTS + 1);
        assert_int_equal(parts->parts, PARTS + 1);
        assert_memory_equal(parts->end, one->end, sizeof one->end);
        assert_true(!parts->unordered);
        for (uint32_t p = 0; p < PARTS_OF_WORLD; p++)
            free(list[p].at);
        end();
    }
}
