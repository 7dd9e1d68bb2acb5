/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_credit.c -- octets that a receiver allows, for rccc: what the sender may spend, what the receiver grants.
 *
 *   sender     begins with a window of credit on trust; the first answer ends that, and what is left of it is void
 *              each packet says `target`: the sum of octets that it wishes to have been granted
 *   receiver   grants full packets of GRANT octets, or nearly, a turn; turns of all connections of a host stand in one row, each
 *              behind the time that the octets of the one before take at SHARE of the line
 *
 * As uet-htsim has it (htsim/sim/uec.cpp, read), but for this: octets are counted where it counts 256 of them; the newest
 * target holds, there the largest; a sender whose target was not enough asks by a packet of its own; nothing is granted
 * unasked. A turn is of full packets, there of 16,384 octets: as a sender may overdraw by a part of a packet, these are four
 * packets of 4,150 octets in 18 turns and three in the next, and where connections take turns in step what arrives is more
 * than the line for 18 turns of all, so that a queue that is full once stays full. */
#include "engine/law.h"
#include "engine/least.h"
#include "llp/packet_inner.h"

enum { GRANT = 4 * 4096, SHARE = 99 /* percent */ };
#define PS_OF_BITS UINT64_C(8000000000000)

/* ---- the sender ---- */

static int64_t allowed(const struct packet_end *e)
{
    return (int64_t)most(packet_span_octets(e, e->packet.span.rtt) * 3 / 2, e->o.conf.mtu);
}

void packet_credit_start(struct packet_end *e)
{
    e->credit = (struct packet_credit){.left = allowed(e), .trusted = true};
    e->grants = (struct packet_grants){.turn = IW_NEVER};
}

bool packet_credit_holds(const struct packet_end *e)
{
    return e->credit.left <= 0;
}

void packet_credit_spend(struct packet_end *e, uint32_t octets)
{
    e->credit.left -= octets;
}

void packet_credit_answered(struct packet_end *e)
{
    struct packet_credit *c = &e->credit;
    c->left = c->trusted && c->left > 0 ? 0 : c->left;
    c->trusted = false;
}

/* Octets that are still to leave, as far as is known: a message has an end, what comes behind it says so itself. */
static int64_t credit_wanted(const struct packet_end *e)
{
    bool more = e->put != e->sent || (e->sent > e->get && !packet_record_at(e, e->sent - 1)->last);
    int64_t window = e->congestion->window ? (int64_t)(e->congestion->window(e) + e->o.conf.mtu) : INT64_MAX;
    int64_t due = (int64_t)least(e->due, PACKET_RANGE_MAX) * e->o.conf.mtu, all = allowed(e);
    int64_t here = more ? all : due < all ? due : all;
    return here < window ? here : window;
}

uint64_t packet_credit_target(struct packet_end *e)
{
    int64_t beyond = credit_wanted(e) - e->credit.left;
    uint64_t heard = e->credit.heard;
    e->credit.told = beyond >= 0 ? heard + (uint64_t)beyond : heard - least(heard, (uint64_t)-beyond);
    return e->credit.told;
}

/* What was said last is granted, and more is needed. */
bool packet_credit_is_short(const struct packet_end *e)
{
    return packet_credit_holds(e) && packet_has_some(e) && e->credit.told <= e->credit.heard;
}

static void hear_grant(struct packet_end *e, iw_time now, uint64_t granted)
{
    struct packet_credit *c = &e->credit;
    packet_credit_answered(e);
    if (granted <= c->heard)
        return;
    uint64_t more = least(granted - c->heard, (uint64_t)allowed(e));
    c->left = c->left + (int64_t)more < allowed(e) ? c->left + (int64_t)more : allowed(e);
    c->heard = granted;
    c->gap = now - c->quiet;
    c->quiet = now;
    LAW(c->left <= allowed(e));
}

/* ---- the receiver ---- */

static struct llp_pacer *pacer(struct packet_end *e)
{
    return e->o.conf.pacer ? e->o.conf.pacer : &e->grants.own;
}

/* Of full packets, as senders spend it. */
static uint32_t turn_octets(const struct packet_end *e)
{
    uint32_t mtu = e->o.conf.mtu;
    return mtu * (uint32_t)most((GRANT + mtu / 2) / mtu, 1);
}

/* A turn behind those that others have. */
static void credit_turn(struct packet_end *e, iw_time now)
{
    struct packet_grants *g = &e->grants;
    struct llp_pacer *p = pacer(e);
    LAW(g->target > g->granted && g->turn == IW_NEVER);
    g->octets = (uint32_t)least(g->target - g->granted, turn_octets(e));
    g->turn = most(now, p->free_at);
    p->free_at = g->turn + g->octets * (PS_OF_BITS / 1000) / (e->packet.span.line / 1000) * 100 / SHARE;
}

static void grant(struct packet_end *e, iw_time now)
{
    struct packet_grants *g = &e->grants;
    while (g->turn <= now) {
        g->turn = IW_NEVER;
        uint64_t more = least(g->octets, g->target > g->granted ? g->target - g->granted : 0);
        g->granted += more;
        LAW(!more || g->granted <= g->target); /* no more is granted than the target */
        g->due = true;
        if (g->target > g->granted)
            credit_turn(e, now);
    }
}

static void want(struct packet_end *e, iw_time now)
{
    if (e->grants.target > e->grants.granted && e->grants.turn == IW_NEVER)
        credit_turn(e, now);
    grant(e, now);
}

/* Never more than a window beyond what was granted. */
static void hear_target(struct packet_end *e, iw_time now, uint64_t sent, uint64_t target)
{
    struct packet_grants *g = &e->grants;
    target = least(target, g->granted + (uint64_t)allowed(e) + e->o.conf.mtu);
    if (sent < g->newest)
        return; /* overtaken by one that knew more */
    g->newest = sent;
    g->target = target;
    want(e, now);
}

void packet_credit_trimmed_here(struct packet_end *e, iw_time now)
{
    struct packet_grants *g = &e->grants;
    g->target =
        least(most(g->target, g->granted) + e->o.conf.mtu, g->granted + (uint64_t)allowed(e) + e->o.conf.mtu);
    want(e, now);
}

/* ---- both ---- */

void packet_credit_hear(struct packet_end *e, iw_time now)
{
    const struct packet_head *h = &e->head;
    bool asks = h->more & PACKET_ASKS && !(h->flags & PACKET_DATA);
    if (!(h->flags & PACKET_CREDIT))
        return;
    if (h->flags & PACKET_DATA || asks)
        hear_target(e, now, packet_unwrap(e->edge, asks ? h->psn : h->named), h->sack);
    else
        hear_grant(e, now, h->sack);
    e->grants.due |= asks; /* a grant may have been lost */
}

/* A sender that is held and hears nothing for long asks again: a grant may have been lost. Turns of many come seldom. */
static iw_time asks_at(const struct packet_end *e)
{
    bool waits = packet_credit_holds(e) && packet_has_some(e);
    return waits ? e->credit.quiet + e->o.conf.min_rto + 4 * e->credit.gap : IW_NEVER;
}

iw_time packet_credit_deadline(const struct packet_end *e)
{
    return least(e->grants.turn, asks_at(e));
}

void packet_credit_expire(struct packet_end *e, iw_time now)
{
    grant(e, now);
    if (asks_at(e) <= now) {
        e->credit.quiet = now;
        e->credit.told = 0;
    }
}
