/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_done.c -- completions of one host (world_simgrid.h): the node's steps (node/done.h), when they are due. */
#include <stdlib.h>

#include "helpers/world/simgrid/world_simgrid.h"

void dones_init(struct node_completions *d, const struct rnic_conf *conf, struct iw_cq *cq)
{
    completions_init(d, NULL, 0, conf, cq);
}

static bool grow_completions(struct node_completions *d)
{
    uint32_t room = d->room ? 2 * d->room : 2;
    struct node_completion *before = d->ring, *ring = malloc(room * sizeof *ring);
    if (!ring)
        return false;
    completions_move(d, ring, room);
    free(before);
    return true;
}

bool dones_put(struct node_completions *d, iw_time at, const struct iw_done *done)
{
    if (completions_full(d) && !grow_completions(d))
        return false;
    completions_put(d, at, done);
    return true;
}

/* What came in is completed by the receive side. */
static struct rnic *writer(const struct grid_node *n, const struct iw_done *done)
{
    return done->op == IW_RECV ? n->nic : n->tx;
}

void dones_write(struct node_completions *d, const struct grid_node *n, iw_time now)
{
    const struct node_completion *next;
    while ((next = completions_unwritten(d)) && next->at <= now)
        completions_write(d, writer(n, &next->done));
}

iw_time dones_due(const struct node_completions *d)
{
    const struct node_completion *next = completions_unwritten(d);
    return next ? next->at : IW_NEVER;
}

static void look_at_completions(struct node_completions *d, const struct grid_node *n, iw_time now)
{
    if (d->look <= now)
        completions_look(d, n->tx, now);
}

bool dones_get(struct node_completions *d, const struct grid_node *n, iw_time now, struct iw_done *done)
{
    const struct node_completion *next;
    dones_write(d, n, now);
    while ((next = completions_unseen(d)) && next->at <= now) {
        completions_see(d, n->tx, now);
        look_at_completions(d, n, now);
    }
    look_at_completions(d, n, now);
    while (completions_show(d, now))
        ;
    return completions_get(d, done);
}
