/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring.c -- allreduce round a ring (reduce-scatter, then allgather). Every host has one N-th of the octets in hand. In
 * each of 2(N-1) steps it Writes what it has to the next host and says so with a Send of no octets; the Send that comes
 * from the host before it starts the next step. With workload.notify its mark does so in place of the Send, when the program
 * has taken it, be that early or not.
 *
 * Law: a host is never more than N - 1 steps ahead of another.
 */
#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/talk.h"

enum { PART, SAY };
enum { DEPTH = 4 };

static uint32_t part_of(const struct workload_conf *conf)
{
    return (uint32_t)(((uint64_t)conf->size + conf->hosts - 1) / conf->hosts);
}

static uint64_t steps(const struct workload_conf *conf)
{
    uint64_t all = 2 * ((uint64_t)conf->hosts - 1);
    return conf->count * (conf->steps && conf->steps < all ? conf->steps : all);
}

static uint32_t lanes(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    plan[PART] = (struct workload_lane_plan){.op = IW_WRITE,
                                             .depth = DEPTH,
                                             .slot = slot_for(part_of(conf)),
                                             .stags = 1,
                                             .report = true,
                                             .latency = true};
    if (conf->notify)
        return notify_lanes(conf, DEPTH, plan);
    plan[SAY] = (struct workload_lane_plan){.op = IW_SEND,
                                            .depth = DEPTH,
                                            .slot = slot_for(0),
                                            .recvs = recvs_for(conf, DEPTH),
                                            .report = true,
                                            .latency = true};
    return 2;
}

static uint64_t octets(const struct workload_conf *conf)
{
    return steps(conf) * ((uint64_t)part_of(conf) + notify_octets(conf));
}

static uint64_t messages(const struct workload_conf *conf)
{
    return (conf->notify ? 1 : 2) * steps(conf);
}

/* Steps that host `from` of this connection may have posted by now; with workload.notify, those of the host before it that it
 * has taken. */
struct progress {
    uint64_t due, taken;
};

/* Law: a host is never more than N - 1 steps ahead of another; for none is more than one ahead of the host before it. */
static bool is_close(const struct workload *w, uint32_t conn)
{
    const struct workload_flow *before = &w->flow[(conn + w->connections - 1) % w->connections];
    const struct progress *p = w->flow[conn].own;
    return p->due <= 1 + before->lane[SAY].posted && p->due <= steps(&w->conf);
}

static void post_due(struct workload *w, uint64_t now, uint32_t conn)
{
    const struct workload_flow *f = &w->flow[conn];
    const struct progress *p = f->own;
    LAW(is_close(w, conn)); /* a host is never more than N - 1 steps ahead of another */
    LAW(f->ended || f->lane[PART].posted == f->lane[SAY].posted); /* each part is said */
    struct workload_lane_post part = {.now = now, .t_post = now, .length = part_of(&w->conf)},
                              say = {.now = now, .t_post = now};
    bool room = f->started;
    bool says = !w->conf.notify;
    while (room && f->lane[PART].posted < p->due && !lane_full(w, conn, PART) &&
           !(says && lane_full(w, conn, SAY))) {
        room = lane_post(w, conn, PART, &part) && (!says || lane_post(w, conn, SAY, &say));
        if (room)
            notify_posted(w, now, conn);
    }
}

static void start(struct workload *w, uint64_t now, uint32_t conn)
{
    struct progress *p = w->flow[conn].own;
    if (conn >= notify_carriers(&w->conf))
        return;
    p->due++;
    post_due(w, now, conn);
}

/* Host `from` of this connection knows of one step more of the host before it. */
static void next_step(struct workload *w, uint64_t now, uint32_t conn)
{
    struct progress *p = w->flow[conn].own;
    if (p->due >= steps(&w->conf))
        return;
    p->due++;
    post_due(w, now, conn);
}

/* Host `to` heard that a step's part is in its memory: its own next step may go. */
static void arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m)
{
    if (w->conf.notify)
        notify_arrived(w, now, conn, lane, m);
    else if (lane == SAY)
        next_step(w, now, (conn + 1) % w->connections);
}

/* ---- with workload.notify: the program takes one step after the other ---- */

static uint32_t host_after(const struct workload *w, uint32_t conn)
{
    return (conn + 1) % notify_carriers(&w->conf);
}

/* Clock i is that of the program at the end of connection i. */
static uint32_t clocks(const struct workload_conf *conf)
{
    return conf->notify ? notify_carriers(conf) : 0;
}

static void taken(struct workload *w, uint32_t conn, uint64_t index, uint64_t at)
{
    const struct progress *p = w->flow[host_after(w, conn)].own;
    if (index == p->taken)
        clock_wake(w, conn, at);
}

static void look_for_next(struct workload *w, uint64_t now, uint32_t conn)
{
    const struct progress *p = w->flow[host_after(w, conn)].own;
    const struct workload_slot *s = lane_slot(w, conn, PART, p->taken);
    if (s->used && s->m.index == p->taken && s->m.t_taken != IW_NEVER)
        clock_wake(w, conn, s->m.t_taken > now ? s->m.t_taken : now);
}

static void program_takes(struct workload *w, uint64_t now, uint32_t conn)
{
    uint32_t next = host_after(w, conn);
    struct progress *p = w->flow[next].own;
    if (w->flow[conn].ended)
        return;
    lane_slot(w, conn, PART, p->taken++)->untold--;
    lane_settle(w, now, conn, PART);
    next_step(w, now, next);
    look_for_next(w, now, conn);
}

static void over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    const struct workload_lane *l = w->flow[conn].lane;
    if (!notify_over(w, now, conn, lane, m) && w->conf.notify)
        return;
    post_due(w, now, conn);
    if (l[PART].over == steps(&w->conf) && (w->conf.notify || l[SAY].over == steps(&w->conf)))
        notify_flow_over(w, conn);
}

static uint64_t busiest(const struct workload_conf *conf)
{
    return 2 * (uint64_t)conf->connections;
}

const struct workload_rule kind_ring = {
    .what =
        "allreduce round a ring: in each of 2(N-1) steps a Write to the next host, then a Send that says so",
    .pairs = talks_each,
    .pair = talk_next,
    .busiest = busiest,
    .lanes = lanes,
    .own = sizeof(struct progress),
    .octets = octets,
    .messages = messages,
    .start = start,
    .arrived = arrived,
    .completed = notify_completed,
    .taken = taken,
    .clocks = clocks,
    .clock = program_takes,
    .over = over,
    .together = true,
    .waits_for = "the host before it in the ring"};
