/* SPDX-License-Identifier: GPL-2.0-or-later */
/* receive.c -- the way in: staging -> receive pipeline -> the lower layer accepts -> units, segments -> delivery.
 *
 * Law: what was acknowledged is placed in the end. Drops and refusals come before acceptance. */
#include <string.h>

#include "node/node_inner.h"

/* ---- staging ---- */

static size_t landing_size(const struct node_landing *l)
{
    return sizeof *l + l->packet.head;
}

static struct node_landing *land(struct node *n, struct node_connection *c, const struct ip_packet *packet,
                                 uint32_t staged)
{
    struct node_landing *l = node_cell_take(&n->cells, sizeof *l + packet->head);
    if (!l)
        return NULL;
    *l = (struct node_landing){.connection = c->number, .staged = staged, .packet = *packet};
    memcpy(l->octets, packet->octets, packet->head);
    l->packet.octets = l->octets;
    return l;
}

static void tell_packet(const struct node *n, const struct node_connection *c, enum node_event_kind kind,
                        const struct llp_unit *u, const struct ip_packet *packet, enum node_drop why)
{
    if (node_hears(n, kind) && u->octets && n->stream[c->first + u->stream]->up)
        node_tell(n, n->stream[c->first + u->stream],
                  &(struct node_event){.kind = kind,
                                       .key = u->key,
                                       .end = u->end,
                                       .len = u->octets,
                                       .in_order = u->in_order,
                                       .altered = packet->altered,
                                       .why = why});
}

/* As if it had never come. */
static void drop(struct node *n, const struct node_connection *c, const struct llp_unit *u,
                 const struct ip_packet *packet, enum node_drop why)
{
    n->counts.refused++;
    tell_packet(n, c, NODE_DROPPED, u, packet, why);
}

/* Its octets of staging; and where its data stands, for those who hear of it. */
static void look_at(const struct node *n, const struct node_connection *c, const struct ip_packet *packet,
                    struct llp_unit *first)
{
    if (c->llp->staged && !node_hears(n, NODE_ARRIVED) && !node_hears(n, NODE_DROPPED))
        first->octets = c->llp->staged(packet);
    else
        c->llp->peek(c->l, packet, first);
}

void receive_release(struct node *n, struct node_landing *l)
{
    if (!l->staged)
        return;
    intake_release(&n->connection[l->connection]->intake, n->nic, l->staged);
    l->staged = 0;
}

void receive_let_go(struct node *n, struct node_landing *l)
{
    LAW(l->staged <= n->connection[l->connection]->intake.staged);
    if (l->waiting)
        return;
    receive_release(n, l);
    node_cell_free(&n->cells, l, landing_size(l));
}

/* ---- acceptance ---- */

static enum node_drop drop_of(const struct node *n, const struct llp_unit *u)
{
    static const enum node_drop drops[] = {
        [LLP_FOR_ORDER] = NODE_FOR_ORDER, [LLP_FOR_TRACK] = NODE_FOR_TRACK};
    if (u->verdict == LLP_BAD)
        return NODE_FOR_CRC;
    if (u->why != LLP_FOR_ROOM)
        return drops[u->why];
    return n->path->refusal && !u->in_order ? n->path->refusal : NODE_FOR_ROOM;
}

static void accept_unit(struct node *n, struct node_connection *c, struct node_landing *l,
                        const struct llp_unit *u)
{
    if (u->verdict == LLP_TAKEN) {
        c->altered |= l->packet.altered;
        if (n->path->accepted)
            n->path->accepted(n, c, l, u);
        return;
    }
    if (u->verdict == LLP_REFUSED || u->verdict == LLP_BAD)
        drop(n, c, u, &l->packet, drop_of(n, u));
    n->counts.needless += u->verdict == LLP_DUPLICATE && !l->packet.copied;
}

/* Everything that the lower layer has for this stream now; `l`: what came with this packet, or NULL. */
static void drain(struct node *n, struct node_stream *s, struct node_landing *l)
{
    struct node_connection *c = connection_of(n, s);
    struct llp_segment in;
    int more;
    while ((more = c->llp->next(c->l, s->llp_stream, &in)) == 1) {
        if (node_hears(n, NODE_TAKEN) && !in.again)
            node_tell_segment(n, s,
                              &(struct node_event){.kind = NODE_TAKEN,
                                                   .key = in.seg.key,
                                                   .len = in.seg.payload_len,
                                                   .in_order = in.in_order,
                                                   .late = in.late},
                              &in.seg);
        n->path->segment(n, s, &in, l);
        if (s->placing)
            continue;
        uint64_t edge = c->llp->edge(c->l, s->llp_stream);
        receive_deliver(n, s, edge);
        if (in.last && edge > in.seg.key) /* it was taken */
            return;
    }
    if (more > 1 && !s->deaf) {
        s->deaf = true;
        s->failure = more;
        path_unhold(n, c, s, UINT64_MAX);
    }
    if (!s->placing)
        receive_deliver(n, s, c->llp->edge(c->l, s->llp_stream));
}

/* A packet of control was taken, and what it acknowledges is known. */
static void tell_heard(struct node *n, const struct node_connection *c, const struct ip_packet *packet)
{
    if (node_hears(n, NODE_HEARD) && n->stream[c->first]->up)
        node_tell(n, n->stream[c->first],
                  &(struct node_event){.kind = NODE_HEARD,
                                       .key = c->llp->acked(c->l, n->stream[c->first]->llp_stream),
                                       .ack.number = packet->number});
}

/* Until the packet is read nothing of it is freed: it waits for itself. */
static void accept_packet(struct node *n, struct node_landing *l,
                          void (*let_go)(struct node *, struct node_landing *))
{
    struct node_connection *c = n->connection[l->connection];
    struct llp_unit u = {0};
    bool freed = c->freed;
    c->intake.staged += l->staged;
    LAW(node_octets_agree(n));
    l->waiting = 1;
    if (!c->gone) {
        c->llp->arrive(c->l, n->now, &l->packet);
        while (!u.last && c->llp->unit(c->l, n->now, path_room(n->path, n->nic), &u) != LLP_END) {
            accept_unit(n, c, l, &u);
            if (u.verdict != LLP_NOTHING && n->stream[c->first + u.stream]->up)
                drain(n, n->stream[c->first + u.stream], l);
        }
        if (!l->staged)
            tell_heard(n, c, &l->packet);
    }
    LAW(l->waiting);
    l->waiting--;
    let_go(n, l);
    LAW(node_octets_agree(n) && node_held_agrees(c)); /* never two of them */
    LAW(node_pool_agrees(n));                         /* a bit of the pool is some connection's */
    c->freed = freed; /* the acknowledgement says it, now or when it has waited */
    node_settle(n, c);
}

void receive_accept(struct node *n, struct node_landing *l)
{
    LAW(n->staged);
    n->staged--;
    accept_packet(n, l, receive_let_go);
}

void node_arrive(struct node *n, iw_time now, uint32_t connection, const struct ip_packet *arrived)
{
    struct node_connection *c = n->connection[connection];
    struct ip_packet opened;
    const struct ip_packet *packet = arrived;
    node_moves_to(n, now);
    if (c->gone) {
        n->counts.refused++;
        return;
    }
    if (n->conf.security != SECURITY_NONE) {
        opened = *arrived;
        security_open(&opened);
        packet = &opened;
    }
    struct llp_unit first = {0};
    look_at(n, c, packet, &first);
    if (node_hears(n, NODE_ARRIVED))
        tell_packet(n, c, NODE_ARRIVED, &first, packet, NODE_NOT_DROPPED);
    if (packet->altered && n->conf.security == SECURITY_ESP) { /* its ICV does not match (RFC 4303 3.4.4) */
        drop(n, c, &first, packet, NODE_FOR_ICV);
        return;
    }
    iw_time ready = rnic_arrive(n->nic, n->now, c->first, first.octets);
    if (ready == IW_NEVER) {
        drop(n, c, &first, packet, NODE_FOR_STAGING);
        return;
    }
    if (n->straight) {
        struct node_landing read = {.connection = c->number, .staged = first.octets, .packet = *packet};
        accept_packet(n, &read, receive_release);
        LAW(!read.waiting && !read.staged);
        return;
    }
    struct node_landing *l = land(n, c, packet, first.octets);
    if (!l) {
        n->no_memory = true;
        return;
    }
    n->staged++;
    LAW(ready >= n->now && rnic_statistics(n->nic)->staging >= l->staged);
    if (ready <= n->now && n->staged == 1)
        receive_accept(n, l);
    else
        agenda_put(n, ready, AGENDA_RECEIVED, connection, l);
}

/* ---- delivery ---- */

struct delivery {
    const struct node *n;
    const struct node_stream *s;
};

static void tell_delivered(void *user, iw_time at, const struct iw_message *message)
{
    const struct delivery *d = user;
    (void)at;
    if (node_hears(d->n, NODE_DELIVERED))
        node_tell(d->n, d->s,
                  &(struct node_event){
                      .kind = NODE_DELIVERED, .key = message->key, .message = node_message_of(message)});
}

void receive_deliver(struct node *n, struct node_stream *s, uint64_t edge)
{
    struct delivery to = {n, s};
    bool advanced = edge > s->edge;
    if (!advanced)
        return;
    int result = step_deliver(s->ep, n->now, edge, tell_delivered, &to);
    if (result > 1)
        settle_fault(n, s, result);
    s->edge = edge;
    LAW(iw_delivered_edge(s->ep) <=
        edge); /* what was acknowledged is placed in the end: nothing is delivered before */
    if (result == IW_OK && node_hears(n, NODE_EDGE))
        node_tell(n, s, &(struct node_event){.kind = NODE_EDGE, .key = edge});
    if (connection_of(n, s)->held)
        path_unhold(n, connection_of(n, s), s, edge);
    window_in_place(n, s, edge);
    if (s->kept)
        receive_again(n, s);
}

void receive_again(struct node *n, struct node_stream *s)
{
    struct node_connection *c = connection_of(n, s);
    c->freed = true;
    path_read(n, c);
    if (!s->kept || !s->up || c->gone)
        return;
    s->kept = false;
    c->llp->again(c->l, s->llp_stream);
    drain(n, s, NULL);
}
