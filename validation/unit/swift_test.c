/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Swift's window, answer by answer: 10 us without load at 100 Gb/s, a target of 5 us, packets of 1,250 octets. By hand. */
#include <stdlib.h>

#include "validation/support/test.h"
#include "validation/unit/packet_rig.h"

#define US ((iw_time)1000000)
enum { MTU = 1250 };

static struct packet_end *begin(void)
{
    return packet_rig(&packet_swift, MTU, (struct packet_span){10 * US, 5 * US, 100000000000}, NULL);
}

static void hear(struct packet_end *e, iw_time now, uint64_t octets, iw_time rtt)
{
    e->news = (struct packet_news){.rtt = rtt, .octets = octets};
    packet_swift.answered(e, now);
}

/* 125,000 octets are on the path, and that is 100 packets: the target has nothing extra. */
TEST(it_begins_with_what_the_path_holds)
{
    struct packet_end *e = begin();
    assert_int_equal(e->own.swift.window, 125000);
    assert_true(packet_swift_goal(e) == 15 * US);
    free(e);
}

/* 1 / sqrt(1) of 1 / sqrt(0.1) = 3.1623, less 0.1 of each: 0.9 / 3.0623 = 0.2939; a tenth of a packet has all of it. */
TEST(small_windows_may_wait_longer)
{
    struct packet_end *e = begin();
    e->own.swift.window = MTU;
    assert_true(packet_swift_goal(e) > 15 * US + 1469000 && packet_swift_goal(e) < 15 * US + 1470000);
    e->own.swift.window = MTU / 10;
    assert_true(packet_swift_goal(e) == 20 * US);
    free(e);
}

TEST(below_the_goal_it_grows_by_a_packet_each_round_trip)
{
    struct packet_end *e = begin();
    e->own.swift.window = 50000;
    hear(e, 100 * US, 50000, 12 * US);
    assert_int_equal(e->own.swift.window, 51250);
    e->own.swift.window = 500; /* below a packet: for each that is answered */
    hear(e, 200 * US, 100, 12 * US);
    assert_int_equal(e->own.swift.window, 600);
    free(e);
}

/* 30 us of 15: 1 - 0.8 x 0.5, once a round trip; never below a half. */
TEST(above_the_goal_it_is_cut_once_a_round_trip)
{
    struct packet_end *e = begin();
    hear(e, 100 * US, 1250, 30 * US);
    assert_true(e->own.swift.window >= 75000 && e->own.swift.window < 75010);
    hear(e, 110 * US, 1250, 30 * US);
    assert_true(e->own.swift.window < 75010 && e->own.swift.window >= 75000);
    e->own.swift.window = 125000;
    hear(e, 1000 * US, 1250, 600 * US);
    assert_int_equal(e->own.swift.window, 62500);
    packet_swift.trimmed(e, 3000 * US, MTU);
    assert_int_equal(e->own.swift.window, 31250);
    free(e);
}

/* Half a packet each 20 us is a packet each 40. */
TEST(below_a_packet_packets_leave_at_distances)
{
    struct packet_end *e = begin();
    hear(e, 100 * US, 0, 20 * US);
    e->own.swift.window = 625;
    packet_swift.sent(e, 200 * US, MTU);
    assert_true(packet_swift.free_at(e) == 240 * US);
    packet_swift.expire(e, 240 * US);
    assert_true(packet_swift.free_at(e) == 0);
    assert_int_equal(packet_swift.window(e), MTU);
    free(e);
}
