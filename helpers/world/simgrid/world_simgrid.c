/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid.c -- a trial on SimGrid (world_simgrid.h). */
#include "helpers/world/simgrid/world_simgrid.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the model tells ---- */

static void say_dropped(struct cluster *c, const struct grid_end *end, const struct node_event *e)
{
    char word[32];
    if (!trial_tracing(c->trial))
        return;
    struct trial_line line;
    trace_line(&line, c->trial, e->t, end->conn, end->side, TRACE_OTHER);
    snprintf(word, sizeof word, "drop_%s", node_drop_names[e->why]);
    line.other = word;
    line.length = e->len;
    trial_trace(c->trial, &line);
}

static void on_told(void *context, struct grid_end *end, const struct node_event *e)
{
    struct cluster *c = context;
    if (e->kind == NODE_PLACED)
        c->latest = most(c->latest, e->t);
    if (e->kind == NODE_DROPPED)
        say_dropped(c, end, e);
    else
        trial_event(c->trial, e);
}

static void on_catch_up(void *context, iw_time at, struct grid_node *node)
{
    struct cluster_host *h = (struct cluster_host *)(void *)node;
    (void)context;
    dones_write(&h->dones, node, at);
    node->due = dones_due(&h->dones);
}

static void on_acknowledge(void *context, iw_time at, struct grid_end *e, uint64_t key, uint64_t window)
{
    struct cluster *c = context;
    cluster_schedule(c,
                     (struct cluster_event){
                         .at = at + e->back, .kind = EVENT_ACK, .of = e->peer, .key = key, .window = window});
}

/* ---- what happens ---- */

static void receive(struct cluster *c, struct cluster_host *h)
{
    grid_receive(&h->node, c->now);
    cluster_receive_at(c, h, grid_receive_deadline(&h->node));
}

static void happen_receive(struct cluster *c, const struct cluster_event *e)
{
    struct cluster_host *h = e->of;
    if (h->receives_at == e->at)
        h->receives_at = IW_NEVER;
    receive(c, h);
}

void cluster_heard(struct cluster *c, const struct cluster_event *e)
{
    iw_time known = grid_heard(e->of, c->now, (uint32_t)e->key, e->window);
    if (e->window)
        cluster_send_at(c, e->of, known);
}

static void happen_send(struct cluster *c, const struct cluster_event *e)
{
    cluster_send(c, e->of);
}

static void happen_fly(struct cluster *c, const struct cluster_event *e)
{
    cluster_fly(c, e->of);
}

static void happen_ack(struct cluster *c, const struct cluster_event *e)
{
    struct grid_end *end = e->of;
    grid_note_acked(end, c->now, e->key, e->window);
    if (end->stopped)
        cluster_go_on(c, end);
}

static void happen_dones(struct cluster *c, const struct cluster_event *e)
{
    struct cluster_host *h = e->of;
    struct iw_done done;
    if (h->dones_at == e->at)
        h->dones_at = IW_NEVER;
    while (dones_get(&h->dones, &h->node, c->now, &done))
        trial_event(c->trial, &(struct node_event){
                                  .kind = NODE_COMPLETED, .t = c->now, .user = done.user, .done = done});
    h->node.due = dones_due(&h->dones);
    cluster_dones_at(c, h);
}

static void happen_again(struct cluster *c, const struct cluster_event *e)
{
    (void)c;
    grid_again(e->of, c->now);
}

static void end_if_both(struct cluster *c, struct grid_end *e)
{
    if (!e->fin_sent || !e->peer_fin)
        return;
    iw_llp(e->ep, c->now, IW_LLP_DOWN);
    cluster_look(c, c->now, e);
}

static void happen_fin(struct cluster *c, const struct cluster_event *x)
{
    struct grid_end *e = x->of, *peer = e->peer;
    peer->peer_fin = true;
    iw_llp(peer->ep, c->now, IW_LLP_FIN);
    cluster_look(c, c->now, peer);
    end_if_both(c, peer);
    end_if_both(c, e);
}

static void happen_rst(struct cluster *c, const struct cluster_event *x)
{
    struct grid_end *e = x->of, *peer = e->peer;
    iw_llp(e->ep, c->now, IW_LLP_DOWN);
    iw_llp(peer->ep, c->now, IW_LLP_LOST);
    cluster_look(c, c->now, e);
    cluster_look(c, c->now, peer);
}

static void happen(struct cluster *c, const struct cluster_event *e)
{
    static void (*const kinds[])(struct cluster *, const struct cluster_event *) = {
        [EVENT_RECEIVE] = happen_receive, [EVENT_HEARD] = cluster_heard, [EVENT_SEND] = happen_send,
        [EVENT_FLY] = happen_fly,         [EVENT_ACK] = happen_ack,      [EVENT_DONES] = happen_dones,
        [EVENT_AGAIN] = happen_again,     [EVENT_FIN] = happen_fin,      [EVENT_RST] = happen_rst,
        [EVENT_LAND] = cluster_land};
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

static void next_event(struct cluster *c)
{
    bool woken = c->wake <= (c->events ? c->event[0].at : IW_NEVER);
    c->now = most(c->now, next_of_all(c));
    if (woken) {
        wake(c);
        return;
    }
    struct cluster_event e = cluster_next_event(c);
    happen(c, &e);
}

/* A window ends when all that arrives in it has been told: no flow begins after it, and those under way have landed. */
static bool window_is_over(struct cluster *c)
{
    return c->now >= trial_window_end(c->trial) && !c->flying && trial_over(c->trial, c->now);
}

static bool trial_is_over(struct cluster *c)
{
    iw_time told = most(c->now, c->latest);
    return told < trial_window_end(c->trial) ? trial_over(c->trial, told) : window_is_over(c);
}

/* Nothing happens for longer than the trial waits, and then it is over before that. */
static bool waits_in_vain(struct cluster *c, iw_time next)
{
    iw_time vain = most(c->now, c->latest) + c->point->limit.idle + 1;
    return next > vain && trial_over(c->trial, vain);
}

/* Everything that is due; as long as SimGrid has no flow, everything. */
static void run(void *context, iw_time now)
{
    struct cluster *c = context;
    iw_time next;
    c->now = most(c->now, now);
    c->bound = most(c->bound, now);
    if (window_is_over(c))
        cluster_stop(c);
    while (!c->over && (next = next_of_all(c)) != IW_NEVER && (!c->aloft || next <= c->bound + EARLY)) {
        bool vain = waits_in_vain(c, next);
        if (!vain)
            next_event(c);
        if (vain || trial_is_over(c))
            cluster_stop(c);
    }
    if (c->over || c->flying || next_of_all(c) != IW_NEVER)
        return;
    trial_stalled(c->trial, c->now);
    cluster_stop(c);
}

/* On the stack of the node: all that goes deeper is left to the clock. */
static void on_ended(void *context, iw_time now, struct grid_chunk *chunk)
{
    struct cluster *c = context;
    c->now = most(c->now, now);
    c->bound = c->now;
    c->aloft--;
    cluster_landed(c, chunk);
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

static iw_time on_now(void *context)
{
    return ((const struct cluster *)context)->now;
}

/* ---- life ---- */

static bool make_ports(struct cluster *c)
{
    uint32_t hosts = c->point->workload.hosts;
    bool loaded = c->point->platform;
    double *rate = malloc(c->links * sizeof *rate);
    struct grid_platform platform = {hosts, c->links, rate};
    for (uint32_t i = 0; rate && i < c->links; i++)
        rate[i] = c->link[i].rate;
    struct grid_ports_conf conf = {
        .platform = loaded ? NULL : &platform,
        .hosts = hosts,
        .connections = c->connections,
        .observer = {c, on_begin, on_ended, on_next, run, on_now, cluster_out_of_memory}};
    c->ports = rate ? grid_ports_new(&conf) : NULL;
    free(rate);
    return c->ports != NULL;
}

static void finish_host(struct cluster *c, uint32_t number)
{
    const struct grid_node *n = &c->host[number].node;
    trial_counters(c->trial)->crc_errors += n->crc_errors;
    trial_adapter(c->trial, number, n->nic);
    if (n->tx != n->nic)
        trial_adapter(c->trial, number, n->tx);
}

/* The sums of every end and host hold only what waits for its turn. */
static void check_leftover(struct cluster *c)
{
    uint32_t hosts = c->point->workload.hosts;
    const char *left = NULL;
    for (uint32_t i = 0; i < hosts; i++)
        grid_settle(&c->host[i].node, IW_NEVER);
    for (uint32_t i = 0; i < 2 * c->connections && !left; i++)
        left = grid_end_leftover(&c->end[i]);
    for (uint32_t i = 0; i < hosts && !left; i++)
        left = grid_node_leftover(&c->host[i].node);
    if (left)
        trial_broken(c->trial, c->now, "broken law: every arrival is placed or refused: %s", left);
}

static void finish_cluster(struct cluster *c)
{
    uint32_t hosts = c->point->workload.hosts;
    trial_counters(c->trial)->events = c->happened;
    for (uint32_t i = 0; i < 2 * c->connections; i++)
        trial_endpoint(c->trial, c->end[i].conn, c->end[i].side, c->end[i].ep, NULL);
    for (uint32_t i = 0; i < hosts; i++)
        finish_host(c, i);
    if (trial_went_well(c->trial))
        check_leftover(c);
}

static int prepare(struct cluster *c)
{
    struct workload_world offers = cluster_offers(c);
    bool filled = cluster_conf_fill(&c->conf, c->point);
    c->conf.grid.shows = trial_tracing(c->trial);
    if (!filled || !cluster_make(c) || !make_ports(c)) {
        if (c->refused)
            return -1;
        trial_refuse(c->trial, "not enough memory: fewer hosts, connections or a smaller depth need less");
        return -1;
    }
    return trial_prepare(c->trial, &offers);
}

int world_simgrid(const struct scenario_point *point, struct trial *t)
{
    struct cluster c = {.point = point, .trial = t, .wake = IW_NEVER};
    c.observer = (struct grid_observer){&c, on_told, cluster_look, on_catch_up, on_acknowledge, cluster_done};
    c.connections = workload_connections(&point->workload);
    int result = prepare(&c);
    if (result == 0) {
        grid_ports_run(c.ports);
        if (c.no_memory)
            trial_refuse(t, "not enough memory");
        finish_cluster(&c);
    }
    cluster_free(&c);
    return result;
}
