/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws of a path are uniform and independent of each other: over packets, switches, connections, directions and seeds. Each
 * test fills tables of two choices and asks Pearson's chi-square; the seeds are fixed, so it passes always or never. */
#include "fabric_rig.h"

enum { K = 8, WAYS = K / 2, DRAWS = 1 << 14, LAGS = 16 };

/* Degrees of freedom 15, of which one in 2 million draws of a fair die is worse. Some 300 tables are asked. */
static const double WORST = 57;

struct die {
    struct net *net;
    uint32_t node; /* a switch with WAYS ways up */
};

static struct net *tree_of(uint64_t seed, bool spray)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
    conf.fat_tree.k = K;
    conf.seed = seed;
    conf.routing = spray ? FABRIC_SPRAY : FABRIC_FLOW_HASH;
    return net_make(&conf);
}

/* Edges first, then aggregations: all have to go up to reach the host at the other end. */
static struct die die_of(struct net *net, uint32_t number)
{
    return (struct die){net, fabric_hosts(net->f) + number};
}

static uint32_t throw(struct die d, uint32_t connection, uint8_t direction, uint32_t number)
{
    uint32_t far = fabric_hosts(d.net->f) - 1;
    const struct ip_packet packet = {
        .connection = connection, .direction = direction, .number = number, .entropy = (uint16_t)number};
    uint32_t link = fabric_route(d.net->f, d.node, far, &packet);
    return fabric_link(d.net->f, link).from_port - WAYS;
}

struct table {
    uint32_t count[WAYS][WAYS];
};

static void note(struct table *t, uint32_t a, uint32_t b)
{
    assert_true(a < WAYS && b < WAYS);
    t->count[a][b]++;
}

/* Against all pairs alike: neither of the two is lopsided, and neither says anything of the other. */
static void assert_independent(const struct table *t, const char *what, uint32_t which)
{
    double expected = (double)DRAWS / (WAYS * WAYS), sum = 0;
    for (int a = 0; a < WAYS; a++)
        for (int b = 0; b < WAYS; b++)
            sum += (t->count[a][b] - expected) * (t->count[a][b] - expected) / expected;
    if (sum >= WORST)
        print_error("%s, %u: chi-square %.1f with 15 degrees of freedom\n", what, which, sum);
    assert_true(sum < WORST);
}

TEST(packets_of_a_connection_are_independent)
{
    struct net *net = tree_of(1, true);
    for (uint32_t s = 0; s < 2 * WAYS; s++)
        for (uint32_t lag = 1; lag <= LAGS; lag++) {
            struct die d = die_of(net, s);
            struct table t = {0};
            for (uint32_t n = 0; n < DRAWS; n++)
                note(&t, throw(d, 3, 0, n), throw(d, 3, 0, n + lag));
            assert_independent(&t, "packets so far apart", lag);
        }
    net_free(net);
}

/* Both directions' packets are numbered from 0; those of acknowledgements go every second one, or in bursts. */
TEST(every_second_and_every_power_of_two_packet_is_too)
{
    struct net *net = tree_of(2, true);
    for (uint32_t shift = 1; shift < 16; shift++) {
        struct die d = die_of(net, shift % WAYS);
        struct table t = {0};
        for (uint32_t n = 0; n < DRAWS; n++)
            note(&t, throw(d, 7, 1, n << shift), throw(d, 7, 1, (n << shift) + 1));
        assert_independent(&t, "multiples of two to the power of", shift);
    }
    net_free(net);
}

TEST(switches_are_independent)
{
    struct net *net = tree_of(3, true);
    const uint32_t edges = K * WAYS;
    for (uint32_t a = 0; a < WAYS; a++)
        for (uint32_t b = 0; b < WAYS; b++) {
            struct table up = {0}, beside = {0};
            for (uint32_t n = 0; n < DRAWS; n++) {
                note(&up, throw(die_of(net, a), 5, 0, n), throw(die_of(net, edges + b), 5, 0, n));
                note(&beside, throw(die_of(net, a), 5, 0, n), throw(die_of(net, a + 1 + b), 5, 0, n));
            }
            assert_independent(&up, "an edge and an aggregation above it", b);
            assert_independent(&beside, "an edge and another one", b);
        }
    net_free(net);
}

TEST(connections_and_directions_are_independent)
{
    struct net *net = tree_of(4, true);
    for (uint32_t c = 0; c < 64; c++) {
        struct die d = die_of(net, c % WAYS);
        struct table t = {0}, back = {0};
        for (uint32_t n = 0; n < DRAWS; n++) {
            note(&t, throw(d, c, 0, n), throw(d, c + 1, 0, n));
            note(&back, throw(d, c, 0, n), throw(d, c, 1, n));
        }
        assert_independent(&t, "two connections, the first of them", c);
        assert_independent(&back, "the directions of connection", c);
    }
    net_free(net);
}

/* A hash of flows draws once for each connection. */
TEST(flows_are_independent)
{
    struct net *net = tree_of(5, false);
    const uint32_t edges = K * WAYS;
    for (uint32_t s = 0; s < WAYS; s++) {
        struct table next = {0}, up = {0}, back = {0};
        for (uint32_t c = 0; c < DRAWS; c++) {
            struct die edge = die_of(net, s), above = die_of(net, edges + s);
            note(&next, throw(edge, c, 0, 0), throw(edge, c + 1, 0, 0));
            note(&up, throw(edge, c, 0, 0), throw(above, c, 0, 0));
            note(&back, throw(edge, c, 0, 0), throw(edge, c, 1, 0));
            assert_int_equal(throw(edge, c, 0, 0), throw(edge, c, 0, 12345));
        }
        assert_independent(&next, "neighbouring connections at edge", s);
        assert_independent(&up, "an edge and an aggregation", s);
        assert_independent(&back, "both directions at edge", s);
    }
    net_free(net);
}

TEST(seeds_are_independent)
{
    for (uint64_t seed = 0; seed < 16; seed++) {
        struct net *one = tree_of(seed, true), *other = tree_of(seed + 1, true);
        struct table t = {0};
        for (uint32_t n = 0; n < DRAWS; n++)
            note(&t, throw(die_of(one, 0), 0, 0, n), throw(die_of(other, 0), 0, 0, n));
        assert_independent(&t, "neighbouring seeds", (uint32_t)seed);
        net_free(one);
        net_free(other);
    }
}
