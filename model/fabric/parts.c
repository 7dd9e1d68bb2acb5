/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c -- a network in parts that run by themselves for a window (fabric.h).
 *
 *   whole: kicks, timers of the workload      part 0: its events, its packets      part 1 ...
 *          the watch, the clock               |  cross[0 -> 1]: cells in order --->  |
 *
 * A part is a `struct fabric` of its own that shares the tables of the whole; an entry of a table belongs to one part:
 * a port, its queue and tally to the part of the node that sends, a channel to that of the host. Of a port that is cut,
 * `head` and `tail`, the wire, belong to the part that receives; its sender keeps stubs of what waits.
 * LAW: during a window a part writes nothing that another one reads. */
#include "fabric/fabric_inner.h"

#include <string.h>

/* ---- where it can be cut ---- */

static const iw_time LONGEST =
    UINT64_C(50000000); /* a window ends before the watch that is set in it: pfc.c */

iw_time fabric_lookahead(const struct fabric *f)
{
    iw_time least = LONGEST;
    for (uint32_t i = 0; i < f->extent.lines; i++)
        least = f->line[i].delay < least ? f->line[i].delay : least;
    return least;
}

uint32_t fabric_parts_max(const struct fabric *f)
{
    switch (f->conf.kind) {
    case FABRIC_LINK: return 2;
    case FABRIC_STAR: return 1;
    case FABRIC_FAT_TREE: return f->conf.fat_tree.k;
    case FABRIC_DRAGONFLY: return f->conf.dragonfly.groups;
    case FABRIC_FILE: break;
    }
    return f->extent.switches ? f->extent.switches : f->extent.hosts;
}

static uint32_t pod_of_switch(const struct fabric *f, uint32_t i)
{
    uint32_t k = f->conf.fat_tree.k, half = k / 2, edges = k * half;
    if (i < 2 * edges)
        return i % edges / half;
    return (i - 2 * edges) * k / (half * half); /* cores stand in no pod: dealt out */
}

/* What is not cut asunder: a host goes with its switch. */
static uint32_t unit_of(const struct fabric *f, uint32_t node)
{
    uint32_t hosts = f->extent.hosts;
    if (node < hosts && f->extent.switches)
        return unit_of(f, f->port[node].peer_node);
    switch (f->conf.kind) {
    case FABRIC_FAT_TREE: return pod_of_switch(f, node - hosts);
    case FABRIC_DRAGONFLY: return (node - hosts) / f->conf.dragonfly.routers;
    default: return f->extent.switches ? node - hosts : node;
    }
}

uint32_t fabric_part_among(const struct fabric *f, uint32_t node, uint32_t parts)
{
    return (uint32_t)((uint64_t)unit_of(f, node) * parts / fabric_parts_max(f));
}

/* ---- cutting ---- */

static void *room(struct fabric *f, size_t octets)
{
    void *p = f->conf.more ? f->conf.more(f->conf.user, octets) : NULL;
    if (p)
        memset(p, 0, octets);
    return p;
}

static void carve_parts(struct parts *p, struct carve *c, const struct extent *x, uint32_t parts)
{
    p->part = carve(c, parts * sizeof *p->part);
    p->of = carve(c, (x->hosts + x->switches) * sizeof *p->of);
    p->cross = carve(c, (size_t)parts * parts * sizeof *p->cross);
    p->stub = carve(c, x->ports * sizeof *p->stub);
    p->still = carve(c, x->hosts * sizeof *p->still);
    p->due = carve(c, x->hosts * sizeof *p->due);
}

static struct parts *new_parts(struct fabric *f, uint32_t parts)
{
    struct carve size = {0};
    struct parts sized;
    carve(&size, sizeof sized);
    carve_parts(&sized, &size, &f->extent, parts);
    struct carve c = {.memory = room(f, size.used)};
    if (!c.memory)
        return NULL;
    struct parts *p = carve(&c, sizeof *p);
    carve_parts(p, &c, &f->extent, parts);
    p->whole = f;
    p->count = parts;
    for (uint32_t n = 0; n < f->extent.hosts + f->extent.switches; n++)
        p->of[n] = fabric_part_among(f, n, parts);
    return p;
}

static uint32_t sender_of(const struct fabric *f, uint32_t link)
{
    return f->port[f->port[link].peer].peer_node;
}

/* A departure for each port of the part, an arrival for each that leads to it. */
static uint32_t entries(const struct fabric *f, const struct parts *p, uint32_t number)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->extent.ports; i++)
        n += (uint32_t)(p->of[sender_of(f, i)] == number) + (p->of[f->port[i].peer_node] == number);
    return n;
}

static uint32_t hosts_of(const struct fabric *f, const struct parts *p, uint32_t number)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < f->extent.hosts; h++)
        n += p->of[h] == number;
    return n;
}

/* As fabric_fetch(); the wire behind a port that leads to another part is that part's. */
static void fetch(const void *world, uint32_t item, bool soon)
{
    const struct fabric *f = world;
    bool theirs = !(item & LATE) && f->port[item].cut && f->parts->of[f->port[item].peer_node] != f->number;
    fabric_fetch(world, item, soon && !theirs);
}

/* Timers are found by the number of their host, as in the whole. */
static bool ready_events(struct fabric *part, struct fabric *whole, uint32_t links, uint32_t timers)
{
    struct carve size = {0};
    fabric_events_carve(&part->events, &size, links, timers);
    struct carve c = {.memory = room(part, size.used)};
    if (!c.memory)
        return false;
    fabric_events_carve(&part->events, &c, links, timers);
    fabric_events_ready(part, links, timers);
    part->events.fetch = fetch;
    part->events.where = whole->events.where;
    part->events.wanted = whole->events.wanted;
    return true;
}

static struct fabric *new_part(struct fabric *f, struct parts *p, uint32_t number, void *user)
{
    struct fabric *part = room(f, sizeof *part);
    if (!part)
        return NULL;
    *part = *f;
    part->conf.user = user;
    part->number = number;
    part->parts = p;
    return ready_events(part, f, entries(f, p, number), hosts_of(f, p, number)) ? part : NULL;
}

int fabric_cut(struct fabric *f, uint32_t parts, void *const *user)
{
    struct parts *p;
    if (parts < 2 || parts > fabric_parts_max(f) || !fabric_lookahead(f) || !(p = new_parts(f, parts)))
        return -1;
    for (uint32_t i = 0; i < parts; i++)
        if (!(p->part[i] = new_part(f, p, i, user[i])))
            return -1;
    for (uint32_t i = 0; i < f->extent.ports; i++)
        f->port[i].cut = p->of[sender_of(f, i)] != p->of[f->port[i].peer_node];
    f->parts = p;
    return 0;
}

uint32_t fabric_part_of(const struct fabric *f, uint32_t host)
{
    return f->parts ? f->parts->of[host] : 0;
}

struct fabric *fabric_whole(struct fabric *f)
{
    return f->parts ? f->parts->whole : f;
}

struct fabric *fabric_at_host(struct fabric *f, uint32_t host)
{
    if (!f->parts)
        return f;
    struct fabric *part = f->parts->part[f->parts->of[host]];
    part->now = f->now;
    return part;
}

/* ---- from part to part ---- */

static void append(struct cells *q, struct cell *c)
{
    c->next = NULL;
    if (q->head)
        q->tail->next = c;
    else
        q->head = c;
    q->tail = c;
}

/* On the wire, as fabric_wire_start() puts it there. */
static void put_on_wire(struct fabric *to, struct cell *c)
{
    uint32_t link = c->ingress;
    struct port *p = &to->port[link];
    iw_time at = c->next_at;
    c->next = NULL;
    if (p->head) {
        p->tail->next = c;
        p->tail->next_at = at;
    } else {
        p->head = c;
        fabric_events_push(&to->events, at, event_order(EVENT_ARRIVAL, p->peer), link);
    }
    p->tail = c;
}

/* It is there at `next_at`. */
static void take(struct fabric *to, struct cell *c)
{
    if (c->connection == NONE)
        fabric_late_add(to, c, c->next_at, to->port[c->ingress].peer);
    else
        put_on_wire(to, c);
}

void fabric_cross(struct fabric *f, uint32_t link, struct cell *c, iw_time at)
{
    struct parts *p = f->parts;
    uint32_t to = p->of[f->port[link].peer_node];
    c->ingress = link;
    c->next_at = at;
    if (p->ahead)
        append(&p->cross[f->number * p->count + to], c);
    else
        take(p->part[to], c);
}

static void take_over(struct fabric *to, struct cells *q)
{
    for (struct cell *c = q->head, *next; c; c = next) {
        next = c->next;
        take(to, c);
    }
    *q = (struct cells){NULL, NULL};
}

/* ---- what waits at a port that is cut ---- */

bool fabric_stub_add(struct fabric *f, uint32_t link, const struct cell *c)
{
    struct port *p = &f->port[link];
    struct cell *stub = fabric_cell_new(f, 0), **last = &f->parts->stub[link];
    if (!stub)
        return false;
    stub->start = p->free_at;
    stub->size = c->size;
    if (p->waits)
        (*last)->next = stub;
    else
        p->waits = stub;
    *last = stub;
    return true;
}

void fabric_stubs_look(struct fabric *f, uint32_t link)
{
    struct port *p = &f->port[link];
    for (struct cell *c; (c = p->waits) && c->start <= f->now;) {
        p->waits = c->next;
        p->waiting -= c->size;
        fabric_cell_free(f, c);
    }
}

/* ---- which event is next ---- */

static bool key_before(struct fabric_key a, struct fabric_key b)
{
    return a.at != b.at ? a.at < b.at : a.order < b.order;
}

static bool event_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

/* The whole or the part whose event is the next of all; NULL: there is none. */
static struct fabric *first_of(struct fabric *f, struct event *first)
{
    struct parts *p = f->parts;
    struct fabric *found = NULL;
    for (uint32_t i = 0; i <= p->count; i++) {
        struct fabric *part = i < p->count ? p->part[i] : f;
        const struct event *e = fabric_events_top(&part->events);
        if (!e || (found && !event_before(e, first)))
            continue;
        found = part;
        *first = *e;
    }
    return found;
}

void fabric_forget_first(struct fabric *f)
{
    if (f->parts)
        f->parts->known = false;
}

/* Is there an event before `key`? Asked again and again while nothing changes. */
static bool comes_before(struct fabric *f, struct fabric_key key)
{
    struct parts *p = f->parts;
    struct event e;
    if (!p->known)
        p->first = first_of(f, &e) ? (struct fabric_key){e.at, e.order} : (struct fabric_key){IW_NEVER, 0};
    p->known = true;
    return key_before(p->first, key);
}

/* ---- a window ---- */

void fabric_begin_ahead(struct fabric *f)
{
    memset(f->parts->still, 0, f->extent.hosts * sizeof *f->parts->still);
    f->parts->ahead = true;
}

bool fabric_is_ahead(const struct fabric *f)
{
    return f->parts && f->parts->ahead;
}

void fabric_halt(struct fabric *f, uint32_t host)
{
    f->parts->still[host] = true;
}

bool fabric_stands_still(struct fabric *f, uint32_t host)
{
    if (!f->parts->ahead || !f->parts->still[host])
        return false;
    f->parts->due[host] = true;
    return true;
}

/* Twice the room, in memory that is kept for good. */
static bool grow(struct fabric *f, void **list, uint32_t used, uint32_t *has, size_t each)
{
    uint32_t want = *has ? 2 * *has : 64;
    if (used < *has)
        return true;
    void *more = room(f, want * each);
    if (!more) {
        fabric_end_with(f, FABRIC_MEMORY, "no memory for events");
        return false;
    }
    if (used)
        memcpy(more, *list, used * each);
    *list = more;
    *has = want;
    return true;
}

static void leave(struct fabric *f, struct event e)
{
    struct window *w = &f->window;
    void *list = w->left;
    bool fits = grow(f, &list, w->lefts, &w->left_room, sizeof e);
    w->left = list;
    if (fits)
        w->left[w->lefts++] = e;
    fabric_events_pop(&f->events);
}

/* The host that an event is about, or NONE. */
static uint32_t host_of(const struct fabric *f, const struct event *e)
{
    uint32_t place = e->order & (EVENT_PLACES - 1);
    return place < f->extent.hosts ? place : NONE; /* port h is that of host h */
}

bool fabric_leaves(struct fabric *f, const struct event *e)
{
    uint32_t host = f->parts->ahead ? host_of(f, e) : NONE;
    if (host == NONE || !f->parts->still[host])
        return false;
    leave(f, *e);
    return true;
}

void fabric_ahead(struct fabric *f, uint32_t part, iw_time end)
{
    fabric_go_to(f->parts->part[part], end);
}

struct fabric_key fabric_key(const struct fabric *f, uint32_t part)
{
    const struct fabric *p = f->parts->part[part];
    return (struct fabric_key){p->now, p->order};
}

bool fabric_notes_pause(struct fabric *f, bool stops)
{
    struct window *w = &f->window;
    void *list = w->note;
    if (!f->parts || !f->parts->ahead)
        return false;
    bool fits = grow(f, &list, w->notes, &w->note_room, sizeof *w->note);
    w->note = list;
    if (fits)
        w->note[w->notes++] = (struct pause_note){{f->now, f->order}, stops};
    return true;
}

static struct pause_note *next_note(struct window *w)
{
    return w->counted < w->notes ? &w->note[w->counted] : NULL;
}

/* The part with the earliest note that is not counted. */
static struct window *first_note(struct parts *p)
{
    struct window *first = NULL;
    for (uint32_t i = 0; i < p->count; i++) {
        struct window *w = &p->part[i]->window;
        if (next_note(w) && (!first || key_before(next_note(w)->key, next_note(first)->key)))
            first = w;
    }
    return first;
}

/* Of all parts, in the order of content. */
static void count_pauses(struct fabric *f)
{
    iw_time now = f->now;
    for (struct window *w; (w = first_note(f->parts)); w->counted++) {
        f->now = next_note(w)->key.at;
        fabric_pfc_counts(f, next_note(w)->stops);
    }
    for (uint32_t i = 0; i < f->parts->count; i++)
        f->parts->part[i]->window.notes = f->parts->part[i]->window.counted = 0;
    f->now = now;
}

static void put_back(struct fabric *f)
{
    struct window *w = &f->window;
    for (uint32_t i = 0; i < w->lefts; i++)
        if (event_kind(&w->left[i]) == EVENT_TIMER)
            fabric_events_set(&f->events, w->left[i].item, w->left[i].order, w->left[i].at);
        else
            fabric_events_push(&f->events, w->left[i].at, w->left[i].order, w->left[i].item);
    w->lefts = 0;
}

static void hear_of_ends(struct fabric *f)
{
    for (uint32_t i = 0; i < f->parts->count; i++)
        if (f->parts->part[i]->ended)
            fabric_end_with(f, f->parts->part[i]->end, f->parts->part[i]->mistake);
}

void fabric_settle_ahead(struct fabric *f, uint32_t part)
{
    struct parts *p = f->parts;
    put_back(p->part[part]);
    for (uint32_t from = 0; from < p->count; from++)
        take_over(p->part[part], &p->cross[from * p->count + part]);
}

void fabric_end_ahead(struct fabric *f)
{
    f->parts->ahead = false;
    f->parts->known = false;
    hear_of_ends(f);
    count_pauses(f);
}

/* ---- one event after the other ---- */

static void serve_kicks(struct fabric *f)
{
    if (f->first_kick == NONE)
        return;
    f->parts->known = false;
    fabric_serve_kicks(f);
}

static void happen_next(struct fabric *f, struct fabric *part, iw_time at)
{
    f->now = at;
    f->parts->known = false;
    fabric_step(part);
    fabric_serve_kicks(f);
    hear_of_ends(f);
}

enum fabric_end fabric_run_parts(struct fabric *f, iw_time until)
{
    struct event e;
    while (!f->ended) {
        struct fabric *part = first_of(f, &e);
        if (!part)
            return FABRIC_IDLE;
        if (e.at > until)
            return fabric_reached(f, until);
        happen_next(f, part, e.at);
    }
    return f->end;
}

enum fabric_end fabric_run_before(struct fabric *f, struct fabric_key key)
{
    struct event e;
    serve_kicks(f);
    while (!f->ended && comes_before(f, key)) {
        struct fabric *part = first_of(f, &e);
        happen_next(f, part, e.at);
    }
    return f->ended ? f->end : FABRIC_UNTIL;
}

void fabric_resume(struct fabric *f, struct fabric_key key, uint32_t host)
{
    f->now = key.at;
    if (host != FABRIC_NO_HOST && f->parts->due[host]) {
        f->parts->due[host] = f->parts->known = false;
        fabric_host_touched(fabric_at_host(f, host), host);
    }
    serve_kicks(f);
}

iw_time fabric_next_of_parts(struct fabric *f)
{
    struct event e;
    return first_of(f, &e) ? e.at : IW_NEVER;
}

iw_time fabric_next_of_all(struct fabric *f)
{
    const struct event *e = fabric_events_top(&f->events);
    return e ? e->at : IW_NEVER;
}
