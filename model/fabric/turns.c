/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turns.c -- what the nodes of a part do in a window (parts.c), one node after the other: where it is, memory is warm. */
#include "fabric/fabric_inner.h"

/* ---- memory is what turns wait for: it is asked for while those before go on, so many turns ahead ---- */

enum { CONNECTIONS = 1, CELLS, PORTS };

static void expect_arrival(const struct fabric *f, uint32_t node, const struct fabric_port *p, int ahead)
{
    if (ahead == PORTS)
        ask_for(p, 1);
    else if (p->peer_node != node || !p->head) /* the wire is another node's, which may be another part's */
        return;
    else if (ahead == CELLS)
        ask_for(p->head, 1);
    else if (node < f->extent.hosts && f->conf.expect) {
        ask_for(p->head->octets, 1);
        f->conf.expect(f->conf.user, node, p->head->connection);
    }
}

/* Of the i-th that is due. */
static void expect_turn(const struct fabric *f, uint32_t i, int ahead)
{
    const struct events *e = &f->events;
    uint32_t node = i < e->dues ? e->due[i] : NONE;
    if (node == NONE)
        return;
    for (uint32_t n = e->mine[node]; n != NONE; n = e->waiting[n].next)
        if (!(e->waiting[n].item & LATE))
            expect_arrival(f, node, &f->port[e->waiting[n].item], ahead);
    if (ahead == CELLS && node < f->extent.hosts && f->conf.expect)
        f->conf.expect(f->conf.user, node, FABRIC_ANY);
}

/* ---- a switch whose departures are known in advance: all that arrives in its turn is on the wires when it begins ---- */

enum { SLICES = 64 };
/* The way of a packet is looked up FAR packets before it arrives; NEAR packets later, what waits there is asked for. */
enum { FAR = 8, NEAR = 4 };

/* Room for one more behind `count`: those that are sorted have as much. False: no memory, the run is over. */
static bool room_for_arrival(struct fabric *f, uint32_t count)
{
    struct fabric_window *w = &f->window;
    if (count < w->room)
        return true;
    struct fabric_arriving *more = fabric_grown(f, w->coming, &w->room, 2 * sizeof *more);
    w->coming = more ? more : w->coming;
    return more;
}

/* The first packet on each of so many links, from coming[first] on, which come behind them: of those that have another one
 * before `until`. Link by link: what comes next on one is asked for while the others have their turns. */
static uint32_t take_firsts(struct fabric *f, uint32_t first, uint32_t count, iw_time until)
{
    uint32_t put = first + count;
    for (uint32_t i = first; i < first + count && !f->ended; i++) {
        if (!room_for_arrival(f, put))
            break;
        struct fabric_arriving *a = &f->window.coming[i];
        struct fabric_port *p = &f->port[a->link];
        a->cell = p->head;
        p->head = a->cell->next;
        ask_for(p->head, 1);
        if (p->head && a->cell->next_at < until)
            f->window.coming[put++] =
                (struct fabric_arriving){.at = a->cell->next_at, .link = a->link, .place = a->place};
        else if (p->head)
            fabric_push(f, EVENT_ARRIVAL, a->cell->next_at, p->peer, a->link, p->peer_node);
    }
    return put - first - count;
}

/* The links on which something arrives before `until`. */
static uint32_t take_links(struct fabric *f, uint32_t node, iw_time until)
{
    struct events *e = &f->events;
    uint32_t count = 0;
    for (uint32_t i = fabric_events_take(e, node), next; i != NONE; i = next) {
        struct event x = e->waiting[i];
        next = x.next;
        LAW(event_kind(&x) == EVENT_ARRIVAL && !(x.item & LATE));
        if (x.at >= until) {
            fabric_events_keep(e, i);
            continue;
        }
        fabric_events_free(e, i);
        if (!room_for_arrival(f, count))
            return 0;
        f->window.coming[count++] = (struct fabric_arriving){.at = x.at, .link = x.item, .place = x.order};
    }
    return count;
}

static uint32_t slice_of(const struct fabric_arriving *a, iw_time from, unsigned shift)
{
    return (uint32_t)((a->at - from) >> shift);
}

static bool is_earlier(const struct fabric_arriving *a, const struct fabric_arriving *b)
{
    return a->at != b->at ? a->at < b->at : a->place < b->place;
}

static void put_in_order(struct fabric_arriving *sorted, uint32_t i)
{
    struct fabric_arriving a = sorted[i];
    for (; i && is_earlier(&a, &sorted[i - 1]); i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = a;
}

/* By slices of time, which few share, then one by one. */
static struct fabric_arriving *sort_arriving(struct fabric_window *w, uint32_t count, iw_time from,
                                             iw_time until)
{
    struct fabric_arriving *sorted = w->coming + w->room;
    uint32_t end[SLICES + 1] = {0};
    unsigned shift = 0;
    while ((until - from) >> shift >= SLICES)
        shift++;
    for (uint32_t i = 0; i < count; i++)
        end[slice_of(&w->coming[i], from, shift) + 1]++;
    for (uint32_t s = 0; s < SLICES; s++)
        end[s + 1] += end[s];
    for (uint32_t i = 0; i < count; i++)
        sorted[end[slice_of(&w->coming[i], from, shift)]++] = w->coming[i];
    for (uint32_t i = 1; i < count; i++)
        if (is_earlier(&sorted[i], &sorted[i - 1]))
            put_in_order(sorted, i);
    return sorted;
}

/* Its way, where that depends on nothing else, and the port there. */
static void look_up(struct fabric *f, uint32_t node, struct fabric_arriving *a)
{
    a->way = f->conf.routing == FABRIC_ADAPTIVE ? NONE : fabric_forward(f, node, a->cell);
    if (a->way == NONE)
        return;
    ask_for(&f->port[a->way], 1);
    ask_for(&f->tally[a->way].area, 1);
}

static void arrives(struct fabric *f, const struct fabric_arriving *a)
{
    LAW(a->at >= f->now);
    f->now = a->at;
    f->order = a->place;
    f->counts.events++;
    fabric_wire_arrives(f, a->link, a->cell, a->way);
}

static void take_turn_in_advance(struct fabric *f, uint32_t node, iw_time until)
{
    uint32_t count = take_links(f, node, until), from = 0;
    for (uint32_t more = count; more; from = count - more)
        count += more = take_firsts(f, from, more, until);
    struct fabric_arriving *a = sort_arriving(&f->window, count, f->parts->start, until);
    for (uint32_t i = 0; i < count + FAR && !f->ended; i++) {
        if (i < count)
            look_up(f, node, &a[i]);
        if (i >= NEAR && i - NEAR < count && a[i - NEAR].way != NONE)
            ask_for(f->port[a[i - NEAR].way].waits, 1);
        if (i >= FAR)
            arrives(f, &a[i - FAR]);
    }
}

/* ---- turns ---- */

/* Its events before `until`. */
static void take_turn(struct fabric *f, uint32_t node, iw_time until)
{
    struct events *e = &f->events;
    f->now = f->parts->start;
    if (node >= f->extent.hosts && !f->queues) {
        take_turn_in_advance(f, node, until);
        return;
    }
    fabric_events_enter(e, node, until);
    fabric_go_on(f, node);
    fabric_events_leave(e, node, f->extent.hosts);
}

void fabric_take_turns(struct fabric *f, uint32_t from, uint32_t to, iw_time until)
{
    struct events *e = &f->events;
    fabric_events_list(e, from, to);
    for (uint32_t i = 0; i < e->dues; i++) {
        for (int ahead = PORTS; ahead >= CONNECTIONS; ahead--)
            expect_turn(f, i + (uint32_t)ahead, ahead);
        take_turn(f, e->due[i], until);
    }
}
