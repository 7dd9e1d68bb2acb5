/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path.c -- the four receive paths: what becomes of a segment that was accepted, by whether its turn has come.
 *
 *   place     every segment is checked and written at once, in order or not
 *   hold      a unit out of order moves to NIC memory; its segments are written in a burst when the hole has filled
 *   discard   a unit out of order is refused
 *   copy      every packet is written to the kernel's buffer; the CPU copies segments where they belong
 */
#include <string.h>

#include "engine/least.h"
#include "engine/queue.h"
#include "node/node_inner.h"

/* ---- check, write, commit ---- */

static size_t placement_size(uint32_t octets)
{
    return sizeof(struct node_placement) + octets;
}

/* Octets of a segment that are its placement's own: those that did not come with the packet that waits for it. */
static uint32_t own_octets(const struct iw_seg *seg, const struct node_landing *l)
{
    const uint8_t *at = seg->frags ? seg->frag[0].octets : NULL;
    bool landed = l && at >= l->octets && at < l->octets + l->packet.head;
    return !at || landed ? 0 : seg->payload_len;
}

/* The payload moves into the placement, in one piece. */
static void own_payload(struct node_placement *p)
{
    uint8_t *to = p->octets;
    for (uint8_t i = 0; i < p->seg.frags; to += p->seg.frag[i++].len)
        memcpy(to, p->seg.frag[i].octets, p->seg.frag[i].len);
    p->seg.frags = 1;
    p->seg.frag[0] = (struct iw_frag){p->octets, p->seg.payload_len};
}

static struct node_placement *make_placement(struct node *n, struct node_stream *s,
                                             const struct llp_segment *in, struct node_landing *l)
{
    uint32_t own = own_octets(&in->seg, l);
    struct node_placement *p = node_cell_take(&n->cells, placement_size(own));
    if (!p) {
        n->no_memory = true;
        return NULL;
    }
    p->seg = in->seg;
    p->next = NULL;
    p->landing = in->again ? NULL : l;
    p->edge = 0;
    p->kernel = connection_of(n, s)->into_kernel;
    p->stream = s->number;
    p->in_order = in->in_order;
    if (own)
        own_payload(p);
    if (p->landing)
        p->landing->waiting++;
    LAW(p->seg.payload_len <= UINT16_MAX && p->kernel >= connection_of(n, s)->in_kernel);
    return p;
}

static void free_placement(struct node *n, struct node_placement *p)
{
    const uint8_t *at = p->seg.frags ? p->seg.frag[0].octets : NULL;
    uint32_t own = at == p->octets ? p->seg.payload_len : 0;
    struct node_landing *l = p->landing;
    node_cell_free(&n->cells, p, placement_size(own));
    if (l) {
        LAW(l->waiting);
        l->waiting--;
        receive_let_go(n, l);
    }
}

static void tell_kept(struct node *n, const struct node_stream *s, const struct iw_seg *seg)
{
    if (node_hears(n, NODE_KEPT))
        node_tell_segment(
            n, s, &(struct node_event){.kind = NODE_KEPT, .key = seg->key, .len = seg->payload_len}, seg);
}

/* What came early is to be remembered, and a Read until it is answered. */
static int step(struct node *n, const struct node_stream *s, struct rnic *by, const struct iw_seg *seg,
                struct iw_place *place, iw_time *placed)
{
    if (seg->key > s->edge)
        node_make_room(n, s->ep, IW_TABLE_REORDER);
    if (step_asks(seg))
        node_make_room(n, s->ep, IW_TABLE_READS_IN);
    return step_place(s->ep, by, n->now, seg, place, placed);
}

/* Is it on its way to memory? What may not be now is kept by the lower layer. */
static bool write(struct node *n, struct node_stream *s, const struct iw_seg *seg, struct iw_place *place,
                  iw_time *placed)
{
    struct node_connection *c = connection_of(n, s);
    int verdict = step(n, s, n->nic, seg, place, placed);
    if (verdict == IW_LATER) {
        tell_kept(n, s, seg);
        s->kept = true;
        c->llp->keep(c->l, s->llp_stream);
    } else if (verdict > 0) {
        settle_fault(n, s, verdict);
    }
    return verdict == IW_OK;
}

static void commit(struct node *n, struct node_stream *s, const struct iw_seg *seg,
                   const struct iw_place *place, bool in_order)
{
    int result = step_commit(s->ep, n->now, seg, place);
    if (result > 0)
        settle_fault(n, s, result);
    if (result == IW_OK && node_hears(n, NODE_PLACED))
        node_tell_place(n, s, NODE_PLACED, in_order, seg, place);
}

static bool comes_in_turn(const struct node_stream *s, const struct iw_seg *seg)
{
    return seg->key == iw_delivered_edge(s->ep);
}

/* What is issued is not yet seen: that has no effect. */
static void tell_written(struct node *n, const struct node_stream *s, const struct iw_seg *seg,
                         const struct iw_place *place)
{
    if (node_hears(n, NODE_WRITTEN))
        node_tell_place(n, s, NODE_WRITTEN, comes_in_turn(s, seg), seg, place);
}

/* ---- place: check and write at once ---- */

/* Each write ends at its own time (order: any); else in the order in which they were issued. */
static bool in_any_order(const struct node *n)
{
    return rnic_configuration(n->nic)->order == RNIC_ANY;
}

/* They stand where a connection whose CPU copies has what it reads; no CPU reads these. */
static void overtakable(struct node_connection *c, struct node_placement *p)
{
    p->kernel = UINT64_MAX;
    p->next = c->reads;
    c->reads = p;
}

/* It is in place. What may be delivered once those are that it has overtaken is theirs to tell. */
static void arrived_there(struct node_connection *c, const struct node_placement *p)
{
    for (struct node_placement **at = &c->reads; *at;)
        if (*at == p) {
            *at = p->next;
        } else {
            if ((*at)->stream == p->stream)
                (*at)->edge = most((*at)->edge, p->edge);
            at = &(*at)->next;
        }
}

/* Below that all octets are in place, of those below `edge`. */
static uint64_t without_holes(const struct node_connection *c, const struct node_stream *s, uint64_t edge)
{
    for (const struct node_placement *p = c->reads; p; p = p->next)
        edge = p->stream == s->number && p->seg.key < edge ? p->seg.key : edge;
    return edge;
}

static void place_segment(struct node *n, struct node_stream *s, const struct llp_segment *in,
                          struct node_landing *l)
{
    struct node_connection *c = connection_of(n, s);
    struct iw_place place;
    bool any = in_any_order(n);
    iw_time own = n->now, *placed = any ? &own : &c->last_placed;
    if (!write(n, s, &in->seg, &place, placed))
        return;
    tell_written(n, s, &in->seg, &place);
    if (*placed <= n->now && (any || !c->placing)) {
        commit(n, s, &in->seg, &place, comes_in_turn(s, &in->seg));
        return;
    }
    struct node_placement *p = make_placement(n, s, in, l);
    if (!p)
        return;
    p->place = place;
    p->edge = c->llp->edge(c->l, s->llp_stream);
    s->placing++;
    c->placing++;
    LAW(node_placing_agrees(n, c) && *placed >= n->now);
    if (any)
        overtakable(c, p);
    agenda_put(n, *placed, AGENDA_PLACED, c->number, p);
}

void path_placed(struct node *n, struct node_placement *p)
{
    struct node_stream *s = n->stream[p->stream];
    struct node_connection *c = connection_of(n, s);
    bool waits = s->placing > 1 && !in_any_order(n);
    uint64_t edge = p->edge;
    LAW(s->placing && c->placing && node_placing_agrees(n, c));
    LAW(in_any_order(n) || c->last_placed >= n->now); /* in the order in which they were written */
    arrived_there(c, p);
    s->placing--;
    c->placing--;
    c->freed = true;
    commit(n, s, &p->seg, &p->place, comes_in_turn(s, &p->seg));
    free_placement(n, p);
    edge = waits || c->gone ? edge : c->llp->edge(c->l, s->llp_stream);
    receive_deliver(n, s, without_holes(c, s, edge));
    node_settle(n, c);
}

/* ---- hold: NIC memory ---- */

static uint64_t hold_room(const struct rnic *r)
{
    return rnic_configuration(r)->hold_bytes - rnic_statistics(r)->held;
}

static bool comes_before(const struct node_held *h, const struct llp_unit *u)
{
    return h->stream != u->stream ? h->stream < u->stream : h->key < u->key;
}

static void hold_accepted(struct node *n, struct node_connection *c, struct node_landing *l,
                          const struct llp_unit *u)
{
    struct node_held **at = &c->held;
    const struct node_stream *s = n->stream[c->first + u->stream];
    struct node_held *h = !u->in_order && !s->down && !s->deaf ? node_cell_take(&n->cells, sizeof *h) : NULL;
    if (!h || !intake_hold(&c->intake, n->nic, u->octets))
        return;
    while (*at && comes_before(*at, u))
        at = &(*at)->next;
    *h = (struct node_held){*at, u->key, u->octets, u->stream};
    *at = h;
    LAW(l->staged >= u->octets);
    LAW(node_held_agrees(c)); /* by stream and key, of one connection */
    l->staged -= u->octets;
    if (node_hears(n, NODE_HELD))
        node_tell(n, n->stream[c->first + u->stream],
                  &(struct node_event){.kind = NODE_HELD, .key = u->key, .end = u->end, .len = u->octets});
}

/* Ahead of its turn it stays where it is. */
static void hold_segment(struct node *n, struct node_stream *s, const struct llp_segment *in,
                         struct node_landing *l)
{
    struct node_connection *c = connection_of(n, s);
    if (in->in_order)
        place_segment(n, s, in, l);
    else
        c->llp->keep(c->l, s->llp_stream);
}

/* Units of a stream below `edge` are in place. */
void path_unhold(struct node *n, struct node_connection *c, const struct node_stream *s, uint64_t edge)
{
    for (struct node_held **at = &c->held, *h; (h = *at) && h->stream <= s->llp_stream;) {
        if (h->stream < s->llp_stream || h->key >= edge) {
            at = &h->next;
            continue;
        }
        *at = h->next;
        LAW(c->intake.held >= h->octets);
        intake_unhold(&c->intake, n->nic, h->octets);
        node_cell_free(&n->cells, h, sizeof *h);
    }
}

/* ---- copy: the kernel's buffer first, then the CPU ---- */

/* The whole packet, once for all its units. */
static void copy_accepted(struct node *n, struct node_connection *c, struct node_landing *l,
                          const struct llp_unit *u)
{
    (void)u;
    if (l->number || !l->staged)
        return;
    l->number = ++c->into_kernel;
    l->waiting++;
    c->last_placed = most(c->last_placed, step_into_kernel(n->nic, n->now, l->staged));
    if (c->last_placed <= n->now)
        path_in_kernel(n, l);
    else
        agenda_put(n, c->last_placed, AGENDA_KERNEL, c->number, l);
}

void path_in_kernel(struct node *n, struct node_landing *l)
{
    struct node_connection *c = n->connection[l->connection];
    c->in_kernel++;
    LAW(c->in_kernel <= c->into_kernel &&
        l->number == c->in_kernel); /* in the order in which they were written */
    c->freed = true;
    receive_release(n, l);
    l->waiting--;
    receive_let_go(n, l);
    path_read(n, c);
}

static void copy_segment(struct node *n, struct node_stream *s, const struct llp_segment *in,
                         struct node_landing *l)
{
    struct node_connection *c = connection_of(n, s);
    struct node_placement *p = make_placement(n, s, in, l);
    if (!p)
        return;
    p->edge = c->llp->edge(c->l, s->llp_stream);
    s->placing++;
    QUEUE_PUT(c->reads, c->reads_last, p, next);
    path_read(n, c);
}

/* What the CPU could read now: it is in the kernel's buffer. */
static struct node_placement *readable(const struct node_connection *c)
{
    return c->reads && c->reads->kernel <= c->in_kernel ? c->reads : NULL;
}

/* The ULP sleeps until there is something to read, and then reads until there is nothing. */
void path_read(struct node *n, struct node_connection *c)
{
    if (c->reader != READER_ASLEEP || !readable(c))
        return;
    c->reader = READER_ENTERING;
    agenda_put(n, rnic_syscall(n->nic, n->now), AGENDA_READER, c->number, NULL);
}

static void begin_copy(struct node *n, struct node_connection *c)
{
    struct node_placement *p = readable(c);
    c->reader = p ? READER_COPYING : READER_ASLEEP;
    if (p)
        agenda_put(n, rnic_copy(n->nic, n->now, p->seg.payload_len), AGENDA_READER, c->number, NULL);
}

/* What was copied becomes the ULP's. False: it waits for a receive buffer, and a receive that is posted wakes the reader. */
static bool end_copy(struct node *n, struct node_connection *c)
{
    struct node_placement *p = c->reads;
    struct node_stream *s = n->stream[p->stream];
    int verdict = step(n, s, NULL, &p->seg, &p->place, &c->last_placed);
    if (verdict == IW_LATER) {
        tell_kept(n, s, &p->seg);
        return false;
    }
    if (verdict == IW_OK) {
        tell_written(n, s, &p->seg, &p->place);
        commit(n, s, &p->seg, &p->place, comes_in_turn(s, &p->seg));
    } else if (verdict > 0)
        settle_fault(n, s, verdict);
    uint64_t edge = p->edge;
    LAW(s->placing && p->kernel <= c->in_kernel); /* it is in the kernel's buffer */
    c->reads = p->next;
    s->placing--;
    free_placement(n, p);
    receive_deliver(n, s, edge);
    return true;
}

void path_reader(struct node *n, struct node_connection *c)
{
    bool entering = c->reader == READER_ENTERING;
    c->reader = READER_ASLEEP;
    c->freed = true;
    if (c->reads && (entering || end_copy(n, c)))
        begin_copy(n, c);
    node_settle(n, c);
}

/* ---- the table ---- */

static uint64_t no_room(const struct rnic *r)
{
    (void)r;
    return 0;
}

static const struct node_path place = {NULL, NODE_NOT_DROPPED, NULL, place_segment},
                              hold = {hold_room, NODE_FOR_HOLD, hold_accepted, hold_segment},
                              discard = {no_room, NODE_FOR_ORDER, NULL, place_segment},
                              copy = {NULL, NODE_NOT_DROPPED, copy_accepted, copy_segment};

#define PATH(name, word, is) &word,
const struct node_path *const node_paths[] = {RNIC_RECEIVE_TABLE(PATH)};
