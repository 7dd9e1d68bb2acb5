/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_path.c -- how far apart the hosts of a described network are (topology_file.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/scenario/topology_file.h"

static const uint32_t FAR = UINT32_MAX;

/* Between two switches, by the best of equally many links; and by the worst. */
struct leg {
    uint32_t links;
    double delay, octet, slowest;
    struct {
        double delay, octet;
    } worst;
};

struct way {
    uint32_t to, link;
};

/* For one file, and what the scenario says for it: the last that was asked for. */
static struct map {
    const struct topology_file *t;
    uint64_t rate, delay;
    struct leg *leg;         /* from, to */
    uint32_t *first, *order; /* of each switch: its ways; those reached, nearest first */
    struct way *way;
} map;

static double octet_of(const struct scenario_point *p, const struct topology_link *l)
{
    return 8e12 / (double)topology_rate(p, l);
}

/* ---- the map ---- */

static bool is_inner(const struct topology_file *t, const struct topology_link *l)
{
    return l->a >= t->hosts && l->b >= t->hosts;
}

static void list_ways(const struct topology_file *t)
{
    map.first = need(calloc(t->switches + 2, sizeof *map.first));
    map.order = need(calloc(t->switches, sizeof *map.order));
    map.way = need(calloc(2 * (size_t)t->links, sizeof *map.way));
    for (uint32_t i = 0; i < t->links; i++)
        if (is_inner(t, &t->link[i])) {
            map.first[t->link[i].a - t->hosts + 2]++;
            map.first[t->link[i].b - t->hosts + 2]++;
        }
    for (uint32_t s = 0; s < t->switches; s++)
        map.first[s + 2] += map.first[s + 1];
    for (uint32_t i = 0; i < t->links; i++)
        if (is_inner(t, &t->link[i])) {
            uint32_t a = t->link[i].a - t->hosts, b = t->link[i].b - t->hosts;
            map.way[map.first[a + 1]++] = (struct way){b, i};
            map.way[map.first[b + 1]++] = (struct way){a, i};
        }
}

/* One link on from `at`: the first way there, or one as short that may be better. */
static bool follow_link(const struct scenario_point *p, const struct leg *at, struct leg *next,
                        const struct topology_link *l)
{
    double delay = (double)topology_delay(p, l), octet = octet_of(p, l);
    struct leg there = {at->links + 1,
                        at->delay + delay,
                        at->octet + octet,
                        fmax(at->slowest, octet),
                        {at->worst.delay + delay, at->worst.octet + octet}};
    bool first = next->links == FAR;
    if (first)
        *next = there;
    else if (next->links == there.links)
        *next = (struct leg){
            there.links,
            fmin(next->delay, there.delay),
            fmin(next->octet, there.octet),
            fmin(next->slowest, there.slowest),
            {fmax(next->worst.delay, there.worst.delay), fmax(next->worst.octet, there.worst.octet)}};
    return first;
}

/* Breadth first: a switch has all its shortest ways when it is looked from. */
static void walk(const struct scenario_point *p, uint32_t from)
{
    const struct topology_file *t = map.t;
    struct leg *leg = map.leg + (size_t)from * t->switches;
    uint32_t tail = 1;
    for (uint32_t s = 0; s < t->switches; s++)
        leg[s].links = FAR;
    leg[from] = (struct leg){0};
    map.order[0] = from;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t at = map.order[head];
        for (const struct way *w = map.way + map.first[at]; w < map.way + map.first[at + 1]; w++)
            if (follow_link(p, &leg[at], &leg[w->to], &t->link[w->link]))
                map.order[tail++] = w->to;
    }
}

static void draw_map(const struct scenario_point *p)
{
    const struct topology_file *t = p->described;
    if (map.t == t && map.rate == p->topology.rate && map.delay == p->topology.delay)
        return;
    free(map.leg);
    free(map.first);
    free(map.order);
    free(map.way);
    map = (struct map){.t = t, .rate = p->topology.rate, .delay = p->topology.delay};
    map.leg = need(calloc((size_t)t->switches * t->switches, sizeof *map.leg));
    list_ways(t);
    for (uint32_t s = 0; s < t->switches; s++)
        walk(p, s);
}

/* ---- paths ---- */

/* Of one port of a host. */
static const struct topology_link *link_of(const struct topology_file *t, uint32_t host, uint32_t port)
{
    return &t->link[t->host_link[host * t->ports + port]];
}

/* Its switch, from 0. */
static uint32_t switch_of(const struct topology_file *t, uint32_t host, uint32_t port)
{
    const struct topology_link *l = link_of(t, host, port);
    return (l->a == host ? l->b : l->a) - t->hosts;
}

/* Links between the switches of two ports; FAR: none lead there. */
static const struct leg *leg_of(const struct topology_file *t, uint32_t from, uint32_t i, uint32_t to,
                                uint32_t j)
{
    return &map.leg[(size_t)switch_of(t, from, i) * t->switches + switch_of(t, to, j)];
}

static struct topology_path path_of(const struct scenario_point *p, const struct leg *leg,
                                    const struct topology_link *first, const struct topology_link *last)
{
    double ends = fmax(octet_of(p, first), octet_of(p, last));
    return (struct topology_path){.links = leg->links + 2,
                                  .delay = leg->delay + (double)topology_delay(p, first) +
                                           (double)topology_delay(p, last),
                                  .octet = leg->octet + octet_of(p, first) + octet_of(p, last),
                                  .slowest = fmax(leg->slowest, ends),
                                  .late = leg->worst.delay - leg->delay,
                                  .late_octet = leg->worst.octet - leg->octet,
                                  .ends = ends};
}

/* Either may be taken: the best of each number, and how late the worst comes. */
static void join_path(struct topology_path *all, struct topology_path one)
{
    double late = fmax(all->delay + all->late, one.delay + one.late);
    double late_octet = fmax(all->octet + all->late_octet, one.octet + one.late_octet);
    bool first = !all->links;
    if (first)
        *all = one;
    if (first)
        return;
    all->links = one.links < all->links ? one.links : all->links;
    all->delay = fmin(all->delay, one.delay);
    all->octet = fmin(all->octet, one.octet);
    all->slowest = fmin(all->slowest, one.slowest);
    all->ends = fmin(all->ends, one.ends);
    all->late = late - all->delay;
    all->late_octet = late_octet - all->octet;
}

/* What leaves by a port goes to the nearest ports. */
static struct topology_path port_path(const struct scenario_point *p, uint32_t from, uint32_t i, uint32_t to)
{
    const struct topology_file *t = p->described;
    struct topology_path all = {0};
    uint32_t nearest = FAR;
    for (uint32_t j = 0; j < t->own_ports[to]; j++)
        nearest = leg_of(t, from, i, to, j)->links < nearest ? leg_of(t, from, i, to, j)->links : nearest;
    for (uint32_t j = 0; j < t->own_ports[to]; j++)
        if (leg_of(t, from, i, to, j)->links == nearest)
            join_path(&all, path_of(p, leg_of(t, from, i, to, j), link_of(t, from, i), link_of(t, to, j)));
    return all;
}

struct topology_path topology_path(const struct scenario_point *p, uint32_t from, uint32_t to)
{
    struct topology_path all = {0};
    draw_map(p);
    for (uint32_t i = 0; i < p->described->own_ports[from]; i++)
        join_path(&all, port_path(p, from, i, to));
    return all;
}

/* How long a packet takes on the link of a port. */
static double time_of(const struct scenario_point *p, uint32_t host, uint32_t port, uint32_t octets)
{
    const struct topology_link *l = link_of(p->described, host, port);
    return (double)topology_delay(p, l) + octets * octet_of(p, l);
}

struct far {
    uint32_t host;
    double time;
};

static void take_far(struct far *best, struct far *second, struct far one)
{
    bool known = one.host == best->host, ahead = one.time > best->time;
    if (ahead && !known)
        *second = *best;
    if (ahead)
        *best = one;
    else if (!known && one.time > second->time)
        *second = one;
}

/* For each switch the host that is farthest from it and, in the second half, the next; FAR: none. */
static struct far *farthest(const struct scenario_point *p, uint32_t octets)
{
    const struct topology_file *t = p->described;
    struct far *far = need(malloc(2 * (size_t)t->switches * sizeof *far));
    for (uint32_t s = 0; s < 2 * t->switches; s++)
        far[s] = (struct far){FAR, -1};
    for (uint32_t h = 0; h < t->hosts; h++)
        for (uint32_t i = 0; i < t->own_ports[h]; i++) {
            struct far *best = &far[switch_of(t, h, i)];
            take_far(best, best + t->switches, (struct far){h, time_of(p, h, i, octets)});
        }
    return far;
}

/* By each of its ports: a connection may have that one alone. */
static void look_farther(const struct scenario_point *p, struct topology_path *longest, double *late,
                         uint32_t octets, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < p->described->own_ports[from]; i++) {
        struct topology_path path = port_path(p, from, i, to);
        *late = fmax(*late, path.delay + path.late + octets * (path.octet + path.late_octet));
        if (path.delay + octets * path.octet > longest->delay + octets * longest->octet || !longest->links)
            *longest = path;
    }
}

struct topology_path topology_longest(const struct scenario_point *p, uint32_t octets)
{
    const struct topology_file *t = p->described;
    struct far *far = farthest(p, octets);
    struct topology_path longest = {0};
    double late = 0;
    bool several = t->ports > 1; /* the farthest host of a switch may be near by another port */
    uint32_t some = several ? 2 * t->switches : t->switches;
    draw_map(p);
    for (uint32_t a = 0; a < some; a++)
        for (uint32_t b = several ? 0 : a; b < some; b++) {
            uint32_t from = far[a].host,
                     to = far[b].host == from ? far[b % t->switches + t->switches].host : far[b].host;
            if (from != FAR && to != FAR && from != to)
                look_farther(p, &longest, &late, octets, from, to);
        }
    free(far);
    longest.late = fmax(0, late - longest.delay - octets * longest.octet);
    longest.late_octet = 0;
    return longest;
}

struct fabric_conf topology_network(const struct scenario_point *p)
{
    static struct fabric_line *line;
    const struct topology_file *t = p->described;
    struct fabric_conf network = p->topology;
    if (!t)
        return network;
    line = need(realloc(line, t->links * sizeof *line));
    for (uint32_t i = 0; i < t->links; i++)
        line[i] = (struct fabric_line){t->link[i].a, t->link[i].b, topology_rate(p, &t->link[i]),
                                       topology_delay(p, &t->link[i])};
    network.file.line = line;
    network.file.lines = t->links;
    return network;
}
