/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.c -- a completion that an endpoint makes is written to host memory; the ULP finds it by polling, or is woken by
 * an interrupt: the steps of done.h, on the agenda. */
#include "node/node_inner.h"

void complete_all(struct node *n)
{
    struct node_completions *c = &n->done;
    struct iw_done done;
    while (!completions_full(c) && iw_poll(n->cq, &done)) {
        completions_put(c, n->now, &done);
        iw_time at = completions_write(c, n->nic);
        if (at <= n->now && c->visible + 1 == c->written)
            complete_visible(n);
        else
            agenda_put(n, at, AGENDA_VISIBLE, 0, NULL);
    }
}

void complete_visible(struct node *n)
{
    iw_time at = completions_see(&n->done, n->nic, n->now);
    if (at == IW_NEVER)
        return;
    if (at <= n->now)
        complete_look(n, at);
    else
        agenda_put_value(n, at, AGENDA_LOOK, 0, at);
}

/* An entry that was replaced by an earlier one is stale. */
void complete_look(struct node *n, iw_time at)
{
    if (at != n->done.look)
        return;
    iw_time taken = completions_look(&n->done, n->nic, n->now);
    if (taken == IW_NEVER)
        return;
    if (taken <= n->now)
        complete_shown(n);
    else
        agenda_put(n, taken, AGENDA_SHOWN, 0, NULL);
}

void complete_shown(struct node *n)
{
    const struct iw_done *done;
    while ((done = completions_show(&n->done, n->now)))
        if (node_hears(n, NODE_COMPLETED))
            node_tell(n, NULL, &(struct node_event){.kind = NODE_COMPLETED, .done = *done});
}

bool node_poll(struct node *n, struct iw_done *done)
{
    if (!completions_get(&n->done, done))
        return false;
    complete_collect(n);
    return true;
}

void node_arm(struct node *n, enum iw_arm arm)
{
    completions_arm(&n->done, arm);
}
