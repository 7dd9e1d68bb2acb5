/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_tx.c -- records, and what leaves next (RFC 9293 3.8; persist 3.8.6.1). */
#include <string.h>

#include "engine/law.h"
#include "llp/tcp_inner.h"

/* ---- laws ---- */

bool tcp_is_in_order(const struct tcp *t)
{
    const struct tcp_tx *x = &t->tx;
    uint32_t sent = x->next - x->first, all = x->end - x->first;
    return x->una <= x->nxt && x->nxt <= x->end_offset && sent <= all &&
           (uint64_t)all <= (uint64_t)x->mask + 1;
}

/* The sum is looked at where it is short. */
static bool is_sum(const struct tcp *t)
{
    enum { SHORT = 16 };
    uint64_t sum = 0;
    uint32_t i = t->tx.flying.head, n = t->tx.flying.count;
    if (n > SHORT)
        return t->stats.flight >= n;
    for (; n; n--, i = record_at(t, i)->next)
        sum += record_at(t, i)->len;
    return sum == t->stats.flight;
}

bool tcp_accounts(const struct tcp *t)
{
    return t->stats.sacked + t->tx.lost.count + t->tx.flying.count == t->tx.next - t->tx.first && is_sum(t);
}

/* ---- chains of records ---- */

static void append(struct tcp *t, struct tcp_chain *c, uint32_t i)
{
    struct tcp_record *r = record_at(t, i);
    if (c->count++) {
        record_at(t, c->tail)->next = i;
        r->prev = c->tail;
    } else {
        c->head = i;
    }
    c->tail = i;
    LAW(c->count <= t->tx.next - t->tx.first);
}

void tcp_chain_push(struct tcp *t, struct tcp_chain *c, uint32_t i)
{
    if (!c->count) {
        append(t, c, i);
        return;
    }
    record_at(t, i)->next = c->head;
    record_at(t, c->head)->prev = i;
    c->head = i;
    c->count++;
}

void tcp_chain_remove(struct tcp *t, struct tcp_chain *c, uint32_t i)
{
    const struct tcp_record *r = record_at(t, i);
    LAW(c->count && (c->count == 1) == (c->head == c->tail));
    c->count--;
    if (i == c->head)
        c->head = r->next;
    else
        record_at(t, r->prev)->next = r->next;
    if (i == c->tail)
        c->tail = r->prev;
    else
        record_at(t, r->next)->prev = r->prev;
}

static void chain_insert_before(struct tcp *t, struct tcp_chain *c, uint32_t at, uint32_t i)
{
    struct tcp_record *r = record_at(t, i), *next = record_at(t, at);
    r->next = at;
    r->prev = next->prev;
    if (at == c->head)
        c->head = i;
    else
        record_at(t, next->prev)->next = i;
    next->prev = i;
    c->count++;
}

static bool is_before(const struct tcp *t, uint32_t i, uint32_t j)
{
    return i - t->tx.first < j - t->tx.first;
}

/* In the order of offsets. Losses come in runs: one stands behind the other, or at an end; the search for the odd one is
 * bounded, and where it ends in vain the order is only nearly kept. */
static void chain_insert(struct tcp *t, struct tcp_chain *c, uint32_t i)
{
    uint32_t at, steps = 64;
    if (!c->count || is_before(t, c->tail, i)) {
        append(t, c, i);
        return;
    }
    bool finger = t->tx.finger - t->tx.first < t->tx.next - t->tx.first &&
                  record_at(t, t->tx.finger)->flags & LOST && is_before(t, t->tx.finger, i);
    at = finger ? t->tx.finger : c->head;
    while (is_before(t, at, i) && steps--)
        at = record_at(t, at)->next;
    LAW(steps > 64 ||
        is_before(t, i, at)); /* `lost` in the order of offsets, but where the search ended in vain */
    chain_insert_before(t, c, at, i);
}

void tcp_lose(struct tcp *t, uint32_t i, enum tcp_why why)
{
    struct tcp_record *r = record_at(t, i);
    LAW(is_before(t, i, t->tx.next) && !(r->flags & (SACKED | LOST)));
    tcp_chain_remove(t, &t->tx.flying, i);
    LAW(t->stats.flight >= r->len);
    t->stats.flight -= r->len;
    chain_insert(t, &t->tx.lost, i);
    t->tx.finger = i;
    r->flags |= LOST;
    r->why = (unsigned)why & 7;
}

uint32_t tcp_pipe(const struct tcp *t)
{
    uint32_t arrived = t->detection->arrived ? t->detection->arrived(t) : 0;
    return t->stats.flight - (uint32_t)least(t->stats.flight, arrived);
}

/* ---- appending ---- */

uint64_t tcp_appended(const struct tcp *t)
{
    return appended_of(t);
}

uint64_t tcp_sent(const struct tcp *t)
{
    LAW(tcp_is_in_order(t));
    return sent_of(t);
}

uint64_t tcp_acked(const struct tcp *t)
{
    return acked_of(t);
}

uint64_t tcp_unsent(const struct tcp *t)
{
    return appended_of(t) - sent_of(t);
}

/* One entry stays free for a record that is cut, one for the FIN. */
bool tcp_room(const struct tcp *t, uint32_t len)
{
    uint32_t used = t->tx.end - t->tx.first,
             pieces = len <= t->tx.mss ? 1 : (len + t->tx.mss - 1) / t->tx.mss;
    if ((uint64_t)used + pieces + 2 > (uint64_t)t->tx.mask + 1)
        return false;
    return t->conf.note_max || tcp_table_used(t, TCP_STORE) + (uint64_t)len <= t->tx.store_size;
}

static int refuses(const struct tcp *t, uint32_t len)
{
    if ((t->state != TCP_ESTABLISHED && t->state != TCP_CLOSE_WAIT) || t->tx.fin)
        return IW_ESTATE;
    return tcp_room(t, len) ? IW_OK : IW_EFULL;
}

static uint8_t *note_at(const struct tcp *t, uint32_t i)
{
    return t->tx.store + (size_t)(i & t->tx.mask) * t->conf.note_room;
}

static void push_records(struct tcp *t, uint32_t len, const void *note, uint32_t note_len)
{
    for (uint32_t before = 0; before < len; t->tx.end++) {
        uint32_t piece = (uint32_t)least(len - before, t->tx.mss);
        *record_at(t, t->tx.end) = (struct tcp_record){.offset = t->tx.end_offset,
                                                       .len = (uint16_t)piece,
                                                       .before = (uint16_t)before,
                                                       .note_len = (uint8_t)note_len};
        if (note_len)
            memcpy(note_at(t, t->tx.end), note, note_len);
        t->tx.end_offset += piece;
        before += piece;
    }
    LAW(tcp_is_in_order(t));
}

/* Copy into the store, or zeros. */
static void store_put(struct tcp *t, uint64_t offset, const uint8_t *from, uint32_t len)
{
    while (len) {
        uint32_t at = (uint32_t)offset & (t->tx.store_size - 1);
        uint32_t n = (uint32_t)least(len, t->tx.store_size - at);
        if (from)
            memcpy(t->tx.store + at, from, n);
        else
            memset(t->tx.store + at, 0, n);
        from = from ? from + n : NULL;
        offset += n;
        len -= n;
    }
}

int tcp_append(struct tcp *t, iw_time now, const struct iw_frag *frag, uint32_t frags)
{
    uint64_t len = 0, at = t->tx.end_offset;
    for (uint32_t i = 0; i < frags; i++)
        len += frag[i].len;
    if (t->conf.note_max || !len || len > UINT16_MAX)
        return IW_EINVAL;
    int refused = refuses(t, (uint32_t)len);
    if (refused)
        return refused;
    for (uint32_t i = 0; i < frags; at += frag[i++].len)
        store_put(t, at, frag[i].octets, frag[i].len);
    push_records(t, (uint32_t)len, NULL, 0);
    LAW(at == t->tx.end_offset && tcp_table_used(t, TCP_STORE) <= t->tx.store_size);
    tcp_arm_persist(t, now);
    return IW_OK;
}

int tcp_append_note(struct tcp *t, iw_time now, uint32_t len, const void *note, uint32_t note_len)
{
    if (!t->conf.note_max || !len || len > UINT16_MAX || note_len > t->conf.note_max)
        return IW_EINVAL;
    int refused = refuses(t, len);
    if (!refused && note_len > t->conf.note_room)
        refused = IW_EFULL;
    if (refused)
        return refused;
    push_records(t, len, note, note_len);
    tcp_arm_persist(t, now);
    return IW_OK;
}

/* The FIN is the last record: one octet of sequence space without any on the wire. */
int tcp_close(struct tcp *t, iw_time now)
{
    if (t->state == TCP_LISTEN || t->state == TCP_SYN_SENT) {
        tcp_end(t, TCP_EV_DOWN);
        return IW_OK;
    }
    if ((t->state != TCP_ESTABLISHED && t->state != TCP_CLOSE_WAIT) || t->tx.fin)
        return IW_ESTATE;
    *record_at(t, t->tx.end++) =
        (struct tcp_record){.offset = t->tx.end_offset++, .len = 1, .flags = FIN_RECORD};
    t->tx.fin = true;
    LAW(tcp_is_in_order(t));
    t->state = t->state == TCP_ESTABLISHED ? TCP_FIN_WAIT_1 : TCP_LAST_ACK;
    tcp_arm_persist(t, now);
    return IW_OK;
}

/* Cut record i, not sent yet, behind `len` octets: those behind it move up. */
static bool cut_record(struct tcp *t, uint32_t i, uint32_t len)
{
    if (t->tx.end - t->tx.first + !t->tx.fin > t->tx.mask) /* the FIN's entry stays free */
        return false;
    for (uint32_t j = t->tx.end++; j != i; j--) {
        *record_at(t, j) = *record_at(t, j - 1);
        if (t->conf.note_max)
            memcpy(note_at(t, j), note_at(t, j - 1), t->conf.note_room);
    }
    struct tcp_record *r = record_at(t, i), *rest = record_at(t, i + 1);
    rest->offset += len;
    rest->before = (uint16_t)(rest->before + len);
    rest->len = (uint16_t)(rest->len - len);
    r->len = (uint16_t)len;
    LAW(record_end(r) == rest->offset && r->len && rest->len && tcp_is_in_order(t));
    t->stats.records_cut++;
    return true;
}

/* ---- may it leave? ---- */

static inline bool cwnd_allows(const struct tcp *t, const struct tcp_record *r)
{
    uint32_t pipe = tcp_pipe(t);
    return t->tx.force || !pipe || (uint64_t)pipe + r->len <= t->stats.cwnd;
}

/* Where a record is cut that the window does not hold whole; 0: nowhere. Neither piece is smaller than what stands for it
 * where payload is none, so that both go alike; octets for which there is no such place are cut at the edge. */
static uint32_t cut_of(const struct tcp *t, const struct tcp_record *r)
{
    enum { LEAST = 2 + TCP_NOTE_MAX };
    uint64_t edge = t->stats.right_edge;
    uint32_t room = (uint32_t)least(edge > r->offset && !t->conf.whole ? edge - r->offset : 0, r->len);
    if (room >= LEAST && r->len >= 2 * LEAST)
        return (uint32_t)least(room, r->len - LEAST);
    return t->conf.note_max ? 0 : room;
}

static bool window_allows(const struct tcp *t, const struct tcp_record *r)
{
    return record_end(r) <= t->stats.right_edge || (t->tx.cut && cut_of(t, r));
}

static bool paced(const struct tcp *t, iw_time now)
{
    return t->conf.pacing && t->pace_at != IW_NEVER && now < t->pace_at;
}

/* The record to send next, lost ones first; during F-RTO a new one, or none (RFC 5682 3). */
static bool next_record(const struct tcp *t, iw_time now, uint32_t *i)
{
    bool lost = t->tx.lost.count && (!t->repair.frto || (t->repair.frto == 1 && t->tx.force));
    if (!sends(t) || paced(t, now))
        return false;
    *i = lost ? t->tx.lost.head : t->tx.next;
    const struct tcp_record *r = record_at(t, *i);
    bool may = lost || (has_unsent(t) && (!t->repair.frto || t->repair.frto_new) && window_allows(t, r));
    return may && ((!lost && t->repair.frto_new) || cwnd_allows(t, r));
}

enum tcp_bound tcp_bound(const struct tcp *t, iw_time now)
{
    const struct tcp_record *r = record_at(t, t->tx.next);
    if (!sends(t))
        return TCP_BOUND_CLOSED;
    if (!has_unsent(t))
        return TCP_BOUND_IDLE;
    if (!window_allows(t, r))
        return TCP_BOUND_WINDOW;
    if (t->tx.lost.count || !cwnd_allows(t, r))
        return TCP_BOUND_CONGESTION;
    return paced(t, now) ? TCP_BOUND_PACING : TCP_BOUND_NOTHING;
}

bool tcp_wants_control(const struct tcp *t)
{
    return wants_control(t);
}

bool tcp_wants_data(const struct tcp *t, iw_time now)
{
    uint32_t i;
    return t->tx.tlp || (has_to_send(t) && next_record(t, now, &i));
}

bool tcp_wants(const struct tcp *t, iw_time now)
{
    return wants_control(t) || tcp_wants_data(t, now);
}

uint32_t tcp_packet_max(const struct tcp *t)
{
    return t->conf.note_max ? TCP_HEAD_MAX + 2u + t->conf.note_max : t->conf.mtu - (uint32_t)IP_HEAD;
}

/* ---- a closed window ---- */

void tcp_arm_persist(struct tcp *t, iw_time now)
{
    bool blocked =
        has_unsent(t) && t->tx.first == t->tx.next && sends(t) && !window_allows(t, record_at(t, t->tx.next));
    if (!synchronized(t) || t->state == TCP_TIME_WAIT)
        return; /* the timer is another's */
    if (!blocked) {
        t->other_at = IW_NEVER;
        t->probe_backoff = 0;
        t->tx.probe = false;
    } else if (t->other_at == IW_NEVER && !t->tx.probe) {
        iw_time wait = t->probe_backoff < 32 ? t->rto << t->probe_backoff : t->conf.max_rto;
        t->other_at = later(now, least(wait, t->conf.max_rto));
    }
}

void tcp_persist(struct tcp *t, iw_time now)
{
    const struct tcp_record *r = record_at(t, t->tx.next);
    if (!t->probe_backoff) {
        t->stats.stalls++;
        tcp_tell(t, TCP_EV_STALLED, TCP_WHY_NONE, r->offset, r->len);
    }
    if (t->probe_backoff < UINT8_MAX)
        t->probe_backoff++;
    if (cut_of(t, r)) {
        t->tx.cut = true; /* RFC 1122 4.2.3.4: an RTO is long enough to wait for more of it */
        return;
    }
    if (t->tries++ == t->conf.retries) {
        tcp_end(t, TCP_EV_LOST);
        return;
    }
    t->tx.probe = true;
    (void)now;
}

/* ---- packets without data ---- */

static uint8_t echo(const struct tcp *t)
{
    return t->ecn_on && t->rx.ece ? FLAG_ECE : 0;
}

static bool put_control(struct tcp *t, iw_time now, struct ip_packet *out, uint32_t seq, uint32_t ack,
                        uint8_t flags, bool sacks)
{
    uint32_t head = tcp_head_put(t, now, out->octets, seq, ack, flags, sacks);
    bool marked = t->conf.congestion->ecn && t->conf.ecn && flags & (FLAG_SYN | FLAG_RST);
    out->ecn = marked ? IP_ECT_0 : IP_NOT_ECT; /* a datacenter's queue drops what is not ECT above K */
    tcp_packet_end(t, out, head, 0, 0);
    return true;
}

static bool put_must(struct tcp *t, iw_time now, struct ip_packet *out)
{
    bool answer = t->state == TCP_SYN_RECEIVED;
    if (t->must & MUST_RST) {
        bool acks = t->must & MUST_RST_ACK;
        t->must &= (uint8_t) ~(MUST_RST | MUST_RST_ACK);
        return put_control(t, now, out, t->rst_seq, acks ? t->rst_ack : 0,
                           acks ? FLAG_RST | FLAG_ACK : FLAG_RST, false);
    }
    t->must = 0;
    t->last_sent = now;
    t->syn_again |= t->other_at != IW_NEVER;
    tcp_syn_timer(t, now);
    uint8_t ecn = answer ? (t->ecn_on ? FLAG_ECE : 0) : t->conf.ecn ? FLAG_ECE | FLAG_CWR : 0;
    return put_control(t, now, out, t->conf.iss, answer ? ack_of(t, 0) : 0,
                       (uint8_t)(FLAG_SYN | (answer ? FLAG_ACK : 0) | ecn), false);
}

static bool put_ack(struct tcp *t, iw_time now, struct ip_packet *out, uint32_t seq)
{
    t->stats.acks_tx++;
    put_control(t, now, out, seq, ack_of(t, t->rx.nxt), FLAG_ACK | echo(t), t->sack);
    tcp_acked_now(t, true);
    return true;
}

/* RFC 8257 3.2. One that the window field cannot say without moving the edge left is left out. */
static bool put_ack_before(struct tcp *t, iw_time now, struct ip_packet *out)
{
    uint64_t nxt = t->rx.nxt, before = nxt - t->rx.before_len;
    t->rx.before_ce = false;
    if (t->rx.advertised > before + ((uint64_t)UINT16_MAX << t->rx.shift))
        return false;
    LAW(before <= nxt);
    t->rx.nxt = before;
    t->stats.acks_tx++;
    put_control(t, now, out, seq_of(t, t->tx.nxt), ack_of(t, before),
                t->rx.ece ? FLAG_ACK : FLAG_ACK | FLAG_ECE, false);
    t->rx.nxt = nxt;
    return true;
}

static bool put_probe(struct tcp *t, iw_time now, struct ip_packet *out)
{
    t->tx.probe = false;
    t->stats.probes++;
    tcp_tell(t, TCP_EV_PROBED, TCP_WHY_NONE, t->tx.una, 0);
    put_ack(t, now, out, seq_of(t, t->tx.una) - 1);
    tcp_arm_persist(t, now);
    return true;
}

/* ---- packets with data ---- */

static void store_get(const struct tcp *t, uint64_t offset, uint8_t *to, uint32_t len)
{
    uint32_t at = (uint32_t)offset & (t->tx.store_size - 1);
    uint32_t n = (uint32_t)least(len, t->tx.store_size - at);
    memcpy(to, t->tx.store + at, n);
    memcpy(to + n, t->tx.store, len - n);
}

/* The payload, or what stands for it; the octets written. */
static uint32_t put_payload(const struct tcp *t, uint32_t i, const struct tcp_record *r, uint8_t *to)
{
    if (r->flags & FIN_RECORD)
        return 0;
    if (!t->conf.note_max) {
        store_get(t, r->offset, to, r->len);
        return r->len;
    }
    to = iw_put16(to, r->before);
    if (r->note_len)
        memcpy(to, note_at(t, i), r->note_len);
    return 2u + r->note_len;
}

/* What so many octets of a window have of a round trip. A large window takes less than a picosecond for an octet. */
static iw_time part_of_trip(const struct tcp *t, uint64_t octets)
{
    uint64_t trip = t->stats.srtt, cwnd = t->stats.cwnd;
    return trip / cwnd * octets + trip % cwnd * octets / cwnd;
}

static void pace(struct tcp *t, iw_time now, uint32_t octets)
{
    if (!t->conf.pacing || !t->stats.srtt)
        return;
    uint32_t percent = t->stats.cwnd < t->stats.ssthresh ? 200 : 120;
    t->pace_at = later(now, part_of_trip(t, octets) * 100 / percent);
}

/* A record is in flight from now on. */
static void fly(struct tcp *t, iw_time now, uint32_t i)
{
    struct tcp_record *r = record_at(t, i);
    bool again = r->sends > 0;
    r->sent = now;
    r->sends = least(r->sends + 1u, SENDS_MAX) & SENDS_MAX;
    if (r->flags & LOST) {
        tcp_chain_remove(t, &t->tx.lost, i);
        r->flags &= (uint8_t)~LOST;
    } else if (again) {
        tcp_chain_remove(t, &t->tx.flying, i); /* a tail loss probe */
        LAW(t->stats.flight >= r->len);
        t->stats.flight -= r->len;
    } else {
        LAW(i == t->tx.next && r->offset == t->tx.nxt);
        t->tx.next++;
        t->tx.nxt = record_end(r);
    }
    LAW(!t->tx.flying.count ||
        record_at(t, t->tx.flying.tail)->sent <= now); /* `flying` is in the order of `sent` */
    append(t, &t->tx.flying, i);
    t->stats.flight += r->len;
    t->stats.flight_peak = (uint32_t)most(t->stats.flight_peak, t->stats.flight);
    LAW(tcp_accounts(t)); /* each record of [first, next) is SACKED, or LOST and in `lost`, or in `flying` */
}

static void count_sent(struct tcp *t, const struct tcp_record *r, bool again)
{
    if (r->flags & FIN_RECORD && !again)
        return;
    if (!again) {
        t->stats.segments_tx++;
        t->stats.octets_tx += r->len;
        return;
    }
    t->stats.retransmits++;
    t->stats.why[r->why]++;
    tcp_tell(t, TCP_EV_RETRANSMITTED, (enum tcp_why)r->why, r->offset, r->len);
}

/* Nothing but the FIN is queued behind it: PSH (RFC 9293 MUST-61). */
static bool is_last_octets(const struct tcp *t, uint32_t i)
{
    return i + 1 + t->tx.fin == t->tx.end;
}

static bool put_record(struct tcp *t, iw_time now, struct ip_packet *out, uint32_t i)
{
    struct tcp_record *r = record_at(t, i);
    bool again = r->sends > 0, fin = r->flags & FIN_RECORD;
    LAW(again || record_end(r) <= t->stats.right_edge);
    uint8_t flags = (uint8_t)(FLAG_ACK | echo(t) | (fin ? FLAG_FIN : is_last_octets(t, i) ? FLAG_PSH : 0));
    if (!again && t->tx.cwr && t->ecn_on) {
        flags |= FLAG_CWR;
        t->tx.cwr = false;
    }
    uint32_t head =
        tcp_head_put(t, now, out->octets, seq_of(t, r->offset), ack_of(t, t->rx.nxt), flags, false);
    uint32_t written = put_payload(t, i, r, out->octets + head);
    out->ecn = t->ecn_on && !again && !fin ? IP_ECT_0 : IP_NOT_ECT;
    tcp_packet_end(t, out, head, fin ? 0 : r->len, written);
    tcp_acked_now(t, false);
    if (t->tx.first == t->tx.next && t->conf.congestion->rested && t->last_sent != IW_NEVER)
        t->conf.congestion->rested(t, now - t->last_sent);
    fly(t, now, i);
    count_sent(t, r, again);
    t->tx.force = false;
    t->last_sent = now;
    tcp_recovery_sent(t, r, again);
    tcp_usage(t);
    pace(t, now, r->len);
    if (t->rto_at == IW_NEVER)
        tcp_arm_rto(t, now);
    return true;
}

static bool put_next(struct tcp *t, iw_time now, struct ip_packet *out, uint32_t i)
{
    struct tcp_record *r = record_at(t, i);
    bool first = i == t->tx.next;
    if (first && t->tx.cut && record_end(r) > t->stats.right_edge && !cut_record(t, i, cut_of(t, r)))
        return false;
    t->tx.cut &= !first;
    put_record(t, now, out, i);
    if (first && t->detection->arm_probe)
        t->detection->arm_probe(t, now);
    return true;
}

/* RFC 8985 7.3: a new record if the window has room, or the last one again. */
static bool put_tlp(struct tcp *t, iw_time now, struct ip_packet *out)
{
    uint32_t i = t->tx.next - 1;
    t->tx.tlp = false;
    bool fresh = has_unsent(t) && record_end(record_at(t, t->tx.next)) <= t->stats.right_edge;
    if (!fresh && (!t->tx.flying.count || record_at(t, i)->flags & (SACKED | LOST)))
        return false;
    if (fresh)
        i = t->tx.next;
    else
        record_at(t, i)->why = TCP_WHY_TLP;
    put_record(t, now, out, i);
    tcp_tlp_sent(t, now, !fresh);
    return true;
}

void tcp_renew(struct tcp *t, struct ip_packet *packet)
{
    tcp_head_renew(t, packet, ack_of(t, t->rx.nxt), echo(t));
    tcp_acked_now(t, false);
}

static bool put_before_data(struct tcp *t, iw_time now, struct ip_packet *out)
{
    if (t->must)
        return put_must(t, now, out);
    if (t->rx.before_ce && put_ack_before(t, now, out))
        return true;
    return t->rx.ack && t->rx.pure && put_ack(t, now, out, seq_of(t, t->tx.nxt));
}

static bool put_behind_data(struct tcp *t, iw_time now, struct ip_packet *out)
{
    if (t->rx.ack)
        return put_ack(t, now, out, seq_of(t, t->tx.nxt));
    return t->tx.probe && put_probe(t, now, out);
}

static bool put_data(struct tcp *t, iw_time now, struct ip_packet *out)
{
    uint32_t i;
    if (t->tx.tlp && put_tlp(t, now, out))
        return true;
    if (t->conf.idle_restart && has_unsent(t) && window_allows(t, record_at(t, t->tx.next)))
        tcp_idle_restart(t, now);
    if (next_record(t, now, &i) && put_next(t, now, out, i))
        return true;
    tcp_arm_persist(t, now);
    return false;
}

bool tcp_transmit_of(struct tcp *t, iw_time now, bool control, bool data, struct ip_packet *out)
{
    return (control && put_before_data(t, now, out)) || (data && put_data(t, now, out)) ||
           (control && put_behind_data(t, now, out));
}
