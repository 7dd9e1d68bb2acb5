/* SPDX-License-Identifier: GPL-2.0-or-later */
/* departures.c -- the way out: doorbell -> engine -> DMA read (snapshot) -> MPA -> transmit pipeline -> ideal sender
 * -> port -> channel.
 *
 * Law: segments are read, framed and sent in the order of their keys: none is done with a stage in the same call while
 * one before it still waits there, be it for the same instant. */
#include <string.h>

#include "llp/crc32c.h"
#include "pair/pair_inner.h"

/* What keeps the port busy although reading and the pipeline take time: their depth at line rate, and two packets. */
static uint32_t ahead_of(const struct pair *p, const struct side *s)
{
    iw_time depth = rnic_step_time(s->nic, RNIC_STEP_READ, p->conf.mtu) +
                    rnic_step_time(s->nic, RNIC_STEP_SEND, p->conf.mtu);
    uint64_t octets = (uint64_t)((double)depth * 1e-12 * (double)p->conf.rate / 8);
    return depth ? 2 * p->conf.mtu + (uint32_t)octets : 0;
}

void departures_init(struct pair *p, int side)
{
    struct departures *d = &p->side[side].d;
    d->unheard = d->fpdus.first = d->again.first = NO_FLIGHT;
    d->ahead = ahead_of(p, &p->side[side]);
}

/* ---- doorbells ---- */

static uint32_t octets_of(const struct iw_work *work)
{
    uint32_t octets = 0;
    for (uint8_t i = 0; i < work->sges && work->op != IW_READ; i++)
        octets += work->sge[i].len;
    return octets;
}

static void ring(struct pair *p, int side, uint32_t octets)
{
    struct departures *d = &p->side[side].d;
    d->bell[d->rung++ % d->bells] = (struct bell){rnic_post(p->side[side].nic, p->now, octets), octets};
    departures_bells(p, side);
}

int pair_post(struct pair *p, int side, const struct iw_work *work)
{
    struct side *s = &p->side[side];
    int result = iw_post(s->ep, p->now, work);
    if (result != IW_OK)
        return result;
    if (work->op != IW_RECV) {
        if (s->timed)
            ring(p, side, octets_of(work));
        return result;
    }
    rnic_post_recv(s->nic, p->now);
    s->a.again = true;
    return result;
}

/* Requests are known in the order they were posted. */
static void fetch(struct pair *p, int side, struct bell *b)
{
    struct departures *d = &p->side[side].d;
    iw_time known = rnic_fetch(p->side[side].nic, p->now, b->octets);
    b->at = d->last_known = known > d->last_known ? known : d->last_known;
}

void departures_bells(struct pair *p, int side)
{
    struct departures *d = &p->side[side].d;
    for (; d->fetching != d->rung && d->bell[d->fetching % d->bells].at <= p->now; d->fetching++)
        fetch(p, side, &d->bell[d->fetching % d->bells]);
    while (d->known != d->fetching && d->bell[d->known % d->bells].at <= p->now)
        d->known++;
}

static iw_time bells_next(const struct departures *d)
{
    iw_time heard = d->fetching != d->rung ? d->bell[d->fetching % d->bells].at : IW_NEVER;
    iw_time known = d->known != d->fetching ? d->bell[d->known % d->bells].at : IW_NEVER;
    return heard < known ? heard : known;
}

/* Requests that were not posted with pair_post() have no doorbell: what is beyond all that rang is known. */
static bool is_known(const struct departures *d, uint64_t message)
{
    return message < d->known || message >= d->rung;
}

/* ---- engine -> DMA read -> MPA ---- */

/* What the adapter sees in the header of a segment that it sends. */
struct kind {
    bool own;   /* its payload is the adapter's: a Read Request, a Terminate */
    bool asked; /* it belongs to a request in the send queue */
    bool first, last;
};

static struct kind kind_of(struct pair *p, int side, const struct iw_seg *seg)
{
    struct ddp_head head = {0};
    struct rdmap_ctl ctl = {.opcode = RDMAP_SEND};
    ddp_head_get(seg->head, seg->head_len, &head);
    if (!(p->conf.ep[side].profile & IW_DDP_ONLY))
        rdmap_ctl_get(head.rsvdulp, head.tagged, &ctl);
    bool *open = &p->side[side].d.open[ctl.opcode & 15], first = !*open;
    *open = !head.last;
    return (struct kind){.own = ctl.opcode == RDMAP_READ_REQ || ctl.opcode == RDMAP_TERMINATE,
                         .asked = ctl.opcode != RDMAP_READ_RESP && ctl.opcode != RDMAP_TERMINATE,
                         .first = first,
                         .last = head.last};
}

/* Do its octets lie in memory, or did they come with the request? */
static bool in_memory(const struct side *s, const struct kind *k, uint32_t octets)
{
    bool inlined = k->asked && k->first && k->last && rnic_inlined(s->nic, octets);
    return octets && !k->own && !inlined;
}

static void start_reading(struct pair *p, struct flight *f)
{
    struct departures *d = &p->side[f->side].d;
    iw_time done = f->in_memory ? rnic_read(p->side[f->side].nic, p->now, f->seg.payload_len) : p->now;
    d->last_read = done > d->last_read ? done : d->last_read;
    d->reading++;
    if (d->last_read <= p->now && d->reading == 1)
        departure_read(p, f);
    else
        flight_launch(p, f, FLIGHT_READ, f->side, d->last_read);
}

/* One segment from the engine. False: it has nothing to say. */
static bool pull(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    struct departures *d = &s->d;
    struct flight *f = flight_take(p, d->ahead ? RESERVE : 0);
    if (!f || !iw_transmit(s->ep, p->now, d->next_key, &f->seg)) {
        if (f)
            flight_free(p, f);
        return false;
    }
    struct kind kind = kind_of(p, side, &f->seg);
    uint32_t size =
        mpa_fpdu_size(d->next_key, f->seg.head_len + f->seg.payload_len, s->tx.flags & MPA_MARKERS);
    uint64_t message = d->messages;
    d->messages += kind.asked && kind.last;
    d->next_key += size;
    d->pulled += size;
    f->side = side;
    f->packet = (struct ideal_packet){.offset = f->seg.key, .len = size};
    f->in_memory = in_memory(s, &kind, f->seg.payload_len);
    f->wrong = PAIR_WRONG_ULPDU;
    f->injected = false;
    pair_tell_stage(
        p, (struct pair_event){
               .what = PAIR_PULLED, .side = side, .offset = f->seg.key, .len = size, .seg = &f->seg});
    if (!kind.asked || is_known(d, message)) {
        start_reading(p, f);
    } else {
        d->unheard = (uint32_t)(f - p->flight);
        d->unheard_message = message;
    }
    return true;
}

/* The segment that was pulled before the adapter knew of its request. */
static void hear(struct pair *p, int side)
{
    struct departures *d = &p->side[side].d;
    if (d->unheard == NO_FLIGHT || !is_known(d, d->unheard_message))
        return;
    struct flight *f = &p->flight[d->unheard];
    d->unheard = NO_FLIGHT;
    start_reading(p, f);
}

/* ---- wrong on purpose ---- */

enum { CRC_OCTETS = 4 };

static void spoil_octets(const struct flight *f, uint8_t *fpdu)
{
    uint32_t body = f->packet.len - CRC_OCTETS, crc;
    if (f->wrong == PAIR_WRONG_CRC) {
        fpdu[body] ^= 0xff;
        return;
    }
    uint32_t marker = (uint32_t)(-f->seg.key % MPA_MARKER_EVERY);
    if (marker + MPA_MARKER <= body)
        fpdu[marker + 3] ^= 8; /* FPDUPTR, a multiple of 4 */
    crc = crc32c(0, fpdu, body);
    for (uint32_t i = 0; i < CRC_OCTETS; i++)
        fpdu[body + i] = (uint8_t)(crc >> 8 * i);
}

static void spoil(const struct pair *p, struct flight *f)
{
    if (p->conf.length_only)
        f->packet.mark.bad = true;
    else
        spoil_octets(f, f->octets);
    f->wrong = PAIR_WRONG_ULPDU;
}

int pair_inject(struct pair *p, int side, enum pair_wrong how, const uint8_t *ulpdu, uint32_t len)
{
    struct side *s = &p->side[side];
    struct departures *d = &s->d;
    uint32_t size = mpa_fpdu_size(d->next_key, len, s->tx.flags & MPA_MARKERS);
    bool no_marker = how == PAIR_WRONG_MARKER && (p->conf.length_only || !(s->tx.flags & MPA_MARKERS));
    if (!len || len > PAIR_WRONG_MAX || size > p->conf.mtu || no_marker)
        return IW_EINVAL;
    if (s->down)
        return IW_ESTATE;
    struct flight *f =
        d->injected - d->spoilt < WRONGS_MAX && d->unheard == NO_FLIGHT ? flight_take(p, RESERVE) : NULL;
    if (!f)
        return IW_EFULL;
    uint8_t *octets = d->wrong[d->injected++ % WRONGS_MAX];
    memcpy(octets, ulpdu, len);
    iw_seg_view(&f->seg, d->next_key, octets, len);
    d->next_key += size;
    d->pulled += size;
    f->side = side;
    f->packet = (struct ideal_packet){.offset = f->seg.key, .len = size};
    f->in_memory = false;
    f->wrong = how;
    f->injected = true;
    pair_tell_stage(
        p, (struct pair_event){
               .what = PAIR_PULLED, .side = side, .offset = f->seg.key, .len = size, .seg = &f->seg});
    start_reading(p, f);
    return IW_OK;
}

/* The snapshot is complete: the octets are the adapter's now. */
void departure_read(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    if (p->conf.length_only)
        mpa_advance(&s->tx, &f->seg, &f->packet.mark);
    else
        mpa_put(&s->tx, &f->seg, f->octets);
    s->d.spoilt += f->injected;
    if (f->wrong)
        spoil(p, f);
    iw_accepted(s->ep, p->now, mpa_key(&s->tx));
    pair_tell_stage(
        p, (struct pair_event){
               .what = PAIR_SNAPSHOT, .side = f->side, .offset = f->packet.offset, .len = f->packet.len});
    iw_time out = rnic_send(s->nic, p->now, 0, f->packet.len);
    s->d.reading--;
    s->d.sending++;
    if (out <= p->now && s->d.sending == 1)
        departure_sent(p, f);
    else
        flight_launch(p, f, FLIGHT_SEND, f->side, out);
}

void departure_sent(struct pair *p, struct flight *f)
{
    p->side[f->side].d.sending--;
    queue_put(p, &p->side[f->side].d.fpdus, f);
}

/* Pull ahead of the port while it takes time to get there; else only what the port can take now. */
static bool wants_more(const struct pair *p, const struct side *s, uint32_t wanted)
{
    const struct departures *d = &s->d;
    if (d->unheard != NO_FLIGHT)
        return false;
    if (d->ahead)
        return d->pulled < d->ahead;
    return d->port_free <= p->now && d->pulled + ideal_unsent(s->out) < wanted &&
           ideal_room(s->out) >= p->conf.mtu;
}

/* FPDUs that are ready go to the sender, as many as the next packet needs. */
static void feed(struct pair *p, int side, uint32_t wanted)
{
    struct side *s = &p->side[side];
    struct flight *f;
    while ((f = queue_first(p, &s->d.fpdus)) && ideal_unsent(s->out) < wanted &&
           f->packet.len <= ideal_room(s->out)) {
        queue_get(p, &s->d.fpdus);
        ideal_append(s->out, f->octets, f->packet.len, &f->packet.mark);
        s->d.pulled -= f->packet.len;
        flight_free(p, f);
    }
}

/* Engine -> sender, until the engine, the adapter or the sender has enough. */
static void prepare(struct pair *p, int side, uint32_t wanted)
{
    struct side *s = &p->side[side];
    hear(p, side);
    while (wants_more(p, s, wanted) && pull(p, side))
        feed(p, side, wanted);
    feed(p, side, wanted);
}

/* ---- sender -> port -> channel ---- */

static void fly(struct pair *p, int to, const struct ideal_packet *packet, iw_time at,
                const struct channel_fate *fate)
{
    struct flight *f = flight_take(p, RESERVE);
    if (!f)
        return;
    answers_with_data(p, !to, f);
    f->packet = *packet;
    f->corrupted = fate->corrupted;
    if (!p->conf.length_only && packet->len) {
        ideal_octets(p->side[!to].out, packet, f->octets);
        if (fate->corrupted)
            f->octets[fate->entropy / 8 % packet->len] ^= (uint8_t)(1u << fate->entropy % 8);
    }
    flight_launch(p, f, FLIGHT_DATA, to, at);
}

static void send_packet(struct pair *p, int side, const struct ideal_packet *packet)
{
    struct side *s = &p->side[side];
    iw_time time = serialization(p, packet->len + p->conf.framing);
    struct channel_fate fate = channel_next(&s->channel, time);
    struct pair_event e = {.what = PAIR_SENT,
                           .side = side,
                           .offset = packet->offset,
                           .len = packet->len,
                           .sends = packet->sends};
    s->d.port_free = p->now + time;
    iw_time at = s->d.port_free + p->conf.delay + fate.delay;
    pair_tell(p, e);
    if (fate.lost) {
        e.what = PAIR_LOST;
        pair_tell(p, e);
        return;
    }
    fly(p, !side, packet, at, &fate);
    if (fate.duplicated)
        fly(p, !side, packet, at, &fate);
}

/* A packet that is sent again goes through the adapter again. False: at once, it takes no time. */
static bool goes_again(struct pair *p, int side, const struct ideal_packet *packet)
{
    bool again = p->side[side].d.ahead && packet->sends > 1 && packet->len;
    struct flight *f = again ? flight_take(p, RESERVE) : NULL;
    if (!f)
        return false;
    f->packet = *packet;
    f->side = side;
    iw_time read = rnic_resend(p->side[side].nic, p->now, packet->len);
    if (read <= p->now)
        departure_reread(p, f);
    else
        flight_launch(p, f, FLIGHT_REREAD, side, read);
    return true;
}

void departure_reread(struct pair *p, struct flight *f)
{
    iw_time out = rnic_send(p->side[f->side].nic, p->now, 0, f->packet.len);
    if (out <= p->now)
        departure_resent(p, f);
    else
        flight_launch(p, f, FLIGHT_RESEND, f->side, out);
}

void departure_resent(struct pair *p, struct flight *f)
{
    queue_put(p, &p->side[f->side].d.again, f);
}

/* The packet for the port: what has come through the adapter again goes first. */
static bool next_packet(struct pair *p, int side, uint32_t cut, struct ideal_packet *packet)
{
    struct side *s = &p->side[side];
    struct flight *f;
    while (!(f = queue_get(p, &s->d.again)) && ideal_next(s->out, p->now, cut, packet))
        if (!goes_again(p, side, packet))
            return true;
    if (!f)
        return false;
    *packet = f->packet;
    flight_free(p, f);
    ideal_postpone(s->out, packet->offset, p->now + p->timeout);
    return true;
}

static uint32_t draw_cut(const struct pair *p, int side)
{
    uint64_t key = p->conf.seed ^ 0xc07u, number = p->side[side].d.cuts * 2 + (unsigned)side;
    return p->conf.cut ? 1 + (uint32_t)(channel_draw(key, number) % p->conf.cut) : p->conf.mtu;
}

/* Send what can be sent now: one packet, when the port is free. */
void departures_transmit(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    struct ideal_packet packet;
    bool port_free = s->d.port_free <= p->now;
    if (s->down || !(port_free || s->d.ahead))
        return;
    uint32_t cut = draw_cut(p, side);
    prepare(p, side, p->conf.cut ? cut : 1);
    if (s->finished && !s->d.pulled)
        ideal_finish(s->out);
    if (port_free)
        pair_finish(p, side, iw_llp_request(s->ep));
    if (s->down || !port_free || !next_packet(p, side, cut, &packet))
        return;
    s->d.cuts += packet.sends == 1;
    send_packet(p, side, &packet);
}

/* When this side wants to run for the sake of its port, a timeout or a doorbell. */
iw_time departures_next(const struct pair *p, int side)
{
    const struct side *s = &p->side[side];
    const struct departures *d = &s->d;
    if (s->down)
        return IW_NEVER;
    iw_time resend = ideal_deadline(s->out), bells = bells_next(d);
    bool more = iw_has_work(s->ep) && !d->ahead && ideal_room(s->out) >= p->conf.mtu;
    bool waits = more || ideal_unsent(s->out) || ideal_finishing(s->out) || d->fpdus.first != NO_FLIGHT ||
                 d->again.first != NO_FLIGHT;
    iw_time port = waits && d->port_free > p->now ? d->port_free : IW_NEVER;
    if (resend < d->port_free)
        resend = d->port_free;
    if (bells < resend)
        resend = bells;
    return port < resend ? port : resend;
}
