/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.c -- a completion that an endpoint makes is written to host memory; the ULP finds it by polling, or is woken by
 * an interrupt. Three instants: visible, looked at, taken. */
#include "engine/law.h"
#include "node/node_inner.h"

/* get <= shown <= taking <= visible <= put <= get + max */
static bool is_in_order(const struct completions *c)
{
    return c->get <= c->shown && c->shown <= c->taking && c->taking <= c->visible && c->visible <= c->put &&
           c->put <= c->get + c->max;
}

static struct completion *completion(const struct completions *c, uint64_t number)
{
    return &c->ring[number % c->max];
}

void complete_collect(struct node *n)
{
    struct completions *c = &n->done;
    struct iw_done done;
    LAW(is_in_order(c));
    while (c->put - c->get < c->max && iw_poll(n->cq, &done)) {
        iw_time at = rnic_complete(n->nic, n->now);
        *completion(c, c->put++) = (struct completion){done, at};
        if (at <= n->now && c->visible + 1 == c->put)
            complete_visible(n);
        else
            agenda_put(n, at, AGENDA_VISIBLE, 0, NULL);
    }
}

/* Sends and failures always raise an event; receives, as the queue is armed (RDMAP-5.3-6). */
static bool raises_event(const struct completions *c, const struct iw_done *done)
{
    bool armed = c->arm == IW_ARM_ALL || (c->arm == IW_ARM_SOLICITED && done->solicited);
    return done->op != IW_RECV || done->status != IW_OK || armed;
}

void complete_visible(struct node *n)
{
    struct completions *c = &n->done;
    iw_time at = rnic_notify(n->nic, n->now, raises_event(c, &completion(c, c->visible)->done));
    c->visible++;
    LAW(is_in_order(c));
    if (at == IW_NEVER)
        return;
    c->look = at;
    if (at <= n->now)
        complete_look(n, at);
    else
        agenda_put_value(n, at, AGENDA_LOOK, 0, at);
}

/* The host takes what it sees. An entry that was replaced by an earlier one is stale. */
void complete_look(struct node *n, iw_time at)
{
    struct completions *c = &n->done;
    if (at != c->look)
        return;
    c->look = IW_NEVER;
    iw_time taken = rnic_wakeup(n->nic, n->now, (uint32_t)(c->visible - c->taking));
    if (taken == IW_NEVER)
        return;
    for (; c->taking != c->visible; c->taking++)
        completion(c, c->taking)->at = taken;
    if (taken <= n->now)
        complete_shown(n);
    else
        agenda_put(n, taken, AGENDA_SHOWN, 0, NULL);
}

void complete_shown(struct node *n)
{
    struct completions *c = &n->done;
    for (; c->shown != c->taking && completion(c, c->shown)->at <= n->now; c->shown++)
        if (node_listens(n))
            node_tell(n, NULL,
                      (struct node_event){.kind = NODE_COMPLETED, .done = &completion(c, c->shown)->done});
}

bool node_poll(struct node *n, struct iw_done *done)
{
    struct completions *c = &n->done;
    if (c->get == c->shown)
        return false;
    *done = completion(c, c->get++)->done;
    LAW(is_in_order(c));
    complete_collect(n);
    return true;
}

void node_arm(struct node *n, enum iw_arm arm)
{
    n->done.arm = arm;
}
