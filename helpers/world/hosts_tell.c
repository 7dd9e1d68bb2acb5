/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_tell.c -- what happens at nodes, told to the trial: for counters and trace at once, for the workload when the node has
 * returned (hosts_inner.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/world/hosts_inner.h"

enum told_when told_when(enum node_event_kind kind)
{
    switch (kind) {
    case NODE_PULLED:
    case NODE_RETRANSMITTED:
    case NODE_SPURIOUS:
    case NODE_TAKEN:
    case NODE_WINDOW:
    case NODE_BOUND: return TOLD_COUNTED;
    case NODE_PLACED:
    case NODE_EDGE: return TOLD_LATER;
    case NODE_DELIVERED:
    case NODE_COMPLETED:
    case NODE_CLOSED:
    case NODE_ENDPOINT:
    case NODE_UP:
    case NODE_FAILED: return TOLD_ACTED_UPON;
    case NODE_SNAPSHOT:
    case NODE_SENT:
    case NODE_UNDONE:
    case NODE_TIMEOUT:
    case NODE_STALLED:
    case NODE_PROBED:
    case NODE_ARRIVED:
    case NODE_DROPPED:
    case NODE_HELD:
    case NODE_KEPT:
    case NODE_FAULT:
    case NODE_EVENTS: break;
    }
    return TOLD_TRACED;
}

/* ---- at once ---- */

static void note(struct hosts *h, const struct node_event *e)
{
    static const char *const names[NODE_EVENTS] = {
        [NODE_SENT] = "left",         [NODE_ARRIVED] = "landed",  [NODE_DROPPED] = "refused",
        [NODE_KEPT] = "kept",         [NODE_TIMEOUT] = "timeout", [NODE_STALLED] = "stalled",
        [NODE_SPURIOUS] = "spurious", [NODE_UNDONE] = "undone",   [NODE_PROBED] = "probed"};
    bool staging = e->kind == NODE_DROPPED && strcmp(e->why, "staging") == 0;
    const char *name = staging ? "dropped" : names[e->kind];
    const char *text = e->kind == NODE_TIMEOUT && e->spurious ? "nothing was lost" : NULL;
    if (e->altered)
        text = "altered on the way";
    uint32_t len = e->len ? e->len : (uint32_t)(e->end - e->key);
    if (name)
        trial_note(h->trial, e->t, conn_of(e), side_of(e), name, e->key, e->kind == NODE_KEPT ? 0 : e->end,
                   e->kind == NODE_KEPT ? 0 : len, text);
}

static const enum trial_bound bounds[NODE_BOUNDS] = {[NODE_BY_WINDOW] = BOUND_WINDOW,
                                                     [NODE_BY_CONGESTION] = BOUND_CONGESTION,
                                                     [NODE_BY_SEND_BUFFER] = BOUND_SEND_BUFFER,
                                                     [NODE_BY_DEPTH] = BOUND_DEPTH,
                                                     [NODE_BY_ORD] = BOUND_ORD,
                                                     [NODE_BY_FLIGHT] = BOUND_FLIGHT,
                                                     [NODE_BY_TRACK] = BOUND_TRACK,
                                                     [NODE_BY_ADAPTER] = BOUND_ADAPTER,
                                                     [NODE_BY_LINE] = BOUND_LINE,
                                                     [NODE_BY_NOTHING] = BOUND_IDLE};

static void at_once(struct hosts *h, const struct node_event *e)
{
    struct trial *t = h->trial;
    struct point_counters *c = trial_counters(t);
    switch (e->kind) {
    case NODE_PULLED: trial_sent(t, e->t, conn_of(e), side_of(e), e->seg); break;
    case NODE_RETRANSMITTED:
        trial_resent(t, e->t, conn_of(e), side_of(e), e->key, e->end,
                     e->reason ? llp_reason_names[e->reason] : NULL);
        break;
    case NODE_SPURIOUS: c->retransmits_spurious++; break;
    case NODE_TAKEN:
        c->segments_late += e->late && e->in_order;
        trial_arrived(t, e->t, conn_of(e), side_of(e), e->key, e->len, !e->in_order);
        break;
    case NODE_WINDOW: trial_window(t, e->t, conn_of(e), side_of(e), e->key, e->edge - e->key); break;
    case NODE_BOUND: trial_bound(t, e->t, conn_of(e), side_of(e), bounds[e->bound]); break;
    default: break;
    }
    if (trial_tracing(t))
        note(h, e);
}

/* ---- when the node has returned ---- */

static struct told *new_told(struct hosts *h)
{
    if (h->told_count == h->told_room) {
        size_t room = h->told_room ? 2 * h->told_room : 64;
        struct told *list = realloc(h->told, room * sizeof *list);
        if (!list) {
            h->no_memory = true;
            return NULL;
        }
        h->told = list;
        h->told_room = room;
    }
    return &h->told[h->told_count++];
}

/* A trace tells everything in its order. */
void hosts_listen(void *user, const struct node_event *e)
{
    struct hosts *h = user;
    enum told_when when = told_when(e->kind);
    if (h->finished)
        return;
    if (h->ahead) {
        if (when != TOLD_TRACED)
            hosts_keep(h, e);
        return;
    }
    if (when < TOLD_LATER && !trial_tracing(h->trial)) {
        at_once(h, e);
        return;
    }
    struct told *t = new_told(h);
    if (t)
        told_copy(t, e);
}

static void has_failed(struct hosts *h, uint64_t now, uint32_t conn)
{
    if (!h->failed && h->state == SETTING_UP)
        trial_broken(h->trial, now, "connection %u: set-up failed", conn);
    h->failed = true;
}

/* A connection begins to hang in no other way. */
static void done_with(struct hosts *h, uint64_t now, const struct iw_done *done)
{
    uint32_t conn = (uint32_t)(done->user / 2);
    trial_done(h->trial, now, conn, (int)(done->user % 2), done);
    if (!h->listed || h->listed[conn] || !trial_hangs(h->trial, conn))
        return;
    h->listed[conn] = true;
    h->hanging[h->hangs++] = conn;
}

/* One for each that is told: what the next one completes may not have been told yet. */
static void completed(struct hosts *h, struct told *x)
{
    if (x->fetched || node_poll(h->node[end_of(h, conn_of(&x->e), side_of(&x->e))->host], &x->done))
        done_with(h, x->e.t, &x->done);
}

static void is_up(struct hosts *h, const struct node_event *e)
{
    h->up++;
    h->up_here += is_here(h, end_of(h, conn_of(e), side_of(e))->host);
}

void hosts_tell(struct hosts *h, struct told *x)
{
    struct trial *t = h->trial;
    struct node_event *e = &x->e;
    e->seg = e->seg ? &x->seg : NULL;
    switch (e->kind) {
    case NODE_PLACED: trial_placed(t, e->t, conn_of(e), side_of(e), e->key, &x->place, !e->in_order); break;
    case NODE_DELIVERED: trial_delivered(t, e->t, conn_of(e), side_of(e), &x->message); break;
    case NODE_EDGE: trial_edge(t, e->t, conn_of(e), side_of(e), e->key); break;
    case NODE_ENDPOINT: trial_event(t, e->t, conn_of(e), side_of(e), &x->event); break;
    case NODE_CLOSED:
        trial_note(t, e->t, conn_of(e), side_of(e), "closes", IW_NEVER, 0, 0,
                   e->term == IW_LLP_SEND_FIN ? "FIN" : "RST");
        break;
    case NODE_COMPLETED: completed(h, x); break;
    case NODE_UP: is_up(h, e); break;
    case NODE_FAILED: has_failed(h, e->t, conn_of(e)); break;
    default: at_once(h, e); break;
    }
}
