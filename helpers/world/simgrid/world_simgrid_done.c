/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_done.c -- completions of one host (world_simgrid.h): visible, looked at, taken. */
#include <stdlib.h>

#include "helpers/world/simgrid/world_simgrid.h"

void dones_init(struct dones *d)
{
    *d = (struct dones){.look = IW_NEVER};
}

static struct seen *seen(const struct dones *d, uint32_t number)
{
    return &d->ring[number & (d->room - 1)];
}

static bool grow(struct dones *d)
{
    uint32_t room = d->room ? 2 * d->room : 2;
    struct seen *ring = malloc(room * sizeof *ring);
    if (!ring)
        return false;
    for (uint32_t i = d->get; i != d->put; i++)
        ring[i & (room - 1)] = *seen(d, i);
    free(d->ring);
    d->ring = ring;
    d->room = room;
    return true;
}

bool dones_put(struct dones *d, iw_time at, const struct iw_done *done)
{
    if (d->put - d->get == d->room && !grow(d))
        return false;
    *seen(d, d->put++) = (struct seen){*done, at};
    return true;
}

/* What came in is completed by the receive side. */
static struct rnic *writer(const struct grid_node *n, const struct iw_done *done)
{
    return done->op == IW_RECV ? n->nic : n->tx;
}

void dones_write(struct dones *d, const struct grid_node *n, iw_time now)
{
    for (; d->written != d->put && seen(d, d->written)->at <= now; d->written++)
        seen(d, d->written)->at =
            rnic_complete(writer(n, &seen(d, d->written)->done), seen(d, d->written)->at);
}

iw_time dones_due(const struct dones *d)
{
    return d->written != d->put ? seen(d, d->written)->at : IW_NEVER;
}

/* The host takes what it sees. */
static void look(struct dones *d, const struct grid_node *n, iw_time now)
{
    d->look = IW_NEVER;
    iw_time taken = rnic_wakeup(n->tx, now, d->visible - d->taking);
    if (taken == IW_NEVER)
        return;
    for (; d->taking != d->visible; d->taking++)
        seen(d, d->taking)->at = taken;
}

static void see(struct dones *d, const struct grid_node *n, iw_time now)
{
    while (d->visible != d->written && seen(d, d->visible)->at <= now) {
        iw_time at = rnic_notify(n->tx, now, true);
        d->visible++;
        if (at != IW_NEVER)
            d->look = at;
        if (d->look <= now)
            look(d, n, now);
    }
}

bool dones_get(struct dones *d, const struct grid_node *n, iw_time now, struct iw_done *done)
{
    dones_write(d, n, now);
    see(d, n, now);
    if (d->look <= now)
        look(d, n, now);
    while (d->shown != d->taking && seen(d, d->shown)->at <= now)
        d->shown++;
    if (d->get == d->shown)
        return false;
    *done = seen(d, d->get++)->done;
    return true;
}

iw_time dones_next(const struct dones *d)
{
    iw_time next = dones_due(d);
    next = d->look < next ? d->look : next;
    if (d->visible != d->written && seen(d, d->visible)->at < next)
        next = seen(d, d->visible)->at;
    if (d->shown != d->taking && seen(d, d->shown)->at < next)
        next = seen(d, d->shown)->at;
    return d->get != d->shown ? 0 : next;
}
