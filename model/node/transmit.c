/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transmit.c -- the way out: doorbell -> fetch -> iw_transmit -> DMA read (snapshot) -> llp -> pipeline -> port.
 *
 * A transmit pipeline takes segments from the engine and packets with data from lower layers while it holds less than
 * node.ahead. A packet is sent when it enters: windows, timers and round trips count from there, so the pipeline delays and
 * does not throttle. Packets without data pass it.
 *
 * Law: the segments of a connection are read (but for rnic.read_order any), framed and sent, and its packets with data leave the port, in the order in which
 * they entered: none is done with a stage in the same call while one before it still waits there, be it for the same instant. */
#include <string.h>

#include "engine/least.h"
#include "engine/queue.h"
#include "node/node_inner.h"

static struct node_stream *stream_of(const struct node *n, const struct node_departure *d)
{
    return n->stream[d->stream];
}

/* ---- doorbells: requests are heard and known in the order they were posted ---- */

void transmit_post(struct node *n, struct node_stream *s, uint32_t octets)
{
    s->last_heard = most(s->last_heard, rnic_post(n->nic, n->now, octets));
    s->hearing++;
    if (s->last_heard <= n->now && s->hearing == 1)
        transmit_heard(n, s, octets);
    else
        agenda_put_value(n, s->last_heard, AGENDA_HEARD, s->number, octets);
}

void transmit_heard(struct node *n, struct node_stream *s, uint32_t octets)
{
    LAW(s->hearing && s->last_heard >= n->now); /* requests are heard in the order they were posted */
    s->hearing--;
    s->fetching++;
    s->last_known = most(s->last_known, rnic_fetch(n->nic, n->now, octets));
    if (s->last_known <= n->now && s->fetching == 1)
        transmit_known(n, s);
    else
        agenda_put(n, s->last_known, AGENDA_KNOWN, s->number, NULL);
}

static void start_reading(struct node *n, struct node_departure *d);

void transmit_known(struct node *n, struct node_stream *s)
{
    struct node_departure *d = s->unheard;
    LAW(s->fetching && s->last_known >= n->now);
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

/* The memory of outstanding Read Requests may be read in any order (RFC 5040 5.5 rule 20). */
static bool reads_in_any_order(const struct node *n)
{
    return rnic_configuration(n->nic)->read_order == RNIC_READS_IN_ANY_ORDER;
}

static void start_reading(struct node *n, struct node_departure *d)
{
    struct node_connection *c = connection_of(n, stream_of(n, d));
    iw_time done = step_read(n->nic, n->now, d->in_memory, d->seg.payload_len);
    if (reads_in_any_order(n))
        QUEUE_PUT(c->departing, c->departing_last, d, next);
    else
        done = c->last_read = most(c->last_read, done);
    d->was_read = false;
    d->snapshot = NULL;
    c->reading++;
    LAW(c->reading <= c->pulled);
    if (done <= n->now && c->reading == 1)
        transmit_read(n, d);
    else
        agenda_put(n, done, AGENDA_READ, d->stream, d);
}

static size_t departure_size(const struct node_departure *d)
{
    return sizeof *d + (d->injected ? NODE_WRONG_MAX : 0);
}

/* A segment has its place in the stream. */
static inline void take_place(struct node *n, struct node_stream *s, struct node_departure *d)
{
    struct node_connection *c = connection_of(n, s);
    uint32_t ulpdu = d->seg.head_len + d->seg.payload_len;
    LAW(d->seg.key == s->next_key || d->injected);
    d->end = s->next_key = c->llp->key_after(c->l, s->llp_stream, d->seg.key, ulpdu, &d->octets);
    if (node_hears(n, NODE_PULLED))
        node_tell_segment(
            n, s,
            &(struct node_event){
                .kind = NODE_PULLED, .key = d->seg.key, .end = d->end, .len = d->seg.payload_len},
            &d->seg);
}

/* And enters the transmit stages. */
static void enter(struct node *n, struct node_stream *s, struct node_departure *d)
{
    struct node_connection *c = connection_of(n, s);
    d->stream = s->number;
    take_place(n, s, d);
    c->pulled++;
    c->pulled_octets += d->octets;
    n->pipe[s->pipeline].octets += d->octets;
    s->reading++;
    LAW(node_way_out_agrees(n, c));
}

static bool may_pull(const struct node *n, const struct node_stream *s)
{
    const struct node_connection *c = connection_of(n, s);
    return s->up && !s->down && !s->fin_asked && !s->unheard &&
           c->llp->has_room(c->l, s->llp_stream, c->pulled, c->pulled_octets);
}

/* One that was injected: it goes behind what was pulled so far. */
static bool pull_injected(struct node *n, struct node_stream *s)
{
    struct node_departure *d = s->injected;
    if (!d)
        return false;
    s->injected = d->next;
    d->seg.key = s->next_key;
    enter(n, s, d);
    start_reading(n, d);
    return true;
}

/* The next one of the endpoint, and whether the adapter knows of its request. False: it has nothing to say. */
static inline bool next_segment(struct node *n, struct node_stream *s, struct node_departure *d, bool *known)
{
    if (!iw_transmit(s->ep, n->now, s->next_key, &d->seg)) {
        settle_timer(n, connection_of(n, s));
        settle_endpoint(n, s);
        return false;
    }
    struct step_kind kind = step_kind(&d->seg, n->conf.profile & IW_DDP_ONLY, &s->open);
    *known = !kind.asked || s->pulled < s->known;
    s->pulled += kind.asked && kind.last;
    LAW(s->pulled <= s->known + s->fetching + s->hearing); /* nothing is sent that was not posted */
    d->in_memory = step_in_memory(n->nic, &kind, d->seg.payload_len);
    d->injected = false;
    d->wrong = LLP_RIGHT;
    return true;
}

static void tell_snapshot(const struct node *n, const struct node_stream *s, const struct node_departure *d)
{
    if (node_hears(n, NODE_SNAPSHOT))
        node_tell(n, s,
                  &(struct node_event){
                      .kind = NODE_SNAPSHOT, .key = d->seg.key, .end = d->end, .len = d->seg.payload_len});
}

/* To the lower layer. */
static void give_below(struct node *n, struct node_stream *s, const struct node_departure *d)
{
    struct node_connection *c = connection_of(n, s);
    if (!c->gone && c->llp->send(c->l, n->now, s->llp_stream, &d->seg, d->wrong) == IW_EFULL)
        n->no_memory = true;
    iw_accepted(s->ep, n->now, d->end);
    transmit_wants(n, c);
    if (!c->waits[AT_PORT] && !c->waits[AT_PIPE]) /* else when its packet has left */
        settle_timer(n, c);                       /* a window that is closed for it is probed */
}

/* From memory to the lower layer in no time. */
static bool pull_straight(struct node *n, struct node_stream *s)
{
    struct node_departure d;
    bool known;
    if (!next_segment(n, s, &d, &known))
        return false;
    LAW(known && !connection_of(n, s)->reading);
    take_place(n, s, &d);
    step_read(n->nic, n->now, d.in_memory, d.seg.payload_len);
    tell_snapshot(n, s, &d);
    give_below(n, s, &d);
    settle_endpoint(n, s);
    return true;
}

/* One segment from the endpoint. False: it has nothing to say, or nothing may follow now. */
static bool pull(struct node *n, struct node_stream *s)
{
    bool known;
    if (!may_pull(n, s))
        return false;
    if (pull_injected(n, s))
        return true;
    if (n->straight && !s->hearing && !s->fetching)
        return pull_straight(n, s);
    struct node_departure *d = node_cell_take(&n->cells, sizeof *d);
    if (!d) {
        n->no_memory = true;
        return false;
    }
    if (!next_segment(n, s, d, &known)) {
        node_cell_free(&n->cells, d, sizeof *d);
        return false;
    }
    enter(n, s, d);
    if (known)
        start_reading(n, d);
    else
        s->unheard = d;
    settle_endpoint(n, s);
    return true;
}

/* The octets that memory has now, for a segment whose turn to leave has not come; without memory for them it leaves with what
 * there is then. */
static void keep_snapshot(struct node *n, struct node_departure *d)
{
    struct iw_seg *seg = &d->seg;
    if (!seg->frags || !seg->frag[0].octets)
        return;
    uint8_t *to = d->snapshot = node_cell_take(&n->cells, seg->payload_len);
    if (!to) {
        n->no_memory = true;
        return;
    }
    for (uint8_t i = 0; i < seg->frags; to += seg->frag[i++].len)
        memcpy(to, seg->frag[i].octets, seg->frag[i].len);
    seg->frags = 1;
    seg->frag[0] = (struct iw_frag){d->snapshot, seg->payload_len};
}

/* It was read, and its turn has come. */
static void hand_over(struct node *n, struct node_departure *d)
{
    struct node_stream *s = stream_of(n, d);
    struct node_connection *c = connection_of(n, s);
    LAW(node_way_out_agrees(n, c) && c->reading && c->pulled_octets >= d->octets);
    LAW(n->pipe[s->pipeline].octets >=
        d->octets); /* octets are those of segments pulled and of packets in the adapter */
    c->reading--;
    c->pulled--;
    c->pulled_octets -= d->octets;
    n->pipe[s->pipeline].octets -= d->octets;
    s->reading--;
    give_below(n, s, d);
    if (d->snapshot)
        node_cell_free(&n->cells, d->snapshot, d->seg.payload_len);
    node_cell_free(&n->cells, d, departure_size(d));
}

/* Those that were read, up to the first that was not. */
static void hand_over_in_turn(struct node *n, struct node_connection *c)
{
    for (struct node_departure *d; (d = c->departing) && d->was_read;) {
        c->departing = d->next;
        hand_over(n, d);
    }
}

/* The snapshot is complete: the octets are the adapter's now. */
void transmit_read(struct node *n, struct node_departure *d)
{
    struct node_stream *s = stream_of(n, d);
    struct node_connection *c = connection_of(n, s);
    LAW(reads_in_any_order(n) || c->last_read >= n->now); /* read in the order in which they entered */
    tell_snapshot(n, s, d);
    if (!reads_in_any_order(n)) {
        hand_over(n, d);
        return;
    }
    d->was_read = true;
    if (d != c->departing)
        keep_snapshot(n, d);
    hand_over_in_turn(n, c);
}

/* ---- lower layer -> pipeline -> port ---- */

static struct node_pipe *pipe_of(const struct node *n, const struct node_connection *c)
{
    return &n->pipe[n->stream[c->first]->pipeline];
}

static void queue_put(struct node_queue *q, struct node_connection *c, enum node_queue_place place)
{
    c->waits[place] = true;
    QUEUE_PUT(q->first, q->last, c, next[place]);
    LAW(node_queue_agrees(q, place));
}

static struct node_connection *queue_take(struct node_queue *q, enum node_queue_place place)
{
    struct node_connection *c = q->first;
    LAW(node_queue_agrees(q, place));
    if (c) {
        q->first = c->next[place];
        c->waits[place] = false;
    }
    return c;
}

void transmit_line_up(struct node *n, struct node_connection *c)
{
    queue_put(&n->lane[c->lane].queue, c, AT_PORT);
}

void transmit_line_up_apart(struct node *n, struct node_connection *c)
{
    if (!c->waits[AT_PORT] && c->llp->wants(c->l, n->now, LLP_CONTROL))
        transmit_line_up(n, c);
    if (!c->waits[AT_PIPE] && c->llp->wants(c->l, n->now, LLP_DATA))
        queue_put(&pipe_of(n, c)->queue, c, AT_PIPE);
}

static size_t outgoing_size(const struct node_outgoing *o)
{
    return sizeof *o + o->packet.head;
}

/* A packet with octets of its own; NULL: no memory. */
static struct node_outgoing *outgoing_new(struct node *n, const struct ip_packet *packet)
{
    struct node_outgoing *o = node_cell_take(&n->cells, sizeof *o + packet->head);
    if (!o) {
        n->no_memory = true;
        return NULL;
    }
    *o = (struct node_outgoing){.packet = *packet};
    o->packet.octets = memcpy(o->octets, packet->octets, packet->head);
    return o;
}

/* A packet with data enters the adapter. One that repeats them may have to be read from memory once more, and those behind it
 * wait for that. */
static void enter_pipeline(struct node *n, struct node_connection *c, const struct ip_packet *packet,
                           const struct llp_sent *sent)
{
    struct node_outgoing *o = outgoing_new(n, packet);
    if (!o)
        return; /* the packet is lost */
    o->connection = c->number;
    o->data = sent->octets;
    LAW(pipe_of(n, c)->octets < n->ahead); /* a packet enters while they are fewer than node.ahead */
    pipe_of(n, c)->octets += packet->size;
    c->inside++;
    iw_time read = sent->again ? rnic_resend(n->nic, n->now, packet->size) : n->now;
    c->last_reread = most(c->last_reread, read);
    c->rereading++;
    LAW(c->rereading + c->sending <= c->inside && sent->octets <= packet->size);
    if (c->last_reread <= n->now && c->rereading == 1)
        transmit_reread(n, o);
    else
        agenda_put(n, c->last_reread, AGENDA_REREAD, c->number, o);
}

void transmit_reread(struct node *n, struct node_outgoing *o)
{
    struct node_connection *c = n->connection[o->connection];
    LAW(c->rereading &&
        c->last_reread >= n->now); /* read, framed and sent in the order in which they entered */
    c->rereading--;
    c->last_out = most(c->last_out, rnic_send(n->nic, n->now, c->first, o->data));
    c->sending++;
    if (c->last_out <= n->now && c->sending == 1)
        transmit_out(n, o);
    else
        agenda_put(n, c->last_out, AGENDA_OUT, c->number, o);
}

void transmit_out(struct node *n, struct node_outgoing *o)
{
    struct node_connection *c = n->connection[o->connection];
    LAW(c->sending && c->inside >= c->sending &&
        c->last_out >= n->now); /* a stage is left in the order it was entered */
    c->sending--;
    struct node_lane *lane = &n->lane[c->lane];
    QUEUE_PUT(lane->out, lane->out_last, o, next);
}

/* May it leave by this port? Another one will be free. */
static bool leads(const struct node *n, const struct node_outgoing *o, uint8_t port)
{
    const struct node_connection *c = n->connection[o->connection];
    return n->conf.ports < 2 || c->gone || !c->llp->leads || c->llp->leads(c->l, port);
}

/* The first that came through and may leave; NULL: none. It has left the adapter. */
static struct node_outgoing *take_out(struct node *n, struct node_lane *lane, uint8_t port)
{
    struct node_outgoing *before = NULL, *o = lane->out;
    for (; o && !leads(n, o, port); o = o->next)
        before = o;
    if (!o)
        return NULL;
    struct node_connection *c = n->connection[o->connection];
    *(before ? &before->next : &lane->out) = o->next;
    lane->out_last = o->next ? lane->out_last : before;
    LAW(c->inside > c->rereading + c->sending && pipe_of(n, c)->octets >= o->packet.size);
    c->inside--;
    pipe_of(n, c)->octets -= o->packet.size;
    return o;
}

static void free_outgoing(struct node *n, struct node_outgoing *o)
{
    if (o)
        node_cell_free(&n->cells, o, outgoing_size(o));
}

/* A connection whose lower layer has data to send puts one packet into its pipeline. False: none has. */
static bool data_turn(struct node *n, struct node_pipe *pipe)
{
    struct ip_packet packet;
    struct llp_sent sent;
    struct node_connection *c;
    while ((c = queue_take(&pipe->queue, AT_PIPE))) {
        if (c->gone)
            continue;
        window_offer(n, c);
        packet.port = IP_ANY_PORT;
        if (c->llp->transmit(c->l, n->now, LLP_DATA, &packet, &sent)) {
            enter_pipeline(n, c, &packet, &sent);
            settle_now(n, c, false);
            return true;
        }
        settle_hear(n, c); /* that it wanted to was a hint */
        settle_timer(n, c);
    }
    return false;
}

/* ---- turns ---- */

void transmit_turn(struct node *n, struct node_stream *s)
{
    s->in_turn = s->injected || iw_has_work(s->ep);
    if (!s->in_turn)
        return;
    n->turns++;
    rnic_ready(n->nic, s->number);
}

/* Does the packet of what was pulled leave in this call, and of no other stream? Then it is settled there. */
static bool leaves_now(const struct node *n, const struct node_connection *c)
{
    return n->straight && n->conf.ports < 2 && c->streams == 1 && c->waits[AT_PORT];
}

/* The next stream whose turn it is at a pipeline pulls one segment. False: none has anything to say. */
static bool pull_next(struct node *n, uint32_t pipeline)
{
    uint32_t number;
    while (rnic_turn(n->nic, pipeline, &number)) {
        struct node_stream *s = n->stream[number];
        s->in_turn = false;
        n->turns--;
        if (!pull(n, s))
            continue;
        struct node_connection *c = connection_of(n, s);
        c->turn = s->llp_stream + 1u;
        transmit_ready(n, s);
        if (!leaves_now(n, c))
            settle_bounds(n, c);
        return true;
    }
    return false;
}

void transmit_pump(struct node *n)
{
    for (uint32_t i = 0; i < n->pipelines; i++)
        while (n->pipe[i].octets < n->ahead && (data_turn(n, &n->pipe[i]) || pull_next(n, i)))
            ;
}

/* A segment for a port that waits, of any pipeline. */
static bool any_turn(struct node *n)
{
    for (uint32_t i = 0; n->turns && i < n->pipelines; i++)
        if (pull_next(n, i))
            return true;
    return false;
}

/* ---- the port is free ---- */

static void stamp(const struct node *n, struct node_connection *c, uint8_t port, struct ip_packet *packet)
{
    LAW(packet->size <= n->conf.mtu && packet->head + packet->sealed <= packet->size);
    packet->connection = c->world_number;
    packet->direction = !c->initiator;
    packet->number = c->packets++;
    packet->port = port;
    packet->sealed = 0;
    if (n->conf.security != SECURITY_NONE)
        security_seal(n->conf.security, packet);
}

/* A packet of control says what the receiver has: the transport puts it in when it gives the packet. */
static void tell_acked(struct node *n, const struct node_connection *c, const struct ip_packet *packet)
{
    uint64_t run[NODE_RUNS][2];
    struct node_event e = {.kind = NODE_ACKED, .key = c->llp->received(c->l), .ack.number = packet->number};
    uint32_t runs = c->llp->beyond(c->l, run, NODE_RUNS);
    e.ack.runs = runs < NODE_RUNS ? runs : NODE_RUNS;
    for (uint32_t i = 0; i < e.ack.runs; i++)
        for (int end = 0; end < 2; end++)
            e.ack.run[i][end] = (uint32_t)run[i][end];
    node_tell(n, n->stream[c->first], &e);
}

/* The lower layer's octets last until it is asked again, which a pipeline may do before the packet has left. False: no memory, and it is lost. */
static bool keep_leaving(struct node *n, struct ip_packet *packet)
{
    n->leaving = outgoing_new(n, packet);
    if (n->leaving)
        packet->octets = n->leaving->octets;
    return n->leaving;
}

/* From the first that wants the port and has one. To want it is a hint: who wants it, has nothing, and wants it again waits for
 * the next time. */
static bool from_lower_layer(struct node *n, struct node_queue *at_port, unsigned parts, uint8_t port,
                             struct ip_packet *packet)
{
    const struct node_connection *in_vain = NULL;
    struct llp_sent sent;
    while (at_port->first && at_port->first != in_vain) {
        struct node_connection *c = queue_take(at_port, AT_PORT);
        window_offer(n, c);
        bool some = !c->gone && c->llp->transmit(c->l, n->now, parts, packet, &sent);
        if (some && n->ahead)
            some = keep_leaving(n, packet);
        if (some && sent.data && !sent.again) /* takes no time: node.ahead is 0 */
            rnic_send(n->nic, n->now, c->first, sent.octets);
        if (some && sent.answer)
            settle_answer(n, c);
        else
            settle_now(n, c, n->ahead);
        if (some) {
            stamp(n, c, port, packet);
            if (!sent.data && node_hears(n, NODE_ACKED) && n->stream[c->first]->up)
                tell_acked(n, c, packet);
            return true;
        }
        if (c->waits[AT_PORT] && !in_vain)
            in_vain = c;
    }
    return false;
}

/* What came through a pipeline; a connection that is gone sends nothing more. */
static bool from_pipeline(struct node *n, struct node_lane *lane, uint8_t port, struct ip_packet *packet)
{
    struct node_outgoing *o;
    while ((o = take_out(n, lane, port))) {
        struct node_connection *c = n->connection[o->connection];
        if (!c->gone) {
            n->leaving = o;
            *packet = o->packet;
            packet->port = port;
            window_offer(n, c);
            if (c->llp->renew)
                c->llp->renew(c->l, n->now, packet);
            stamp(n, c, port, packet);
            return true;
        }
        free_outgoing(n, o);
    }
    return false;
}

static bool leaves(struct node *n, struct node_lane *lane, uint8_t port, struct ip_packet *packet)
{
    return from_lower_layer(n, &lane->queue, n->ahead ? LLP_CONTROL : LLP_ANY, port, packet) ||
           (lane->out && from_pipeline(n, lane, port, packet));
}

/* Hardly ever does anything wait for one port alone, and often nothing at all. */
static inline bool is_wanted(const struct node_lane *lane)
{
    return lane->queue.first || lane->out;
}

/* What may leave by no other port goes first. */
static bool leaves_by(struct node *n, uint8_t port, struct ip_packet *packet)
{
    struct node_lane *any = &n->lane[LANE_ANY], *lane = any;
    if (n->conf.ports > 1)
        lane += 1 + port; /* behind it, one for each port */
    for (;; lane = any) {
        if (is_wanted(lane) && leaves(n, lane, port, packet))
            return true;
        if (lane == any)
            return false;
    }
}

/* Nobody has anything to say. */
static inline bool is_at_rest(const struct node *n)
{
    return !n->turns && !n->ahead && n->conf.ports < 2 && !is_wanted(&n->lane[LANE_ANY]);
}

bool node_transmit(struct node *n, iw_time now, struct ip_packet *packet)
{
    uint8_t port = packet->port;
    LAW(n->conf.ports < 2 || port < n->conf.ports);
    node_moves_to(n, now);
    free_outgoing(n, n->leaving);
    n->leaving = NULL;
    if (is_at_rest(n))
        return false;
    bool some;
    while (!(some = leaves_by(n, port, packet)) && !n->ahead && any_turn(n))
        ; /* nothing is made ahead of need */
    if (n->ahead)
        transmit_pump(n);
    return some;
}

/* ---- wrong on purpose ---- */

int transmit_inject(struct node *n, struct node_stream *s, enum llp_wrong how, const uint8_t *ulpdu,
                    uint32_t len)
{
    if (!s->up || s->down || s->fin_asked)
        return IW_ESTATE;
    struct node_departure *d = node_cell_take(&n->cells, sizeof *d + NODE_WRONG_MAX);
    if (!d)
        return IW_EFULL;
    d->injected = true;
    d->in_memory = false;
    d->wrong = how;
    memcpy(d->ulpdu, ulpdu, len);
    iw_seg_view(&d->seg, s->next_key, d->ulpdu, len);
    QUEUE_PUT(s->injected, s->injected_last, d, next);
    transmit_ready(n, s);
    transmit_pump(n);
    return IW_OK;
}

void transmit_forget(struct node *n, struct node_stream *s)
{
    for (struct node_departure *d; (d = s->injected);) {
        s->injected = d->next;
        node_cell_free(&n->cells, d, departure_size(d));
    }
}
