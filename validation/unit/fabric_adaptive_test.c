/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adaptive routing, by hand: two leaves, two hosts each, joined by spines; each in both ways a queue can work. */
#include "fabric_rig.h"

enum { LEAVES = 2, HOSTS = 4, SPINES_MAX = 3, OCTETS = 1000, PACKETS = 12 };
enum { LEAF = HOSTS, SPINE = HOSTS + LEAVES };
static const iw_time SER = 80000; /* of 1000 octets at 100 Gb/s */

/* `up`: the rate of lines between leaves and spines. */
static struct fabric_conf leaf_spine(uint32_t spines, uint64_t up,
                                     struct fabric_line line[HOSTS + 2 * SPINES_MAX])
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_FILE);
    uint32_t n = 0;
    for (uint32_t h = 0; h < HOSTS; h++)
        line[n++] = (struct fabric_line){h, LEAF + h / 2, 100 * GBPS, US};
    for (uint32_t s = 0; s < spines; s++)
        for (uint32_t l = 0; l < LEAVES; l++)
            line[n++] = (struct fabric_line){LEAF + l, SPINE + s, up, US};
    conf.routing = FABRIC_ADAPTIVE;
    conf.trimmed = HEADER;
    conf.file.hosts = HOSTS;
    conf.file.switches = LEAVES + spines;
    conf.file.lines = n;
    conf.file.line = line;
    return conf;
}

/* The i-th link from the first leaf to a spine. */
static uint32_t up_link(const struct net *r, uint32_t i)
{
    return fabric_node(r->f, LEAF).first_link + 2 + i;
}

/* Hosts 0 and 1 send PACKETS back to back to hosts 2 and 3; what goes up is tapped. */
static struct net *two_flows(const struct fabric_conf *conf, uint32_t spines, uint32_t flows)
{
    struct net *r = net_make(conf);
    for (uint32_t c = 0; c < flows; c++) {
        net_connect(r, c, c, 2 + c);
        for (unsigned i = 0; i < PACKETS; i++)
            net_offer(r, 0, c, 0, OCTETS);
    }
    for (uint32_t s = 0; s < spines; s++)
        fabric_tap(r->f, up_link(r, s), true);
    net_run(r);
    assert_conserved(r->f);
    return r;
}

/* The uplink that a packet left by. */
static uint32_t taken(const struct net *r, uint32_t connection, uint32_t number)
{
    for (size_t i = 0; i < r->tappeds; i++) {
        const struct tapped *t = &r->taps[i];
        if (t->side == FABRIC_LEAVES && t->connection == connection && t->number == number)
            return t->link - up_link(r, 0);
    }
    fail();
    return 0;
}

/* Lines as fast as the hosts': of two packets that come at once each finds a free port, so nothing ever waits on the way,
 * and the last bit is there after four serializations and delays. */
TEST(two_flows_on_two_paths_never_wait)
{
    struct fabric_line line[HOSTS + 2 * SPINES_MAX];
    for (int k = 0; k < 4; k++) {
        struct fabric_conf conf = leaf_spine(2, 100 * GBPS, line);
        conf.trim = k % 2;
        conf.adaptive.sticky = k / 2 ? 0 : FABRIC_NOT_STICKY;
        struct net *r = two_flows(&conf, 2, 2);
        for (uint32_t i = 0; i < PACKETS; i++)
            assert_int_not_equal(taken(r, 0, i), taken(r, 1, i));
        assert_int_equal(r->seens, 2 * PACKETS);
        assert_int_equal(r->seen[r->seens - 1].at, (PACKETS - 1) * SER + 4 * (SER + US));
        for (uint32_t l = 0; l < fabric_links(r->f); l++)
            assert_int_equal(fabric_link_stats(r->f, l).queue_peak, 0);
        net_free(r);
    }
}

TEST(flows_that_stick_stay_where_nothing_waits)
{
    struct fabric_line line[HOSTS + 2 * SPINES_MAX];
    struct fabric_conf conf = leaf_spine(2, 100 * GBPS, line);
    conf.adaptive.sticky = 0;
    struct net *r = two_flows(&conf, 2, 2);
    for (uint32_t c = 0; c < 2; c++)
        for (uint32_t i = 1; i < PACKETS; i++)
            assert_int_equal(taken(r, c, i), taken(r, c, 0));
    net_free(r);
}

/* A step larger than any queue: all are equal, and a packet takes the path that spraying draws for it. */
TEST(in_large_steps_it_is_a_spray)
{
    struct fabric_line line[HOSTS + 2 * SPINES_MAX];
    struct fabric_conf conf = leaf_spine(3, 10 * GBPS, line), spray = conf;
    conf.adaptive.quantum = 1 << 30;
    spray.routing = FABRIC_SPRAY;
    struct net *r = two_flows(&conf, 3, 2), *s = two_flows(&spray, 3, 2);
    for (uint32_t c = 0; c < 2; c++)
        for (uint32_t i = 0; i < PACKETS; i++)
            assert_int_equal(taken(r, c, i), taken(s, c, i));
    net_free(r);
    net_free(s);
}

/* Three lines of a tenth of the rate: whatever is drawn, no port gets two packets more than another. */
TEST(the_shortest_queue_is_next)
{
    struct fabric_line line[HOSTS + 2 * SPINES_MAX];
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = leaf_spine(3, 10 * GBPS, line);
        conf.trim = by_event;
        struct net *r = two_flows(&conf, 3, 2);
        uint32_t sent[SPINES_MAX] = {0};
        for (uint32_t i = 0; i < PACKETS; i++) {
            sent[taken(r, 0, i)]++;
            sent[taken(r, 1, i)]++;
            for (unsigned a = 0; a < SPINES_MAX; a++)
                for (unsigned b = 0; b < SPINES_MAX; b++)
                    assert_true(sent[a] <= sent[b] + 1);
        }
        net_free(r);
    }
}

/* Lines at a quarter of the rate: a packet of 1000 octets comes in the time in which 250 leave. A flow that stays while at
 * most 3000 octets more are to be sent than on the other path finds 750 i before its i-th packet there: 0 .. 3000 stay, and
 * the sixth (3750) goes to the other, where 750 j wait and 3750 - 250 j are left behind; 750 j <= 6750 - 250 j holds
 * for j = 0 .. 6. So five packets take the first way and seven the second. */
TEST(a_flow_stays_as_long_as_it_is_told_to)
{
    struct fabric_line line[HOSTS + 2 * SPINES_MAX];
    for (int by_event = 0; by_event < 2; by_event++) {
        struct fabric_conf conf = leaf_spine(2, 25 * GBPS, line);
        conf.trim = by_event;
        conf.adaptive.sticky = 3000;
        struct net *r = two_flows(&conf, 2, 1);
        uint32_t first = taken(r, 0, 0);
        for (uint32_t i = 0; i < PACKETS; i++)
            assert_int_equal(taken(r, 0, i), i < 5 ? first : 1 - first);
        net_free(r);
    }
}

TEST(steps_of_nothing_are_refused)
{
    struct fabric_line line[HOSTS + 2 * SPINES_MAX];
    struct fabric_conf conf = leaf_spine(2, 25 * GBPS, line);
    conf.adaptive.quantum = 0;
    assert_int_equal(fabric_size(&conf), 0);
    assert_non_null(strstr(fabric_conf_error(&conf), "steps"));
}
