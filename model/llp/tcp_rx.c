/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_rx.c -- arrival: acceptance (RFC 9293 3.10.7, RFC 5961, PAWS), ranges, when to acknowledge, SACK (RFC 2018, 2883). */
#include "engine/law.h"
#include "llp/tcp_inner.h"

void tcp_rx_init(struct tcp *t)
{
    t->rx.mask = t->rx.entries - 1;
    t->rx.fin_at = t->rx.ack_at = IW_NEVER;
}

/* ---- ranges that arrived ahead of a hole ---- */

static struct tcp_range *range_at(const struct tcp *t, uint32_t i)
{
    return &t->rx.range[(t->rx.head + i) & t->rx.mask];
}

/* nxt < range[0].from, range[i].to < range[i + 1].from, seen from range i. */
static bool lies_apart(const struct tcp *t, uint32_t i)
{
    const struct tcp_range *r = range_at(t, i);
    uint64_t before = i ? range_at(t, i - 1)->to : t->rx.nxt;
    return before < r->from && r->from < r->to && (i + 1 == t->rx.count || r->to < range_at(t, i + 1)->from);
}

/* The first range that ends at or behind `offset`; the count when none does. */
static uint32_t range_find(const struct tcp *t, uint64_t offset)
{
    uint32_t low = 0, high = t->rx.count;
    if (high && range_at(t, high - 1)->to < offset)
        return high;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (range_at(t, mid)->to < offset)
            low = mid + 1;
        else
            high = mid;
    }
    LAW(low == t->rx.count || range_at(t, low)->to >= offset);
    LAW(!low || range_at(t, low - 1)->to < offset);
    return low;
}

/* Make room for a range at i, moving whichever side is shorter. */
static void range_open(struct tcp *t, uint32_t i)
{
    LAW(t->rx.count < t->rx.entries);
    if (i < t->rx.count / 2) {
        t->rx.head--;
        t->rx.count++;
        for (uint32_t j = 0; j < i; j++)
            *range_at(t, j) = *range_at(t, j + 1);
        return;
    }
    for (uint32_t j = t->rx.count++; j > i; j--)
        *range_at(t, j) = *range_at(t, j - 1);
}

static void ranges_close(struct tcp *t, uint32_t i, uint32_t n)
{
    LAW(i + n <= t->rx.count);
    if (i < t->rx.count / 2) {
        for (uint32_t j = i; j > 0; j--)
            *range_at(t, j - 1 + n) = *range_at(t, j - 1);
        t->rx.head += n;
    } else {
        for (uint32_t j = i; j + n < t->rx.count; j++)
            *range_at(t, j) = *range_at(t, j + n);
    }
    t->rx.count -= n;
}

/* Does [from, to) touch none of those held, so that it needs an entry of its own? */
static bool needs_entry(const struct tcp *t, uint64_t from, uint64_t to)
{
    uint32_t i = range_find(t, from);
    return i == t->rx.count || range_at(t, i)->from > to;
}

static bool lacks_entry(const struct tcp *t, uint64_t from, uint64_t to)
{
    return t->rx.count == t->rx.entries && needs_entry(t, from, to);
}

static void range_add(struct tcp *t, uint64_t from, uint64_t to)
{
    uint32_t i = range_find(t, from), j = i + 1;
    if (needs_entry(t, from, to)) {
        range_open(t, i);
        *range_at(t, i) = (struct tcp_range){from, to};
        LAW(lies_apart(t, i));
        t->stats.ranges_peak = (uint32_t)most(t->stats.ranges_peak, t->rx.count);
        return;
    }
    struct tcp_range *r = range_at(t, i);
    r->from = least(r->from, from);
    r->to = most(r->to, to);
    for (; j < t->rx.count && range_at(t, j)->from <= r->to; j++)
        r->to = most(r->to, range_at(t, j)->to);
    if (j > i + 1) {
        struct tcp_range merged = *r;
        ranges_close(t, i + 1, j - i - 1);
        *range_at(t, i) = merged;
    }
    LAW(lies_apart(t, i)); /* nxt < range[0].from, range[i].to < range[i + 1].from */
}

/* All before `to` is here, and what follows without a hole. */
static void ranges_pass(struct tcp *t, uint64_t to)
{
    while (t->rx.count && range_at(t, 0)->from <= to) {
        to = most(to, range_at(t, 0)->to);
        t->rx.head++;
        t->rx.count--;
    }
    LAW(to >= t->rx.nxt); /* what was acknowledged stays so */
    t->rx.nxt = to;
    LAW(!t->rx.count || to < range_at(t, 0)->from);
}

static bool is_in_range(const struct tcp *t, uint64_t from, uint64_t to)
{
    uint32_t i = range_find(t, to);
    return i < t->rx.count && range_at(t, i)->from <= from;
}

static inline bool has_octets(const struct tcp *t, uint64_t from, uint64_t to)
{
    return to <= t->rx.nxt || (t->rx.count && is_in_range(t, from, to));
}

bool tcp_has(const struct tcp *t, uint64_t offset, uint32_t len)
{
    return has_octets(t, offset, offset + len);
}

uint64_t tcp_received(const struct tcp *t)
{
    return received_of(t);
}

uint32_t tcp_ranges(const struct tcp *t, uint64_t (*range)[2], uint32_t max)
{
    for (uint32_t i = 0; i < t->rx.count && i < max; i++) {
        range[i][0] = range_at(t, i)->from - t->rx.nxt;
        range[i][1] = range_at(t, i)->to - t->rx.nxt;
    }
    return t->rx.count;
}

/* ---- SACK ---- */

/* An offset of which the low half was kept. */
static uint64_t whole(const struct tcp *t, uint32_t low)
{
    return t->rx.nxt + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)t->rx.nxt);
}

static void recent_add(struct tcp *t, uint64_t offset)
{
    struct tcp_rx *rx = &t->rx;
    uint32_t n = rx->recents < RECENT ? rx->recents++ : RECENT - 1;
    for (; n > 0; n--)
        rx->recent[n] = rx->recent[n - 1];
    rx->recent[0] = (uint32_t)offset;
}

static void dsack_add(struct tcp *t, uint64_t from, uint64_t to)
{
    bool lone_fin = t->state == TCP_TIME_WAIT && from >= t->rx.fin_at; /* not data: Linux, too, is silent */
    if (!t->sack || t->rx.dsacks == DSACKS || lone_fin)
        return;
    t->rx.dsack[t->rx.dsacks] = (uint32_t)from;
    t->rx.dsack_len[t->rx.dsacks++] = (uint32_t)(to - from);
}

/* RFC 2883 4: of a segment with something new, the first run of octets that were here. */
static void dsack_part(struct tcp *t, uint64_t from, uint64_t to)
{
    if (from < t->rx.nxt) {
        dsack_add(t, from, t->rx.nxt);
        return;
    }
    uint32_t i = t->rx.count ? range_find(t, from + 1) : 0; /* one that ends at `from` is a neighbour */
    if (i < t->rx.count && range_at(t, i)->from < to)
        dsack_add(t, most(from, range_at(t, i)->from), least(to, range_at(t, i)->to));
}

static bool told_already(const struct tcp_range *block, uint32_t from, uint32_t n, const struct tcp_range *r)
{
    for (uint32_t i = from; i < n; i++)
        if (block[i].from == r->from)
            return true;
    return false;
}

/* The range that holds `offset`, unless block[first .. n) say it. */
static uint32_t block_add(const struct tcp *t, struct tcp_range *block, uint32_t first, uint32_t n,
                          uint64_t offset)
{
    uint32_t i = range_find(t, offset + 1);
    if (i == t->rx.count || range_at(t, i)->from > offset || told_already(block, first, n, range_at(t, i)))
        return n;
    block[n] = *range_at(t, i);
    return n + 1;
}

uint32_t tcp_sack_blocks(struct tcp *t, struct tcp_range *block, uint32_t max)
{
    struct tcp_rx *rx = &t->rx;
    uint32_t n = 0, first, keep = 0;
    if (rx->dsacks) {
        uint64_t from = whole(t, rx->dsack[0]);
        block[n++] = (struct tcp_range){from, from + rx->dsack_len[0]};
        rx->dsacks--;
        for (uint32_t i = 0; i < rx->dsacks; i++) {
            rx->dsack[i] = rx->dsack[i + 1];
            rx->dsack_len[i] = rx->dsack_len[i + 1];
        }
    }
    first = n;
    LAW(rx->recents <= RECENT && rx->dsacks < DSACKS);
    for (uint32_t i = 0; i < rx->recents && n < max; i++) {
        uint32_t was = n;
        n = block_add(t, block, first, n, whole(t, rx->recent[i]));
        if (n > was)
            rx->recent[keep++] = rx->recent[i]; /* those that say nothing new make room for older ones */
    }
    rx->recents = (uint8_t)keep;
    for (uint32_t i = rx->count; i > 0 && n < max && rx->count > keep;
         i--) /* the highest, where nothing is known */
        n = block_add(t, block, first, n, range_at(t, i - 1)->from);
    LAW(n <= max && n - first <= rx->count && keep <= rx->count);
    return n;
}

/* ---- what is told ---- */

uint64_t tcp_told(const struct tcp *t)
{
    return t->rx.advertised;
}

void tcp_credit(struct tcp *t, iw_time now, uint64_t right_edge, bool say_so)
{
    (void)now;
    t->rx.edge = most(t->rx.edge, right_edge);
    if (say_so && synchronized(t) && t->rx.edge > t->rx.advertised &&
        (t->rx.edge - t->rx.advertised) >> t->rx.shift)
        t->rx.ack = true;
}

/* Duplicates without SACK repeat the window, or they would be none (RFC 5681 section 2). */
uint16_t tcp_window_field(struct tcp *t, bool syn)
{
    struct tcp_rx *rx = &t->rx;
    uint32_t shift = syn ? 0 : rx->shift;
    uint64_t edge = rx->owed && !syn ? rx->advertised : most(rx->edge, rx->advertised);
    uint64_t field = edge > rx->nxt ? (edge - rx->nxt) >> shift : 0;
    if (rx->nxt + (field << shift) < rx->advertised)
        field++;
    field = least(field, UINT16_MAX);
    LAW(rx->nxt + (field << shift) >= rx->advertised); /* told never gets smaller */
    rx->advertised = most(rx->advertised, rx->nxt + (field << shift));
    return (uint16_t)field;
}

bool tcp_ack_due(const struct tcp *t)
{
    return t->rx.ack || t->rx.before_ce;
}

void tcp_ack_soon(struct tcp *t, bool pure)
{
    t->rx.ack = true;
    t->rx.pure |= pure;
}

void tcp_acked_now(struct tcp *t, bool alone)
{
    struct tcp_rx *rx = &t->rx;
    LAW(!rx->owed || !t->sack);
    rx->last_ack = ack_of(t, rx->nxt);
    rx->unacked = 0;
    rx->ack_at = IW_NEVER;
    if (rx->owed && alone)
        rx->owed--;
    rx->pure = rx->owed || rx->dsacks;
    rx->ack = rx->pure;
}

/* Does a second have room for one more of a kind? */
static bool has_turn(struct tcp *t, iw_time now, enum tcp_answered kind)
{
    uint32_t at = (uint32_t)(now >> 32);
    if (at - t->answered_at >= 233 || !(t->answered[CHALLENGED] + t->answered[REMINDED])) { /* 1 s */
        t->answered_at = at;
        t->answered[CHALLENGED] = t->answered[REMINDED] = 0;
    }
    if (t->answered[kind] == 10)
        return false;
    t->answered[kind]++;
    return true;
}

/* An RST, a SYN, an acknowledgement that may be a stranger's (RFC 5961 section 7). */
static void challenge(struct tcp *t, iw_time now)
{
    if (!has_turn(t, now, CHALLENGED))
        return;
    t->stats.challenges++;
    tcp_ack_soon(t, true);
}

/* What is outside the window (RFC 9293 3.10.7.4): two ends that remind each other come to rest. Old acknowledgements that
 * were overtaken are most of it, and leave the challenges alone: a peer's RST may need one. */
static void remind(struct tcp *t, iw_time now)
{
    if (has_turn(t, now, REMINDED))
        tcp_ack_soon(t, true);
}

/* ---- acceptance ---- */

/* A segment as it lies in the peer's stream. */
struct placed {
    int64_t from;
    uint64_t to; /* the FIN's octet included; nothing in it: from */
};

static struct placed place_segment(const struct tcp *t, const struct tcp_wire *w)
{
    struct placed p = {.from = offset_of_seq(t, w->seq)};
    p.to = (uint64_t)(p.from + w->len + (w->flags & FLAG_FIN ? 1 : 0));
    return p;
}

/* RFC 9293 3.4, table 6; what has no octets may stand at the right edge, too: the peer's own window may be full. */
static bool acceptable(const struct tcp *t, const struct placed *p)
{
    if (p->from < 0)
        return (int64_t)p->to > (int64_t)t->rx.nxt;
    if ((uint64_t)p->from == p->to)
        return p->to >= t->rx.nxt && p->to <= most(t->rx.advertised, t->rx.nxt);
    return p->to > t->rx.nxt && (uint64_t)p->from < t->rx.advertised;
}

static inline void segment_fill(const struct tcp_wire *w, const struct placed *p, struct tcp_segment *s)
{
    uint32_t skip = p->from < 0 ? (uint32_t)-p->from : 0;
    *s = (struct tcp_segment){.offset = (uint64_t)p->from + skip,
                              .len = w->len > skip ? w->len - skip : 0,
                              .fin = w->flags & FLAG_FIN,
                              .octets = w->octets ? w->octets + least(skip, w->len) : NULL,
                              .before = w->before,
                              .note = w->note,
                              .note_len = w->note_len};
}

/* Cut off what lies beyond the window. False: nothing is left. */
static bool cut_to_window(const struct tcp *t, struct tcp_segment *s, struct placed *p)
{
    uint64_t over = p->to > t->rx.advertised ? p->to - t->rx.advertised : 0;
    if (!over)
        return true;
    if (t->conf.note_max)
        return false;
    p->to -= over;
    if (s->fin)
        over--;
    s->fin = false;
    s->len = (uint32_t)(s->len - least(over, s->len));
    return p->to > s->offset;
}

/* What octets, or a FIN, that are acceptable in themselves would be; `s` says which. */
static inline enum tcp_verdict judge_segment(const struct tcp *t, const struct tcp_wire *w, struct placed *p,
                                             struct tcp_segment *s)
{
    segment_fill(w, p, s);
    if (!cut_to_window(t, s, p) || p->to > most(t->rx.fin_at, t->rx.fin_at + 1))
        return TCP_REFUSED;
    s->in_order = s->offset <= t->rx.nxt;
    bool here = has_octets(t, s->offset, p->to);
    if (!here && !s->in_order && (t->conf.go_back_n || lacks_entry(t, s->offset, p->to)))
        return TCP_REFUSED;
    if (!s->len)
        return TCP_CONTROL;
    return here || (s->fin && tcp_has(t, s->offset, s->len)) ? TCP_DUPLICATE : TCP_TAKEN;
}

static bool receives(const struct tcp *t)
{
    return t->state == TCP_ESTABLISHED || t->state == TCP_FIN_WAIT_1 || t->state == TCP_FIN_WAIT_2 ||
           t->state == TCP_SYN_RECEIVED;
}

bool tcp_read(const struct tcp *t, const struct ip_packet *in, struct tcp_wire *w)
{
    return tcp_wire_get(in, t->conf.note_max, w) && w->to == t->conf.local_port && w->from &&
           (!t->remote_port || w->from == t->remote_port) &&
           (t->conf.note_max || tcp_checksum_is_good(t, in));
}

/* RFC 7323 5.3 R1. A segment that others overtook is older than what fills the hole before it, and is taken. */
static bool is_stale(const struct tcp *t, const struct tcp_wire *w)
{
    return t->stamps && w->stamped && !(w->flags & FLAG_RST) &&
           (int32_t)(t->rx.ts_recent - w->ts_val) > t->conf.late_ticks;
}

/* RFC 5961 section 5. */
static bool ack_is_acceptable(const struct tcp *t, int64_t ack)
{
    return ack <= (int64_t)t->tx.nxt && ack >= (int64_t)t->tx.una - (int64_t)t->tx.window_max;
}

enum tcp_verdict tcp_judge(const struct tcp *t, const struct tcp_wire *w, struct tcp_segment *segment)
{
    if (t->state == TCP_CLOSED || t->state == TCP_LISTEN || t->state == TCP_SYN_SENT ||
        w->flags & (FLAG_SYN | FLAG_RST))
        return TCP_CONTROL;
    if (!(w->flags & FLAG_ACK) || (t->stamps && !w->stamped))
        return TCP_BAD;
    if (!w->len || !receives(t))
        return TCP_CONTROL;
    struct placed p = place_segment(t, w);
    if (!acceptable(t, &p) || is_stale(t, w)) {
        segment_fill(w, &p, segment);
        return (int64_t)p.to <= (int64_t)t->rx.nxt ? TCP_DUPLICATE : TCP_REFUSED;
    }
    if (!ack_is_acceptable(t, offset_of_ack(t, w->ack)) ||
        (t->state == TCP_SYN_RECEIVED && w->ack != seq_of(t, 0)))
        return TCP_BAD;
    return judge_segment(t, w, &p, segment);
}

enum tcp_verdict tcp_peek(const struct tcp *t, const struct ip_packet *in, struct tcp_segment *segment)
{
    struct tcp_wire w;
    return tcp_read(t, in, &w) ? tcp_judge(t, &w, segment) : TCP_BAD;
}

/* ---- octets ---- */

/* RFC 9293 3.8.6.3, RFC 5681 4.2: at once for what is out of order or fills a hole. */
static void acknowledge(struct tcp *t, iw_time now, bool at_once)
{
    struct tcp_rx *rx = &t->rx;
    rx->unacked++;
    if (at_once || rx->unacked >= t->conf.delayed_ack)
        tcp_ack_soon(t, rx->count > 0);
    else if (rx->ack_at == IW_NEVER)
        rx->ack_at = later(now, t->conf.delayed_ack_timeout);
}

static void take_segment(struct tcp *t, iw_time now, const struct tcp_segment *s, bool octets)
{
    bool hole = t->rx.count > 0, had_fin = has_fin(t);
    uint64_t from = s->offset, to = from + s->len + s->fin;
    LAW(from < to && to <= t->rx.advertised); /* nothing is taken that was not told */
    if (s->fin)
        t->rx.fin_at = to - 1;
    dsack_part(t, from, to);
    if (s->in_order) {
        uint64_t was = t->rx.nxt;
        ranges_pass(t, to);
        t->rx.before_len += (uint32_t)(t->rx.nxt - was);
    } else {
        range_add(t, from, to);
        recent_add(t, from);
        t->stats.ahead += octets;
    }
    LAW(has_octets(t, from, to)); /* what was acknowledged, SACK included, was given with TCP_TAKEN */
    if (!s->in_order && !t->sack)
        t->rx.owed++;
    acknowledge(t, now, hole || !s->in_order || t->rx.dsacks || has_fin(t));
    if (octets) {
        t->stats.segments_rx++;
        t->stats.octets_rx += s->len;
        LAW(t->stats.ahead <= t->stats.segments_rx);
    }
    if (!had_fin && has_fin(t))
        tcp_fin_came(t, now);
}

static void refuse_segment(struct tcp *t, const struct placed *p, enum tcp_verdict verdict)
{
    if (verdict == TCP_DUPLICATE) {
        t->stats.duplicates++;
        dsack_add(t, p->from < 0 ? 0 : (uint64_t)p->from, p->to);
        if (p->to > t->rx.nxt)
            recent_add(t, (uint64_t)p->from); /* RFC 2883 4.2.2: the block around it comes second */
    } else {
        t->stats.refused++;
    }
    if (!t->sack)
        t->rx.owed++;
    tcp_ack_soon(t, true);
}

/* RFC 3168 6.1.3: ECE until CWR, unless the congestion control has an echo of its own. */
static void congestion_came(struct tcp *t, const struct tcp_wire *w)
{
    bool ce = w->ecn == IP_CE;
    t->stats.marks += ce;
    if (!t->ecn_on)
        return;
    if (t->conf.congestion->echo)
        t->conf.congestion->echo(t, w, ce);
    else
        t->rx.ece = ce || (t->rx.ece && !(w->flags & FLAG_CWR));
}

static enum tcp_verdict data_came(struct tcp *t, iw_time now, const struct tcp_wire *w, struct placed *p,
                                  struct tcp_segment *s)
{
    if (!(w->len || w->flags & FLAG_FIN) || !receives(t))
        return TCP_CONTROL;
    enum tcp_verdict verdict = judge_segment(t, w, p, s);
    bool taken = verdict == TCP_TAKEN; /* or a FIN is all that is new */
    if (taken || (verdict != TCP_REFUSED && !has_octets(t, s->offset, p->to)))
        take_segment(t, now, s, taken);
    else
        refuse_segment(t, p, verdict == TCP_CONTROL ? TCP_DUPLICATE : verdict);
    return verdict;
}

/* ---- segments by state ---- */

static void answer_with_rst(struct tcp *t, const struct tcp_wire *w)
{
    if (w->flags & FLAG_RST)
        return;
    bool acks = w->flags & FLAG_ACK;
    t->must |= acks ? MUST_RST : MUST_RST | MUST_RST_ACK;
    t->rst_seq = acks ? w->ack : 0;
    t->rst_ack = w->seq + w->len + (w->flags & FLAG_SYN ? 1 : 0) + (w->flags & FLAG_FIN ? 1 : 0);
}

/* What a SYN says of the peer (RFC 9293 3.7.1, RFC 7323, 2018, 3168 6.1.1). */
static void syn_options(struct tcp *t, const struct tcp_wire *w)
{
    uint16_t own = (uint16_t)(t->conf.mtu - IP_HEAD - TCP_HEAD), said = w->mss ? w->mss : 536;
    bool answer = w->flags & FLAG_ACK;
    LAW(!t->rx.nxt && !t->rx.count); /* nothing came before the SYN */
    t->rx.irs = w->seq;
    t->rx.nxt = 0;
    tcp_sack_agreed(t, w->sack_ok && offers_sack(t));
    t->stamps = w->stamped && t->conf.timestamps;
    t->rx.ts_recent = w->ts_val;
    t->tx.shift = w->scaled && offers_scale(t) ? w->shift : UINT8_MAX;
    t->rx.shift = t->tx.shift != UINT8_MAX ? t->conf.window_shift : 0;
    t->tx.mss = own < said ? own : said;
    t->tx.mss = (uint16_t)(most(t->tx.mss, 88) - (t->stamps ? TCP_OPTION_TIMESTAMPS : 0));
    t->ecn_on = t->conf.ecn && (w->flags & FLAG_ECE) &&
                (answer ? !(w->flags & FLAG_CWR) : (w->flags & FLAG_CWR) != 0);
    t->stats.right_edge = t->tx.window_max = w->window;
    t->tx.wl1 = t->tx.wl2 = 0;
    t->rx.last_ack = w->seq + 1;
}

static enum tcp_verdict listen_heard(struct tcp *t, const struct tcp_wire *w)
{
    if (w->flags & FLAG_RST)
        return TCP_BAD;
    if (w->flags & FLAG_ACK) {
        t->remote_port = w->from;
        answer_with_rst(t, w);
        return TCP_BAD;
    }
    if (!(w->flags & FLAG_SYN))
        return TCP_BAD;
    t->remote_port = w->from;
    syn_options(t, w);
    t->state = TCP_SYN_RECEIVED;
    t->must |= MUST_SYN;
    return TCP_CONTROL;
}

static enum tcp_verdict syn_sent_heard(struct tcp *t, iw_time now, const struct tcp_wire *w)
{
    bool acks = w->flags & FLAG_ACK;
    if (acks && w->ack != seq_of(t, 0)) {
        answer_with_rst(t, w);
        return TCP_BAD;
    }
    if (w->flags & FLAG_RST) {
        if (acks)
            tcp_end(t, TCP_EV_REFUSED);
        return acks ? TCP_CONTROL : TCP_BAD;
    }
    if (!(w->flags & FLAG_SYN))
        return TCP_BAD;
    syn_options(t, w);
    if (acks) {
        if (!t->syn_again)
            tcp_round_trip(t, now, now - t->last_sent, true);
        tcp_established(t, now);
        tcp_ack_soon(t, false);
    } else {
        t->state = TCP_SYN_RECEIVED;
        t->must |= MUST_SYN;
    }
    return TCP_CONTROL;
}

/* Both FINs were sent, the peer's came, and all but ours is acknowledged: its RST says that its TIME-WAIT is over. */
static bool only_the_fin_waits(const struct tcp *t)
{
    return (t->state == TCP_LAST_ACK || t->state == TCP_CLOSING) && t->tx.una + 1 == t->tx.nxt;
}

/* RFC 5961 section 3: exactly at RCV.NXT, or it is questioned. */
static enum tcp_verdict rst_came(struct tcp *t, iw_time now, const struct placed *p)
{
    if (p->from != (int64_t)t->rx.nxt) {
        if (acceptable(t, p))
            challenge(t, now);
        return TCP_BAD;
    }
    if (t->state == TCP_SYN_RECEIVED && t->passive) {
        t->state = TCP_LISTEN;
        t->remote_port = t->conf.remote_port;
        t->must = 0;
        t->other_at = IW_NEVER;
        return TCP_CONTROL;
    }
    tcp_end(t, t->state == TCP_SYN_RECEIVED ? TCP_EV_REFUSED
               : t->state == TCP_TIME_WAIT  ? TCP_EV_NONE
               : only_the_fin_waits(t)      ? TCP_EV_DOWN
                                            : TCP_EV_RESET);
    return TCP_CONTROL;
}

/* The SYN once more, or one that is not ours to answer (RFC 5961 section 4). */
static enum tcp_verdict syn_came(struct tcp *t, iw_time now, const struct tcp_wire *w)
{
    if (t->state == TCP_SYN_RECEIVED && w->seq == t->rx.irs && !(w->flags & FLAG_ACK))
        t->must |= MUST_SYN;
    else
        challenge(t, now);
    return TCP_CONTROL;
}

static enum tcp_verdict unacceptable(struct tcp *t, iw_time now, const struct tcp_wire *w,
                                     const struct placed *p)
{
    bool old = (int64_t)p->to <= (int64_t)t->rx.nxt;
    if (t->state == TCP_TIME_WAIT && w->flags & FLAG_FIN)
        t->other_at = later(now, 2 * t->conf.msl);
    if (w->len || w->flags & FLAG_FIN) {
        refuse_segment(t, p, old ? TCP_DUPLICATE : TCP_REFUSED);
        return !w->len ? TCP_CONTROL : old ? TCP_DUPLICATE : TCP_REFUSED;
    }
    if (p->to + 1 == t->rx.nxt)
        tcp_ack_soon(t, true); /* a window probe, or a keep-alive */
    else
        remind(t, now);
    return TCP_CONTROL;
}

static bool syn_acked(struct tcp *t, iw_time now, const struct tcp_wire *w)
{
    if (t->state != TCP_SYN_RECEIVED)
        return true;
    if (w->ack != seq_of(t, 0)) {
        answer_with_rst(t, w);
        return false;
    }
    if (!t->syn_again)
        tcp_round_trip(t, now, now - t->last_sent, true);
    tcp_established(t, now);
    return true;
}

static void stamp_came(struct tcp *t, const struct tcp_wire *w)
{
    if (t->stamps && (int32_t)(w->ts_val - t->rx.ts_recent) >= 0 && (int32_t)(w->seq - t->rx.last_ack) <= 0)
        t->rx.ts_recent = w->ts_val;
}

/* What the header of a segment says that is acceptable, its acknowledgement too. */
static void header_came(struct tcp *t, iw_time now, const struct tcp_wire *w)
{
    int64_t ack = offset_of_ack(t, w->ack);
    stamp_came(t, w);
    congestion_came(t, w);
    LAW(ack <= (int64_t)t->tx.nxt);
    tcp_ack_came(t, now, w, ack < 0 ? 0 : (uint64_t)ack);
}

static enum tcp_verdict segment_came(struct tcp *t, iw_time now, struct tcp_wire *w, struct tcp_segment *s)
{
    if (t->state == TCP_SYN_RECEIVED && w->flags & FLAG_SYN && w->flags & FLAG_ACK && w->seq == t->rx.irs) {
        w->seq++; /* both opened: the answer counts as an acknowledgement (RFC 9293 figure 8) */
        w->flags &= (uint8_t)~FLAG_SYN;
        tcp_ack_soon(t, true);
    }
    struct placed p = place_segment(t, w);
    if (w->flags & FLAG_RST)
        return rst_came(t, now, &p);
    if (w->flags & FLAG_SYN)
        return syn_came(t, now, w);
    if (!(w->flags & FLAG_ACK) || (t->stamps && !w->stamped))
        return TCP_BAD;
    if (!acceptable(t, &p) || is_stale(t, w))
        return unacceptable(t, now, w, &p);
    if (!syn_acked(t, now, w))
        return TCP_BAD;
    if (!ack_is_acceptable(t, offset_of_ack(t, w->ack))) {
        challenge(t, now);
        return TCP_BAD;
    }
    header_came(t, now, w);
    if (!synchronized(t))
        return TCP_CONTROL;
    return data_came(t, now, w, &p, s);
}

static enum tcp_verdict heard(struct tcp *t, iw_time now, struct tcp_wire *w, struct tcp_segment *s)
{
    switch (t->state) {
    case TCP_CLOSED: answer_with_rst(t, w); return TCP_BAD;
    case TCP_LISTEN: return listen_heard(t, w);
    case TCP_SYN_SENT: return syn_sent_heard(t, now, w);
    default: return segment_came(t, now, w, s);
    }
}

enum tcp_verdict tcp_take(struct tcp *t, iw_time now, struct tcp_wire *w, struct tcp_segment *segment)
{
    t->stats.packets_rx += w != NULL;
    enum tcp_verdict verdict = w ? heard(t, now, w, segment) : TCP_BAD;
    t->stats.dropped += verdict == TCP_BAD;
    return verdict;
}

void tcp_take_judged(struct tcp *t, iw_time now, const struct tcp_wire *w, const struct tcp_segment *segment)
{
    t->stats.packets_rx++;
    syn_acked(t, now, w);
    header_came(t, now, w);
    LAW(receives(t)); /* an acknowledgement ends no half that was open */
    take_segment(t, now, segment, true);
}

enum tcp_verdict tcp_accept(struct tcp *t, iw_time now, const struct ip_packet *in,
                            struct tcp_segment *segment)
{
    struct tcp_wire w;
    bool read = tcp_read(t, in, &w);
    if (!read || tcp_judge(t, &w, segment) != TCP_TAKEN)
        return tcp_take(t, now, read ? &w : NULL, segment);
    tcp_take_judged(t, now, &w, segment);
    return TCP_TAKEN;
}
