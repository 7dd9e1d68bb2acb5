/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_newreno.c -- a segment more in each round trip, half of it after a loss (RFC 5681, 3465). */
#include "llp/tcp_inner.h"

static void grow(struct tcp *t, iw_time now, uint32_t octets)
{
    (void)now;
    if (t->stats.cwnd < t->stats.ssthresh)
        octets = tcp_slow_start(t, octets);
    if (octets)
        tcp_grow_reno(t, octets);
}

static uint32_t half(struct tcp *t, iw_time now)
{
    (void)now;
    return tcp_floor(t, tcp_in_use(t) / 2);
}

TCP_CONGESTION(newreno) = {
    .response = TCP_RESPONSE_RENO, .hystart = true, .grow = grow, .after_loss = half, .after_mark = half};
