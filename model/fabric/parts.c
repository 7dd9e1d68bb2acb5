/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c -- a network in parts that run by themselves for a window (fabric.h).
 *
 *   whole: kicks, timers of the workload      part 0: its events, its packets      part 1 ...
 *          the watch, the clock               |  crossed[0 -> 1]: by link, in order  |
 *
 * A part is a `struct fabric` of its own that shares the tables of the whole; an entry of a table belongs to one part:
 * a port, its queue and tally to the part of the node that sends, a channel to that of the host. Of a port that is cut,
 * `head` and `tail`, the wire, belong to the part that receives.
 * LAW: during a window a part writes nothing that another one reads. */
#include "engine/least.h"
#include "engine/queue.h"
#include "fabric/fabric_inner.h"

#include <string.h>

/* ---- the parts of a network that is cut: cut.c ---- */

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
    fabric_touched(part);
    return part;
}

/* ---- from part to part ---- */

/* On the wire, as fabric_wire_start() puts them there: the first arrives at `at`. */
static void put_on_wire(struct fabric *to, uint32_t link, const struct fabric_crossing *x)
{
    struct fabric_port *p = &to->port[link];
    LAW(x->at >= to->now && to->parts->of[p->peer_node] == to->number);
    if (p->head) {
        LAW(p->tail->start < x->head->start); /* in order of departure */
        p->tail->next = x->head;
        p->tail->next_at = x->at;
    } else {
        p->head = x->head;
        fabric_push(to, EVENT_ARRIVAL, x->at, p->peer, link, p->peer_node);
    }
    p->tail = x->tail;
}

/* Behind those that crossed on the link in these turns; the first one puts the link into the list. */
static void keep_packet(struct fabric_crossing *x, uint32_t link, struct fabric_cell *c, iw_time at,
                        uint32_t *list)
{
    if (x->head) {
        x->tail->next = c;
        x->tail->next_at = at;
    } else {
        *x = (struct fabric_crossing){.head = c, .at = at, .next = *list};
        *list = link + 1;
    }
    x->tail = c;
}

static void take_frame(struct fabric *to, struct fabric_cell *c)
{
    fabric_late_add(to, c, c->next_at, to->port[c->ingress].peer);
}

/* Between windows it is taken over at once. */
static void cross_now(struct fabric *to, uint32_t link, struct fabric_cell *c, iw_time at)
{
    fabric_touched(to);
    if (c->connection == NONE)
        take_frame(to, c);
    else
        put_on_wire(to, link, &(struct fabric_crossing){.head = c, .tail = c, .at = at});
}

void fabric_cross(struct fabric *f, uint32_t link, struct fabric_cell *c, iw_time at)
{
    struct fabric_parts *p = f->parts;
    struct fabric *to = p->part[p->of[f->port[link].peer_node]];
    unsigned odd = f->window.turns % 2;
    struct fabric_crossed *crossed = &p->crossed[odd][f->number * p->count + to->number];
    LAW(to != f &&
        at >= f->now + fabric_lookahead(f)); /* within a window no node hears of what another did */
    c->ingress = link;
    c->next_at = at;
    if (!p->end)
        cross_now(to, link, c, at);
    else if (c->connection == NONE)
        QUEUE_PUT(crossed->frames, crossed->last, c, next);
    else
        keep_packet(&p->crossing[odd][link], link, c, at, &crossed->links);
}

/* What crossed to it in the turns before these. */
static void take_over(struct fabric *to)
{
    struct fabric_parts *p = to->parts;
    unsigned before = (to->window.turns + 1) % 2;
    for (uint32_t from = 0; from < p->count; from++) {
        struct fabric_crossed *crossed = &p->crossed[before][from * p->count + to->number];
        for (uint32_t link = crossed->links; link; link = p->crossing[before][link - 1].next) {
            put_on_wire(to, link - 1, &p->crossing[before][link - 1]);
            p->crossing[before][link - 1].head = NULL;
        }
        for (struct fabric_cell *c = crossed->frames, *next; c; c = next) {
            next = c->next;
            take_frame(to, c);
        }
        *crossed = (struct fabric_crossed){0, NULL, NULL};
    }
}

/* ---- which event is next ---- */

static bool key_before(struct fabric_key a, struct fabric_key b)
{
    return a.at != b.at ? a.at < b.at : a.order < b.order;
}

static struct fabric *numbered(const struct fabric_parts *p, uint32_t number)
{
    return number < p->count ? p->part[number] : p->whole;
}

void fabric_touched(struct fabric *f)
{
    if (f->parts && !f->parts->ahead)
        f->parts->touched[f->number] = true;
}

static struct fabric_key key_of(struct fabric *f)
{
    const struct event *e = fabric_events_top(&f->events);
    return e ? (struct fabric_key){e->at, e->order} : (struct fabric_key){IW_NEVER, 0};
}

/* Its key; IW_NEVER: there is no event. */
static struct fabric_key first_of(struct fabric_parts *p)
{
    p->first = p->count;
    for (uint32_t i = p->count + 1; i-- > 0;) {
        if (p->touched[i])
            p->next[i] = key_of(numbered(p, i));
        p->touched[i] = false;
        if (key_before(p->next[i], p->next[p->first]))
            p->first = i;
    }
    return p->next[p->first];
}

/* ---- a window ---- */

void fabric_begin_ahead(struct fabric *f, iw_time end)
{
    struct fabric_parts *p = f->parts;
    LAW(f->first_kick == NONE && !p->end);
    memset(p->still, 0, f->extent.hosts * sizeof *p->still);
    p->start = p->next[p->first].at;
    p->end = end;
    LAW(end > p->start && end - p->start <= fabric_window_max(f)); /* no host hears of what another one did */
    p->ahead = true;
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

void fabric_ahead(struct fabric *f, uint32_t part, enum fabric_turns turns)
{
    struct fabric_parts *w = f->parts;
    struct fabric *p = w->part[part];
    uint32_t hosts = f->extent.hosts, nodes = fabric_nodes(f);
    LAW(w->ahead);
    p->window.turns = turns;
    take_over(p);
    switch (turns) {
    case FABRIC_SWITCHES:
        fabric_events_open(&p->events, w->end);
        fabric_take_turns(p, hosts, nodes, least(w->start + fabric_lookahead(f), w->end));
        break;
    case FABRIC_HOSTS:
        fabric_take_turns(p, 0, hosts, w->end);
        fabric_events_join(&p->events, hosts);
        break;
    case FABRIC_FOLLOW:
        fabric_events_part(&p->events);
        fabric_take_turns(p, hosts, nodes, w->end);
        break;
    case FABRIC_SETTLE: fabric_events_join(&p->events, NONE); break;
    }
}

struct fabric_key fabric_key(const struct fabric *f, uint32_t part)
{
    const struct fabric *p = f->parts->part[part];
    return (struct fabric_key){p->now, p->order};
}

/* Nodes have their turns one after the other: it may be earlier than what another one noted. */
bool fabric_notes_pause(struct fabric *f, bool stops)
{
    struct fabric_pause_note note = {{f->now, f->order}, stops}, *list;
    if (!f->parts || !f->parts->ahead)
        return false;
    if (f->window.notes == f->window.note_room) {
        list = fabric_grown(f, f->window.note, &f->window.note_room, sizeof *list);
        if (!list)
            return true;
        f->window.note = list;
    }
    uint32_t i = f->window.notes++;
    for (list = f->window.note; i && key_before(note.key, list[i - 1].key); i--)
        list[i] = list[i - 1];
    list[i] = note;
    return true;
}

static struct fabric_pause_note *next_note(struct fabric_window *w)
{
    return w->counted < w->notes ? &w->note[w->counted] : NULL;
}

/* The part with the earliest note that is not counted. */
static struct fabric_window *first_note(struct fabric_parts *p)
{
    struct fabric_window *first = NULL;
    for (uint32_t i = 0; i < p->count; i++) {
        struct fabric_window *w = &p->part[i]->window;
        if (next_note(w) && (!first || key_before(next_note(w)->key, next_note(first)->key)))
            first = w;
    }
    return first;
}

/* Of all parts, in the order of content. */
static void count_pauses(struct fabric *f)
{
    iw_time now = f->now;
    for (struct fabric_window *w; (w = first_note(f->parts)); w->counted++) {
        f->now = next_note(w)->key.at;
        fabric_pfc_counts(f, next_note(w)->stops);
    }
    for (uint32_t i = 0; i < f->parts->count; i++)
        f->parts->part[i]->window.notes = f->parts->part[i]->window.counted = 0;
    f->now = now;
}

static void hear_of_ends(struct fabric *f)
{
    for (uint32_t i = 0; i < f->parts->count; i++)
        if (f->parts->part[i]->ended)
            fabric_end_with(f, f->parts->part[i]->end, f->parts->part[i]->mistake);
}

static bool nothing_crosses(const struct fabric_parts *p)
{
    bool nothing = true;
    for (uint32_t i = 0; i < p->count * p->count; i++)
        for (int odd = 0; odd < 2; odd++)
            nothing = nothing && !p->crossed[odd][i].links && !p->crossed[odd][i].frames;
    return nothing;
}

void fabric_hear_ahead(struct fabric *f)
{
    f->parts->ahead = false;
    memset(f->parts->touched, true, f->parts->count + 1);
    hear_of_ends(f);
    count_pauses(f);
}

void fabric_go_ahead(struct fabric *f)
{
    f->parts->ahead = true;
}

void fabric_end_ahead(struct fabric *f)
{
    fabric_hear_ahead(f);
    f->parts->end = 0;
    LAW(nothing_crosses(f->parts));
}

/* ---- one event after the other ---- */

static void happen_next(struct fabric *f)
{
    struct fabric *part = numbered(f->parts, f->parts->first);
    LAW(f->now <= f->parts->next[f->parts->first].at && !f->parts->ahead);
    f->now = part->now = f->parts->next[f->parts->first].at; /* other nodes of the part may have been later */
    fabric_touched(part);
    fabric_step(part);
    fabric_serve_kicks(f);
    hear_of_ends(f);
}

enum fabric_end fabric_run_parts(struct fabric *f, iw_time until)
{
    while (!f->ended) {
        struct fabric_key first = first_of(f->parts);
        if (first.at == IW_NEVER)
            return FABRIC_IDLE;
        if (first.at > until)
            return fabric_reached(f, until);
        happen_next(f);
    }
    return f->end;
}

enum fabric_end fabric_run_before(struct fabric *f, struct fabric_key key)
{
    fabric_serve_kicks(f);
    while (!f->ended && key_before(first_of(f->parts), key))
        happen_next(f);
    return f->ended ? f->end : FABRIC_UNTIL;
}

void fabric_resume(struct fabric *f, struct fabric_key key, uint32_t host)
{
    f->now = key.at;
    if (host != FABRIC_NO_HOST && f->parts->due[host]) {
        f->parts->due[host] = false;
        fabric_host_touched(fabric_at_host(f, host), host);
    }
    fabric_serve_kicks(f);
}

iw_time fabric_next_of_parts(struct fabric *f)
{
    return first_of(f->parts).at;
}

iw_time fabric_next_of_all(struct fabric *f)
{
    return key_of(f).at;
}
