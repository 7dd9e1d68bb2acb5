/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_rack.c -- what is lost, by time (RACK), and the probe of the tail (TLP): RFC 8985. */
#include "engine/law.h"
#include "llp/tcp_inner.h"

enum { DUP_THRESH = 3, PERSIST = 16 };

static void start(struct tcp *t)
{
    t->rack = (struct tcp_rack){.mult = 1, .tlp_end = IW_NEVER};
}

/* ---- RACK ---- */

static bool sent_after(iw_time t1, uint64_t end1, iw_time t2, uint64_t end2)
{
    return t1 > t2 || (t1 == t2 && end1 > end2);
}

/* Does the acknowledgement answer an earlier transmission of a record? */
static bool is_of_an_earlier(const struct tcp *t, const struct tcp_record *r, const struct tcp_news *n)
{
    if (r->sends < 2)
        return false;
    if (n->stamped && (int32_t)(n->echo - tcp_stamp(t, r->sent)) < 0)
        return true;
    return n->now - r->sent < t->stats.min_rtt;
}

/* 6.2, steps 2 and 3: a record arrived. */
static void heard(struct tcp *t, const struct tcp_record *r, const struct tcp_news *n)
{
    struct tcp_rack *k = &t->rack;
    uint64_t end = record_end(r);
    LAW(end <= t->tx.nxt && k->fack <= t->tx.nxt && k->end <= t->tx.nxt);
    if (end > k->fack)
        k->fack = end;
    else if (end < k->fack && r->sends == 1)
        k->reordering = true;
    if (is_of_an_earlier(t, r, n))
        return;
    k->rtt = n->now - r->sent;
    if (sent_after(r->sent, end, k->sent, k->end)) {
        k->sent = r->sent;
        k->end = end;
    }
}

/* 6.2, step 4: a D-SACK widens the reordering window once in a round trip. */
static void dsack(struct tcp *t)
{
    struct tcp_rack *k = &t->rack;
    if (t->tx.una < k->round)
        return;
    k->round = t->tx.nxt;
    k->persist = PERSIST;
    if (k->mult < UINT8_MAX)
        k->mult++;
}

/* After 16 recoveries without a D-SACK it is narrow again. */
static void repaired(struct tcp *t, bool losses)
{
    LAW(t->rack.mult && t->rack.persist <= PERSIST && (t->rack.mult == 1 || t->rack.persist));
    if (losses && t->rack.persist && !--t->rack.persist)
        t->rack.mult = 1;
}

/* A D-SACK is an observation, too. Step 4 says so of just this case: what is resent at once never arrives late enough for step
 * 3 to see. Its pseudocode, and Linux, forget it: there the window that D-SACK widens stays at 0. */
static bool has_seen_reordering(const struct tcp *t)
{
    return t->rack.reordering || t->rack.mult > 1;
}

static iw_time reordering_window(const struct tcp *t)
{
    bool repairing = t->repair.phase == RECOVERY || t->repair.phase == LOSS;
    if (!has_seen_reordering(t) && (repairing || t->stats.sacked >= DUP_THRESH))
        return 0;
    if (t->stats.min_rtt == IW_NEVER)
        return 0;
    return least(t->stats.min_rtt / 4 * t->rack.mult, t->stats.srtt);
}

/* 6.2, step 5. The records in flight stand in the order in which they left: the first that is not lost ends the search,
 * and the timer waits for it. */
static bool detect(struct tcp *t, struct tcp_news *n)
{
    struct tcp_rack *k = &t->rack;
    iw_time window = reordering_window(t);
    bool found = false;
    t->reo_at = IW_NEVER;
    while (t->tx.flying.count) {
        uint32_t i = t->tx.flying.head;
        const struct tcp_record *r = record_at(t, i);
        LAW(!(r->flags & (SACKED | LOST)) && r->sent <= n->now);
        if (!sent_after(k->sent, k->end, r->sent, record_end(r)))
            break;
        iw_time lost_at = later(r->sent, k->rtt + window);
        if (lost_at > n->now) {
            t->reo_at = lost_at;
            break;
        }
        n->lost_again |= r->sends > 1;
        tcp_lose(t, i, TCP_WHY_RACK);
        found = true;
    }
    return found;
}

/* 6.3. */
static iw_time patience(const struct tcp *t)
{
    return later(t->rack.rtt, reordering_window(t));
}

/* ---- TLP ---- */

/* 7.2. */
static iw_time probe_timeout(const struct tcp *t)
{
    if (!t->stats.srtt)
        return t->conf.initial_rto;
    iw_time delay = t->conf.max_ack_delay ? t->conf.max_ack_delay : t->conf.delayed_ack_timeout;
    return 2 * t->stats.srtt + (t->tx.flying.count == 1 ? delay : 0);
}

static void arm_probe(struct tcp *t, iw_time now)
{
    bool idle = t->conf.without & TCP_WITHOUT_TLP || t->repair.phase != OPEN || t->stats.sacked ||
                !t->tx.flying.count || t->tx.tlp || t->rack.tlp_end != IW_NEVER;
    t->pto_at = idle ? IW_NEVER : least(later(now, probe_timeout(t)), t->rto_at);
}

void tcp_tlp_fire(struct tcp *t, iw_time now)
{
    if (t->repair.phase != OPEN || t->stats.sacked || !t->tx.flying.count)
        return;
    t->tx.tlp = true;
    tcp_arm_rto(t, now); /* 7.3; and once more when it leaves */
}

void tcp_tlp_sent(struct tcp *t, iw_time now, bool again)
{
    t->rack.tlp_end = t->tx.nxt;
    t->rack.tlp_repeat = again;
    tcp_arm_rto(t, now);
}

/* 7.4.2: did the probe repair a loss? */
static void probe_heard(struct tcp *t, const struct tcp_news *n)
{
    struct tcp_rack *k = &t->rack;
    if (n->acked)
        t->tx.tlp = false;
    LAW(k->tlp_end == IW_NEVER || k->tlp_end <= t->tx.nxt);
    if (k->tlp_end == IW_NEVER || t->tx.una < k->tlp_end)
        return;
    bool known = !k->tlp_repeat || (n->dsack && n->dsack_range.to >= k->tlp_end);
    if (known || t->tx.una > k->tlp_end) {
        k->tlp_end = IW_NEVER;
        if (!known && t->repair.phase == OPEN)
            tcp_reduce(t, n->now, TCP_WHY_TLP);
        return;
    }
    if (n->duplicate && !n->delivered)
        k->tlp_end = IW_NEVER; /* the original and the probe were both acknowledged */
}

static void timed_out(struct tcp *t, bool reneged)
{
    (void)reneged;
    t->rack.tlp_end = IW_NEVER;
}

TCP_DETECTION(rack) = {.without_sack = &tcp_dupack,
                       .start = start,
                       .heard = heard,
                       .dsack = dsack,
                       .detect = detect,
                       .repaired = repaired,
                       .timed_out = timed_out,
                       .patience = patience,
                       .arm_probe = arm_probe,
                       .probe_heard = probe_heard};
