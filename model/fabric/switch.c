/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch.c -- where a switch sends a packet: the ways that lead there, and which of them is drawn. */
#include "fabric/fabric_inner.h"

uint32_t fabric_forward(const struct fabric *f, uint32_t node, const struct fabric_cell *c)
{
    uint32_t n = f->topology->ways(f, node, c->to), number = f->conf.spray ? c->number : 0;
    const struct fabric_switch *s = &f->fswitch[node - f->extent.hosts];
    uint64_t choice = n > 1 ? fabric_choice(s, c->connection, c->direction, number) : 0;
    LAW(n && fabric_pick(choice, n) < n);
    uint32_t link = f->topology->way(f, node, c->to, fabric_pick(choice, n));
    return f->failures && f->failures->avoided ? fabric_way_round(f, node, c, link) : link;
}

uint32_t fabric_route(const struct fabric *f, uint32_t node, uint32_t to, uint32_t connection,
                      uint8_t direction, uint32_t number)
{
    const struct fabric_cell c = {
        .to = to, .connection = connection, .direction = direction, .number = number};
    return node < f->extent.hosts ? node : fabric_forward(f, node, &c);
}

/* ---- what topologies are made with ---- */

void fabric_line_init(struct fabric_timing *l, uint64_t rate, iw_time delay)
{
    const uint64_t second = UINT64_C(8000000000000);
    *l = (struct fabric_timing){.rate = rate, .delay = delay, .per_octet = second % rate ? 0 : second / rate};
}

void fabric_join(struct fabric *f, uint32_t a, uint32_t a_node, uint32_t b, uint32_t b_node, uint32_t line)
{
    f->port[a] = (struct fabric_port){.peer = b, .peer_node = b_node & 0x3fffffff, .line = line & 0xffffff};
    f->port[b] = (struct fabric_port){.peer = a, .peer_node = a_node & 0x3fffffff, .line = line & 0xffffff};
}
