/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Routes: every host is reached from every other by shortest paths, flows keep theirs, sprays use all alike. */
#include "fabric_rig.h"

/* From host to host by fabric_route(), link by link: how many; each link begins where the one before ended. */
static uint32_t walk_of(struct fabric *f, uint32_t from, uint32_t to, const struct ip_packet *packet,
                        uint32_t path[8])
{
    uint32_t node = from, hops = 0;
    while (node != to) {
        uint32_t link = fabric_route(f, node, to, packet);
        assert_true(link < fabric_links(f) && hops < 8);
        struct fabric_link l = fabric_link(f, link);
        assert_int_equal(l.from, node);
        assert_int_equal(fabric_link(f, l.reverse).reverse, link);
        assert_int_equal(fabric_node(f, l.from).first_link + l.from_port, link);
        path[hops++] = link;
        node = l.to;
    }
    return hops;
}

static uint32_t walk(struct fabric *f, uint32_t from, uint32_t to, uint32_t connection, uint32_t number,
                     uint32_t path[8])
{
    const struct ip_packet packet = {.connection = connection, .number = number};
    return walk_of(f, from, to, &packet, path);
}

/* Distances between all nodes over switches alone, by Floyd and Warshall: nothing of the world's own. */
static uint8_t *distances(const struct fabric *f)
{
    uint32_t n = fabric_nodes(f);
    uint8_t *d = malloc((size_t)n * n);
    memset(d, 100, (size_t)n * n);
    for (uint32_t i = 0; i < n; i++)
        d[i * n + i] = 0;
    for (uint32_t l = 0; l < fabric_links(f); l++)
        d[fabric_link(f, l).from * n + fabric_link(f, l).to] = 1;
    for (uint32_t k = fabric_hosts(f); k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; d[i * n + k] < 100 && j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = (uint8_t)(d[i * n + k] + d[k * n + j]);
    return d;
}

/* From each port of a host. */
static void assert_shortest_between(struct fabric *f, const uint8_t *d, uint32_t from, uint32_t to)
{
    struct fabric_node n = fabric_node(f, from);
    uint32_t path[8];
    for (uint32_t i = 0; i < n.links; i++)
        for (uint32_t c = 0; c < 3; c++) {
            const struct ip_packet packet = {.connection = c, .number = c, .port = (uint8_t)i};
            uint32_t next = fabric_link(f, n.first_link + i).to;
            assert_int_equal(walk_of(f, from, to, &packet, path), 1 + d[next * fabric_nodes(f) + to]);
        }
}

static void assert_shortest(const struct fabric_conf *conf)
{
    struct net *r = net_make(conf);
    uint8_t *d = distances(r->f);
    uint32_t hosts = fabric_hosts(r->f);
    for (uint32_t from = 0; from < hosts; from++)
        for (uint32_t to = 0; to < hosts; to++)
            if (from != to)
                assert_shortest_between(r->f, d, from, to);
    free(d);
    net_free(r);
}

TEST(every_host_of_a_fat_tree_is_reached_by_a_shortest_path)
{
    for (uint32_t k = 2; k <= 8; k += 2) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
        conf.fat_tree.k = k;
        conf.routing = k % 4 == 0 ? FABRIC_SPRAY : FABRIC_FLOW_HASH;
        assert_shortest(&conf);
    }
}

TEST(a_fat_tree_has_the_nodes_and_links_that_it_is_known_for)
{
    for (uint32_t k = 2; k <= 64; k += k < 16 ? 2 : 16) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
        conf.fat_tree.k = k;
        struct net *r = net_make(&conf);
        uint32_t tiers[6] = {0}, path[8], hosts = k * k * k / 4;
        assert_int_equal(fabric_hosts(r->f), hosts);
        assert_int_equal(fabric_links(r->f), 6 * hosts); /* three lines for each host */
        for (uint32_t n = 0; n < fabric_nodes(r->f); n++) {
            struct fabric_node node = fabric_node(r->f, n);
            assert_int_equal(node.index, tiers[node.tier]++);
            assert_int_equal(node.links, node.tier == FABRIC_HOST ? 1 : k);
        }
        assert_int_equal(tiers[FABRIC_HOST], hosts);
        assert_int_equal(tiers[FABRIC_EDGE], k * k / 2);
        assert_int_equal(tiers[FABRIC_AGGREGATION], k * k / 2);
        assert_int_equal(tiers[FABRIC_CORE], k * k / 4);
        for (uint32_t i = 0; i < 1000 && hosts > 2; i++) { /* 2, 4 or 6 hops: same edge, same pod, any */
            uint32_t a = (uint32_t)(channel_draw(k, i) % hosts),
                     b = (uint32_t)(channel_draw(k, i + 1000) % hosts);
            if (a != b)
                assert_int_equal(walk(r->f, a, b, i, 0, path), a / (k / 2) == b / (k / 2)           ? 2
                                                               : a / (k * k / 4) == b / (k * k / 4) ? 4
                                                                                                    : 6);
        }
        net_free(r);
    }
}

/* A local hop, a global one, a local one: never more than three between routers, and no other way is shorter where
 * groups are joined by one line. */
TEST(a_dragonfly_is_crossed_in_three_hops_between_routers)
{
    static const struct {
        uint32_t groups, routers, hosts, globals;
    } cases[] = {{9, 4, 2, 2}, {5, 2, 1, 2}, {3, 4, 2, 2}, {2, 3, 2, 1},
                 {1, 4, 2, 0}, {4, 3, 3, 2}, {33, 8, 1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_DRAGONFLY);
        conf.dragonfly.groups = cases[i].groups;
        conf.dragonfly.routers = cases[i].routers;
        conf.dragonfly.hosts = cases[i].hosts;
        conf.dragonfly.globals = cases[i].globals;
        struct net *r = net_make(&conf);
        uint32_t hosts = fabric_hosts(r->f), path[8], group = cases[i].routers * cases[i].hosts;
        assert_int_equal(hosts, cases[i].groups * group);
        for (uint32_t a = 0; a < hosts; a += 1 + hosts / 100)
            for (uint32_t b = 0; b < hosts; b++) {
                if (a == b)
                    continue;
                uint32_t hops = walk(r->f, a, b, a, b, path), crossed = 0;
                for (uint32_t n = 1; n + 1 < hops; n++) {
                    struct fabric_link l = fabric_link(r->f, path[n]);
                    crossed += fabric_node(r->f, l.from).index / cases[i].routers !=
                               fabric_node(r->f, l.to).index / cases[i].routers;
                }
                assert_true(hops <= 5);
                assert_int_equal(crossed, a / group != b / group);
            }
        for (uint32_t l = 0; l < fabric_links(r->f); l++) { /* every port is joined, both ways */
            struct fabric_link to = fabric_link(r->f, l);
            assert_int_equal(fabric_link(r->f, to.reverse).reverse, l);
            assert_int_not_equal(to.from, to.to);
        }
        net_free(r);
    }
}

/* Random connected networks with parallel lines and circles, and hosts of one to three ports, wherever those are; of every other
 * network as many each, else as drawn. */
TEST(a_described_network_is_crossed_by_shortest_paths)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct fabric_line line[140];
        struct fabric_conf conf = fabric_conf_of(FABRIC_FILE);
        conf.file.ports = (uint32_t)seed % 3 + 1;
        uint32_t hosts = 2 + (uint32_t)(channel_draw(seed, 0) % 12),
                 switches = 1 + (uint32_t)(channel_draw(seed, 1) % 12);
        uint32_t n = 0;
        for (uint32_t s = 1; s < switches; s++)
            line[n++] =
                (struct fabric_line){hosts + s, hosts + (uint32_t)(channel_draw(seed, n + 2) % s), GBPS, NS};
        uint8_t own[14];
        for (uint32_t h = 0; h < hosts; h++)
            own[h] =
                (uint8_t)(seed % 2 ? conf.file.ports : 1 + channel_draw(seed, 400 + h) % conf.file.ports);
        conf.file.own_ports = seed % 2 ? NULL : own;
        for (uint32_t h = 0; h < conf.file.ports * hosts; h++)
            if (h / hosts < own[h % hosts])
                line[n++] = (struct fabric_line){
                    h % hosts, hosts + (uint32_t)(channel_draw(seed, n + 2) % switches), GBPS, NS};
        for (uint32_t more = (uint32_t)(channel_draw(seed, 500) % 80); switches > 1 && more--; n++) {
            uint32_t a = (uint32_t)(channel_draw(seed, n + 600) % switches);
            uint32_t b = (a + 1 + (uint32_t)(channel_draw(seed, n + 900) % (switches - 1))) % switches;
            line[n] = (struct fabric_line){hosts + a, hosts + b, GBPS, NS};
        }
        conf.file.hosts = hosts;
        conf.file.switches = switches;
        conf.file.lines = n;
        conf.file.line = line;
        assert_shortest(&conf);
    }
}

/* Two networks of two switches; the last line is of the last host's port in the second. */
TEST(switches_may_be_several_networks_with_a_port_of_each_host)
{
    struct fabric_line line[] = {{3, 4, GBPS, NS}, {5, 6, GBPS, NS}, {0, 3, GBPS, NS}, {0, 5, GBPS, NS},
                                 {1, 6, GBPS, NS}, {1, 4, GBPS, NS}, {2, 4, GBPS, NS}, {2, 6, GBPS, NS}};
    struct fabric_conf conf = fabric_conf_of(FABRIC_FILE);
    conf.file.hosts = 3;
    conf.file.switches = 4;
    conf.file.ports = 2;
    conf.file.lines = 8;
    conf.file.line = line;
    assert_shortest(&conf);
    line[7].b = 3; /* two in the first */
    void *memory = malloc(fabric_size(&conf));
    assert_null(fabric_init(memory, &conf));
    line[7] = (struct fabric_line){1, 6, GBPS, NS}; /* another host has three */
    assert_null(fabric_init(memory, &conf));
    free(memory);
}

/* More than 64 ports at a switch: masks of several words. All of 100 parallel lines are used alike. */
TEST(parallel_lines_share_what_goes_their_way)
{
    struct fabric_line line[102];
    struct fabric_conf conf = fabric_conf_of(FABRIC_FILE);
    conf.routing = FABRIC_SPRAY;
    line[0] = (struct fabric_line){0, 2, GBPS, NS};
    line[1] = (struct fabric_line){1, 3, GBPS, NS};
    for (uint32_t i = 2; i < 102; i++)
        line[i] = (struct fabric_line){2, 3, GBPS, NS};
    conf.file.hosts = conf.file.switches = 2;
    conf.file.lines = 102;
    conf.file.line = line;
    struct net *r = net_make(&conf);
    uint32_t used[1000] = {0}, path[8];
    for (uint32_t n = 0; n < 20000; n++) {
        assert_int_equal(walk(r->f, 0, 1, 0, n, path), 3);
        used[path[1]]++;
    }
    double chi = 0;
    uint32_t first = fabric_node(r->f, 2).first_link + 1;
    for (uint32_t i = 0; i < 100; i++)
        chi += (used[first + i] - 200.0) * (used[first + i] - 200.0) / 200;
    assert_true(chi < 149 && chi > 60); /* 99 degrees of freedom: 0.1 % lie above, 0.1 % below */
    net_free(r);
    conf.routing = FABRIC_FLOW_HASH; /* flows: the first packet's path is that of all */
    r = net_make(&conf);
    walk(r->f, 0, 1, 3, 0, path);
    for (uint32_t n = 1, always = path[1]; n < 100; n++) {
        walk(r->f, 0, 1, 3, n, path);
        assert_int_equal(path[1], always);
    }
    net_free(r);
}

/* ---- choices ---- */

enum { K = 8, PATHS = 16, PACKETS = 16000 };

/* Which of the sixteen cores a packet from host 0 to the last one passes. */
static uint32_t core_of_packet(const struct net *r, const struct ip_packet *packet)
{
    uint32_t path[8];
    assert_int_equal(walk_of(r->f, 0, fabric_hosts(r->f) - 1, packet, path), 6);
    struct fabric_node n = fabric_node(r->f, fabric_link(r->f, path[2]).to);
    assert_int_equal(n.tier, FABRIC_CORE);
    return n.index;
}

static uint32_t core_of(const struct net *r, uint32_t connection, uint32_t number)
{
    const struct ip_packet packet = {.connection = connection, .number = number};
    return core_of_packet(r, &packet);
}

static double chi_square(const uint32_t used[PATHS])
{
    double chi = 0, each = (double)PACKETS / PATHS;
    for (unsigned i = 0; i < PATHS; i++)
        chi += (used[i] - each) * (used[i] - each) / each;
    return chi;
}

static struct net *tree(enum fabric_routing routing, uint64_t seed, uint32_t repeat)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
    conf.fat_tree.k = K;
    conf.routing = routing;
    conf.seed = seed;
    conf.repeat = repeat;
    conf.connections = PACKETS;
    return net_make(&conf);
}

/* 15 degrees of freedom: 37.7 is passed by one in a thousand, 3.5 missed by one in a thousand. */
TEST(a_spray_uses_all_paths_alike)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct net *r = tree(FABRIC_SPRAY, seed, 0);
        uint32_t used[PATHS] = {0};
        for (uint32_t n = 0; n < PACKETS; n++)
            used[core_of(r, 3, n)]++;
        assert_true(chi_square(used) < 37.7 && chi_square(used) > 3.5);
        net_free(r);
    }
}

TEST(flows_use_all_paths_alike_and_each_keeps_its_own)
{
    struct net *r = tree(FABRIC_FLOW_HASH, 1, 0);
    uint32_t used[PATHS] = {0};
    for (uint32_t c = 0; c < PACKETS; c++) {
        uint32_t core = core_of(r, c, 0);
        used[core]++;
        for (uint32_t n = 1; n < 4; n++)
            assert_int_equal(core_of(r, c, n), core);
    }
    assert_true(chi_square(used) < 37.7 && chi_square(used) > 3.5);
    net_free(r);
}

/* No value is the flow's own path; a value keeps its path, whatever the packet's number. */
TEST(by_entropy_a_path_is_a_value_of_its_sender)
{
    struct net *flows = tree(FABRIC_FLOW_HASH, 1, 0), *r = tree(FABRIC_ENTROPY, 1, 0);
    for (uint32_t c = 0; c < 64; c++) {
        assert_int_equal(core_of(r, c, 9), core_of(flows, c, 0));
        for (uint16_t v = 1; v < 8; v++) {
            const struct ip_packet one = {.connection = c, .number = 1, .entropy = v};
            const struct ip_packet other = {.connection = c, .number = 2, .entropy = v};
            assert_int_equal(core_of_packet(r, &one), core_of_packet(r, &other));
        }
    }
    net_free(flows);
    net_free(r);
}

/* N values drawn on m paths reach m (1 - (1 - 1/m)^N) of them on average: here the mean over 1,000 flows, whose standard
 * deviation is below 0.04. */
TEST(values_reach_as_many_paths_as_their_hash_says)
{
    static const struct {
        uint16_t values;
        double reached; /* of sixteen, by hand */
    } cases[] = {{1, 1}, {2, 1.9375}, {8, 6.4525}, {16, 10.3029}, {64, 15.7430}};
    struct net *r = tree(FABRIC_ENTROPY, 3, 0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t reached = 0;
        for (uint32_t c = 0; c < 1000; c++) {
            uint32_t cores = 0;
            for (uint16_t v = 1; v <= cases[i].values; v++) {
                const struct ip_packet packet = {.connection = c, .entropy = v};
                cores |= 1u << core_of_packet(r, &packet);
            }
            for (; cores; cores &= cores - 1)
                reached++;
        }
        assert_true(reached / 1000.0 > cases[i].reached - 0.12 && reached / 1000.0 < cases[i].reached + 0.12);
    }
    net_free(r);
}

TEST(another_seed_or_repeat_draws_other_paths)
{
    struct net *r = tree(FABRIC_FLOW_HASH, 1, 0), *same = tree(FABRIC_FLOW_HASH, 1, 0),
               *seed = tree(FABRIC_FLOW_HASH, 2, 0), *repeat = tree(FABRIC_FLOW_HASH, 1, 1);
    uint32_t by_seed = 0, by_repeat = 0;
    for (uint32_t c = 0; c < 1600; c++) {
        assert_int_equal(core_of(r, c, 0), core_of(same, c, 0));
        by_seed += core_of(r, c, 0) == core_of(seed, c, 0);
        by_repeat += core_of(r, c, 0) == core_of(repeat, c, 0);
    }
    assert_in_range(by_seed, 60, 140); /* one in sixteen, by chance */
    assert_in_range(by_repeat, 60, 140);
    net_free(r);
    net_free(same);
    net_free(seed);
    net_free(repeat);
}

/* What travels takes the links that fabric_route() names, in both directions. */
TEST(packets_take_the_route_that_is_told)
{
    for (int routing = 0; routing < FABRIC_ROUTINGS; routing++) {
        struct net *r = tree((enum fabric_routing)routing, 7, 0);
        uint32_t last = fabric_hosts(r->f) - 1;
        net_connect(r, 5, 0, last);
        for (uint32_t l = 0; l < fabric_links(r->f); l++)
            fabric_tap(r->f, l, true);
        for (unsigned i = 0; i < 40; i++)
            net_offer(r, 0, 5, i % 2, 1000)->entropy = (uint16_t)(i / 2 % 7);
        net_run(r);
        assert_int_equal(r->tappeds, 40 * 12);
        for (size_t i = 0; i < r->tappeds; i++) {
            struct fabric_link l = fabric_link(r->f, r->taps[i].link);
            bool found = false;
            for (uint8_t d = 0; d < 2; d++) {
                const struct ip_packet packet = {.connection = 5,
                                                 .direction = d,
                                                 .number = r->taps[i].number,
                                                 .entropy = (uint16_t)(r->taps[i].number % 7)};
                found |= fabric_route(r->f, l.from, d ? 0 : last, &packet) == r->taps[i].link;
            }
            assert_true(found);
        }
        net_free(r);
    }
}
