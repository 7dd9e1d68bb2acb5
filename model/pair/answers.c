/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answers.c -- what the receiver tells the sender: acknowledgements at once, delayed, or with data (RFC 9293 3.8.6.3).
 *
 * Every one says how far the octets are here without a gap, and what the window is; one that answers a packet names it
 * too, be it ahead of its turn. */
#include "pair/pair_inner.h"

void answers_init(struct pair *p, int side)
{
    p->side[side].answers.due = IW_NEVER;
}

/* What is owed goes with this flight. */
static void tell(struct pair *p, int side, struct flight *f)
{
    struct side *s = &p->side[side];
    s->answers = (struct answers){.due = IW_NEVER};
    f->acked = ideal_in_next(s->a.in);
    f->edge = credit_advertise(p, side);
}

/* An acknowledgement waits for the port as every packet does. */
static void leave(struct pair *p, int side, struct flight *f, iw_time extra)
{
    iw_time *port = &p->side[side].d.port_free;
    *port = (*port > p->now ? *port : p->now) + bare_serialization(p);
    flight_launch(p, f, FLIGHT_ACK, !side, *port + p->conf.delay + extra);
}

static void answer_now(struct pair *p, int side, const struct ideal_packet *packet)
{
    struct channel_fate fate = {0};
    struct flight lost = {0};
    if (p->conf.impair_acks)
        fate = channel_next(&p->side[side].channel, bare_serialization(p));
    struct flight *f = fate.lost || fate.corrupted ? NULL : flight_take(p, RESERVE);
    tell(p, side, f ? f : &lost);
    if (!f)
        return;
    f->packet = *packet;
    leave(p, side, f, fate.delay);
}

void answers_acknowledge(struct pair *p, int side, const struct ideal_packet *packet)
{
    answer_now(p, side, packet);
}

/* May the answer to a packet that was new, and is in order now, wait? Not when it has filled a gap, or left one. */
static bool may_wait(const struct pair *p, int side, const struct ideal_packet *packet)
{
    const struct ideal_in *in = p->side[side].a.in;
    return ideal_in_whole(in) && ideal_in_next(in) == packet->offset + packet->len &&
           p->side[side].answers.owed + 1 < p->conf.delayed_ack;
}

void answers_taken(struct pair *p, int side, const struct ideal_packet *packet, bool known)
{
    struct answers *a = &p->side[side].answers;
    if (known || !may_wait(p, side, packet)) {
        answer_now(p, side, packet);
        return;
    }
    if (!a->owed++)
        a->due = p->now + p->conf.ack_delay;
    ideal_postpone(p->side[!side].out, packet->offset, a->due + p->timeout);
}

void answers_expire(struct pair *p, int side)
{
    static const struct ideal_packet none;
    if (p->side[side].answers.due <= p->now)
        answer_now(p, side, &none);
}

void answers_with_data(struct pair *p, int side, struct flight *f)
{
    if (p->side[side].answers.owed)
        tell(p, side, f);
}

bool answers_window(struct pair *p, int side)
{
    struct flight *f = flight_take(p, 0);
    if (!f)
        return false;
    f->packet = (struct ideal_packet){0};
    tell(p, side, f);
    leave(p, side, f, 0);
    return true;
}

/* ---- at the sender ---- */

void answers_heard(struct pair *p, const struct flight *f)
{
    struct side *s = &p->side[f->side];
    if (!f->acked && !f->edge)
        return;
    if (f->edge)
        ideal_limit(s->out, f->edge);
    ideal_ack_below(s->out, f->acked);
    iw_acked(s->ep, p->now, ideal_acked(s->out));
}

void answer_staged(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    answers_heard(p, f);
    if (f->packet.sends)
        ideal_ack(s->out, f->packet.offset, f->packet.fin);
    iw_acked(s->ep, p->now, ideal_acked(s->out));
}

void answer_landed(struct pair *p, struct flight *f)
{
    iw_time ready = rnic_arrive(p->side[f->side].nic, p->now, 0, 0);
    if (ready <= p->now)
        answer_staged(p, f);
    else
        flight_launch(p, f, FLIGHT_ACKED, f->side, ready);
}
