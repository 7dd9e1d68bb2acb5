/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NSCC's window, answer by answer. The numbers are those of a tree of three tiers at 100 Gb/s: 12 hops of 1 us and of 4150 + 64
 * octets are 14.02272 us and 175,284 octets; the target is three quarters of it. Worked out by hand from the rules in packet_nscc.c. */
#include <stdlib.h>

#include "validation/support/test.h"
#include "validation/unit/packet_rig.h"

#define US ((iw_time)1000000)
enum { MTU = 4150, RTT = 14022720, TARGET = 10517040, BDP = 175284 };

static struct packet_end *begin(void)
{
    return packet_rig(&packet_nscc, MTU, (struct packet_span){RTT, TARGET, 100000000000}, NULL);
}

static void hear(struct packet_end *e, iw_time now, uint64_t octets, iw_time delay, bool marked)
{
    e->news = (struct packet_news){.rtt = RTT + delay, .octets = octets, .marked = marked};
    packet_nscc.answered(e, now);
}

/* So that the step of each round trip is not due. */
static void settle(struct packet_end *e, iw_time now, uint64_t window)
{
    e->own.nscc.adjusted = e->own.nscc.cut = now;
    e->own.nscc.window = window;
}

static void assert_about(uint64_t is, double wanted)
{
    assert_true((double)is > wanted * 0.999 && (double)is < wanted * 1.001);
}

TEST(it_begins_with_one_and_a_half_of_what_the_path_holds)
{
    struct packet_end *e = begin();
    assert_int_equal(e->own.nscc.window, BDP * 3 / 2);
    assert_int_equal(packet_nscc.window(e), BDP * 3 / 2);
    free(e);
}

/* 4 x 4086 x 1.16856 / 12 us for each octet and picosecond below the target: half of it and 41,500 octets are 347.3 million. */
TEST(below_the_target_it_grows_by_the_distance)
{
    struct packet_end *e = begin();
    settle(e, 100 * US, 100000);
    hear(e, 100 * US, 41500, TARGET / 2, false);
    assert_about(e->own.nscc.window, 100000 + 3473.3);
    free(e);
}

/* 5 x 4086 x 1.16856 = 23,874 for each octet. */
TEST(above_the_target_it_grows_evenly)
{
    struct packet_end *e = begin();
    settle(e, 100 * US, 100000);
    hear(e, 100 * US, 41500, TARGET, false);
    assert_about(e->own.nscc.window, 100000 + 9907.6);
    free(e);
}

/* And 0.15 x 4086 x 1.16856 = 716 octets each round trip. */
TEST(a_step_each_round_trip)
{
    struct packet_end *e = begin();
    settle(e, 100 * US, 100000);
    hear(e, 100 * US + RTT - 1, 0, TARGET, true);
    assert_int_equal(e->own.nscc.window, 100000);
    hear(e, 101 * US + RTT, 0, TARGET / 2, true);
    assert_int_equal(e->own.nscc.window, 100716);
    free(e);
}

/* More than a window without 1 us of delay: from then on 0.29214 of what is answered. */
TEST(where_nothing_waits_it_grows_fast)
{
    struct packet_end *e = begin();
    settle(e, 100 * US, 50000);
    hear(e, 100 * US, 4150, 0, false);
    uint64_t before = e->own.nscc.window;
    e->own.nscc.increase = 0;
    hear(e, 100 * US, 50000, US - 1, false);
    assert_about(e->own.nscc.window, (double)before + 0.29214 * 50000);
    assert_true(e->own.nscc.rises);
    hear(e, 101 * US, 10, US, false);
    assert_false(e->own.nscc.rises);
    free(e);
}

/* A mean of twice the target: 1 - 0.8 / 2; once a round trip. */
TEST(a_mark_above_the_target_cuts_by_the_mean_delay)
{
    struct packet_end *e = begin();
    settle(e, 0, 200000);
    e->own.nscc.adjusted = 100 * US;
    e->own.nscc.average = 2 * TARGET;
    hear(e, 100 * US, 10, 2 * TARGET, true);
    assert_about(e->own.nscc.window, 120000);
    hear(e, 101 * US, 10, 2 * TARGET, true);
    assert_about(e->own.nscc.window, 120000);
    e->own.nscc.adjusted = 120 * US;
    hear(e, 120 * US, 10, TARGET - 1, true); /* below it the mark is for the path alone */
    assert_about(e->own.nscc.window, 120000);
    e->own.nscc.average = 100 * (iw_time)TARGET; /* never below a half */
    hear(e, 120 * US, 10, 100 * (iw_time)TARGET, true);
    assert_about(e->own.nscc.window, 60000);
    free(e);
}

TEST(a_trim_and_a_timeout_take_their_packet_from_it)
{
    struct packet_end *e = begin();
    packet_nscc.trimmed(e, 100 * US, MTU);
    assert_int_equal(e->own.nscc.window, BDP * 3 / 2 - MTU);
    packet_nscc.expired(e, 100 * US, MTU);
    assert_int_equal(e->own.nscc.window, BDP * 3 / 2 - 2 * MTU);
    for (int i = 0; i < 100; i++)
        packet_nscc.expired(e, 100 * US, MTU);
    assert_int_equal(e->own.nscc.window, MTU); /* one always fits */
    free(e);
}

/* Armed by the first answer; after base + target a trim finds that 8,300 octets were answered, an eighth of 262,926 is more. */
TEST(quick_adapt_takes_what_was_answered)
{
    struct packet_end *e = begin();
    hear(e, 100 * US, 0, 0, false);
    hear(e, 110 * US, 8300, TARGET, true);
    e->octets_out = 100000;
    packet_nscc.trimmed(e, 101 * US + RTT + TARGET, MTU);
    assert_int_equal(e->own.nscc.window, 8300);
    hear(e, 102 * US + RTT + TARGET, 99000, TARGET, true); /* of what was under way then: not heard */
    assert_int_equal(e->own.nscc.received, 0);
    free(e);
}

/* A shorter round trip is the base from then on: the largest window shrinks with it. */
TEST(the_base_is_the_shortest_round_trip)
{
    struct packet_end *e = begin();
    e->news = (struct packet_news){.rtt = RTT / 2, .octets = 0};
    packet_nscc.answered(e, 100 * US);
    assert_int_equal(e->own.nscc.base, RTT / 2);
    assert_int_equal(e->own.nscc.most, BDP / 2 * 3 / 2);
    assert_int_equal(e->own.nscc.window, BDP / 2 * 3 / 2);
    free(e);
}
