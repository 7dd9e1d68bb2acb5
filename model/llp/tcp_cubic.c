/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_cubic.c -- CUBIC (RFC 9438): C 0.4, beta 0.7, with the Reno-friendly region.
 *
 *   W_cubic(t) = C (t - K)^3 + W_max     K = cbrt((W_max - cwnd) / C)     segments and seconds
 *
 * Here in octets and units of 2^-10 s: what a millisecond adds to the cubic is far below an octet, and where round trips are
 * shorter than that W_est rules. */
#include "engine/law.h"
#include "llp/tcp_inner.h"

#define UNIT ((iw_time)976562500) /* 2^-10 s */
enum { UNITS_MAX = 1 << 19 };

struct cubic {
    iw_time epoch;       /* IW_NEVER: none began since the last reduction */
    uint64_t w_est_rest; /* of the divisions that make w_est, cwnd */
    uint32_t rest;
    uint32_t w_max, origin, w_est, prior; /* octets; prior: cwnd_prior of RFC 9438 4.3 */
    uint32_t k;                           /* 2^-10 s */
    struct cubic_before {                 /* the last reduction */
        iw_time epoch;
        uint32_t w_max, origin, w_est, prior, k;
    } before;
};
TCP_OWN(struct cubic)

/* The largest whole number whose cube is at most n. */
static uint32_t cube_root(uint64_t n)
{
    uint64_t root = 0;
    for (int bit = 21; bit >= 0; bit--) {
        uint64_t next = root | (uint64_t)1 << bit;
        if (next <= 2642245 && next * next * next <= n)
            root = next;
    }
    LAW(root * root * root <= n && (root == 2642245 || (root + 1) * (root + 1) * (root + 1) > n));
    return (uint32_t)root;
}

/* C d^3, octets. */
static uint64_t cubed(uint64_t d, uint32_t mss)
{
    d = least(d, UNITS_MAX);
    if (d < 1 << 14)
        return d * d * d * 2 * mss / 5 >> 30;
    return ((d * d * d >> 20) * 2 * mss / 5) >> 10;
}

static uint64_t w_cubic(const struct cubic *c, uint32_t mss, iw_time since)
{
    uint64_t at = since / UNIT;
    if (at >= c->k)
        return c->origin + cubed(at - c->k, mss);
    uint64_t below = cubed(c->k - at, mss);
    return below < c->origin ? c->origin - below : 0;
}

static void start(struct tcp *t)
{
    *own(t) = (struct cubic){.epoch = IW_NEVER};
}

/* 4.2: the epoch begins with the first growth after a reduction. */
static void begin_epoch(struct tcp *t, iw_time now)
{
    struct cubic *c = own(t);
    uint32_t cwnd = t->stats.cwnd, below = cwnd < c->w_max ? c->w_max - cwnd : 0;
    c->epoch = now;
    c->origin = below ? c->w_max : cwnd;
    c->k = cube_root(((uint64_t)below << 30) / (2u * t->tx.mss) * 5);
    c->w_est = cwnd;
    c->rest = 0;
    c->w_est_rest = 0;
    LAW(w_cubic(c, t->tx.mss, 0) >= cwnd); /* the curve does not begin below the window */
}

/* 4.3: alpha is 9/17 until the window before the reduction is reached, then 1. */
static void grow_w_est(struct tcp *t, uint32_t octets)
{
    struct cubic *c = own(t);
    bool reached = c->w_est >= c->prior;
    uint64_t per = (uint64_t)t->stats.cwnd * 17;
    uint64_t sum = (uint64_t)octets * t->tx.mss * (reached ? 17 : 9) + c->w_est_rest;
    c->w_est = (uint32_t)least(c->w_est + sum / per, TCP_CWND_MAX);
    c->w_est_rest = sum % per;
}

static void avoid_congestion(struct tcp *t, iw_time now, uint32_t octets)
{
    struct cubic *c = own(t);
    uint32_t cwnd = t->stats.cwnd;
    if (c->epoch == IW_NEVER)
        begin_epoch(t, now);
    grow_w_est(t, octets);
    if (w_cubic(c, t->tx.mss, now - c->epoch) < c->w_est) {
        tcp_cwnd_set(t, most(cwnd, c->w_est));
        return;
    }
    uint64_t target = least(w_cubic(c, t->tx.mss, now - c->epoch + t->stats.srtt), cwnd + cwnd / 2);
    uint64_t sum = target > cwnd ? (target - cwnd) * octets + c->rest : c->rest;
    c->rest = (uint32_t)(sum % cwnd);
    tcp_cwnd_set(t, cwnd + sum / cwnd);
}

static void grow(struct tcp *t, iw_time now, uint32_t octets)
{
    if (t->stats.cwnd < t->stats.ssthresh)
        octets = tcp_slow_start(t, octets);
    if (!octets)
        return;
    tcp_hystart_end(t);
    avoid_congestion(t, now, octets);
}

/* 4.6, 4.7. */
static uint32_t reduce(struct tcp *t, iw_time now)
{
    struct cubic *c = own(t);
    uint32_t used = tcp_in_use(t);
    (void)now;
    LAW(used <= t->stats.cwnd);
    c->before = (struct cubic_before){c->epoch, c->w_max, c->origin, c->w_est, c->prior, c->k};
    c->prior = used;
    c->w_max = used < c->w_max ? (uint32_t)((uint64_t)used * 17 / 20) : used; /* fast convergence */
    c->epoch = IW_NEVER;
    return tcp_floor(t, (uint64_t)used * 7 / 10);
}

/* One before the last: what it left behind is gone, and the curve begins anew where cwnd is. */
static void restore(struct tcp *t, bool last)
{
    const struct cubic_before b = own(t)->before;
    if (!last) {
        own(t)->epoch = IW_NEVER;
        own(t)->w_max = (uint32_t)most(own(t)->w_max, t->stats.cwnd);
        return;
    }
    *own(t) = (struct cubic){
        .epoch = b.epoch, .w_max = b.w_max, .origin = b.origin, .w_est = b.w_est, .prior = b.prior, .k = b.k};
}

/* 4.2: the time in which nothing was sent does not count. */
static void rested(struct tcp *t, iw_time gap)
{
    if (t->cong.start == HYSTART_OFF && own(t)->epoch != IW_NEVER)
        own(t)->epoch += gap;
}

TCP_CONGESTION(cubic) = {.response = TCP_RESPONSE_CUBIC,
                         .hystart = true,
                         .start = start,
                         .grow = grow,
                         .after_loss = reduce,
                         .after_mark = reduce,
                         .undo = restore,
                         .rested = rested};
