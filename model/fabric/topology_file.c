/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_file.c -- a network as somebody described it: for each pair of switches, the ports that are one hop nearer.
 * Ports of a node are numbered in the order of its lines. Those of a host may be at several switches: whatever goes there takes the
 * nearest, and of equally near ones any. Switches may be several networks that share nothing but all hosts. */
#include "fabric/fabric_inner.h"

#include <string.h>

enum { WORD = 64, SWITCHES_MAX = 4096 };

static uint32_t ports_of(const struct fabric_conf *conf, uint32_t node)
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < conf->file.lines; i++)
        if (conf->file.line[i].a == node || conf->file.line[i].b == node)
            ports++;
    return ports;
}

/* Of the widest switch. */
uint32_t fabric_file_words(const struct fabric_conf *conf)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < conf->file.switches; s++) {
        uint32_t ports = ports_of(conf, conf->file.hosts + s);
        most = ports > most ? ports : most;
    }
    return (most + WORD - 1) / WORD;
}

static uint32_t host_ports(const struct fabric_conf *conf)
{
    return conf->file.ports ? conf->file.ports : 1;
}

static uint32_t host_links(const struct fabric_conf *conf)
{
    uint32_t links = conf->file.own_ports ? 0 : conf->file.hosts * host_ports(conf);
    for (uint32_t h = 0; conf->file.own_ports && h < conf->file.hosts; h++)
        links += conf->file.own_ports[h];
    return links;
}

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    return (struct fabric_extent){.hosts = conf->file.hosts,
                                  .switches = conf->file.switches,
                                  .ports = 2 * conf->file.lines,
                                  .lines = conf->file.lines,
                                  .host_ports = host_ports(conf),
                                  .host_links = host_links(conf)};
}

/* ---- what is wrong with it ---- */

static const char *one_line_error(const struct fabric_conf *c, const struct fabric_line *l)
{
    uint32_t hosts = c->file.hosts, nodes = hosts + c->file.switches;
    if (l->a >= nodes || l->b >= nodes || l->a == l->b)
        return "a link must join two existing nodes";
    if (l->a < hosts && l->b < hosts && nodes > 2)
        return "a link joins two hosts, but there are more nodes";
    return NULL;
}

/* That no host has more than another one is seen when they are joined. */
static bool hosts_have_lines(const struct fabric_conf *c)
{
    uint64_t ends = 0;
    for (uint32_t i = 0; i < c->file.lines; i++)
        ends += (uint64_t)(c->file.line[i].a < c->file.hosts) + (c->file.line[i].b < c->file.hosts);
    return ends == host_links(c);
}

/* None has more than the most. */
static bool own_ports_agree(const struct fabric_conf *c)
{
    bool agree = true;
    for (uint32_t h = 0; c->file.own_ports && h < c->file.hosts && agree; h++)
        agree = c->file.own_ports[h] && c->file.own_ports[h] <= host_ports(c);
    return agree;
}

static const char *error(const struct fabric_conf *c, const char **keys)
{
    const char *wrong = NULL;
    *keys = "topology.file";
    if (c->file.hosts < 2 || c->file.hosts > HOSTS_MAX || c->file.switches > SWITCHES_MAX || !c->file.lines ||
        c->file.lines > LINES_MAX || !c->file.line)
        return "a described topology needs 2 to 2^20 hosts, at most 4096 switches, and links";
    for (uint32_t i = 0; i < c->file.lines && !wrong; i++)
        wrong = one_line_error(c, &c->file.line[i]);
    if (wrong || host_ports(c) > FABRIC_PORTS_MAX)
        return wrong ? wrong : "a host may have at most eight ports";
    if (!own_ports_agree(c))
        return "each host must have a port, and no more than the most of any";
    return hosts_have_lines(c) ? NULL : "each host must have exactly one link for each of its ports";
}

/* ---- building ---- */

static void count_port(struct fabric *f, uint32_t node)
{
    if (node >= f->extent.hosts)
        f->fswitch[node - f->extent.hosts].ports++;
}

static void number_ports(struct fabric *f)
{
    uint32_t first = fabric_host_links(f);
    for (uint32_t i = 0; i < f->extent.lines; i++) {
        count_port(f, f->conf.file.line[i].a);
        count_port(f, f->conf.file.line[i].b);
    }
    for (uint32_t s = 0; s < f->extent.switches; s++) {
        f->fswitch[s].first = first;
        first += f->fswitch[s].ports;
        f->fswitch[s].ports = 0;
    }
    LAW(first == f->extent.ports);
}

/* NONE: all of a host's have a line. */
static uint32_t next_port(struct fabric *f, uint32_t node)
{
    if (node < f->extent.hosts)
        return f->scratch[node] < fabric_host_ports(f, node) ? fabric_first_port(f, node) + f->scratch[node]++
                                                             : NONE;
    struct fabric_switch *s = &f->fswitch[node - f->extent.hosts];
    return s->first + s->ports++;
}

static bool join_all(struct fabric *f)
{
    memset(f->scratch, 0, f->extent.hosts * sizeof *f->scratch);
    for (uint32_t i = 0; i < f->extent.lines; i++) {
        const struct fabric_line *l = &f->conf.file.line[i];
        uint32_t a = next_port(f, l->a), b = next_port(f, l->b);
        if (a == NONE || b == NONE)
            return false;
        fabric_line_init(&f->line[i], l->rate, l->delay);
        fabric_join(f, a, l->a, b, l->b, i);
    }
    return true;
}

static uint64_t *mask_of(const struct fabric *f, uint32_t from, uint32_t to)
{
    return f->mask + ((size_t)to * f->extent.switches + from) * f->words;
}

/* To one switch, by the number of the other. */
static uint16_t *distances(const struct fabric *f, uint32_t to)
{
    return f->distance + (size_t)to * f->extent.switches;
}

/* Breadth first from `to`; scratch holds the queue. */
static void measure(struct fabric *f, uint32_t to)
{
    uint32_t *queue = f->scratch, tail = 1, hosts = f->extent.hosts;
    uint16_t *distance = distances(f, to);
    memset(distance, 0xff, f->extent.switches * sizeof *distance);
    distance[to] = 0;
    queue[0] = to;
    for (uint32_t head = 0; head < tail; head++) {
        const struct fabric_switch *s = &f->fswitch[queue[head]];
        for (uint32_t p = s->first; p < s->first + s->ports; p++) {
            uint32_t next = f->port[p].peer_node - hosts;
            if (f->port[p].peer_node < hosts || distance[next] != UINT16_MAX)
                continue;
            distance[next] = (uint16_t)(distance[queue[head]] + 1);
            queue[tail++] = next;
        }
    }
    LAW(tail <= f->extent.switches);
}

static void lead(struct fabric *f, uint32_t from, uint32_t to)
{
    const struct fabric_switch *s = &f->fswitch[from];
    const uint16_t *distance = distances(f, to);
    uint64_t *mask = mask_of(f, from, to);
    memset(mask, 0, f->words * sizeof *mask);
    for (uint32_t i = 0; i < s->ports; i++) {
        uint32_t node = f->port[s->first + i].peer_node;
        if (node >= f->extent.hosts && distance[node - f->extent.hosts] + 1 == distance[from])
            mask[i / WORD] |= UINT64_C(1) << i % WORD;
    }
}

/* The switch of a host's port, from 0. */
static uint32_t switch_of(const struct fabric *f, uint32_t host, uint32_t i)
{
    return f->port[fabric_first_port(f, host) + i].peer_node - f->extent.hosts;
}

/* How far a host is; UINT16_MAX: cut off. */
static uint16_t nearest(const struct fabric *f, uint32_t from, uint32_t host)
{
    uint16_t least = UINT16_MAX;
    for (uint32_t i = 0; i < fabric_host_ports(f, host); i++) {
        uint16_t distance = distances(f, switch_of(f, host, i))[from];
        least = distance < least ? distance : least;
    }
    return least;
}

static bool reaches_all(const struct fabric *f, uint32_t from)
{
    for (uint32_t h = 0; h < f->extent.hosts; h++)
        if (nearest(f, from, h) == UINT16_MAX)
            return false;
    return true;
}

/* From one switch of each of the networks. */
static bool is_connected(const struct fabric *f)
{
    for (uint32_t s = 0; s < f->extent.switches; s++) {
        uint32_t before = 0;
        while (before < s && distances(f, s)[before] == UINT16_MAX)
            before++;
        if (before == s && !reaches_all(f, s))
            return false;
    }
    return true;
}

static bool build(struct fabric *f)
{
    number_ports(f);
    if (!join_all(f))
        return false;
    for (uint32_t to = 0; to < f->extent.switches; to++) {
        measure(f, to);
        for (uint32_t from = 0; from < f->extent.switches; from++)
            lead(f, from, to);
    }
    return is_connected(f);
}

/* ---- routes ---- */

static uint32_t bits(uint64_t w)
{
    w = w - (w >> 1 & 0x5555555555555555u);
    w = (w & 0x3333333333333333u) + (w >> 2 & 0x3333333333333333u);
    return (uint32_t)(((w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

static uint32_t lowest(uint64_t w)
{
    return bits((w & (~w + 1)) - 1);
}

/* A host at this switch: the pick-th of the ports there, how many they are in `*n`. */
static uint32_t at_hand(const struct fabric *f, uint32_t node, uint32_t to, uint32_t pick, uint32_t *n)
{
    uint32_t first = fabric_first_port(f, to), link = NONE;
    *n = 0;
    for (uint32_t p = first; p < first + fabric_host_ports(f, to); p++)
        if (f->port[p].peer_node == node && (*n)++ == pick)
            link = f->port[p].peer;
    return link;
}

/* A word of the mask of ports that lead to the nearest switches of a host. */
static uint64_t toward(const struct fabric *f, uint32_t from, uint32_t to, uint32_t word)
{
    uint16_t least = nearest(f, from, to);
    uint64_t mask = 0;
    for (uint32_t i = 0; i < fabric_host_ports(f, to); i++) {
        uint32_t s = switch_of(f, to, i);
        if (distances(f, s)[from] == least)
            mask |= mask_of(f, from, s)[word];
    }
    return mask;
}

static uint32_t ways(const struct fabric *f, uint32_t node, uint32_t to)
{
    uint32_t n;
    at_hand(f, node, to, 0, &n);
    for (uint32_t i = 0, hand = n; i < f->words && !hand; i++)
        n += bits(toward(f, node - f->extent.hosts, to, i));
    return n;
}

static uint32_t way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i)
{
    uint32_t n, from = node - f->extent.hosts, word = 0, link = at_hand(f, node, to, i, &n);
    if (link != NONE)
        return link;
    uint64_t left = toward(f, from, to, 0);
    while (i >= bits(left)) {
        i -= bits(left);
        left = toward(f, from, to, ++word);
    }
    while (i--)
        left &= left - 1;
    return f->fswitch[from].first + word * WORD + lowest(left);
}

FABRIC_TOPOLOGY(file) = {.farthest = 2,
                         .described = true,
                         .in_circles = true,
                         .extent = extent,
                         .error = error,
                         .build = build,
                         .ways = ways,
                         .way = way};
