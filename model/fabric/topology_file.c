/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_file.c -- a network as somebody described it: for each pair of switches, the ports that are one hop nearer.
 * Ports of a switch are numbered in the order of its lines. */
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

static struct fabric_extent extent(const struct fabric_conf *conf)
{
    return (struct fabric_extent){.hosts = conf->file.hosts,
                                  .switches = conf->file.switches,
                                  .ports = 2 * conf->file.lines,
                                  .lines = conf->file.lines};
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

/* That no host has two is seen when they are joined. */
static bool hosts_have_lines(const struct fabric_conf *c)
{
    uint64_t ends = 0;
    for (uint32_t i = 0; i < c->file.lines; i++)
        ends += (uint64_t)(c->file.line[i].a < c->file.hosts) + (c->file.line[i].b < c->file.hosts);
    return ends == c->file.hosts;
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
    return wrong || hosts_have_lines(c) ? wrong : "each host must have exactly one link";
}

/* ---- building ---- */

static void count_port(struct fabric *f, uint32_t node)
{
    if (node >= f->extent.hosts)
        f->fswitch[node - f->extent.hosts].ports++;
}

static void number_ports(struct fabric *f)
{
    uint32_t first = f->extent.hosts;
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

static uint32_t next_port(struct fabric *f, uint32_t node)
{
    if (node < f->extent.hosts)
        return node;
    struct fabric_switch *s = &f->fswitch[node - f->extent.hosts];
    return s->first + s->ports++;
}

/* A line that starts at a port in use: two lines of one host. */
static bool join_all(struct fabric *f)
{
    uint32_t *used = f->scratch;
    memset(used, 0, f->extent.hosts * sizeof *used);
    for (uint32_t i = 0; i < f->extent.lines; i++) {
        const struct fabric_line *l = &f->conf.file.line[i];
        uint32_t a = next_port(f, l->a), b = next_port(f, l->b);
        if ((a < f->extent.hosts && used[a]++) || (b < f->extent.hosts && used[b]++))
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

/* Breadth first from `to`; scratch holds the queue. Returns how many switches were reached. */
static uint32_t measure(struct fabric *f, uint32_t to)
{
    uint32_t *queue = f->scratch, tail = 1, hosts = f->extent.hosts;
    memset(f->distance, 0xff, f->extent.switches * sizeof *f->distance);
    f->distance[to] = 0;
    queue[0] = to;
    for (uint32_t head = 0; head < tail; head++) {
        const struct fabric_switch *s = &f->fswitch[queue[head]];
        for (uint32_t p = s->first; p < s->first + s->ports; p++) {
            uint32_t next = f->port[p].peer_node - hosts;
            if (f->port[p].peer_node < hosts || f->distance[next] != UINT16_MAX)
                continue;
            f->distance[next] = (uint16_t)(f->distance[queue[head]] + 1);
            queue[tail++] = next;
        }
    }
    LAW(tail <= f->extent.switches);
    return tail;
}

static void lead(struct fabric *f, uint32_t from, uint32_t to)
{
    const struct fabric_switch *s = &f->fswitch[from];
    uint64_t *mask = mask_of(f, from, to);
    memset(mask, 0, f->words * sizeof *mask);
    for (uint32_t i = 0; i < s->ports; i++) {
        uint32_t node = f->port[s->first + i].peer_node;
        if (node >= f->extent.hosts && f->distance[node - f->extent.hosts] + 1 == f->distance[from])
            mask[i / WORD] |= UINT64_C(1) << i % WORD;
    }
}

static bool build(struct fabric *f)
{
    number_ports(f);
    if (!join_all(f))
        return false;
    for (uint32_t to = 0; to < f->extent.switches; to++) {
        if (measure(f, to) != f->extent.switches)
            return false;
        for (uint32_t from = 0; from < f->extent.switches; from++)
            lead(f, from, to);
    }
    return true;
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

static uint32_t ways(const struct fabric *f, uint32_t node, uint32_t to)
{
    if (f->port[to].peer_node == node)
        return 1;
    const uint64_t *mask = mask_of(f, node - f->extent.hosts, f->port[to].peer_node - f->extent.hosts);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->words; i++)
        n += bits(mask[i]);
    return n;
}

static uint32_t way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i)
{
    if (f->port[to].peer_node == node)
        return f->port[to].peer;
    const uint64_t *mask = mask_of(f, node - f->extent.hosts, f->port[to].peer_node - f->extent.hosts);
    uint32_t first = f->fswitch[node - f->extent.hosts].first;
    for (; i >= bits(*mask); mask++, first += WORD)
        i -= bits(*mask);
    uint64_t left = *mask;
    while (i--)
        left &= left - 1;
    return first + lowest(left);
}

FABRIC_TOPOLOGY(file) = {.farthest = 2,
                         .described = true,
                         .in_circles = true,
                         .extent = extent,
                         .error = error,
                         .build = build,
                         .ways = ways,
                         .way = way};
