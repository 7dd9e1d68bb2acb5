/* SPDX-License-Identifier: GPL-2.0-or-later */
/* llp_test.c -- the tables of llp.h: the same scripts, the same laws. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/llp_rig.h"

static const struct llp *const tables[] = {&llp_ideal, &llp_sctp, &llp_tcp, &llp_packet};
enum { TABLES = sizeof tables / sizeof tables[0], SEEDS = 12, AT_NIGHT = 2000 };

static const struct llp *running;
static uint64_t running_seed;

static uint64_t seeds(void)
{
    return test_seeds(SEEDS, AT_NIGHT);
}

static int say_which_seed(void **state)
{
    (void)state;
    if (running)
        print_error("%s, this seed again: LLP_SEED=%llu build/unit/llp_test [TEST]\n", running->name,
                    (unsigned long long)running_seed);
    return 0;
}

typedef void checker(const struct llp *t, const struct script *s, const struct rig_count c[2]);

/* The script over every table that can, with each seed or that of LLP_SEED alone. */
static void over_all(struct script script, unsigned needs, checker *check)
{
    const char *only = getenv("LLP_SEED");
    uint64_t first = only ? strtoull(only, NULL, 0) : 0, end = only ? first + 1 : seeds();
    for (size_t i = 0; i < TABLES; i++) {
        if ((tables[i]->has & needs) != needs)
            continue;
        for (script.seed = first; script.seed < end; script.seed++) {
            struct rig_count count[2];
            running = tables[i];
            running_seed = script.seed;
            rig_run(tables[i], &script, count);
            check(tables[i], &script, count);
        }
    }
    running = NULL;
}

/* ---- what every run ends with ---- */

static void all_came(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    uint64_t streams = s->streams ? s->streams : 1;
    for (int side = 0; side < 2; side++) {
        assert_int_equal(c[side].failed, 0);
        assert_int_equal(c[side].sent, s->count[side] * streams);
        assert_true(c[side].down);
        assert_int_equal(c[side].ended, LLP_FIN);
        assert_true(c[side].stats.retransmits_spurious <= c[side].stats.retransmits);
        assert_true(c[side].stats.retransmits >= c[side].retransmitted);
    }
    (void)t;
}

static void in_line(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    all_came(t, s, c);
    for (int side = 0; side < 2; side++) {
        assert_int_equal(c[side].retransmitted, 0);
        assert_int_equal(c[side].ahead + c[side].late + c[side].refused + c[side].duplicate + c[side].bad, 0);
    }
}

static void some_ahead(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    all_came(t, s, c);
    assert_true(c[0].ahead + c[1].ahead > 0);
    assert_true(c[0].retransmitted + c[1].retransmitted > 0);
}

static void none_ahead(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    all_came(t, s, c);
    assert_int_equal(c[0].ahead + c[1].ahead, 0);
}

static void none_ahead_but_late(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    none_ahead(t, s, c);
    assert_true(c[0].late + c[1].late > 0);
}

static void refused_and_came(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    none_ahead(t, s, c);
    assert_true(c[0].refused + c[1].refused > 0);
    assert_int_equal(c[0].late + c[1].late, 0);
}

/* ---- tests ---- */

TEST_WITH(nothing_wrong_arrives_in_line_both_ways, NULL, say_which_seed)
{
    over_all((struct script){.count = {300, 200}, .crc = true, .real = true}, 0, in_line);
    over_all((struct script){.count = {300, 200}, .crc = true}, 0, in_line);
    over_all((struct script){.count = {200, 0}, .real = true, .delayed_ack = 4, .small = true}, 0, in_line);
    over_all((struct script){.count = {100, 60}, .real = true, .crc = true, .mtu = 9000}, 0, in_line);
}

TEST_WITH(many_streams_share_an_association, NULL, say_which_seed)
{
    struct script s = {.count = {100, 60}, .streams = 4, .real = true};
    over_all(s, LLP_STREAMS, in_line);
    s.lose = 30;
    s.delay = 60;
    s.keep = 50;
    over_all(s, LLP_STREAMS, some_ahead);
    s.small = true;
    s.real = false;
    over_all(s, LLP_STREAMS, some_ahead);
    s.in_order = true;
    over_all(s, LLP_STREAMS, none_ahead_but_late);
}

static struct script rough(bool real)
{
    return (struct script){
        .count = {300, 200}, .lose = 30, .delay = 60, .repeat = 20, .keep = 50, .crc = true, .real = real};
}

TEST_WITH(every_segment_comes_once_on_a_bad_link, NULL, say_which_seed)
{
    over_all(rough(true), 0, some_ahead);
    over_all(rough(false), 0, some_ahead);
}

TEST_WITH(markers_change_nothing_of_it, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.markers = true;
    over_all(s, LLP_MARKERS, some_ahead);
    s.real = false;
    over_all(s, LLP_MARKERS, some_ahead);
}

TEST_WITH(in_order_nothing_is_handed_up_ahead, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.in_order = true;
    over_all(s, 0, none_ahead_but_late);
    s.real = false;
    s.small = true;
    over_all(s, 0, none_ahead_but_late);
}

TEST_WITH(without_crc_what_is_ahead_waits_for_its_turn, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.crc = false;
    s.keep = 0; /* the lengths of those behind a kept one are sure */
    over_all(s, LLP_MARKERS, none_ahead_but_late);
}

TEST_WITH(without_room_what_is_ahead_is_refused, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.no_room = true;
    s.keep = 0; /* what is behind a kept one is handed up ahead, though nothing is missing */
    over_all(s, 0, refused_and_came);
    s.real = false;
    over_all(s, 0, refused_and_came);
}

TEST_WITH(going_back_nothing_ahead_is_taken, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.go_back = true;
    over_all(s, LLP_GO_BACK, refused_and_came);
    s.real = false;
    over_all(s, LLP_GO_BACK, refused_and_came);
}

TEST_WITH(many_small_segments_find_room, NULL, say_which_seed)
{
    struct script s = rough(false);
    s.small = true;
    s.count[0] = 2000;
    s.in_order = true;
    over_all(s, 0, none_ahead_but_late);
    s.delayed_ack = 3;
    s.in_order = false;
    over_all(s, 0, some_ahead);
}

static void altered_is_dropped(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    all_came(t, s, c);
    assert_true(c[0].bad + c[1].bad > 0);
}

TEST_WITH(altered_packets_are_dropped_and_come_again, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.alter = 50;
    s.crc_drop = true;
    over_all(s, 0, altered_is_dropped);
    s.real = false;
    over_all(s, 0, altered_is_dropped);
}

static void is_a_crc_error(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    (void)t;
    (void)s;
    assert_int_equal(c[1].failed, IW_T_LLP_CRC);
}

TEST_WITH(a_wrong_crc_ends_the_stream, NULL, say_which_seed)
{
    struct script s = {.count = {50, 20}, .crc = true, .real = true, .wrong = LLP_WRONG_CRC};
    over_all(s, LLP_MARKERS, is_a_crc_error);
    s.real = false;
    over_all(s, LLP_MARKERS, is_a_crc_error);
}

static void is_a_marker_error(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    (void)t;
    (void)s;
    assert_int_equal(c[1].failed, IW_T_LLP_MARKER);
}

TEST_WITH(a_wrong_marker_ends_the_stream, NULL, say_which_seed)
{
    struct script s = {
        .count = {50, 20}, .crc = true, .real = true, .markers = true, .wrong = LLP_WRONG_MARKER};
    over_all(s, LLP_MARKERS, is_a_marker_error);
}

TEST_WITH(a_window_that_closes_opens_again, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.slow = 300;
    s.window = 16384;
    over_all(s, 0, all_came);
    s.lose = 200;
    s.repeat = s.delay = 0;
    s.count[0] = s.count[1] = 100;
    over_all(s, 0, all_came);
}

static void is_lost(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    (void)t;
    (void)s;
    assert_true(c[1].lost);
    assert_false(c[1].down);
}

TEST_WITH(what_nobody_said_breaks_nothing, NULL, say_which_seed)
{
    struct script s = rough(true);
    for (uint32_t mangle = 30; mangle < 1000; mangle *= 3) {
        s.mangle = mangle;
        s.real = true;
        over_all(s, 0, all_came);
        s.real = false;
        over_all(s, 0, all_came);
        s.in_order = !s.in_order;
    }
}

TEST_WITH(a_reset_is_heard, NULL, say_which_seed)
{
    struct script s = rough(true);
    s.cut = true;
    s.lose = 0; /* who has nothing to send never learns of a reset that is lost */
    over_all(s, LLP_MARKERS, is_lost);
}

static void nothing_came_twice(const struct llp *t, const struct script *s, const struct rig_count c[2])
{
    all_came(t, s, c);
    if (t != &llp_ideal)
        return;
    assert_true(c[0].retransmitted > 0);
    assert_int_equal(c[1].duplicate, 0);
}

TEST_WITH(an_ideal_stream_repeats_what_was_lost_and_nothing_else, NULL, say_which_seed)
{
    struct script s = {.count = {300, 0}, .lose = 50, .one_way = true, .crc = true, .real = true};
    over_all(s, LLP_GO_BACK, nothing_came_twice);
    s.delayed_ack = 3;
    over_all(s, LLP_GO_BACK, nothing_came_twice);
}

/* A packet that a later one has passed is lost where packets keep their order: its repetition does not wait for the
 * timeout of 100 us. */
TEST(an_ideal_stream_repeats_at_once_what_was_passed)
{
    struct script s = {.count = {300, 0}, .lose = 50, .one_way = true, .crc = true, .real = true};
    iw_time waits = 0, knows = 0;
    for (s.seed = 0; s.seed < seeds(); s.seed++) {
        struct rig_count c[2];
        s.late = 0;
        rig_run(&llp_ideal, &s, c);
        waits += c[0].end;
        s.late = 1;
        rig_run(&llp_ideal, &s, c);
        knows += c[0].end;
        nothing_came_twice(&llp_ideal, &s, c);
    }
    assert_true(knows < waits / 2);
}

/* What is handed up, when, and in which order. */
TEST_WITH(same_in_both_payload_modes, NULL, say_which_seed)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (uint64_t seed = 0; seed < seeds(); seed++) {
            struct script s = rough(true);
            struct rig_count real[2], none[2];
            s.seed = seed;
            s.in_order = seed % 2;
            s.markers = seed % 3 == 0 && tables[i]->has & LLP_MARKERS;
            s.small = seed % 5 == 0;
            rig_run(tables[i], &s, real);
            s.real = false;
            rig_run(tables[i], &s, none);
            for (int side = 0; side < 2; side++) {
                assert_int_equal(real[side].log, none[side].log);
                assert_int_equal(real[side].end, none[side].end);
                assert_int_equal(real[side].octets, none[side].octets);
            }
        }
    }
}

TEST(an_idle_end_is_small)
{
    for (size_t i = 0; i < TABLES; i++) {
        size_t octets = rig_idle_octets(tables[i]);
        print_message("%s: %zu octets idle\n", tables[i]->name, octets);
        assert_true(octets <= 4096 + 16 || /* 16 are for its bits of a pool */ tables[i]->has & LLP_STREAMS);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return test_run();
}
