/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_nscc.c -- NSCC, the sender's window of Ultra Ethernet: what an answer says of marks and of delay.
 *
 *                   delay < target                                      delay >= target
 *   no mark         faster: by octets * (target - delay),               slower: by octets
 *                   or by a share of them where nothing waits at all
 *   mark            nothing (the next packet has another path)          cut by 0.8 (mean - target) / mean, once a round trip
 *
 * Quick adapt: once in base + target, when a trim was heard or the delay is four targets, and less than an eighth of the
 * largest window was answered since: the window is what was answered. Marks of what was under way then are not heard.
 *
 * As uet-htsim has it (github.com/ultraethernet/uet-htsim, htsim/sim/uec.cpp, read); the specification was not read. There
 * a header that was trimmed lowers the base, too: here only whole packets do. */
#include "engine/law.h"
#include "engine/least.h"
#include "llp/packet_inner.h"

enum {
    REFERENCE = 150000 /* octets: 12 us at 100 Gb/s, what steps are scaled from */,
    REFERENCE_TIME = 12000000,
    WITHOUT_DELAY = 1000000 /* ps: below it nothing waits */,
    STEPS = 4,
    STEPS_SLOW = 5 /* full packets a round trip, at the reference */,
    ADJUST = 8 /* full packets between adjustments */,
    PARTS = 80 /* a sample moves the mean by one of them */,
    LOOKS = 8 /* parts of the largest window */
};

uint64_t packet_span_octets(const struct packet_end *e, iw_time time)
{
    return e->packet.span.line / 8000 * time / 1000000000;
}

static uint64_t payload(const struct packet_end *e)
{
    return packet_full(e) - e->data_head - IW_HEAD_TAGGED;
}

static void keep_within(struct packet_end *e)
{
    struct packet_nscc *n = &e->own.nscc;
    n->window = least(most(n->window, e->o.conf.mtu), n->most);
    LAW(e->o.conf.mtu <= n->window && n->window <= n->most); /* a full packet always fits */
}

static void set_base(struct packet_end *e, iw_time rtt)
{
    e->own.nscc.base = rtt;
    e->own.nscc.most = most(packet_span_octets(e, rtt) * 3 / 2, e->o.conf.mtu);
}

static void start(struct packet_end *e)
{
    e->own.nscc = (struct packet_nscc){0};
    set_base(e, e->packet.span.rtt);
    e->own.nscc.window = e->own.nscc.most;
}

static uint64_t window(const struct packet_end *e)
{
    return e->own.nscc.window;
}

/* ---- delay ---- */

/* Without a mark a long delay is of another path: it counts as a quarter of the base. */
static void take_sample(struct packet_end *e, iw_time delay, bool marked)
{
    struct packet_nscc *n = &e->own.nscc;
    iw_time sample = !marked && delay > e->packet.span.target ? n->base / 4 : delay;
    n->average = (sample + (PARTS - 1) * n->average) / PARTS;
}

static iw_time delay_of(struct packet_end *e)
{
    struct packet_nscc *n = &e->own.nscc;
    if (e->news.rtt == IW_NEVER)
        return n->average;
    if (e->news.rtt < n->base)
        set_base(e, e->news.rtt);
    take_sample(e, e->news.rtt - n->base, e->news.marked);
    return e->news.rtt - n->base;
}

/* ---- quick adapt ---- */

/* True: nothing else follows from this answer. */
static bool adapt(struct packet_end *e, iw_time now, bool trimmed, iw_time delay)
{
    struct packet_nscc *n = &e->own.nscc;
    if (n->skipped < n->skip && (trimmed || e->news.marked)) {
        n->increase = n->received = 0;
        return true;
    }
    if (now <= n->look)
        return false;
    bool due = n->look && (n->trimmed || trimmed || delay > 4 * e->packet.span.target) &&
               n->achieved < n->most / LOOKS;
    if (due) {
        n->window = most(n->achieved, e->o.conf.mtu);
        n->skip = e->octets_out;
        n->skipped = 0;
        n->trimmed = false;
    }
    n->achieved = 0;
    n->look = now + n->base + e->packet.span.target;
    return due;
}

/* ---- the four cases ---- */

static bool rises_fast(struct packet_end *e, iw_time delay, uint64_t octets)
{
    struct packet_nscc *n = &e->own.nscc;
    n->swift = delay < WITHOUT_DELAY ? n->swift + octets : 0;
    n->rises = n->swift && (n->rises || n->swift > n->window);
    if (n->rises)
        n->window += octets * packet_span_octets(e, e->packet.span.rtt) / (4 * (uint64_t)REFERENCE);
    return n->rises;
}

/* Octets squared that each octet adds, of so many full packets. */
static uint64_t step(const struct packet_end *e, uint64_t packets)
{
    return packets * payload(e) * packet_span_octets(e, e->packet.span.rtt) / REFERENCE;
}

static void cut(struct packet_end *e, iw_time now)
{
    struct packet_nscc *n = &e->own.nscc;
    iw_time target = e->packet.span.target;
    n->swift = 0;
    n->rises = false;
    if (n->average <= target || now - n->cut <= n->base)
        return;
    uint64_t part = n->window * 4 / 5 * ((n->average - target) / 1000) / (n->average / 1000);
    n->window -= least(part, n->window / 2);
    n->cut = now;
}

static void weigh(struct packet_end *e, iw_time now, iw_time delay)
{
    struct packet_nscc *n = &e->own.nscc;
    uint64_t octets = e->news.octets;
    iw_time target = e->packet.span.target;
    if (e->news.marked && delay >= target)
        cut(e, now);
    else if (!e->news.marked && delay >= target)
        n->increase += step(e, STEPS_SLOW) * octets;
    else if (!e->news.marked && !rises_fast(e, delay, octets))
        n->increase += step(e, STEPS) * (target - delay) / REFERENCE_TIME * octets;
}

static void adjust(struct packet_end *e, iw_time now)
{
    struct packet_nscc *n = &e->own.nscc;
    iw_time rtt = e->packet.span.rtt;
    if (n->received <= ADJUST * (uint64_t)e->o.conf.mtu && now - n->adjusted <= rtt)
        return;
    n->window += n->increase / n->window;
    if (now - n->adjusted >= rtt) {
        n->window += step(e, 15) / 100;
        n->adjusted = now;
    }
    n->increase = n->received = 0;
    keep_within(e);
}

/* ---- what is heard ---- */

static void answered(struct packet_end *e, iw_time now)
{
    struct packet_nscc *n = &e->own.nscc;
    n->achieved += e->news.octets;
    n->received += e->news.octets;
    n->skipped += e->news.octets;
    iw_time delay = delay_of(e);
    if (adapt(e, now, false, delay))
        return;
    weigh(e, now, delay);
    keep_within(e);
    adjust(e, now);
}

static void drop(struct packet_end *e, uint32_t octets)
{
    e->own.nscc.window -= least(octets, e->own.nscc.window);
    keep_within(e);
}

static void trimmed(struct packet_end *e, iw_time now, uint32_t octets)
{
    struct packet_nscc *n = &e->own.nscc;
    n->skipped += octets;
    take_sample(e, e->packet.span.rtt, true);
    n->trimmed = true;
    if (!adapt(e, now, true, n->average))
        drop(e, octets);
}

static void expired(struct packet_end *e, iw_time now, uint32_t octets)
{
    (void)now;
    drop(e, octets);
}

const char *packet_span_error(const struct packet_conf *c)
{
    const struct packet_span *s = &c->span;
    const iw_time longest = PACKET_SPAN_MAX * UINT64_C(1000000000);
    bool good = s->rtt && s->rtt <= longest && s->target >= 1000 && s->target <= longest;
    return good && s->line && s->line <= PACKET_RATE_MAX
               ? NULL
               : "a window needs a round trip and a target, at most 10 "
                 "ms, and the rate of the line, at most 4 Tb/s";
}

const struct packet_congestion packet_nscc = {.marks = true,
                                              .answered_each = true,
                                              .error = packet_span_error,
                                              .start = start,
                                              .window = window,
                                              .answered = answered,
                                              .trimmed = trimmed,
                                              .expired = expired};
