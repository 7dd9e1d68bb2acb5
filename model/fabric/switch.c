/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch.c -- where a switch sends a packet: the ways that lead there, and which of them is drawn. */
#include "fabric/fabric_inner.h"

static uint64_t choice_of(const struct fswitch *s, uint32_t connection, uint8_t direction, uint32_t number)
{
    return channel_draw(s->key, (uint64_t)direction << 63 | (uint64_t)connection << 32 | number);
}

/* Uniform in 0 .. n - 1. */
static uint32_t pick(uint64_t choice, uint32_t n)
{
    return (uint32_t)((choice >> 32) * n >> 32);
}

/* ---- trees: down where the host is below, else up by any port ---- */

static inline bool is_below(const struct tree_switch *t, uint32_t to)
{
    return to - t->low < t->span;
}

static inline uint32_t down(const struct fswitch *s, uint32_t to)
{
    return s->first + (to - s->tree.low) / s->tree.width;
}

static inline uint32_t up(const struct fswitch *s, uint32_t i)
{
    return s->first + s->ports - s->tree.ups + i;
}

/* ---- any topology ---- */

uint32_t fabric_ways(const struct fabric *f, uint32_t node, uint32_t to)
{
    const struct fswitch *s = &f->fswitch[node - f->extent.hosts];
    switch (f->conf.kind) {
    case FABRIC_DRAGONFLY: return fabric_dragonfly_ways(f, node, to);
    case FABRIC_FILE: return fabric_file_ways(f, node, to);
    default: return is_below(&s->tree, to) ? 1 : s->tree.ups;
    }
}

uint32_t fabric_way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i)
{
    const struct fswitch *s = &f->fswitch[node - f->extent.hosts];
    switch (f->conf.kind) {
    case FABRIC_DRAGONFLY: return fabric_dragonfly_way(f, node, to, i);
    case FABRIC_FILE: return fabric_file_way(f, node, to, i);
    default: return is_below(&s->tree, to) ? down(s, to) : up(s, i);
    }
}

static uint32_t drawn(const struct fabric *f, uint32_t node, const struct cell *c)
{
    uint32_t n = fabric_ways(f, node, c->to);
    uint64_t choice = 0;
    if (n > 1)
        choice = choice_of(&f->fswitch[node - f->extent.hosts], c->connection, c->direction,
                           f->conf.spray ? c->number : 0);
    return fabric_way(f, node, c->to, pick(choice, n));
}

uint32_t fabric_forward(const struct fabric *f, uint32_t node, const struct cell *c)
{
    const struct fswitch *s = &f->fswitch[node - f->extent.hosts];
    if (f->conf.kind != FABRIC_FAT_TREE)
        return drawn(f, node, c);
    if (is_below(&s->tree, c->to))
        return down(s, c->to);
    return up(s, pick(choice_of(s, c->connection, c->direction, f->conf.spray ? c->number : 0), s->tree.ups));
}

uint32_t fabric_route(const struct fabric *f, uint32_t node, uint32_t to, uint32_t connection,
                      uint8_t direction, uint32_t number)
{
    const struct cell c = {.to = to, .connection = connection, .direction = direction, .number = number};
    return node < f->extent.hosts ? node : fabric_forward(f, node, &c);
}

/* ---- what topologies are made with ---- */

void fabric_line_init(struct line *l, uint64_t rate, iw_time delay)
{
    const uint64_t second = UINT64_C(8000000000000);
    *l = (struct line){.rate = rate, .delay = delay, .per_octet = second % rate ? 0 : second / rate};
}

void fabric_join(struct fabric *f, uint32_t a, uint32_t a_node, uint32_t b, uint32_t b_node, uint32_t line)
{
    f->port[a] = (struct port){.peer = b, .peer_node = b_node & 0x3fffffff, .line = line & 0xffffff};
    f->port[b] = (struct port){.peer = a, .peer_node = a_node & 0x3fffffff, .line = line & 0xffffff};
}
