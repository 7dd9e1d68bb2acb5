/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.c -- one block of memory for a world, and what is in it. */
#include "fabric/fabric_inner.h"

#include <string.h>

/* ---- memory ---- */

/* What a packet leaves behind is not known when it comes. */
static bool marks_at_dequeue(const struct fabric_conf *conf)
{
    return conf->ecn.at_dequeue && (conf->ecn_threshold || conf->red.kmax);
}

static bool needs_queues(const struct fabric_conf *conf)
{
    return conf->shared || conf->pfc.on || conf->trim || marks_at_dequeue(conf) || fabric_fails(conf);
}

static bool is_impaired(const struct fabric_conf *conf)
{
    return (conf->data || conf->acks) && channel_impairs(&conf->channel);
}

static bool ports_differ(const struct fabric_extent *x)
{
    return x->host_links != x->hosts * x->host_ports;
}

/* Every port has at most one departure and one arrival among the events. */
static struct events_extent events_of(const struct fabric_conf *conf, const struct fabric_extent *x)
{
    uint32_t nodes = x->hosts + x->switches;
    return (struct events_extent){2 * x->ports, x->hosts + conf->timers + OWN_TIMERS, nodes, nodes - 1};
}

/* On a line of cache. */
static void *carve_lines(struct carve *c, size_t octets)
{
    uint8_t *p = carve(c, octets + CELL);
    return p ? p + ((size_t)(-(uintptr_t)p) & (CELL - 1)) : NULL;
}

static void carve_file(struct fabric *f, struct carve *c, const struct fabric_conf *conf,
                       const struct fabric_extent *x)
{
    size_t pairs = (size_t)x->switches * x->switches;
    uint32_t scratch = 2 * x->ports > x->switches ? 2 * x->ports : x->switches;
    bool described = fabric_topology_of(conf)->described;
    f->words = described ? fabric_file_words(conf) : 0;
    f->mask = carve(c, pairs * f->words * sizeof *f->mask);
    f->distance = carve(c, (described ? pairs : 0) * sizeof *f->distance);
    f->scratch = carve(c, (described || conf->pfc.on ? scratch : 0) * sizeof *f->scratch);
}

static void carve_all(struct fabric *f, struct carve *c, const struct fabric_conf *conf,
                      const struct fabric_extent *x)
{
    struct events_extent events = events_of(conf, x);
    fabric_events_carve(&f->events, c, &events);
    f->port = carve_lines(c, x->ports * sizeof *f->port);
    f->line = carve(c, (x->lines + conf->changes) * sizeof *f->line); /* a change may bring a rate */
    f->fswitch = carve(c, x->switches * sizeof *f->fswitch);
    f->queue = carve(c, (needs_queues(conf) ? x->ports : 0) * sizeof *f->queue);
    f->tally = carve(c, x->ports * sizeof *f->tally);
    f->host = carve(c, x->hosts * sizeof *f->host);
    f->ends = carve(c, conf->connections * sizeof *f->ends);
    f->kept = carve(c, (size_t)x->switches * fabric_kept_of(conf) * sizeof *f->kept);
    f->first = carve(c, (ports_differ(x) ? x->hosts + 1 : 0) * sizeof *f->first);
    f->channel = carve(c, (is_impaired(conf) ? x->host_links : 0) * sizeof *f->channel);
    f->kicked = carve(c, x->hosts * sizeof *f->kicked);
    carve_file(f, c, conf, x);
    fabric_failures_carve(f, c, conf, x);
}

static struct fabric_extent extent_of(const struct fabric_conf *conf)
{
    struct fabric_extent x = fabric_topology_of(conf)->extent(conf);
    x.host_ports = fabric_ports_of(conf);
    x.host_links = x.host_links ? x.host_links : x.hosts * x.host_ports;
    return x;
}

size_t fabric_size(const struct fabric_conf *conf)
{
    if (fabric_conf_error(conf))
        return 0;
    struct carve c = {0};
    struct fabric parts;
    struct fabric_extent x = extent_of(conf);
    carve(&c, sizeof parts);
    carve_all(&parts, &c, conf, &x);
    return c.used;
}

/* ---- a world at time 0 ---- */

static void clear(struct fabric *f)
{
    const struct fabric_extent *x = &f->extent;
    memset(f->port, 0, x->ports * sizeof *f->port);
    memset(f->fswitch, 0, x->switches * sizeof *f->fswitch);
    memset(f->tally, 0, x->ports * sizeof *f->tally);
    memset(f->host, 0, x->hosts * sizeof *f->host);
    memset(f->ends, 0, f->conf.connections * sizeof *f->ends);
    memset(f->kicked, 0xff, x->hosts * sizeof *f->kicked);
    if (f->queues)
        memset(f->queue, 0, x->ports * sizeof *f->queue);
    if (f->kept)
        memset(f->kept, 0, (size_t)x->switches * FLOWS_KEPT * sizeof *f->kept);
}

static void deal_ports(struct fabric *f)
{
    for (uint32_t h = 0, first = 0; f->first && h <= f->extent.hosts; h++) {
        f->first[h] = first;
        first += h < f->extent.hosts ? fabric_ports_at(&f->conf, h) : 0;
    }
}

static void draw_keys(struct fabric *f)
{
    for (uint32_t i = 0; i < f->extent.switches; i++)
        f->fswitch[i].key = channel_key(f->conf.seed, f->conf.repeat, i, 1u << 31);
    for (uint32_t h = 0; f->channel && h < fabric_host_links(f); h++)
        channel_init(&f->channel[h], &f->conf.channel, f->conf.seed, f->conf.repeat, h, 0);
}

static void marks_init(struct fabric *f)
{
    const struct fabric_conf *c = &f->conf;
    if (c->red.kmax > c->red.kmin)
        f->red_slope = channel_threshold(c->red.pmax) / (c->red.kmax - c->red.kmin);
    f->alpha = (uint64_t)(c->alpha * 65536);
    f->conf.pfc.headroom = c->pfc.headroom || !c->pfc.on ? c->pfc.headroom : fabric_headroom_of(c);
}

/* A line for each level; those of a described network are its own. */
static void lines_init(struct fabric *f)
{
    for (uint32_t l = 0; l < f->extent.lines && !f->topology->described; l++) {
        struct fabric_pace pace = fabric_pace(&f->conf, (enum fabric_level)l);
        fabric_line_init(&f->line[l], pace.rate, pace.delay);
    }
}

/* The longest from a packet's first bit on a wire to its arrival. */
static iw_time span(const struct fabric *f)
{
    iw_time longest = 0;
    for (uint32_t i = 0; i < f->extent.lines; i++) {
        const struct fabric_timing *l = &f->line[i];
        iw_time takes = serialization(l, f->conf.mtu + f->conf.framing) + l->delay;
        longest = takes > longest ? takes : longest;
    }
    return longest;
}

void fabric_events_ready(struct fabric *f, const struct events_extent *x)
{
    fabric_events_init(&f->events, x, span(f));
    f->events.earlier = fabric_arrives_earlier;
    f->events.world = f;
}

struct fabric *fabric_init(void *memory, const struct fabric_conf *conf)
{
    if (!memory || fabric_conf_error(conf))
        return NULL;
    struct carve c = {.memory = memory};
    struct fabric *f = carve(&c, sizeof *f);
    struct fabric_extent x = extent_of(conf);
    struct events_extent events = events_of(conf, &x);
    *f = (struct fabric){.conf = *conf, .extent = x, .impaired_from = IW_NEVER};
    f->topology = fabric_topology_of(conf);
    f->backlog = fabric_backlog;
    f->first_kick = f->late_free = NONE;
    f->queues = needs_queues(conf);
    carve_all(f, &c, conf, &x);
    f->channel = is_impaired(conf) ? f->channel : NULL;
    f->kept = fabric_kept_of(conf) ? f->kept : NULL;
    f->first = ports_differ(&x) ? f->first : NULL;
    clear(f);
    deal_ports(f);
    draw_keys(f);
    marks_init(f);
    lines_init(f);
    if (!f->topology->build(f))
        return NULL;
    fabric_events_ready(f, &events);
    if (f->failures)
        fabric_failures_init(f);
    LAW(c.used == fabric_size(conf) && fabric_is_joined(f)); /* what was carved is what was asked for */
    return f;
}

/* ---- hosts and connections ---- */

void fabric_attach(struct fabric *f, uint32_t host, const struct fabric_host *table, void *object)
{
    f->host[host] = (struct fabric_attached){.table = table, .object = object};
}

int fabric_connect(struct fabric *f, uint32_t connection, uint32_t from, uint32_t to)
{
    if (connection >= f->conf.connections || from >= f->extent.hosts || to >= f->extent.hosts || from == to)
        return -1;
    struct fabric_ends *e = &f->ends[connection];
    if (e->from != e->to)
        return -1;
    *e = (struct fabric_ends){from, to};
    return 0;
}

void fabric_tap(struct fabric *f, uint32_t link, bool on)
{
    f->port[link].tapped = on && f->conf.tap;
}

void fabric_tell(const struct fabric *f, enum fabric_event_kind kind, uint32_t link,
                 const struct fabric_cell *c, uint64_t waiting, iw_time extra)
{
    if (!f->conf.event)
        return;
    struct ip_packet packet = c ? fabric_cell_packet(c) : (struct ip_packet){0};
    const struct fabric_event e = {kind, f->now, link, waiting, extra, c ? &packet : NULL};
    f->conf.event(f->conf.user, &e);
}
