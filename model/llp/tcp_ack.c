/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_ack.c -- what an acknowledgement says of each record: cumulative (RFC 9293 3.10.7.4), SACK (RFC 2018, 6675 section 4),
 * D-SACK (RFC 2883 section 4). */
#include "engine/law.h"
#include "llp/tcp_inner.h"

/* ---- one record ---- */

/* It has arrived, and that is news. */
static void delivered(struct tcp *t, uint32_t i, struct tcp_news *n)
{
    struct tcp_record *r = record_at(t, i);
    LAW(!(r->flags & SACKED) && r->sends && r->sent <= n->now);
    if (r->flags & LOST) {
        tcp_chain_remove(t, &t->tx.lost, i);
        r->flags &= (uint8_t)~LOST;
        tcp_cut_last(t)->again |= r->sends > 1; /* any of its copies may be the one that arrived */
    } else {
        tcp_chain_remove(t, &t->tx.flying, i);
        LAW(t->stats.flight >= r->len);
        t->stats.flight -= r->len;
    }
    n->delivered += r->len;
    if (r->sends == 1) {
        n->rtt = least(n->rtt, n->now - r->sent);
        n->original |= record_end(r) <= t->repair.recover;
    }
    if (t->detection->heard)
        t->detection->heard(t, r, n);
}

static void retire(struct tcp *t, struct tcp_news *n)
{
    uint32_t i = t->tx.first;
    struct tcp_record *r = record_at(t, i);
    if (r->flags & SACKED)
        t->stats.sacked--;
    else
        delivered(t, i, n);
    if (r->owed)
        tcp_repeat_keep(t, r);
    if (t->detection->retired)
        t->detection->retired(t, i);
    n->records++;
    t->tx.first++;
}

static void cumulative(struct tcp *t, uint64_t ack, struct tcp_news *n)
{
    bool fin = t->tx.fin && ack == t->tx.end_offset && t->tx.una < ack;
    LAW(t->tx.una < ack && ack <= t->tx.nxt);
    n->acked = (uint32_t)(ack - t->tx.una);
    t->tx.una = ack;
    while (t->tx.first != t->tx.next && record_end(record_at(t, t->tx.first)) <= ack)
        retire(t, n);
    LAW(tcp_accounts(t) && n->delivered <= t->tx.una);
    if (fin)
        tcp_fin_acked(t, n->now);
}

/* ---- blocks ---- */

uint32_t tcp_record_from(const struct tcp *t, uint64_t offset)
{
    uint32_t low = t->tx.first, n = t->tx.next - low;
    while (n) {
        uint32_t half = n / 2;
        if (record_at(t, low + half)->offset < offset) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    LAW(low == t->tx.next || record_at(t, low)->offset >= offset);
    LAW(low == t->tx.first || record_at(t, low - 1)->offset < offset);
    return low;
}

/* The first record from i on that is not SACKED; those passed point further from now on. */
static uint32_t not_sacked(struct tcp *t, uint32_t i)
{
    while (i != t->tx.next && record_at(t, i)->flags & SACKED) {
        struct tcp_record *r = record_at(t, i);
        if (r->next != t->tx.next && record_at(t, r->next)->flags & SACKED)
            r->next = record_at(t, r->next)->next;
        i = r->next;
    }
    return i;
}

/* A record counts as SACKed when one block has all of it: records leave whole, and a receiver joins blocks. */
static void block_heard(struct tcp *t, const struct tcp_range *b, struct tcp_news *n)
{
    for (uint32_t i = not_sacked(t, tcp_record_from(t, b->from)); i != t->tx.next; i = not_sacked(t, i + 1)) {
        struct tcp_record *r = record_at(t, i);
        LAW(r->offset >= b->from);
        if (record_end(r) > b->to)
            return;
        delivered(t, i, n);
        r->flags |= SACKED;
        r->next = i + 1;
        t->stats.sacked++;
        n->sacked++;
        if (t->detection->sacked)
            t->detection->sacked(t, i);
    }
}

/* Block i; false: it makes no sense (RFC 2018, RFC 2883). */
static bool block_get(const struct tcp *t, const struct tcp_wire *w, uint32_t i, struct tcp_range *b)
{
    uint32_t left, right;
    iw_get32(iw_get32(w->sack + (size_t)i * 8, &left), &right);
    int64_t from = offset_of_ack(t, left), to = offset_of_ack(t, right);
    *b = (struct tcp_range){(uint64_t)from, (uint64_t)to};
    return from >= 0 && from < to && b->to <= t->tx.nxt;
}

/* RFC 2883 4: the first block is a duplicate below the acknowledgement, or inside the second block. */
static bool is_dsack(const struct tcp *t, const struct tcp_wire *w, uint64_t ack,
                     const struct tcp_range *first)
{
    struct tcp_range second;
    if (first->to <= ack)
        return true;
    return w->sacks > 1 && block_get(t, w, 1, &second) && first->from >= second.from &&
           first->to <= second.to;
}

/* An acknowledgement that was overtaken has its own word for what is below it, and its blocks are as true as any. */
static void blocks_heard(struct tcp *t, const struct tcp_wire *w, uint64_t ack, struct tcp_news *n)
{
    struct tcp_range b;
    for (uint32_t i = 0; i < w->sacks; i++) {
        if (!block_get(t, w, i, &b))
            continue;
        if (i == 0 && is_dsack(t, w, ack, &b)) {
            n->dsack = true;
            n->dsack_range = b;
        } else if (b.to > t->tx.una) {
            block_heard(t, &b, n);
        }
    }
}

/* ---- the window (RFC 9293 3.10.7.4) ---- */

/* True: the right edge is where it was. */
static bool window_heard(struct tcp *t, const struct tcp_wire *w, uint64_t ack)
{
    int64_t from = offset_of_seq(t, w->seq);
    uint64_t offset = from < 0 ? 0 : (uint64_t)from;
    uint32_t window = (uint32_t)w->window << (t->tx.shift == UINT8_MAX ? 0 : t->tx.shift);
    bool same = ack + window == t->stats.right_edge;
    if (is_below(offset, t->tx.wl1) || ((uint32_t)offset == t->tx.wl1 && is_below(ack, t->tx.wl2)))
        return same;
    t->tx.wl1 = (uint32_t)offset;
    t->tx.wl2 = (uint32_t)ack;
    t->stats.right_edge = ack + window;
    t->tx.window_max = (uint32_t)most(t->tx.window_max, window);
    return same;
}

/* ---- all of it ---- */

/* RFC 7323 4.1: where all that was acknowledged left more than once (Karn), the echo tells which of them it was. */
static iw_time stamped_round_trip(const struct tcp *t, const struct tcp_news *n)
{
    int32_t ticks = (int32_t)(tcp_stamp(t, n->now) - n->echo);
    return n->stamped && n->acked && ticks >= 0 ? (iw_time)ticks * TCP_STAMP_TICK : IW_NEVER;
}

static void round_trip_heard(struct tcp *t, iw_time now, struct tcp_news *n)
{
    bool sample = !is_below(t->tx.una, t->rtt_end) || !t->stats.srtt;
    if (n->rtt == IW_NEVER)
        n->rtt = stamped_round_trip(t, n);
    if (n->rtt == IW_NEVER)
        return;
    tcp_round_trip(t, now, n->rtt, sample);
    if (sample)
        t->rtt_end = (uint32_t)t->tx.nxt;
    tcp_hystart_heard(t, n->rtt);
}

static void timers_heard(struct tcp *t, iw_time now, const struct tcp_news *n)
{
    if (n->acked)
        tcp_arm_rto(t, now); /* RFC 6298 5.2, 5.3 */
    if (t->tx.first == t->tx.next)
        t->rto_at = t->pto_at = t->reo_at = IW_NEVER;
    else if (n->acked && t->detection->arm_probe)
        t->detection->arm_probe(t, now);
    tcp_arm_persist(t, now);
}

static struct tcp_news news_of(const struct tcp *t, iw_time now, const struct tcp_wire *w)
{
    return (struct tcp_news){.now = now,
                             .una_before = t->tx.una,
                             .marked = t->ecn_on && w->flags & FLAG_ECE,
                             .stamped = t->stamps && w->ts_ecr,
                             .echo = w->ts_ecr,
                             .rtt = IW_NEVER};
}

/* RFC 5681 section 2, but for the window: it acknowledges nothing new, carries nothing, and something is out. */
static bool is_duplicate(const struct tcp *t, const struct tcp_wire *w, uint64_t ack)
{
    return ack == t->tx.una && t->tx.una < t->tx.nxt && !w->len && !(w->flags & FLAG_FIN);
}

/* Nothing is out, and it says nothing but the window: what most data segments of a peer that is not answered say. */
static bool is_only_window(const struct tcp *t, const struct tcp_wire *w, uint64_t ack)
{
    return t->tx.first == t->tx.next && ack == t->tx.una && !w->sacks && !(w->flags & FLAG_ECE) &&
           t->repair.phase == OPEN;
}

void tcp_ack_came(struct tcp *t, iw_time now, const struct tcp_wire *w, uint64_t ack)
{
    bool same_edge = window_heard(t, w, ack);
    t->stats.acks_rx += !w->len;
    t->tries = 0;
    if (is_only_window(t, w, ack)) {
        LAW(least(t->rto_at, least(t->pto_at, t->reo_at)) == IW_NEVER); /* no record waits for anything */
        tcp_arm_persist(t, now);
        return;
    }
    struct tcp_news n = news_of(t, now, w);
    t->stats.echoes += n.marked;
    if (ack > t->tx.una && t->conf.go_back_n)
        t->backoff = 0; /* all that is out left twice: no sample would end it (Karn) */
    if (ack > t->tx.una)
        cumulative(t, ack, &n);
    else
        n.duplicate = same_edge && is_duplicate(t, w, ack);
    if (!synchronized(t))
        return;
    if (t->sack && w->sacks)
        blocks_heard(t, w, ack, &n);
    round_trip_heard(t, now, &n);
    if (n.dsack)
        tcp_dsack_came(t, &n);
    bool lost = t->detection->detect(t, &n);
    if (t->detection->probe_heard)
        t->detection->probe_heard(t, &n);
    tcp_recovery_heard(t, &n, lost);
    timers_heard(t, now, &n);
    LAW(tcp_is_in_order(t) && tcp_accounts(t)); /* stats.flight is the sum of `len` over `flying` */
    LAW(t->tx.first == t->tx.end || record_end(record_at(t, t->tx.first)) > t->tx.una);
}
