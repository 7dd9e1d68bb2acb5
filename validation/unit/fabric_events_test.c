/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the packet world beside a list that is searched whole: the same order, whatever is set, moved and taken. */
#include "fabric_rig.h"

#include "fabric/events.h"

enum { LINKS = 40, TIMERS = 20, STEPS = 4000 };

struct listed {
    bool in;
    struct event e;
};
static struct listed list[LINKS + TIMERS];

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

static struct listed *first(int reverse)
{
    struct listed *best = NULL;
    for (unsigned i = 0; i < LINKS + TIMERS; i++)
        if (list[i].in && (!best || before(&list[i].e, &best->e, reverse)))
            best = &list[i];
    return best;
}

static struct events *events_new(const int *reverse, iw_time span)
{
    static struct events e;
    struct carve c = {0};
    fabric_events_carve(&e, &c, LINKS, TIMERS);
    c = (struct carve){.memory = calloc(1, c.used)};
    fabric_events_carve(&e, &c, LINKS, TIMERS);
    fabric_events_init(&e, LINKS, TIMERS, span);
    e.earlier = earlier;
    e.world = reverse;
    return &e;
}

static void push(struct events *e, unsigned i, iw_time at)
{
    enum event_kind kind = i % 2 ? EVENT_ARRIVAL : EVENT_DEPARTURE;
    list[i] = (struct listed){true, {at, event_order(kind, i / 4), i}}; /* two of each order */
    fabric_events_push(e, at, list[i].e.order, i);
}

static void set(struct events *e, unsigned t, iw_time at)
{
    enum event_kind kind = t % 2 ? EVENT_WORKLOAD : EVENT_TIMER;
    list[LINKS + t] = (struct listed){at != IW_NEVER, {at, event_order(kind, t), t}};
    fabric_events_set(e, t, list[LINKS + t].e.order, at);
}

static void take(struct events *e, struct listed *best, iw_time again, iw_time reach)
{
    if (event_kind(&best->e) < EVENT_TIMER && again % 2) {
        best->e.at += again % 31 * reach;
        fabric_events_again(e, best->e.at);
    } else {
        best->in = false;
        fabric_events_pop(e);
    }
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
            unsigned link = (unsigned)(lot >> 8) % LINKS, timer = (unsigned)(lot >> 8) % TIMERS;
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
            assert_int_equal(top->at, best->e.at);
            assert_int_equal(top->order, best->e.order);
            assert_int_equal(top->item, best->e.item);
            if (what < 6)
                continue;
            now = top->at;
            take(e, best, lot >> 32, reach);
        }
        free(e->slot);
    }
}
