/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a packet takes, to the picosecond: over one to six hops, behind others, and when an event is due. */
#include "fabric_rig.h"

/* One packet from host 0 to host `to`, alone. */
static iw_time takes(const struct fabric_conf *conf, uint32_t to, uint32_t size)
{
    struct net *r = net_make(conf);
    net_connect(r, 0, 0, to);
    net_offer(r, 0, 0, 0, size);
    assert_int_equal(net_run(r), FABRIC_IDLE);
    assert_int_equal(r->seens, 1);
    assert_int_equal(r->seen[0].host, to);
    assert_int_equal(r->seen[0].size, size);
    iw_time at = r->seen[0].at;
    net_free(r);
    return at;
}

/* Hops and what a hand computes: 1500 octets and 38 of framing at 100 Gb/s take 123,040 ps. */
TEST(a_packet_takes_its_serialization_and_delay_on_each_hop)
{
    static const struct {
        enum fabric_kind kind;
        uint32_t to, hops;
    } cases[] = {
        {FABRIC_LINK, 1, 1},     {FABRIC_STAR, 7, 2},      {FABRIC_FAT_TREE, 1, 2},  {FABRIC_FAT_TREE, 2, 4},
        {FABRIC_FAT_TREE, 4, 6}, {FABRIC_FAT_TREE, 15, 6}, {FABRIC_DRAGONFLY, 1, 2}, {FABRIC_DRAGONFLY, 3, 3},
        {FABRIC_PLANES, 1, 2},   {FABRIC_PLANES, 7, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fabric_conf conf = fabric_conf_of(cases[i].kind);
        conf.framing = FABRIC_ETHERNET;
        assert_int_equal(takes(&conf, cases[i].to, 1500), cases[i].hops * (123040 + US));
    }
}

TEST(serialization_is_rounded_down_for_each_packet_and_link)
{
    assert_int_equal(fabric_serialization(1538, 100 * GBPS), 123040);
    assert_int_equal(fabric_serialization(1, 3), 2666666666666);       /* 8e12 / 3 = 2,666,666,666,666.67 */
    assert_int_equal(fabric_serialization(1538, 33333333333), 369120); /* 369,120.0000037 */
    assert_int_equal(fabric_serialization(7, 33333333333), 1680);      /* 1,680.0000000168 */
    assert_int_equal(fabric_serialization(1000, 7 * GBPS), 1142857);   /* 1,142,857.14 */
    assert_int_equal(fabric_serialization(131072, 1), UINT64_C(1048576000000000000));
    struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
    conf.fat_tree.oversubscription = 3; /* two links at 100 Gb/s, four at 33,333,333,333 bps */
    assert_int_equal(takes(&conf, 15, 1538), 6 * US + 2 * 123040 + 4 * 369120);
}

/* 1600 octets take 32,000 ps at 400 Gb/s, 16,000 at 800 and 4,000 at 3,200. In the dragonfly host 0 is on the router that its
 * group is linked to the next by, host 3 on the other one of its group, host 8 two groups further. */
TEST(links_of_each_level_have_their_rates_and_delays)
{
    static const struct {
        enum fabric_kind kind;
        uint32_t to, hosts, leaf, core; /* links of each level */
    } cases[] = {
        {FABRIC_FAT_TREE, 1, 2, 0, 0}, {FABRIC_FAT_TREE, 2, 2, 2, 0},  {FABRIC_FAT_TREE, 15, 2, 2, 2},
        {FABRIC_PLANES, 7, 2, 2, 0},   {FABRIC_DRAGONFLY, 3, 2, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fabric_conf conf = fabric_conf_of(cases[i].kind);
        conf.rate = 400 * GBPS;
        conf.rates.leaf = 800 * GBPS;
        conf.rates.core = 3200 * GBPS;
        conf.delays.leaf = 3 * US;
        conf.delays.core = 7 * US;
        assert_int_equal(takes(&conf, cases[i].to, 1600), cases[i].hosts * (32000 + US) +
                                                              cases[i].leaf * (16000 + 3 * US) +
                                                              cases[i].core * (4000 + 7 * US));
        double along = 0;
        uint32_t hops = fabric_hops(&conf, 0, cases[i].to);
        for (uint32_t l = 0; l < hops && cases[i].kind == FABRIC_FAT_TREE; l++)
            along += 8 * 1600e12 / (double)fabric_along(&conf, hops, l).rate +
                     (double)fabric_along(&conf, hops, l).delay;
        assert_true(!along || along == (double)takes(&conf, cases[i].to, 1600));
    }
}

/* 0 - s2 - s3 - s4 - s5 - 1, each line with a rate and delay of its own: five hops. */
TEST(lines_of_a_described_network_keep_their_rates_and_delays)
{
    static const struct fabric_line line[] = {
        {0, 2, 100 * GBPS, 1 * US}, {2, 3, 40 * GBPS, 2 * US}, {3, 4, 25 * GBPS, 0},
        {5, 4, 400 * GBPS, 5 * US}, {1, 5, 7 * GBPS, 17},
    };
    struct fabric_conf conf = fabric_conf_of(FABRIC_FILE);
    conf.file.hosts = 2;
    conf.file.switches = 4;
    conf.file.lines = 5;
    conf.file.line = line;
    assert_int_equal(takes(&conf, 1, 1000),
                     80000 + US + 200000 + 2 * US + 320000 + 20000 + 5 * US + 1142857 + 17);
}

TEST(packets_of_one_host_follow_each_other_without_a_gap)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 15);
    for (unsigned i = 0; i < 50; i++)
        net_offer(r, 0, 0, 0, 1000);
    net_run(r);
    assert_int_equal(r->seens, 50);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(r->seen[i].number, i);
        assert_int_equal(r->seen[i].at, 6 * (80000 + US) + i * 80000);
    }
    assert_int_equal(fabric_now(r->f), r->seen[49].at);
    assert_int_equal(fabric_counts(r->f).hops, 300);
    net_free(r);
}

/* A small packet behind a large one waits for it at the first switch only. */
TEST(a_packet_is_stored_whole_before_it_goes_on)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 7);
    net_offer(r, 0, 0, 0, 100);
    net_offer(r, 0, 0, 0, 9000);
    net_offer(r, 0, 0, 0, 100);
    net_run(r);
    assert_int_equal(r->seen[0].at, 2 * (8000 + US));
    assert_int_equal(r->seen[1].at, 2 * US + 8000 + 720000 + 720000);
    assert_int_equal(r->seen[2].at, 2 * US + 8000 + 720000 + 720000 + 8000);
    net_free(r);
}

/* n senders, one packet each at the same time to one receiver: the i-th arrives i serializations after the first, in the
 * order of the switch's ports, whatever order they were told in. */
TEST(an_incast_arrives_in_the_order_of_ports)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    struct net *r = net_make(&conf);
    for (uint32_t h = 7; h--;) {
        net_connect(r, 6 - h, h, 7);
        net_offer(r, 0, 6 - h, 0, 1000);
    }
    net_run(r);
    assert_int_equal(r->seens, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(r->seen[i].connection, 6 - i);
        assert_int_equal(r->seen[i].at, 2 * (80000 + US) + i * 80000);
    }
    net_free(r);
}

TEST(a_host_is_asked_when_its_deadline_comes)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 1);
    net_offer(r, 5 * US, 0, 0, 1000);
    net_offer(r, 9 * US + 1, 0, 0, 1000);
    net_run(r);
    assert_int_equal(r->seen[0].at, 6 * US + 80000);
    assert_int_equal(r->seen[1].at, 10 * US + 80001);
    assert_int_equal(r->toy[0].expired, 9 * US + 1);
    net_free(r);
}

TEST(a_deadline_that_has_passed_is_due_now)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
    conf.timers = 1;
    struct net *r = net_make(&conf);
    fabric_at(r->f, 0, 5 * US);
    fabric_run(r->f, IW_NEVER);
    r->toy[1].overdue = true;
    fabric_kick(r->f, 1);
    fabric_run(r->f, IW_NEVER);
    assert_int_equal(r->toy[1].expired, 5 * US);
    assert_int_equal(fabric_now(r->f), 5 * US);
    net_free(r);
}

TEST(both_directions_of_a_link_are_free_of_each_other)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 1);
    for (unsigned i = 0; i < 10; i++) {
        net_offer(r, 0, 0, 0, 1000);
        net_offer(r, 0, 0, 1, 1000);
    }
    net_run(r);
    assert_int_equal(r->seens, 20);
    for (unsigned i = 0; i < 20; i++) { /* at one time: node 0 receives before node 1 */
        assert_int_equal(r->seen[i].at, US + (i / 2 + 1) * 80000);
        assert_int_equal(r->seen[i].host, i % 2);
    }
    net_free(r);
}

/* ---- runs ---- */

TEST(a_run_ends_where_it_is_told_to)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 1);
    net_offer(r, 3 * US, 0, 0, 1000);
    fabric_kick(r->f, 0);
    assert_int_equal(fabric_deadline(r->f), 0); /* the kick */
    assert_int_equal(fabric_run(r->f, 3 * US - 1), FABRIC_UNTIL);
    assert_int_equal(fabric_now(r->f), 3 * US - 1);
    assert_int_equal(fabric_deadline(r->f), 3 * US);
    assert_int_equal(fabric_counts(r->f).sent, 0);
    assert_int_equal(fabric_run(r->f, 3 * US), FABRIC_UNTIL); /* what is due then, too */
    assert_int_equal(fabric_counts(r->f).sent, 1);
    assert_int_equal(fabric_counts(r->f).in_flight, 1);
    assert_int_equal(fabric_run(r->f, IW_NEVER), FABRIC_IDLE);
    assert_int_equal(fabric_now(r->f), 4 * US + 80000);
    assert_int_equal(fabric_deadline(r->f), IW_NEVER);
    assert_int_equal(fabric_counts(r->f).in_flight, 0);
    net_free(r);
}

static void stop_at_two(struct net *r, iw_time now, uint32_t timer)
{
    (void)now;
    if (timer == 2)
        fabric_stop(r->f);
}

TEST(timers_of_the_workload_fire_in_order_and_can_be_moved)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
    conf.timers = 5;
    struct net *r = net_make(&conf);
    r->on_timer = stop_at_two;
    fabric_at(r->f, 3, 10 * US);
    fabric_at(r->f, 2, 10 * US);
    fabric_at(r->f, 1, 4 * US);
    fabric_at(r->f, 0, 20 * US);
    fabric_at(r->f, 4, 1 * US);
    fabric_at(r->f, 1, 30 * US); /* later */
    fabric_at(r->f, 0, 2 * US);  /* earlier */
    fabric_at(r->f, 4, IW_NEVER);
    assert_int_equal(fabric_deadline(r->f), 2 * US); /* what is not due any more does not show */
    assert_int_equal(fabric_run(r->f, IW_NEVER), FABRIC_STOPPED);
    assert_int_equal(r->fires, 2);
    assert_int_equal(fabric_run(r->f, IW_NEVER), FABRIC_IDLE);
    static const struct fired order[] = {{2 * US, 0}, {10 * US, 2}, {10 * US, 3}, {30 * US, 1}};
    assert_int_equal(r->fires, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(r->fired[i].at, order[i].at);
        assert_int_equal(r->fired[i].timer, order[i].timer);
    }
    fabric_at(r->f, 0, 5); /* past: now */
    assert_int_equal(fabric_deadline(r->f), 30 * US);
    net_free(r);
}

static size_t seen_then, expired_then;

static void look(struct net *r, iw_time now, uint32_t timer)
{
    (void)timer;
    seen_then = r->seens;
    expired_then = r->toy[1].expired == now;
}

/* All on one picosecond: a packet arrives, a host's timer, a workload timer. */
TEST(at_one_time_packets_come_before_timers_and_timers_before_the_workload)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
    conf.timers = 1;
    struct net *r = net_make(&conf);
    r->on_timer = look;
    fabric_at(r->f, 0, US + 80000);
    net_connect(r, 0, 0, 1);
    net_offer(r, US + 80000, 0, 1, 1000); /* host 1 has a deadline then */
    net_offer(r, 0, 0, 0, 1000);
    seen_then = 0;
    net_run(r);
    assert_int_equal(seen_then, 1);
    assert_int_equal(r->seens, 2);
    assert_int_equal(r->seen[1].at, 2 * (US + 80000));
    assert_int_equal(expired_then, 0); /* the arrival made the host send, so no timer was left */
    net_free(r);
}
