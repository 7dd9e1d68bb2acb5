/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_fixed.c -- a window that never changes, to study the receiver alone. */
#include "engine/law.h"
#include "llp/tcp_inner.h"

static void stay(struct tcp *t, iw_time now, uint32_t octets)
{
    LAW(t->stats.cwnd == t->conf.fixed_window);
    (void)t, (void)now, (void)octets;
}

static uint32_t same(struct tcp *t, iw_time now)
{
    (void)now;
    return t->conf.fixed_window;
}

TCP_CONGESTION(fixed) = {
    .response = TCP_RESPONSE_FIXED, .fixed = true, .grow = stay, .after_loss = same, .after_mark = same};
