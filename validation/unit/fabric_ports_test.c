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

TEST(nine_ports_are_refused)
{
    struct fabric_conf conf = star(FABRIC_PORTS_MAX + 1, FABRIC_FLOW_HASH);
    const char *keys;
    assert_int_equal(fabric_size(&conf), 0);
    assert_string_equal(fabric_network_error(&conf, &keys), "a host may have at most eight ports");
}
