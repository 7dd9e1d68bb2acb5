/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal.c -- a GOAL schedule (goal.h): rank r is host r.
 *
 *     needs met -> queue of its cpu -> send: room in its lane -> posted ..................... completed: over
 *                                      recv: posted; a message of its rank and tag, the cpu again: over
 *                                      calc: holds the cpu ................................... over
 *
 * A message that comes before its recv waits in the order of arrival, and so do recvs before their message. What is over or
 * has started lets others go on; nothing here calls itself, however long a chain of operations is.
 */
#include "scenarios/workloads/goal.h"

#include <stddef.h>
#include <string.h>

#include "scenarios/workloads/collective.h"
#include "scenarios/workloads/kind.h"

#define NOBODY UINT32_MAX

enum stage { WAITING, STARTED, MATCHED, OVER };

struct queue {
    uint32_t first, last;
};

struct cpu {
    struct queue ready; /* operations */
    uint32_t runs;      /* a CALC; NOBODY */
    bool due;
};

struct player {
    uint64_t left;    /* operations and messages that are not over */
    struct queue due; /* cpus */
    struct cpu *cpu;
    struct queue *posted, *early; /* of each rank: RECVs without a message; SENDs whose message has no RECV */
    struct queue *lane;           /* of each connection: SENDs that wait for room */
    uint32_t *slot;               /* of each connection, `depth` of them: the SEND of a message */
    uint32_t *needs, *next;       /* of each operation; it is in one queue at a time */
    uint32_t *next_due;           /* of each cpu */
    uint8_t *stage;
};

/* ---- what it needs ---- */

/* A configuration that is refused may have none. */
static const struct goal *goal_of(const struct workload_conf *conf)
{
    static const struct goal none;
    return conf->goal ? conf->goal : &none;
}

static uint32_t pairs(const struct workload_conf *conf)
{
    return goal_of(conf)->connections;
}

static struct workload_pair pair(const struct workload_conf *conf, uint32_t conn)
{
    return goal_of(conf)->pair[conn];
}

static const char *error(const struct workload_conf *conf)
{
    if (!conf->goal)
        return "goal needs workload.file, the name of a schedule beside the scenario or shipped";
    return conf->goal->ranks > conf->hosts ? "the schedule has more ranks than there are hosts" : NULL;
}

static const char *joint_error(const struct workload_conf *conf)
{
    const char *wrong = collective_error(conf);
    return wrong || conf->goal ? wrong : "more messages in all than a schedule can have";
}

static uint64_t busiest(const struct workload_conf *conf)
{
    return goal_of(conf)->busiest ? goal_of(conf)->busiest : 1;
}

static uint32_t lanes(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    plan[0] = (struct workload_lane_plan){.op = IW_SEND,
                                          .depth = conf->depth,
                                          .slot = slot_for(goal_of(conf)->largest * conf->goal_unit),
                                          .recvs = recvs_for(conf, conf->depth),
                                          .report = true,
                                          .latency = true};
    return 1;
}

static uint64_t octets(const struct workload_conf *conf)
{
    return goal_of(conf)->octets * conf->goal_unit;
}

static uint64_t messages(const struct workload_conf *conf)
{
    return goal_of(conf)->sends;
}

static uint32_t clocks(const struct workload_conf *conf)
{
    return conf->goal->cpus;
}

/* What stands behind struct player. */
enum { LISTS = 9 };
static void lists(const struct workload_conf *conf, struct workload_list list[LISTS])
{
    const struct goal *g = conf->goal;
    const struct workload_list all[LISTS] = {
        {offsetof(struct player, cpu), sizeof(struct cpu), g->cpus},
        {offsetof(struct player, posted), sizeof(struct queue), g->ranks},
        {offsetof(struct player, early), sizeof(struct queue), g->ranks},
        {offsetof(struct player, lane), sizeof(struct queue), g->connections},
        {offsetof(struct player, slot), sizeof(uint32_t), (size_t)g->connections * conf->depth},
        {offsetof(struct player, needs), sizeof(uint32_t), g->ops},
        {offsetof(struct player, next), sizeof(uint32_t), g->ops},
        {offsetof(struct player, next_due), sizeof(uint32_t), g->cpus},
        {offsetof(struct player, stage), sizeof(uint8_t), g->ops}};
    memcpy(list, all, sizeof all);
}

static size_t whole_size(const struct workload_conf *conf)
{
    struct workload_list list[LISTS];
    lists(conf, list);
    return lists_size(sizeof(struct player), list, LISTS);
}

/* ---- queues ---- */

static const struct queue empty = {NOBODY, NOBODY};

static void push_operation(struct queue *q, uint32_t *next, uint32_t i)
{
    LAW((q->first == NOBODY) == (q->last == NOBODY) && q->last != i);
    next[i] = NOBODY;
    if (q->first == NOBODY)
        q->first = i;
    else
        next[q->last] = i;
    q->last = i;
}

/* Take what is behind `before`; NOBODY: the first. */
static uint32_t take_operation(struct queue *q, uint32_t *next, uint32_t before)
{
    uint32_t i = before == NOBODY ? q->first : next[before];
    if (before == NOBODY)
        q->first = next[i];
    else
        next[before] = next[i];
    if (q->last == i)
        q->last = before;
    LAW((q->first == NOBODY) == (q->last == NOBODY));
    return i;
}

static void cpu_is_due(struct player *p, uint32_t c)
{
    if (!p->cpu[c].due)
        push_operation(&p->due, p->next_due, c);
    p->cpu[c].due = true;
}

static uint32_t take_due(struct player *p)
{
    uint32_t c = take_operation(&p->due, p->next_due, NOBODY);
    p->cpu[c].due = false;
    return c;
}

/* ---- operations ---- */

static const struct goal_op *op_of(const struct workload *w, uint32_t i)
{
    return &w->conf.goal->op[i];
}

static void to_cpu(struct workload *w, uint32_t i)
{
    struct player *p = w->own;
    uint32_t c = op_of(w, i)->cpu;
    LAW(c < w->conf.goal->cpus && p->needs[i] == 0 && p->stage[i] != OVER);
    push_operation(&p->cpu[c].ready, p->next, i);
    cpu_is_due(p, c);
}

/* Law: an operation depends only on operations of its own rank. */
static bool depends_on_own(const struct workload *w, uint32_t i)
{
    const struct goal_op *op = op_of(w, i);
    bool own = true;
    for (uint32_t e = op->first; e < op[1].first; e++)
        own &= op_of(w, w->conf.goal->edge[e] & ~GOAL_STARTED)->rank == op->rank;
    return own;
}

/* Those that waited for it to have started, or to be over. */
static void release(struct workload *w, uint32_t i, uint32_t started)
{
    struct player *p = w->own;
    const uint32_t *edge = w->conf.goal->edge;
    LAW(op_of(w, i)[1].first <= w->conf.goal->edges && depends_on_own(w, i));
    for (uint32_t e = op_of(w, i)->first; e < op_of(w, i)[1].first; e++)
        if ((edge[e] & GOAL_STARTED) == started && --p->needs[edge[e] & ~GOAL_STARTED] == 0)
            to_cpu(w, edge[e] & ~GOAL_STARTED);
}

static void starts(struct workload *w, uint32_t i)
{
    LAW(((struct player *)w->own)->stage[i] == WAITING && ((struct player *)w->own)->needs[i] == 0);
    ((struct player *)w->own)->stage[i] = STARTED;
    release(w, i, GOAL_STARTED);
}

static void end_operation(struct workload *w, uint32_t i)
{
    struct player *p = w->own;
    LAW(p->left && (p->stage[i] == STARTED || p->stage[i] == MATCHED));
    p->stage[i] = OVER;
    p->left--;
    release(w, i, 0);
}

static bool go_together(const struct goal_op *recv, const struct goal_op *send)
{
    return (recv->peer == GOAL_ANY || recv->peer == send->rank) &&
           (recv->tag == GOAL_ANY || recv->tag == send->tag);
}

/* The first of a queue that goes together with `i`, taken out; NOBODY: none does. */
static uint32_t partner(struct workload *w, struct queue *q, uint32_t i)
{
    struct player *p = w->own;
    uint32_t before = NOBODY;
    for (uint32_t other = q->first; other != NOBODY; before = other, other = p->next[other]) {
        const struct goal_op *a = op_of(w, i), *b = op_of(w, other);
        if (go_together(a->kind == GOAL_RECV ? a : b, a->kind == GOAL_RECV ? b : a))
            return take_operation(q, p->next, before);
    }
    return NOBODY;
}

static void post_sends(struct workload *w, uint64_t now, uint32_t conn)
{
    struct player *p = w->own;
    struct queue *q = &p->lane[conn];
    while (q->first != NOBODY && !lane_full(w, conn, 0)) {
        uint32_t i = q->first;
        uint32_t length = (uint32_t)op_of(w, i)->amount * w->conf.goal_unit;
        struct workload_lane_post post = {.now = now, .t_post = now, .length = length};
        uint64_t index = w->flow[conn].lane[0].posted;
        LAW(op_of(w, i)->kind == GOAL_SEND && op_of(w, i)->conn == conn);
        if (!lane_post(w, conn, 0, &post))
            return;
        take_operation(q, p->next, NOBODY);
        p->slot[(size_t)conn * w->conf.depth + index % w->conf.depth] = i;
        starts(w, i);
    }
}

static void post_recv(struct workload *w, uint32_t i)
{
    struct player *p = w->own;
    uint32_t rank = op_of(w, i)->rank;
    starts(w, i);
    if (partner(w, &p->early[rank], i) != NOBODY)
        end_operation(w, i);
    else
        push_operation(&p->posted[rank], p->next, i);
}

static void calculate(struct workload *w, uint64_t now, uint32_t i)
{
    struct player *p = w->own;
    const struct goal_op *op = op_of(w, i);
    starts(w, i);
    if (op->amount == 0) {
        end_operation(w, i);
        return;
    }
    LAW(p->cpu[op->cpu].runs == NOBODY);
    p->cpu[op->cpu].runs = i;
    clock_wake(w, op->cpu, now + op->amount);
}

static void start_operation(struct workload *w, uint64_t now, uint32_t i)
{
    struct player *p = w->own;
    const struct goal_op *op = op_of(w, i);
    if (p->stage[i] == MATCHED)
        end_operation(w, i);
    else if (op->kind == GOAL_CALC)
        calculate(w, now, i);
    else if (op->kind == GOAL_RECV)
        post_recv(w, i);
    else {
        push_operation(&p->lane[op->conn], p->next, i);
        post_sends(w, now, op->conn);
    }
}

/* All connections end together. */
static bool has_ended(const struct workload *w)
{
    return w->connections && w->flow[0].ended;
}

static void run_ready(struct workload *w, uint64_t now)
{
    struct player *p = w->own;
    while (p->due.first != NOBODY && !has_ended(w)) {
        struct cpu *cpu = &p->cpu[take_due(p)];
        while (cpu->runs == NOBODY && cpu->ready.first != NOBODY && !has_ended(w))
            start_operation(w, now, take_operation(&cpu->ready, p->next, NOBODY));
    }
    for (uint32_t c = 0; p->left == 0 && c < w->connections; c++)
        flow_over(w, c);
}

/* ---- life ---- */

static void empty_queues(struct queue *q, size_t count)
{
    for (size_t i = 0; i < count; i++)
        q[i] = empty;
}

static void place_queues(struct workload *w)
{
    const struct goal *g = w->conf.goal;
    struct player *p = w->own;
    struct workload_list list[LISTS];
    lists(&w->conf, list);
    lists_lay(p, sizeof *p, list, LISTS);
    p->due = empty;
    empty_queues(p->posted, g->ranks);
    empty_queues(p->early, g->ranks);
    empty_queues(p->lane, g->connections);
    p->left = g->ops + g->sends;
    for (uint32_t c = 0; c < g->cpus; c++)
        p->cpu[c] = (struct cpu){.ready = empty, .runs = NOBODY};
    for (uint32_t i = 0; i < g->ops; i++)
        p->needs[i] = g->op[i].needs;
}

static int prepare(struct workload *w, uint32_t conn)
{
    if (conn == 0)
        place_queues(w);
    return IW_OK;
}

static void begin(struct workload *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->conf.goal->ops; i++)
        if (op_of(w, i)->needs == 0)
            to_cpu(w, i);
    run_ready(w, now);
}

static void clock(struct workload *w, uint64_t now, uint32_t c)
{
    struct player *p = w->own;
    uint32_t i = p->cpu[c].runs;
    LAW(i < w->conf.goal->ops && op_of(w, i)->cpu == c);
    p->cpu[c].runs = NOBODY;
    end_operation(w, i);
    cpu_is_due(p, c);
    run_ready(w, now);
}

static uint32_t send_of(struct workload *w, uint32_t conn, const struct workload_message *m)
{
    const struct player *p = w->own;
    return p->slot[(size_t)conn * w->conf.depth + m->index % w->conf.depth];
}

static void arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m)
{
    (void)lane;
    struct player *p = w->own;
    uint32_t send = send_of(w, conn, m), rank = op_of(w, send)->peer;
    uint32_t recv = partner(w, &p->posted[rank], send);
    if (recv == NOBODY)
        push_operation(&p->early[rank], p->next, send);
    else {
        LAW(p->stage[recv] == STARTED && op_of(w, recv)->rank == rank);
        p->stage[recv] = MATCHED;
        to_cpu(w, recv);
    }
    run_ready(w, now);
}

static void completed(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct workload_message *m)
{
    (void)lane;
    end_operation(w, send_of(w, conn, m));
    run_ready(w, now);
}

static void over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    (void)lane, (void)m;
    LAW(((struct player *)w->own)->left);
    ((struct player *)w->own)->left--;
    post_sends(w, now, conn);
    run_ready(w, now);
}

/* The first RECV that waits for its message; else the first operation that is not over. */
static bool waits(const struct workload *w, struct workload_waits *waits)
{
    const struct goal *g = w->conf.goal;
    const struct player *p = w->own;
    uint32_t found = g->ops;
    for (uint32_t i = 0; i < g->ops && p->left; i++) {
        bool hears = g->op[i].kind == GOAL_RECV && p->stage[i] == STARTED;
        if (hears || (found == g->ops && p->stage[i] != OVER))
            found = i;
        if (hears)
            break;
    }
    *waits = (struct workload_waits){.op = &g->op[found], .label = g->names + g->op[found].name};
    return found < g->ops;
}

#define PLAYS                                                                                     \
    .pairs = pairs, .pair = pair, .busiest = busiest, .lanes = lanes, .whole_size = whole_size,   \
    .clocks = clocks, .of_all = true, .octets = octets, .messages = messages, .prepare = prepare, \
    .begin = begin, .clock = clock, .arrived = arrived, .completed = completed, .over = over,     \
    .together = true, .waits = waits, .waits_for = "the schedule"

const struct workload_rule kind_goal = {
    .what = "a GOAL schedule from workload.file: sends, recvs and calcs of ranks, and what waits for what",
    .error = error,
    PLAYS};
const struct workload_rule kind_collective = {
    .what = "allreduce, all_gather, reduce_scatter, all_to_all or broadcast (workload.op), by ring, tree, "
            "halving or direct",
    .error = joint_error,
    PLAYS};
