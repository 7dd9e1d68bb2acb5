/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transmit.c -- the way out: doorbell -> fetch -> iw_transmit -> DMA read (snapshot) -> llp send -> pipeline -> port.
 *
 * Law: the segments of a connection are read, framed and sent in the order they were pulled: none is done with a stage in
 * the same call while one before it still waits there, be it for the same instant. */
#include <string.h>

#include "node/node_inner.h"

static iw_time later(iw_time a, iw_time b)
{
    return a > b ? a : b;
}

static struct stream *stream_of(const struct node *n, const struct departure *d)
{
    return n->stream[d->stream];
}

/* ---- doorbells: requests are heard and known in the order they were posted ---- */

void transmit_post(struct node *n, struct stream *s, uint32_t octets)
{
    s->last_heard = later(s->last_heard, rnic_post(n->nic, n->now, octets));
    s->hearing++;
    if (s->last_heard <= n->now && s->hearing == 1)
        transmit_heard(n, s, octets);
    else
        agenda_put_value(n, s->last_heard, AGENDA_HEARD, s->number, octets);
}

void transmit_heard(struct node *n, struct stream *s, uint32_t octets)
{
    s->hearing--;
    s->fetching++;
    s->last_known = later(s->last_known, rnic_fetch(n->nic, n->now, octets));
    if (s->last_known <= n->now && s->fetching == 1)
        transmit_known(n, s);
    else
        agenda_put(n, s->last_known, AGENDA_KNOWN, s->number, NULL);
}

static void start_reading(struct node *n, struct departure *d);

void transmit_known(struct node *n, struct stream *s)
{
    struct departure *d = s->unheard;
    s->fetching--;
    s->known++;
    if (d) {
        s->unheard = NULL;
        start_reading(n, d);
    }
    transmit_ready(n, s);
    transmit_pump(n);
}

/* ---- endpoint -> DMA read -> lower layer ---- */

static void start_reading(struct node *n, struct departure *d)
{
    struct connection *c = connection_of(n, stream_of(n, d));
    iw_time done = step_read(n->nic, n->now, d->in_memory, d->seg.payload_len);
    c->last_read = later(c->last_read, done);
    c->reading++;
    if (c->last_read <= n->now && c->reading == 1)
        transmit_read(n, d);
    else
        agenda_put(n, c->last_read, AGENDA_READ, d->stream, d);
}

static size_t departure_size(const struct departure *d)
{
    return sizeof *d + (d->injected ? NODE_WRONG_MAX : 0);
}

/* A segment enters the transmit stages, with its place in the stream. */
static void enter(struct node *n, struct stream *s, struct departure *d)
{
    struct connection *c = connection_of(n, s);
    uint32_t ulpdu = d->seg.head_len + d->seg.payload_len;
    d->stream = s->number;
    d->end = s->next_key = c->llp->key_after(c->l, s->llp_stream, d->seg.key, ulpdu, &d->octets);
    c->pulled++;
    c->pulled_octets += d->octets;
    n->pulled[s->pipeline] += d->octets;
    s->in_pipeline++;
    if (node_listens(n))
        node_tell(n, s,
                  (struct node_event){.kind = NODE_PULLED,
                                      .key = d->seg.key,
                                      .end = d->end,
                                      .len = d->seg.payload_len,
                                      .seg = &d->seg});
}

static bool may_pull(const struct node *n, const struct stream *s)
{
    const struct connection *c = connection_of(n, s);
    return s->up && !s->down && !s->fin_asked && !s->unheard &&
           c->llp->has_room(c->l, s->llp_stream, c->pulled, c->pulled_octets);
}

/* One that was injected: it goes behind what was pulled so far. */
static bool pull_injected(struct node *n, struct stream *s)
{
    struct departure *d = s->injected;
    if (!d)
        return false;
    s->injected = d->next;
    d->seg.key = s->next_key;
    enter(n, s, d);
    start_reading(n, d);
    return true;
}

/* One segment from the endpoint. False: it has nothing to say, or nothing may follow now. */
static bool pull(struct node *n, struct stream *s)
{
    if (!may_pull(n, s))
        return false;
    if (pull_injected(n, s))
        return true;
    struct departure *d = node_cell_take(&n->cells, sizeof *d);
    if (!d) {
        n->no_memory = true;
        return false;
    }
    if (!iw_transmit(s->ep, n->now, s->next_key, &d->seg)) {
        node_cell_free(&n->cells, d, sizeof *d);
        settle_timer(n, connection_of(n, s));
        settle_endpoint(n, s);
        return false;
    }
    struct step_kind kind = step_kind(&d->seg, n->conf.profile & IW_DDP_ONLY, s->open);
    uint64_t message = s->pulled;
    s->pulled += kind.asked && kind.last;
    d->in_memory = step_in_memory(n->nic, &kind, d->seg.payload_len);
    d->injected = false;
    d->wrong = LLP_RIGHT;
    enter(n, s, d);
    if (!kind.asked || message < s->known)
        start_reading(n, d);
    else
        s->unheard = d;
    settle_endpoint(n, s);
    return true;
}

/* The snapshot is complete: the octets are the adapter's now. */
void transmit_read(struct node *n, struct departure *d)
{
    struct stream *s = stream_of(n, d);
    struct connection *c = connection_of(n, s);
    c->reading--;
    c->pulled--;
    c->pulled_octets -= d->octets;
    if (!c->gone && c->llp->send(c->l, n->now, s->llp_stream, &d->seg, d->wrong) == IW_EFULL)
        n->no_memory = true;
    iw_accepted(s->ep, n->now, d->end);
    if (node_listens(n))
        node_tell(n, s,
                  (struct node_event){
                      .kind = NODE_SNAPSHOT, .key = d->seg.key, .end = d->end, .len = d->seg.payload_len});
    c->last_sent = later(c->last_sent, rnic_send(n->nic, n->now, s->number, d->octets));
    c->sending++;
    if (c->last_sent <= n->now && c->sending == 1)
        transmit_sent(n, d);
    else
        agenda_put(n, c->last_sent, AGENDA_SENT, d->stream, d);
}

void transmit_sent(struct node *n, struct departure *d)
{
    struct stream *s = stream_of(n, d);
    struct connection *c = connection_of(n, s);
    c->sending--;
    n->pulled[s->pipeline] -= d->octets;
    s->in_pipeline--;
    n->released++;
    if (!c->gone)
        c->llp->release(c->l, s->llp_stream, d->end);
    node_cell_free(&n->cells, d, departure_size(d));
    transmit_wants_port(n, c);
}

/* ---- turns ---- */

void transmit_ready(struct node *n, struct stream *s)
{
    if (s->up && !s->down && !s->unheard && (s->injected || iw_has_work(s->ep)))
        rnic_ready(n->nic, s->number);
}

/* The next stream whose turn it is at a pipeline pulls one segment. False: none has anything to say. */
static bool turn(struct node *n, uint32_t pipeline)
{
    uint32_t number;
    while (rnic_turn(n->nic, pipeline, &number)) {
        struct stream *s = n->stream[number];
        if (!pull(n, s))
            continue;
        connection_of(n, s)->turn = s->llp_stream + 1u;
        transmit_ready(n, s);
        settle_bounds(n, connection_of(n, s));
        return true;
    }
    return false;
}

void transmit_pump(struct node *n)
{
    for (uint32_t i = 0; i < n->pipelines; i++)
        while (n->pulled[i] < n->ahead && turn(n, i))
            ;
}

/* A segment for a port that waits, of any pipeline. */
static bool any_turn(struct node *n)
{
    for (uint32_t i = 0; i < n->pipelines; i++)
        if (turn(n, i))
            return true;
    return false;
}

static bool waits_behind(const struct connection *c)
{
    return c->go_back && c->repeats;
}

void transmit_wants_port(struct node *n, struct connection *c)
{
    if (c->wants_port || c->gone || waits_behind(c) || !c->llp->wants_port(c->l, n->now))
        return;
    c->wants_port = true;
    c->next_at_port = NULL;
    if (n->port_first)
        n->port_last->next_at_port = c;
    else
        n->port_first = c;
    n->port_last = c;
}

static struct connection *next_at_port(struct node *n)
{
    struct connection *c = n->port_first;
    if (c) {
        n->port_first = c->next_at_port;
        c->wants_port = false;
    }
    return c;
}

/* ---- a packet that leaves again goes through the adapter again ---- */

static struct repeat *make_repeat(struct node *n, struct connection *c, const struct ip_packet *packet)
{
    struct repeat *r = node_cell_take(&n->cells, sizeof *r + packet->head);
    if (!r)
        return NULL;
    c->repeats++;
    r->connection = c->number;
    r->packet = *packet;
    r->packet.octets = r->octets;
    memcpy(r->octets, packet->octets, packet->head);
    return r;
}

static void free_repeat(struct node *n, struct repeat *r)
{
    if (r)
        node_cell_free(&n->cells, r, sizeof *r + r->packet.head);
}

/* False: at once, for the adapter takes no time. */
static bool goes_again(struct node *n, struct connection *c, const struct ip_packet *packet)
{
    struct repeat *r = n->ahead ? make_repeat(n, c, packet) : NULL;
    if (!r)
        return false;
    iw_time read = rnic_resend(n->nic, n->now, packet->size);
    if (read <= n->now)
        transmit_reread(n, r);
    else
        agenda_put(n, read, AGENDA_REREAD, c->number, r);
    return true;
}

void transmit_reread(struct node *n, struct repeat *r)
{
    uint32_t lane = n->connection[r->connection]->first;
    iw_time out = rnic_send(n->nic, n->now, lane, r->packet.size);
    if (out <= n->now)
        transmit_resent(n, r);
    else
        agenda_put(n, out, AGENDA_RESENT, r->connection, r);
}

void transmit_resent(struct node *n, struct repeat *r)
{
    r->next = NULL;
    if (n->repeats)
        n->repeats_last->next = r;
    else
        n->repeats = r;
    n->repeats_last = r;
}

/* The first that came through the adapter again; it says what its connection knows now. */
static bool next_repeat(struct node *n, struct ip_packet *packet, struct connection **from)
{
    struct repeat *r = n->repeats;
    if (!r)
        return false;
    n->repeats = r->next;
    n->leaving = r;
    *from = n->connection[r->connection];
    (*from)->repeats--;
    transmit_wants_port(n, *from);
    window_offer(n, *from);
    (*from)->llp->renew((*from)->l, n->now, &r->packet);
    *packet = r->packet;
    return true;
}

/* ---- the port is free ---- */

static bool from_connection(struct node *n, struct connection *c, struct ip_packet *packet)
{
    bool again = false, some = false;
    window_offer(n, c);
    while ((some = c->llp->transmit(c->l, n->now, packet, &again)) && (again || waits_behind(c)) &&
           goes_again(n, c, packet)) {
        settle_hear(n, c);
        if (!again)
            return false;
    }
    if (some && again)
        c->llp->renew(c->l, n->now, packet);
    return some;
}

static void stamp(const struct node *n, struct connection *c, struct ip_packet *packet)
{
    packet->connection = c->world_number;
    packet->direction = !c->initiator;
    packet->number = c->packets++;
    security_seal(n->conf.security, packet);
}

/* From the first that wants the port and has one. To want it is a hint: who wants it, has nothing, and wants it again though
 * nothing new was released waits for the next time. */
static bool from_any(struct node *n, struct ip_packet *packet)
{
    const struct connection *in_vain = NULL;
    uint64_t released = n->released;
    while (n->port_first && (n->port_first != in_vain || n->released != released)) {
        struct connection *c = next_at_port(n);
        bool some = !c->gone && from_connection(n, c, packet);
        node_settle(n, c);
        if (some) {
            stamp(n, c, packet);
            return true;
        }
        if (c->wants_port && (!in_vain || n->released != released)) {
            in_vain = c;
            released = n->released;
        }
    }
    return false;
}

bool node_transmit(struct node *n, iw_time now, struct ip_packet *packet)
{
    struct connection *c = NULL;
    node_moves_to(n, now);
    free_repeat(n, n->leaving);
    n->leaving = NULL;
    if (next_repeat(n, packet, &c)) {
        stamp(n, c, packet);
        return true;
    }
    do {
        if (from_any(n, packet))
            return true;
    } while (!n->ahead && any_turn(n)); /* nothing is made ahead of need */
    return false;
}

/* ---- wrong on purpose ---- */

int transmit_inject(struct node *n, struct stream *s, enum llp_wrong how, const uint8_t *ulpdu, uint32_t len)
{
    if (!s->up || s->down || s->fin_asked)
        return IW_ESTATE;
    struct departure *d = node_cell_take(&n->cells, sizeof *d + NODE_WRONG_MAX);
    if (!d)
        return IW_EFULL;
    d->injected = true;
    d->in_memory = false;
    d->wrong = how;
    memcpy(d->ulpdu, ulpdu, len);
    iw_seg_view(&d->seg, s->next_key, d->ulpdu, len);
    d->next = NULL;
    if (s->injected)
        s->injected_last->next = d;
    else
        s->injected = d;
    s->injected_last = d;
    transmit_ready(n, s);
    transmit_pump(n);
    return IW_OK;
}

void transmit_forget(struct node *n, struct stream *s)
{
    for (struct departure *d; (d = s->injected);) {
        s->injected = d->next;
        node_cell_free(&n->cells, d, departure_size(d));
    }
}
