/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid.c -- a trial on SimGrid (world_simgrid.h). */
#include "helpers/world_simgrid.h"

#include <stdlib.h>
#include <string.h>

enum event_kind {
    EVENT_RECEIVE,
    EVENT_HEARD,
    EVENT_SEND,
    EVENT_FLY,
    EVENT_ACK,
    EVENT_DONES,
    EVENT_AGAIN,
    EVENT_FIN,
    EVENT_RST
};

struct event {
    iw_time at;
    uint64_t order;
    enum event_kind kind;
    void *of;
    uint64_t key, window;
};

static iw_time later(iw_time a, iw_time b)
{
    return a > b ? a : b;
}

static void stop(struct cluster *c)
{
    if (!c->over)
        grid_ports_stop(c->ports);
    c->over = true;
}

static void out_of_memory(void *context)
{
    struct cluster *c = context;
    c->no_memory = true;
    stop(c);
}

/* ---- events ---- */

static bool sooner(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static bool make_room(struct cluster *c)
{
    if (c->events < c->event_room)
        return true;
    size_t room = c->event_room ? 2 * c->event_room : 1024;
    struct event *more = realloc(c->event, room * sizeof *more);
    if (!more)
        return false;
    c->event = more;
    c->event_room = room;
    return true;
}

static void schedule(struct cluster *c, struct event e)
{
    if (!make_room(c)) {
        out_of_memory(c);
        return;
    }
    e.at = later(e.at, c->now);
    e.order = c->order++;
    size_t i = c->events++;
    for (; i && sooner(&e, &c->event[(i - 1) / 2]); i = (i - 1) / 2)
        c->event[i] = c->event[(i - 1) / 2];
    c->event[i] = e;
}

static struct event next_event(struct cluster *c)
{
    struct event first = c->event[0], last = c->event[--c->events];
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

static void schedule_receive(struct cluster *c, struct host *h, iw_time at)
{
    if (at == IW_NEVER || (h->receives_at != IW_NEVER && later(at, c->now) >= h->receives_at))
        return;
    h->receives_at = later(at, c->now);
    schedule(c, (struct event){.at = at, .kind = EVENT_RECEIVE, .of = h});
}

static void schedule_dones(struct cluster *c, struct host *h)
{
    iw_time at = dones_next(&h->dones);
    if (at == IW_NEVER || (h->dones_at != IW_NEVER && later(at, c->now) >= h->dones_at))
        return;
    h->dones_at = later(at, c->now);
    schedule(c, (struct event){.at = at, .kind = EVENT_DONES, .of = h});
}

static void schedule_send(struct cluster *c, struct grid_end *e, iw_time at)
{
    if (!e->flying)
        schedule(c, (struct event){.at = at, .kind = EVENT_SEND, .of = e});
}

/* ---- chunks ---- */

static struct grid_chunk *take_chunk(struct cluster *c)
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

static void on_done(void *context, struct grid_chunk *chunk)
{
    give_chunk(context, chunk);
}

/* ---- flows ---- */

static void start(struct cluster *c, struct grid_chunk *chunk)
{
    chunk->from->flying = true;
    chunk->rate = cluster_rate(&c->conf, c->point, chunk->from);
    c->flying++;
    grid_ports_fly(c->ports, chunk->from->node->number, chunk);
}

static bool must_stop(const struct cluster *c, struct grid_chunk *chunk)
{
    struct grid_end *e = chunk->from;
    return e->stopped = grid_beyond(chunk, cluster_window(&c->conf, e));
}

/* Its first segment is ready for the port. One flow of a connection is there at a time. */
static void fly(struct cluster *c, struct grid_chunk *chunk)
{
    struct grid_end *e = chunk->from;
    e->preparing--;
    if (!e->flying && !e->stopped && !must_stop(c, chunk)) {
        start(c, chunk);
        return;
    }
    chunk->next = NULL;
    if (e->waiting)
        e->waiting_last->next = chunk;
    else
        e->waiting = chunk;
    e->waiting_last = chunk;
}

static void fly_at(struct cluster *c, struct grid_chunk *chunk, iw_time at)
{
    chunk->from->preparing++;
    if (at > c->now)
        schedule(c, (struct event){.at = at, .kind = EVENT_FLY, .of = chunk});
    else
        fly(c, chunk);
}

/* FIN and RST take the way of an acknowledgement, behind what was sent. */
static void close_if_asked(struct cluster *c, struct grid_end *e)
{
    static const struct {
        enum event_kind kind;
    } kinds[] = {[IW_LLP_SEND_FIN] = {EVENT_FIN}, [IW_LLP_SEND_RST] = {EVENT_RST}};
    if (e->flying || e->preparing || e->waiting || iw_has_work(e->ep))
        return;
    enum iw_llp_want want = iw_llp_request(e->ep);
    if (want == IW_LLP_NOTHING)
        return;
    e->fin_sent |= want == IW_LLP_SEND_FIN;
    e->rst_sent |= want == IW_LLP_SEND_RST;
    schedule(c,
             (struct event){.at = c->now + e->latency + c->conf.rtt_more, .kind = kinds[want].kind, .of = e});
}

/* Chunks of a connection that are cut ahead of the port: more would say nothing new, for they wait there. */
enum { PREPARING_MOST = 4 };

static void send(struct cluster *c, struct grid_end *e)
{
    if (e->flying || e->stopped || e->preparing >= PREPARING_MOST || e->rst_sent)
        return;
    if (e->resume > c->now) {
        schedule_send(c, e, e->resume);
        return;
    }
    struct grid_chunk *chunk = take_chunk(c);
    if (!chunk) {
        out_of_memory(c);
        return;
    }
    iw_time at = grid_cut(e, c->now, chunk);
    if (at == IW_NEVER) {
        give_chunk(c, chunk);
        close_if_asked(c, e);
        return;
    }
    fly_at(c, chunk, at);
}

/* A stream that fell behind goes on later. */
static void start_again(struct cluster *c, struct grid_chunk *chunk)
{
    if (chunk->from->resume <= c->now)
        start(c, chunk);
    else
        fly_at(c, chunk, chunk->from->resume);
}

/* The port is free: what waits for it goes, or what the engine has to say. */
static void go_on(struct cluster *c, struct grid_end *e)
{
    struct grid_chunk *next = e->waiting;
    if (next && must_stop(c, next))
        return;
    if (next) {
        e->waiting = next->next;
        start_again(c, next);
    } else {
        send(c, e);
    }
}

/* What the engines of a host have to say. */
static void on_look(void *context, iw_time at, struct grid_end *e)
{
    struct cluster *c = context;
    struct host *h = host_of(e);
    struct iw_done done;
    struct iw_event event;
    bool some = false;
    while (iw_poll(h->node.cq, &done)) {
        some = true;
        if (!dones_put(&h->dones, at, &done))
            out_of_memory(c);
    }
    if (some) {
        h->node.due = dones_due(&h->dones);
        schedule_dones(c, h);
    }
    while (iw_event(e->ep, &event))
        trial_event(c->trial, at, e->conn, e->side, &event);
    if (!e->flying && iw_has_work(e->ep))
        schedule_send(c, e, later(at, e->known));
    else if (!e->flying)
        close_if_asked(c, e);
}

/* ---- what the model tells ---- */

static void on_sent(void *context, iw_time at, struct grid_end *e, const struct iw_seg *seg)
{
    struct cluster *c = context;
    trial_sent(c->trial, at, e->conn, e->side, seg);
}

static void on_resent(void *context, iw_time at, struct grid_end *e, uint64_t key, uint64_t end)
{
    struct cluster *c = context;
    trial_resent(c->trial, at, e->conn, e->side, key, end);
}

static void on_arrived(void *context, iw_time at, struct grid_end *e, const struct grid_packet *p, bool ooo)
{
    struct cluster *c = context;
    trial_arrived(c->trial, at, e->conn, e->side, p->key, p->payload_len, ooo);
}

static void on_placed(void *context, iw_time at, struct grid_end *e, uint64_t key,
                      const struct iw_place *place, bool ooo)
{
    struct cluster *c = context;
    c->latest = later(c->latest, at);
    trial_placed(c->trial, at, e->conn, e->side, key, place, ooo);
}

static void on_delivered(void *context, iw_time at, struct grid_end *e, const struct iw_message *message)
{
    struct cluster *c = context;
    trial_delivered(c->trial, at, e->conn, e->side, message);
}

static void on_edge(void *context, iw_time at, struct grid_end *e, uint64_t edge)
{
    struct cluster *c = context;
    trial_edge(c->trial, at, e->conn, e->side, edge);
}

static void on_dropped(void *context, iw_time at, struct grid_end *e, const char *why, uint32_t octets)
{
    struct cluster *c = context;
    char event[32];
    if (!trial_tracing(c->trial))
        return;
    snprintf(event, sizeof event, "drop_%s", why);
    struct trial_line line = {.t = at,
                              .node = e->node->number,
                              .conn = e->conn,
                              .side = e->side,
                              .event = event,
                              .key = IW_NEVER,
                              .length = octets,
                              .window_edge = IW_NEVER,
                              .staging = IW_NEVER,
                              .cwnd = IW_NEVER};
    trial_trace(c->trial, &line);
}

static void on_crc_error(void *context, iw_time at, struct grid_end *e)
{
    struct cluster *c = context;
    (void)at, (void)e;
    trial_counters(c->trial)->crc_errors++;
}

static void on_window(void *context, iw_time at, struct grid_end *e, uint64_t acknowledged, uint64_t window)
{
    struct cluster *c = context;
    trial_window(c->trial, at, e->conn, e->side, acknowledged, window);
}

static void on_catch_up(void *context, iw_time at, struct grid_node *node)
{
    struct host *h = (struct host *)(void *)node;
    (void)context;
    dones_write(&h->dones, node, at);
    node->due = dones_due(&h->dones);
}

static void on_acknowledge(void *context, iw_time at, struct grid_end *e, uint64_t key, uint64_t window)
{
    struct cluster *c = context;
    schedule(c, (struct event){
                    .at = at + e->back, .kind = EVENT_ACK, .of = e->peer, .key = key, .window = window});
}

/* ---- what happens ---- */

static void receive(struct cluster *c, struct host *h)
{
    grid_receive(&h->node, c->now);
    schedule_receive(c, h, grid_receive_next(&h->node));
}

static void happen_receive(struct cluster *c, const struct event *e)
{
    struct host *h = e->of;
    if (h->receives_at == e->at)
        h->receives_at = IW_NEVER;
    receive(c, h);
}

static void happen_heard(struct cluster *c, const struct event *e)
{
    iw_time known = grid_heard(e->of, c->now, (uint32_t)e->key, e->window);
    if (e->window)
        schedule_send(c, e->of, known);
}

static void happen_send(struct cluster *c, const struct event *e)
{
    send(c, e->of);
}

static void happen_fly(struct cluster *c, const struct event *e)
{
    fly(c, e->of);
}

static void happen_ack(struct cluster *c, const struct event *e)
{
    struct grid_end *end = e->of;
    grid_acked(end, c->now, e->key, e->window);
    if (end->stopped)
        go_on(c, end);
}

static void happen_dones(struct cluster *c, const struct event *e)
{
    struct host *h = e->of;
    struct iw_done done;
    if (h->dones_at == e->at)
        h->dones_at = IW_NEVER;
    while (dones_get(&h->dones, &h->node, c->now, &done))
        trial_done(c->trial, c->now, (uint32_t)(done.user >> 1), (int)(done.user & 1), &done);
    h->node.due = dones_due(&h->dones);
    schedule_dones(c, h);
}

static void happen_again(struct cluster *c, const struct event *e)
{
    (void)c;
    grid_again(e->of, c->now);
}

static void end_if_both(struct cluster *c, struct grid_end *e)
{
    if (!e->fin_sent || !e->peer_fin)
        return;
    iw_llp(e->ep, c->now, IW_LLP_DOWN);
    on_look(c, c->now, e);
}

static void happen_fin(struct cluster *c, const struct event *x)
{
    struct grid_end *e = x->of, *peer = e->peer;
    peer->peer_fin = true;
    iw_llp(peer->ep, c->now, IW_LLP_FIN);
    on_look(c, c->now, peer);
    end_if_both(c, peer);
    end_if_both(c, e);
}

static void happen_rst(struct cluster *c, const struct event *x)
{
    struct grid_end *e = x->of, *peer = e->peer;
    iw_llp(e->ep, c->now, IW_LLP_DOWN);
    iw_llp(peer->ep, c->now, IW_LLP_LOST);
    on_look(c, c->now, e);
    on_look(c, c->now, peer);
}

static void happen(struct cluster *c, const struct event *e)
{
    static void (*const kinds[])(struct cluster *, const struct event *) = {
        [EVENT_RECEIVE] = happen_receive, [EVENT_HEARD] = happen_heard, [EVENT_SEND] = happen_send,
        [EVENT_FLY] = happen_fly,         [EVENT_ACK] = happen_ack,     [EVENT_DONES] = happen_dones,
        [EVENT_AGAIN] = happen_again,     [EVENT_FIN] = happen_fin,     [EVENT_RST] = happen_rst};
    c->happened++;
    kinds[e->kind](c, e);
}

/* The clock of the flow simulator counts in doubles: it may be a picosecond or two early. */
enum { EARLY = 2 };

static iw_time next_of_all(const struct cluster *c)
{
    iw_time event = c->events ? c->event[0].at : IW_NEVER;
    return event < c->wake ? event : c->wake;
}

static void wake(struct cluster *c)
{
    c->wake = IW_NEVER;
    trial_wake(c->trial, c->now);
}

static void step(struct cluster *c)
{
    bool woken = c->wake <= (c->events ? c->event[0].at : IW_NEVER);
    c->now = later(c->now, next_of_all(c));
    if (woken) {
        wake(c);
        return;
    }
    struct event e = next_event(c);
    happen(c, &e);
}

/* Everything that is due. */
static void run(void *context, iw_time now)
{
    struct cluster *c = context;
    iw_time next;
    c->now = later(c->now, now);
    while (!c->over && (next = next_of_all(c)) != IW_NEVER && next <= c->now + EARLY) {
        step(c);
        if (trial_over(c->trial, later(c->now, c->latest)))
            stop(c);
    }
    if (c->over || c->flying || next_of_all(c) != IW_NEVER)
        return;
    trial_stalled(c->trial, c->now);
    stop(c);
}

static void count(struct cluster *c, const struct grid_expanded *x)
{
    struct trial_counters *counters = trial_counters(c->trial);
    counters->drops_channel += x->lost;
    counters->timeouts += x->timeouts;
    c->spared += x->spared;
}

/* On the stack of the node: all that goes deeper is left to the clock. */
static void on_ended(void *context, iw_time now, struct grid_chunk *chunk)
{
    struct cluster *c = context;
    struct grid_end *from = chunk->from;
    struct host *to = host_of(chunk->to);
    c->now = later(c->now, now);
    c->flying--;
    c->happened++;
    struct grid_expanded x = grid_land(chunk, c->now);
    count(c, &x);
    schedule_receive(c, to, c->now + from->latency);
    go_on(c, from);
    if (!c->conf.grid.exact)
        schedule_receive(c, to, c->now);
}

static void on_begin(void *context)
{
    struct cluster *c = context;
    trial_start(c->trial, 0);
    run(c, 0);
}

static iw_time on_next(void *context)
{
    const struct cluster *c = context;
    return c->over ? 0 : next_of_all(c);
}

/* ---- what the workload asks for ---- */

static uint8_t *new_memory(struct cluster *c, uint64_t len)
{
    uint8_t **more = realloc(c->memory, (c->memories + 1) * sizeof *more);
    if (!more)
        return NULL;
    c->memory = more;
    c->memory[c->memories] = calloc(len, 1);
    return c->memory[c->memories++];
}

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct cluster *c = context;
    if (!region->base && c->point->payload == PAYLOAD_REAL) {
        region->base = new_memory(c, region->len);
        if (!region->base) {
            trial_refuse(c->trial, "not enough memory for the messages: payload: none needs none");
            return IW_EFULL;
        }
    }
    return iw_register(c->host[host].stags, region, stag);
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct cluster *c = context;
    return iw_rebind(c->host[host].stags, stag, region);
}

static int offer_invalidate(void *context, uint32_t host, iw_stag stag)
{
    struct cluster *c = context;
    return iw_invalidate(c->host[host].stags, stag);
}

/* `key` of the event: octets; `window`: is it the first that there is to send? */
static void hear(struct cluster *c, struct grid_end *e, iw_time at, uint32_t octets, bool idle)
{
    struct event x = {.at = at, .kind = EVENT_HEARD, .of = e, .key = octets, .window = idle};
    if (idle)
        e->known = at;
    if (at <= c->now)
        happen_heard(c, &x);
    else
        schedule(c, x);
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct cluster *c = context;
    struct grid_end *e = &c->end[2 * conn + (uint32_t)side];
    iw_time at = later(now, c->now);
    bool idle = !iw_has_work(e->ep);
    int result = iw_post(e->ep, at, work);
    if (result != IW_OK)
        return result;
    iw_time heard = grid_post(e, at, work);
    if (work->op != IW_RECV)
        hear(c, e, heard, grid_octets(work), idle);
    else if (e->blocked)
        schedule(c, (struct event){.at = at, .kind = EVENT_AGAIN, .of = e});
    return result;
}

static int offer_close(void *context, uint64_t now, uint32_t conn, int side, enum iw_close_how how)
{
    struct cluster *c = context;
    struct grid_end *e = &c->end[2 * conn + (uint32_t)side];
    int result = iw_close(e->ep, later(now, c->now), how);
    schedule_send(c, e, c->now);
    return result;
}

static void offer_wake(void *context, uint64_t at)
{
    struct cluster *c = context;
    c->wake = at == IW_NEVER ? at : later(at, c->now);
}

/* Octets that no engine made, as a flow of their own in the order of the stream. */
static int inject_octets(struct cluster *c, struct grid_end *e, const struct workload_wrong *wrong)
{
    struct grid_chunk *chunk = take_chunk(c);
    uint8_t *octets = malloc(wrong->len ? wrong->len : 1);
    if (!chunk || !octets) {
        free(octets);
        return IW_EFULL;
    }
    struct iw_seg seg;
    memcpy(octets, wrong->ulpdu, wrong->len);
    chunk->raw = octets;
    iw_seg_view(&seg, e->next_key, octets, wrong->len);
    iw_time at = grid_inject(e, c->now, chunk, &seg);
    chunk->packet[0].flags |= wrong->kind == WRONG_CRC      ? GRID_CORRUPTED
                              : wrong->kind == WRONG_MARKER ? GRID_MARKER
                                                            : 0;
    fly_at(c, chunk, at);
    return IW_OK;
}

static int offer_inject(void *context, uint64_t now, uint32_t conn, int side,
                        const struct workload_wrong *wrong)
{
    struct cluster *c = context;
    struct grid_end *e = &c->end[2 * conn + (uint32_t)side];
    if (wrong->kind == WRONG_TERMINATE) {
        int result = iw_terminate(e->ep, later(now, c->now), wrong->term);
        schedule_send(c, e, c->now);
        return result;
    }
    if (wrong->kind != WRONG_LOST)
        return inject_octets(c, e, wrong);
    for (int i = 0; i < 2; i++) {
        iw_llp(c->end[2 * conn + (uint32_t)i].ep, c->now, IW_LLP_LOST);
        on_look(c, c->now, &c->end[2 * conn + (uint32_t)i]);
    }
    return IW_OK;
}

/* ---- life ---- */

static bool make_ports(struct cluster *c)
{
    struct grid_ports_conf conf = {.platform = &c->conf.platform,
                                   .hosts = c->point->workload.hosts,
                                   .connections = c->connections,
                                   .ears = {c, on_begin, on_ended, on_next, run, out_of_memory}};
    c->ports = grid_ports_new(&conf);
    return c->ports != NULL;
}

static void finish_host(struct cluster *c, uint32_t number)
{
    const struct grid_node *n = &c->host[number].node;
    trial_adapter(c->trial, number, n->nic);
    if (n->tx != n->nic)
        trial_adapter(c->trial, number, n->tx);
}

static void tell_spared(const struct cluster *c)
{
    if (c->spared)
        fprintf(stderr,
                "iwarpsim: note: %llu packets were lost %d times in a row and arrived the next time: with so "
                "much "
                "loss (channel.loss) connections would end, and world: ns3 shows it\n",
                (unsigned long long)c->spared, GRID_RETRIES + 1);
}

static void finish(struct cluster *c)
{
    tell_spared(c);
    uint32_t hosts = c->point->workload.hosts;
    trial_counters(c->trial)->events = c->happened;
    for (uint32_t i = 0; i < 2 * c->connections; i++)
        trial_endpoint(c->trial, c->end[i].conn, c->end[i].side, c->end[i].ep);
    for (uint32_t i = 0; i < hosts; i++)
        finish_host(c, i);
}

enum { DRAGONFLY_LARGE = 16384 };

static void warn(const struct scenario_point *p)
{
    if (p->topology.kind == TOPOLOGY_DRAGONFLY && p->topology.hosts >= DRAGONFLY_LARGE)
        fputs("iwarpsim: note: on a dragonfly of so many hosts SimGrid takes minutes for traffic between "
              "groups; "
              "topology.kind: cluster does not\n",
              stderr);
}

static int prepare(struct cluster *c)
{
    struct workload_world offers = {c,          offer_memory, offer_rebind, offer_invalidate,
                                    offer_post, offer_close,  offer_wake,   offer_inject};
    warn(c->point);
    if (!cluster_conf_fill(&c->conf, c->point) || !cluster_make(c) || !make_ports(c)) {
        trial_refuse(c->trial, "not enough memory: fewer hosts, connections or a smaller depth need less");
        return -1;
    }
    return trial_prepare(c->trial, &offers);
}

int world_simgrid(const struct scenario_point *point, struct trial *t)
{
    struct cluster c = {.point = point, .trial = t, .wake = IW_NEVER};
    c.ears = (struct grid_ears){&c,           on_sent,     on_resent,      on_arrived,   on_placed,
                                on_delivered, on_edge,     on_dropped,     on_crc_error, on_window,
                                on_look,      on_catch_up, on_acknowledge, on_done};
    c.connections = workload_connections(&point->workload);
    int result = prepare(&c);
    if (result == 0) {
        grid_ports_run(c.ports);
        if (c.no_memory)
            trial_refuse(t, "not enough memory");
        finish(&c);
    }
    cluster_free(&c);
    return result;
}
