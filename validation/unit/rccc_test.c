/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Credits of a receiver, packet by packet: 10 us at 100 Gb/s, so a sender begins with 187,500 octets. By hand. */
#include <stdlib.h>

#include "validation/support/test.h"
#include "validation/unit/packet_rig.h"

#define US ((iw_time)1000000)
enum { MTU = 1250, FIRST = 187500, GRANT = 13 * MTU }; /* 13 packets are nearest to 16,384 octets */

static struct packet_end *begin(struct llp_pacer *pacer)
{
    return packet_rig(&packet_rccc, MTU, (struct packet_span){10 * US, 5 * US, 100000000000}, pacer);
}

static void hear(struct packet_end *e, iw_time now, struct packet_head h)
{
    e->head = h;
    packet_credit_hear(e, now);
}

/* Of a packet that left when so many had been sent for the first time. */
static void hear_target(struct packet_end *e, iw_time now, uint32_t sent, uint64_t target)
{
    hear(e, now, (struct packet_head){.flags = PACKET_DATA | PACKET_CREDIT, .named = sent, .sack = target});
}

TEST(what_is_left_of_the_first_window_is_void)
{
    struct packet_end *e = begin(NULL);
    assert_true(e->credit.left == FIRST && !packet_credit_holds(e));
    packet_credit_spend(e, MTU);
    packet_credit_answered(e);
    assert_true(packet_credit_holds(e));
    hear(e, US, (struct packet_head){.flags = PACKET_CREDIT, .sack = GRANT});
    assert_true(e->credit.left == GRANT);
    packet_credit_answered(e); /* the first alone */
    assert_true(e->credit.left == GRANT);
    hear(e, US, (struct packet_head){.flags = PACKET_CREDIT, .sack = GRANT - 1}); /* overtaken */
    assert_true(e->credit.left == GRANT);
    hear(e, US, (struct packet_head){.flags = PACKET_CREDIT, .sack = UINT64_MAX}); /* hostile */
    assert_true(e->credit.left == FIRST);
    free(e);
}

/* 16,250 octets are 1.3 us at 100 Gb/s, and 1.31313 at 99 % of it. */
TEST(turns_follow_at_99_percent_of_the_line)
{
    struct packet_end *e = begin(NULL);
    hear_target(e, 100 * US, 0, 3 * GRANT);
    assert_true(e->grants.granted == GRANT && e->grants.due);
    assert_true(e->grants.turn > 101 * US + 313100 && e->grants.turn < 101 * US + 313200);
    packet_credit_expire(e, e->grants.turn);
    assert_int_equal(e->grants.granted, 2 * GRANT);
    packet_credit_expire(e, e->grants.turn);
    assert_true(e->grants.granted == 3 * GRANT && e->grants.turn == IW_NEVER);
    free(e);
}

/* What a turn grants is what a sender makes of it: no part of a packet is left or owed. */
TEST(a_turn_is_of_full_packets)
{
    static const struct {
        uint32_t mtu, packets;
    } turns[] = {{1250, 13}, {1500, 11}, {4150, 4}, {9000, 2}, {40000, 1}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        uint32_t mtu = turns[i].mtu, most = turns[i].packets * mtu;
        struct packet_end *e =
            packet_rig(&packet_rccc, mtu, (struct packet_span){10 * US, 5 * US, 100000000000}, NULL);
        hear_target(e, 100 * US, 0, 2 * (uint64_t)most);
        assert_int_equal(e->grants.granted, most);
        free(e);
    }
}

/* Three connections of a host: each has every third turn. */
TEST(connections_of_a_host_take_turns)
{
    struct llp_pacer pacer = {0};
    struct packet_end *e[3];
    for (int i = 0; i < 3; i++) {
        e[i] = begin(&pacer);
        hear_target(e[i], 100 * US, 0, 10 * GRANT);
    }
    assert_int_equal(e[0]->grants.granted, GRANT);
    for (int turn = 0; turn < 9; turn++) {
        int next = 0;
        for (int i = 1; i < 3; i++)
            next = e[i]->grants.turn < e[next]->grants.turn ? i : next;
        assert_int_equal(next, turn % 3);
        packet_credit_expire(e[next], e[next]->grants.turn);
    }
    assert_true(e[0]->grants.granted == 4 * GRANT && e[1]->grants.granted == 3 * GRANT);
    for (int i = 0; i < 3; i++)
        free(e[i]);
}

TEST(the_newest_target_holds_and_takes_back)
{
    struct packet_end *e = begin(NULL);
    hear_target(e, 100 * US, 5, 9 * GRANT);
    hear_target(e, 100 * US, 6, 2 * GRANT);
    hear_target(e, 100 * US, 4, GRANT); /* overtaken */
    hear_target(e, 100 * US, 5, 8 * GRANT);
    assert_int_equal(e->grants.target, 2 * GRANT);
    packet_credit_expire(e, 200 * US);
    assert_int_equal(e->grants.granted, 2 * GRANT);
    hear_target(e, 300 * US, 7, UINT64_MAX); /* no more than a window */
    assert_int_equal(e->grants.target, 2 * GRANT + FIRST + MTU);
    free(e);
}

/* All that it wished was granted, and what it was spent on was trimmed: what the receiver makes of that another wish may undo. */
TEST(who_lost_what_the_last_grant_was_for_asks)
{
    struct packet_end *e = begin(NULL);
    packet_credit_spend(e, FIRST);
    e->due = 1;
    packet_rccc.trimmed(e, US, MTU);
    assert_true(packet_credit_is_short(e));
    free(e);
}

/* One that asks hears what is granted, be it nothing new. */
TEST(who_asks_is_answered)
{
    struct packet_end *e = begin(NULL);
    hear(e, US, (struct packet_head){.flags = PACKET_CREDIT, .more = PACKET_ASKS});
    assert_true(e->grants.due && e->grants.granted == 0);
    free(e);
}
