/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_congestion.c -- how cwnd grows: what all congestion controls have in common (RFC 5681, 3465). */
#include "engine/law.h"
#include "llp/tcp_inner.h"

const struct tcp_congestion *const tcp_congestions[] = {TCP_CONGESTION_TABLE(TCP_KIND)};
const char *const tcp_congestion_words[] = {TCP_CONGESTION_TABLE(TCP_KIND_WORD) NULL};

void tcp_cwnd_set(struct tcp *t, uint64_t octets)
{
    bool still = t->conf.congestion->fixed && t->repair.phase != RECOVERY && t->repair.phase != CWR;
    uint64_t cwnd = still ? t->conf.fixed_window : octets;
    t->stats.cwnd = (uint32_t)least(most(cwnd, 1), TCP_CWND_MAX);
}

void tcp_cong_init(struct tcp *t)
{
    t->stats.ssthresh = TCP_CWND_MAX;
    if (t->conf.congestion->start)
        t->conf.congestion->start(t);
    tcp_hystart_init(t);
}

/* RFC 6928, or what was asked for; one segment when the SYN was lost (RFC 5681 3.1). */
static uint32_t initial_window(const struct tcp *t)
{
    uint32_t mss = t->tx.mss;
    if (t->conf.initial_window)
        return (uint32_t)least((uint64_t)t->conf.initial_window * mss, TCP_CWND_MAX);
    return (uint32_t)least(10 * mss, most(2 * mss, 14600));
}

void tcp_cong_up(struct tcp *t)
{
    tcp_cwnd_set(t, t->syn_again ? t->tx.mss : initial_window(t));
}

/* ---- in use? ---- */

/* RFC 9438 5.8, RFC 9293's SHOULD of 7661: cwnd counts as used when one more segment would not fit. */
void tcp_usage(struct tcp *t)
{
    struct tcp_cong *c = &t->cong;
    uint32_t pipe = tcp_pipe(t);
    bool limited = (uint64_t)pipe + t->tx.mss > t->stats.cwnd;
    LAW(pipe <= t->tx.nxt - t->tx.una + t->tx.mss); /* the first may be acknowledged in part */
    if (is_below(t->tx.una, c->usage_end) && !limited && (c->limited || pipe <= c->flight_max))
        return;
    c->limited = limited;
    c->flight_max = pipe;
    c->usage_end = (uint32_t)t->tx.nxt;
}

bool tcp_is_limited(const struct tcp *t)
{
    const struct tcp_cong *c = &t->cong;
    return c->limited || (t->stats.cwnd < t->stats.ssthresh && t->stats.cwnd < 2 * (uint64_t)c->flight_max);
}

uint32_t tcp_in_use(const struct tcp *t)
{
    return t->cong.limited || t->conf.without & TCP_WITHOUT_USAGE
               ? t->stats.cwnd
               : (uint32_t)least(t->stats.cwnd, most(t->tx.nxt - t->tx.una, t->cong.flight_max));
}

uint32_t tcp_floor(const struct tcp *t, uint64_t octets)
{
    return (uint32_t)least(most(octets, 2u * t->tx.mss), TCP_CWND_MAX);
}

void tcp_idle_restart(struct tcp *t, iw_time now)
{
    bool idle = t->tx.first == t->tx.next && t->last_sent != IW_NEVER && now - t->last_sent > t->rto;
    if (idle && t->stats.cwnd > initial_window(t))
        tcp_cwnd_set(t, initial_window(t));
}

/* ---- growth ---- */

/* RFC 5681 3.1, RFC 3465 2.3: at most L segments for one acknowledgement, 8 with HyStart++, 1 after a timeout. */
uint32_t tcp_slow_start(struct tcp *t, uint32_t octets)
{
    struct tcp_cong *c = &t->cong;
    bool watched = c->start != HYSTART_OFF;
    uint32_t l = t->conf.slow_start_limit  ? t->conf.slow_start_limit
                 : t->repair.phase == LOSS ? 1
                 : watched                 ? 8
                                           : 2;
    uint32_t step = (uint32_t)least(octets, (uint64_t)l * t->tx.mss);
    if (c->start == HYSTART_CSS)
        step /= 4;
    LAW(t->stats.cwnd < t->stats.ssthresh);
    uint32_t room = t->stats.ssthresh - t->stats.cwnd, used = (uint32_t)least(step, room);
    tcp_cwnd_set(t, (uint64_t)t->stats.cwnd + used);
    return used == room ? octets - used : 0;
}

/* RFC 3465 2.1: a segment for each window of octets, of whole segments for no other leave: once in a round trip. */
void tcp_grow_reno(struct tcp *t, uint32_t octets)
{
    struct tcp_cong *c = &t->cong;
    uint32_t window = t->stats.cwnd - (t->stats.cwnd > t->tx.mss ? t->stats.cwnd % t->tx.mss : 0);
    LAW(window <= t->tx.mss || window % t->tx.mss == 0);
    c->counted += octets;
    if (c->counted < window)
        return;
    c->counted -= window;
    tcp_cwnd_set(t, (uint64_t)t->stats.cwnd + t->tx.mss);
}
