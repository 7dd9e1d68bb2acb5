/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links that fail, are repaired, or change their rate: what is lost and when the rest arrives, reckoned by hand; which ways
 * change, and which do not. 1250 octets take 100 ns at 100 Gb/s, and each link 1 us more. */
#include "fabric_rig.h"

enum { OCTETS = 1250, CHANGES = 8 };

/* Packets 0, 1 ... of connection 0, from host 0 to host 1 of a star, at those times, and what happens to links. */
static struct net *star(const struct fabric_change *change, uint32_t changes, iw_time reroute_after,
                        const iw_time *at, size_t packets)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    conf.hosts = 3;
    conf.change = change;
    conf.changes = changes;
    conf.reroute_after = reroute_after;
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 1);
    for (size_t i = 0; i < packets; i++)
        net_offer(r, at[i], 0, 0, OCTETS);
    assert_int_equal(net_run(r), FABRIC_IDLE);
    assert_conserved(r->f);
    return r;
}

/* To host 1. */
enum { LAST = 4 };

static void assert_arrives(const struct net *r, size_t i, uint32_t number, iw_time at)
{
    assert_true(i < r->seens);
    assert_int_equal(r->seen[i].number, number);
    assert_int_equal(r->seen[i].at, at);
}

static const iw_time at_once[] = {0, 0, 0};

/* 0 leaves the switch at 1.1 us, 1 at 1.2 us, and 2 would at 1.3 us. */
TEST(what_is_on_the_wire_or_in_service_is_lost_and_what_waits_goes_on)
{
    const struct fabric_change x[] = {{1250 * NS, LAST, FABRIC_GOES_DOWN, 0},
                                      {5 * US, LAST, FABRIC_GOES_UP, 0}};
    struct net *r = star(x, 2, IW_NEVER, at_once, 3);
    assert_int_equal(r->seens, 1);
    assert_arrives(r, 0, 2, 6100 * NS);
    assert_int_equal(fabric_counts(r->f).failed, 2);
    assert_int_equal(fabric_link_stats(r->f, LAST).failed, 2);
    assert_int_equal(net_count(r, FABRIC_FAILED), 2);
    assert_int_equal(r->told[r->tolds - 1].kind, FABRIC_UP);
    assert_int_equal(r->told[r->tolds - 1].extra, 3750 * NS);
    net_free(r);
}

/* The port is busy with the packet that is lost until it would have left. */
TEST(a_link_that_is_up_at_once_sends_when_its_port_is_free)
{
    const struct fabric_change x[] = {{1250 * NS, LAST, FABRIC_GOES_DOWN, 0},
                                      {1260 * NS, LAST, FABRIC_GOES_UP, 0}};
    struct net *r = star(x, 2, IW_NEVER, at_once, 3);
    assert_int_equal(r->seens, 1);
    assert_arrives(r, 0, 2, 2400 * NS);
    net_free(r);
}

/* Arrivals come before changes of the same instant, and so do departures: 1 has just left. */
TEST(a_change_comes_after_all_else_of_its_instant)
{
    const struct fabric_change x[] = {{2200 * NS, LAST, FABRIC_GOES_DOWN, 0}};
    struct net *r = star(x, 1, IW_NEVER, at_once, 3);
    assert_int_equal(r->seens, 1);
    assert_arrives(r, 0, 0, 2200 * NS);
    assert_int_equal(fabric_counts(r->f).failed, 2);
    net_free(r);
}

/* 2 waits from 1.3 us on and is lost at 2.25 us; 3 comes at 4.1 us, when no way leads to host 1; 4 finds the link up. */
TEST(after_a_time_the_queue_is_lost_and_packets_without_a_way)
{
    static const iw_time at[] = {0, 0, 0, 3 * US, 6 * US};
    const struct fabric_change x[] = {{1250 * NS, LAST, FABRIC_GOES_DOWN, 0},
                                      {5 * US, LAST, FABRIC_GOES_UP, 0}};
    struct net *r = star(x, 2, US, at, 5);
    assert_int_equal(r->seens, 1);
    assert_arrives(r, 0, 4, 8200 * NS);
    assert_int_equal(fabric_counts(r->f).failed, 4);
    assert_int_equal(fabric_counts(r->f).rerouted, 0);
    for (size_t i = 0; i < r->tolds; i++)
        if (r->told[i].kind == FABRIC_AVOIDED)
            assert_int_equal(r->told[i].at, 2250 * NS);
    assert_int_equal(net_count(r, FABRIC_AVOIDED), 1);
    net_free(r);
}

/* 0 is lost on the wire of host 0; the others stay in the host. */
TEST(a_host_waits_while_its_own_link_is_down)
{
    for (int i = 0; i < 2; i++) {
        const struct fabric_change x[] = {{50 * NS, 0, FABRIC_GOES_DOWN, 0}, {3 * US, 0, FABRIC_GOES_UP, 0}};
        struct net *r = star(x, 2, i ? US : IW_NEVER, at_once, 3);
        assert_int_equal(r->seens, 2);
        assert_arrives(r, 0, 1, 5200 * NS);
        assert_arrives(r, 1, 2, 5300 * NS);
        assert_int_equal(fabric_counts(r->f).failed, 1);
        net_free(r);
    }
}

/* Of the link from host 0: 2 leaves at 200 ns and takes 1 us. */
TEST(a_rate_acts_from_the_next_packet)
{
    const struct fabric_change x[] = {{150 * NS, 0, FABRIC_GETS_RATE, 10 * GBPS}};
    struct net *r = star(x, 1, IW_NEVER, at_once, 3);
    assert_int_equal(r->seens, 3);
    assert_arrives(r, 1, 1, 2300 * NS);
    assert_arrives(r, 2, 2, 3300 * NS);
    assert_int_equal(fabric_link(r->f, 0).rate, 10 * GBPS);
    assert_int_equal(fabric_link(r->f, 1).rate, 100 * GBPS);
    net_free(r);
}

/* Ten packets at once, 100 ns apart, of 400 ns each on a link at a quarter of its rate; 20,000 octets of queue, marks from 10,000 on,
 * 200 octets of headers. A quarter of them: four packets wait, a mark is from 2,500 on, one header waits. The fourth, the fifth and
 * the sixth are marked, then one of those that find room when the second has left, and the third. Headers go before these. */
TEST(a_slow_links_queue_and_marks_shrink_with_its_rate)
{
    static const struct {
        bool scaled, trims;
        uint64_t rate[2];
        uint32_t marked, dropped, trimmed;
    } row[] = {
        {true, false, {50, 25}, 4, 3, 0},
        {true, true, {50, 25}, 4, 1, 3},
        {true, false, {25, 100}, 0, 0, 0}, /* as it was built again */
        {false, false, {50, 25}, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
        conf.hosts = 3;
        const struct fabric_change x[] = {{0, LAST, FABRIC_GETS_RATE, row[i].rate[0] * GBPS},
                                          {1 * NS, LAST, FABRIC_GETS_RATE, row[i].rate[1] * GBPS}};
        conf.change = x;
        conf.changes = 2;
        conf.slow_shrinks = row[i].scaled;
        conf.buffer = 20000;
        conf.ecn_threshold = 10000;
        conf.trim = row[i].trims;
        conf.trimmed = HEADER;
        conf.packet_head = HEADER - IP_HEAD;
        conf.trimming.headers = 200;
        struct net *r = net_make(&conf);
        net_connect(r, 0, 0, 1);
        for (int n = 0; n < 10; n++)
            net_offer(r, 0, 0, 0, OCTETS)->protocol = IP_PROTOCOL_EXPERIMENT;
        assert_int_equal(net_run(r), FABRIC_IDLE);
        assert_int_equal(fabric_counts(r->f).marked, row[i].marked);
        assert_int_equal(fabric_counts(r->f).dropped, row[i].dropped);
        assert_int_equal(fabric_counts(r->f).trimmed, row[i].trimmed);
        net_free(r);
    }
}

/* What two hold down is up when neither does. */
TEST(a_link_is_down_as_long_as_anybody_holds_it)
{
    const struct fabric_change x[] = {{1000 * NS, LAST, FABRIC_GOES_DOWN, 0},
                                      {2 * US, LAST, FABRIC_GOES_DOWN, 0},
                                      {3 * US, LAST, FABRIC_GOES_UP, 0},
                                      {4 * US, LAST, FABRIC_GOES_UP, 0}};
    struct net *r = star(x, 4, IW_NEVER, at_once, 1);
    assert_arrives(r, 0, 0, 5100 * NS);
    assert_int_equal(net_count(r, FABRIC_DOWN), 1);
    assert_int_equal(net_count(r, FABRIC_UP), 1);
    net_free(r);
}

/* ---- ways ---- */

enum { PATH = 8 };
struct path {
    uint32_t link[PATH], links;
};

static struct path path_of(struct fabric *f, uint32_t from, uint32_t to, uint32_t connection)
{
    struct path p = {.links = 0};
    const struct ip_packet packet = {.connection = connection};
    for (uint32_t node = from; node != to;) {
        uint32_t link = fabric_route(f, node, to, &packet);
        if (link == FABRIC_NO_LINK)
            return (struct path){.links = PATH};
        assert_true(p.links < PATH);
        p.link[p.links++] = link;
        node = fabric_link(f, link).to;
    }
    return p;
}

static bool takes(const struct path *p, uint32_t link)
{
    bool takes = false;
    for (uint32_t i = 0; i < p->links && i < PATH; i++)
        takes |= p->link[i] == link;
    return takes;
}

static struct net *with_dead_link(enum fabric_kind kind, uint32_t link, const struct fabric_line *line)
{
    const struct fabric_change x = {US, link, FABRIC_GOES_DOWN, 0};
    struct fabric_conf conf = fabric_conf_of(kind);
    conf.change = &x;
    conf.changes = 1;
    conf.file.hosts = conf.file.switches = conf.file.lines = line ? 4 : 0;
    conf.file.lines *= 2;
    conf.file.line = line;
    return net_make(&conf);
}

/* Every link between switches in its turn: nobody else's way changes, and all hosts are still reached, by as few links. */
TEST(only_ways_over_a_dead_link_change)
{
    static const enum fabric_kind kinds[] = {FABRIC_FAT_TREE, FABRIC_DRAGONFLY};
    for (size_t k = 0; k < 2; k++) {
        struct net *whole = with_dead_link(kinds[k], 0, NULL);
        uint32_t hosts = fabric_hosts(whole->f), changed = 0;
        for (uint32_t dead = hosts; dead < fabric_links(whole->f); dead += 3) {
            if (fabric_link(whole->f, dead).to < hosts)
                continue;
            struct net *r = with_dead_link(kinds[k], dead, NULL);
            fabric_run(r->f, US);
            for (uint32_t c = 0; c < 400; c++) {
                uint32_t from = c % hosts, to = (from + 1 + c * 5 % (hosts - 1)) % hosts;
                struct path before = path_of(whole->f, from, to, c), after = path_of(r->f, from, to, c);
                assert_true(after.links < PATH && !takes(&after, dead));
                if (!takes(&before, dead))
                    assert_memory_equal(&before, &after, sizeof before);
                changed += takes(&before, dead);
            }
            net_free(r);
        }
        assert_true(changed > 20);
        net_free(whole);
    }
}

static const struct fabric_line ring[] = {
    {0, 4, 100 * GBPS, US}, {1, 5, 100 * GBPS, US}, {2, 6, 100 * GBPS, US}, {3, 7, 100 * GBPS, US},
    {4, 5, 100 * GBPS, US}, {5, 6, 100 * GBPS, US}, {6, 7, 100 * GBPS, US}, {7, 4, 100 * GBPS, US}};

/* Four switches in a ring: from the first to the second by the other two. */
TEST(where_no_shortest_way_is_left_a_longer_one_is_taken)
{
    struct net *r = with_dead_link(FABRIC_FILE, 5, ring); /* ports of switch 4: host 0, switch 5, switch 7 */
    assert_int_equal(fabric_link(r->f, 5).to, 5);
    assert_int_equal(path_of(r->f, 0, 1, 0).links, 3);
    fabric_run(r->f, US);
    assert_int_equal(path_of(r->f, 0, 1, 0).links, 5);
    assert_int_equal(path_of(r->f, 1, 0, 0).links, 3); /* the other direction is up */
    net_free(r);
}

/* The other way fails, too, and comes back. */
TEST(what_is_known_of_ways_is_forgotten_with_each_link)
{
    const struct fabric_change x[] = {{US, 5, FABRIC_GOES_DOWN, 0},
                                      {2 * US, 6, FABRIC_GOES_DOWN, 0},
                                      {3 * US, 6, FABRIC_GOES_UP, 0},
                                      {4 * US, 5, FABRIC_GOES_UP, 0}};
    const uint32_t links[] = {5, PATH, 5, 3};
    struct fabric_conf conf = fabric_conf_of(FABRIC_FILE);
    conf.change = x;
    conf.changes = 4;
    conf.file.hosts = conf.file.switches = 4;
    conf.file.lines = 8;
    conf.file.line = ring;
    struct net *r = net_make(&conf);
    for (uint32_t i = 0; i < 4; i++) {
        fabric_run(r->f, (i + 1) * US);
        assert_int_equal(path_of(r->f, 0, 1, 0).links, links[i]);
    }
    net_free(r);
}

/* ---- drawn ---- */

/* Up for 3 ms and down for 1 ms in the mean: a quarter of the time, within four deviations of what 64 lines do in 200 ms. */
TEST(lines_fail_as_often_and_as_long_as_drawn)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    conf.hosts = 64;
    conf.failures.mtbf = 3 * MS;
    conf.failures.mttr = MS;
    conf.reroute_after = IW_NEVER;
    struct net *r = net_make(&conf), *again = net_make(&conf);
    fabric_run(r->f, 200 * MS);
    fabric_run(again->f, 200 * MS);
    iw_time down = 0;
    for (size_t i = 0; i < r->tolds; i++)
        down += r->told[i].extra;
    double share = (double)down / (2.0 * 64 * 200 * MS);
    assert_true(share > 0.23 && share < 0.27);
    assert_true(net_count(r, FABRIC_DOWN) > 2 * 64 * 44 && net_count(r, FABRIC_DOWN) < 2 * 64 * 56);
    assert_int_equal(r->tolds, again->tolds);
    assert_memory_equal(r->told, again->told, r->tolds * sizeof *r->told);
    net_free(r);
    net_free(again);
}
