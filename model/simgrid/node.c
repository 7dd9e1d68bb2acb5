/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/node.h"

#include <string.h>

#include "engine/law.h"
#include "engine/least.h"
#include "engine/queue.h"
#include "llp/mpa.h"

/* ---- what is told ---- */

static void tell(struct grid_end *e, struct node_event *x)
{
    x->user = 2 * (uint64_t)e->conn + (unsigned)e->side;
    e->node->observer->told(e->node->observer->context, e, x);
}

static void tell_sent(struct grid_end *e, iw_time now, const struct iw_seg *seg)
{
    struct node_event x = {.kind = NODE_PULLED, .t = now, .key = seg->key, .len = seg->payload_len};
    node_seg_of(&x.seg, seg);
    if (e->node->conf->shows)
        node_seg_show(&x.seg, seg);
    tell(e, &x);
}

/* The sender is told. */
static void tell_resent(const struct grid_packet *p, iw_time now)
{
    tell(p->chunk->from,
         &(struct node_event){.kind = NODE_RETRANSMITTED, .t = now, .key = p->key, .end = p->key + p->size});
}

static void tell_dropped(struct grid_end *e, iw_time now, const struct grid_packet *p, enum node_drop why)
{
    tell(e, &(struct node_event){.kind = NODE_DROPPED, .t = now, .key = p->key, .len = p->size, .why = why});
}

static void look(struct grid_end *e, iw_time at)
{
    e->node->observer->look(e->node->observer->context, at, e);
}

/* ---- acknowledgements ---- */

static void consume(struct grid_end *e, iw_time now)
{
    const struct grid_conf *c = e->node->conf;
    if (!c->consume_rate) {
        e->consumed = e->next;
        return;
    }
    double octets =
        (double)(now > e->consumed_at ? now - e->consumed_at : 0) * 1e-12 / 8 * (double)c->consume_rate;
    e->consumed += (uint64_t)octets < e->next - e->consumed ? (uint64_t)octets : e->next - e->consumed;
    e->consumed_at = most(now, e->consumed_at);
    LAW(e->consumed <= e->next);
}

static void acknowledge(struct grid_end *e, iw_time at, uint64_t key)
{
    struct grid_node *n = e->node;
    consume(e, at);
    struct rnic_window_state state = {.next = e->next,
                                      .backlog = e->intake.staged,
                                      .held = e->intake.held,
                                      .consumed = e->consumed,
                                      .staging = rnic_statistics(n->nic)->staging};
    uint64_t told = e->advertised.advertised;
    uint64_t window = rnic_window_advertise(&e->advertised, at, &state) << e->advertised.shift;
    LAW(key <= e->next && e->next + window >= told);
    tell(e, &(struct node_event){.kind = NODE_WINDOW, .t = at, .key = e->next, .edge = e->next + window});
    n->observer->acknowledge(n->observer->context, at, e, key, window);
}

/* ---- sender ---- */

iw_time grid_post(struct grid_end *e, iw_time at, const struct iw_work *work)
{
    struct rnic *nic = e->node->tx;
    if (work->op != IW_RECV)
        return rnic_post(nic, at, step_octets(work));
    rnic_post_recv(nic, at);
    return at;
}

iw_time grid_heard(struct grid_end *e, iw_time at, uint32_t octets, bool idle)
{
    iw_time known = rnic_fetch(e->node->tx, at, octets);
    if (idle)
        e->known = known;
    return known;
}

/* One segment as a packet. Workloads and the engine say a payload in one piece. */
static void pack(struct grid_chunk *chunk, const struct grid_end *e, const struct iw_seg *seg)
{
    struct grid_packet *p = &chunk->packet[chunk->flow.n++];
    uint32_t ulpdu = seg->head_len + seg->payload_len;
    LAW(chunk->flow.n <= chunk->room && (chunk->flow.n == 1 || seg->key == p[-1].key + p[-1].size));
    p->key = seg->key;
    p->chunk = chunk;
    p->octets = seg->frags ? seg->frag[0].octets : NULL;
    p->size = mpa_fpdu_size(seg->key, ulpdu, e->node->conf->markers);
    p->payload_len = (uint16_t)seg->payload_len;
    p->head_len = seg->head_len;
    p->flags = p->resends = 0;
    memcpy(p->head, seg->head, sizeof p->head);
}

/* The first segment goes through the stages; those behind it are ready while it is sent. What follows a flow at once
 * was read and prepared while that one was under way. */
static iw_time first_out(struct grid_end *e, iw_time now, const struct grid_packet *p, bool in_memory)
{
    bool follows = e->follows == now && e->known + e->node->conf->pipeline <= now;
    iw_time from = most(now, most(e->known, e->resume));
    iw_time out = step_way_out(e->node->tx, from, e->lane, in_memory, p->size, p->payload_len);
    return follows ? from : out;
}

/* Data carries the acknowledgement of what came. */
static void carry(struct grid_end *e, iw_time now)
{
    if (!e->unacked)
        return;
    e->unacked = 0;
    acknowledge(e, now, e->next);
}

static iw_time ready(struct grid_end *e, iw_time now, struct grid_chunk *chunk, bool in_memory)
{
    chunk->left = chunk->flow.n;
    chunk->flow.latency = e->latency;
    chunk->flow.again = e->again;
    chunk->flow.narrow = e->narrow;
    chunk->flow.behind = e->behind;
    chunk->flow.tail = !iw_has_work(e->ep);
    chunk->octets = grid_flow_octets(&e->node->conf->path, &chunk->flow);
    chunk->run = chunk->retry = (struct grid_run){0};
    return first_out(e, now, &chunk->packet[0], in_memory);
}

/* ---- slow start: what a round trip carries doubles until it holds what path and window hold ---- */

iw_time grid_ramp(struct grid_end *e, iw_time now)
{
    bool spent = !e->ramp_left;
    if (!e->ramp || (now < e->round_end && !spent))
        return now;
    if (now < e->round_end)
        return e->round_end;
    bool path_is_full = spent && e->round_end && e->follows > e->round_end + e->round;
    e->ramp = path_is_full || e->ramp >= e->window ? 0 : spent && e->round_end ? 2 * e->ramp : e->ramp;
    e->ramp_left = e->ramp;
    e->round_end = now + e->round;
    return now;
}

static void use_ramp(struct grid_end *e, uint32_t octets)
{
    e->ramp_left -= octets < e->ramp_left ? octets : e->ramp_left;
}

iw_time grid_cut(struct grid_end *e, iw_time now, struct grid_chunk *chunk)
{
    const struct grid_conf *c = e->node->conf;
    struct iw_seg seg;
    uint64_t octets = 0;
    uint32_t messages = 0;
    bool in_memory = false; /* the first segment */
    chunk->from = e;
    chunk->to = e->peer;
    chunk->flow.n = 0;
    while (chunk->flow.n < chunk->room && octets < c->chunk && messages < c->messages &&
           (!e->ramp || e->ramp_left) && iw_transmit(e->ep, now, e->next_key, &seg)) {
        struct step_kind kind = step_kind(&seg, false, &e->open);
        if (!chunk->flow.n)
            in_memory = step_in_memory(e->node->tx, &kind, seg.payload_len);
        pack(chunk, e, &seg);
        uint32_t size = chunk->packet[chunk->flow.n - 1].size;
        e->next_key += size;
        octets += size;
        use_ramp(e, size);
        messages += kind.last;
        tell_sent(e, now, &seg);
    }
    if (!chunk->flow.n)
        return IW_NEVER;
    LAW(e->next_key == chunk->packet[0].key + octets);
    iw_accepted(e->ep, now, e->next_key);
    iw_time out = ready(e, now, chunk, in_memory);
    carry(e, out);
    return out;
}

iw_time grid_inject(struct grid_end *e, iw_time now, struct grid_chunk *chunk, const struct iw_seg *seg)
{
    chunk->from = e;
    chunk->to = e->peer;
    chunk->flow.n = 0;
    pack(chunk, e, seg);
    e->next_key += chunk->packet[0].size;
    return ready(e, now, chunk, false);
}

bool grid_beyond(const struct grid_chunk *chunk, uint64_t window)
{
    const struct grid_end *to = chunk->to;
    bool hole = to->late_first && !to->blocked;
    return hole && chunk->packet[0].key >= to->next + window;
}

void grid_note_acked(struct grid_end *e, iw_time now, uint64_t key, uint64_t window)
{
    e->window = window;
    iw_note_acked(e->ep, now, key);
    look(e, now);
}

/* ---- flows under way ---- */

void grid_started(struct grid_chunk *chunk, iw_time now)
{
    struct grid_node *n = chunk->to->node;
    chunk->flow.start = now;
    chunk->after = NULL;
    chunk->before = n->under_way_last;
    LAW(!n->under_way || chunk->before->flow.start <= now); /* by start */
    if (chunk->before)
        chunk->before->after = chunk;
    else
        n->under_way = chunk;
    n->under_way_last = chunk;
}

static void no_longer_under_way(struct grid_chunk *chunk)
{
    struct grid_node *n = chunk->to->node;
    LAW(chunk->before ? chunk->before->after == chunk : n->under_way == chunk);
    if (chunk->before)
        chunk->before->after = chunk->after;
    else
        n->under_way = chunk->after;
    if (chunk->after)
        chunk->after->before = chunk->before;
    else
        n->under_way_last = chunk->before;
}

static void tell_resends(const struct grid_chunk *chunk, iw_time now)
{
    for (uint32_t i = 0; i < chunk->flow.n; i++)
        for (uint8_t r = 0; r < chunk->packet[i].resends; r++)
            tell_resent(&chunk->packet[i], now);
}

struct grid_expanded grid_land(struct grid_chunk *chunk, iw_time now)
{
    struct grid_end *from = chunk->from;
    no_longer_under_way(chunk);
    chunk->flow.end = now;
    chunk->flow.before = from->arrived;
    chunk->flow.before_octets = from->arrived_octets;
    from->arrived_octets = chunk->packet[chunk->flow.n - 1].size + from->node->conf->path.framing;
    struct grid_expanded x = grid_expand(&from->node->conf->path, from->loss_process, &chunk->flow);
    if (x.resends)
        tell_resends(chunk, now);
    from->arrived = x.clear;
    from->flying = false;
    from->follows = now;
    from->resume = x.stall ? now + x.stall : 0;
    chunk->run.first = &chunk->packet[0];
    grid_merge_add(&chunk->to->node->merge, &chunk->run);
    return x;
}

/* ---- a packet is done with when it has left the adapter and its turn is over ---- */

static void check_done(struct grid_packet *p)
{
    const uint8_t both = GRID_RELEASED | GRID_PASSED;
    if ((p->flags & both) != both)
        return;
    struct grid_chunk *chunk = p->chunk;
    LAW(chunk->left && chunk->left <= chunk->flow.n);
    if (--chunk->left == 0)
        chunk->to->node->observer->done(chunk->to->node->observer->context, chunk);
}

static void pass(struct grid_packet *p)
{
    LAW(!(p->flags & GRID_PASSED));
    p->flags |= GRID_PASSED;
    check_done(p);
}

static void release(struct grid_end *e, struct grid_packet *p)
{
    LAW(!(p->flags & (GRID_RELEASED | GRID_HELD))); /* what arrived is in staging, held, or gone */
    intake_release(&e->intake, e->node->nic, p->size);
    p->flags |= GRID_RELEASED;
    check_done(p);
}

void grid_settle(struct grid_node *n, iw_time now)
{
    while (n->leaving && n->leaving->at <= now) {
        struct grid_packet *p = n->leaving;
        n->leaving = p->next;
        release(p->chunk->to, p);
    }
}

/* Law: staging is left in the order of the DMA writes. `earliest`: what arrives next at this node. */
static void release_at(struct grid_end *e, struct grid_packet *p, iw_time at)
{
    struct grid_node *n = e->node;
    if (at <= p->at && !n->leaving) {
        release(e, p);
        return;
    }
    p->at = at;
    LAW(!n->leaving || n->leaving_last->at <= at); /* staging is left in the order of the DMA writes */
    QUEUE_PUT(n->leaving, n->leaving_last, p, next);
}

/* ---- nothing is left ---- */

/* Octets of what waits for its turn: in NIC memory, or still in staging. */
static uint64_t late_octets(const struct grid_end *e, bool held)
{
    uint64_t octets = 0;
    for (const struct grid_packet *p = e->late_first; p; p = p->late)
        if (!(p->flags & GRID_RELEASED) && held == ((p->flags & GRID_HELD) != 0))
            octets += p->size;
    return octets;
}

const char *grid_end_leftover(const struct grid_end *e)
{
    e->node->waiting.staged += e->intake.staged;
    e->node->waiting.held += e->intake.held;
    if (e->intake.staged != late_octets(e, false))
        return "a connection counts octets in staging, but none are there";
    return e->intake.held != late_octets(e, true)
               ? "a connection counts octets in NIC memory, but none are there"
               : NULL;
}

const char *grid_node_leftover(const struct grid_node *n)
{
    return intake_leftover(n->nic, n->waiting);
}

/* ---- sent again ---- */

/* It comes again `recovery` after `now`. */
static void again(struct grid_end *e, struct grid_packet *p, iw_time now)
{
    struct grid_chunk *chunk = p->chunk;
    p->at = now + e->node->conf->path.recovery;
    p->next = NULL;
    tell_resent(p, now);
    if (chunk->retry.first) {
        p->at = most(p->at, chunk->retry_last->at);
        chunk->retry_last->next = p;
        chunk->retry_last = p;
        return;
    }
    chunk->retry.first = chunk->retry_last = p;
    grid_merge_add(&e->node->merge, &chunk->retry);
}

static void refuse_packet(struct grid_end *e, struct grid_packet *p, iw_time now, enum node_drop why)
{
    tell_dropped(e, now, p, why);
    intake_release(&e->intake, e->node->nic, p->size);
    again(e, p, now);
}

/* ---- ahead of its turn ---- */

static void put_late(struct grid_end *e, struct grid_packet *p)
{
    struct grid_packet **at = &e->late_first;
    if (e->late_last && e->late_last->key < p->key)
        at = &e->late_last->late;
    else
        while (*at && (*at)->key < p->key)
            at = &(*at)->late;
    p->late = *at;
    *at = p;
    if (!p->late)
        e->late_last = p;
    LAW(!p->late || p->key < p->late->key); /* late packets are in the order of their keys */
}

static struct grid_packet *take_late(struct grid_end *e)
{
    struct grid_packet *p = e->late_first;
    LAW(!p->late == (p == e->late_last));
    e->late_first = p->late;
    if (!e->late_first)
        e->late_last = NULL;
    return p;
}

/* ---- engine ---- */

static void view(const struct grid_packet *p, struct iw_seg *seg)
{
    seg->key = p->key;
    seg->payload_len = p->payload_len;
    seg->head_len = p->head_len;
    seg->frags = p->payload_len ? 1 : 0;
    memcpy(seg->head, p->head, sizeof p->head);
    seg->frag[0] = (struct iw_frag){p->octets, p->payload_len};
}

static void spoil(const struct grid_packet *p, const struct iw_place *place)
{
    if ((p->flags & GRID_CORRUPTED) && place->address && place->len)
        place->address[p->corrupt % place->len] ^= (uint8_t)(1u << p->bit);
}

/* Check, write, commit. False: it waits, and nothing has changed. */
static bool place_packet(struct grid_end *e, struct grid_packet *p, iw_time now, bool ooo, bool dma)
{
    struct grid_node *n = e->node;
    struct iw_place where;
    struct iw_seg seg;
    view(p, &seg);
    iw_time written = 0;
    int verdict = step_place(e->ep, dma ? n->nic : NULL, now, &seg, &where, &written);
    if (verdict == IW_LATER)
        return false;
    LAW(!(p->flags & GRID_PLACED));
    p->flags |= GRID_PLACED;
    e->placed_at = most(e->placed_at, n->conf->exact || verdict != IW_OK ? now : written);
    LAW(e->placed_at >=
        (n->conf->exact || verdict != IW_OK ? now : written)); /* placed_at never gets smaller */
    if (verdict == IW_OK && step_commit(e->ep, e->placed_at, &seg, &where) == IW_OK) {
        spoil(p, &where);
        struct node_event x = {.kind = NODE_PLACED, .t = e->placed_at, .key = p->key, .in_order = !ooo};
        x.place = node_place_of(&where);
        tell(e, &x);
    }
    return true;
}

struct delivery {
    struct grid_end *e;
    bool some;
};

static void tell_delivered(void *user, iw_time at, const struct iw_message *message)
{
    struct delivery *d = user;
    d->some = true;
    struct node_event x = {.kind = NODE_DELIVERED, .t = at, .key = message->key};
    x.message = node_message_of(message);
    tell(d->e, &x);
}

/* True: at least one message. */
static bool deliver_messages(struct grid_end *e)
{
    struct delivery to = {.e = e};
    int result = step_deliver(e->ep, e->placed_at, e->next, tell_delivered, &to);
    tell(e, &(struct node_event){.kind = NODE_EDGE, .t = e->placed_at, .key = iw_delivered_edge(e->ep)});
    if (to.some || result || e->blocked) /* in the middle of a message the engine has nothing to say */
        look(e, e->placed_at);
    return to.some;
}

static void fail_end(struct grid_end *e, iw_time now, int term)
{
    e->deaf = true;
    iw_llp_failed(e->ep, now, term);
    look(e, now);
}

/* ---- in order ---- */

static void free_hold(struct grid_end *e, struct grid_packet *p)
{
    LAW(!(p->flags & GRID_RELEASED));
    intake_unhold(&e->intake, e->node->nic, p->size);
    p->flags |= GRID_RELEASED;
}

/* The CPU sleeps until there is something to read, enters the kernel, and copies until there is nothing. */
static iw_time copy(struct grid_end *e, iw_time in_kernel, uint32_t octets)
{
    struct rnic *nic = e->node->nic;
    iw_time start = in_kernel >= e->read_until ? rnic_syscall(nic, in_kernel) : e->read_until;
    return e->read_until = rnic_copy(nic, start, octets);
}

static bool is_spoilt(const struct grid_end *e, const struct grid_packet *p)
{
    return (p->flags & GRID_MARKER) || ((p->flags & GRID_CORRUPTED) && e->node->conf->crc);
}

/* Its turn. False: it must wait for a receive buffer. */
static bool take_turn(struct grid_end *e, struct grid_packet *p, iw_time now)
{
    const struct grid_conf *c = e->node->conf;
    if (is_spoilt(e, p) && !e->deaf)
        fail_end(e, now, p->flags & GRID_MARKER ? IW_T_LLP_MARKER : IW_T_LLP_CRC);
    bool was_placed = p->flags & GRID_PLACED, by_cpu = rnic_path_is(c->receive, RNIC_BY_CPU);
    if (!was_placed && !e->deaf) {
        iw_time from = by_cpu ? copy(e, most(now, p->at), p->payload_len) : now;
        if (!place_packet(e, p, from, false, !by_cpu))
            return false;
    }
    if (p->flags & GRID_HELD)
        free_hold(e, p);
    else if (!was_placed && !by_cpu)
        release_at(e, p, most(e->placed_at, now));
    return true;
}

/* It is the next one: it, and what waited behind it, each delivered before the next is in order. True: at least one
 * message was. */
static bool deliver_in_order(struct grid_end *e, struct grid_packet *p, iw_time now)
{
    bool some = false;
    for (;;) {
        e->blocked = !take_turn(e, p, now);
        if (e->blocked) {
            put_late(e, p);
            return deliver_messages(e) || some;
        }
        LAW(p->key == e->next); /* its turn */
        e->next = p->key + p->size;
        pass(p);
        some |= deliver_messages(e);
        if (!e->late_first || e->late_first->key != e->next)
            return some;
        p = take_late(e);
    }
}

static void touch(struct grid_end *e)
{
    if (e->touched)
        return;
    e->touched = true;
    e->touched_next = e->node->touched;
    e->node->touched = e;
}

/* An acknowledgement for every second segment in order, and at once when something is, or was, out of order. */
static void note_ack(struct grid_end *e, iw_time now, bool at_once)
{
    const struct grid_conf *c = e->node->conf;
    if (e->unacked && now >= e->accepted_at + c->acks.timeout)
        e->unacked = 0; /* the timer has answered those */
    e->accepted_at = now;
    LAW(e->unacked < c->acks.every || !c->acks.every);
    if (++e->unacked >= c->acks.every || at_once) {
        e->unacked = 0;
        e->ack_edge = e->next;
        e->ack_at = now;
    }
    touch(e);
}

/* The sender may learn at once that a message is over. */
static void answer_now(struct grid_end *e)
{
    if (e->ack_at)
        acknowledge(e, e->ack_at, e->ack_edge);
    e->ack_at = 0;
}

/* ---- arrival ---- */

static bool hold(struct grid_end *e, struct grid_packet *p)
{
    bool held = intake_hold(&e->intake, e->node->nic, p->size);
    p->flags |= held ? GRID_HELD : 0;
    return held;
}

static void into_kernel(struct grid_end *e, struct grid_packet *p, iw_time now)
{
    iw_time at = step_into_kernel(e->node->nic, now, p->size);
    p->at = now;
    release_at(e, p, at);
    p->at = at; /* when the CPU may read it */
}

/* Why a path does not take it. */
static enum node_drop refusal(struct grid_end *e, struct grid_packet *p, bool ooo)
{
    const struct grid_conf *c = e->node->conf;
    if ((p->flags & GRID_CORRUPTED) && c->crc) {
        e->node->crc_errors++;
        if (c->crc_drop) {
            p->flags &= (uint8_t)~GRID_CORRUPTED;
            return NODE_FOR_CRC;
        }
    }
    const struct node_path *path = node_paths[c->receive];
    bool holds = rnic_path_is(c->receive, RNIC_HOLDS);
    bool taken = !ooo || (holds ? hold(e, p) : p->size <= path_room(path, e->node->nic));
    return taken ? NODE_NOT_DROPPED : path->refusal;
}

static void accept_ahead(struct grid_end *e, struct grid_packet *p, iw_time now)
{
    put_late(e, p);
    if (rnic_path_is(e->node->conf->receive, RNIC_IN_ORDER) || is_spoilt(e, p) || e->deaf)
        return;
    if (place_packet(e, p, now, true, true))
        release_at(e, p, e->placed_at);
}

static void accept(struct grid_end *e, struct grid_packet *p, iw_time now)
{
    bool ooo = p->key > e->next || e->blocked, filled = !ooo && e->late_first;
    enum node_drop why = refusal(e, p, ooo);
    if (why != NODE_NOT_DROPPED) {
        refuse_packet(e, p, now, why);
        return;
    }
    tell(e, &(struct node_event){
                .kind = NODE_TAKEN, .t = now, .key = p->key, .len = p->payload_len, .in_order = !ooo});
    if (rnic_path_is(e->node->conf->receive, RNIC_BY_CPU))
        into_kernel(e, p, now);
    bool some = !ooo && deliver_in_order(e, p, now);
    if (ooo)
        accept_ahead(e, p, now);
    note_ack(e, now, ooo || filled);
    if (some)
        answer_now(e);
}

/* The flows of many connections come over one link: its packets are at least their own time apart. */
static void come_in(struct grid_node *n, struct grid_packet *p)
{
    iw_time before = n->port;
    p->at = most(p->at, n->port + grid_link_time(&n->conf->path, p));
    n->port = p->at;
    LAW(n->port >= before); /* at one node the adapter sees segments in the order they arrive */
}

static void arrive(struct grid_node *n, struct grid_packet *p)
{
    struct grid_end *e = p->chunk->to;
    if (!n->conf->exact)
        come_in(n, p);
    grid_settle(n, p->at);
    if (n->due <= p->at)
        n->observer->catch_up(n->observer->context, p->at, n);
    iw_time ready = rnic_arrive(n->nic, p->at, e->lane, p->size);
    if (ready == IW_NEVER) {
        tell_dropped(e, p->at, p, NODE_FOR_STAGING);
        again(e, p, p->at);
        return;
    }
    if (p->flags & GRID_DUPLICATED) {
        p->flags &= (uint8_t)~GRID_DUPLICATED;
        if (rnic_arrive(n->nic, p->at, e->lane, p->size) != IW_NEVER)
            rnic_release(n->nic, p->size);
    }
    e->intake.staged += p->size;
    LAW(rnic_statistics(n->nic)->staging >= e->intake.staged);
    accept(e, p, n->conf->exact ? p->at : ready);
}

/* ---- acknowledgements due ---- */

static void answer_peer(struct grid_end *e)
{
    answer_now(e);
    if (e->unacked && !e->peer->flying && !e->flying)
        acknowledge(e, e->accepted_at + e->node->conf->acks.timeout, e->next);
}

static iw_time horizon(const struct grid_node *n, iw_time now)
{
    if (n->conf->exact || !n->under_way)
        return now;
    iw_time earliest = n->under_way->flow.start + n->conf->latency_least;
    return least(earliest, now);
}

void grid_receive(struct grid_node *n, iw_time now)
{
    struct grid_packet *p;
    iw_time up_to = horizon(n, now);
    while ((p = grid_merge_take(&n->merge, up_to)))
        arrive(n, p);
    while (n->touched) {
        struct grid_end *e = n->touched;
        n->touched = e->touched_next;
        e->touched = false;
        answer_peer(e);
    }
}

iw_time grid_receive_deadline(const struct grid_node *n)
{
    iw_time next = grid_merge_deadline(&n->merge);
    bool must_wait =
        !n->conf->exact && n->under_way && next > n->under_way->flow.start + n->conf->latency_least;
    return must_wait ? IW_NEVER : next;
}

void grid_again(struct grid_end *e, iw_time now)
{
    if (!e->blocked)
        return;
    deliver_in_order(e, take_late(e), most(now, e->placed_at));
    touch(e);
    grid_receive(e->node, 0);
}
