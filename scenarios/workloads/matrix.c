/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.c -- a connection matrix (matrix.h): each message is one Write, which begins at its start or by a trigger.
 *
 *     its start, or its trigger -> due, behind others of its connection -> room in the lane: posted ... completed, in place
 *                                                                                                 |          |
 *                                               triggers that they give <-------------------------+----------+
 *
 * A trigger takes no time: what it begins is due in the same picosecond, wherever it is.
 */
#include "scenarios/workloads/matrix.h"

#include <stddef.h>
#include <string.h>

#include "scenarios/workloads/kind.h"

struct queue {
    uint32_t first, last;
};

struct player {
    uint64_t from;       /* the time that starts count from */
    struct queue *queue; /* of each connection: messages that are due and not posted */
    uint64_t *due;       /* of each message: since when */
    uint32_t *next;      /* of each message, in its queue */
    uint32_t *timed;     /* of each connection: the next of matrix.timed */
    uint32_t *left;      /* of each connection: messages that are not over */
    uint32_t *given;     /* of each trigger: how often */
    uint32_t *slot;      /* of each connection, `depth` of them: the message there */
};

/* ---- what it needs ---- */

/* A configuration that is refused may have none. */
static const struct matrix *matrix_of(const struct workload_conf *conf)
{
    static const struct matrix none;
    return conf->matrix ? conf->matrix : &none;
}

static uint32_t pairs(const struct workload_conf *conf)
{
    return matrix_of(conf)->connections;
}

static struct workload_pair pair(const struct workload_conf *conf, uint32_t conn)
{
    return matrix_of(conf)->pair[conn];
}

static const char *error(const struct workload_conf *conf)
{
    if (!conf->matrix)
        return "matrix needs workload.matrix, the name of a connection matrix beside the scenario or shipped";
    return conf->matrix->hosts > conf->hosts ? "the matrix has more hosts than there are" : NULL;
}

static uint64_t busiest(const struct workload_conf *conf)
{
    return matrix_of(conf)->busiest ? matrix_of(conf)->busiest : 1;
}

static uint32_t lanes(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    plan[0] = (struct workload_lane_plan){.op = IW_WRITE,
                                          .depth = conf->depth,
                                          .slot = slot_for(matrix_of(conf)->largest),
                                          .stags = 1,
                                          .report = true,
                                          .latency = true};
    return 1;
}

static uint64_t octets(const struct workload_conf *conf)
{
    return matrix_of(conf)->octets;
}

static uint64_t messages(const struct workload_conf *conf)
{
    return matrix_of(conf)->messages;
}

/* What stands behind struct player. */
enum { LISTS = 7 };
static void lists(const struct workload_conf *conf, struct workload_list list[LISTS])
{
    const struct matrix *m = conf->matrix;
    const struct workload_list all[LISTS] = {
        {offsetof(struct player, queue), sizeof(struct queue), m->connections},
        {offsetof(struct player, due), sizeof(uint64_t), m->messages},
        {offsetof(struct player, next), sizeof(uint32_t), m->messages},
        {offsetof(struct player, timed), sizeof(uint32_t), m->connections},
        {offsetof(struct player, left), sizeof(uint32_t), m->connections},
        {offsetof(struct player, given), sizeof(uint32_t), m->triggers},
        {offsetof(struct player, slot), sizeof(uint32_t), (size_t)m->connections * conf->depth}};
    memcpy(list, all, sizeof all);
}

static size_t whole_size(const struct workload_conf *conf)
{
    struct workload_list list[LISTS];
    lists(conf, list);
    return lists_size(sizeof(struct player), list, LISTS);
}

/* ---- messages that are due ---- */

static const struct matrix_message *message_of(const struct workload *w, uint32_t i)
{
    return &w->conf.matrix->message[i];
}

static void push_message(struct player *p, uint32_t conn, uint32_t i)
{
    struct queue *q = &p->queue[conn];
    p->next[i] = MATRIX_NONE;
    if (q->first == MATRIX_NONE)
        q->first = i;
    else
        p->next[q->last] = i;
    q->last = i;
}

static void post_due(struct workload *w, uint64_t now, uint32_t conn)
{
    struct player *p = w->own;
    struct queue *q = &p->queue[conn];
    while (q->first != MATRIX_NONE && !w->flow[conn].ended && !lane_full(w, conn, 0)) {
        uint32_t i = q->first;
        uint64_t index = w->flow[conn].lane[0].posted;
        struct workload_lane_post post = {
            .now = now, .t_post = p->due[i], .length = message_of(w, i)->octets};
        if (!lane_post(w, conn, 0, &post))
            return;
        p->slot[(size_t)conn * w->conf.depth + index % w->conf.depth] = i;
        q->first = p->next[i];
    }
}

static void begin_message(struct workload *w, uint64_t now, uint32_t i)
{
    struct player *p = w->own;
    uint32_t conn = message_of(w, i)->conn;
    LAW(p->left[conn] && p->due[i] == IW_NEVER); /* once */
    p->due[i] = now;
    push_message(p, conn, i);
    post_due(w, now, conn);
}

/* Those whose start has come; the next start is waited for. */
static void look_at_clock(struct workload *w, uint64_t now, uint32_t conn)
{
    const struct matrix *m = w->conf.matrix;
    struct player *p = w->own;
    uint32_t *at = &p->timed[conn];
    while (*at < m->first[conn + 1] && p->from + message_of(w, m->timed[*at])->start <= now)
        begin_message(w, now, m->timed[(*at)++]);
    if (*at < m->first[conn + 1])
        flow_wake(w, conn, p->from + message_of(w, m->timed[*at])->start);
}

/* ---- triggers ---- */

static void give(struct workload *w, uint64_t now, uint32_t trigger)
{
    if (trigger == MATRIX_NONE)
        return;
    const struct matrix_trigger *t = &w->conf.matrix->trigger[trigger];
    uint32_t given = ((struct player *)w->own)->given[trigger]++;
    uint32_t first = t->needs ? t->first : t->first + given;
    uint32_t end = t->needs || first >= t[1].first ? t[1].first : first + 1;
    if (!t->needs || given + 1 == t->needs)
        for (uint32_t i = first; i < end; i++) {
            LAW(message_of(w, w->conf.matrix->begins[i])->by == trigger);
            begin_message(w, now, w->conf.matrix->begins[i]);
        }
}

static const struct matrix_message *in_slot(const struct workload *w, uint32_t conn,
                                            const struct workload_message *m)
{
    const struct player *p = w->own;
    return message_of(w, p->slot[(size_t)conn * w->conf.depth + m->index % w->conf.depth]);
}

static void arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m)
{
    (void)lane;
    give(w, now, in_slot(w, conn, m)->received);
}

static void completed(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct workload_message *m)
{
    (void)lane;
    give(w, now, in_slot(w, conn, m)->sent);
}

static void over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    (void)lane, (void)m;
    struct player *p = w->own;
    LAW(p->left[conn]);
    if (--p->left[conn] == 0)
        flow_over(w, conn);
    else
        post_due(w, now, conn);
}

/* ---- life ---- */

static void fill_queues(struct workload *w)
{
    const struct matrix *m = w->conf.matrix;
    struct player *p = w->own;
    struct workload_list list[LISTS];
    lists(&w->conf, list);
    lists_lay(p, sizeof *p, list, LISTS);
    for (uint32_t c = 0; c < m->connections; c++) {
        p->queue[c] = (struct queue){MATRIX_NONE, MATRIX_NONE};
        p->timed[c] = m->first[c];
    }
    for (uint32_t i = 0; i < m->messages; i++) {
        LAW((message_of(w, i)->start == IW_NEVER) ==
            (message_of(w, i)->by != MATRIX_NONE)); /* a message begins at its start or by its trigger */
        p->due[i] = IW_NEVER;
        p->left[message_of(w, i)->conn]++;
    }
}

static int prepare(struct workload *w, uint32_t conn)
{
    if (conn == 0)
        fill_queues(w);
    return IW_OK;
}

static void start(struct workload *w, uint64_t now, uint32_t conn)
{
    ((struct player *)w->own)->from = now;
    look_at_clock(w, now, conn);
}

const struct workload_rule kind_matrix = {
    .what = "a connection matrix from workload.matrix: flows with a start, or begun by the end of others",
    .pairs = pairs,
    .pair = pair,
    .error = error,
    .busiest = busiest,
    .lanes = lanes,
    .whole_size = whole_size,
    .of_all = true,
    .octets = octets,
    .messages = messages,
    .prepare = prepare,
    .start = start,
    .woken = look_at_clock,
    .arrived = arrived,
    .completed = completed,
    .over = over,
    .waits_for = "the start of its next flow, by the clock or by another flow"};
