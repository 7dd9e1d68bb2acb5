/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.c -- hosts and the wires: what leaves, when it arrives, and whom it reaches. */
#include "fabric/fabric_inner.h"

#include <string.h>

/* ---- wires ---- */

static void tap(const struct fabric *f, uint32_t link, enum fabric_side side, iw_time at,
                const struct fabric_cell *c)
{
    struct ip_packet packet = fabric_cell_packet(c);
    if (f->conf.tap)
        f->conf.tap(f->conf.user, link, side, at, &packet);
}

void fabric_wire_start(struct fabric *f, uint32_t link, struct fabric_cell *c, iw_time start)
{
    struct fabric_port *p = &f->port[link];
    const struct fabric_timing *l = &f->line[p->line];
    LAW(start >= p->free_at && start >= f->now); /* not before the port is free */
    LAW(fabric_is_own(
        f, fabric_sender(f, link))); /* during a window a part writes nothing that another one reads */
    c->start = start;
    p->free_at = start + serialization(l, c->size + f->conf.framing);
    c->next = NULL;
    p->packets++;
    p->octets += c->size;
    if (p->tapped)
        tap(f, link, FABRIC_LEAVES, start, c);
    iw_time at = p->free_at + l->delay;
    if (p->cut) {
        fabric_cross(f, link, c, at);
        return;
    }
    if (p->head) {
        LAW(p->tail->start < start);
        p->tail->next = c;
        p->tail->next_at = at;
    } else {
        p->head = c;
        fabric_push(f, EVENT_ARRIVAL, at, p->peer, link, p->peer_node);
    }
    p->tail = c;
}

void fabric_wire_arrives(struct fabric *f, uint32_t link, struct fabric_cell *c, uint32_t way)
{
    const struct fabric_port *p = &f->port[link];
    uint32_t node = p->peer_node;
    LAW(fabric_is_own(f, node));
    LAW(p->changed || f->now == c->start + serialization(&f->line[p->line], c->size + f->conf.framing) +
                                    f->line[p->line].delay);
    f->counts.hops++;
    if (p->changed && fabric_failures_sever(f, link, c))
        return;
    if (node < f->extent.hosts) {
        fabric_impair_packet(f, link, c);
        return;
    }
    if (p->tapped)
        tap(f, link, FABRIC_ARRIVES, f->now, c);
    fabric_queue_arrives(f, node, link, way, c);
}

/* ---- hosts ---- */

static const char *packet_error(const struct fabric *f, uint32_t host, const struct ip_packet *p)
{
    if (p->connection >= f->conf.connections || p->direction > 1)
        return "a host sends a packet of an impossible connection";
    const struct fabric_ends *e = &f->ends[p->connection];
    if (e->from == e->to)
        return "a host sends a packet of an unregistered connection";
    if (host != (p->direction ? e->to : e->from))
        return "a host sends a packet of a connection that it does not serve in this direction";
    if (p->size > f->conf.mtu)
        return "a host sends a packet larger than the MTU";
    if (p->size < (uint32_t)IP_HEAD + p->sealed || p->head > p->size - p->sealed - IP_HEAD ||
        (p->head && !p->octets))
        return "a host sends a packet with more octets than its size";
    return NULL;
}

static struct fabric_cell *cell_of(struct fabric *f, const struct ip_packet *p)
{
    struct fabric_cell *c = fabric_cell_new(f, p->head);
    if (!c)
        return NULL;
    if (p->head)
        memcpy(c->octets, p->octets, p->head);
    c->to = p->direction ? f->ends[p->connection].from : f->ends[p->connection].to;
    c->connection = p->connection;
    c->number = p->number;
    c->size = p->size;
    c->sealed = p->sealed;
    c->entropy = p->entropy;
    c->direction = p->direction;
    c->protocol = p->protocol;
    c->ecn = p->ecn;
    c->flags = (uint8_t)((p->altered ? CELL_ALTERED : 0) | (p->trimmed ? CELL_TRIMMED : 0));
    return c;
}

/* LAW: armed exactly from here to the departure. */
static void host_sends(struct fabric *f, uint32_t host, uint32_t port, const struct ip_packet *out)
{
    const char *error = packet_error(f, host, out);
    struct fabric_cell *c = error ? NULL : cell_of(f, out);
    if (!c) {
        if (error)
            fabric_end_with(f, FABRIC_MISTAKE, error);
        return;
    }
    struct fabric_port *p = &f->port[port];
    LAW(!p->armed); /* armed exactly from here to the departure */
    f->counts.sent++;
    fabric_wire_start(f, port, c, f->now);
    p->armed = 1;
    fabric_push(f, EVENT_DEPARTURE, p->free_at, port, port, host);
}

/* The i-th port of a host. The one behind the last that sent is asked first. */
static inline void port_asks(struct fabric *f, uint32_t host, uint32_t i)
{
    struct fabric_attached *h = &f->host[host];
    uint32_t port = fabric_first_port(f, host) + i;
    const struct fabric_port *p = &f->port[port];
    LAW(p->armed ? p->free_at >= f->now : p->free_at <= f->now); /* armed exactly to the departure */
    if (p->armed || fabric_is_held(p))
        return;
    struct ip_packet out;
    out.port = (uint8_t)i;
    if (!h->table->transmit(h->object, f->now, &out))
        return;
    h->turn = i + 1;
    host_sends(f, host, port, &out);
}

static void ports_ask(struct fabric *f, uint32_t host)
{
    uint32_t ports = fabric_host_ports(f, host), turn = f->host[host].turn;
    if (ports == 1)
        port_asks(f, host, 0);
    for (uint32_t i = turn; i < turn + ports && ports > 1; i++)
        port_asks(f, host, i < ports ? i : i - ports);
}

void fabric_host_touched(struct fabric *f, uint32_t host)
{
    const struct fabric_attached *h = &f->host[host];
    LAW(fabric_is_own(f, host));
    if (f->parts && fabric_stands_still(f, host))
        return;
    ports_ask(f, host);
    iw_time deadline = h->table->deadline(h->object);
    fabric_events_set(&f->events, host, event_order(EVENT_TIMER, host),
                      deadline < f->now ? f->now : deadline);
}

void fabric_host_receives(struct fabric *f, uint32_t port, struct fabric_cell *c)
{
    uint32_t host = fabric_host_of(f, port), link = f->port[port].peer;
    const struct fabric_attached *h = &f->host[host];
    struct ip_packet in = fabric_cell_packet(c);
    in.port = (uint8_t)(port - fabric_first_port(f, host));
    LAW(c->to == host && host == (c->direction ? f->ends[c->connection].from : f->ends[c->connection].to));
    /* A caller that lets a host stand still before it acts on that host gets the events of fabric_run(), and no others. */
    LAW(!fabric_is_ahead(f) || !f->parts->still[host]);
    f->counts.delivered++;
    if (f->port[link].tapped)
        tap(f, link, FABRIC_ARRIVES, f->now, c);
    h->table->arrive(h->object, f->now, &in);
    fabric_cell_free(f, c);
    fabric_host_touched(f, host);
}
