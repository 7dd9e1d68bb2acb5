/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_rx.c -- what is here, what is kept, and what is answered. */
#include <string.h>

#include "engine/wire.h"
#include "llp/crc32c.h"
#include "llp/packet_inner.h"

/* Everything below was handed up. */
static uint64_t handed(const struct packet_end *e)
{
    bool waits = e->kept && e->kept->key < e->edge;
    return waits ? e->kept->key : e->edge;
}

/* ---- answers ---- */

static void answer_with(struct packet_end *e, uint8_t flags, uint8_t more)
{
    e->packets.naks += flags & PACKET_NAK || more & PACKET_CUT ? 1 : 0;
    packet_say(e, (struct packet_answer){.flags = (uint8_t)(flags | PACKET_SAYS),
                                         .more = more,
                                         .named = e->head.psn,
                                         .sends = e->head.sends});
}

/* A packet was accepted. May the answer wait? Not when it left a gap or filled one, nor where each is answered. */
static void answer_taken(struct packet_end *e, iw_time now, bool in_order)
{
    bool whole = e->edge == e->beyond;
    e->naked = false;
    if (!whole && !in_order && !e->scheme->answers)
        answer_with(e, PACKET_NAK | PACKET_NAMED, 0);
    else if (e->scheme->answers)
        answer_with(e, PACKET_NAMED, 0);
    else if (!in_order || !whole || e->owed + 1 >= e->o.conf.delayed_ack)
        answer_with(e, 0, 0);
    else if (!e->owed++)
        e->answer_at = now + e->o.conf.delayed_ack_timeout;
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
        if (e->packet.dcqcn && packet_dcqcn_marked(&e->rate, now))
            packet_say(e, (struct packet_answer){.flags = PACKET_CNP});
    }
    packet_hear(e, now);
}

/* csg-htsim, sim/uec.cpp, UecSink::processTrimmed: a NAK of this packet, or the answer to one that is here. */
static void take_cut(struct packet_end *e)
{
    bool here = packet_is_here(e, packet_unwrap(e->edge, e->head.psn));
    if (e->o.open)
        answer_with(e, PACKET_NAMED, here ? PACKET_AGAIN : PACKET_CUT);
}

static enum llp_verdict take_control(struct packet_end *e)
{
    if (e->head.flags & PACKET_DATA && e->in->trimmed)
        take_cut(e);
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

static enum llp_verdict take(struct packet_end *e, iw_time now, const struct llp_unit *u)
{
    bool in_order = u->key == e->edge;
    e->fresh_in_order = u->key == handed(e);
    e->fresh_octets = e->in->octets + PACKET_HEAD;
    e->fresh_ulpdu = u->octets;
    e->fresh_carried = e->in->head - (uint32_t)PACKET_HEAD;
    e->fresh.key = u->key;
    e->has_fresh = true;
    packet_note_here(e, u->key);
    answer_taken(e, now, in_order);
    return LLP_TAKEN;
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
    if (u->key - e->edge >= e->packet.track) {
        u->why = LLP_FOR_TRACK;
        return LLP_REFUSED;
    }
    return u->key != e->edge && room < u->octets ? LLP_REFUSED : take(e, now, u);
}

/* ---- segments that wait ---- */

/* `carried` octets of a ULPDU. Without payload the fragment says how long it is and has its first octets. */
static void view(struct iw_seg *seg, uint64_t key, const uint8_t *octets, uint32_t ulpdu, uint32_t carried)
{
    iw_seg_view(seg, key, octets, carried);
    uint32_t more = ulpdu - carried;
    seg->payload_len += more;
    if (!more)
        return;
    seg->frag[0].octets = NULL;
    seg->frag[0].len += more;
    seg->frags = 1;
}

static struct packet_kept *cell(struct packet_end *e)
{
    struct packet_kept *k = e->free_kept;
    if (!k)
        return llp_more(&e->o, sizeof *k + (e->o.conf.real ? e->o.conf.mtu : PACKET_NOTE_MAX));
    e->free_kept = k->next;
    return k;
}

static bool put_kept(struct packet_end *e, bool due, bool silent, bool late)
{
    struct packet_kept *k = cell(e), **at = &e->kept;
    if (!k)
        return false;
    while (*at && (*at)->key < e->fresh.key)
        at = &(*at)->next;
    *k = (struct packet_kept){.next = *at,
                              .key = e->fresh.key,
                              .ulpdu = e->fresh_ulpdu,
                              .carried = e->fresh_carried,
                              .due = due,
                              .silent = silent,
                              .late = late};
    memcpy(k->octets, e->fresh_octets, e->fresh_carried);
    *at = k;
    return true;
}

/* The segment given last was taken: what is kept of it may go. */
static void settle_given(struct packet_end *e)
{
    struct packet_kept *k = e->kept;
    if (e->has_given && !e->given_fresh && k && k->key == e->given) {
        e->kept = k->next;
        k->next = e->free_kept;
        e->free_kept = k;
    }
    e->has_given = false;
}

uint64_t packet_edge(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    (void)stream;
    settle_given(e);
    return handed(e);
}

static int hand(struct packet_end *e, struct llp_segment *out, bool fresh)
{
    e->has_given = true;
    e->given_fresh = fresh;
    e->given = out->seg.key;
    return 1;
}

static int hand_fresh(struct packet_end *e, struct llp_segment *out)
{
    *out = (struct llp_segment){.in_order = e->fresh_in_order};
    view(&out->seg, e->fresh.key, e->fresh_octets, e->fresh_ulpdu, e->fresh_carried);
    return hand(e, out, true);
}

int packet_next(void *l, uint16_t stream, struct llp_segment *out)
{
    struct packet_end *e = l;
    (void)stream;
    settle_given(e);
    struct packet_kept *k = e->kept;
    if (e->has_fresh) {
        e->has_fresh = false;
        return hand_fresh(e, out);
    }
    if (!k || !k->due || k->key >= e->edge)
        return 0;
    *out = (struct llp_segment){.in_order = true, .again = !k->silent, .late = k->silent && k->late};
    k->silent = false;
    view(&out->seg, k->key, k->octets, k->ulpdu, k->carried);
    return hand(e, out, false);
}

int packet_keep(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    (void)stream;
    if (!e->has_given)
        return IW_ESTATE;
    e->has_given = false;
    if (e->given_fresh)
        return put_kept(e, !e->fresh_in_order, false, false) ? IW_OK : IW_EFULL;
    e->kept->due = false;
    return IW_OK;
}

void packet_all_due(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    (void)stream;
    for (struct packet_kept *k = e->kept; k; k = k->next)
        k->due = true;
}

/* ---- units ---- */

/* Ahead of its turn it waits here, where segments are wanted in order. */
static void wait_in_silence(struct packet_end *e, const struct llp_unit *u)
{
    if (e->has_fresh && (e->o.conf.in_order || e->o.conf.go_back) && !e->fresh_in_order)
        e->has_fresh = !put_kept(e, true, true, !u->in_order);
}

enum llp_verdict packet_unit(void *l, iw_time now, uint64_t room, struct llp_unit *u)
{
    struct packet_end *e = l;
    const struct ip_packet *in = e->in;
    *u = (struct llp_unit){.verdict = LLP_END, .in_order = true};
    if (!in)
        return LLP_END;
    settle_given(e);
    packet_peek(e, in, u);
    if (!e->o.gone && u->octets) {
        u->verdict = take_data(e, now, room, u);
        wait_in_silence(e, u);
    } else if (!e->o.gone && e->whole) {
        u->verdict = take_control(e);
    }
    e->in = NULL;
    return u->verdict;
}
