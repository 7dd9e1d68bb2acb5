/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_recovery.c -- reductions of cwnd and the way there (RFC 5681, 6675, 6937, 3168), timeouts (RFC 6298), F-RTO (RFC 5682).
 *
 *   OPEN      grows                            ends
 *   CWR       PRR towards ssthresh, marks      una > recover
 *   RECOVERY  PRR towards ssthresh, losses     una >= recover
 *   LOSS      slow start after a timeout       una >= recover, or F-RTO
 */
#include "engine/law.h"
#include "llp/tcp_inner.h"

const struct tcp_detection *const tcp_detections[] = {TCP_DETECTION_TABLE(TCP_KIND)};
const char *const tcp_detection_words[] = {TCP_DETECTION_TABLE(TCP_KIND_WORD) NULL};

/* ---- reductions ---- */

void tcp_reduce(struct tcp *t, iw_time now, enum tcp_why why)
{
    struct tcp_repair *p = &t->repair;
    bool mark = why == TCP_WHY_ECN || why == TCP_WHY_TLP;
    struct tcp_cut *cut = tcp_cut_begin(t, !mark);
    p->prr_delivered = p->prr_out = 0;
    p->prr_flight = (uint32_t)most(t->tx.nxt - t->tx.una, 1);
    p->recover = t->tx.nxt;
    tcp_hystart_end(t);
    t->stats.ssthresh =
        (why == TCP_WHY_ECN ? t->conf.congestion->after_mark : t->conf.congestion->after_loss)(t, now);
    LAW(t->conf.congestion->fixed ||
        t->stats.ssthresh <= most(cut->prior_cwnd, 2u * t->tx.mss)); /* none grows */
    cut->left = (uint16_t)most(least(((uint64_t)t->stats.ssthresh << 15) / cut->prior_cwnd, 1u << 15), 1);
    t->cong.counted /= 2;
    p->phase = mark ? CWR : RECOVERY;
    t->tx.force = !mark;
    t->tx.cwr = t->ecn_on;
    t->pto_at = IW_NEVER;
    t->stats.reductions++;
    tcp_tell(t, TCP_EV_REDUCED, why, t->tx.una, 0);
}

/* A loss in a window that a mark has cut already: not cut twice (RFC 3168 6.1.2), but to no more than a loss leaves. */
static void mark_to_recovery(struct tcp *t, iw_time now)
{
    uint32_t marked = t->stats.ssthresh, cwnd = t->stats.cwnd;
    t->stats.cwnd = tcp_cut_last(t)->prior_cwnd;
    t->stats.ssthresh = (uint32_t)least(marked, t->conf.congestion->after_loss(t, now));
    t->stats.cwnd = cwnd;
    t->repair.phase = RECOVERY;
    t->repair.recover = t->tx.nxt;
    tcp_cut_last(t)->may_undo = false;
    t->tx.force = true;
}

/* Losses were found. */
static void repair_losses(struct tcp *t, iw_time now)
{
    LAW(t->tx.lost.count && record_at(t, t->tx.lost.head)->flags & LOST);
    enum tcp_why why = (enum tcp_why)record_at(t, t->tx.lost.head)->why;
    bool head = record_at(t, t->tx.first)->flags & LOST;
    if (t->repair.phase == CWR)
        mark_to_recovery(t, now);
    else
        tcp_reduce(t, now, why);
    if (head)
        tcp_arm_rto(t, now);
    if (why != TCP_WHY_GO_BACK)
        return;
    t->repair.phase = OPEN; /* all leaves again: there is no pipe to keep up */
    tcp_cut_last(t)->may_undo = false;
    tcp_cwnd_set(t, t->stats.ssthresh);
}

/* ---- PRR (RFC 6937 3.1): in a whole window what leaves is to what arrives as ssthresh is to the flight ---- */

/* At least what arrived, as RFC 6937's successor; in slow start, while the repair goes well, a segment more. */
static uint32_t prr_limit(const struct tcp *t, const struct tcp_news *n, bool lost)
{
    const struct tcp_repair *p = &t->repair;
    uint32_t behind = p->prr_delivered > p->prr_out ? p->prr_delivered - p->prr_out : 0;
    uint32_t limit = (uint32_t)most(behind, n->delivered);
    bool well = t->conf.congestion->fixed || (n->acked && !lost);
    return limit + (p->phase == RECOVERY && well ? t->tx.mss : 0);
}

/* Time, not an acknowledgement, showed the loss: one record leaves for it, as at any entry. */
static void prr_by_timer(struct tcp *t)
{
    if (t->repair.phase == RECOVERY)
        tcp_cwnd_set(t, least(t->stats.cwnd, (uint64_t)tcp_pipe(t) + t->tx.mss));
}

static void prr(struct tcp *t, const struct tcp_news *n, bool lost)
{
    struct tcp_repair *p = &t->repair;
    uint32_t pipe = tcp_pipe(t), ssthresh = t->stats.ssthresh;
    uint64_t send;
    if (!n->delivered)
        return;
    LAW(p->prr_flight && p->recover <= t->tx.nxt);
    p->prr_delivered += n->delivered;
    if (pipe > ssthresh) {
        uint64_t due = ((uint64_t)p->prr_delivered * ssthresh + p->prr_flight - 1) / p->prr_flight;
        send = due > p->prr_out ? due - p->prr_out : 0;
    } else {
        send = least(ssthresh - pipe, prr_limit(t, n, lost));
    }
    tcp_cwnd_set(t, pipe + send);
}

/* A record left. */
void tcp_recovery_sent(struct tcp *t, struct tcp_record *r, bool again)
{
    struct tcp_repair *p = &t->repair;
    p->prr_out += r->len;
    if (p->frto_new && !again)
        p->frto_new--;
    if (again)
        tcp_repeated(t, r);
    LAW(tcp_cut_last(t)->repeated <= t->stats.retransmits);
}

/* ---- timeouts ---- */

/* The record that waits was SACKed once, and is not there: the peer reneged (RFC 2018 section 8). */
static void renege(struct tcp *t)
{
    t->stats.reneged++;
    for (uint32_t i = t->tx.next; i != t->tx.first;) {
        struct tcp_record *r = record_at(t, --i);
        if (!(r->flags & SACKED))
            continue;
        r->flags &= (uint8_t)~SACKED;
        t->stats.flight += r->len;
        tcp_chain_push(t, &t->tx.flying, i);
    }
    t->stats.sacked = 0;
    LAW(tcp_accounts(t));
}

/* RFC 6298 5.4; what left too lately for the detection to call it lost stays in flight (RFC 8985 6.3). */
static void lose_timed_out(struct tcp *t, iw_time now)
{
    uint32_t n = t->tx.flying.count;
    bool timed = t->detection->patience;
    iw_time wait = timed ? t->detection->patience(t) : 0;
    for (uint32_t i = t->tx.flying.head; n--;) {
        uint32_t next = record_at(t, i)->next;
        bool young = timed && i != t->tx.first && later(record_at(t, i)->sent, wait) > now;
        if (!young)
            tcp_lose(t, i, TCP_WHY_RTO);
        i = next;
    }
    for (uint32_t i = t->tx.lost.head, left = t->tx.lost.count; left--; i = record_at(t, i)->next)
        record_at(t, i)->why = TCP_WHY_RTO;
    LAW(tcp_accounts(t) &&
        (record_at(t, t->tx.first)->flags & LOST)); /* the first is the one that leaves again */
}

static void enter_loss(struct tcp *t, iw_time now)
{
    struct tcp_repair *p = &t->repair;
    bool first = !t->backoff;
    if (first) {
        tcp_reduce(t, now, TCP_WHY_RTO);
        tcp_cut_last(t)->timed_out = true;
    }
    p->frto = first && !t->conf.go_back_n && !(t->conf.without & TCP_WITHOUT_FRTO) ? 1 : 0;
    p->frto_new = 0;
    p->phase = LOSS;
    p->recover = t->tx.nxt;
    t->tx.force = true;
}

void tcp_timeout(struct tcp *t, iw_time now)
{
    if (t->tx.first == t->tx.next)
        return;
    const struct tcp_record *r = record_at(t, t->tx.first);
    t->stats.timeouts++;
    tcp_tell(t, TCP_EV_TIMEOUT, TCP_WHY_RTO, r->offset, r->len);
    if (t->tries++ == t->conf.retries) {
        tcp_end(t, TCP_EV_LOST);
        return;
    }
    bool reneged = r->flags & SACKED;
    if (reneged)
        renege(t);
    enter_loss(t, now);
    lose_timed_out(t, now);
    tcp_cwnd_set(t,
                 least(t->stats.flight + t->tx.mss, t->stats.ssthresh)); /* RACK leaves the young in flight */
    t->pto_at = t->reo_at = IW_NEVER;
    if (t->detection->timed_out)
        t->detection->timed_out(t, reneged);
    t->tx.tlp = false;
    tcp_back_off(t);
    tcp_arm_rto(t, now);
}

/* The detection's timer: what has waited long enough. */
void tcp_recovery_lost(struct tcp *t, iw_time now)
{
    struct tcp_news n = {.now = now, .rtt = IW_NEVER};
    if (!t->detection->detect(t, &n) || t->repair.phase == LOSS)
        return;
    if (t->repair.phase == RECOVERY && !n.lost_again)
        return;
    repair_losses(t, now);
    prr_by_timer(t);
}

/* ---- F-RTO (RFC 5682 3.1) ---- */

static void frto_heard(struct tcp *t, const struct tcp_news *n)
{
    struct tcp_repair *p = &t->repair;
    bool window = t->tx.next != t->tx.end && record_end(record_at(t, t->tx.next)) <= t->stats.right_edge;
    if (p->frto == 1 && (n->acked || n->delivered || n->duplicate)) {
        p->frto = n->acked && t->tx.una < p->recover && window ? 2 : 0;
        p->frto_new = p->frto ? 2 : 0;
    } else if (p->frto == 2 && n->original) {
        tcp_undo_last(t);
    } else if (p->frto == 2 && (n->acked || n->delivered || n->duplicate)) {
        p->frto = p->frto_new = 0;
    }
}

/* ---- each acknowledgement ---- */

static void leave_recovery(struct tcp *t)
{
    struct tcp_repair *p = &t->repair;
    LAW(p->recover <= t->tx.nxt);
    if (p->phase == OPEN || t->tx.una < p->recover || (p->phase == CWR && t->tx.una == p->recover))
        return; /* CWR: until what bore the CWR bit is acknowledged, for ECE stays until then */
    if (p->phase != LOSS)
        tcp_cwnd_set(t, t->stats.ssthresh);
    if (t->detection->repaired)
        t->detection->repaired(t, p->phase == RECOVERY);
    p->phase = OPEN;
    p->frto = p->frto_new = 0;
    t->tx.force = false;
}

void tcp_recovery_heard(struct tcp *t, struct tcp_news *n, bool lost)
{
    struct tcp_repair *p = &t->repair;
    uint8_t was = p->phase;
    LAW(!p->frto || p->phase == LOSS);
    if (p->frto)
        frto_heard(t, n);
    if (t->conf.congestion->hear && n->delivered)
        t->conf.congestion->hear(t, n->delivered, n->marked);
    if (p->phase == LOSS && n->acked && tcp_is_limited(t))
        t->conf.congestion->grow(t, n->now, n->acked); /* the one that ends it, too (RFC 5681 3.1) */
    tcp_undo_late(t);
    leave_recovery(t);
    bool first = t->tx.lost.count && (p->phase == OPEN || p->phase == CWR);
    bool second = n->lost_again && p->phase == RECOVERY; /* RFC 5681 4.3: a second indication of congestion */
    if (lost && (first || second))
        repair_losses(t, n->now);
    else if (n->marked && p->phase == OPEN && t->tx.una < t->tx.nxt)
        tcp_reduce(t, n->now, TCP_WHY_ECN);
    if (p->phase == RECOVERY || p->phase == CWR)
        prr(t, n, lost);
    else if (was == OPEN && p->phase == OPEN && n->acked && tcp_is_limited(t))
        t->conf.congestion->grow(t, n->now, n->acked);
}
