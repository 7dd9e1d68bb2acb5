/* SPDX-License-Identifier: GPL-2.0-or-later */
/* completions.c -- a completion that the engine makes is written to host memory; the ULP finds it by polling, or is
 * woken by an interrupt. Three instants: visible, looked at, taken. */
#include "pair/pair_inner.h"

static struct completion *completion(const struct completions *c, uint64_t number)
{
    return &c->ring[number % c->max];
}

static void write_all(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    struct completions *c = &s->done;
    struct iw_done done;
    while (c->put - c->get < c->max && iw_poll(s->cq, &done))
        *completion(c, c->put++) = (struct completion){done, rnic_complete(s->nic, p->now)};
}

static bool wanted(const struct completions *c, const struct iw_done *done)
{
    return c->arm == IW_ARM_ALL || (c->arm == IW_ARM_SOLICITED && (done->solicited || done->status != IW_OK));
}

/* The host takes what it sees. */
static void look(struct pair *p, int side)
{
    struct completions *c = &p->side[side].done;
    uint32_t entries = (uint32_t)(c->visible - c->taking);
    c->look = IW_NEVER;
    iw_time taken = rnic_wakeup(p->side[side].nic, p->now, entries);
    if (taken == IW_NEVER)
        return;
    for (; c->taking != c->visible; c->taking++)
        completion(c, c->taking)->at = taken;
}

static void see(struct pair *p, int side)
{
    struct completions *c = &p->side[side].done;
    while (c->visible != c->put && completion(c, c->visible)->at <= p->now) {
        bool event = wanted(c, &completion(c, c->visible)->done);
        iw_time at = rnic_notify(p->side[side].nic, p->now, event);
        c->visible++;
        if (at != IW_NEVER)
            c->look = at;
        if (c->look <= p->now)
            look(p, side);
    }
}

static void show(struct pair *p, int side)
{
    struct completions *c = &p->side[side].done;
    for (; c->shown != c->taking && completion(c, c->shown)->at <= p->now; c->shown++)
        pair_tell_stage(p, (struct pair_event){
                               .what = PAIR_COMPLETED, .side = side, .done = &completion(c, c->shown)->done});
}

void completions_collect(struct pair *p, int side)
{
    struct completions *c = &p->side[side].done;
    if (!is_timed(p, side))
        return;
    if (c->look <= p->now)
        look(p, side); /* at what was there before */
    write_all(p, side);
    see(p, side);
    show(p, side);
}

iw_time completions_next(const struct pair *p, int side)
{
    const struct completions *c = &p->side[side].done;
    iw_time next = c->look;
    if (c->visible != c->put && completion(c, c->visible)->at < next)
        next = completion(c, c->visible)->at;
    if (c->shown != c->taking && completion(c, c->shown)->at < next)
        next = completion(c, c->shown)->at;
    return next;
}

bool pair_poll(struct pair *p, int side, struct iw_done *done)
{
    struct completions *c = &p->side[side].done;
    if (!is_timed(p, side))
        return iw_poll(p->side[side].cq, done);
    completions_collect(p, side);
    if (c->get == c->shown)
        return false;
    *done = completion(c, c->get++)->done;
    return true;
}

void pair_arm(struct pair *p, int side, enum iw_arm arm)
{
    p->side[side].done.arm = arm;
}
