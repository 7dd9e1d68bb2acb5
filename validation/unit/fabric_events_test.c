/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the packet world beside a list that is searched whole: the same order, whatever is set, moved and taken. */
#include "fabric_rig.h"

#include "fabric/events.h"

enum { LINKS = 40, STEPS = 4000, NODES = 20 /* each with a timer */ };

struct listed {
    bool in;
    struct event e;
};
static struct listed list[LINKS + NODES];

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

static struct listed *first_of(uint32_t node, int reverse)
{
    struct listed *best = NULL;
    for (unsigned i = 0; i < LINKS + NODES; i++)
        if (list[i].in && (node == NODES || list[i].e.node == node) &&
            (!best || before(&list[i].e, &best->e, reverse)))
            best = &list[i];
    return best;
}

static struct listed *first(int reverse)
{
    return first_of(NODES, reverse);
}

static struct events *events_new(const int *reverse, iw_time span)
{
    static struct events e;
    struct carve c = {0};
    const struct events_extent x = {LINKS, NODES, NODES, NODES - 1};
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

/* All its events before the end, but for a node that is stopped on the way. */
static void take_turn(struct events *e, uint32_t node, uint64_t lot, iw_time reach, int reverse)
{
    fabric_events_enter(e, node);
    for (uint64_t n = 0;; n++) {
        uint64_t draw = channel_draw(lot, (uint64_t)node << 32 | n);
        struct listed *best = first_of(node, reverse);
        const struct event *top = fabric_events_next(e, node, NODES);
        if (!best || best->e.at >= e->edge)
            assert_null(top);
        else
            expect(top, best);
        if (!top || draw % 16 == 0)
            break;
        take(e, best, draw >> 8, reach);
        if (draw % 3 == 0)
            set(e, node, e->edge + draw % 7 * reach - 3 * reach);
    }
    fabric_events_leave(e, node, NODES);
}

static void take_window(struct events *e, iw_time end, uint64_t lot, iw_time reach, int reverse)
{
    bool turn[NODES] = {false};
    fabric_events_open(e, end);
    for (uint32_t i = 0; i < e->dues; i++) {
        assert_true(i == 0 || e->due[i] > e->due[i - 1]); /* and so once each */
        turn[e->due[i]] = true;
    }
    for (unsigned i = 0; i < LINKS + NODES; i++)
        assert_true(!list[i].in || list[i].e.at >= end || turn[list[i].e.node]);
    for (uint32_t i = 0; i < e->dues; i++)
        take_turn(e, e->due[i], lot, reach, reverse);
    fabric_events_close(e);
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
            unsigned link = (unsigned)(lot >> 8) % LINKS, timer = (unsigned)(lot >> 8) % NODES;
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
                take_window(e, now + 1 + (lot >> 32) % 50 * reach, lot, reach, reverse);
        }
        free(e->slot);
    }
}
