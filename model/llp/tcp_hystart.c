/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_hystart.c -- when slow start has gone far enough: HyStart++ (RFC 9406), with delays that fit a data center.
 *
 * A round is one window. When the smallest of its round trips is longer than that of the round before by an eighth, growth
 * is a quarter for five rounds (Conservative Slow Start); when the delay goes away it was jitter, and slow start resumes. */
#include "engine/law.h"
#include "llp/tcp_inner.h"

enum { SAMPLES = 8, CSS_ROUNDS = 5 };
#define THRESHOLD_LEAST ((iw_time)4000000) /* 4 us */

void tcp_hystart_init(struct tcp *t)
{
    bool on = t->conf.congestion->hystart;
    t->cong.start = on ? HYSTART_SLOW_START : HYSTART_OFF;
    if (on)
        t->cong.of.hystart = (struct tcp_hystart){.last = IW_NEVER, .now = IW_NEVER, .base = IW_NEVER};
}

/* Only the first slow start is watched (4.2). */
void tcp_hystart_end(struct tcp *t)
{
    if (t->cong.start == HYSTART_OFF)
        return;
    t->cong.start = HYSTART_OFF;
    if (t->conf.congestion->start)
        t->conf.congestion->start(t);
}

static void next_round(struct tcp *t)
{
    struct tcp_hystart *h = &t->cong.of.hystart;
    h->end = t->tx.nxt;
    h->last = h->now;
    h->now = IW_NEVER;
    h->samples = 0;
    if (t->cong.start != HYSTART_CSS || ++h->rounds < CSS_ROUNDS)
        return;
    t->stats.ssthresh = t->stats.cwnd;
    tcp_hystart_end(t);
}

void tcp_hystart_heard(struct tcp *t, iw_time rtt)
{
    struct tcp_hystart *h = &t->cong.of.hystart;
    if (t->cong.start == HYSTART_OFF)
        return;
    h->now = least(h->now, rtt);
    h->samples = (uint8_t)least(h->samples + 1u, SAMPLES);
    if (h->samples == SAMPLES && h->last != IW_NEVER) {
        if (t->cong.start == HYSTART_SLOW_START && h->now >= h->last + most(THRESHOLD_LEAST, h->last / 8)) {
            t->cong.start = HYSTART_CSS;
            h->base = h->now;
            h->rounds = 0;
        } else if (t->cong.start == HYSTART_CSS && h->now < h->base) {
            t->cong.start = HYSTART_SLOW_START;
            h->base = IW_NEVER;
        }
    }
    LAW((t->cong.start == HYSTART_CSS) == (h->base != IW_NEVER));
    LAW(h->end <= t->tx.nxt && h->rounds < CSS_ROUNDS);
    if (t->tx.una >= h->end)
        next_round(t);
}
