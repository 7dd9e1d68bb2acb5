/* SPDX-License-Identifier: GPL-2.0-or-later */
/* move.c -- stream, incast, permutation, shuffle: one lane per connection, kept full or fed by the clock. */
#include <string.h>

#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/talk.h"

enum { MOVE, SLOT_MIN = 64 };

static const enum iw_op iw_ops[WORKLOAD_OPS] = {[WORKLOAD_SEND] = IW_SEND,
                                                [WORKLOAD_WRITE] = IW_WRITE,
                                                [WORKLOAD_READ] = IW_READ,
                                                [WORKLOAD_FETCH_ADD] = IW_FETCH_ADD,
                                                [WORKLOAD_CMP_SWAP] = IW_CMP_SWAP};

static uint32_t lanes(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    plan[MOVE] = (struct workload_lane_plan){
        .op = iw_ops[conf->op],
        .depth = conf->depth,
        .slot = conf->size_max > SLOT_MIN ? (conf->size_max + 63) / 64 * 64 : SLOT_MIN,
        .stags = conf->stags,
        .recvs = conf->op == WORKLOAD_SEND ? conf->recv_depth ? conf->recv_depth : conf->depth : 0,
        .solicited = conf->op == WORKLOAD_SEND ? conf->solicited : 0,
        .report = true,
        .latency = true};
    return 1;
}

static uint64_t octets(const struct workload_conf *conf)
{
    return workload_is_atomic(conf->op) ? 0 : conf->count * conf->size;
}

static uint64_t messages(const struct workload_conf *conf)
{
    return conf->count;
}

/* ---- closed: as many as fit, the next when one is over ---- */

static void post_next(struct workload *w, uint64_t now, uint32_t conn, uint64_t t_post)
{
    struct workload_lane_post post = {.now = now, .t_post = t_post};
    post.length = message_length(&w->conf, conn, w->flow[conn].lane[MOVE].posted);
    lane_post(w, conn, MOVE, &post);
}

static void fill(struct workload *w, uint64_t now, uint32_t conn)
{
    const struct workload_flow *f = &w->flow[conn];
    while (!f->ended && f->lane[MOVE].posted < w->conf.count && !lane_full(w, conn, MOVE))
        post_next(w, now, conn, now);
}

/* ---- open: by the clock; what finds no slot waits, and its waiting counts ---- */

enum { FRACTION = 24 }; /* bits after the point */

/* The logarithm to base 2 of x / 2^31, x in [2^31, 2^32): each squaring brings one binary digit. */
static uint64_t log2_of(uint64_t x)
{
    uint64_t log = 0;
    for (int i = 0; i < FRACTION; i++) {
        x = x * x >> 31;
        log = log << 1 | x >> 32;
        x >>= x >> 32;
    }
    return log;
}

/* -ln(u) for u = (n + 1) / 2^32, in units of 2^-FRACTION; in whole numbers, so that every machine draws the same. */
static uint64_t exponential(uint32_t n)
{
    const uint64_t ln2 = 11629080; /* ln 2 x 2^24 */
    uint64_t x = n, shift = 0;
    if (n == UINT32_MAX)
        return 0;
    for (x++; x < (uint64_t)1 << 31; x <<= 1)
        shift++;
    return ((shift + 1) << FRACTION) * ln2 / ((uint64_t)1 << FRACTION) - (log2_of(x) * ln2 >> FRACTION);
}

static uint64_t gap(const struct workload_conf *conf, uint32_t conn, uint64_t index)
{
    if (conf->arrival == WORKLOAD_EVERY)
        return conf->interval;
    uint64_t e = exponential((uint32_t)(workload_draw(conf, DRAW_ARRIVAL, conn, index) >> 32));
    uint64_t part = e & (((uint64_t)1 << FRACTION) - 1);
    return conf->interval * (e >> FRACTION) + (conf->interval * part >> FRACTION);
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
    if (f->arrivals < w->conf.count)
        flow_wake(w, conn, now + gap(&w->conf, conn, f->arrivals));
    post_waiting(w, now, conn);
}

static void start(struct workload *w, uint64_t now, uint32_t conn)
{
    struct workload_flow *f = &w->flow[conn];
    if (w->conf.arrival == WORKLOAD_CLOSED) {
        fill(w, now, conn);
        return;
    }
    f->next = now + gap(&w->conf, conn, 0);
    flow_wake(w, conn, f->next);
}

/* ---- progress ---- */

static void arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m)
{
    (void)w, (void)now, (void)conn, (void)lane, (void)m;
}

static void over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    (void)lane;
    if (m->index + 1 == w->conf.count)
        flow_over(w, conn);
    else if (w->conf.arrival == WORKLOAD_CLOSED)
        fill(w, now, conn);
    else
        post_waiting(w, now, conn);
}

/* Reads of an incast are posted by host 0, so that the payload converges on it all the same. */
static struct workload_pair incast_pair(const struct workload_conf *conf, uint32_t pair)
{
    return conf->op == WORKLOAD_READ ? talk_from_hub(conf, pair) : talk_to_hub(conf, pair);
}

#define MOVER(name_, pairs_, pair_)                                  \
    const struct workload_rule kind_##name_ = {.name = #name_,       \
                                               .pairs = (pairs_),    \
                                               .pair = (pair_),      \
                                               .lanes = lanes,       \
                                               .octets = octets,     \
                                               .messages = messages, \
                                               .start = start,       \
                                               .arrived = arrived,   \
                                               .over = over,         \
                                               .woken = woken,       \
                                               .waits_for = "the time of its next message"}

MOVER(stream, talks_one, talk_one);
MOVER(incast, talks_spokes, incast_pair);
MOVER(permutation, talks_each, talk_drawn);
MOVER(shuffle, talks_all, talk_of_all);
