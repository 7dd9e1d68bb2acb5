/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c -- one event after the other. */
#include "fabric/fabric_inner.h"

void fabric_end_with(struct fabric *f, enum fabric_end end, const char *mistake)
{
    if (f->ended)
        return;
    f->ended = true;
    f->end = end;
    f->mistake = mistake;
}

/* ---- kicks ---- */

void fabric_kick(struct fabric *f, uint32_t host)
{
    if (f->kicked[host] != NONE)
        return;
    f->kicked[host] = host;
    if (f->first_kick == NONE)
        f->first_kick = host;
    else
        f->kicked[f->last_kick] = host;
    LAW(f->kicked[host] == host && (f->first_kick == host || f->kicked[f->last_kick] == host));
    f->last_kick = host;
}

static inline void serve_kicks(struct fabric *f)
{
    while (f->first_kick != NONE) {
        uint32_t host = f->first_kick, next = f->kicked[host];
        LAW(next != NONE && (next != host || f->last_kick == host)); /* the last one is itself at its end */
        f->first_kick = next == host ? NONE : next;
        f->kicked[host] = NONE;
        fabric_host_touched(fabric_at_host(f, host), host);
    }
}

void fabric_serve_kicks(struct fabric *f)
{
    serve_kicks(f);
}

/* ---- events ---- */

static void departure(struct fabric *f, uint32_t link)
{
    fabric_events_pop(&f->events);
    LAW(f->port[link].armed && f->port[link].free_at == f->now); /* armed exactly to the departure */
    f->port[link].armed = 0;
    if (link < fabric_host_links(f))
        fabric_host_touched(f, fabric_host_of(f, link));
    else
        fabric_queue_departs(f, link);
}

static void arrival(struct fabric *f, uint32_t link)
{
    struct fabric_port *p = &f->port[link];
    struct fabric_cell *c = p->head;
    p->head = c->next;
    ask_for(c->next, 1);
    if (p->peer_node < f->extent.hosts) /* a switch reads none */
        ask_for(c->octets, 1);
    LAW(p->head ? c != p->tail && c->next_at >= f->now : c == p->tail);
    if (p->head) {
        fabric_events_again(&f->events, c->next_at);
    } else {
        fabric_events_pop(&f->events);
    }
    fabric_wire_arrives(f, link, c, NONE);
}

static void late_arrival(struct fabric *f, uint32_t slot, uint32_t port)
{
    fabric_events_pop(&f->events);
    struct fabric_cell *c = fabric_late_take(f, slot);
    if (c->connection == NONE)
        fabric_pfc_frame(f, port, c);
    else
        fabric_host_receives(f, port, c);
}

static void timer(struct fabric *f, uint32_t host)
{
    fabric_events_set(&f->events, host, f->order, IW_NEVER);
    f->host[host].table->expire(f->host[host].object, f->now);
    fabric_host_touched(f, host);
}

static void workload(struct fabric *f, uint32_t number)
{
    fabric_events_set(&f->events, timer_of_workload(f, number), f->order, IW_NEVER);
    static void (*const own[OWN_TIMERS])(struct fabric * f) = {
        [TIMER_WATCH] = fabric_pfc_watch, [TIMER_CHANGES] = fabric_failures_happen};
    LAW(!fabric_is_ahead(f) && number < f->conf.timers + OWN_TIMERS);
    if (number >= f->conf.timers)
        own[number - f->conf.timers](f);
    else
        f->conf.timer(f->conf.user, f->now, number);
}

static inline void happen(struct fabric *f, struct event e)
{
    uint32_t place = e.order & (EVENT_PLACES - 1);
    LAW(e.at >= f->now);
    f->now = e.at;
    f->order = e.order;
    f->counts.events++;
    switch (event_kind(&e)) {
    case EVENT_DEPARTURE: departure(f, e.item); break;
    case EVENT_ARRIVAL:
        if (e.item & LATE)
            late_arrival(f, e.item & ~LATE, place);
        else
            arrival(f, e.item);
        break;
    case EVENT_TIMER: timer(f, place); break;
    case EVENT_WORKLOAD: workload(f, place); break;
    }
    serve_kicks(f);
    /* sent + duplicated = delivered + dropped + lost + failed + in_flight, at any time between two events */
    LAW(fabric_keeps_cells(f) && (f->parts || fabric_keeps_packets(f)));
}

static bool may_go_on(struct fabric *f)
{
    if (f->ended && (f->end == FABRIC_MEMORY || f->end == FABRIC_MISTAKE))
        return false;
    f->ended = false;
    return true;
}

enum fabric_end fabric_reached(struct fabric *f, iw_time until)
{
    if (f->now < until)
        f->now = until;
    return FABRIC_UNTIL;
}

/* The whole loop of a world that is not cut. */
static enum fabric_end run_events(struct fabric *f, iw_time until)
{
    while (!f->ended) {
        const struct event *e = fabric_events_top(&f->events);
        if (!e)
            return FABRIC_IDLE;
        if (e->at > until)
            return FABRIC_UNTIL;
        happen(f, *e);
    }
    return f->end;
}

void fabric_step(struct fabric *f)
{
    happen(f, *fabric_events_top(&f->events));
}

void fabric_go_on(struct fabric *f, uint32_t node)
{
    const struct event *e;
    uint32_t hosts = f->extent.hosts;
    const bool *still = node < hosts ? &f->parts->still[node] : &f->ended;
    while (!f->ended && !*still && (e = fabric_events_next(&f->events, node, hosts)))
        happen(f, *e);
}

enum fabric_end fabric_run(struct fabric *f, iw_time until)
{
    if (!may_go_on(f))
        return f->end;
    serve_kicks(f);
    if (f->parts)
        return fabric_run_parts(f, until);
    enum fabric_end end = run_events(f, until);
    return end == FABRIC_UNTIL ? fabric_reached(f, until) : end;
}

void fabric_stop(struct fabric *f)
{
    fabric_end_with(f, FABRIC_STOPPED, NULL);
}

iw_time fabric_now(const struct fabric *f)
{
    return f->now;
}

iw_time fabric_deadline(struct fabric *f)
{
    if (f->parts)
        return f->first_kick != NONE ? f->now : fabric_next_of_parts(f);
    const struct event *e = fabric_events_top(&f->events);
    return f->first_kick != NONE ? f->now : e ? e->at : IW_NEVER;
}

const char *fabric_mistake(const struct fabric *f)
{
    return f->mistake;
}

void fabric_at(struct fabric *f, uint32_t timer, iw_time at)
{
    uint32_t order = event_order(EVENT_WORKLOAD, timer);
    fabric_touched(f);
    fabric_events_set(&f->events, timer_of_workload(f, timer), order, at < f->now ? f->now : at);
}

void fabric_impair(struct fabric *f)
{
    if (f->impaired_from == IW_NEVER)
        f->impaired_from = f->now;
    for (uint32_t i = 0; f->parts && i < f->parts->count; i++)
        f->parts->part[i]->impaired_from = f->impaired_from;
}
