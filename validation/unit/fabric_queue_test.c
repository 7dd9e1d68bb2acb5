/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output queues: what waits, what is marked, dropped and trimmed, by tables made by hand; each in both ways a queue can
 * work (departures known in advance, departures as events), which must not be told apart. */
#include "fabric_rig.h"

/* Eight hosts on a switch; packets of 1000 octets take 80,000 ps. `by_event`: a world that could trim has queues whose
 * departures are events; TCP is not trimmed. */
static struct fabric_conf star(bool by_event)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    conf.trim = by_event;
    conf.trimmed = HEADER;
    return conf;
}

enum { OCTETS = 1000, SENDERS = 7 };
static const iw_time SER = 80000;

/* Hosts 0 .. 6 send a packet each to host 7 at once; the switch sees them in that order. */
static struct net *incast(const struct fabric_conf *conf, uint8_t protocol, uint16_t head)
{
    struct net *r = net_make(conf);
    for (uint32_t h = 0; h < SENDERS; h++) {
        net_connect(r, h, h, 7);
        struct offer *o = net_offer(r, 0, h, 0, OCTETS);
        o->protocol = protocol;
        o->head = head;
        memset(o->octets, (int)h, sizeof o->octets);
    }
    return r;
}

static uint32_t last_link(const struct net *r, uint32_t host)
{
    return fabric_link(r->f, host).reverse;
}

static const struct seen *packet_of(const struct net *r, uint32_t connection)
{
    for (size_t i = 0; i < r->seens; i++)
        if (r->seen[i].connection == connection)
            return &r->seen[i];
    return NULL;
}

static const struct told *told_of(const struct net *r, enum fabric_event_kind kind, uint32_t connection)
{
    for (size_t i = 0; i < r->tolds; i++)
        if (r->told[i].kind == kind && r->told[i].connection == connection)
            return &r->told[i];
    return NULL;
}

/* What each packet of the incast finds waiting; the first is on the wire and does not count. */
static const uint32_t found[SENDERS] = {0, 0, 1000, 2000, 3000, 4000, 5000};

TEST(the_packet_on_the_wire_does_not_wait)
{
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = star(by_event);
        struct net *r = incast(&conf, IP_PROTOCOL_TCP, 0);
        net_run(r);
        for (uint32_t i = 0; i < SENDERS; i++)
            assert_int_equal(told_of(r, FABRIC_ENQUEUED, i)->waiting, found[i]);
        assert_int_equal(fabric_link_stats(r->f, last_link(r, 7)).queue_peak, 6000);
        assert_int_equal(fabric_link_stats(r->f, last_link(r, 6)).queue_peak, 0);
        net_free(r);
    }
}

TEST(packets_are_marked_from_the_threshold_on)
{
    for (int by_event = 0; by_event < 2; by_event++)
        for (uint64_t k = 0; k <= 5001; k++) {
            if (k % 1000 > 1) /* 0, 1, 1000, 1001 ... */
                k += 998;
            struct fabric_conf conf = star(by_event);
            conf.ecn_threshold = k;
            struct net *r = incast(&conf, IP_PROTOCOL_TCP, 0);
            net_run(r);
            size_t marks = 0;
            for (uint32_t i = 0; i < SENDERS; i++) {
                bool marked = k && found[i] >= k;
                assert_int_equal(packet_of(r, i)->ecn, marked ? IP_CE : IP_ECT_0);
                marks += marked;
            }
            assert_int_equal(fabric_link_stats(r->f, last_link(r, 7)).marks, marks);
            assert_int_equal(fabric_counts(r->f).marked, marks);
            assert_int_equal(net_count(r, FABRIC_MARKED), marks);
            net_free(r);
        }
}

TEST(what_cannot_say_so_is_not_marked)
{
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = star(by_event);
        conf.ecn_threshold = 1000;
        struct net *r = incast(&conf, IP_PROTOCOL_TCP, 0);
        static const uint8_t ecn[SENDERS] = {IP_ECT_0, IP_ECT_0, IP_NOT_ECT, IP_ECT_1,
                                             IP_CE,    IP_ECT_0, IP_NOT_ECT};
        static const uint8_t then[SENDERS] = {IP_ECT_0, IP_ECT_0, IP_NOT_ECT, IP_CE,
                                              IP_CE,    IP_CE,    IP_NOT_ECT};
        for (uint32_t h = 0; h < SENDERS; h++)
            r->toy[h].offer[0].ecn = ecn[h];
        net_run(r);
        for (uint32_t i = 0; i < SENDERS; i++)
            assert_int_equal(packet_of(r, i)->ecn, then[i]);
        assert_int_equal(fabric_counts(r->f).marked, 2); /* what came marked was marked elsewhere */
        net_free(r);
    }
}

/* Buffer, and how many of the seven go through: one on the wire and what fits behind it, to the octet. */
TEST(a_packet_is_dropped_when_it_does_not_fit_behind_those_that_wait)
{
    static const struct {
        uint64_t buffer;
        uint32_t through;
    } cases[] = {{999, 0}, {1000, 2}, {1999, 2}, {2000, 3}, {2999, 3}, {3000, 4}, {5999, 6}, {6000, 7}};
    for (int by_event = 0; by_event < 2; by_event++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct fabric_conf conf = star(by_event);
            conf.buffer = cases[i].buffer;
            struct net *r = incast(&conf, IP_PROTOCOL_TCP, 0);
            net_run(r);
            assert_int_equal(r->seens, cases[i].through);
            for (uint32_t c = 0; c < cases[i].through; c++)
                assert_int_equal(r->seen[c].connection, c);
            assert_int_equal(net_count(r, FABRIC_DROPPED), SENDERS - cases[i].through);
            assert_int_equal(fabric_link_stats(r->f, last_link(r, 7)).drops, SENDERS - cases[i].through);
            assert_conserved(r->f);
            net_free(r);
        }
}

/* Host 0: A at 0. Host 1: B at 0, C behind it. When C is there A has just left: B is on the wire, and C fits. */
TEST(departures_come_before_arrivals)
{
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = star(by_event);
        conf.buffer = OCTETS;
        struct net *r = net_make(&conf);
        net_connect(r, 0, 0, 7);
        net_connect(r, 1, 1, 7);
        net_offer(r, 0, 0, 0, OCTETS);
        net_offer(r, 0, 1, 0, OCTETS);
        net_offer(r, 0, 1, 0, OCTETS);
        net_run(r);
        assert_int_equal(r->seens, 3);
        assert_int_equal(r->seen[2].at, 2 * (SER + US) + 2 * SER);
        assert_int_equal(r->told[2].waiting, 0);
        net_free(r);
    }
}

TEST(a_stream_at_line_rate_never_waits)
{
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = star(by_event);
        struct net *r = net_make(&conf);
        net_connect(r, 0, 0, 7);
        for (unsigned i = 0; i < 100; i++)
            net_offer(r, 0, 0, 0, OCTETS);
        net_run(r);
        struct fabric_link_stats s = fabric_link_stats(r->f, last_link(r, 7));
        assert_int_equal(s.queue_peak, 0);
        assert_true(s.queue_mean == 0);
        assert_int_equal(s.packets, 100);
        assert_int_equal(s.octets, 100 * OCTETS);
        net_free(r);
    }
}

/* The i-th packet waits i serializations. */
TEST(the_mean_queue_is_weighted_by_time)
{
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = star(by_event);
        struct net *r = incast(&conf, IP_PROTOCOL_TCP, 0);
        iw_time begin = SER + US, end = 2 * (SER + US) + 6 * SER;
        for (uint32_t h = 0; h < SENDERS; h++)
            fabric_kick(r->f, h);
        fabric_run(r->f, begin + SER); /* the second leaves now */
        assert_int_equal(fabric_link_stats(r->f, last_link(r, 7)).packets, 2);
        fabric_run(r->f, begin + 100000); /* one has waited 80,000 ps, five have for 100,000 */
        double area = fabric_link_stats(r->f, last_link(r, 7)).queue_mean * (double)(begin + 100000);
        assert_true(area > 579999999 && area < 580000001);
        fabric_run(r->f, IW_NEVER);
        assert_int_equal(fabric_now(r->f), end);
        area = fabric_link_stats(r->f, last_link(r, 7)).queue_mean * (double)end;
        assert_true(area > 1679999999 && area < 1680000001); /* 1000 x 80,000 x (1 + 2 + ... + 6) */
        net_free(r);
    }
}

/* ---- a mark's chance ---- */

TEST(between_two_thresholds_the_chance_of_a_mark_grows_evenly)
{
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = star(by_event);
        const uint64_t kmin = conf.red.kmin = 200000, kmax = conf.red.kmax = 1000000;
        conf.red.pmax = 0.5;
        conf.buffer = 1 << 22;
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < SENDERS; h++) {
            net_connect(r, h, h, 7);
            for (unsigned i = 0; i < 300; i++)
                net_offer(r, 0, h, 0, OCTETS);
        }
        net_run(r);
        double expected = 0, variance = 0, marked = 0;
        for (size_t i = 0; i < r->tolds; i++) {
            const struct told *t = &r->told[i];
            bool mark = t->kind == FABRIC_MARKED;
            if (mark) {
                t = &r->told[++i];
                assert_int_equal(t->kind, FABRIC_ENQUEUED);
            }
            if (t->waiting < kmin || t->waiting >= kmax) {
                assert_int_equal(mark, t->waiting >= kmax);
                continue;
            }
            double p = 0.5 * (double)(t->waiting - kmin) / (double)(kmax - kmin);
            expected += p;
            variance += p * (1 - p);
            marked += mark;
        }
        assert_true(expected > 200 && variance > 100);
        assert_true((marked - expected) * (marked - expected) < 9 * variance);
        net_free(r);
    }
}

/* ---- shared buffers ---- */

/* Seven to one, ten packets each: the most that waits is the last multiple of 1000 to which a packet was let in, w +
 * 1000 <= alpha x (8000 - w), and never more than all there is. */
TEST(one_port_may_hold_alpha_times_what_is_free)
{
    static const struct {
        double alpha;
        uint64_t buffer, peak; /* buffer of each of eight ports */
    } cases[] = {{1.0 / 16, 1000, 0}, {0.125, 1000, 1000}, {0.5, 1000, 3000}, {1, 1000, 4000},
                 {2, 1000, 6000},     {8, 1000, 8000},     {64, 1000, 8000},  {64, 1050, 8000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fabric_conf conf = star(false);
        conf.shared = true;
        conf.alpha = cases[i].alpha;
        conf.buffer = cases[i].buffer;
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < SENDERS; h++) {
            net_connect(r, h, h, 7);
            for (unsigned n = 0; n < 10; n++)
                net_offer(r, 0, h, 0, OCTETS);
        }
        net_run(r);
        assert_int_equal(fabric_link_stats(r->f, last_link(r, 7)).queue_peak, cases[i].peak);
        for (size_t n = 0; n < r->tolds; n++) {
            double w = (double)r->told[n].waiting, all = 8 * (double)cases[i].buffer;
            bool fits = w + 1000 <= cases[i].alpha * (all - w) && w + 1000 <= all;
            assert_int_equal(r->told[n].kind, fits ? FABRIC_ENQUEUED : FABRIC_DROPPED);
        }
        assert_conserved(r->f);
        net_free(r);
    }
}

/* Memory 8000, alpha 1/2. Hosts 0 .. 3 to 7: one goes, 1000, 2000 and 3000 wait. Hosts 4 .. 6 to 0: one goes, one waits,
 * and the last (1001 octets) finds 4000 free: 1000 + 1001 > 2000. Without the others: 2001 <= 3500. */
TEST(what_waits_for_one_port_leaves_less_to_another)
{
    for (int crowded = 0; crowded < 2; crowded++) {
        struct fabric_conf conf = star(false);
        conf.shared = true;
        conf.alpha = 0.5;
        conf.buffer = 1000;
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < SENDERS; h++) {
            net_connect(r, h, h, h < 4 ? 7 : 0);
            if (h > 3 || crowded)
                net_offer(r, 0, h, 0, h == 6 ? 1001 : 1000);
            net_offer(r, 100 * US, h, 0, 1000); /* when all is free again */
        }
        net_run(r);
        assert_int_equal(net_count(r, FABRIC_DROPPED), crowded);
        if (crowded)
            assert_int_equal(told_of(r, FABRIC_DROPPED, 6)->waiting, 1000);
        assert_int_equal(r->seens, crowded ? 13 : 10);
        net_free(r);
    }
}

/* ---- marks by what is left behind, and none on the last hop ---- */

/* What each packet of the incast leaves behind: all have come when the second leaves. */
static const uint32_t behind[SENDERS] = {0, 5000, 4000, 3000, 2000, 1000, 0};

TEST(marks_may_look_at_what_a_packet_leaves_behind)
{
    for (int spared = 0; spared < 2; spared++)
        for (uint64_t k = 1; k <= 5001; k += 1000) {
            struct fabric_conf conf = star(false);
            conf.ecn.at_dequeue = true;
            conf.ecn.spares_last = spared;
            conf.ecn_threshold = k;
            struct net *r = incast(&conf, IP_PROTOCOL_TCP, 0);
            net_run(r);
            iw_time at = 2 * (SER + US);
            for (uint32_t i = 0; i < SENDERS; i++, at += SER) {
                assert_int_equal(r->seen[i].at, at); /* a mark takes no time */
                assert_int_equal(packet_of(r, i)->ecn, !spared && behind[i] >= k ? IP_CE : IP_ECT_0);
            }
            net_free(r);
        }
}

/* Above the edge links have a tenth of the rate: the first of five packets leaves at once, the second finds nothing. */
TEST(ports_to_switches_mark_where_those_to_hosts_are_spared)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
    conf.fat_tree.k = 2; /* a host an edge: all packets take one way */
    conf.fat_tree.oversubscription = 10;
    conf.ecn.spares_last = true;
    conf.ecn_threshold = 1;
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 1);
    for (int i = 0; i < 5; i++)
        net_offer(r, 0, 0, 0, OCTETS);
    net_run(r);
    assert_int_equal(fabric_counts(r->f).marked, 3);
    net_free(r);
}

/* ---- trimming ---- */

/* Buffer 2000: three go on whole, four as headers, which overtake what waits. */
TEST(without_room_a_packet_goes_on_as_its_header_and_first)
{
    struct fabric_conf conf = star(true);
    conf.buffer = 2000;
    conf.packet_head = 24;
    struct net *r = incast(&conf, IP_PROTOCOL_EXPERIMENT, 40);
    net_run(r);
    static const uint32_t order[SENDERS] = {0, 3, 4, 5, 6, 1, 2};
    iw_time at = 2 * (SER + US);
    for (uint32_t i = 0; i < SENDERS; i++) {
        const struct seen *s = &r->seen[i];
        bool whole = order[i] < 3;
        if (i)
            at += whole ? SER : 44 * 80; /* IP header and 24 */
        assert_int_equal(s->connection, order[i]);
        assert_int_equal(s->at, at);
        assert_int_equal(s->trimmed, !whole);
        assert_int_equal(s->size, whole ? OCTETS : 44);
        assert_int_equal(s->head, whole ? 40 : 24);
        for (uint32_t n = 0; n < s->head; n++)
            assert_int_equal(s->octets[n], s->connection);
    }
    assert_int_equal(fabric_counts(r->f).trimmed, 4);
    assert_int_equal(fabric_link_stats(r->f, last_link(r, 7)).trims, 4);
    assert_int_equal(fabric_counts(r->f).dropped, 0);
    assert_int_equal(told_of(r, FABRIC_TRIMMED, 3)->size, OCTETS);
    net_free(r);
}

TEST(headers_have_a_limit_too)
{
    struct fabric_conf conf = star(true);
    conf.buffer = 100; /* one header on the wire, two wait */
    conf.packet_head = 24;
    struct net *r = incast(&conf, IP_PROTOCOL_EXPERIMENT, 0);
    net_run(r);
    assert_int_equal(r->seens, 3);
    assert_int_equal(fabric_counts(r->f).trimmed, SENDERS);
    assert_int_equal(fabric_counts(r->f).dropped, 4);
    assert_conserved(r->f);
    net_free(r);
}

/* Seven senders of three packets: one is on the wire, two wait. One of these leaves behind ten headers in a row, which gives
 * one that comes then its room; both leave behind the other seven. */
TEST(headers_do_not_starve_what_waits)
{
    struct fabric_conf conf = star(true);
    conf.buffer = 2000;
    conf.packet_head = 24;
    struct net *r = net_make(&conf);
    for (uint32_t h = 0; h < SENDERS; h++) {
        net_connect(r, h, h, 7);
        for (unsigned n = 0; n < 3; n++)
            net_offer(r, 0, h, 0, OCTETS)->protocol = IP_PROTOCOL_EXPERIMENT;
    }
    net_run(r);
    assert_int_equal(r->seens, 3 * SENDERS);
    for (uint32_t i = 0; i < r->seens; i++)
        assert_int_equal(!r->seen[i].trimmed, i == 0 || i == 11 || i > 18);
    net_free(r);
}

/* What is no larger than a header goes first, too: the answers of a packet transport. */
TEST(answers_overtake_what_waits)
{
    struct fabric_conf conf = star(true);
    struct net *r = net_make(&conf);
    for (uint32_t h = 0; h < SENDERS; h++) {
        net_connect(r, h, h, 7);
        struct offer *o = net_offer(r, h < 4 ? 0 : SER - 44 * 80, h, 0, h < 4 ? OCTETS : HEADER);
        o->protocol = h == 6 ? IP_PROTOCOL_TCP : IP_PROTOCOL_EXPERIMENT;
    }
    net_run(r);
    static const uint32_t order[SENDERS] = {0, 4, 5, 1, 2, 3, 6};
    for (uint32_t i = 0; i < SENDERS; i++) {
        assert_int_equal(r->seen[i].connection, order[i]);
        assert_false(r->seen[i].trimmed);
    }
    net_free(r);
}

/* Of 8400 octets that the ports share packets take 8000; headers have the rest, 9 of them, and no more than there is. */
TEST(headers_share_the_memory_of_the_switch)
{
    struct fabric_conf conf = star(true);
    conf.packet_head = 24;
    conf.shared = true;
    conf.alpha = 64;
    conf.buffer = 1050;
    struct net *r = net_make(&conf);
    for (uint32_t h = 0; h < SENDERS; h++) {
        net_connect(r, h, h, 7);
        for (unsigned n = 0; n < 10; n++)
            net_offer(r, 0, h, 0, OCTETS)->protocol = IP_PROTOCOL_EXPERIMENT;
    }
    net_run(r);
    uint64_t trimmed = fabric_counts(r->f).trimmed, dropped = fabric_counts(r->f).dropped;
    assert_int_equal(fabric_link_stats(r->f, last_link(r, 7)).queue_peak, 8000);
    assert_true(dropped > 0 && dropped < trimmed);
    assert_int_equal(r->seens, 70 - dropped);
    assert_conserved(r->f);
    net_free(r);
}

TEST(only_packet_transports_are_trimmed)
{
    static const uint8_t protocol[] = {IP_PROTOCOL_TCP, IP_PROTOCOL_SCTP};
    for (size_t i = 0; i < 2; i++) {
        struct fabric_conf conf = star(true);
        conf.buffer = 2000;
        struct net *r = incast(&conf, protocol[i], 0);
        net_run(r);
        assert_int_equal(r->seens, 3);
        assert_int_equal(fabric_counts(r->f).trimmed, 0);
        assert_int_equal(fabric_counts(r->f).dropped, 4);
        net_free(r);
    }
}

/* ---- what a tap sees ---- */

/* ---- trimming as others do it ---- */

/* Buffer 2000: the first is on the wire, two wait; of the four others each is trimmed, or one that waits for it. */
TEST(a_coin_trims_the_last_that_waits_or_the_one_that_comes)
{
    unsigned kept[SENDERS] = {0}, whole = 0;
    enum { SEEDS = 400 };
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct fabric_conf conf = star(true);
        conf.buffer = 2000;
        conf.packet_head = 24;
        conf.trimming.coin = true;
        conf.seed = seed;
        struct net *r = incast(&conf, IP_PROTOCOL_EXPERIMENT, 40);
        net_run(r);
        assert_int_equal(fabric_counts(r->f).trimmed, 4);
        for (uint32_t i = 0; i < r->seens; i++) {
            const struct seen *s = &r->seen[i];
            kept[s->connection] += !s->trimmed;
            whole += !s->trimmed;
            assert_int_equal(s->size, s->trimmed ? HEADER : OCTETS);
            for (uint32_t n = 0; n < s->head; n++)
                assert_int_equal(s->octets[n], s->connection); /* what changed places kept its octets */
        }
        assert_conserved(r->f);
        net_free(r);
    }
    assert_int_equal(whole, 3 * SEEDS);
    assert_int_equal(kept[0], SEEDS);
    assert_int_equal(kept[1], SEEDS); /* never the last */
    /* The third stays where four coins fall for it: 1/16; the last that comes has its place in half of the runs, the one before in
     * a quarter, and so on. Five standard deviations. */
    static const double share[SENDERS] = {1, 1, 1.0 / 16, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2};
    for (int i = 2; i < SENDERS; i++)
        assert_true((kept[i] - share[i] * SEEDS) * (kept[i] - share[i] * SEEDS) <
                    25 * share[i] * (1 - share[i]) * SEEDS);
}

/* A shorter one that waits would leave no room. */
TEST(a_coin_does_not_trim_what_is_shorter)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct fabric_conf conf = star(true);
        conf.buffer = 1900;
        conf.packet_head = 24;
        conf.trimming.coin = true;
        conf.seed = seed;
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < 4; h++) {
            net_connect(r, h, h, 7);
            uint32_t size = h == 2 ? 900 : OCTETS;
            net_offer(r, (OCTETS - size) * 80, h, 0, size)->protocol = IP_PROTOCOL_EXPERIMENT;
        }
        net_run(r);
        assert_true(packet_of(r, 3)->trimmed);
        net_free(r);
    }
}

/* The same buffer as above with a queue of headers of its own size: two of 44 octets fit, and one is on the wire. */
TEST(the_queue_of_headers_may_have_its_own_size)
{
    struct fabric_conf conf = star(true);
    conf.buffer = 2000;
    conf.packet_head = 24;
    conf.trimming.headers = 100;
    struct net *r = incast(&conf, IP_PROTOCOL_EXPERIMENT, 0);
    net_run(r);
    assert_int_equal(r->seens, 3 + 2);
    assert_int_equal(fabric_counts(r->f).trimmed, 4);
    assert_int_equal(fabric_counts(r->f).dropped, 2);
    assert_conserved(r->f);
    net_free(r);
}

/* As many headers for a packet as said: 2, then one that waits; strict: all of the first two rounds, 4 and 7. */
TEST(headers_have_the_share_that_is_said)
{
    static const uint32_t shares[] = {2, FABRIC_TRIM_STRICT};
    for (int i = 0; i < 2; i++) {
        struct fabric_conf conf = star(true);
        conf.buffer = 2000;
        conf.packet_head = 24;
        conf.trimming.share = shares[i];
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < SENDERS; h++) {
            net_connect(r, h, h, 7);
            for (unsigned n = 0; n < 3; n++)
                net_offer(r, 0, h, 0, OCTETS)->protocol = IP_PROTOCOL_EXPERIMENT;
        }
        net_run(r);
        assert_int_equal(r->seens, 3 * SENDERS);
        unsigned first = 0;
        while (r->seen[first + 1].trimmed)
            first++;
        assert_int_equal(first, i ? 11 : 2);
        net_free(r);
    }
}

TEST(a_tap_sees_first_bits_leave_and_last_bits_arrive)
{
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = star(by_event);
        conf.ecn_threshold = 1000;
        struct net *r = incast(&conf, IP_PROTOCOL_TCP, 0);
        fabric_tap(r->f, last_link(r, 7), true);
        net_run(r);
        assert_int_equal(r->tappeds, 2 * SENDERS);
        uint32_t left = 0, arrived = 0;
        for (size_t i = 0; i < r->tappeds; i++) {
            const struct tapped *t = &r->taps[i];
            uint32_t n = t->side == FABRIC_LEAVES ? left++ : arrived++;
            iw_time leaves = SER + US + n * SER;
            assert_int_equal(t->link, last_link(r, 7));
            assert_int_equal(t->connection, n);
            assert_int_equal(t->at, t->side == FABRIC_LEAVES ? leaves : leaves + SER + US);
            assert_int_equal(t->ecn, n < 2 ? IP_ECT_0 : IP_CE);
        }
        net_free(r);
    }
}
