/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_ahead.c -- hosts that run ahead of the trial: what they told is kept until the trial hears it (hosts.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/world/hosts_inner.h"

bool hosts_split(struct hosts *h, uint32_t parts, uint32_t (*part)(void *context, uint32_t host))
{
    struct memory_arena *nodes = realloc(h->nodes, parts * sizeof *nodes);
    h->nodes = nodes ? nodes : h->nodes;
    free(h->ear);
    h->ear = calloc(parts, sizeof *h->ear);
    h->hanging = calloc(h->connections, sizeof *h->hanging);
    h->listed = calloc(h->connections, sizeof *h->listed);
    if (!nodes || !h->ear || !h->hanging || !h->listed)
        return false;
    memset(nodes + 1, 0, (parts - 1) * sizeof *nodes);
    h->parts = parts;
    for (uint32_t i = 0; i < h->count; i++)
        h->pocket[i].part = part(h->world.context, i);
    return true;
}

/* ---- when ---- */

/* A side of it has something to send that no port has seen yet. */
static bool has_far_to_go(const struct hosts *h, uint32_t conn)
{
    for (int side = 0; side < 2; side++) {
        const struct end *e = end_of(h, conn, side);
        if (iw_has_work(node_endpoint(h->node[e->host], e->stream)))
            return true;
    }
    return false;
}

/* One such connection is enough: it is asked again until it is no longer one. */
bool hosts_may_run_ahead(struct hosts *h)
{
    if (h->state != RUNNING || trial_tracing(h->trial))
        return false;
    for (uint32_t i = 0; i < h->connections; i++, h->witness = (h->witness + 1) % h->connections)
        if (has_far_to_go(h, h->witness))
            return true;
    return false;
}

void hosts_begin_ahead(struct hosts *h)
{
    uint32_t hung = h->hangs;
    h->hangs = 0;
    for (uint32_t i = 0; i < hung; i++) {
        uint32_t conn = h->hanging[i];
        h->listed[conn] = trial_hangs(h->trial, conn);
        if (!h->listed[conn])
            continue;
        h->hanging[h->hangs++] = conn;
        h->world.halt(h->world.context, end_of(h, conn, 0)->host);
    }
    h->ahead = true;
}

void hosts_end_ahead(struct hosts *h)
{
    h->ahead = false;
    for (uint32_t i = 0; i < h->parts; i++)
        h->no_memory |= h->ear[i].no_memory;
}

/* ---- what is told meanwhile ---- */

void hosts_keep(struct hosts *h, const struct node_event *e)
{
    uint32_t host = end_of(h, conn_of(e), side_of(e))->host, part = h->pocket[host].part;
    bool kept = hosts_ear_hear(&h->ear[part], h->world.key(h->world.context, part), e);
    if (!kept || told_when(e->kind) != TOLD_ACTED_UPON)
        return;
    hosts_ear_halted(&h->ear[part], host);
    h->world.halt(h->world.context, host);
}

void hosts_paused(struct hosts *h, uint64_t now, uint32_t host, bool stopped)
{
    uint32_t part = h->pocket[host].part;
    if (h->ahead)
        hosts_ear_hear_pause(&h->ear[part], h->world.key(h->world.context, part), now, host, stopped);
    else
        trial_paused(h->trial, now, host, stopped);
}

/* ---- hearing it ---- */

static bool key_before(struct hosts_key a, struct hosts_key b)
{
    return a.at != b.at ? a.at < b.at : a.order != b.order ? a.order < b.order : a.kick < b.kick;
}

bool hosts_heard(const struct hosts *h, uint32_t *part, struct hosts_key *key)
{
    const struct heard_event *first = NULL;
    for (uint32_t i = 0; i < h->parts; i++) {
        const struct hosts_ear *r = &h->ear[i];
        if (r->next == r->event_count || (first && !key_before(r->event[r->next].key, first->key)))
            continue;
        first = &r->event[r->next];
        *part = i;
    }
    if (first)
        *key = first->key;
    return first != NULL;
}

static void hear(struct hosts *h, const struct hosts_ear *r, const struct heard *x)
{
    struct told t;
    if (x->kind == HEARD_PAUSED) {
        trial_paused(h->trial, x->t, x->len, x->how);
        return;
    }
    hosts_ear_open(r, x, &t);
    hosts_tell(h, &t);
}

/* As hosts_listen() and hosts_after() do with what is told in one event: what is for later comes behind the rest, and what the
 * workload causes behind that. It may be told to the same ear, whose lists move. */
uint32_t hosts_replay(struct hosts *h, uint32_t part)
{
    struct hosts_ear *r = &h->ear[part];
    const struct heard_event event = r->event[r->next++];
    for (int later = 0; later < 2; later++)
        for (uint32_t i = event.first; i < event.first + event.count; i++)
            if (heard_later(&r->heard[i]) == later)
                hear(h, r, &r->heard[i]);
    if (r->next == r->event_count)
        hosts_ear_clear(r);
    hosts_after(h, h->world.part);
    return event.halted;
}
