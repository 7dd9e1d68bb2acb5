/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_end.c -- what both ways of a packet transport note: packets that are here, to be sent again, to be answered. */
#include "engine/law.h"
#include "llp/packet_inner.h"

enum { WORD = 64 };

/* ---- laws ---- */

/* Looked at where they are few. */
static bool are_counted(const struct packet_end *e)
{
    enum { FEW = 16 };
    uint64_t under_way = 0, due = 0, octets = 0;
    if (e->sent - e->get > FEW)
        return e->under_way && e->due <= e->under_way;
    for (uint64_t psn = e->get; psn < e->sent; psn++) {
        const struct packet_record *r = packet_record_at(e, psn);
        under_way += !r->acked;
        due += r->due;
        octets += r->acked || r->due ? 0 : packet_octets(e, r);
    }
    return under_way == e->under_way && due == e->due && octets == e->octets_out;
}

bool packet_is_in_order(const struct packet_end *e)
{
    return e->get <= e->sent && e->sent <= e->put && e->put - e->get <= e->records.slots &&
           e->highest <= e->sent && are_counted(e);
}

/* ---- which packets are here ---- */

static uint64_t *word_of(const struct packet_end *e, uint64_t psn)
{
    return &e->bits[(psn & (e->track - 1)) / WORD];
}

static uint64_t bit_of(uint64_t psn)
{
    return UINT64_C(1) << psn % WORD;
}

bool packet_is_here(const struct packet_end *e, uint64_t psn)
{
    return psn < e->edge || (psn < e->beyond && *word_of(e, psn) & bit_of(psn));
}

uint64_t packet_sack(const struct packet_end *e, uint64_t from)
{
    uint64_t sack = 0;
    for (uint32_t i = 0; i < WORD && from + i < e->beyond; i++)
        sack |= (uint64_t)packet_is_here(e, from + i) << i;
    return sack;
}

void packet_note_here(struct packet_end *e, uint64_t psn)
{
    uint64_t range = psn - e->edge + 1;
    LAW(psn >= e->edge && range <= e->track);
    *word_of(e, psn) |= bit_of(psn);
    e->beyond = psn >= e->beyond ? psn + 1 : e->beyond;
    if (psn != e->edge && range > e->packets.track_peak)
        e->packets.track_peak = (uint32_t)range;
    for (; e->edge < e->beyond && *word_of(e, e->edge) & bit_of(e->edge); e->edge++)
        *word_of(e, e->edge) &= ~bit_of(e->edge);
    LAW(e->edge <= e->beyond &&
        !(*word_of(e, e->edge) & bit_of(e->edge))); /* bits beyond `edge` alone are set */
}

/* ---- what is to leave ---- */

void packet_say(struct packet_end *e, struct packet_answer a)
{
    a.port = e->came_by;
    e->owed = 0;
    e->answer_at = IW_NEVER;
    if (e->answer_put - e->answer_get == e->answers.slots &&
        !llp_ring_grow(&e->o, &e->answers, sizeof a, e->answer_get, e->answer_put - e->answer_get))
        return; /* the one before says it, all but the name */
    *packet_answer_at(e, e->answer_put++) = a;
    LAW(e->answer_put - e->answer_get <= e->answers.slots);
}

static void tell_path(struct packet_end *e, iw_time now, uint16_t path, enum llp_reason reason)
{
    if (e->latest && reason != LLP_WHY_FULL)
        packet_path_heard(&e->paths, now, path,
                          reason == LLP_WHY_TRIMMED ? PACKET_SAID_TRIM : PACKET_SAID_LOST);
    e->packets.retired = e->paths.retirements;
}

static void tell_congestion(struct packet_end *e, iw_time now, uint32_t octets, enum llp_reason reason)
{
    const struct packet_congestion *c = e->congestion;
    if (reason == LLP_WHY_TRIMMED && c->trimmed)
        c->trimmed(e, now, octets);
    if (reason == LLP_WHY_RTO && c->expired)
        c->expired(e, now, octets);
}

void packet_again(struct packet_end *e, iw_time now, uint64_t psn, enum llp_reason reason)
{
    struct packet_record *r = packet_record_at(e, psn);
    if (r->acked || r->due)
        return;
    tell_congestion(e, now, packet_octets(e, r), reason);
    tell_path(e, now, r->path, reason);
    LAW(e->get <= psn && psn < e->sent);
    r->due = true;
    r->reason = (uint8_t)reason;
    e->due_from = !e->due || psn < e->due_from ? psn : e->due_from;
    e->due++;
    e->octets_out -= packet_octets(e, r);
    LAW(e->due <= e->under_way);
}

/* ---- what may leave ---- */

bool packet_is_tracked(const struct packet_end *e)
{
    return e->scheme->in_order || e->sent - e->get < e->packet.track;
}

bool packet_is_in_flight(const struct packet_end *e)
{
    return (e->scheme->by_count ? e->under_way : e->sent - e->get) < e->packet.flight;
}

bool packet_has_new(const struct packet_end *e)
{
    return e->sent != e->put;
}

bool packet_may_leave(const struct packet_end *e)
{
    return packet_has_new(e) && packet_is_tracked(e) && packet_is_in_flight(e);
}

bool packet_has_some(const struct packet_end *e)
{
    return e->due || packet_may_leave(e);
}
