/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_tell.c -- what happens at nodes, told to the trial: for counters and trace at once, for the workload when the node has
 * returned (hosts_inner.h). */
#include "helpers/base/list.h"
#include "helpers/world/hosts_inner.h"

static void keep_pulled(struct hosts *h, const struct node_event *e)
{
    struct hosts_reported *t = &h->reported;
    struct iw_seg *more = list_grow(t->pulled, t->segments, sizeof *more);
    h->no_memory |= !more;
    if (!more)
        return;
    t->pulled = more;
    t->pulled[t->segments++] = *node_told_octets(node_of(h, host_of(h, e))).seg;
}

/* A trace tells everything in its order. */
void hosts_listen(void *user, const struct node_event *e)
{
    struct hosts *h = user;
    unsigned traits = node_event_traits[e->kind];
    if (h->finished)
        return;
    if (h->ahead.on) {
        if (traits & NODE_COUNTED)
            hosts_keep(h, e);
    } else if (traits & NODE_NOW && !trial_tracing(h->trial)) {
        trial_event(h->trial, e);
    } else {
        h->no_memory |= !event_list_add(&h->reported.events, e);
        if (e->kind == NODE_PULLED)
            keep_pulled(h, e);
    }
}

/* A ULP that floods its queue never takes a completion. */
static void poll_one(struct hosts *h, const struct hosts_end *e)
{
    struct iw_done done;
    if (e->tenant && h->point->tenant_of[e->tenant - 1].fault == WORKLOAD_FLOODS)
        return;
    node_poll_of(node_of(h, e->host), e->stream, &done);
    if (e->tenant) /* its stream may have ended */
        h->world.kick(h->world.context, e->host);
}

/* One for each that is told: what the next one completes may not have been told yet. */
void hosts_poll(struct hosts *h, const struct event_list *events, size_t from)
{
    for (size_t i = from; i < events->count; i++)
        if (events->at[i].kind == NODE_COMPLETED)
            poll_one(h, &h->end[events->at[i].user]);
}

static void failed(struct hosts *h, const struct node_event *e)
{
    if (!h->set_up.failed && h->set_up.state == SETTING_UP)
        trial_broken(h->trial, e->t, "connection %u: set-up failed", conn_of(e));
    h->set_up.failed = true;
}

/* A connection begins to hang in no other way. */
static void completed(struct hosts *h, const struct node_event *e)
{
    struct hosts_ahead *a = &h->ahead;
    uint32_t conn = conn_of(e);
    if (!a->listed || a->listed[conn] || !trial_hangs(h->trial, conn))
        return;
    a->listed[conn] = true;
    a->deferred[a->deferrals++] = conn;
}

static void up(struct hosts *h, const struct node_event *e)
{
    h->set_up.up++;
    h->end[e->user].up = true;
    h->set_up.up_here += is_here(h, host_of(h, e));
}

void hosts_tell(struct hosts *h, const struct node_event *e,
                void tell(struct trial *t, const struct node_event *e))
{
    static void (*const own[NODE_EVENTS])(struct hosts *, const struct node_event *) = {
        [NODE_UP] = up, [NODE_FAILED] = failed, [NODE_COMPLETED] = completed};
    tell(h->trial, e);
    if (own[e->kind])
        own[e->kind](h, e);
}
