/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_flows.c -- chunks, and the flows that carry them (world_simgrid.h). */
#include <stdlib.h>

#include "engine/queue.h"
#include "helpers/world/simgrid/world_simgrid.h"

/* ---- chunks ---- */

struct grid_chunk *cluster_take_chunk(struct cluster *c)
{
    struct grid_chunk *chunk = c->spare;
    if (chunk) {
        c->spare = chunk->next;
        return chunk;
    }
    chunk = calloc(1, sizeof *chunk + c->conf.room * sizeof *chunk->packet);
    if (!chunk)
        return NULL;
    chunk->room = c->conf.room;
    chunk->flow.packet = chunk->packet;
    return chunk;
}

static void give_chunk(struct cluster *c, struct grid_chunk *chunk)
{
    free(chunk->raw);
    chunk->raw = NULL;
    chunk->next = c->spare;
    c->spare = chunk;
}

void cluster_done(void *context, struct grid_chunk *chunk)
{
    give_chunk(context, chunk);
}

/* ---- flows ---- */

/* To SimGrid, whose clock is behind as long as no flow is aloft. */
static void hand_over(struct cluster *c, struct grid_chunk *chunk)
{
    c->bound = c->aloft ? c->bound : c->now;
    c->aloft++;
    grid_ports_fly(c->ports, chunk->from->node->number, chunk);
}

static void join_links(struct cluster *c, struct grid_chunk *chunk)
{
    uint32_t count;
    chunk->rate = cluster_rate(&c->conf, chunk->from);
    if (!grid_links_join(c->link, chunk, c->now, c->met, &count))
        return;
    grid_started(chunk, c->now);
    for (uint32_t i = 0; i < count; i++)
        hand_over(c, c->met[i]);
    if (chunk->alone)
        cluster_schedule(
            c, (struct cluster_event){
                   .at = c->now + chunk->lasts, .kind = EVENT_LAND, .of = chunk, .key = chunk->began});
    else
        hand_over(c, chunk);
}

static void start(struct cluster *c, struct grid_chunk *chunk)
{
    chunk->from->flying = true;
    if (c->now >= trial_window_end(c->trial)) { /* nothing that it carries counts */
        give_chunk(c, chunk);
        return;
    }
    c->flying++;
    chunk->began = c->now;
    join_links(c, chunk);
}

static void count_flow(struct cluster *c, const struct grid_expanded *x)
{
    struct point_counters *counters = trial_counters(c->trial);
    counters->drops_channel += x->lost;
    counters->timeouts += x->timeouts;
}

/* What waited for a port that has room now. */
static void next_turn(struct cluster *c, const struct grid_end *left)
{
    struct grid_chunk *next;
    while ((next = grid_links_turn(c->link, left)))
        join_links(c, next);
}

void cluster_landed(struct cluster *c, struct grid_chunk *chunk)
{
    struct grid_end *from = chunk->from;
    struct cluster_host *to = host_of(chunk->to);
    c->flying--;
    c->happened++;
    grid_links_leave(c->link, chunk);
    struct grid_expanded x = grid_land(chunk, c->now);
    count_flow(c, &x);
    cluster_receive_at(c, to, x.clear);
    next_turn(c, from);
    cluster_go_on(c, from);
    if (!c->conf.grid.exact)
        cluster_receive_at(c, to, c->now);
}

void cluster_land(struct cluster *c, const struct cluster_event *e)
{
    struct grid_chunk *chunk = e->of;
    if (chunk->alone && chunk->began == e->key)
        cluster_landed(c, chunk);
}

static bool must_stop(const struct cluster *c, struct grid_chunk *chunk)
{
    struct grid_end *e = chunk->from;
    return e->stopped = grid_beyond(chunk, cluster_window(&c->conf, e));
}

/* Its first segment is ready for the port. One flow of a connection is there at a time. */
void cluster_fly(struct cluster *c, struct grid_chunk *chunk)
{
    struct grid_end *e = chunk->from;
    e->preparing--;
    if (!e->flying && !e->stopped && !must_stop(c, chunk)) {
        start(c, chunk);
        return;
    }
    QUEUE_PUT(e->waiting, e->waiting_last, chunk, next);
}

void cluster_fly_at(struct cluster *c, struct grid_chunk *chunk, iw_time at)
{
    chunk->from->preparing++;
    if (at > c->now)
        cluster_schedule(c, (struct cluster_event){.at = at, .kind = EVENT_FLY, .of = chunk});
    else
        cluster_fly(c, chunk);
}

/* FIN and RST take the way of an acknowledgement, behind what was sent. */
static void close_if_asked(struct cluster *c, struct grid_end *e)
{
    static const struct {
        enum cluster_event_kind kind;
    } kinds[] = {[IW_LLP_SEND_FIN] = {EVENT_FIN}, [IW_LLP_SEND_RST] = {EVENT_RST}};
    if (e->flying || e->preparing || e->waiting || iw_has_work(e->ep))
        return;
    enum iw_llp_want want = iw_llp_request(e->ep);
    if (want == IW_LLP_NOTHING)
        return;
    e->fin_sent |= want == IW_LLP_SEND_FIN;
    e->rst_sent |= want == IW_LLP_SEND_RST;
    cluster_schedule(c, (struct cluster_event){.at = c->now + e->peer->back + c->conf.rtt_more,
                                               .kind = kinds[want].kind,
                                               .of = e});
}

/* Chunks of a connection that are cut ahead of the port: more would say nothing new, for they wait there. */
enum { PREPARING_MOST = 4 };

void cluster_send(struct cluster *c, struct grid_end *e)
{
    if (e->flying || e->stopped || e->preparing >= PREPARING_MOST || e->rst_sent)
        return;
    iw_time from = most(e->resume, e->ramp && iw_has_work(e->ep) ? grid_ramp(e, c->now) : 0);
    if (from > c->now) {
        cluster_send_at(c, e, from);
        return;
    }
    struct grid_chunk *chunk = cluster_take_chunk(c);
    if (!chunk) {
        cluster_out_of_memory(c);
        return;
    }
    iw_time at = grid_cut(e, c->now, chunk);
    if (at == IW_NEVER) {
        give_chunk(c, chunk);
        close_if_asked(c, e);
        return;
    }
    cluster_fly_at(c, chunk, at);
}

/* A stream that fell behind goes on later. */
static void start_again(struct cluster *c, struct grid_chunk *chunk)
{
    if (chunk->from->resume <= c->now)
        start(c, chunk);
    else
        cluster_fly_at(c, chunk, chunk->from->resume);
}

/* The port is free: what waits for it goes, or what the engine has to say. */
void cluster_go_on(struct cluster *c, struct grid_end *e)
{
    struct grid_chunk *next = e->waiting;
    if (next && must_stop(c, next))
        return;
    if (next) {
        e->waiting = next->next;
        start_again(c, next);
    } else {
        cluster_send(c, e);
    }
}

/* What the engines of a host have to say. */
void cluster_look(void *context, iw_time at, struct grid_end *e)
{
    struct cluster *c = context;
    struct cluster_host *h = host_of(e);
    struct iw_done done;
    struct iw_event event;
    bool some = false;
    while (iw_poll(h->node.cq, &done)) {
        some = true;
        if (!dones_put(&h->dones, at, &done))
            cluster_out_of_memory(c);
    }
    if (some) {
        h->node.due = dones_due(&h->dones);
        cluster_dones_at(c, h);
    }
    while (iw_event(e->ep, &event)) {
        struct node_event x = {.kind = NODE_ENDPOINT, .t = at, .user = trial_user(e->conn, e->side)};
        node_endpoint_of(&x.event, &event);
        trial_event(c->trial, &x);
    }
    if (!e->flying && iw_has_work(e->ep))
        cluster_send_at(c, e, most(at, e->known));
    else if (!e->flying)
        close_if_asked(c, e);
}
