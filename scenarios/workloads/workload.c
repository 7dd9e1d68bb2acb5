/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload.c -- the front of all kinds: memory, timers, what goes to lanes and what to the kind (workload.h). */
#include <string.h>

#include "engine/least.h"
#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/matrix.h"
#include "scenarios/workloads/request.h"

static const struct workload_rule *const kinds[WORKLOAD_KINDS] = {
#define KIND(name, traits) [WORKLOAD_##name] = &kind_##name,
    WORKLOAD_TABLE(KIND)
#undef KIND
};

static const struct workload_rule *rule_of(const struct workload_conf *conf)
{
    return kinds[conf->kind];
}

const char *workload_kind_what(enum workload_kind kind)
{
    return kinds[kind]->what;
}

/* ---- who talks to whom ---- */

uint32_t notify_carriers(const struct workload_conf *conf)
{
    return rule_of(conf)->pairs(conf) * conf->connections;
}

/* With marks on a connection of their own each has another one. */
static uint32_t connections_each(const struct workload_conf *conf)
{
    return workload_mark_is(conf->notify, WORKLOAD_MARK_OTHER) ? 2 : 1;
}

uint32_t workload_connections(const struct workload_conf *conf)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < conf->parts; i++)
        sum += workload_connections(conf->part[i].conf);
    return conf->parts ? sum : notify_carriers(conf) * connections_each(conf);
}

bool workload_carries(const struct workload_conf *conf, uint32_t conn)
{
    conf = workload_conf_of(conf, &conn);
    return conn < notify_carriers(conf);
}

struct workload_pair workload_pair(const struct workload_conf *conf, uint32_t conn)
{
    if (conf->parts)
        return parts_pair(conf, conn);
    return rule_of(conf)->pair(conf, conn % notify_carriers(conf) / conf->connections);
}

/* ---- what it needs ---- */

enum { REGIONS_MAX = 1 << 24, QUEUE_MAX = 65535, CONNECTIONS_MAX = 1 << 24 };

static uint32_t lanes_of(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    const struct workload_rule *kind = rule_of(conf);
    return kind->lanes ? kind->lanes(conf, plan) : 0;
}

/* Connections of the host that has most of them. */
static uint64_t connections_per_host(const struct workload_conf *conf)
{
    const struct workload_rule *kind = rule_of(conf);
    uint64_t carriers = kind->busiest ? kind->busiest(conf) : (uint64_t)kind->pairs(conf) * conf->connections;
    return carriers * connections_each(conf);
}

static void demand_of_lane(const struct workload_lane_plan *p, struct workload_demand side[2])
{
    bool send = request_takes_receive(p->op);
    side[p->side].sq += p->depth;
    side[p->side].regions += 1;
    side[!p->side].rq += p->recvs;
    side[!p->side].regions += send ? 1 : p->slot_stags ? (uint64_t)p->depth + 1 : p->stags;
}

static void demand_of_sides(const struct workload_conf *conf, struct workload_demand side[2])
{
    struct workload_lane_plan plan[LANES_MAX];
    side[0] = side[1] = rule_of(conf)->demand;
    uint32_t lanes = lanes_of(conf, plan);
    for (uint32_t i = 0; i < lanes; i++)
        demand_of_lane(&plan[i], side);
}

static struct workload_demand demand_of(const struct workload_conf *conf)
{
    struct workload_demand side[2];
    demand_of_sides(conf, side);
    return (struct workload_demand){most(side[0].sq, side[1].sq), most(side[0].rq, side[1].rq),
                                    most(side[0].regions, side[1].regions)};
}

enum { SPARE = 16 }; /* queue entries and regions that `errors` and teardown may use */

/* Of those that RFC 7306 adds. */
static bool marks_newly(const struct workload_conf *conf)
{
    enum iw_op op = workload_marks[conf->notify];
    return op == IW_IMMEDIATE || request_is_atomic(op);
}

static bool moves_atomics(const struct workload_conf *conf)
{
    return workload_is(conf->kind, WORKLOAD_MOVES) && workload_is_atomic(conf->op);
}

/* What is not there without RDMAP. */
static const char *ddp_error(const struct workload_conf *conf)
{
    enum iw_op mark = workload_marks[conf->notify];
    bool reads = workload_mark_is(conf->notify, WORKLOAD_MARK_READS);
    if (conf->op != WORKLOAD_WRITE && conf->op != WORKLOAD_SEND)
        return "ddp has no Reads and no Atomics, which are RDMAP's: workload.op must be write (tagged "
               "messages) or send (untagged ones)";
    if (reads || (mark != IW_OPS && mark != IW_SEND && mark != IW_WRITE))
        return "ddp has no Immediate Data, Atomics or Reads, which are RDMAP's: workload.notify must be "
               "send, send_waits, last_octet, flag, flag_other or flag_other_waits";
    if (conf->solicited || conf->shared_receives)
        return "ddp has no Solicited Events and no shared receives, which are RDMAP's: leave out "
               "workload.solicited and rnic.srq";
    return NULL;
}

static struct workload_needs needs_of(const struct workload_conf *conf, uint64_t connections)
{
    struct workload_demand d = demand_of(conf);
    bool atomics =
        (rule_of(conf)->atomics ? rule_of(conf)->atomics : moves_atomics)(conf) || marks_newly(conf);
    bool ddp = workload_is(conf->kind, WORKLOAD_ON_DDP);
    return (struct workload_needs){.profile = ddp       ? IW_DDP_ONLY
                                              : atomics ? IW_RFC7306
                                                        : 0,
                                   .sq_max = (uint16_t)(d.sq + SPARE),
                                   .rq_max = (uint16_t)(d.rq + SPARE),
                                   .regions_max = (uint32_t)((d.regions + SPARE) * connections),
                                   .cq_entries = (uint32_t)((d.sq + d.rq + 2 * SPARE) * connections)};
}

struct workload_needs workload_needs(const struct workload_conf *conf)
{
    return conf->parts ? parts_needs(conf) : needs_of(conf, connections_per_host(conf));
}

struct workload_needs workload_needs_on(const struct workload_conf *conf, uint32_t connections)
{
    if (conf->parts || connections >= connections_per_host(conf))
        return workload_needs(conf);
    return needs_of(conf, most(connections, 1));
}

struct workload_needs workload_needs_of(const struct workload_conf *conf, uint32_t conn, int side)
{
    conf = workload_conf_of(conf, &conn);
    struct workload_needs all = workload_needs(conf);
    struct workload_demand d[2];
    all.cq_entries = (uint32_t)all.sq_max + all.rq_max;
    all.regions_max /= (uint32_t)connections_per_host(conf);
    if (!rule_of(conf)->lanes)
        return all;
    demand_of_sides(conf, d);
    return (struct workload_needs){.sq_max = (uint16_t)most(d[side].sq, 1),
                                   .rq_max = (uint16_t)d[side].rq,
                                   .regions_max = (uint32_t)d[side].regions,
                                   .cq_entries = (uint32_t)(d[side].sq + d[side].rq),
                                   .profile = all.profile};
}

bool workload_hears(const struct workload_conf *conf, uint32_t conn, int side)
{
    struct workload_lane_plan plan[LANES_MAX];
    conf = workload_conf_of(conf, &conn);
    uint32_t lanes = lanes_of(conf, plan);
    for (uint32_t i = 0; i < lanes; i++)
        if (plan[i].side != side || request_is_asked_for(plan[i].op))
            return true;
    return lanes == 0;
}

static const char *demand_error(const struct workload_conf *conf)
{
    struct workload_demand d = demand_of(conf);
    uint64_t connections = connections_per_host(conf);
    if (d.sq + SPARE > QUEUE_MAX || d.rq + SPARE > QUEUE_MAX)
        return "the depth exceeds the queues of an endpoint (65535 entries)";
    if ((d.regions + SPARE) * connections > REGIONS_MAX)
        return "more regions on one host than an STag can name (2^24)";
    if ((d.sq + d.rq + 2 * SPARE) * connections > UINT32_MAX)
        return "more completions outstanding on one host than a queue can count";
    return NULL;
}

const char *workload_conf_error(const struct workload_conf *conf)
{
    if (conf->parts)
        return parts_error(conf);
    if (conf->hosts < 2)
        return "a workload needs two hosts";
    if (conf->connections < 1 || conf->depth < 1 || conf->count < 1 || conf->stags < 1)
        return "connections, depth, count and stags must be at least 1";
    const char *wrong = rule_of(conf)->error ? rule_of(conf)->error(conf) : NULL;
    if (wrong)
        return wrong;
    if (workload_is(conf->kind, WORKLOAD_MOVES) && workload_is_of_all(conf->op))
        return "this workload.op is of all hosts together: it needs workload.kind: collective";
    wrong = notify_error(conf);
    if (!wrong && workload_is(conf->kind, WORKLOAD_ON_DDP))
        wrong = ddp_error(conf);
    if (wrong)
        return wrong;
    if ((uint64_t)rule_of(conf)->pairs(conf) * conf->connections * connections_each(conf) > CONNECTIONS_MAX)
        return "more than 16777216 connections";
    if (moves_atomics(conf) && (conf->sizes || conf->size != WORKLOAD_ATOMIC_OCTETS))
        return "an Atomic changes one 64-bit number: workload.size must be 8";
    if (conf->arrival != WORKLOAD_CLOSED && (conf->interval == 0 || conf->interval >> 40))
        return "messages posted by the clock need a size and a load that leave time between them, at most a "
               "second";
    if (conf->sizes && conf->distribution[conf->sizes - 1].share != (uint64_t)1 << 32)
        return "a size distribution must end at 1";
    return demand_error(conf);
}

static uint64_t times(const struct workload_conf *conf)
{
    return rule_of(conf)->of_all ? 1 : notify_carriers(conf);
}

uint64_t workload_octets(const struct workload_conf *conf)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < conf->parts; i++) {
        uint64_t octets = workload_octets(conf->part[i].conf);
        if (octets == 0)
            return 0;
        sum += octets;
    }
    bool known = !conf->parts && !conf->sizes && conf->count < WORKLOAD_UNLIMITED && rule_of(conf)->octets;
    return known ? rule_of(conf)->octets(conf) * times(conf) : sum;
}

uint64_t workload_messages(const struct workload_conf *conf)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < conf->parts; i++)
        sum += workload_messages(conf->part[i].conf);
    if (conf->parts)
        return sum;
    if (conf->count == WORKLOAD_UNLIMITED)
        return WORKLOAD_UNLIMITED;
    return (rule_of(conf)->messages ? rule_of(conf)->messages(conf) : conf->count) * times(conf);
}

/* ---- draws ---- */

uint64_t workload_draw(const struct workload_conf *conf, uint32_t what, uint32_t conn, uint64_t index)
{
    return channel_draw(channel_key(conf->seed, conf->repeat, conn, 0x100 + what), index);
}

uint32_t message_length(const struct workload_conf *conf, uint32_t conn, uint64_t index)
{
    if (!conf->sizes)
        return conf->size;
    const struct workload_size *s = conf->distribution;
    uint64_t share = workload_draw(conf, DRAW_SIZE, conn, index) >> 32;
    uint32_t i = 0;
    while (i + 1 < conf->sizes && s[i].share <= share)
        i++;
    if (i == 0)
        return s[0].octets > 1 ? s[0].octets : 1;
    uint64_t part =
        (share - s[i - 1].share) * (s[i].octets - s[i - 1].octets) / (s[i].share - s[i - 1].share);
    uint32_t octets = s[i - 1].octets + (uint32_t)part;
    LAW(s[i - 1].octets <= octets && octets <= s[i].octets);
    return octets > 1 ? octets : 1;
}

/* ---- what it asks and tells: a part by the numbers of the whole ---- */

/* Law: a world never calls the workload from inside a call of struct workload_world. */
static void hears(const struct workload *w, uint32_t conn)
{
    LAW(!w->asking && conn < w->connections); /* a world never calls the workload from inside a call */
}

static int answered(struct workload *w, int result)
{
    LAW(w->asking == 1);
    w->asking--;
    return result;
}

static int named(struct workload *w, uint32_t host, iw_stag stag, const struct iw_region *region, bool again,
                 int result)
{
    if (result == IW_OK && w->notes.region)
        w->notes.region(w->notes.context, host, stag, region, again);
    return result;
}

/* Of the tenant, where there is one; what belongs to another domain on purpose stays there. */
static void belong(const struct workload *w, struct iw_region *region)
{
    region->owner = w->conf.tenant;
    if (w->conf.domain && region->pd == WORKLOAD_PD)
        region->pd = w->conf.domain;
}

int ask_memory(struct workload *w, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    belong(w, region);
    host = part_host(w->as, host);
    w->asking++;
    int result = answered(w, w->world.memory(w->world.context, host, region, stag));
    return named(w, host, *stag, region, false, result);
}

int ask_rebind(struct workload *w, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct iw_region own = *region;
    belong(w, &own);
    host = part_host(w->as, host);
    w->asking++;
    int result = answered(w, w->world.rebind(w->world.context, host, stag, &own));
    return named(w, host, stag, &own, true, result);
}

int ask_post(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    LAW(conn < w->connections);
    conn += w->base;
    if (w->notes.posts)
        w->notes.posts(w->notes.context, now, conn, side, work);
    w->asking++;
    return answered(w, w->world.post(w->world.context, now, conn, side, work));
}

int ask_post_shared(struct workload *w, uint64_t now, uint32_t host, const struct iw_work *work)
{
    w->asking++;
    return answered(
        w, w->world.post_shared(w->world.context, now, part_host(w->as, host), w->conf.tenant, work));
}

int ask_inject(struct workload *w, uint64_t now, uint32_t conn, int side, const struct workload_wrong *wrong)
{
    conn += w->base;
    if (w->notes.injects)
        w->notes.injects(w->notes.context, now, conn, side, wrong);
    return w->world.inject ? w->world.inject(w->world.context, now, conn, side, wrong) : IW_EINVAL;
}

void ask_wake(struct workload *w, uint64_t at)
{
    w->due = at;
    if (w->whole)
        parts_set_timer(w->whole);
    else
        w->world.wake(w->world.context, at);
}

void report_message(struct workload *w, uint64_t now, const struct workload_message *message)
{
    struct workload_message m = *message;
    m.conn += w->base;
    w->notes.message(w->notes.context, now, &m);
}

void report_taken(struct workload *w, uint64_t key, const struct workload_message *message)
{
    struct workload_message m = *message;
    m.conn += w->base;
    if (w->notes.taken)
        w->notes.taken(w->notes.context, key, &m);
}

void report_broken(struct workload *w, uint64_t now, const struct workload_broken *broken)
{
    struct workload_broken b = *broken;
    b.conn += w->base;
    w->notes.broken(w->notes.context, now, &b);
}

struct workload_message message_posted(uint32_t conn, int side, enum iw_op op, uint32_t length,
                                       uint64_t t_post)
{
    return (struct workload_message){.conn = conn,
                                     .side = side,
                                     .op = op,
                                     .length = length,
                                     .t_post = t_post,
                                     .t_first_placed = IW_NEVER,
                                     .t_last_placed = IW_NEVER,
                                     .t_delivered = IW_NEVER,
                                     .t_completed = IW_NEVER,
                                     .latency = IW_NEVER,
                                     .t_taken = IW_NEVER};
}

uint64_t message_latency(const struct workload_message *m)
{
    uint64_t end = request_is_asked_for(m->op) ? m->t_completed
                   : request_is_write(m->op)   ? m->t_last_placed
                                               : m->t_delivered;
    LAW(end >= m->t_post);
    return end == IW_NEVER ? IW_NEVER : end - m->t_post;
}

uint32_t host_at(const struct workload *w, uint32_t conn, int side)
{
    struct workload_pair pair = workload_pair(&w->conf, conn);
    LAW(pair.from != pair.to && pair.from < w->conf.hosts && pair.to < w->conf.hosts); /* never equal */
    return side ? pair.to : pair.from;
}

/* ---- the block ---- */

static size_t own_size(const struct workload_conf *conf)
{
    const struct workload_rule *kind = rule_of(conf);
    return align16(kind->own + kind->own_each * conf->depth);
}

static size_t whole_size(const struct workload_conf *conf)
{
    const struct workload_rule *kind = rule_of(conf);
    return kind->whole_size ? align16(kind->whole_size(conf)) : 0;
}

static size_t timers(const struct workload_conf *conf)
{
    const struct workload_rule *kind = rule_of(conf);
    return workload_connections(conf) + (kind->clocks ? kind->clocks(conf) : 0);
}

/* By host. */
static size_t pools_size(const struct workload_conf *conf)
{
    return conf->shared_receives ? conf->hosts * sizeof(struct workload_pool) : 0;
}

size_t workload_size(const struct workload_conf *conf)
{
    struct workload_lane_plan plan[LANES_MAX];
    if (workload_conf_error(conf))
        return 0;
    if (conf->parts)
        return align16(sizeof(struct workload)) + parts_size(conf);
    size_t connections = workload_connections(conf);
    size_t each = sizeof(struct workload_flow) + lanes_size(plan, lanes_of(conf, plan)) + own_size(conf);
    return align16(sizeof(struct workload)) + whole_size(conf) + connections * each +
           align16(timers(conf) * sizeof(struct workload_wake)) + pools_size(conf) + 16;
}

static uint8_t *init_flows(struct workload *w, uint8_t *p)
{
    size_t own = own_size(&w->conf), lanes = lanes_size(w->plan, w->lanes);
    w->flow = (struct workload_flow *)(void *)p;
    p += align16(w->connections * sizeof(struct workload_flow));
    for (uint32_t c = 0; c < w->connections; c++) {
        lanes_init(w, c, p);
        p += lanes;
        w->flow[c].own = p;
        p += own;
    }
    LAW((size_t)(p - (uint8_t *)w->flow) ==
        align16(w->connections * sizeof *w->flow) + w->connections * (own + lanes));
    return p;
}

struct workload *workload_init(void *memory, const struct workload_conf *conf,
                               const struct workload_notes *notes)
{
    struct workload *w = memory;
    memset(memory, 0, workload_size(conf));
    w->conf = *conf;
    w->notes = *notes;
    w->connections = conf->parts ? 0 : workload_connections(conf);
    if (conf->parts) {
        parts_init(w, (uint8_t *)memory + align16(sizeof *w));
        return w;
    }
    w->kind = rule_of(conf);
    w->lanes = lanes_of(conf, w->plan);
    w->own = (uint8_t *)memory + align16(sizeof *w);
    uint8_t *end = init_flows(w, (uint8_t *)w->own + whole_size(conf));
    w->wake = (struct workload_wake *)(void *)end;
    w->pool = (struct workload_pool *)(void *)(end + align16(timers(conf) * sizeof(struct workload_wake)));
    LAW((uint8_t *)w->pool + pools_size(conf) <=
        (uint8_t *)memory + workload_size(conf)); /* what was carved was asked for */
    return w;
}

static int prepare_flows(struct workload *w)
{
    int result = IW_OK;
    for (uint32_t c = 0; result == IW_OK && c < w->connections; c++) {
        result = lanes_prepare(w, c);
        if (result == IW_OK && w->kind->prepare)
            result = w->kind->prepare(w, c);
    }
    return result;
}

/* Of several tenants one that gets too little does nothing, and the others go on. */
static int prepare_part(struct workload *part, const struct workload_world *world)
{
    part->world = *world;
    int result = prepare_flows(part);
    if (result == IW_OK)
        fault_prepared(part);
    for (uint32_t c = 0; result != IW_OK && part->conf.tenant && c < part->connections; c++)
        flow_refused(part, 0, c, result);
    return part->conf.tenant ? IW_OK : result;
}

/* Who registers without end comes first: else there would be nothing to take from the others. */
int workload_prepare(struct workload *w, const struct workload_world *world)
{
    int result = IW_OK;
    w->world = *world;
    for (int greedy = 1; greedy >= 0; greedy--)
        for (uint32_t i = 0; result == IW_OK && i < w->conf.parts; i++)
            if ((w->part[i]->conf.fault == WORKLOAD_REGISTERS) == greedy)
                result = prepare_part(w->part[i], world);
    return result == IW_OK ? prepare_flows(w) : result;
}

/* ---- timers: a heap of (time, connection); one entry per connection at most ---- */

static bool sooner(const struct workload_wake *a, const struct workload_wake *b)
{
    return a->at != b->at ? a->at < b->at : a->conn < b->conn;
}

static void swap(struct workload_wake *a, struct workload_wake *b)
{
    struct workload_wake t = *a;
    *a = *b;
    *b = t;
}

/* Nobody is woken before the one it is below. */
static bool is_in_heap_order(const struct workload *w, uint32_t i)
{
    uint32_t child = 2 * i + 1;
    bool above = !i || !sooner(&w->wake[i], &w->wake[(i - 1) / 2]);
    return above && (child >= w->wakes || !sooner(&w->wake[child], &w->wake[i])) &&
           (child + 1 >= w->wakes || !sooner(&w->wake[child + 1], &w->wake[i]));
}

static void sift_up(struct workload *w, uint32_t i)
{
    for (; i && sooner(&w->wake[i], &w->wake[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&w->wake[i], &w->wake[(i - 1) / 2]);
    LAW(is_in_heap_order(w, i));
}

static void sift_down(struct workload *w)
{
    for (uint32_t i = 0;;) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < w->wakes && sooner(&w->wake[child + 1], &w->wake[child]))
            child++;
        if (child >= w->wakes || !sooner(&w->wake[child], &w->wake[i])) {
            LAW(!w->wakes || is_in_heap_order(w, i));
            return;
        }
        swap(&w->wake[i], &w->wake[child]);
        i = child;
    }
}

static void set_timer(struct workload *w, uint32_t timer, uint64_t at)
{
    LAW(w->wakes < timers(&w->conf)); /* one entry per connection at most */
    w->wake[w->wakes] = (struct workload_wake){at, timer};
    sift_up(w, w->wakes++);
    if (w->wake[0].conn == timer)
        ask_wake(w, at);
}

void flow_wake(struct workload *w, uint32_t conn, uint64_t at)
{
    set_timer(w, conn, at);
}

void clock_wake(struct workload *w, uint32_t clock, uint64_t at)
{
    set_timer(w, w->connections + clock, at);
}

static void start_flow(struct workload *w, uint64_t now, uint32_t conn)
{
    struct workload_flow *f = &w->flow[conn];
    LAW(!f->started && !f->ended && !f->over);
    f->started = true;
    if (fault_starts(w, now, conn))
        return;
    if (w->kind->start)
        w->kind->start(w, now, conn);
    fault_started(w, now, conn);
}

static void wake_flow(struct workload *w, uint64_t now, uint32_t conn)
{
    struct workload_flow *f = &w->flow[conn];
    if (f->ended)
        return;
    if (!f->started)
        start_flow(w, now, conn);
    else
        w->kind->woken(w, now, conn);
}

void workload_wake(struct workload *w, uint64_t now)
{
    if (w->conf.parts) {
        parts_wake(w, now);
        return;
    }
    while (w->wakes && w->wake[0].at <= now) {
        uint32_t conn = w->wake[0].conn;
        LAW(w->wakes <= timers(&w->conf) && conn < timers(&w->conf) && !w->asking);
        w->wake[0] = w->wake[--w->wakes];
        sift_down(w);
        if (conn < w->connections)
            wake_flow(w, now, conn);
        else
            w->kind->clock(w, now, conn - w->connections);
    }
    ask_wake(w, w->wakes ? w->wake[0].at : IW_NEVER);
}

void workload_start(struct workload *w, uint64_t now)
{
    if (w->conf.parts)
        parts_start(w, now);
    for (uint32_t c = 0; c < w->connections; c++) {
        uint64_t jitter = w->conf.start_jitter;
        uint64_t late = jitter ? channel_uniform(workload_draw(&w->conf, DRAW_START, c, 0), jitter) : 0;
        if (w->flow[c].ended)
            continue;
        if (late)
            flow_wake(w, c, now + late);
        else
            start_flow(w, now, c);
    }
    if (w->kind && w->kind->begin)
        w->kind->begin(w, now);
}

/* ---- what the world tells ---- */

void workload_done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done)
{
    w = part_with(w, &conn);
    hears(w, conn); /* a world never calls the workload from inside a call of struct workload_world */
    (w->kind->done ? w->kind->done : lanes_done)(w, now, conn, side, done);
}

void workload_placed(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_place *place)
{
    w = part_with(w, &conn);
    hears(w, conn);
    if (fault_placed(w, place))
        return;
    if (w->kind->placed)
        w->kind->placed(w, now, conn, side, place->stag, place->to, place->len);
    else
        lanes_placed(w, now, conn, side, place);
}

bool workload_placed_alone(struct workload *w, uint64_t now, uint32_t conn, int side,
                           const struct iw_place *place)
{
    w = part_with(w, &conn);
    bool acts = w->kind->placed || w->conf.notify || w->conf.fault;
    return !acts && lanes_placed_alone(w, now, conn, side, place);
}

bool workload_sent_alone(struct workload *w, uint32_t conn, int side, const struct iw_seg *seg)
{
    w = part_with(w, &conn);
    if (!w->conf.notify) /* then it is not asked when */
        lanes_sent(w, 0, conn, side, seg);
    return !w->conf.notify;
}

void workload_sent(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_seg *seg)
{
    w = part_with(w, &conn);
    lanes_sent(w, now, conn, side, seg);
}

void workload_resent(struct workload *w, uint32_t conn, int side, uint64_t key, uint64_t end)
{
    w = part_with(w, &conn);
    lanes_resent(w, conn, side, key, end);
}

void workload_delivered(struct workload *w, uint64_t now, uint32_t conn, int side,
                        const struct iw_message *message)
{
    w = part_with(w, &conn);
    hears(w, conn);
    (w->kind->delivered ? w->kind->delivered : lanes_delivered)(w, now, conn, side, message);
}

static void stream_ended(struct workload *w, uint64_t now, uint32_t conn, int side, int status)
{
    struct workload_flow *f = &w->flow[conn];
    f->down[side] = true;
    f->down[!side] |= workload_is(w->conf.kind, WORKLOAD_ON_DDP); /* no Terminate tells the other side */
    flow_end(w, now, conn, status);
    LAW(f->ended);
    if (f->down[0] && f->down[1])
        flow_over(w, conn);
}

void workload_event(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_event *event)
{
    w = part_with(w, &conn);
    hears(w, conn);
    if (w->kind->event)
        w->kind->event(w, now, conn, side, event);
    else if (event->kind == IW_EV_FATAL || event->kind == IW_EV_TERMINATE_RECEIVED)
        stream_ended(w, now, conn, side, event->valid ? event->terminate.term : IW_FLUSHED);
    else if (event->kind == IW_EV_CLOSED)
        stream_ended(w, now, conn, side, IW_FLUSHED);
}

/* ---- the end ---- */

void flow_over(struct workload *w, uint32_t conn)
{
    w->flows_over += !w->flow[conn].over;
    w->flow[conn].over = true;
    LAW(w->flows_over <= w->connections);
}

void flow_refused(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    struct workload_message m = message_posted(conn, 0, (enum iw_op)MESSAGE_REFUSED, 0, now);
    m.status = status;
    if (!w->flow[conn].ended)
        report_message(w, now, &m);
    flow_end(w, now, conn, status);
    flow_over(w, conn);
}

uint64_t workload_trespassed(const struct workload *w, uint32_t part)
{
    return w->part[part]->trespassed;
}

void workload_stop(struct workload *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->conf.parts; i++)
        workload_stop(w->part[i], now);
    for (uint32_t c = 0; c < w->connections; c++) {
        if (!w->flow[c].over)
            flow_end(w, now, c, IW_FLUSHED);
        flow_over(w, c);
    }
    LAW(workload_over(w));
}

bool workload_has_done(const struct workload *w, uint32_t conn)
{
    w = part_with((struct workload *)(uintptr_t)w, &conn);
    return w->flow[conn].over;
}

bool workload_over(const struct workload *w)
{
    bool over = w->flows_over == w->connections;
    for (uint32_t i = 0; over && i < w->conf.parts; i++)
        over = workload_over(w->part[i]);
    return over;
}

bool workload_runs_ahead(const struct workload_conf *conf)
{
    bool acts = conf->notify && workload_is(conf->kind, WORKLOAD_ROUND); /* when octets are placed */
    bool apart = conf->matrix && !conf->matrix->triggers;                /* no flow begins another one */
    bool all = conf->parts || (workload_is(conf->kind, WORKLOAD_OPEN | WORKLOAD_ROUND) && !acts) || apart;
    for (uint32_t i = 0; i < conf->parts; i++)
        all &= workload_runs_ahead(conf->part[i].conf) && !conf->part[i].conf->tenant;
    return all;
}

bool workload_hangs(const struct workload *w, uint32_t conn)
{
    w = part_with((struct workload *)(uintptr_t)w, &conn);
    for (uint32_t i = 0; i < w->lanes; i++) {
        const struct workload_lane *l = &w->flow[conn].lane[i];
        if (l->over < l->posted && l->slots[l->over % w->plan[i].depth].completed)
            return true;
    }
    return false;
}

static bool slot_owes(const struct workload_slot *s, bool posts)
{
    return posts ? !s->completed : !request_is_asked_for(s->m.op) && !(s->arrived && s->delivered);
}

/* A connection without a message under way has one to post. */
bool workload_owes(const struct workload *w, uint32_t conn, int side)
{
    w = part_with((struct workload *)(uintptr_t)w, &conn);
    const struct workload_flow *f = &w->flow[conn];
    bool posts = false, idle = true;
    if (f->over || f->ended)
        return !f->over && !f->down[side];
    for (uint32_t i = 0; i < w->lanes; i++) {
        const struct workload_lane *l = &f->lane[i];
        bool mine = w->plan[i].side == side;
        posts |= mine;
        idle &= l->over == l->posted;
        for (uint64_t n = l->over; n < l->posted; n++)
            if (slot_owes(&l->slots[n % w->plan[i].depth], mine))
                return true;
    }
    return posts && idle;
}

static const char *delivery_of(enum iw_op op)
{
    if (op == IW_DDP_TAGGED)
        return "the delivery of a tagged message";
    if (op == IW_DDP_UNTAGGED)
        return "the delivery of an untagged message";
    return op == IW_WRITE ? "the delivery of a Write" : "the delivery of a Send";
}

static const char *what_waits(const struct workload_slot *s)
{
    if (s->m.op == IW_READ)
        return "the completion of a Read";
    if (request_is_atomic(s->m.op))
        return "the answer to an Atomic";
    if (!s->delivered)
        return delivery_of(s->m.op);
    return s->completed ? "the receiver's completion of a Send"
                        : "the completion of a request that was delivered";
}

static bool lane_waits(const struct workload *w, uint32_t conn, uint32_t lane, struct workload_waits *waits)
{
    const struct workload_lane *l = &w->flow[conn].lane[lane];
    if (l->over == l->posted)
        return false;
    const struct workload_slot *s = &l->slots[l->over % w->plan[lane].depth];
    *waits = (struct workload_waits){
        .conn = conn, .side = w->plan[lane].side, .what = what_waits(s), .index = l->over};
    return true;
}

/* Its connections are over together: a message that is under way on any of them, then what the kind says. */
static bool kind_waits(const struct workload *w, uint32_t conn, struct workload_waits *waits)
{
    for (; conn < w->connections; conn++)
        for (uint32_t i = 0; i < w->lanes; i++)
            if (lane_waits(w, conn, i, waits))
                return true;
    return w->kind->waits(w, waits);
}

bool workload_waits(const struct workload *w, struct workload_waits *waits)
{
    uint32_t c = 0;
    if (w->conf.parts)
        return parts_waits(w, waits);
    while (c < w->connections && w->flow[c].over)
        c++;
    if (c == w->connections)
        return false;
    for (uint32_t i = 0; i < w->lanes; i++)
        if (lane_waits(w, c, i, waits))
            return true;
    if (w->kind->waits && w->flow[c].started && !w->flow[c].ended)
        return kind_waits(w, c, waits);
    const struct workload_flow *f = &w->flow[c];
    const char *what = f->ended ? "the end of its stream" : f->started ? w->kind->waits_for : "its start";
    *waits = (struct workload_waits){.conn = c, .side = f->ended && f->down[0], .what = what};
    return true;
}
