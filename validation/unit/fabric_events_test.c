/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the packet world beside a list that is searched whole: the same order, whatever is set, moved and taken. */
#include "fabric_rig.h"

#include "fabric/events.h"

enum { LINKS = 40, STEPS = 4000, NODES = 20, HOSTS = 10 /* the first, each with a timer */ };

struct listed {
    bool in;
    struct event e;
};
static struct listed list[LINKS + HOSTS];

static bool earlier(const void *world, uint32_t a, uint32_t b)
{
    return *(const int *)world ? a > b : a < b; /* the caller's to say */
}

static bool before(const struct event *a, const struct event *b, int reverse)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->order != b->order)
        return a->order < b->order;
    return earlier(&reverse, a->item, b->item);
}

/* Of one node, or (NODES) of all below `end`. */
static struct listed *first_of(uint32_t node, uint32_t end, int reverse)
{
    struct listed *best = NULL;
    for (unsigned i = 0; i < LINKS + HOSTS; i++)
        if (list[i].in && (node == NODES ? list[i].e.node < end : list[i].e.node == node) &&
            (!best || before(&list[i].e, &best->e, reverse)))
            best = &list[i];
    return best;
}

static struct listed *first(int reverse)
{
    return first_of(NODES, NODES, reverse);
}

static struct events *events_new(const int *reverse, iw_time span)
{
    static struct events e;
    struct carve c = {0};
    const struct events_extent x = {LINKS, HOSTS, NODES, NODES - 1};
    fabric_events_carve(&e, &c, &x);
    c = (struct carve){.memory = calloc(1, c.used)};
    fabric_events_carve(&e, &c, &x);
    fabric_events_init(&e, &x, span);
    e.earlier = earlier;
    e.world = reverse;
    return &e;
}

static void push(struct events *e, unsigned i, iw_time at)
{
    enum event_kind kind = i % 2 ? EVENT_ARRIVAL : EVENT_DEPARTURE;
    list[i] = (struct listed){true, {at, event_order(kind, i / 4), i, i % NODES, 0}}; /* two of each order */
    fabric_events_push(e, list[i].e);
}

static void set(struct events *e, unsigned t, iw_time at)
{
    list[LINKS + t] = (struct listed){at != IW_NEVER, {at, event_order(EVENT_TIMER, t), t, t, 0}};
    fabric_events_set(e, t, list[LINKS + t].e.order, at);
}

static void take(struct events *e, struct listed *best, iw_time again, iw_time reach)
{
    bool timer = event_kind(&best->e) == EVENT_TIMER;
    if (!timer && again % 2) {
        best->e.at += again % 31 * reach;
        fabric_events_again(e, best->e.at);
        return;
    }
    best->in = false;
    if (timer)
        fabric_events_set(e, best->e.item, best->e.order, IW_NEVER);
    else
        fabric_events_pop(e);
}

static void expect(const struct event *top, const struct listed *best)
{
    assert_non_null(top);
    assert_non_null(best);
    assert_int_equal(top->at, best->e.at);
    assert_int_equal(top->order, best->e.order);
    assert_int_equal(top->item, best->e.item);
}

/* What one node makes happen at another one comes behind `until` at a switch, behind the window at a host. */
static void send(struct events *e, uint32_t node, iw_time until, uint64_t draw, iw_time reach)
{
    unsigned link = (unsigned)(draw >> 16) % LINKS;
    uint32_t to = link % NODES;
    if (!list[link].in && to != node)
        push(e, link, (to < HOSTS ? e->edge : until) + draw % 5 * reach);
}

/* All its events before `until`, but for a node that is stopped on the way. `behind`: of what it sends. */
static void take_turn(struct events *e, uint32_t node, iw_time until, iw_time behind, uint64_t lot,
                      iw_time reach, int reverse)
{
    fabric_events_enter(e, node, until);
    for (uint64_t n = 0;; n++) {
        uint64_t draw = channel_draw(lot, (uint64_t)node << 32 | n);
        struct listed *best = first_of(node, 0, reverse);
        const struct event *top = fabric_events_next(e, node, HOSTS);
        if (!best || best->e.at >= until)
            assert_null(top);
        else
            expect(top, best);
        if (!top || draw % 16 == 0)
            break;
        take(e, best, draw >> 8, reach);
        if (draw % 3 == 0 && node < HOSTS)
            set(e, node, e->edge + draw % 7 * reach - 3 * reach);
        if (draw % 5 == 0)
            send(e, node, behind, draw, reach);
    }
    fabric_events_leave(e, node, HOSTS);
}

/* Whoever has something to do has a turn, and one alone. */
static void take_turns(struct events *e, uint32_t from, uint32_t to, iw_time until, iw_time behind,
                       uint64_t lot, iw_time reach, int reverse)
{
    bool turn[NODES] = {false};
    fabric_events_list(e, from, to);
    for (uint32_t i = 0; i < e->dues; i++) {
        assert_true(e->due[i] >= from && e->due[i] < to && (i == 0 || e->due[i] > e->due[i - 1]));
        turn[e->due[i]] = true;
    }
    for (unsigned i = 0; i < LINKS + HOSTS; i++)
        assert_true(!list[i].in || list[i].e.at >= until || list[i].e.node < from || list[i].e.node >= to ||
                    turn[list[i].e.node]);
    for (uint32_t i = 0; i < e->dues; i++)
        take_turn(e, e->due[i], until, behind, lot, reach, reverse);
}

/* What hosts left undone, in its order, while switches wait. */
static void take_some(struct events *e, iw_time end, uint64_t lot, iw_time reach, int reverse)
{
    for (uint64_t n = 0; n < lot % 8; n++) {
        struct listed *best = first_of(NODES, HOSTS, reverse);
        const struct event *top = fabric_events_top(e);
        if (!best || best->e.at >= end)
            break;
        expect(top, best);
        take(e, best, channel_draw(lot, n), reach);
    }
}

static void take_window(struct events *e, iw_time now, iw_time end, uint64_t lot, iw_time reach, int reverse)
{
    iw_time half = now + (end - now) / 2;
    fabric_events_open(e, end);
    take_turns(e, HOSTS, NODES, half, half, lot, reach, reverse);
    take_turns(e, 0, HOSTS, end, half, lot, reach, reverse);
    fabric_events_join(e, HOSTS);
    take_some(e, end, lot, reach, reverse);
    fabric_events_part(e);
    take_turns(e, HOSTS, NODES, end, end, lot, reach, reverse);
    fabric_events_join(e, UINT32_MAX);
}

TEST(events_come_in_their_order)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        int reverse = seed % 2;
        iw_time reach = (iw_time)1 << seed; /* below the span and far beyond it */
        struct events *e = events_new(&reverse, 10000);
        iw_time now = 0;
        memset(list, 0, sizeof list);
        for (uint64_t n = 0; n < STEPS; n++) {
            uint64_t lot = channel_draw(seed, n), what = lot % 8;
            unsigned link = (unsigned)(lot >> 8) % LINKS, timer = (unsigned)(lot >> 8) % HOSTS;
            iw_time at = now + (lot >> 40) % 97 * reach; /* few, so that ties are the rule */
            if (what < 3 && !list[link].in)
                push(e, link, at);
            else if (what == 3 || what == 4)
                set(e, timer, at);
            else if (what == 5)
                set(e, timer, IW_NEVER);
            const struct event *top = fabric_events_top(e);
            struct listed *best = first(reverse);
            assert_int_equal(top != NULL, best != NULL);
            if (!best)
                continue;
            expect(top, best);
            if (what < 6)
                continue;
            now = top->at;
            if (lot >> 16 & 1)
                take(e, best, lot >> 32, reach);
            else
                take_window(e, now, now + 1 + (lot >> 32) % 50 * reach, lot, reach, reverse);
        }
        free(e->slot);
    }
}
