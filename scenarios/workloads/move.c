/* SPDX-License-Identifier: GPL-2.0-or-later */
/* move.c -- stream, ddp, incast, permutation, shuffle: one lane per connection, kept full or fed by the clock. */
#include <string.h>

#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/request.h"
#include "scenarios/workloads/talk.h"

enum { MOVE };

static uint32_t lanes(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    plan[MOVE] =
        (struct workload_lane_plan){.op = workload_requests[conf->op],
                                    .depth = conf->depth,
                                    .slot = slot_for(conf->size_max),
                                    .stags = conf->stags,
                                    .recvs = conf->op == WORKLOAD_SEND ? recvs_for(conf, conf->depth) : 0,
                                    .solicited = conf->op == WORKLOAD_SEND ? conf->solicited : 0,
                                    .report = true,
                                    .latency = true};
    uint32_t count = notify_lanes(conf, conf->depth, plan);
    for (uint32_t i = 0; i < count && workload_is(conf->kind, WORKLOAD_ON_DDP); i++)
        plan[i].op = request_takes_receive(plan[i].op) ? IW_DDP_UNTAGGED : IW_DDP_TAGGED;
    return count;
}

static uint64_t octets(const struct workload_conf *conf)
{
    return workload_is_atomic(conf->op) ? 0 : conf->count * ((uint64_t)conf->size + notify_octets(conf));
}

/* ---- closed: as many as fit, the next when one is over ---- */

static void post_next(struct workload *w, uint64_t now, uint32_t conn, uint64_t t_post)
{
    struct workload_lane_post post = {.now = now, .t_post = t_post};
    LAW(t_post <= now && w->flow[conn].lane[MOVE].posted < w->conf.count);
    post.length = message_length(&w->conf, conn, w->flow[conn].lane[MOVE].posted);
    if (lane_post(w, conn, MOVE, &post))
        notify_posted(w, now, conn);
}

static void fill_lane(struct workload *w, uint64_t now, uint32_t conn)
{
    const struct workload_flow *f = &w->flow[conn];
    while (!f->ended && f->lane[MOVE].posted < w->conf.count && !lane_full(w, conn, MOVE))
        post_next(w, now, conn, now);
}

/* ---- open: by the clock; what finds no slot waits, and its waiting counts ---- */

static uint64_t drawn_gap(const struct workload_conf *conf, uint32_t conn, uint64_t index)
{
    return channel_exponential(workload_draw(conf, DRAW_ARRIVAL, conn, index), conf->interval);
}

static uint64_t gap(const struct workload_conf *conf, uint32_t conn, uint64_t index)
{
    switch (conf->arrival) { /* one that has none does not compile */
    case WORKLOAD_POISSON: return drawn_gap(conf, conn, index);
    case WORKLOAD_EVERY: return conf->interval;
    case WORKLOAD_CLOSED:
    case WORKLOAD_ARRIVALS: break;
    }
    return 0;
}

/* Post what has come and finds a slot. t_post of a message is when it came. `next`: the oldest not posted. */
static void post_waiting(struct workload *w, uint64_t now, uint32_t conn)
{
    struct workload_flow *f = &w->flow[conn];
    while (!f->ended && f->lane[MOVE].posted < f->arrivals && !lane_full(w, conn, MOVE)) {
        uint64_t came = f->next;
        f->next += gap(&w->conf, conn, f->lane[MOVE].posted + 1);
        post_next(w, now, conn, came);
    }
}

static void woken(struct workload *w, uint64_t now, uint32_t conn)
{
    struct workload_flow *f = &w->flow[conn];
    f->arrivals++;
    LAW(f->lane[MOVE].posted < f->arrivals &&
        f->arrivals <= w->conf.count); /* one more than what was posted */
    if (f->arrivals < w->conf.count)
        flow_wake(w, conn, now + gap(&w->conf, conn, f->arrivals));
    post_waiting(w, now, conn);
}

static void start(struct workload *w, uint64_t now, uint32_t conn)
{
    struct workload_flow *f = &w->flow[conn];
    if (conn >= notify_carriers(&w->conf))
        return;
    if (w->conf.arrival == WORKLOAD_CLOSED) {
        fill_lane(w, now, conn);
        return;
    }
    f->next = now + gap(&w->conf, conn, 0);
    flow_wake(w, conn, f->next);
}

/* ---- progress ---- */

static void over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    if (!notify_over(w, now, conn, lane, m))
        return;
    if (m->index + 1 == w->conf.count)
        notify_flow_over(w, conn);
    else if (w->conf.arrival == WORKLOAD_CLOSED)
        fill_lane(w, now, conn);
    else
        post_waiting(w, now, conn);
}

/* Reads of an incast are posted by host 0, so that the payload converges on it all the same. */
static struct workload_pair incast_pair(const struct workload_conf *conf, uint32_t pair)
{
    return conf->op == WORKLOAD_READ ? talk_from_hub(conf, pair) : talk_to_hub(conf, pair);
}

static uint64_t two_ways(const struct workload_conf *conf)
{
    return 2 * (uint64_t)conf->connections;
}

static uint64_t all_ways(const struct workload_conf *conf)
{
    return 2 * (uint64_t)(conf->hosts - 1) * conf->connections;
}

#define MOVER(name_, what_, pairs_, pair_, busiest_)                          \
    const struct workload_rule kind_##name_ = {.what = (what_),               \
                                               .pairs = (pairs_),             \
                                               .pair = (pair_),               \
                                               .busiest = (busiest_),         \
                                               .lanes = lanes,                \
                                               .octets = octets,              \
                                               .start = start,                \
                                               .arrived = notify_arrived,     \
                                               .completed = notify_completed, \
                                               .over = over,                  \
                                               .ended = notify_ended,         \
                                               .woken = woken,                \
                                               .waits_for = "the time of its next message"}

MOVER(stream, "one direction, depth messages outstanding", talks_one, talk_one, NULL);
MOVER(incast, "hosts 1 .. N-1 to host 0 at once", talks_spokes, incast_pair, NULL);
MOVER(permutation, "every host to one other, every host from one other (drawn from the seed)", talks_each,
      talk_drawn, two_ways);
MOVER(shuffle, "every host to every other", talks_all, talk_of_all, all_ways);
MOVER(ddp, "as stream, of a ULP directly on DDP: tagged or untagged messages, without RDMAP", talks_one,
      talk_one, NULL);
