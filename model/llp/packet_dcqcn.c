/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_dcqcn.c -- DCQCN (SIGCOMM 2015): the receiver tells of marks, the sender's rate falls, and rises by itself.
 *
 * The constants are those of htsim's dcqcn.cpp, read; the paper was not. Increases are shares of the line there. */
#include "engine/law.h"
#include "llp/packet_inner.h"

#define US           UINT64_C(1000000)
#define CNP_EVERY    (50 * US)
#define STEP_EVERY   (55 * US)
#define STEP_OCTETS  UINT64_C(10000000)
#define PS_OF_8_BITS UINT64_C(8000000000000)
enum {
    GAIN_SHIFT = 8 /* g = 1/256 */,
    FAST_STEPS = 5,
    ADDITIVE = 20,
    HYPER = 10,
    LEAST = 1000 /* of the line */
};

void packet_dcqcn_init(struct packet_dcqcn *d, uint64_t line)
{
    *d = (struct packet_dcqcn){.now = line, .target = line, .alpha = PACKET_ALPHA_ONE, .step_at = IW_NEVER};
}

static bool is_within(const struct packet_dcqcn *d, uint64_t line)
{
    return line / LEAST <= d->now && d->now <= line && d->target <= line && d->alpha <= PACKET_ALPHA_ONE;
}

bool packet_dcqcn_marked(struct packet_dcqcn *d, iw_time now)
{
    if (now < d->say_at)
        return false;
    d->say_at = now + CNP_EVERY;
    return true;
}

void packet_dcqcn_notified(struct packet_dcqcn *d, iw_time now, uint64_t line)
{
    uint64_t least = line / LEAST + 1;
    d->target = d->now;
    d->now -= d->now * d->alpha / (2 * PACKET_ALPHA_ONE);
    d->now = d->now > least ? d->now : least;
    d->alpha += (PACKET_ALPHA_ONE - d->alpha) >> GAIN_SHIFT;
    d->steps_of_time = d->steps_of_octets = 0;
    d->octets = 0;
    d->step_at = now + STEP_EVERY;
    LAW(is_within(d, line) && (d->now <= d->target || d->now == least));
}

/* Fast recovery, then additive, then hyper increase. */
static void increase(struct packet_dcqcn *d, uint64_t line)
{
    uint32_t t = d->steps_of_time, b = d->steps_of_octets, most = t > b ? t : b, least = t < b ? t : b;
    if (least > FAST_STEPS)
        d->target += (least - FAST_STEPS) * (line / HYPER);
    else if (most > FAST_STEPS)
        d->target += line / ADDITIVE;
    d->target = d->target < line ? d->target : line;
    d->now = (d->now + d->target + 1) / 2;
    if (line - d->now < line / LEAST) {
        d->now = line;
        d->step_at = IW_NEVER;
    }
    LAW(is_within(d, line));
}

void packet_dcqcn_step(struct packet_dcqcn *d, iw_time now, uint64_t line)
{
    d->alpha -= d->alpha >> GAIN_SHIFT;
    d->steps_of_time++;
    d->step_at = now + STEP_EVERY;
    increase(d, line);
}

void packet_dcqcn_sent(struct packet_dcqcn *d, iw_time now, uint32_t octets, uint64_t line)
{
    if (d->step_at == IW_NEVER)
        return;
    iw_time from = d->free_at > now ? d->free_at : now;
    d->free_at = from + octets * PS_OF_8_BITS / d->now;
    d->octets += octets;
    if (d->octets < STEP_OCTETS)
        return;
    d->octets = 0;
    d->steps_of_octets++;
    increase(d, line);
}
