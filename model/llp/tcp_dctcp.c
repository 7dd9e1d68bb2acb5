/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_dctcp.c -- DCTCP (RFC 8257): cwnd is cut by half of the share of octets that were marked. Two segments are the least, as
 * in Linux; the RFC says one. A loss halves (3.5). */
#include "engine/law.h"
#include "llp/tcp_inner.h"

enum { ONE = 1 << 20, G = 4 }; /* alpha = 1; g = 1/16 */

struct dctcp {
    uint32_t alpha; /* 2^-20 */
    uint64_t octets, marked, end;
};
TCP_OWN(struct dctcp)

static void start(struct tcp *t)
{
    *own(t) = (struct dctcp){.alpha = ONE};
}

/* 3.3, once in each window. */
static void hear(struct tcp *t, uint32_t octets, bool marked)
{
    struct dctcp *d = own(t);
    d->octets += octets;
    d->marked += marked ? octets : 0;
    LAW(d->marked <= d->octets && d->alpha <= ONE && d->end <= t->tx.nxt);
    if (t->tx.una < d->end)
        return;
    uint32_t share = (uint32_t)((d->marked << 20) / d->octets), old = d->alpha >> G;
    d->alpha = (uint32_t)least(d->alpha - (old ? old : d->alpha) + (share >> G), ONE);
    d->octets = d->marked = 0;
    d->end = t->tx.nxt;
}

static void grow(struct tcp *t, iw_time now, uint32_t octets)
{
    tcp_newreno.grow(t, now, octets);
}

static uint32_t after_loss(struct tcp *t, iw_time now)
{
    return tcp_newreno.after_loss(t, now);
}

static uint32_t after_mark(struct tcp *t, iw_time now)
{
    uint64_t used = tcp_in_use(t);
    (void)now;
    return tcp_floor(t, used - (used * own(t)->alpha >> 21));
}

/* 3.2: when CE changes, what came before is acknowledged at once and with the old ECE. */
static void echo(struct tcp *t, const struct tcp_wire *w, bool ce)
{
    struct tcp_rx *rx = &t->rx;
    if (ce == rx->ece || !w->len)
        return;
    if (rx->unacked && !rx->before_ce) {
        rx->before_ce = true;
        rx->before_len = 0;
    }
    rx->ece = ce;
    tcp_ack_soon(t, false);
}

TCP_CONGESTION(dctcp) = {.response = TCP_RESPONSE_RENO,
                         .ecn = true,
                         .start = start,
                         .grow = grow,
                         .after_loss = after_loss,
                         .after_mark = after_mark,
                         .hear = hear,
                         .echo = echo};
