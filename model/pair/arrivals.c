/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arrivals.c -- the way in: staging -> receive pipeline -> acceptance and ACK -> the path -> delivery.
 *
 *   place     every segment is checked and written at once, in order or not
 *   hold      one out of order moves to NIC memory; a burst of writes when the hole has filled
 *   discard   one out of order is refused
 *   copy      every packet is written to the kernel's buffer; the CPU copies what is in order
 *
 * Law: what was acknowledged is placed. Drops and refusals come before. */
#include <string.h>

#include "pair/pair_inner.h"

/* ---- what came early ---- */

static void note_late(struct arrivals *a, uint64_t offset)
{
    uint32_t i = a->lates;
    if (i == a->helds_max)
        return;
    for (a->lates++; i && a->late[i - 1] > offset; i--)
        a->late[i] = a->late[i - 1];
    a->late[i] = offset;
}

static bool was_late(const struct arrivals *a, uint64_t from, uint64_t to)
{
    uint32_t i = 0;
    while (i < a->lates && a->late[i] < from)
        i++;
    return i < a->lates && a->late[i] < to;
}

static void forget_late(struct arrivals *a, uint64_t edge)
{
    uint32_t n = 0;
    while (n < a->lates && a->late[n] < edge)
        n++;
    a->lates -= n;
    for (uint32_t i = 0; n && i < a->lates; i++)
        a->late[i] = a->late[i + n];
}

/* ---- delivery ---- */

static void deliver(struct pair *p, int side, uint64_t edge)
{
    struct side *s = &p->side[side];
    struct iw_message message;
    int result;
    while ((result = iw_deliver(s->ep, p->now, edge, &message)) == 1)
        pair_tell(p, (struct pair_event){.what = PAIR_DELIVERED, .side = side, .message = &message});
    if (result > 1)
        pair_fault(p, side, result);
    forget_late(&s->a, edge);
    credit_in_place(p, side, edge);
}

static void commit(struct pair *p, int side, const struct iw_seg *seg, const struct iw_place *place,
                   uint64_t edge)
{
    struct side *s = &p->side[side];
    bool in_order = seg->key == iw_delivered_edge(s->ep);
    int result = iw_commit(s->ep, p->now, seg, place);
    if (result > 0)
        pair_fault(p, side, result);
    if (result == IW_OK)
        pair_tell(p, (struct pair_event){.what = PAIR_PLACED,
                                         .side = side,
                                         .offset = seg->key,
                                         .len = seg->payload_len,
                                         .in_order = in_order,
                                         .seg = seg,
                                         .place = place});
    deliver(p, side, edge);
}

/* ---- staging and NIC memory ---- */

static void release(struct pair *p, int side, uint32_t octets)
{
    rnic_release(p->side[side].nic, octets);
    p->side[side].a.backlog -= octets;
}

/* In NIC memory from now on, unless there is no room. */
static bool hold(struct pair *p, int side, uint64_t offset, uint32_t octets)
{
    struct side *s = &p->side[side];
    struct arrivals *a = &s->a;
    if (a->helds == a->helds_max || !rnic_hold(s->nic, octets))
        return false;
    uint32_t i = a->helds++;
    for (; i && a->held[i - 1].offset > offset; i--)
        a->held[i] = a->held[i - 1];
    a->held[i] = (struct held){offset, octets};
    a->held_octets += octets;
    return true;
}

/* Without entries `first` .. `first` + n - 1. */
static void close_up(struct arrivals *a, uint32_t first, uint32_t n)
{
    a->helds -= n;
    for (uint32_t i = first; n && i < a->helds; i++)
        a->held[i] = a->held[i + n];
}

/* Segments below `edge` are in place. */
static void unhold(struct pair *p, int side, uint64_t edge)
{
    struct arrivals *a = &p->side[side].a;
    uint32_t n = 0;
    for (; n < a->helds && a->held[n].offset < edge; n++) {
        rnic_unhold(p->side[side].nic, a->held[n].octets);
        a->held_octets -= a->held[n].octets;
    }
    close_up(a, 0, n);
}

/* ---- placing ---- */

/* A packet that was accepted, while MPA looks at it. */
struct landing {
    uint64_t from, to;
    struct flight *last; /* the last DMA write of octets that came with it */
};

static iw_time when_in_place(struct pair *p, int side, const struct iw_seg *seg, const struct iw_place *place)
{
    bool to_memory = place->stag && seg->payload_len; /* a header that RDMAP keeps stays on the adapter */
    iw_time done = to_memory ? rnic_place(p->side[side].nic, p->now, place->stag, seg->payload_len) : p->now;
    return done > p->now + p->conf.dma ? done : p->now + p->conf.dma;
}

/* MPA's octets are borrowed: they wait in the flight. */
static void keep_octets(struct flight *f, const struct iw_seg *seg)
{
    f->seg = *seg;
    if (!seg->frags || !seg->frag[0].octets)
        return;
    memcpy(f->octets, seg->frag[0].octets, seg->payload_len);
    f->seg.frag[0].octets = f->octets;
}

static struct flight *begin_dma(struct pair *p, int side, const struct iw_seg *seg,
                                const struct iw_place *place, iw_time at)
{
    struct flight *f = flight_take(p, 0);
    struct arrivals *a = &p->side[side].a;
    a->commits++;
    a->last_place = at > a->last_place ? at : a->last_place;
    f->place = *place;
    f->edge = mpa_edge(p->side[side].rx);
    keep_octets(f, seg);
    flight_launch(p, f, FLIGHT_COMMIT, side, a->last_place);
    return f;
}

/* Room for one more DMA? Without it a segment waits until one has ended. */
static bool no_room(const struct pair *p, int side, const struct iw_seg *seg)
{
    bool takes_time = p->conf.dma || is_timed(p, side);
    return takes_time && p->side[side].path != RNIC_COPY &&
           (p->spares <= RESERVE || (!p->conf.length_only && seg->payload_len > p->room));
}

static void tell_taken(const struct pair *p, int side, const struct mpa_fpdu *fpdu)
{
    struct iw_seg seg;
    if (fpdu->again)
        return;
    mpa_seg(fpdu, &seg);
    pair_tell_stage(p, (struct pair_event){.what = PAIR_TAKEN,
                                           .side = side,
                                           .offset = seg.key,
                                           .len = seg.payload_len,
                                           .in_order = fpdu->in_order,
                                           .late = was_late(&p->side[side].a, fpdu->key, fpdu->end),
                                           .seg = &seg});
}

static void place(struct pair *p, int side, const struct mpa_fpdu *fpdu, struct landing *landing)
{
    struct side *s = &p->side[side];
    struct iw_seg seg;
    struct iw_place place;
    mpa_seg(fpdu, &seg);
    tell_taken(p, side, fpdu);
    int verdict = no_room(p, side, &seg) ? IW_LATER : iw_check(s->ep, p->now, &seg, &place);
    if (verdict == IW_LATER) {
        mpa_keep(s->rx);
        pair_tell(p, (struct pair_event){.what = PAIR_KEPT, .side = side, .offset = seg.key, .seg = &seg});
    } else if (verdict > 0) {
        pair_fault(p, side, verdict);
    }
    if (verdict != IW_OK)
        return;
    bool copied = s->path == RNIC_COPY; /* the CPU has been there */
    iw_time at = copied ? p->now : when_in_place(p, side, &seg, &place);
    if (copied || (at <= p->now && !s->a.commits && !p->conf.dma)) {
        commit(p, side, &seg, &place, mpa_edge(s->rx));
        return;
    }
    struct flight *f = begin_dma(p, side, &seg, &place, at);
    if (fpdu->key < landing->to && fpdu->end > landing->from)
        landing->last = f;
}

static void fail(struct pair *p, int side, int term)
{
    struct arrivals *a = &p->side[side].a;
    if (!a->deaf)
        a->failure = term;
    a->deaf = true;
}

void arrivals_check(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    int failure = s->a.failure;
    if (!failure || s->a.commits)
        return;
    s->a.failure = 0;
    iw_llp_failed(s->ep, p->now, failure);
    pair_fault(p, side, failure);
}

/* receive: copy: MPA's store is the kernel's buffer, and the CPU takes FPDUs out of it. */
static void leave_in_kernel(struct pair *p, int side)
{
    struct mpa_rx *rx = p->side[side].rx;
    struct mpa_fpdu fpdu;
    while (mpa_next(rx, &fpdu) == 1) {
        tell_taken(p, side, &fpdu);
        mpa_keep(rx);
    }
}

/* Every FPDU that MPA has now. */
static void place_all(struct pair *p, int side, struct landing *landing)
{
    struct side *s = &p->side[side];
    struct mpa_fpdu fpdu;
    int more;
    if (s->path == RNIC_COPY) {
        leave_in_kernel(p, side);
        return;
    }
    while ((more = mpa_next(s->rx, &fpdu)) == 1)
        place(p, side, &fpdu, landing);
    if (more > 1)
        fail(p, side, more);
    arrivals_check(p, side);
    if (!s->a.commits) {
        deliver(p, side, mpa_edge(s->rx));
        unhold(p, side, mpa_edge(s->rx));
    }
}

void arrival_placed(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    s->a.commits--;
    commit(p, f->side, &f->seg, &f->place, f->edge);
    release(p, f->side, f->staged);
    unhold(p, f->side, f->edge);
    pair_again(p, f->side);
}

/* ---- receive: copy ---- */

/* The FPDU whose turn it is, and which MPA keeps. False: it is not whole, or its octets are on the way to the kernel. */
static bool peek(struct pair *p, int side, struct iw_seg *seg)
{
    struct side *s = &p->side[side];
    struct mpa_fpdu fpdu;
    mpa_again(s->rx);
    int more = mpa_next(s->rx, &fpdu);
    if (more == 1) {
        mpa_seg(&fpdu, seg);
        tell_taken(p, side, &fpdu);
        mpa_keep(s->rx);
        leave_in_kernel(p, side);
    }
    if (more > 1)
        fail(p, side, more);
    arrivals_check(p, side);
    return more == 1 && fpdu.end <= s->a.kernel;
}

/* What the CPU has copied becomes the ULP's. False: it waits for a receive buffer. */
static bool take_one(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    struct landing landing = {0};
    struct mpa_fpdu fpdu;
    uint64_t before = mpa_edge(s->rx);
    mpa_again(s->rx);
    if (mpa_next(s->rx, &fpdu) == 1)
        place(p, side, &fpdu, &landing);
    return mpa_edge(s->rx) != before;
}

/* It sleeps until there is something to read, and then reads until there is nothing. */
static iw_time asleep(struct pair *p, int side, enum reading *next)
{
    struct iw_seg seg;
    if (p->side[side].a.blocked || !peek(p, side, &seg))
        return IW_NEVER;
    *next = ENTERING;
    return rnic_syscall(p->side[side].nic, p->now);
}

static iw_time copy(struct pair *p, int side, enum reading *next)
{
    struct iw_seg seg;
    bool more = peek(p, side, &seg);
    *next = more ? COPYING : ASLEEP;
    return more ? rnic_copy(p->side[side].nic, p->now, seg.payload_len) : IW_NEVER;
}

static iw_time copied(struct pair *p, int side, enum reading *next)
{
    struct arrivals *a = &p->side[side].a;
    *next = ASLEEP;
    a->blocked = !take_one(p, side);
    p->side[side].credit.moved = true;
    return a->blocked ? IW_NEVER : copy(p, side, next);
}

void arrivals_read(struct pair *p, int side)
{
    typedef iw_time step(struct pair *, int side, enum reading *next);
    static step *const steps[] = {[ASLEEP] = asleep, [ENTERING] = copy, [COPYING] = copied};
    struct arrivals *a = &p->side[side].a;
    if (p->side[side].path != RNIC_COPY || p->side[side].down)
        return;
    do {
        if (a->reading != ASLEEP && a->read_at > p->now)
            return;
        a->read_at = steps[a->reading](p, side, &a->reading);
    } while (a->read_at != IW_NEVER);
}

void arrival_in_kernel(struct pair *p, const struct flight *f)
{
    struct arrivals *a = &p->side[f->side].a;
    a->kernel = f->edge > a->kernel ? f->edge : a->kernel;
    release(p, f->side, f->staged);
    p->side[f->side].credit.moved = true;
    arrivals_read(p, f->side);
}

/* The flight of the packet goes on as its DMA write. */
static void into_kernel(struct pair *p, int side, struct flight *f)
{
    struct arrivals *a = &p->side[side].a;
    leave_in_kernel(p, side);
    f->staged = f->packet.len;
    f->edge = ideal_in_next(a->in);
    f->side = side;
    iw_time at = rnic_place(p->side[side].nic, p->now, 0, f->packet.len);
    a->last_place = at > a->last_place ? at : a->last_place;
    if (a->last_place <= p->now)
        arrival_in_kernel(p, f);
    else
        flight_launch(p, f, FLIGHT_KERNEL, side, a->last_place);
}

/* ---- acceptance ---- */

static struct pair_event event_of(const struct flight *f, enum pair_what what)
{
    return (struct pair_event){.what = what,
                               .side = f->side,
                               .offset = f->packet.offset,
                               .len = f->packet.len,
                               .sends = f->packet.sends,
                               .corrupted = f->corrupted};
}

/* Ahead of its turn, on a path that does not take such a one, or has no room for it. */
static bool refused_out_of_order(struct pair *p, const struct flight *f, const struct mpa_arrival *in,
                                 bool *held)
{
    struct side *s = &p->side[f->side];
    *held = false;
    if (in->offset <= ideal_in_next(s->a.in) || ideal_in_has(s->a.in, in->offset, in->len))
        return false;
    if (s->path == RNIC_HOLD)
        *held = mpa_would_take(s->rx, in) == in->len && hold(p, f->side, in->offset, in->len);
    return s->path == RNIC_DISCARD || (s->path == RNIC_HOLD && !*held);
}

static void take_back(struct pair *p, int side, uint64_t offset)
{
    struct arrivals *a = &p->side[side].a;
    uint32_t i = 0;
    while (a->held[i].offset != offset)
        i++;
    rnic_unhold(p->side[side].nic, a->held[i].octets);
    a->held_octets -= a->held[i].octets;
    close_up(a, i, 1);
}

static void refuse(struct pair *p, const struct flight *f, bool held)
{
    if (held)
        take_back(p, f->side, f->packet.offset);
    else
        rnic_release(p->side[f->side].nic, f->packet.len);
    pair_tell(p, event_of(f, PAIR_REFUSED));
}

/* The transport has taken it: from here on nothing may be lost. */
static void go_on(struct pair *p, struct flight *f, bool held, bool known)
{
    struct side *s = &p->side[f->side];
    struct landing landing = {f->packet.offset, f->packet.offset + f->packet.len, NULL};
    uint32_t staged = held ? 0 : f->packet.len;
    s->a.backlog += staged;
    if (s->path == RNIC_COPY && !known) {
        into_kernel(p, f->side, f);
        return;
    }
    place_all(p, f->side, &landing);
    if (landing.last)
        landing.last->staged = staged;
    else
        release(p, f->side, staged);
}

static void accept(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    struct mpa_mark mark = f->packet.mark;
    mark.bad |= f->corrupted;
    struct mpa_arrival in = {.offset = f->packet.offset,
                             .len = f->packet.len,
                             .octets = f->octets,
                             .marks = p->conf.length_only,
                             .mark = &mark};
    bool held, known = ideal_in_has(s->a.in, in.offset, in.len);
    if (refused_out_of_order(p, f, &in, &held)) {
        refuse(p, f, false);
    } else if (mpa_arrive(s->rx, &in) == in.len) {
        if (!known && in.offset > ideal_in_next(s->a.in))
            note_late(&s->a, in.offset);
        ideal_in_take(s->a.in, in.offset, in.len);
        const struct ideal_packet packet = f->packet;
        bool moved = s->credit.moved;
        int side = f->side;
        go_on(p, f, held, known);
        answers_taken(p, side, &packet, known);
        s->credit.moved = moved; /* the answer says it, now or when it has waited */
    } else {
        struct landing landing = {0};
        refuse(p, f, held);
        place_all(p, f->side, &landing);
    }
}

static void accept_fin(struct pair *p, const struct flight *f)
{
    struct side *s = &p->side[f->side];
    s->peer_fin = true;
    mpa_fin(s->rx, f->packet.offset);
    answers_acknowledge(p, f->side, &f->packet);
}

void arrival_staged(struct pair *p, struct flight *f)
{
    answers_heard(p, f);
    if (f->packet.fin)
        accept_fin(p, f);
    else
        accept(p, f);
}

/* ---- staging ---- */

void arrival_landed(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    struct arrivals *a = &s->a;
    pair_tell(p, event_of(f, PAIR_ARRIVED));
    iw_time ready = rnic_arrive(s->nic, p->now, 0, f->packet.len);
    if (ready == IW_NEVER) {
        pair_tell_stage(p, event_of(f, PAIR_DROPPED));
        return;
    }
    pair_tell_stage(p, event_of(f, PAIR_STAGED));
    if (ready > p->now || is_timed(p, !f->side))
        ideal_postpone(p->side[!f->side].out, f->packet.offset, ready + p->timeout);
    if (ready <= p->now && !a->staged) {
        arrival_staged(p, f);
        return;
    }
    a->staged++;
    flight_launch(p, f, FLIGHT_STAGED, f->side, ready);
}

void arrival_forgotten(struct pair *p, const struct flight *f)
{
    rnic_release(p->side[f->side].nic, f->packet.len);
}

void pair_again(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    struct landing landing = {0};
    s->a.again = s->a.blocked = false;
    s->credit.moved = true;
    if (s->down)
        return;
    if (s->path == RNIC_COPY) {
        arrivals_read(p, side);
        return;
    }
    mpa_again(s->rx);
    place_all(p, side, &landing);
}
