/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp_tx.c -- messages -> DATA; SACK -> what is lost and what may be sent (RFC 9260 6.1-6.3, 7.2);
 * FORWARD-TSN (RFC 3758 3.5). */
#include "llp/sctp_inner.h"

#include <string.h>

#include "engine/law.h"

static struct sctp_sent *sent_at(const struct sctp_tx *t, uint32_t tsn)
{
    return &t->sent[tsn & t->gap.mask];
}

static bool in_flight(const struct sctp_tx *t, uint32_t tsn)
{
    return !bit_is(&t->gap, tsn) && !bit_is(&t->again, tsn) && !bit_is(&t->gone, tsn);
}

/* Flight is the sum of `len` over the outstanding chunks that are in none of gap, again, gone; a chunk is in at most one of
 * again and gone: looked at where they are few. */
static bool is_sum(const struct sctp_tx *t)
{
    enum { FEW = 16 };
    uint32_t sum = 0, agains = 0;
    for (uint32_t tsn = t->una; t->next - t->una <= FEW && tsn != t->next; tsn++) {
        sum += in_flight(t, tsn) ? sent_at(t, tsn)->len : 0;
        agains += bit_is(&t->again, tsn);
        if (bit_is(&t->again, tsn) && bit_is(&t->gone, tsn))
            return false;
    }
    return t->next - t->una > FEW || (sum == t->flight && agains == t->agains);
}

static bool is_in_order(const struct sctp_tx *t)
{
    uint32_t outstanding = t->next - t->una, all = t->end - t->una;
    return outstanding <= all && all <= t->gap.mask && t->agains <= outstanding && is_sum(t);
}

static uint32_t initial_window(const struct sctp_conf *c)
{
    uint32_t two = 2 * c->mtu > 4404 ? 2 * c->mtu : 4404;
    if (c->initial_window)
        return c->initial_window;
    return 4 * c->mtu < two ? 4 * c->mtu : two;
}

void tx_start(struct sctp *a, iw_time now)
{
    struct sctp_tx *t = &a->tx;
    t->una = t->next = t->end = a->first_tsn;
    t->advanced = t->told = t->una - 1;
    t->cwnd = initial_window(&a->conf);
    t->ssthresh = UINT32_MAX;
    t->peer_rwnd = a->peer.rwnd;
    t->t3 = IW_NEVER;
    t->last = now;
    tx_refill_burst(a);
}

/* ---- messages in ---- */

uint32_t sctp_message_max(const struct sctp *a)
{
    return a->conf.mtu - SCTP_OVERHEAD;
}

static uint32_t kept_of(const struct sctp *a, uint32_t len)
{
    return without_payload(a) && len > a->conf.head_max ? a->conf.head_max : len;
}

/* What is kept of a message. */
static uint8_t *kept_at(const struct sctp *a, uint32_t tsn, uint32_t store)
{
    return a->tx.store + (without_payload(a) ? (size_t)(tsn & a->tx.gap.mask) * a->conf.head_max : store);
}

/* Where `len` octets find room in one piece; UINT32_MAX: nowhere. */
static uint32_t find_store(const struct sctp_tx *t, uint32_t len)
{
    if (t->una == t->end)
        return len <= t->store_size ? 0 : UINT32_MAX;
    uint32_t get = sent_at(t, t->una)->store;
    if (t->put > get && t->store_size - t->put >= len)
        return t->put;
    if (t->put > get)
        return get > len ? 0 : UINT32_MAX;
    return get - t->put > len ? t->put : UINT32_MAX;
}

bool sctp_has_room(const struct sctp *a)
{
    return a->state == SCTP_ESTABLISHED && a->tx.end - a->tx.una < a->tx.gap.mask &&
           find_store(&a->tx, sctp_message_max(a)) != UINT32_MAX;
}

/* Octets of the store that are free, in two pieces at most. */
static uint32_t store_left(const struct sctp_tx *t)
{
    if (t->una == t->end)
        return t->store_size;
    uint32_t get = sent_at(t, t->una)->store;
    return t->put > get ? t->store_size - t->put + get : get - t->put;
}

bool sctp_has_room_behind(const struct sctp *a, uint32_t messages, uint64_t octets)
{
    uint32_t largest = sctp_message_max(a);
    uint64_t needed = octets + largest + (octets ? largest : 0); /* what the end of the store may waste */
    return sctp_has_room(a) && a->tx.end - a->tx.una + messages < a->tx.gap.mask &&
           (!messages || needed <= store_left(&a->tx));
}

/* The first `kept` octets of the fragments. */
static void copy_in(const struct sctp_out *out, uint8_t *to, uint32_t kept)
{
    for (uint8_t i = 0; i < out->frags && kept; i++) {
        uint32_t n = out->frag[i].len < kept ? out->frag[i].len : kept;
        if (!n)
            continue;
        if (out->frag[i].octets)
            memcpy(to, out->frag[i].octets, n);
        else
            memset(to, 0, n);
        to += n;
        kept -= n;
    }
}

static int out_error(const struct sctp *a, const struct sctp_out *out, uint32_t *len)
{
    uint64_t sum = 0;
    for (uint8_t i = 0; i < out->frags; i++)
        sum += out->frag[i].len;
    *len = (uint32_t)sum;
    if (a->state != SCTP_ESTABLISHED)
        return IW_ESTATE;
    bool fits = sum && sum <= sctp_message_max(a) && out->stream < a->streams;
    bool known = out->retransmits == SCTP_RELIABLE || (a->conf.partial && a->peer.partial);
    return fits && known ? IW_OK : IW_EINVAL;
}

/* Is there a message that has not left? */
static bool has_new(const struct sctp_tx *t)
{
    return t->next != t->end;
}

/* RFC 9260 6.1 A: a window that is closed for the next chunk is probed, first after one RTO. */
static void watch_window(struct sctp *a, iw_time now)
{
    struct sctp_tx *t = &a->tx;
    bool idle = t->una == t->next;
    bool closed = idle && has_new(t) && sent_at(t, t->next)->len > t->peer_rwnd && !t->probe;
    if (closed && !t->closed)
        t->t3 = now + a->rto;
    if (!closed && t->closed)
        t->t3 = IW_NEVER;
    t->closed = closed;
}

int sctp_send(struct sctp *a, iw_time now, const struct sctp_out *out)
{
    struct sctp_tx *t = &a->tx;
    uint32_t len;
    int error = out_error(a, out, &len);
    if (error)
        return error;
    uint32_t kept = kept_of(a, len), store = find_store(t, len);
    if (t->end - t->una >= t->gap.mask || store == UINT32_MAX)
        return IW_EFULL;
    struct sctp_stream_state *s = &a->stream[out->stream];
    uint8_t flags = (uint8_t)(DATA_BEGIN | DATA_END | (out->unordered ? DATA_UNORDERED : 0) |
                              (out->at_once ? DATA_AT_ONCE : 0));
    copy_in(out, kept_at(a, t->end, store), kept);
    *sent_at(t, t->end++) = (struct sctp_sent){.ppid = out->ppid,
                                               .store = store,
                                               .len = len,
                                               .stream = out->stream,
                                               .ssn = out->unordered ? 0 : s->ssn_out,
                                               .flags = flags,
                                               .retransmits = out->retransmits,
                                               .kept = kept};
    s->ssn_out = (uint16_t)(s->ssn_out + !out->unordered);
    s->queued++;
    t->put = store + len;
    t->unsent += len;
    LAW(is_in_order(t) && t->put <= t->store_size);
    watch_window(a, now);
    return IW_OK;
}

uint32_t sctp_unsent(const struct sctp *a)
{
    return a->tx.unsent;
}

uint64_t sctp_acked(const struct sctp *a, uint16_t stream)
{
    return stream < a->conf.streams ? a->stream[stream].acked : 0;
}

uint64_t sctp_queued(const struct sctp *a, uint16_t stream)
{
    return stream < a->conf.streams ? a->stream[stream].queued : 0;
}

/* ---- lost, given up ---- */

static void not_again(struct sctp_tx *t, uint32_t tsn)
{
    t->agains -= bit_is(&t->again, tsn);
    bit_clear(&t->again, tsn);
}

/* The chunk, in flight until now, counts as lost. */
static void lose_chunk(struct sctp *a, uint32_t tsn)
{
    struct sctp_tx *t = &a->tx;
    const struct sctp_sent *s = sent_at(t, tsn);
    LAW(t->flight >= s->len && !(bit_is(&t->again, tsn) && bit_is(&t->gone, tsn)));
    t->flight -= s->len;
    t->peer_rwnd += s->len; /* RFC 9260 6.2.1 C */
    if (s->retransmits != SCTP_RELIABLE && s->sends > s->retransmits) {
        bit_set(&t->gone, tsn);
        a->stats.abandoned++;
        return;
    }
    bit_set(&t->again, tsn);
    t->agains++;
}

/* RFC 3758 3.5 C: how far the peer may be told not to wait. */
static void advance_ack_point(struct sctp *a)
{
    struct sctp_tx *t = &a->tx;
    if (before(t->advanced, t->una - 1))
        t->advanced = t->una - 1;
    while (before(t->advanced + 1, t->next) && bit_is(&t->gone, t->advanced + 1))
        t->advanced++;
    LAW(!before(t->advanced, t->una - 1) && before(t->advanced, t->next));
    if (!before(t->una - 1, t->advanced))
        t->forward = false;
    else if (before(t->told, t->advanced))
        t->forward = true;
}

/* ---- SACK ---- */

struct sacked {
    uint32_t newly, flight_before;
    uint32_t highest; /* newly acknowledged */
    bool advanced;    /* the cumulative TSN moved */
};

static void time_it(struct sctp *a, iw_time now, uint32_t tsn)
{
    struct sctp_tx *t = &a->tx;
    if (!t->timing || t->timed != tsn)
        return;
    t->timing = false;
    if (sent_at(t, tsn)->sends == 1)
        sctp_round_trip(a, now - sent_at(t, tsn)->at);
}

static void acknowledge(struct sctp *a, iw_time now, uint32_t tsn, struct sacked *k)
{
    struct sctp_tx *t = &a->tx;
    uint32_t len = sent_at(t, tsn)->len;
    if (bit_is(&t->gap, tsn))
        return;
    LAW(!in_flight(t, tsn) || t->flight >= len);
    if (in_flight(t, tsn))
        t->flight -= len;
    not_again(t, tsn);
    k->newly += len;
    if (before(k->highest, tsn))
        k->highest = tsn;
    time_it(a, now, tsn);
}

static void pass(struct sctp *a, iw_time now, uint32_t cum, struct sacked *k)
{
    struct sctp_tx *t = &a->tx;
    for (; !before(cum, t->una); t->una++) {
        acknowledge(a, now, t->una, k);
        struct sctp_stream_state *s = &a->stream[sent_at(t, t->una)->stream];
        LAW(s->acked < s->queued);
        s->acked++;
        bit_clear(&t->gap, t->una);
        bit_clear(&t->fast, t->una);
        bit_clear(&t->gone, t->una);
        k->advanced = true;
    }
}

/* A gap report of [first, last]; both are outstanding. */
static void pass_gap(struct sctp *a, iw_time now, uint32_t first, uint32_t last, struct sacked *k)
{
    struct sctp_tx *t = &a->tx;
    uint32_t end = last + 1;
    for (uint32_t tsn = first; (tsn = bit_find(&t->gap, tsn, end, false)) != end; tsn++) {
        acknowledge(a, now, tsn, k);
        LAW(!before(tsn, t->una) && before(tsn, t->next));
        bit_set(&t->gap, tsn);
    }
}

/* The peer no longer has what it once reported: all of that is to be sent again (RFC 9260 6.3.3, 6.2.1). */
static void reneged(struct sctp *a)
{
    struct sctp_tx *t = &a->tx;
    uint32_t tsn = t->una;
    while ((tsn = bit_find(&t->gap, tsn, t->next, true)) != t->next) {
        bit_clear(&t->gap, tsn);
        if (bit_is(&t->gone, tsn))
            continue;
        bit_set(&t->again, tsn);
        t->agains++;
    }
    LAW(is_in_order(t));
}

/* RFC 9260 7.2.4: chunks below `below` that are missing have one report more; those with three are lost. */
static bool count_missing(struct sctp *a, uint32_t below)
{
    struct sctp_tx *t = &a->tx;
    bool lost = false;
    for (uint32_t tsn = t->una; (tsn = bit_find(&t->gap, tsn, below, false)) != below; tsn++) {
        struct sctp_sent *s = sent_at(t, tsn);
        if (!in_flight(t, tsn) || bit_is(&t->fast, tsn) || ++s->missed < 3)
            continue;
        lose_chunk(a, tsn);
        bit_set(&t->fast, tsn);
        a->stats.fast_retransmits += bit_is(&t->again, tsn);
        lost = true;
    }
    return lost;
}

static uint32_t half(const struct sctp *a)
{
    uint32_t least = 4 * a->conf.mtu, half_of = a->tx.cwnd / 2;
    return half_of > least ? half_of : least;
}

static void recover(struct sctp *a)
{
    struct sctp_tx *t = &a->tx;
    t->ssthresh = t->cwnd = half(a);
    t->partial_acked = 0;
    t->recovering = t->over_window = true;
    t->recover = t->next - 1;
}

/* RFC 9260 7.2.1, 7.2.2. */
static void open_window(struct sctp *a, const struct sacked *k)
{
    struct sctp_tx *t = &a->tx;
    bool used = k->flight_before + a->conf.mtu > t->cwnd;
    uint32_t most = UINT32_MAX / 2;
    if (!k->advanced || t->recovering)
        return;
    if (t->cwnd <= t->ssthresh) {
        if (used && t->cwnd < most)
            t->cwnd += k->newly < a->conf.mtu ? k->newly : a->conf.mtu;
        return;
    }
    t->partial_acked += k->newly;
    if (t->partial_acked < t->cwnd)
        return;
    if (!used) {
        t->partial_acked = t->cwnd;
        return;
    }
    t->partial_acked -= t->cwnd;
    if (t->cwnd < most)
        t->cwnd += a->conf.mtu;
}

/* What follows from what was acknowledged, up to `reported`. */
static void after_sack(struct sctp *a, iw_time now, uint32_t reported, const struct sacked *k)
{
    struct sctp_tx *t = &a->tx;
    uint32_t cum = t->una - 1;
    if (before(t->una, t->next) && bit_is(&t->gap, t->una))
        reneged(a);
    LAW(is_in_order(t)); /* flight is the sum of `len` over the outstanding chunks */
    bool was = t->recovering;
    if (t->recovering && !before(cum, t->recover))
        t->recovering = false;
    if (!was)
        open_window(a, k);
    if (k->newly)
        a->errors = 0;
    uint32_t below = t->recovering && k->advanced ? reported : k->highest;
    if (before(t->una, below) && count_missing(a, below) && !t->recovering)
        recover(a);
    advance_ack_point(a);
    if (t->una == t->next) {
        t->t3 = t->closed ? t->t3 : IW_NEVER;
        t->partial_acked = 0;
    } else if (k->advanced) {
        t->t3 = now + a->rto;
    }
    tx_refill_burst(a);
}

/* The window has opened, and the probe was not taken: nothing behind it will report it missing. */
static void repeat_probe(struct sctp *a, uint32_t rwnd)
{
    struct sctp_tx *t = &a->tx;
    t->probed &= t->una + 1 == t->next;
    if (!t->probed || rwnd < sent_at(t, t->una)->len || !in_flight(t, t->una))
        return;
    t->probed = false;
    lose_chunk(a, t->una);
    advance_ack_point(a);
}

static bool is_old(const struct sctp_tx *t, uint32_t cum)
{
    return before(cum, t->una - 1) || !before(cum, t->next);
}

void tx_cumulative(struct sctp *a, iw_time now, uint32_t cum)
{
    struct sacked k = {.flight_before = a->tx.flight, .highest = a->tx.una - 1};
    if (is_old(&a->tx, cum))
        return;
    pass(a, now, cum, &k);
    after_sack(a, now, cum, &k);
}

/* The peer had this chunk before it came again (RFC 3708): one of the times it was sent again was for nothing. */
static void came_twice(struct sctp *a, uint32_t tsn)
{
    struct sctp_tx *t = &a->tx;
    bool known = !before(tsn, a->first_tsn) && before(tsn, t->next) && t->end - tsn <= t->gap.mask + 1;
    if (!known || !(before(tsn, t->una) || bit_is(&t->gap, tsn)) || sent_at(t, tsn)->sends < 2)
        return;
    sent_at(t, tsn)->sends--;
    a->stats.spurious++;
    LAW(a->stats.spurious <= a->stats.retransmits);
    if (t->twices < TWICE)
        t->twice[t->twices++] = tsn;
}

bool sctp_spurious(struct sctp *a, uint32_t *tsn)
{
    struct sctp_tx *t = &a->tx;
    if (!t->twices)
        return false;
    *tsn = t->twice[--t->twices];
    return true;
}

void tx_sack(struct sctp *a, iw_time now, const struct sctp_tlv *chunk)
{
    struct sctp_tx *t = &a->tx;
    uint32_t cum, rwnd;
    uint16_t gaps, duplicates;
    const uint8_t *p = chunk->at + CHUNK_HEAD;
    if (chunk->len < SCTP_SACK_HEAD)
        return;
    p = iw_get16(iw_get16(iw_get32(iw_get32(p, &cum), &rwnd), &gaps), &duplicates);
    if (is_old(t, cum) || (chunk->len - SCTP_SACK_HEAD) / 4 < (uint32_t)gaps + duplicates)
        return;
    const uint8_t *twice = p + 4 * gaps;
    struct sacked k = {.flight_before = t->flight, .highest = t->una - 1};
    a->stats.sacks_rx++;
    t->heard = true;
    pass(a, now, cum, &k);
    uint32_t reported = cum;
    for (uint16_t i = 0; i < gaps; i++) {
        uint16_t first, last;
        p = iw_get16(iw_get16(p, &first), &last);
        bool sound = first && first <= last && before(reported, cum + first) && before(cum + last, t->next);
        if (!sound)
            break;
        pass_gap(a, now, cum + first, cum + last, &k);
        reported = cum + last;
    }
    after_sack(a, now, reported, &k);
    for (uint16_t i = 0; i < duplicates; i++) {
        uint32_t tsn;
        twice = iw_get32(twice, &tsn);
        came_twice(a, tsn);
    }
    t->peer_rwnd = rwnd > t->flight ? rwnd - t->flight : 0;
    repeat_probe(a, rwnd);
    watch_window(a, now);
}

/* ---- T3 ---- */

void tx_expire(struct sctp *a, iw_time now)
{
    struct sctp_tx *t = &a->tx;
    bool probing = t->heard && t->peer_rwnd == 0 && t->next - t->una <= 1; /* a probe of a closed window */
    if (t->t3 > now)
        return;
    t->t3 = IW_NEVER;
    if (t->closed) {
        t->closed = false;
        t->probe = true;
        return;
    }
    t->heard = false;
    a->stats.timeouts += !probing;
    if (!probing && !sctp_missed(a))
        return;
    if (!probing) { /* a probe says nothing about the path (6.1 A) */
        t->ssthresh = half(a);
        t->cwnd = a->conf.mtu;
    }
    t->partial_acked = 0;
    t->recovering = t->timing = false;
    sctp_back_off(a);
    for (uint32_t tsn = t->una; (tsn = bit_find(&t->gap, tsn, t->next, false)) != t->next; tsn++) {
        if (in_flight(t, tsn))
            lose_chunk(a, tsn);
        sent_at(t, tsn)->missed = 0;
    }
    advance_ack_point(a);
    LAW(!t->flight && is_in_order(t));
    t->forward = before(t->una - 1, t->advanced);
    if (t->forward)
        t->t3 = now + a->rto;
    tx_refill_burst(a);
}

/* ---- packets out ---- */

static bool may_send_new(const struct sctp *a)
{
    const struct sctp_tx *t = &a->tx;
    if (!has_new(t))
        return false;
    uint32_t len = sent_at(t, t->next)->len;
    if (t->flight == 0)
        return len <= t->peer_rwnd || t->probe; /* whatever the congestion window (RFC 9260 6.1 B) */
    return t->flight < t->cwnd && len <= t->cwnd - t->flight && len <= t->peer_rwnd;
}

static bool may_send_again(const struct sctp *a)
{
    const struct sctp_tx *t = &a->tx;
    if (!t->agains || t->over_window || !t->flight)
        return t->agains;
    uint32_t len = sent_at(t, bit_find(&t->again, t->una, t->next, true))->len;
    return t->flight < t->cwnd && len <= t->cwnd - t->flight;
}

static bool carries_data(const struct sctp *a)
{
    return a->state == SCTP_ESTABLISHED || a->state == SCTP_SHUTDOWN_PENDING ||
           a->state == SCTP_SHUTDOWN_RECEIVED;
}

static bool burst_left(const struct sctp *a, iw_time now)
{
    return a->tx.burst || a->tx.last < now;
}

bool tx_wants(const struct sctp *a, iw_time now)
{
    if (!carries_data(a))
        return false;
    return a->tx.forward || ((may_send_again(a) || may_send_new(a)) && burst_left(a, now));
}

enum { FORWARD_STREAMS = 64, FORWARD_MAX = FORWARD_HEAD + 4 * FORWARD_STREAMS };

/* FORWARD-TSN: of each stream the last ordered message that is skipped. */
static void put_forward(struct sctp *a, uint8_t *out, uint32_t *len, uint32_t *wire)
{
    struct sctp_tx *t = &a->tx;
    uint16_t stream[FORWARD_STREAMS];
    uint32_t n = 0, last = t->una - 1;
    uint8_t *p = out + FORWARD_HEAD;
    for (uint32_t tsn = t->una; !before(t->advanced, tsn); last = tsn++) {
        const struct sctp_sent *s = sent_at(t, tsn);
        uint32_t i = 0;
        if (s->flags & DATA_UNORDERED)
            continue;
        while (i < n && stream[i] != s->stream)
            i++;
        if (i == FORWARD_STREAMS)
            break; /* the rest next time */
        stream[i] = s->stream;
        n += i == n;
        iw_put16(iw_put16(p + 4 * i, s->stream), s->ssn);
    }
    uint32_t size = FORWARD_HEAD + 4 * n;
    LAW(!before(t->advanced, last) && !before(last, t->una - 1));
    iw_put32(chunk_put(out, SCTP_FORWARD_TSN, 0, size), last);
    t->forward = before(last, t->advanced);
    t->told = last;
    *len += size;
    *wire += size;
    a->stats.forwards_tx++;
}

static uint32_t data_octets(const struct sctp_sent *s)
{
    return padded(SCTP_DATA_HEAD + s->len);
}

static void put_data(struct sctp *a, iw_time now, uint32_t tsn, uint8_t *out, uint32_t *len, uint32_t *wire)
{
    struct sctp_tx *t = &a->tx;
    struct sctp_sent *s = sent_at(t, tsn);
    LAW(in_flight(t, tsn) && !before(tsn, t->una)); /* not acknowledged, not given up */
    uint8_t *p = iw_put32(chunk_put(out, SCTP_DATA, s->flags, SCTP_DATA_HEAD + s->len), tsn);
    p = iw_put32(iw_put16(iw_put16(p, s->stream), s->ssn), s->ppid);
    memcpy(p, kept_at(a, tsn, s->store), s->kept);
    memset(p + s->kept, 0, padded(s->kept) - s->kept);
    *len += SCTP_DATA_HEAD + padded(s->kept);
    *wire += data_octets(s);
    s->at = now;
    s->sends = (uint8_t)(s->sends + (s->sends < 255));
    s->missed = 0;
    t->flight += s->len;
    t->peer_rwnd -= s->len < t->peer_rwnd ? s->len : t->peer_rwnd;
    t->last = now;
    if (t->t3 == IW_NEVER || (tsn == t->una && s->sends > 1))
        t->t3 = now + a->rto;
}

static void put_again(struct sctp *a, iw_time now, uint8_t *out, uint32_t *len, uint32_t *wire)
{
    struct sctp_tx *t = &a->tx;
    uint32_t tsn = t->una, before_len = *len;
    while (may_send_again(a) && (tsn = bit_find(&t->again, tsn, t->next, true)) != t->next) {
        if (*wire + data_octets(sent_at(t, tsn)) > a->conf.mtu)
            break;
        not_again(t, tsn);
        if (t->timing && t->timed == tsn)
            t->timing = false;
        put_data(a, now, tsn, out + *len, len, wire);
        a->stats.retransmits++;
    }
    t->over_window &= t->agains && *len == before_len;
}

static void put_new(struct sctp *a, iw_time now, uint8_t *out, uint32_t *len, uint32_t *wire)
{
    struct sctp_tx *t = &a->tx;
    while (!t->agains && may_send_new(a)) {
        const struct sctp_sent *s = sent_at(t, t->next);
        if (*wire + data_octets(s) > a->conf.mtu)
            break;
        if (!t->timing) {
            t->timing = true;
            t->timed = t->next;
        }
        t->probed = s->len > t->peer_rwnd;
        a->stats.probes += t->probed;
        t->probe = false;
        put_data(a, now, t->next++, out + *len, len, wire);
        LAW(t->unsent >= s->len && s->sends == 1);
        t->unsent -= s->len;
        a->stats.chunks_tx++;
        a->stats.octets_tx += s->len;
    }
    if (t->next - t->una > a->stats.outstanding_peak)
        a->stats.outstanding_peak = t->next - t->una;
}

/* RFC 9260 7.2.1: a window that was not used for a while says nothing about the path. */
static void shrink_idle(struct sctp *a, iw_time now)
{
    struct sctp_tx *t = &a->tx;
    if (t->flight == 0 && !t->agains && now - t->last > a->rto && t->cwnd > 4 * a->conf.mtu)
        t->cwnd = half(a);
}

void tx_fill(struct sctp *a, iw_time now, uint8_t *out, uint32_t *len, uint32_t *wire)
{
    struct sctp_tx *t = &a->tx;
    shrink_idle(a, now);
    bool fits = *len + FORWARD_MAX <= a->conf.mtu; /* behind a SACK of many gaps it waits */
    if (t->forward && fits)
        put_forward(a, out + *len, len, wire);
    uint32_t before_data = *len;
    if (!t->burst && t->last < now)
        t->burst = 1;
    if (!t->burst)
        return;
    put_again(a, now, out, len, wire);
    put_new(a, now, out, len, wire);
    LAW(*wire <= a->conf.mtu && *len <= *wire && is_in_order(t));
    if (*len != before_data && t->burst != UINT32_MAX)
        t->burst--;
}
