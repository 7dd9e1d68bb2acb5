/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp_rx.c -- DATA -> messages (RFC 9260 6.2, 6.5-6.7), FORWARD-TSN (RFC 3758 3.6), what SACK says. */
#include "llp/sctp_inner.h"

#include <string.h>

#include "engine/law.h"

void rx_start(struct sctp *a)
{
    a->rx.cum = a->rx.high = a->peer.tsn - 1;
}

static uint32_t window_now(const struct sctp_rx *r)
{
    return r->credit > r->held_octets ? r->credit - r->held_octets : 0;
}

/* ---- which TSNs are here ---- */

/* Nothing in `got` is at or below cum, or above high: looked at where the edges are. */
static bool is_marked_right(const struct sctp_rx *r)
{
    bool above = r->high - r->cum < r->got.mask && bit_is(&r->got, r->high + 1);
    return r->high - r->cum <= r->got.mask && !bit_is(&r->got, r->cum) && !bit_is(&r->got, r->cum + 1) &&
           !above;
}

static void take_tsn(struct sctp_rx *r, uint32_t tsn)
{
    bit_set(&r->got, tsn);
    if (before(r->high, tsn))
        r->high = tsn;
    while (bit_is(&r->got, r->cum + 1))
        bit_clear(&r->got, ++r->cum);
    if (before(r->high, r->cum))
        r->high = r->cum;
    LAW(!bit_is(&r->got, r->cum + 1) && !before(r->high, r->cum)); /* cum + 1 is not in `got` */
    LAW(is_marked_right(r));
}

static bool knows_tsn(const struct sctp_rx *r, uint32_t tsn)
{
    return !before(r->cum, tsn) || (!before(r->high, tsn) && bit_is(&r->got, tsn));
}

static void note_duplicate(struct sctp *a, uint32_t tsn)
{
    struct sctp_rx *r = &a->rx;
    a->stats.duplicates++;
    if (r->duplicates < DUPLICATES)
        r->duplicate[r->duplicates++] = tsn;
    r->sack = true;
}

/* ---- ordered messages that wait ---- */

static uint8_t *slot_octets(const struct sctp *a, uint16_t slot)
{
    uint32_t room = without_payload(a) ? a->conf.head_max : a->conf.mtu - SCTP_OVERHEAD;
    return a->rx.octets + (size_t)slot * room;
}

static void ready(struct sctp *a, uint16_t stream)
{
    struct sctp_stream_state *s = &a->stream[stream];
    if (s->is_ready || s->first == NONE16)
        return;
    s->is_ready = true;
    s->ready = a->rx.ready;
    a->rx.ready = stream;
}

/* Where the message `ssn` of the stream belongs among those held. */
static uint16_t *held_link(const struct sctp *a, struct sctp_stream_state *s, uint16_t ssn)
{
    uint16_t *link = &s->first;
    while (*link != NONE16 && before16(a->rx.held[*link].ssn, ssn))
        link = &a->rx.held[*link].next;
    return link;
}

static void hold(struct sctp *a, const struct sctp_in *in, uint16_t *link)
{
    uint16_t slot = a->rx.free;
    struct sctp_held *h = &a->rx.held[slot];
    LAW(slot < a->conf.hold && slot != a->rx.lent);
    a->rx.free = h->next;
    *h = (struct sctp_held){
        .ppid = in->ppid, .tsn = in->tsn, .len = in->len, .kept = in->kept, .ssn = in->ssn, .next = *link};
    *link = slot;
    LAW(h->next == NONE16 || before16(h->ssn, a->rx.held[h->next].ssn)); /* held, by SSN */
    a->rx.held_octets += in->len;
    memcpy(slot_octets(a, slot), in->octets, in->kept);
}

static void give_held(struct sctp *a, uint16_t stream, struct sctp_in *in)
{
    struct sctp_stream_state *s = &a->stream[stream];
    uint16_t slot = s->first;
    struct sctp_held *h = &a->rx.held[slot];
    *in = (struct sctp_in){.ppid = h->ppid,
                           .tsn = h->tsn,
                           .stream = stream,
                           .ssn = h->ssn,
                           .len = h->len,
                           .kept = h->kept,
                           .octets = slot_octets(a, slot)};
    s->first = h->next;
    LAW(a->rx.lent == NONE16 && a->rx.held_octets >= h->len);
    a->rx.lent = slot;
    a->rx.held_octets -= h->len;
    if (before16((uint16_t)(s->ssn_in - 1), h->ssn))
        s->ssn_in = (uint16_t)(h->ssn + 1);
}

static bool has_turn(const struct sctp *a, const struct sctp_stream_state *s)
{
    if (s->first == NONE16)
        return false;
    uint16_t ssn = a->rx.held[s->first].ssn;
    return ssn == s->ssn_in || (s->skips && before16(ssn, s->skip));
}

static void end_skip(struct sctp_stream_state *s)
{
    if (s->skips && before16(s->ssn_in, s->skip))
        s->ssn_in = s->skip;
    s->skips = false;
}

bool rx_drain(struct sctp *a, struct sctp_in *in)
{
    while (a->rx.ready != NO_STREAM) {
        struct sctp_stream_state *s = &a->stream[a->rx.ready];
        if (!has_turn(a, s))
            end_skip(s);
        if (has_turn(a, s)) {
            give_held(a, a->rx.ready, in);
            return true;
        }
        s->is_ready = false;
        a->rx.ready = s->ready;
    }
    return false;
}

/* ---- DATA ---- */

void rx_settle(struct sctp *a)
{
    struct sctp_rx *r = &a->rx;
    if (r->lent != NONE16) {
        r->held[r->lent].next = r->free;
        r->free = r->lent;
        r->lent = NONE16;
    }
    if (!r->fresh)
        return;
    r->fresh = false;
    a->stats.chunks_rx++;
    a->stats.octets_rx += r->fresh_len;
    a->stats.ahead += r->fresh_tsn != r->cum + 1;
    LAW(!knows_tsn(r, r->fresh_tsn) && a->stats.ahead <= a->stats.chunks_rx);
    take_tsn(r, r->fresh_tsn);
    if (!r->fresh_ordered)
        return;
    a->stream[r->fresh_stream].ssn_in++;
    ready(a, r->fresh_stream);
}

int sctp_refuse(struct sctp *a)
{
    if (!a->rx.fresh)
        return IW_ESTATE;
    LAW(!knows_tsn(&a->rx, a->rx.fresh_tsn)); /* what was acknowledged was taken; nothing is reneged on */
    a->rx.fresh = false;
    a->stats.refused++;
    return IW_OK;
}

static void tell_stream(struct sctp *a, uint16_t stream)
{
    uint8_t *p = sctp_reply(a, a->peer.tag, SCTP_ERROR, 0, PARAM_HEAD + 4);
    if (p)
        iw_put16(iw_put16(param_put(p, SCTP_CAUSE_STREAM, PARAM_HEAD + 4), stream), 0);
}

/* An ordered message ahead of its turn. One behind it, or with a number that is held already, cannot be of an
 * honest peer: its TSN counts and the message does not. */
static void keep_message(struct sctp *a, const struct sctp_in *in)
{
    struct sctp_stream_state *s = &a->stream[in->stream];
    uint16_t *link = held_link(a, s, in->ssn);
    bool wrong = before16(in->ssn, s->ssn_in) || (*link != NONE16 && a->rx.held[*link].ssn == in->ssn);
    if (!wrong && (a->rx.free == NONE16 || in->len > window_now(&a->rx))) {
        a->stats.refused++;
        return;
    }
    if (!wrong)
        hold(a, in, link);
    a->stats.chunks_rx++;
    a->stats.octets_rx += in->len;
    a->stats.ahead += in->tsn != a->rx.cum + 1;
    take_tsn(&a->rx, in->tsn);
}

static bool give_fresh(struct sctp *a, struct sctp_in *in)
{
    struct sctp_rx *r = &a->rx;
    LAW(!r->fresh); /* the one before was taken or refused */
    r->fresh = in->fresh = true;
    r->fresh_tsn = in->tsn;
    r->fresh_stream = in->stream;
    r->fresh_ordered = !in->unordered;
    r->fresh_len = in->len;
    return true;
}

static void read_data(const struct sctp_tlv *chunk, struct sctp_in *in)
{
    const uint8_t *p = chunk->at + CHUNK_HEAD;
    *in = (struct sctp_in){.len = chunk->full - SCTP_DATA_HEAD, .kept = chunk->len - SCTP_DATA_HEAD};
    p = iw_get16(iw_get16(iw_get32(p, &in->tsn), &in->stream), &in->ssn);
    in->octets = iw_get32(p, &in->ppid);
    in->unordered = chunk->flags & DATA_UNORDERED;
}

/* Is it of a kind that can be taken at all? */
static bool is_sound(struct sctp *a, const struct sctp_tlv *chunk)
{
    bool whole = (chunk->flags & (DATA_BEGIN | DATA_END)) == (DATA_BEGIN | DATA_END);
    if (chunk->full <= SCTP_DATA_HEAD)
        sctp_fail(a, SCTP_EV_REFUSED, SCTP_CAUSE_NO_DATA);
    else if (!whole || chunk->full > a->conf.mtu - SCTP_HEAD)
        sctp_fail(a, SCTP_EV_REFUSED, SCTP_CAUSE_PROTOCOL);
    else
        return true;
    return false;
}

/* RFC 9260 6.2: what the window has no room for is dropped. What fills a hole has its room: it was sent when
 * there was some. */
static bool is_beyond_window(const struct sctp_rx *r, const struct sctp_in *in)
{
    return before(r->high, in->tsn) && in->len > window_now(r);
}

bool rx_data(struct sctp *a, const struct sctp_tlv *chunk, struct sctp_in *in)
{
    struct sctp_rx *r = &a->rx;
    bool open = a->state == SCTP_COOKIE_ECHOED ||
                (established(a) && a->state != SCTP_SHUTDOWN_ACK_SENT && a->state != SCTP_SHUTDOWN_RECEIVED);
    if (!open || !is_sound(a, chunk))
        return false;
    read_data(chunk, in);
    r->data = true;
    r->sack |= (chunk->flags & DATA_AT_ONCE) != 0;
    if (knows_tsn(r, in->tsn)) {
        note_duplicate(a, in->tsn);
        return false;
    }
    if (in->tsn - r->cum >= r->got.mask)
        return false; /* farther ahead than can be remembered: as if lost */
    if (in->stream >= a->conf.streams) {
        tell_stream(a, in->stream);
        take_tsn(r, in->tsn);
        return false;
    }
    if (is_beyond_window(r, in)) {
        a->stats.refused++;
        r->sack = true;
        return false;
    }
    if (in->unordered || in->ssn == a->stream[in->stream].ssn_in)
        return give_fresh(a, in);
    keep_message(a, in);
    return false;
}

/* ---- FORWARD-TSN ---- */

static void skip_stream(struct sctp *a, uint16_t stream, uint16_t ssn)
{
    struct sctp_stream_state *s = &a->stream[stream];
    uint16_t to = (uint16_t)(ssn + 1);
    if (!before16(s->ssn_in, to))
        return;
    if (s->first == NONE16) {
        s->ssn_in = to;
        return;
    }
    if (!s->skips || before16(s->skip, to))
        s->skip = to;
    s->skips = true;
    ready(a, stream);
}

void rx_forward(struct sctp *a, const struct sctp_tlv *chunk)
{
    struct sctp_rx *r = &a->rx;
    const uint8_t *p = chunk->at + CHUNK_HEAD;
    uint32_t tsn;
    if (chunk->len < FORWARD_HEAD || !a->conf.partial)
        return;
    p = iw_get32(p, &tsn);
    r->data = r->sack = true;
    a->stats.forwards_rx++;
    if (!before(r->cum, tsn) || tsn - r->cum >= r->got.mask)
        return;
    while (r->cum != tsn)
        bit_clear(&r->got, ++r->cum);
    if (before(r->high, r->cum))
        r->high = r->cum;
    while (bit_is(&r->got, r->cum + 1))
        bit_clear(&r->got, ++r->cum);
    if (before(r->high, r->cum))
        r->high = r->cum;
    LAW(is_marked_right(r) && !before(r->cum, tsn));
    for (uint32_t left = chunk->len - FORWARD_HEAD; left >= 4; left -= 4) {
        uint16_t stream, ssn;
        p = iw_get16(iw_get16(p, &stream), &ssn);
        if (stream < a->conf.streams)
            skip_stream(a, stream, ssn);
    }
}

/* ---- SACK ---- */

void rx_packet_end(struct sctp *a, iw_time now)
{
    struct sctp_rx *r = &a->rx;
    if (!r->data)
        return;
    r->data = false;
    r->unacked++;
    if (r->high != r->cum || r->unacked >= a->conf.sack_every)
        r->sack = true;
    if (!r->sack && r->sack_at == IW_NEVER)
        r->sack_at = now + a->conf.sack_delay;
    if (a->state == SCTP_SHUTDOWN_SENT)
        a->want |= WANT_SHUTDOWN;
}

uint32_t sctp_runs(const struct sctp *a, uint64_t (*run)[2], uint32_t max)
{
    const struct sctp_rx *r = &a->rx;
    uint32_t n = 0, missing = r->cum + 1, from = missing, end = r->high + 1, first;
    for (; from != end && (first = bit_find(&r->got, from, end, true)) != end; n++) {
        from = bit_find(&r->got, first, end, false);
        if (n < max) {
            run[n][0] = first - missing;
            run[n][1] = from - missing;
        }
    }
    return n;
}

/* Gap reports up to `most`; how many. */
static uint32_t put_gaps(const struct sctp_rx *r, uint8_t *p, uint32_t most)
{
    uint32_t n = 0, from = r->cum + 1, end = r->high + 1;
    while (n < most) {
        uint32_t first = bit_find(&r->got, from, end, true);
        if (first == end)
            break;
        from = bit_find(&r->got, first, end, false);
        p = iw_put16(iw_put16(p, (uint16_t)(first - r->cum)), (uint16_t)(from - 1 - r->cum));
        n++;
    }
    return n;
}

enum { BEHIND_SACK = 24 }; /* octets of the largest control chunk that goes along with it: HEARTBEAT */

void rx_put_sack(struct sctp *a, uint8_t *out, uint32_t *len)
{
    struct sctp_rx *r = &a->rx;
    uint32_t room = a->conf.mtu - *len - SCTP_SACK_HEAD - 4 * r->duplicates - BEHIND_SACK;
    uint32_t gaps = put_gaps(r, out + SCTP_SACK_HEAD, room / 4);
    uint8_t *p = out + SCTP_SACK_HEAD + 4 * gaps;
    for (uint32_t i = 0; i < r->duplicates; i++)
        p = iw_put32(p, r->duplicate[i]);
    r->told = window_now(r);
    uint8_t *head = iw_put32(iw_put32(chunk_put(out, SCTP_SACK, 0, (uint32_t)(p - out)), r->cum), r->told);
    iw_put16(iw_put16(head, (uint16_t)gaps), (uint16_t)r->duplicates);
    *len += (uint32_t)(p - out);
    LAW(*len <= a->conf.mtu && is_marked_right(r));
    r->duplicates = r->unacked = 0;
    r->sack = false;
    r->sack_at = IW_NEVER;
    a->stats.sacks_tx++;
    if (gaps > a->stats.gaps_peak)
        a->stats.gaps_peak = gaps;
}

void sctp_credit(struct sctp *a, iw_time now, uint32_t octets)
{
    struct sctp_rx *r = &a->rx;
    (void)now;
    r->credit = octets;
    uint32_t window = window_now(r), opened = window > r->told ? window - r->told : 0;
    bool worth = opened >= 2 * a->conf.mtu || (opened && opened >= window / 2);
    if (worth && r->told < 2 * a->conf.mtu && established(a))
        r->sack = true;
}

bool sctp_in_order(const struct sctp *a)
{
    return a->rx.cum == a->rx.high;
}

uint32_t sctp_rwnd(const struct sctp *a)
{
    return a->rx.told;
}
