/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_undo.c -- what left again, as long as a D-SACK may speak of it (RFC 2883), and reductions that were for nothing
 * (RFC 3708, 4015).
 *
 *   record       left, left again ... acknowledged ... no packet of it lives any more
 *   kept in      its own entry                      `repeats`
 *
 * A record left again for a reduction. When as many copies of each such record are reported as left again, nothing was lost:
 * RFC 3708 asks for the same. When all that was held for lost is acknowledged before any of it left again, no D-SACK comes, and
 * none is needed: RFC 3522 asks which copy was acknowledged, and there is but one. Linux keeps the last reduction alone. Here each of the last CUTS is undone by itself: what came
 * after it and stands is then a reduction of the window that would have been. */
#include <string.h>

#include "engine/law.h"
#include "llp/tcp_inner.h"

enum { HEARD_MAX = 64, UNIT = 24 }; /* records of one D-SACK; 2^24 ps */

/* ---- reductions ---- */

static struct tcp_cut *cut_at(struct tcp *t, uint32_t number)
{
    return &t->repair.cut[number % t->repair.cuts];
}

struct tcp_cut *tcp_cut_last(struct tcp *t)
{
    return cut_at(t, t->repair.last);
}

/* How many came after it: as many as are kept, it is forgotten. */
static uint32_t cuts_since(const struct tcp *t, uint32_t number)
{
    return (t->repair.last - number) % CUT_NUMBERS;
}

/* In a recovery cwnd is on its way to ssthresh. */
struct tcp_cut *tcp_cut_begin(struct tcp *t, bool may_undo)
{
    struct tcp_repair *p = &t->repair;
    bool within = p->phase == RECOVERY;
    p->last = (uint8_t)((p->last + 1) % CUT_NUMBERS);
    *tcp_cut_last(t) =
        (struct tcp_cut){.prior_cwnd = (uint32_t)most(t->stats.cwnd, within ? t->stats.ssthresh : 0),
                         .prior_ssthresh = t->stats.ssthresh,
                         .left = 1 << 15,
                         .may_undo = may_undo,
                         .within = within};
    return tcp_cut_last(t);
}

/* The oldest that came after it and stands; NULL: none. */
static struct tcp_cut *next_standing(struct tcp *t, uint32_t number)
{
    for (uint32_t since = cuts_since(t, number); since--;)
        if (!cut_at(t, t->repair.last - since)->undone)
            return cut_at(t, t->repair.last - since);
    return NULL;
}

/* Nothing that the phase began with, or that came in it, stands. */
static bool is_all_undone(struct tcp *t)
{
    for (uint32_t i = 0; i < t->repair.cuts; i++) {
        const struct tcp_cut *cut = cut_at(t, t->repair.last - i);
        if (!cut->undone || !cut->within)
            return cut->undone;
    }
    return false;
}

/* ---- undoing ---- */

/* What was given up was on its way: back among those in flight, before all others for it left before them. */
static void find_lost_again(struct tcp *t)
{
    while (t->tx.lost.count) {
        uint32_t i = t->tx.lost.tail;
        struct tcp_record *r = record_at(t, i);
        tcp_chain_remove(t, &t->tx.lost, i);
        r->flags &= (uint8_t)~LOST;
        t->stats.flight += r->len;
        tcp_chain_push(t, &t->tx.flying, i);
    }
    LAW(tcp_accounts(t));
}

static void leave_phase(struct tcp *t)
{
    find_lost_again(t);
    t->repair.phase = OPEN;
    t->repair.frto = 0;
    t->tx.force = t->tx.cwr = false;
}

/* What came later cut a window that was too small already by what this one took. */
static void hand_on(struct tcp *t, const struct tcp_cut *cut, struct tcp_cut *next)
{
    uint64_t whole = least(((uint64_t)t->stats.ssthresh << 15) / cut->left, cut->prior_cwnd);
    next->prior_cwnd = (uint32_t)most(next->prior_cwnd, cut->prior_cwnd);
    next->prior_ssthresh = (uint32_t)most(next->prior_ssthresh, cut->prior_ssthresh);
    t->stats.ssthresh = (uint32_t)most(t->stats.ssthresh, whole);
    if (t->repair.phase == OPEN)
        tcp_cwnd_set(t, most(t->stats.cwnd, whole));
}

static void take_back(struct tcp *t, const struct tcp_cut *cut)
{
    tcp_cwnd_set(t, most(t->stats.cwnd, cut->prior_cwnd));
    t->stats.ssthresh = (uint32_t)most(t->stats.ssthresh, cut->prior_ssthresh);
}

static void undo(struct tcp *t, uint32_t number)
{
    struct tcp_cut *cut = cut_at(t, number), *next = next_standing(t, number);
    LAW(!cut->undone && cut->left);
    cut->undone = true;
    if (next)
        hand_on(t, cut, next);
    else
        take_back(t, cut);
    if (t->conf.congestion->undo)
        t->conf.congestion->undo(t, cut == tcp_cut_last(t));
    if (is_all_undone(t))
        leave_phase(t);
    t->stats.undone++;
    tcp_tell(t, TCP_EV_UNDONE, TCP_WHY_NONE, t->tx.una, 0);
    if (!cut->timed_out)
        return;
    LAW(t->stats.timeouts);
    t->stats.timeouts--;
    t->stats.timeouts_spurious++;
    tcp_tell(t, TCP_EV_TIMEOUT_SPURIOUS, TCP_WHY_NONE, t->tx.una, 0);
}

void tcp_undo_last(struct tcp *t)
{
    if (!tcp_cut_last(t)->undone)
        undo(t, t->repair.last);
}

/* Linux's tcp_packet_delayed(), where nothing left again; there one record is enough, here it is all of them. */
void tcp_undo_late(struct tcp *t)
{
    const struct tcp_cut *cut = tcp_cut_last(t);
    if (t->repair.phase != RECOVERY || t->tx.lost.count || cut->again || !cut->may_undo)
        return;
    LAW(!cut->repeated);
    tcp_undo_last(t);
}

/* All copies of a record that left again because of it arrived. */
static void discharge(struct tcp *t, uint32_t number)
{
    struct tcp_cut *cut = cut_at(t, number);
    if (cuts_since(t, number) >= t->repair.cuts || !cut->repeated)
        return;
    if (!--cut->repeated && cut->may_undo && !cut->undone)
        undo(t, number);
}

/* ---- the memory ---- */

static struct tcp_repeat *kept_at(const struct tcp *t, uint32_t i)
{
    return &t->repeats.at[i & (t->repeats.entries - 1)];
}

static uint32_t kept(const struct tcp *t)
{
    return t->repeats.end - t->repeats.first;
}

uint32_t tcp_repeats_used(const struct tcp *t)
{
    return kept(t) + t->repeats.out;
}

size_t tcp_repeats_octets(uint32_t entries)
{
    return entries ? CUTS * sizeof(struct tcp_cut) + entries * sizeof(struct tcp_repeat) : 0;
}

void tcp_repeats_place(struct tcp *t, void *memory, uint32_t entries)
{
    struct tcp_cut *cut = memory;
    bool some = entries && memory;
    t->repair.cut = some ? cut : &t->repair.one;
    t->repair.cuts = some ? CUTS : 1;
    if (some)
        memset(cut, 0, CUTS * sizeof *cut);
    t->repeats.at = some ? (void *)(cut + CUTS) : NULL;
    t->repeats.entries = entries;
}

void tcp_repeats_move(struct tcp *t, void *memory, uint32_t entries)
{
    const struct tcp_repair was = t->repair;
    const struct tcp_repeats m = t->repeats;
    tcp_repeats_place(t, memory, entries);
    for (uint32_t i = 0; i < was.cuts; i++)
        *cut_at(t, was.last - i) = was.cut[(was.last - i) % was.cuts];
    for (uint32_t i = m.first; i != m.end; i++)
        *kept_at(t, i) = m.at[i & (m.entries - 1)];
}

/* A packet lives for an MSL, and so does the acknowledgement that it causes (RFC 9293 3.4.3); or longer, where others overtake it
 * by more than llp.msl says. */
static void forget_old(struct tcp *t, iw_time now)
{
    uint64_t life = most(2 * t->conf.msl, 16 * t->rto) >> UNIT;
    while (kept(t) && (uint32_t)(now >> UNIT) - kept_at(t, t->repeats.first)->sent > life)
        t->repeats.first++;
}

void tcp_repeated(struct tcp *t, struct tcp_record *r)
{
    forget_old(t, r->sent);
    tcp_cut_last(t)->again = true;
    t->repeats.out += !r->owed;
    r->owed = least(r->owed + 1u, SENDS_MAX) & SENDS_MAX;
    LAW(t->repeats.out && t->repeats.out <= t->tx.next - t->tx.first);
    if (r->why == TCP_WHY_TLP || (r->flags & CHARGED && r->of == t->repair.last))
        return;
    r->flags |= CHARGED; /* an earlier reduction that it was charged to stands */
    r->of = (unsigned)t->repair.last % CUT_NUMBERS;
    tcp_cut_last(t)->repeated++;
}

void tcp_repeat_keep(struct tcp *t, const struct tcp_record *r)
{
    struct tcp_repeats *m = &t->repeats;
    LAW(r->owed && m->out);
    m->out--;
    if (!m->entries)
        return;
    m->first += kept(t) == m->entries;
    *kept_at(t, m->end++) = (struct tcp_repeat){.offset = r->offset,
                                                .sent = (uint32_t)(r->sent >> UNIT),
                                                .owed = r->owed,
                                                .why = r->why,
                                                .of = r->of,
                                                .charged = r->flags & CHARGED};
    LAW(kept(t) <= m->entries && (kept(t) < 2 || kept_at(t, m->end - 2)->offset < r->offset));
}

/* The first kept that begins at or behind `offset`. */
static uint32_t kept_from(const struct tcp *t, uint64_t offset)
{
    uint32_t low = t->repeats.first, n = kept(t);
    while (n) {
        uint32_t half = n / 2;
        bool before = kept_at(t, low + half)->offset < offset;
        low += before ? half + 1 : 0;
        n = before ? n - half - 1 : half;
    }
    return low;
}

/* ---- a D-SACK ---- */

/* One more copy of a record arrived. */
static void copy_heard(struct tcp *t, uint64_t offset, uint32_t len, enum tcp_why why, bool proved,
                       uint32_t of)
{
    t->stats.spurious++;
    LAW(t->stats.spurious <= t->stats.retransmits);
    tcp_tell(t, TCP_EV_SPURIOUS, why, offset, len);
    if (why == TCP_WHY_TLP)
        return;
    if (t->detection->dsack)
        t->detection->dsack(t);
    if (proved)
        discharge(t, of);
}

static void kept_heard(struct tcp *t, struct tcp_repeat *r, uint32_t len)
{
    if (!r->owed)
        return;
    r->owed--;
    copy_heard(t, r->offset, len, (enum tcp_why)r->why, r->charged && !r->owed, r->of);
}

static void record_heard(struct tcp *t, struct tcp_record *r)
{
    bool charged = r->flags & CHARGED;
    if (!r->owed)
        return;
    r->owed = (r->owed - 1u) & SENDS_MAX;
    t->repeats.out -= !r->owed;
    if (!r->owed)
        r->flags &= (uint8_t)~CHARGED;
    copy_heard(t, r->offset, r->len, (enum tcp_why)r->why, charged && !r->owed, r->of);
}

/* RFC 2883: octets arrived once more. Those of a record that left once were doubled by the network (RFC 3708 section 3). */
void tcp_dsack_came(struct tcp *t, struct tcp_news *n)
{
    const struct tcp_range d = n->dsack_range;
    uint32_t heard = 0;
    for (uint32_t i = kept_from(t, d.from);
         i != t->repeats.end && kept_at(t, i)->offset < d.to && heard < HEARD_MAX; i++, heard++)
        kept_heard(t, kept_at(t, i), (uint32_t)(d.to - d.from));
    for (uint32_t i = tcp_record_from(t, d.from);
         i != t->tx.next && record_at(t, i)->offset < d.to && heard < HEARD_MAX; i++, heard++)
        record_heard(t, record_at(t, i));
}
