/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_dcqcn.c -- DCQCN (SIGCOMM 2015): the receiver tells of marks, the sender's rate falls, and rises by itself.
 *
 *   CNP --> alpha, at each alpha_timer         cut, at the next cut_interval: target, rate *= 1 - alpha / 2
 *           since the first                    timer: rate halfway to the target; then additive, then hyper steps
 *
 * As in HPCC's simulator (github.com/alibaba-edu/High-Precision-Congestion-Control, rdma-hw.cc, read): the receiver tells of
 * each mark, intervals are counted from the first CNP, no octets are counted, and a target that has not been approached
 * since the last cut stays. The paper was not read. */
#include "engine/law.h"
#include "engine/least.h"
#include "llp/packet_inner.h"

#define PS_OF_8_BITS UINT64_C(8000000000000)
enum { COARSE = 10 /* bits of a rate that a cut does without: rate * alpha fits in 64 */ };

void packet_dcqcn_init(struct packet_dcqcn *d, const struct packet_dcqcn_conf *conf)
{
    *d = (struct packet_dcqcn){.conf = *conf,
                               .now = conf->line,
                               .target = conf->line,
                               .first = IW_NEVER,
                               .cut_at = IW_NEVER,
                               .step_at = IW_NEVER};
}

static bool is_within(const struct packet_dcqcn *d)
{
    return d->conf.least <= d->now && d->now <= d->target && d->target <= d->conf.line &&
           d->alpha <= PACKET_ALPHA_ONE;
}

/* The periods of alpha that have passed: the first has heard what was told, the others nothing. */
static void settle_alpha(struct packet_dcqcn *d, iw_time now)
{
    uint64_t periods = (now - d->alpha_at) / d->conf.alpha_timer;
    d->alpha_at += periods * d->conf.alpha_timer;
    if (periods && d->told) {
        d->alpha += (PACKET_ALPHA_ONE - d->alpha) / d->conf.gain;
        d->told = false;
        periods--;
    }
    for (; periods && d->alpha >= d->conf.gain; periods--)
        d->alpha -= d->alpha / d->conf.gain;
}

static void begin(struct packet_dcqcn *d, iw_time now)
{
    d->first = d->alpha_at = now;
    d->alpha = PACKET_ALPHA_ONE;
}

void packet_dcqcn_notified(struct packet_dcqcn *d, iw_time now)
{
    if (d->first == IW_NEVER) {
        begin(d, now);
    } else {
        settle_alpha(d, now);
        d->told = true;
    }
    if (d->cut_at == IW_NEVER)
        d->cut_at = now + d->conf.cut_interval - (now - d->first) % d->conf.cut_interval;
    LAW(now < d->cut_at && d->cut_at <= now + d->conf.cut_interval);
}

void packet_dcqcn_cut(struct packet_dcqcn *d, iw_time now)
{
    settle_alpha(d, now);
    if (d->steps || d->conf.clamp)
        d->target = d->now;
    d->now -= (d->now >> COARSE) * d->alpha / (PACKET_ALPHA_ONE >> COARSE) / 2;
    d->now = d->now > d->conf.least ? d->now : d->conf.least;
    d->steps = 0;
    d->step_at = now + d->conf.timer;
    d->cut_at = IW_NEVER;
    LAW(is_within(d)); /* least <= rate <= target <= line */
}

/* Fast recovery, then additive, then hyper increase. */
void packet_dcqcn_step(struct packet_dcqcn *d, iw_time now)
{
    if (d->steps >= d->conf.fast_steps)
        d->target += d->steps == d->conf.fast_steps ? d->conf.additive : d->conf.hyper;
    d->target = d->target < d->conf.line ? d->target : d->conf.line;
    d->now = (d->now + d->target + 1) / 2;
    d->steps++;
    d->step_at = d->now < d->conf.line ? now + d->conf.timer : IW_NEVER;
    LAW(is_within(d));
}

void packet_dcqcn_sent(struct packet_dcqcn *d, iw_time now, uint32_t octets)
{
    if (d->now == d->conf.line)
        return;
    iw_time from = d->free_at > now ? d->free_at : now;
    d->free_at = from + octets * PS_OF_8_BITS / d->now;
}

/* ---- its row ---- */

static const char *error(const struct packet_conf *conf)
{
    const struct packet_dcqcn_conf *c = &conf->dcqcn;
    if (!c->least || c->least > c->line || c->line > PACKET_RATE_MAX)
        return "dcqcn needs the rate of the line, at most 4 Tb/s, and a least rate up to it";
    return c->timer && c->alpha_timer && c->cut_interval && c->gain
               ? NULL
               : "dcqcn's times and its gain must not be 0";
}

static void start(struct packet_end *e)
{
    packet_dcqcn_init(&e->own.dcqcn, &e->packet.dcqcn);
}

static iw_time free_at(const struct packet_end *e)
{
    return e->own.dcqcn.free_at;
}

static void sent(struct packet_end *e, iw_time now, uint32_t octets)
{
    packet_dcqcn_sent(&e->own.dcqcn, now, octets);
}

static void notified(struct packet_end *e, iw_time now)
{
    packet_dcqcn_notified(&e->own.dcqcn, now);
}

static iw_time deadline(const struct packet_end *e)
{
    return least(e->own.dcqcn.cut_at, e->own.dcqcn.step_at);
}

static void expire(struct packet_end *e, iw_time now)
{
    struct packet_dcqcn *d = &e->own.dcqcn;
    if (d->step_at <= now)
        packet_dcqcn_step(d, now);
    if (d->cut_at <= now)
        packet_dcqcn_cut(d, now);
    if (d->free_at <= now)
        d->free_at = 0;
}

const struct packet_congestion packet_dcqcn = {.marks = true,
                                               .notifies = true,
                                               .error = error,
                                               .start = start,
                                               .free_at = free_at,
                                               .sent = sent,
                                               .notified = notified,
                                               .deadline = deadline,
                                               .expire = expire};
