/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stage.h -- a stage that does one job after the other, and how long octets take. Inside the room only. */
#ifndef IW_RNIC_STAGE_H
#define IW_RNIC_STAGE_H

#include "engine/iw.h"
#include "engine/law.h"
#include "rnic/conf.h"

/* Law: jobs leave in the order they entered, `last` never gets smaller. */
struct rnic_stage {
    iw_time free; /* when the next job may start */
    iw_time last; /* when the last one left */
};

/* A job enters at `now`, needs something that is known at `known`, keeps the stage for `busy` and itself takes `takes`
 * (a pipeline is deep: takes > busy). When it leaves. */
static inline iw_time stage_pass(struct rnic_stage *s, iw_time now, iw_time known, iw_time busy,
                                 iw_time takes)
{
    iw_time start = now > s->free ? now : s->free, before = s->last;
    iw_time done = (start > known ? start : known) + takes;
    s->free = start + busy;
    s->last = done > s->last ? done : s->last;
    LAW(s->last >= now &&
        s->last >= before); /* jobs leave in the order they entered, `last` never gets smaller */
    LAW(s->last >= s->free || takes < busy);
    return s->last;
}

/* Femtoseconds per octet at a rate in bits per second; rates are 10 Mb/s or more, so 2^32 octets fit 64 bits. */
static inline uint64_t per_octet(uint64_t rate)
{
    return rate == RNIC_UNLIMITED ? 0 : (UINT64_C(8000000000000000) + rate / 2) / rate;
}

static inline iw_time octets_time(uint64_t octets, uint64_t femtoseconds)
{
    return (octets * femtoseconds + 999) / 1000;
}

#endif
