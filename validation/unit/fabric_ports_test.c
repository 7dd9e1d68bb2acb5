/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts with several ports around a switch: each port sends by itself, and each link to a host is a way there. */
#include "fabric_rig.h"

enum { PORTS = 4, OCTETS = 1000 };
static const iw_time SER = 80000; /* of 1000 octets at 100 Gb/s */

static struct fabric_conf star(uint32_t ports, enum fabric_routing routing)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    conf.ports = ports;
    conf.routing = routing;
    return conf;
}

/* As many packets at once as four ports can send; they come together, or one behind the other. */
TEST(each_port_sends_by_itself)
{
    for (uint32_t ports = 1; ports <= PORTS; ports *= 2) {
        struct fabric_conf conf = star(ports, FABRIC_ADAPTIVE);
        struct net *r = net_make(&conf);
        uint32_t used = 0;
        net_connect(r, 0, 1, 6);
        for (uint32_t i = 0; i < PORTS; i++)
            net_offer(r, 0, 0, 0, OCTETS);
        assert_int_equal(net_run(r), FABRIC_IDLE);
        assert_int_equal(r->seens, PORTS);
        for (uint32_t i = 0; i < PORTS; i++) {
            assert_int_equal(r->seen[i].at, 2 * (SER + US) + i / ports * SER);
            used |= 1u << r->seen[i].port;
        }
        assert_int_equal(used, (1u << ports) - 1);
        for (uint32_t l = 0; l < fabric_links(r->f); l++)
            assert_int_equal(fabric_link_stats(r->f, l).queue_peak, 0);
        assert_conserved(r->f);
        net_free(r);
    }
}

/* The links of a host are numbered together, and so are those that lead back. */
TEST(ports_are_numbered_host_by_host)
{
    struct fabric_conf conf = star(3, FABRIC_FLOW_HASH);
    struct net *r = net_make(&conf);
    assert_int_equal(fabric_links(r->f), 2 * 3 * conf.hosts);
    for (uint32_t l = 0; l < 3 * conf.hosts; l++) {
        struct fabric_link out = fabric_link(r->f, l), back = fabric_link(r->f, out.reverse);
        assert_int_equal(out.from, l / 3);
        assert_int_equal(out.from_port, l % 3);
        assert_int_equal(out.to, conf.hosts);
        assert_int_equal(back.to, l / 3);
        assert_int_equal(back.to_port, l % 3);
    }
    assert_int_equal(fabric_node(r->f, 2).first_link, 6);
    assert_int_equal(fabric_node(r->f, 2).links, 3);
    net_free(r);
}

/* A flow has one of the links to its host, values each theirs. */
TEST(links_to_a_host_are_equal_ways)
{
    struct fabric_conf conf = star(PORTS, FABRIC_ENTROPY);
    struct net *r = net_make(&conf);
    uint32_t used = 0;
    for (uint16_t v = 0; v < 64; v++) {
        const struct ip_packet packet = {.connection = 3, .entropy = v, .number = v};
        const struct ip_packet again = {.connection = 3, .entropy = v, .number = v + 1u, .port = 2};
        uint32_t link = fabric_route(r->f, conf.hosts, 5, &packet);
        assert_int_equal(link, fabric_route(r->f, conf.hosts, 5, &again));
        assert_int_equal(fabric_link(r->f, link).to, 5);
        assert_int_equal(fabric_route(r->f, 4, 5, &again), 4 * PORTS + 2);
        used |= 1u << fabric_link(r->f, link).to_port;
    }
    assert_int_equal(used, (1u << PORTS) - 1);
    net_free(r);
}

/* From any port to any host: as many links as it should be, and there by the same port; by each spine, with as many values. */
static void assert_apart(const struct fabric_conf *conf, uint32_t spines)
{
    struct net *r = net_make(conf);
    uint64_t used = 0;
    for (uint32_t to = 1; to < conf->hosts; to++)
        for (uint32_t i = 0; i < 64 * conf->planes.count; i++) {
            const struct ip_packet packet = {.port = (uint8_t)(i % conf->planes.count),
                                             .entropy = (uint16_t)i};
            struct fabric_link l = fabric_link(r->f, fabric_route(r->f, 0, to, &packet));
            uint32_t hops = 1;
            for (; l.to >= conf->hosts; hops++) {
                struct fabric_node n = fabric_node(r->f, l.to);
                assert_int_equal(n.plane, packet.port);
                used |= (uint64_t)(n.tier == FABRIC_SPINE) << (n.plane * spines + n.index);
                l = fabric_link(r->f, fabric_route(r->f, l.to, to, &packet));
            }
            assert_int_equal(hops, fabric_hops(conf, 0, to));
            assert_true(l.to == to && l.to_port == packet.port);
        }
    assert_int_equal(used, (UINT64_C(1) << conf->planes.count * spines) - 1);
    net_free(r);
}

TEST(planes_share_nothing_but_their_hosts)
{
    static const struct {
        uint32_t hosts, planes, radix, leaves, spines;
    } cases[] = {{2, 1, 2, 1, 0}, {8, 8, 8, 1, 0}, {8, 8, 4, 4, 2}, {9, 3, 6, 3, 3}, {18, 2, 6, 6, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_PLANES);
        uint32_t leaves = cases[i].leaves, spines = cases[i].spines, planes = cases[i].planes;
        conf.hosts = cases[i].hosts;
        conf.planes.count = planes;
        conf.planes.radix = cases[i].radix;
        conf.routing = FABRIC_ENTROPY;
        assert_apart(&conf, spines);
        struct net *r = net_make(&conf);
        assert_int_equal(fabric_links(r->f), 2 * planes * (conf.hosts + leaves * spines));
        assert_int_equal(fabric_nodes(r->f), conf.hosts + planes * (leaves + spines));
        assert_int_equal(fabric_farthest(&conf), spines ? 4 : 2);
        net_free(r);
    }
}

TEST(planes_that_cannot_be_are_refused)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_PLANES);
    const char *keys;
    conf.hosts = 9; /* 4 * 4 / 2 fit */
    assert_non_null(strstr(fabric_network_error(&conf, &keys), "two tiers"));
    conf.planes.radix = 5;
    assert_non_null(strstr(fabric_network_error(&conf, &keys), "must be even"));
    conf.planes.count = 9;
    assert_non_null(strstr(fabric_network_error(&conf, &keys), "eight ports"));
    conf = (struct fabric_conf){.kind = FABRIC_PLANES, .planes = {2, 4}, .hosts = 1};
    assert_non_null(strstr(fabric_network_error(&conf, &keys), "2 to 2^20 hosts"));
}

/* An edge of a fat tree has all ports of its hosts, and what is above it no more than ever. */
TEST(a_host_of_a_fat_tree_has_its_ports_at_its_edge)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
    conf.ports = PORTS;
    conf.routing = FABRIC_ENTROPY;
    struct net *r = net_make(&conf);
    uint32_t hosts = fabric_hosts(r->f), used = 0;
    assert_int_equal(fabric_links(r->f), 2 * (PORTS * hosts + 2 * hosts));
    for (uint32_t h = 0; h < hosts; h++)
        for (uint32_t p = 0; p < PORTS; p++) {
            struct fabric_link l = fabric_link(r->f, h * PORTS + p);
            assert_true(l.from == h && l.from_port == p && l.to == hosts + h / 2);
        }
    for (uint16_t v = 0; v < 64; v++) {
        const struct ip_packet packet = {.connection = 3, .entropy = v};
        uint32_t path[8] = {fabric_route(r->f, 0, 15, &packet)}, n = 0;
        while (fabric_link(r->f, path[n]).to != 15 && n < 7) {
            path[n + 1] = fabric_route(r->f, fabric_link(r->f, path[n]).to, 15, &packet);
            n++;
        }
        assert_int_equal(n, 5);
        used |= 1u << fabric_link(r->f, path[n]).to_port;
    }
    assert_int_equal(used, (1u << PORTS) - 1);
    net_free(r);
}

/* Two packets, one after the other, leave a host that is idle by two ports. */
TEST(the_ports_of_an_idle_host_take_turns)
{
    struct fabric_conf conf = star(PORTS, FABRIC_FLOW_HASH);
    struct net *r = net_make(&conf);
    uint32_t used = 0;
    net_connect(r, 0, 1, 6);
    for (uint32_t i = 0; i < PORTS; i++) {
        net_offer(r, 0, 0, 0, OCTETS);
        net_run(r);
    }
    for (uint32_t p = 0; p < PORTS; p++)
        used |= (uint32_t)fabric_link_stats(r->f, PORTS + p).packets << p;
    assert_int_equal(used, (1u << PORTS) - 1);
    net_free(r);
}

TEST(nine_ports_are_refused)
{
    struct fabric_conf conf = star(FABRIC_PORTS_MAX + 1, FABRIC_FLOW_HASH);
    const char *keys;
    assert_int_equal(fabric_size(&conf), 0);
    assert_string_equal(fabric_network_error(&conf, &keys), "a host may have at most eight ports");
}
