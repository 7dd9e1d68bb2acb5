/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_dupack.c -- what is lost, by count: with SACK (RFC 6675), without (RFC 6582), and going back N. */
#include "engine/law.h"
#include "llp/tcp_inner.h"

/* ---- with SACK: a record is lost once `dupack_threshold` records behind it arrived (RFC 6675 section 4) ---- */

static void sacked(struct tcp *t, uint32_t i)
{
    t->dupack.above += i - t->tx.first >= t->dupack.edge - t->tx.first;
    LAW(t->dupack.above <= t->stats.sacked);
}

static void retired(struct tcp *t, uint32_t i)
{
    struct tcp_dupack *d = &t->dupack;
    if (i != d->edge)
        return;
    d->edge++;
    d->above -= record_at(t, i)->flags & SACKED ? 1 : 0;
    LAW(d->above <= t->stats.sacked);
}

/* The edge moves right only, over each record once. */
static bool detect_sacked(struct tcp *t)
{
    struct tcp_dupack *d = &t->dupack;
    bool found = false;
    while (d->above >= t->conf.dupack_threshold) {
        LAW(d->edge - t->tx.first < t->tx.next - t->tx.first); /* one that is SACKED is still to come */
        const struct tcp_record *r = record_at(t, d->edge);
        bool sacked = r->flags & SACKED;
        if (sacked && d->above == t->conf.dupack_threshold)
            break;
        d->above -= sacked;
        if (!sacked && !(r->flags & LOST) && r->sends == 1) {
            tcp_lose(t, d->edge, TCP_WHY_DUPACK);
            found = true;
        }
        d->edge++;
    }
    return found;
}

/* ---- without ---- */

/* Each duplicate stands for a record that arrived: one of those behind the first. */
static void count_duplicate(struct tcp *t, struct tcp_news *n)
{
    uint32_t i = t->tx.first + ++t->dupack.dups;
    if (i - t->tx.first >= t->tx.next - t->tx.first)
        return;
    uint32_t len = record_at(t, i)->len;
    t->dupack.dup_octets += len;
    LAW(t->dupack.dup_octets <= t->tx.nxt - t->tx.una);
    n->delivered += len;
}

/* A partial acknowledgement: some of what the duplicates stood for is acknowledged now. */
static void count_again(struct tcp *t, uint32_t records)
{
    struct tcp_dupack *d = &t->dupack;
    uint32_t dups = d->dups > records - 1 ? d->dups - (records - 1) : 0, out = t->tx.next - t->tx.first;
    d->dups = d->dup_octets = 0;
    for (; d->dups < dups && d->dups + 1 < out; d->dups++)
        d->dup_octets += record_at(t, t->tx.first + d->dups + 1)->len;
}

static bool lose_first(struct tcp *t, enum tcp_why why)
{
    const struct tcp_record *r = record_at(t, t->tx.first);
    if (t->tx.first == t->tx.next || r->flags & LOST)
        return false;
    tcp_lose(t, t->tx.first, why);
    return true;
}

static void reset_dupacks(struct tcp *t)
{
    t->dupack.dups = t->dupack.dup_octets = t->dupack.expected = 0;
}

/* RFC 6582 3.2, with the duplicates counted as if they were SACKed. */
static bool detect_reno(struct tcp *t, struct tcp_news *n)
{
    bool repairing = t->repair.phase == RECOVERY && t->tx.una < t->repair.recover;
    if (n->acked && repairing && n->records) {
        count_again(t, n->records);
        return lose_first(t, TCP_WHY_DUPACK);
    }
    if (n->acked)
        reset_dupacks(t);
    if (!n->duplicate || t->repair.phase == LOSS)
        return false;
    count_duplicate(t, n);
    bool fresh = t->tx.una > t->repair.recover || !t->repair.recover;
    return t->dupack.dups == t->conf.dupack_threshold && t->repair.phase != RECOVERY && fresh &&
           lose_first(t, TCP_WHY_DUPACK);
}

/* ---- going back ---- */

/* All in flight leaves again. The duplicates of what is out beyond the hole are still to come. */
static bool go_back(struct tcp *t)
{
    t->dupack.expected += t->tx.flying.count - (record_at(t, t->tx.first)->flags & LOST ? 0 : 1);
    t->stats.gone_back++;
    while (t->tx.flying.count)
        tcp_lose(t, t->tx.flying.head, TCP_WHY_GO_BACK);
    LAW(!t->stats.flight && t->tx.lost.count == t->tx.next - t->tx.first);
    return true;
}

/* What was caused by something that left after the first record did is a round trip younger than that. Before there is a
 * sample nothing is known, and duplicates may answer what a hasty timer repeated: they prove nothing. */
static bool is_news_of_first(const struct tcp *t, iw_time now)
{
    const struct tcp_record *r = record_at(t, t->tx.first);
    return t->stats.min_rtt != IW_NEVER && now >= later(r->sent, t->stats.min_rtt);
}

/* The receiver keeps nothing and the path keeps order. So three duplicates of a new SND.UNA prove a loss among what left
 * since; at one that did not move, more duplicates than records were out beyond the hole do. */
static bool detect_go_back(struct tcp *t, const struct tcp_news *n)
{
    struct tcp_dupack *d = &t->dupack;
    if (n->acked)
        reset_dupacks(t);
    if (!n->duplicate || !t->tx.flying.count)
        return false;
    d->dups++;
    return d->dups >= d->expected + t->conf.dupack_threshold && is_news_of_first(t, n->now) && go_back(t);
}

static bool detect(struct tcp *t, struct tcp_news *n)
{
    if (t->sack)
        return detect_sacked(t);
    return t->conf.go_back_n ? detect_go_back(t, n) : detect_reno(t, n);
}

static uint32_t arrived(const struct tcp *t)
{
    return t->dupack.dup_octets;
}

static void repaired(struct tcp *t, bool losses)
{
    (void)losses;
    reset_dupacks(t);
}

static void timed_out(struct tcp *t, bool reneged)
{
    if (reneged)
        t->dupack = (struct tcp_dupack){.edge = t->tx.first};
    reset_dupacks(t);
}

TCP_DETECTION(dupack) = {.sacked = sacked,
                         .retired = retired,
                         .detect = detect,
                         .repaired = repaired,
                         .timed_out = timed_out,
                         .arrived = arrived};
