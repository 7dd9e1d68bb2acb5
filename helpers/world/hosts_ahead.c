/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_ahead.c -- hosts that run ahead of the trial: what they told is kept until the trial hears it (hosts.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/world/hosts_inner.h"

bool hosts_split(struct hosts *h, uint32_t parts, uint32_t (*part)(void *context, uint32_t host))
{
    struct hosts_ahead *a = &h->ahead;
    struct memory_arena *nodes = realloc(a->nodes, parts * sizeof *nodes);
    a->nodes = nodes ? nodes : a->nodes;
    free(a->log);
    a->log = calloc(parts, sizeof *a->log);
    a->placed = calloc(parts, sizeof *a->placed);
    a->deferred = calloc(h->connections, sizeof *a->deferred);
    a->listed = calloc(h->connections, sizeof *a->listed);
    if (!nodes || !a->log || !a->placed || !a->deferred || !a->listed || !trial_in_parts(h->trial, parts))
        return false;
    memset(nodes + 1, 0, (parts - 1) * sizeof *nodes);
    a->parts = parts;
    for (uint32_t i = 0; i < h->count; i++)
        h->host[i].part = part(h->world.context, i);
    return true;
}

/* ---- when ---- */

enum { RESTS = 16 };

/* A side of it has something to send that no port has seen yet. */
static bool has_far_to_go(const struct hosts *h, uint32_t conn)
{
    for (int side = 0; side < 2; side++) {
        const struct hosts_end *e = end_of(h, conn, side);
        if (iw_has_work(node_endpoint(node_of(h, e->host), e->stream)))
            return true;
    }
    return false;
}

/* Its second end comes up by a packet that the first one sends when it is up. */
static bool is_far_from_up(const struct hosts *h, uint32_t conn)
{
    return !end_of(h, conn, 0)->up && !end_of(h, conn, 1)->up;
}

/* One such connection is enough: it is asked again until it is no longer one. */
bool hosts_may_run_ahead(struct hosts *h)
{
    bool (*far)(const struct hosts *h, uint32_t conn) = hosts_are_set_up(h) ? has_far_to_go : is_far_from_up;
    if (h->set_up.state == ABOUT_TO_START)
        return false;
    if (h->ahead.rests) {
        h->ahead.rests--;
        return false;
    }
    for (uint32_t i = 0; i < h->connections; i++, h->ahead.watched = (h->ahead.watched + 1) % h->connections)
        if (far(h, h->ahead.watched))
            return true;
    h->ahead.rests = RESTS;
    return false;
}

bool hosts_are_set_up(const struct hosts *h)
{
    return h->set_up.state != SETTING_UP;
}

bool hosts_have_started(const struct hosts *h)
{
    return h->set_up.state == RUNNING;
}

void hosts_begin_ahead(struct hosts *h)
{
    struct hosts_ahead *a = &h->ahead;
    uint32_t hung = a->deferrals;
    hosts_hear_octets(h);
    a->deferrals = 0;
    for (uint32_t i = 0; i < hung; i++) {
        uint32_t conn = a->deferred[i];
        a->listed[conn] = trial_hangs(h->trial, conn);
        if (!a->listed[conn])
            continue;
        a->deferred[a->deferrals++] = conn;
        h->world.halt(h->world.context, end_of(h, conn, 0)->host);
    }
    a->on = true;
    trial_begin_window(h->trial);
}

void hosts_settle_ahead(struct hosts *h, uint32_t part)
{
    event_log_sort(&h->ahead.log[part]);
    trial_settle_window(h->trial, part);
}

void hosts_end_ahead(struct hosts *h)
{
    struct hosts_ahead *a = &h->ahead;
    a->on = false;
    trial_end_window(h->trial);
    for (uint32_t i = 0; i < a->parts; i++) {
        h->no_memory |= a->log[i].no_memory;
        if (a->placed[i].count && a->placed[i].last > a->waits_until)
            a->waits_until = a->placed[i].last;
    }
}

void hosts_hear_octets(struct hosts *h)
{
    struct hosts_ahead *a = &h->ahead;
    if (a->waits_until)
        h->no_memory |= !placed_hear(a->placed, a->parts, h->trial);
    a->waits_until = 0;
}

/* ---- what is told meanwhile ---- */

static bool log_event(struct hosts *h, uint32_t part, const struct node_event *e)
{
    return event_log_add(&h->ahead.log[part], h->world.key(h->world.context, part), e);
}

/* What is left to be heard as it is: true. */
static bool tally(struct hosts *h, uint32_t part, const struct node_event *e)
{
    unsigned left = trial_tally(h->trial, part, e);
    if (left & TRIAL_OCTETS) {
        struct hosts_key key = h->world.key(h->world.context, part);
        key.at = e->t; /* the workload may have caused it, and no event of that part */
        placed_add(&h->ahead.placed[part], key, e->place.len);
    }
    return left & TRIAL_REST;
}

bool hosts_keep_octets(struct hosts *h, const struct node_event *e)
{
    if (e->t > h->ahead.waits_until) {
        hosts_hear_octets(h);
        return false;
    }
    if (tally(h, h->host[host_of(h, e)].part, e))
        trial_tallied(h->trial, e);
    return true;
}

void hosts_keep(struct hosts *h, const struct node_event *e)
{
    uint32_t host = host_of(h, e), part = h->host[host].part;
    if (!h->world.parts && !tally(h, part, e))
        return;
    bool nobody_acts = e->kind == NODE_UP && !h->world.parts; /* but all ranks start together */
    if (!log_event(h, part, e) || !(node_event_traits[e->kind] & NODE_ACTED) || nobody_acts)
        return;
    event_log_halt(&h->ahead.log[part], host);
    h->world.halt(h->world.context, host);
}

/* No event of a node: of the port below it. All processes of a run are to hear of it. */
static struct node_event pause(uint64_t now, uint32_t host, bool stopped)
{
    return (struct node_event){.kind = NODE_NO_EVENT, .t = now, .user = host, .spurious = !stopped};
}

void hosts_paused(struct hosts *h, uint64_t now, uint32_t host, bool stopped)
{
    struct node_event e = pause(now, host, stopped);
    if (h->world.parts)
        log_event(h, h->host[host].part, &e);
    else
        trial_paused(h->trial, h->host[host].part, now, host, stopped);
}

/* ---- telling it ---- */

bool hosts_heard(const struct hosts *h, uint32_t *part, struct hosts_key *key)
{
    const struct log_step *first = NULL;
    for (uint32_t i = 0; i < h->ahead.parts; i++) {
        const struct event_log *log = &h->ahead.log[i];
        if (log->next == log->steps || (first && !hosts_key_before(&log->step[log->next].key, &first->key)))
            continue;
        first = &log->step[log->next];
        *part = i;
    }
    if (first)
        *key = first->key;
    return first != NULL;
}

static void report_event(struct hosts *h, const struct node_event *e)
{
    if (e->kind == NODE_NO_EVENT)
        trial_paused(h->trial, 0, e->t, (uint32_t)e->user, !e->spurious);
    else
        hosts_tell(h, e, h->world.parts ? trial_event : trial_tallied);
}

/* As hosts_listen() and hosts_after() do with what is told in one step: what is for later comes behind the rest, and what the
 * workload causes behind that. It may be told to the same log, whose lists move. */
uint32_t hosts_replay(struct hosts *h, uint32_t part)
{
    struct event_log *log = &h->ahead.log[part];
    const struct log_step step = log->step[log->next++];
    for (int later = 0; later < 2; later++)
        for (uint32_t i = step.first; i < step.first + step.count; i++) {
            const struct node_event e = log->event.at[i];
            if (!!(node_event_traits[e.kind] & NODE_AFTER) == later)
                report_event(h, &e);
        }
    if (log->next == log->steps)
        event_log_clear(log);
    hosts_after(h, h->world.part);
    return step.halted;
}
