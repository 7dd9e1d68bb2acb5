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

static const struct topology_link *link_of(const struct topology_file *t, uint32_t host)
{
    return &t->link[t->host_link[host]];
}

/* The switch of a host, from 0. */
static uint32_t switch_of(const struct topology_file *t, uint32_t host)
{
    const struct topology_link *l = link_of(t, host);
    return (l->a == host ? l->b : l->a) - t->hosts;
}

struct topology_path topology_path(const struct scenario_point *p, uint32_t from, uint32_t to)
{
    const struct topology_file *t = p->described;
    draw_map(p);
    const struct leg *leg = &map.leg[(size_t)switch_of(t, from) * t->switches + switch_of(t, to)];
    const struct topology_link *first = link_of(t, from), *last = link_of(t, to);
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

/* How long a packet takes on the link of a host. */
static double time_of(const struct scenario_point *p, uint32_t host, uint32_t octets)
{
    const struct topology_link *l = link_of(p->described, host);
    return (double)topology_delay(p, l) + octets * octet_of(p, l);
}

/* For each switch the host that is farthest from it and, in the second half, the next; FAR: none. */
static uint32_t *farthest(const struct scenario_point *p, uint32_t octets)
{
    const struct topology_file *t = p->described;
    uint32_t *host = need(malloc(2 * (size_t)t->switches * sizeof *host));
    memset(host, 0xff, 2 * (size_t)t->switches * sizeof *host);
    for (uint32_t h = 0; h < t->hosts; h++) {
        uint32_t *best = &host[switch_of(t, h)], *second = best + t->switches;
        if (*best == FAR || time_of(p, h, octets) > time_of(p, *best, octets)) {
            *second = *best;
            *best = h;
        } else if (*second == FAR || time_of(p, h, octets) > time_of(p, *second, octets)) {
            *second = h;
        }
    }
    return host;
}

struct topology_path topology_longest(const struct scenario_point *p, uint32_t octets)
{
    const struct topology_file *t = p->described;
    uint32_t *host = farthest(p, octets);
    struct topology_path longest = {0};
    double late = 0;
    for (uint32_t a = 0; a < t->switches; a++)
        for (uint32_t b = a; b < t->switches; b++) {
            uint32_t from = host[a], to = b == a ? host[a + t->switches] : host[b];
            if (from == FAR || to == FAR)
                continue;
            struct topology_path path = topology_path(p, from, to);
            late = fmax(late, path.delay + path.late + octets * (path.octet + path.late_octet));
            if (path.delay + octets * path.octet > longest.delay + octets * longest.octet || !longest.links)
                longest = path;
        }
    free(host);
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
