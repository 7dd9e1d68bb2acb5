/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_swift.c -- Swift (SIGCOMM 2020): a window that aims at a delay, below one packet as well.
 *
 *   delay < goal     one packet more each round trip
 *   delay >= goal    cut by 0.8 (delay - goal) / delay, at most by half, once a round trip; a trim or a timeout cuts by half
 *
 *   goal = base + llp.target_delay * (1 + extra), extra from 0 with 100 packets to 1 with a tenth of one, by 1 / sqrt(window):
 *   small windows may wait longer, so many senders share a queue evenly. Below one packet the packets leave at distances.
 *
 * Second hand: the paper was not read, its constants are as they are cited (0.8, a half, 0.1 and 100 packets). */
#include "engine/law.h"
#include "engine/least.h"
#include "llp/packet_inner.h"

enum {
    LEAST_PARTS = 10 /* of a packet: the smallest window */,
    MOST = 100 /* packets */,
    PARTS = 100 /* of a packet, in which windows are measured for their roots */
};

static struct packet_swift *own(struct packet_end *e)
{
    return &e->own.swift;
}

static void keep_within(struct packet_end *e)
{
    const uint64_t mtu = e->o.conf.mtu,
                   most_octets = most(MOST * mtu, 2 * packet_span_octets(e, e->packet.span.rtt));
    own(e)->window = least(most(own(e)->window, mtu / LEAST_PARTS), most_octets);
    LAW(own(e)->window >= mtu / LEAST_PARTS);
}

static void start(struct packet_end *e)
{
    *own(e) = (struct packet_swift){.base = e->packet.span.rtt, .last = e->packet.span.rtt};
    own(e)->window = packet_span_octets(e, e->packet.span.rtt);
    keep_within(e);
}

/* A full packet is let out whatever the window: its distance to the next says the rest. */
static uint64_t window(const struct packet_end *e)
{
    return most(e->own.swift.window, e->o.conf.mtu);
}

static iw_time free_at(const struct packet_end *e)
{
    return e->own.swift.free_at;
}

/* ---- the goal ---- */

/* The largest whole number whose square is not above n. */
static uint64_t root(uint64_t n)
{
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        r |= (r | bit) * (r | bit) <= n ? bit : 0;
    return r;
}

/* 10^5 / sqrt(packets). */
static uint64_t inverse_root(uint64_t hundredths)
{
    return root(UINT64_C(1000000000000) / hundredths);
}

iw_time packet_swift_goal(const struct packet_end *e)
{
    const uint64_t low = inverse_root(MOST * PARTS), high = inverse_root(PARTS / LEAST_PARTS);
    uint64_t hundredths = most(e->own.swift.window * PARTS / e->o.conf.mtu, 1);
    uint64_t at = least(most(inverse_root(hundredths), low), high);
    return e->own.swift.base + e->packet.span.target + e->packet.span.target * (at - low) / (high - low);
}

/* ---- what is heard ---- */

static void cut(struct packet_end *e, iw_time now, uint64_t octets)
{
    if (now - own(e)->cut <= own(e)->last)
        return;
    own(e)->window -= least(octets, own(e)->window / 2);
    own(e)->cut = now;
}

static void answered(struct packet_end *e, iw_time now)
{
    struct packet_swift *s = own(e);
    iw_time rtt = e->news.rtt;
    if (rtt == IW_NEVER)
        return;
    s->base = least(s->base, rtt);
    s->last = rtt;
    iw_time goal = packet_swift_goal(e);
    uint64_t mtu = e->o.conf.mtu;
    if (rtt < goal)
        s->window += s->window >= mtu ? mtu * e->news.octets / s->window : e->news.octets;
    else
        cut(e, now, s->window * 4 / 5 * ((rtt - goal) / 1000) / (rtt / 1000 + 1));
    keep_within(e);
}

static void lost(struct packet_end *e, iw_time now, uint32_t octets)
{
    (void)octets;
    cut(e, now, UINT64_MAX);
    keep_within(e);
}

static void sent(struct packet_end *e, iw_time now, uint32_t octets)
{
    struct packet_swift *s = own(e);
    s->free_at = s->window < e->o.conf.mtu ? now + s->last * octets / s->window : 0;
}

static void expire(struct packet_end *e, iw_time now)
{
    if (own(e)->free_at <= now)
        own(e)->free_at = 0;
}

const struct packet_congestion packet_swift = {.answered_each = true,
                                               .error = packet_span_error,
                                               .start = start,
                                               .window = window,
                                               .free_at = free_at,
                                               .sent = sent,
                                               .answered = answered,
                                               .trimmed = lost,
                                               .expired = lost,
                                               .expire = expire};
