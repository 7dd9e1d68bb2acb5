/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch.c -- where a switch sends a packet: the ways that lead there, and which of them is drawn. */
#include "fabric/fabric_inner.h"

/* One of several ways. */
static uint32_t choose(struct fabric *f, uint32_t node, const struct fabric_cell *c, uint32_t ways)
{
    uint64_t choice = fabric_choice(f, &f->fswitch[node - f->extent.hosts], c);
    return f->conf.routing == FABRIC_ADAPTIVE ? fabric_adapt(f, node, c, ways, choice)
                                              : fabric_pick(choice, ways);
}

uint32_t fabric_forward(struct fabric *f, uint32_t node, const struct fabric_cell *c)
{
    uint32_t n = f->topology->ways(f, node, c->to), way = n > 1 ? choose(f, node, c, n) : 0;
    LAW(way < n);
    uint32_t link = f->topology->way(f, node, c->to, way);
    return f->failures && f->failures->avoided ? fabric_way_round(f, node, c, link) : link;
}

uint32_t fabric_route(struct fabric *f, uint32_t node, uint32_t to, const struct ip_packet *p)
{
    const struct fabric_cell c = {.to = to,
                                  .connection = p->connection,
                                  .direction = p->direction,
                                  .number = p->number,
                                  .entropy = p->entropy};
    return node < f->extent.hosts ? fabric_first_port(f, node) + p->port : fabric_forward(f, node, &c);
}

/* ---- what topologies are made with ---- */

void fabric_line_init(struct fabric_timing *l, uint64_t rate, iw_time delay)
{
    const uint64_t second = UINT64_C(8000000000000);
    *l = (struct fabric_timing){.rate = rate,
                                .delay = delay,
                                .per_octet = second % rate ? 0 : second / rate,
                                .built = rate,
                                .share = FABRIC_WHOLE};
}

void fabric_join(struct fabric *f, uint32_t a, uint32_t a_node, uint32_t b, uint32_t b_node, uint32_t line)
{
    f->port[a] = (struct fabric_port){.peer = b, .peer_node = b_node & 0x1fffffff, .line = line};
    f->port[b] = (struct fabric_port){.peer = a, .peer_node = a_node & 0x1fffffff, .line = line};
}
