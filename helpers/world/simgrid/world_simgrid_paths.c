/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_paths.c -- links, and which of them the flows of each end take: those of its packets in world fabric
 * (world_simgrid.h). */
#include <stdlib.h>

#include "fabric/fabric.h"
#include "helpers/base/list.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/world/network_conf.h"
#include "helpers/world/simgrid/world_simgrid.h"

/* ---- links: those of the packet world by number, then the buses of the hosts; or those of SimGrid's platform ---- */

static double octets_per_second(uint64_t rate)
{
    return (double)rate / 8;
}

static void slow_down(struct grid_link *l, double rate)
{
    l->rate = rate > 0 && rate < l->rate ? rate : l->rate;
}

static bool make_links(struct cluster *c, const struct fabric *f)
{
    const struct cluster_conf *conf = &c->conf;
    uint32_t lines = fabric_links(f), hosts = fabric_hosts(f);
    c->links = lines + (conf->bus > 0 ? hosts : 0);
    c->link = calloc(c->links, sizeof *c->link);
    if (!c->link)
        return false;
    for (uint32_t i = 0; i < c->links; i++)
        c->link[i].rate = i < lines ? octets_per_second(fabric_link(f, i).rate) : conf->bus;
    for (uint32_t h = 0; h < hosts; h++) {
        slow_down(&c->link[h], conf->up);
        slow_down(&c->link[fabric_link(f, h).reverse], conf->down);
    }
    return true;
}

/* ---- paths ---- */

struct sum {
    iw_time delay, acknowledge;
    uint64_t octet, slowest,
        behind; /* femtoseconds: on all links, on the last of the slowest, on those behind that */
};

/* `rate`: bits per second. */
static void add_link(struct sum *s, uint64_t rate, iw_time delay, uint32_t ack)
{
    uint64_t octet = UINT64_C(8000000000000000) / rate;
    s->delay += delay;
    s->acknowledge += delay + octet * ack / 1000;
    s->octet += octet;
    s->behind = octet >= s->slowest ? 0 : s->behind + octet;
    s->slowest = octet > s->slowest ? octet : s->slowest;
}

/* The links of all paths, one path behind the other. */
struct hops {
    uint32_t *link;
    size_t count;
};

static bool put_hop(struct hops *h, uint32_t link)
{
    uint32_t *more = list_grow(h->link, h->count, sizeof *more);
    if (!more)
        return false;
    h->link = more;
    h->link[h->count++] = link;
    return true;
}

static void set_path(const struct cluster *c, struct grid_end *e, uint32_t links, const struct sum *sum)
{
    e->links = links;
    e->latency = sum->delay;
    e->again = sum->octet - sum->slowest;
    e->narrow = sum->slowest;
    e->behind = sum->behind;
    e->back = sum->acknowledge + c->conf.heard;
}

/* The first link is the sender's port, the last the receiver's. */
static bool walk(struct cluster *c, struct fabric *f, struct grid_end *e, struct hops *hops)
{
    struct workload_pair pair = workload_pair(&c->point->workload, e->conn);
    uint32_t from = e->side ? pair.to : pair.from, to = e->side ? pair.from : pair.to;
    uint32_t buses = c->links - fabric_links(f), first_bus = fabric_links(f);
    size_t begin = hops->count;
    struct sum sum = {0};
    const struct ip_packet packet = {.connection = e->conn, .direction = (uint8_t)e->side};
    for (uint32_t node = from; node != to;) {
        uint32_t number = fabric_route(f, node, to, &packet);
        struct fabric_link l = fabric_link(f, number);
        if (buses && l.to == to && (!put_hop(hops, first_bus + from) || !put_hop(hops, first_bus + to)))
            return false;
        if (!put_hop(hops, number))
            return false;
        add_link(&sum, l.rate, l.delay, c->conf.ack);
        node = l.to;
    }
    set_path(c, e, (uint32_t)(hops->count - begin), &sum);
    return true;
}

static void refuse_path(struct cluster *c, const char *why)
{
    trial_refuse(c->trial, "SimGrid refuses %s: %s", c->point->network_file, why);
    c->refused = true;
}

enum { LONGEST = 1000000 }; /* seconds */

/* The same on SimGrid's own platform; `f` is NULL. */
static bool ask_platform(struct cluster *c, struct fabric *f, struct grid_end *e, struct hops *hops)
{
    struct workload_pair pair = workload_pair(&c->point->workload, e->conn);
    struct grid_route route;
    struct sum sum = {0};
    char why[512];
    (void)f;
    if (!grid_platform_route(e->side ? pair.to : pair.from, e->side ? pair.from : pair.to, &route, why,
                             sizeof why)) {
        refuse_path(c, why);
        return false;
    }
    if (route.latency > LONGEST) {
        refuse_path(c, "a route takes more than 1000000 s");
        return false;
    }
    for (uint32_t i = 0; i < route.links; i++) {
        iw_time delay = i ? 0 : (iw_time)(route.latency * 1e12 + 0.5);
        if (!put_hop(hops, route.link[i]))
            return false;
        add_link(&sum, (uint64_t)(grid_platform_link(route.link[i]).rate * 8), delay, c->conf.ack);
    }
    set_path(c, e, route.links, &sum);
    return true;
}

typedef bool way(struct cluster *c, struct fabric *f, struct grid_end *e, struct hops *hops);

static bool walk_all(struct cluster *c, struct fabric *f, way *walks)
{
    struct hops hops = {0};
    uint32_t longest = 1;
    bool good = true;
    for (uint32_t i = 0; good && i < 2 * c->connections; i++) {
        struct grid_end *e = &c->end[i];
        e->conn = i / 2;
        e->side = (int)(i % 2);
        e->peer = &c->end[i ^ 1];
        good = walks(c, f, e, &hops);
        longest = e->links > longest ? e->links : longest;
        c->conf.grid.latency_least =
            e->latency < c->conf.grid.latency_least || !i ? e->latency : c->conf.grid.latency_least;
    }
    c->hop = hops.link;
    c->met = malloc(longest * sizeof(struct grid_chunk *));
    for (uint32_t i = 0, at = 0; good && i < 2 * c->connections; at += c->end[i++].links)
        c->end[i].link = &c->hop[at];
    return good && c->met;
}

static bool paths_of_packets(struct cluster *c)
{
    struct fabric *f = network_map(c->point, c->connections);
    bool made = f && make_links(c, f) && walk_all(c, f, walk);
    free(f);
    return made;
}

static bool take_links(struct cluster *c)
{
    c->links = grid_platform_links();
    c->link = calloc(c->links, sizeof *c->link);
    for (uint32_t i = 0; c->link && i < c->links; i++) {
        struct grid_platform_link l = grid_platform_link(i);
        c->link[i].rate = l.rate;
        c->link[i].apart = l.apart;
    }
    grid_platform_seal();
    return c->link != NULL;
}

static bool paths_of_a_platform(struct cluster *c)
{
    const struct platform_file *p = c->point->platform;
    char why[512];
    grid_ports_begin();
    if (!grid_platform_load(p->text, p->names, p->hosts, why, sizeof why)) {
        refuse_path(c, why);
        return false;
    }
    return walk_all(c, NULL, ask_platform) && take_links(c);
}

/* What goes by the fastest link and by the longest path. */
static void fit_conf(struct cluster *c)
{
    struct grid_path *path = &c->conf.grid.path;
    iw_time rtt = 0;
    for (uint32_t i = 0; i < 2 * c->connections; i++)
        rtt = most(rtt, cluster_rtt(&c->conf, &c->end[i]));
    for (uint32_t i = 0; i < c->links; i++)
        c->conf.line = c->link[i].rate * 8 > c->conf.line ? c->link[i].rate * 8 : c->conf.line;
    path->octet = (uint64_t)(8e15 / c->conf.line);
    path->recovery = rtt + c->conf.wire * path->octet / 1000;
    path->timeout = most(path->timeout, 2 * rtt);
}

bool cluster_make_paths(struct cluster *c)
{
    if (!(c->point->platform ? paths_of_a_platform(c) : paths_of_packets(c)))
        return false;
    if (c->point->platform || c->point->described)
        fit_conf(c);
    return true;
}
