/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which path value the next packet has, by hand. */
#include <stdlib.h>

#include "engine/carve.h"
#include "llp/packet_path.h"
#include "validation/support/test.h"

#define US ((iw_time)1000000)
#define MS (1000 * US)
enum { COUNT = 8 };

static void *begin_at(struct packet_paths *p, enum packet_choice choice, uint32_t ports)
{
    struct packet_path_conf conf = {.count = COUNT, .choice = choice, .revive = MS, .ports = ports};
    struct carve c = {0};
    assert_null(packet_path_error(&conf));
    packet_path_lay_out(NULL, &c, &conf, 1);
    c = (struct carve){.memory = calloc(1, c.used)};
    packet_path_lay_out(p, &c, &conf, 1);
    return c.memory;
}

static void *begin(struct packet_paths *p, enum packet_choice choice)
{
    return begin_at(p, choice, 0);
}

/* The values of the next eight packets, a bit for each. */
static unsigned eight(struct packet_paths *p)
{
    unsigned seen = 0;
    for (int i = 0; i < COUNT; i++)
        seen |= 1u << packet_path_next(p, 0);
    return seen;
}

TEST(each_value_has_its_turn_once_in_a_round)
{
    struct packet_paths p;
    const enum packet_choice all[] = {PACKET_BY_oblivious, PACKET_BY_round, PACKET_BY_bitmap,
                                      PACKET_BY_retire};
    for (int i = 0; i < 4; i++) {
        void *memory = begin(&p, all[i]);
        for (int round = 0; round < 5; round++)
            assert_int_equal(eight(&p), 0xff);
        assert_int_equal(p.values_used, COUNT);
        free(memory);
    }
    void *memory = begin(&p, PACKET_BY_round);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(packet_path_next(&p, 0), i % COUNT);
    free(memory);
}

/* Rounds are drawn: of 64, not all begin with the same value. */
TEST(the_order_of_oblivious_is_drawn_for_each_round)
{
    struct packet_paths p;
    void *memory = begin(&p, PACKET_BY_oblivious);
    unsigned first = 0;
    for (int i = 0; i < 64; i++) {
        first |= 1u << packet_path_next(&p, 0);
        for (int rest = 1; rest < COUNT; rest++)
            packet_path_next(&p, 0);
    }
    assert_int_equal(first, 0xff);
    free(memory);
}

/* A mark costs a value one turn, a trim four; its turns go to the next. */
TEST(a_value_with_penalties_is_passed_over)
{
    struct packet_paths p;
    void *memory = begin(&p, PACKET_BY_bitmap);
    const struct {
        enum packet_said said;
        unsigned turns;
    } rows[] = {{PACKET_SAID_GOOD, 0}, {PACKET_SAID_MARK, 1}, {PACKET_SAID_TRIM, 4}, {PACKET_SAID_LOST, 15}};
    for (int i = 0; i < 4; i++) {
        unsigned passed = 0;
        packet_path_heard(&p, US, 5, rows[i].said);
        while (p.penalty[5]) {
            uint8_t before = p.penalty[5];
            assert_int_not_equal(packet_path_next(&p, 0), 5);
            passed += before - p.penalty[5];
        }
        assert_int_equal(passed, rows[i].turns);
    }
    for (uint32_t v = 0; v < COUNT; v++) /* all the same: one is taken nevertheless */
        packet_path_heard(&p, US, v, PACKET_SAID_LOST);
    assert_true(packet_path_next(&p, 0) < COUNT);
    free(memory);
}

TEST(reps_gives_again_what_was_good_once_each)
{
    struct packet_paths p;
    void *memory = begin(&p, PACKET_BY_reps);
    for (uint32_t v = 5; v < 8; v++)
        packet_path_heard(&p, US, v, PACKET_SAID_GOOD);
    packet_path_heard(&p, US, 1, PACKET_SAID_MARK);
    for (uint32_t v = 5; v < 8; v++)
        assert_int_equal(packet_path_next(&p, 0), v);
    unsigned drawn = 0;
    for (int i = 0; i < 100; i++)
        drawn |= 1u << packet_path_next(&p, 0);
    assert_int_equal(drawn, 0xff);
    free(memory);
}

/* 10 ms of what is remembered; then 16 draws. */
TEST(reps_freezes_after_a_loss)
{
    struct packet_paths p;
    void *memory = begin(&p, PACKET_BY_reps);
    packet_path_heard(&p, US, 2, PACKET_SAID_GOOD);
    packet_path_heard(&p, US, 3, PACKET_SAID_GOOD);
    packet_path_heard(&p, US, 4, PACKET_SAID_LOST);
    for (int i = 0; i < 100; i++)
        assert_int_equal(1u << packet_path_next(&p, 0) & ~0xcu, 0);
    packet_path_heard(&p, 11 * MS, 2, PACKET_SAID_GOOD);
    assert_int_equal(p.port[0].draws, 16);
    for (int i = 0; i < 16; i++)
        packet_path_next(&p, 0);
    assert_int_equal(packet_path_next(&p, 0), 2);
    free(memory);
}

TEST(mixed_gives_what_was_good_and_else_passes_over_penalties)
{
    struct packet_paths p;
    void *memory = begin(&p, PACKET_BY_mixed);
    packet_path_heard(&p, US, 6, PACKET_SAID_GOOD);
    packet_path_heard(&p, US, 3, PACKET_SAID_LOST);
    assert_int_equal(packet_path_next(&p, 0), 6);
    assert_int_equal(eight(&p) & 1u << 3, 0);
    free(memory);
}

/* Of eight values six may go; a trim retires none; a probe that is answered brings one back. */
TEST(a_loss_retires_a_value_until_a_probe_is_answered)
{
    struct packet_paths p;
    void *memory = begin(&p, PACKET_BY_retire);
    packet_path_heard(&p, US, 7, PACKET_SAID_TRIM);
    assert_int_equal(p.out, 0);
    for (uint32_t v = 0; v < COUNT; v++)
        packet_path_heard(&p, (v + 1) * US, v, PACKET_SAID_LOST);
    assert_int_equal(p.out, 6);
    assert_int_equal(eight(&p) & 0x3f, 0);
    assert_true(p.test_at == MS + US);
    packet_path_expire(&p, MS + US);
    assert_true(p.port[0].test == 0 && p.test_at == IW_NEVER); /* one after the other */
    assert_int_equal(packet_path_test(&p, 0), 0);
    assert_true(p.test_at == MS + 2 * US);
    packet_path_heard(&p, MS + 2 * US, 0, PACKET_SAID_GOOD); /* of before */
    assert_int_equal(p.out, 6);
    packet_path_heard(&p, MS + 3 * US, 0, PACKET_SAID_PROBED);
    assert_true(p.out == 5 && p.retirements == 6);
    assert_true(eight(&p) & 1);
    free(memory);
}

/* Each of two ports has four values, even and odd ones, in rounds of its own. */
TEST(a_port_has_values_of_its_own)
{
    struct packet_paths p;
    void *memory = begin_at(&p, PACKET_BY_oblivious, 2);
    for (uint32_t port = 0; port < 2; port++)
        for (int round = 0; round < 3; round++) {
            unsigned seen = 0;
            for (int i = 0; i < COUNT / 2; i++)
                seen |= 1u << packet_path_next(&p, port);
            assert_int_equal(seen, 0x55 << port);
        }
    free(memory);
    memory = begin_at(&p, PACKET_BY_reps, 2);
    packet_path_heard(&p, US, 5, PACKET_SAID_GOOD);
    packet_path_heard(&p, US, 2, PACKET_SAID_GOOD);
    assert_int_equal(packet_path_next(&p, 1), 5);
    assert_int_equal(packet_path_next(&p, 0), 2);
    free(memory);
}

/* All of a port's may be retired: then it sends no data, and tests one after the other by itself. */
TEST(a_port_whose_values_are_retired_leads_nowhere)
{
    struct packet_paths p;
    void *memory = begin_at(&p, PACKET_BY_retire, 2);
    for (uint32_t v = 1; v < COUNT; v += 2) {
        assert_true(packet_path_leads(&p, 1));
        packet_path_heard(&p, US, v, PACKET_SAID_LOST);
    }
    assert_true(!packet_path_leads(&p, 1) && packet_path_leads(&p, 0));
    packet_path_heard(&p, US, 0, PACKET_SAID_LOST);
    assert_int_equal(p.out, 5);
    packet_path_expire(&p, MS + US);
    assert_true(p.port[0].test == 0 && p.port[1].test == 1);
    assert_int_equal(packet_path_test(&p, 1), 1);
    packet_path_heard(&p, MS + 2 * US, 1, PACKET_SAID_PROBED);
    assert_true(packet_path_leads(&p, 1));
    assert_int_equal(packet_path_next(&p, 1), 1);
    free(memory);
}

TEST(numbers_that_are_none_are_refused)
{
    struct packet_path_conf c = {.count = 6, .choice = PACKET_BY_round};
    assert_non_null(packet_path_error(&c));
    c.count = 2 * PACKET_PATHS_MAX;
    assert_non_null(packet_path_error(&c));
    c = (struct packet_path_conf){.count = 4};
    assert_non_null(packet_path_error(&c));
    c.choice = PACKET_BY_retire;
    assert_non_null(packet_path_error(&c));
    c.revive = MS;
    assert_null(packet_path_error(&c));
    c.ports = 3;
    assert_non_null(packet_path_error(&c));
    c.ports = 8;
    assert_non_null(packet_path_error(&c));
    c.ports = 4;
    assert_null(packet_path_error(&c));
}
