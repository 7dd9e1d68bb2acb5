/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/done.h"

#include "engine/law.h"
#include "engine/least.h"

static bool is_in_order(const struct node_completions *c)
{
    return c->get <= c->shown && c->shown <= c->taking && c->taking <= c->visible &&
           c->visible <= c->written && c->written <= c->put && c->put <= c->get + c->room;
}

static struct node_completion *completion(const struct node_completions *c, uint64_t number)
{
    return &c->ring[number % c->room];
}

/* ---- the ring ---- */

void completions_init(struct node_completions *c, struct node_completion *ring, uint32_t room,
                      const struct rnic_conf *conf, struct iw_cq *cq)
{
    bool interrupt = conf->completion.mode == RNIC_INTERRUPT;
    bool solicited = conf->completion.arm == RNIC_ARM_SOLICITED;
    *c = (struct node_completions){.ring = ring, .room = room, .look = IW_NEVER, .cq = cq};
    iw_cq_defer_events(cq);
    if (interrupt)
        completions_arm(c, solicited ? IW_ARM_OWN : IW_ARM_ALL);
}

void completions_arm(struct node_completions *c, enum iw_arm arm)
{
    c->arm = arm;
    iw_cq_arm(c->cq, arm);
}

void completions_move(struct node_completions *c, struct node_completion *ring, uint32_t room)
{
    for (uint64_t i = c->get; i != c->put; i++)
        ring[i % room] = *completion(c, i);
    c->ring = ring;
    c->room = room;
    LAW(is_in_order(c)); /* there is room for all that it holds */
}

bool completions_full(const struct node_completions *c)
{
    return c->put - c->get == c->room;
}

/* ---- step by step ---- */

void completions_put(struct node_completions *c, iw_time at, const struct iw_done *done)
{
    LAW(!completions_full(c));
    *completion(c, c->put++) = (struct node_completion){*done, at};
}

const struct node_completion *completions_unwritten(const struct node_completions *c)
{
    return c->written != c->put ? completion(c, c->written) : NULL;
}

const struct node_completion *completions_unseen(const struct node_completions *c)
{
    return c->visible != c->written ? completion(c, c->visible) : NULL;
}

iw_time completions_write(struct node_completions *c, struct rnic *nic)
{
    struct node_completion *next = completion(c, c->written++);
    LAW(is_in_order(c)); /* get <= shown <= taking <= visible <= written <= put <= get + room */
    return next->at = rnic_complete(nic, next->at);
}

iw_time completions_see(struct node_completions *c, struct rnic *nic, iw_time now)
{
    iw_cq_written(c->cq, &completion(c, c->visible++)->done);
    iw_time at = rnic_notify(nic, now, iw_cq_event(c->cq));
    LAW(is_in_order(c));
    if (at != IW_NEVER)
        c->look = at;
    return at;
}

iw_time completions_look(struct node_completions *c, struct rnic *nic, iw_time now)
{
    c->look = IW_NEVER;
    iw_cq_arm(c->cq, c->arm); /* before it looks: what comes later raises an event again */
    LAW(is_in_order(c));
    iw_time taken = rnic_wakeup(nic, now, (uint32_t)(c->visible - c->taking));
    if (taken != IW_NEVER)
        for (; c->taking != c->visible; c->taking++)
            completion(c, c->taking)->at = taken;
    return taken;
}

const struct iw_done *completions_show(struct node_completions *c, iw_time now)
{
    LAW(is_in_order(c));
    bool some = c->shown != c->taking && completion(c, c->shown)->at <= now;
    return some ? &completion(c, c->shown++)->done : NULL;
}

bool completions_get(struct node_completions *c, struct iw_done *done)
{
    if (c->get == c->shown)
        return false;
    *done = completion(c, c->get++)->done;
    LAW(is_in_order(c));
    return true;
}

/* ---- when ---- */

iw_time completions_due(const struct node_completions *c)
{
    iw_time next = c->look;
    if (c->get != c->shown)
        return 0;
    if (c->written != c->put)
        next = least(next, completion(c, c->written)->at);
    if (c->visible != c->written)
        next = least(next, completion(c, c->visible)->at);
    if (c->shown != c->taking)
        next = least(next, completion(c, c->shown)->at);
    return next;
}
