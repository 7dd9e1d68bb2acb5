/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_events.c -- what will happen, earliest first (world_simgrid.h). */
#include "helpers/base/list.h"
#include "helpers/world/simgrid/world_simgrid.h"

void cluster_stop(struct cluster *c)
{
    if (!c->over)
        grid_ports_stop(c->ports);
    c->over = true;
}

void cluster_out_of_memory(void *context)
{
    struct cluster *c = context;
    c->no_memory = true;
    cluster_stop(c);
}

static bool sooner(const struct cluster_event *a, const struct cluster_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void cluster_schedule(struct cluster *c, struct cluster_event e)
{
    struct cluster_event *more = list_grow(c->event, c->events, sizeof *more);
    if (!more) {
        cluster_out_of_memory(c);
        return;
    }
    c->event = more;
    e.at = most(e.at, c->now);
    e.order = c->order++;
    size_t i = c->events++;
    for (; i && sooner(&e, &c->event[(i - 1) / 2]); i = (i - 1) / 2)
        c->event[i] = c->event[(i - 1) / 2];
    c->event[i] = e;
}

struct cluster_event cluster_next_event(struct cluster *c)
{
    struct cluster_event first = c->event[0], last = c->event[--c->events];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < c->events && sooner(&c->event[child + 1], &c->event[child]))
            child++;
        if (child >= c->events || !sooner(&c->event[child], &last))
            break;
        c->event[i] = c->event[child];
        i = child;
    }
    c->event[i] = last;
    return first;
}

void cluster_receive_at(struct cluster *c, struct cluster_host *h, iw_time at)
{
    if (at == IW_NEVER || (h->receives_at != IW_NEVER && most(at, c->now) >= h->receives_at))
        return;
    h->receives_at = most(at, c->now);
    cluster_schedule(c, (struct cluster_event){.at = at, .kind = EVENT_RECEIVE, .of = h});
}

void cluster_dones_at(struct cluster *c, struct cluster_host *h)
{
    iw_time at = completions_due(&h->dones);
    if (at == IW_NEVER || (h->dones_at != IW_NEVER && most(at, c->now) >= h->dones_at))
        return;
    h->dones_at = most(at, c->now);
    cluster_schedule(c, (struct cluster_event){.at = at, .kind = EVENT_DONES, .of = h});
}

void cluster_send_at(struct cluster *c, struct grid_end *e, iw_time at)
{
    if (!e->flying)
        cluster_schedule(c, (struct cluster_event){.at = at, .kind = EVENT_SEND, .of = e});
}
