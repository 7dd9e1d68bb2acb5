/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pingpong.c -- a message there, a message back, one pair at a time; a Read or an Atomic is there and back by itself. */
#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/talk.h"

enum { PING, PONG };
/* Messages that wait for nothing but their acknowledgement do not hold up the next. */
enum { DEPTH = 8 };

static bool reads(const struct workload_conf *conf)
{
    return workload_is_asked_for(conf->op);
}

static uint32_t lanes(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    bool sends = conf->op == WORKLOAD_SEND;
    struct workload_lane_plan ping = {.op = workload_requests[conf->op],
                                      .depth = DEPTH,
                                      .slot = slot_for(conf->size_max),
                                      .stags = conf->stags,
                                      .recvs = sends ? recvs_for(conf, DEPTH) : 0,
                                      .report = true,
                                      .latency = reads(conf)};
    plan[PING] = ping;
    if (reads(conf))
        return 1;
    plan[PONG] = ping;
    plan[PONG].side = 1;
    return 2;
}

static uint64_t messages(const struct workload_conf *conf)
{
    return (reads(conf) ? 1 : 2) * conf->count;
}

static uint64_t octets(const struct workload_conf *conf)
{
    return workload_is_atomic(conf->op) ? 0 : messages(conf) * conf->size;
}

/* Messages that each side should have posted by now; those that find no slot follow when one is free. */
struct rally {
    uint64_t due[2];
};

static void post_due(struct workload *w, uint64_t now, uint32_t conn)
{
    struct rally *r = w->flow[conn].own;
    for (uint32_t lane = 0; lane < w->lanes; lane++) {
        const struct workload_lane *l = &w->flow[conn].lane[lane];
        bool room = true;
        while (room && l->posted < r->due[lane]) {
            struct workload_lane_post post = {
                .now = now, .t_post = now, .length = message_length(&w->conf, conn, l->posted)};
            room = lane_post(w, conn, lane, &post);
        }
    }
}

static void start(struct workload *w, uint64_t now, uint32_t conn)
{
    struct rally *r = w->flow[conn].own;
    r->due[PING] = 1;
    post_due(w, now, conn);
}

static void arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m)
{
    struct rally *r = w->flow[conn].own;
    if (lane == PONG)
        lane_slot(w, conn, PONG, m->index)->m.latency =
            (now - lane_slot(w, conn, PING, m->index)->m.t_post) / 2;
    if (lane == PING && !reads(&w->conf))
        r->due[PONG]++;
    else if (r->due[PING] < w->conf.count)
        r->due[PING]++;
    LAW(r->due[PONG] <= r->due[PING] && r->due[PING] <= w->conf.count); /* a message there, a message back */
    LAW(reads(&w->conf) || r->due[PING] - r->due[PONG] <= 1);
    post_due(w, now, conn);
}

static void over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    (void)lane, (void)m;
    const struct workload_lane *l = w->flow[conn].lane;
    post_due(w, now, conn);
    if (l[PING].over == w->conf.count && l[w->lanes - 1].over == w->conf.count)
        flow_over(w, conn);
}

const struct workload_rule kind_pingpong = {
    .what = "one message there, one back, count times; every connection alone",
    .pairs = talks_one,
    .pair = talk_one,
    .lanes = lanes,
    .own = sizeof(struct rally),
    .octets = octets,
    .messages = messages,
    .start = start,
    .arrived = arrived,
    .over = over,
    .waits_for = "the next message"};
