/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_rx.c -- what is here, what is kept, and what is answered. */
#include <string.h>

#include "engine/law.h"
#include "engine/wire.h"
#include "llp/crc32c.h"
#include "llp/packet_inner.h"

/* Everything below was handed up. */
static uint64_t handed(const struct packet_end *e)
{
    uint64_t kept = llp_waiting_first(&e->waiting);
    return kept < e->edge ? kept : e->edge;
}

/* ---- answers ---- */

static void answer_with(struct packet_end *e, uint8_t flags, uint8_t more)
{
    bool told = e->in->ecn == IP_CE && e->congestion->marks && !e->congestion->notifies;
    more = (uint8_t)(more | (told ? PACKET_MARKED : 0));
    e->packets.naks += flags & PACKET_NAK || more & PACKET_CUT ? 1 : 0;
    packet_say(e, (struct packet_answer){.flags = (uint8_t)(flags | PACKET_SAYS),
                                         .more = more,
                                         .entropy = e->in->entropy,
                                         .named = e->head.psn,
                                         .sends = e->head.sends});
}

/* uet-htsim (sim/uec.cpp, UecSink::processData): at once for a mark, the first packet, one that asks and the one that fills the
 * last gap behind such, else for so many octets; there is no timer. */
static bool answer_is_due(struct packet_end *e)
{
    bool asks = e->head.more & PACKET_ASKS, whole = e->edge == e->beyond;
    bool filled = e->asked && whole;
    e->asked = (e->asked || asks) && !whole;
    e->owed_octets += e->in->size;
    bool due =
        asks || filled || e->in->ecn == IP_CE || !e->heard || e->owed_octets >= e->packet.answer_octets;
    e->heard = true;
    e->owed_octets = due ? 0 : e->owed_octets;
    return due;
}

/* A packet was accepted. May the answer wait? Not when it left a gap or filled one, nor where each is answered. */
static void answer_taken(struct packet_end *e, iw_time now, bool in_order)
{
    bool whole = e->edge == e->beyond;
    e->naked = false;
    if (!whole && !in_order && !e->scheme->answers)
        answer_with(e, PACKET_NAK | PACKET_NAMED, 0);
    else if (e->scheme->answers && answer_is_due(e))
        answer_with(e, PACKET_NAMED, 0);
    else if (e->scheme->answers)
        return;
    else if (!in_order || !whole || e->owed + 1 >= e->o.conf.delayed_ack)
        answer_with(e, 0, 0);
    else if (!e->owed++)
        e->answer_at = now + e->o.conf.delayed_ack_timeout;
    LAW(!e->owed == (e->answer_at == IW_NEVER)); /* what is owed has its time */
}

/* Go-back-N: one NAK for each gap (IBTA: none until what it asks for has come). */
static void answer_dropped(struct packet_end *e)
{
    if (!e->naked)
        answer_with(e, PACKET_NAK, 0);
    e->naked = true;
}

/* ---- arrival ---- */

static bool get_head(const struct ip_packet *in, struct packet_head *h)
{
    bool ours = in->protocol == IP_PROTOCOL_EXPERIMENT && in->head >= PACKET_HEAD &&
                in->size >= IP_HEAD + (uint32_t)PACKET_HEAD;
    if (ours)
        packet_get(in->octets, h);
    return ours;
}

static bool check_sequence_holds(const struct packet_end *e, const struct ip_packet *in)
{
    static const uint8_t zeros[4];
    uint32_t said;
    if (!e->o.conf.real)
        return !in->altered;
    iw_get32(in->octets + PACKET_ICRC, &said);
    uint32_t crc = crc32c(crc32c(0, in->octets, PACKET_ICRC), zeros, sizeof zeros);
    return said == crc32c(crc, in->octets + PACKET_HEAD, in->head - (size_t)PACKET_HEAD);
}

static uint32_t ulpdu_of(const struct packet_end *e, const struct ip_packet *in, const struct packet_head *h)
{
    uint32_t before = IP_HEAD + e->data_head;
    return h->flags & PACKET_DATA && !in->trimmed && in->size > before ? in->size - before : 0;
}

void packet_peek(const void *l, const struct ip_packet *in, struct llp_unit *first)
{
    const struct packet_end *e = l;
    struct packet_head h;
    *first = (struct llp_unit){.verdict = LLP_NOTHING, .in_order = true};
    if (!get_head(in, &h))
        return;
    first->octets = ulpdu_of(e, in, &h);
    if (!first->octets)
        return;
    first->key = packet_unwrap(e->edge, h.psn);
    first->end = first->key + 1;
    first->in_order = first->key <= e->edge;
}

void packet_arrive(void *l, iw_time now, const struct ip_packet *in)
{
    struct packet_end *e = l;
    bool ours = get_head(in, &e->head);
    e->whole = ours && (in->trimmed || check_sequence_holds(e, in)); /* it ends in what was cut off */
    e->in = in;
    e->came_by = in->port;
    if (!ours)
        e->head = (struct packet_head){0};
    if (!e->whole || e->o.gone) {
        e->o.rst |= e->whole && !(e->head.flags & PACKET_RST);
        return;
    }
    if (e->head.flags & PACKET_RST) {
        e->o.gone = true;
        e->o.lost = !e->o.told_down;
    }
    if (in->ecn == IP_CE) {
        e->stats.ecn_marks++;
        if (e->congestion->notifies)
            packet_say(e, (struct packet_answer){.flags = PACKET_CNP});
    }
    packet_hear(e, now);
}

/* csg-htsim, sim/uec.cpp, UecSink::processTrimmed: a NAK of this packet, or the answer to one that is here. */
static void take_cut(struct packet_end *e, iw_time now)
{
    bool here = packet_is_here(e, packet_unwrap(e->edge, e->head.psn));
    if (e->o.open)
        answer_with(e, PACKET_NAMED, here ? PACKET_AGAIN : PACKET_CUT);
    if (e->congestion->credits && !here)
        packet_credit_trimmed_here(e, now);
}

static enum llp_verdict take_control(struct packet_end *e, iw_time now)
{
    if (e->head.flags & PACKET_DATA && e->in->trimmed)
        take_cut(e, now);
    else if (e->head.more & PACKET_ASKS && !(e->head.flags & PACKET_CREDIT))
        packet_say(e, (struct packet_answer){.flags = PACKET_SAYS,
                                             .more = PACKET_PROBED,
                                             .entropy = e->in->entropy,
                                             .sends = e->head.sends});
    if (e->head.flags & PACKET_FIN) {
        e->end = packet_unwrap(e->edge, e->head.psn);
        packet_say(e, (struct packet_answer){.flags = PACKET_SAYS, .more = PACKET_HEARD});
    }
    return LLP_NOTHING;
}

static enum llp_verdict bad(struct packet_end *e)
{
    e->stats.crc_errors++;
    return LLP_BAD;
}

static enum llp_verdict take_unit(struct packet_end *e, iw_time now, const struct llp_unit *u)
{
    bool in_order = u->key == e->edge;
    LAW(u->key >= e->edge && u->key < e->end && !packet_is_here(e, u->key));
    e->waiting.came = (struct llp_came){.octets = e->in->octets + PACKET_HEAD,
                                        .key = u->key,
                                        .ulpdu = u->octets,
                                        .carried = e->in->head - (uint32_t)PACKET_HEAD,
                                        .in_order = u->key == handed(e),
                                        .late = !u->in_order};
    e->waiting.has_came = true;
    if (!in_order)
        llp_track_took(&e->tracked, u->key, u->end);
    packet_note_here(e, u->key);
    llp_track_passed(&e->tracked, e->edge);
    LAW(packet_is_here(e, u->key) && e->edge <= e->end); /* what was acknowledged was taken */
    answer_taken(e, now, in_order);
    return LLP_TAKEN;
}

static bool is_remembered(struct packet_end *e, const struct llp_unit *u)
{
    bool near = u->key - e->edge < e->packet.track;
    e->tracked.refused += !near;
    return near && llp_track_may(&e->tracked, &e->o, e->edge, u->key, u->end);
}

static enum llp_verdict refuse_untracked(struct packet_end *e, struct llp_unit *u)
{
    u->why = LLP_FOR_TRACK;
    if (e->tracked.conf.naks)
        answer_with(e, PACKET_NAMED, PACKET_FULL);
    return LLP_REFUSED;
}

static enum llp_verdict take_data(struct packet_end *e, iw_time now, uint64_t room, struct llp_unit *u)
{
    uint32_t carried = e->in->head - (uint32_t)PACKET_HEAD;
    bool note = !e->o.conf.real && (carried > PACKET_NOTE_MAX || e->head.more & PACKET_BAD);
    bool damaged = !e->whole || carried > u->octets || (e->o.conf.real && carried != u->octets) || note;
    if (damaged)
        return bad(e);
    if (packet_is_here(e, u->key)) {
        answer_with(e, PACKET_NAMED, PACKET_AGAIN);
        return LLP_DUPLICATE;
    }
    if (!e->o.open || u->key >= e->end)
        return LLP_REFUSED;
    if (u->key != e->edge && (e->scheme->in_order || e->o.conf.go_back)) {
        u->why = LLP_FOR_ORDER;
        answer_dropped(e);
        return LLP_REFUSED;
    }
    if (u->key == e->edge)
        return take_unit(e, now, u);
    if (!is_remembered(e, u))
        return refuse_untracked(e, u);
    return room < u->octets ? LLP_REFUSED : take_unit(e, now, u);
}

/* ---- segments ---- */

uint64_t packet_edge(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    (void)stream;
    llp_waiting_settle(&e->waiting, &e->cells);
    return handed(e);
}

int packet_next(void *l, uint16_t stream, struct llp_segment *out)
{
    struct packet_end *e = l;
    return llp_waiting_next(&e->waiting, &e->cells, packet_edge(l, stream), out);
}

int packet_keep(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    (void)stream;
    return llp_waiting_keep(&e->o, &e->waiting, &e->cells);
}

void packet_all_due(void *l, uint16_t stream)
{
    (void)stream;
    llp_waiting_again(&((struct packet_end *)l)->waiting);
}

/* ---- units ---- */

/* Ahead of its turn it waits here, where segments are wanted in order. */
static void wait_in_silence(struct packet_end *e)
{
    struct llp_waiting *w = &e->waiting;
    if (w->has_came && (e->o.conf.in_order || e->o.conf.go_back) && !w->came.in_order)
        w->has_came = !llp_waiting_put(&e->o, w, &e->cells, true);
}

enum llp_verdict packet_unit(void *l, iw_time now, uint64_t room, struct llp_unit *u)
{
    struct packet_end *e = l;
    const struct ip_packet *in = e->in;
    *u = (struct llp_unit){.verdict = LLP_END, .in_order = true};
    if (!in)
        return LLP_END;
    llp_waiting_settle(&e->waiting, &e->cells);
    packet_peek(e, in, u);
    if (!e->o.gone && u->octets) {
        u->verdict = take_data(e, now, room, u);
        wait_in_silence(e);
    } else if (!e->o.gone && e->whole) {
        u->verdict = take_control(e, now);
    }
    e->in = NULL;
    return u->verdict;
}
