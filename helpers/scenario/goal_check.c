/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/scenario/goal_keys.h"
#include "helpers/scenario/goal_read.h"

#define NONE UINT32_MAX

/* ---- words ---- */

static void number_or_any(uint32_t n, const char *any, char text[32])
{
    if (n == GOAL_ANY)
        snprintf(text, 32, "%s", any);
    else
        snprintf(text, 32, "%u", n);
}

void goal_op_text(const struct goal_op *op, const char *label, char text[GOAL_OP_TEXT])
{
    char peer[32], tag[32];
    number_or_any(op->peer, "any rank", peer);
    number_or_any(op->tag, "any", tag);
    int used = snprintf(text, GOAL_OP_TEXT, "rank %u, %s%s(line %u): ", op->rank, label, *label ? " " : "",
                        op->line);
    if (op->kind == GOAL_CALC)
        snprintf(text + used, GOAL_OP_TEXT - (size_t)used, "calc %llu",
                 (unsigned long long)(op->amount / 1000));
    else
        snprintf(text + used, GOAL_OP_TEXT - (size_t)used, "%s %s tag %s",
                 op->kind == GOAL_SEND ? "send to" : "recv from", peer, tag);
}

static bool refuse_operation(const struct goal *g, uint32_t i, const char *name, const char *what,
                             char *error)
{
    char text[GOAL_OP_TEXT];
    goal_op_text(&g->op[i], g->names + g->op[i].name, text);
    return complaint(error, GOAL_ERROR_MAX, name, g->op[i].line, 0, "%s %s", text, what);
}

/* ---- who goes together ---- */

/* What may take each other: with the same ranks and tag, or with anything that one rank may take. */
struct meeting {
    uint32_t sends, recvs, last_send, last_recv;
    uint32_t waits; /* the first RECV that waits for such a message; then `next` */
    bool any, sent; /* a RECV takes one from anyone, or with any tag */
};

struct checker {
    const struct goal *g;
    struct goal_keys keys;
    uint32_t *key;             /* of each SEND, and each RECV that names rank and tag */
    struct meeting *of, *rank; /* of each key; of each rank that receives */
    uint32_t *needs, *next, *order,
        count; /* operations that have started, and those that are over, in turn */
    uint8_t *over;
};

static bool is_any(const struct goal_op *op)
{
    return op->kind == GOAL_RECV && (op->peer == GOAL_ANY || op->tag == GOAL_ANY);
}

static void give_keys(struct checker *c)
{
    for (uint32_t i = 0; i < c->g->ops; i++) {
        const struct goal_op *op = &c->g->op[i];
        bool send = op->kind == GOAL_SEND;
        struct goal_key key = {send ? op->rank : op->peer, send ? op->peer : op->rank, op->tag};
        if (op->kind != GOAL_CALC && !is_any(op))
            c->key[i] = goal_keys_add(&c->keys, key);
    }
}

static struct meeting *rank_of(const struct checker *c, const struct goal_op *op)
{
    return &c->rank[op->kind == GOAL_SEND ? op->peer : op->rank];
}

static void note(struct meeting *m, uint32_t i, bool send)
{
    ++*(send ? &m->sends : &m->recvs);
    *(send ? &m->last_send : &m->last_recv) = i;
}

static void count_operations(struct checker *c)
{
    for (uint32_t i = 0; i < c->g->ops; i++) {
        const struct goal_op *op = &c->g->op[i];
        if (op->kind == GOAL_CALC)
            continue;
        note(rank_of(c, op), i, op->kind == GOAL_SEND);
        if (is_any(op))
            rank_of(c, op)->any = true;
        else
            note(&c->of[c->key[i]], i, op->kind == GOAL_SEND);
    }
}

static bool uneven(const struct checker *c, const char *name, const struct meeting *m, const char *which,
                   char *error)
{
    char what[120];
    bool lacks = m->recvs > m->sends;
    snprintf(what, sizeof what, "%s: %u sends, %u recvs %s", lacks ? "never gets a message" : "has no recv",
             m->sends, m->recvs, which);
    return refuse_operation(c->g, lacks ? m->last_recv : m->last_send, name, what, error);
}

static bool all_go_together(const struct checker *c, const char *name, char *error)
{
    for (uint32_t k = 0; k < c->keys.count; k++) {
        const struct meeting *m = &c->of[k];
        if (m->recvs > m->sends || (m->sends > m->recvs && !c->rank[c->keys.key[k].to].any))
            return uneven(c, name, m, "of these ranks and this tag", error);
    }
    for (uint32_t r = 0; r < c->g->ranks; r++)
        if (c->rank[r].sends != c->rank[r].recvs)
            return uneven(c, name, &c->rank[r], "at this rank", error);
    return true;
}

/* ---- what can start ---- */

static void end_operation(struct checker *c, uint32_t i)
{
    c->over[i] = true;
    c->order[c->count++] = i;
}

static void all_are_over(struct checker *c, uint32_t *waits)
{
    for (uint32_t i = *waits; i != NONE; i = c->next[i])
        end_operation(c, i);
    *waits = NONE;
}

static void starts(struct checker *c, uint32_t i)
{
    const struct goal_op *op = &c->g->op[i];
    struct meeting *rank = rank_of(c, op), *m = is_any(op) ? rank : &c->of[c->key[i]];
    if (op->kind == GOAL_SEND) {
        rank->sent = m->sent = true;
        all_are_over(c, &m->waits);
        all_are_over(c, &rank->waits);
    }
    if (op->kind != GOAL_RECV || m->sent) {
        end_operation(c, i);
    } else {
        c->next[i] = m->waits;
        m->waits = i;
    }
}

/* `order` has an operation when it has started, and when it is over: twice at most. */
static void release(struct checker *c, uint32_t i, uint32_t started)
{
    const struct goal_op *op = &c->g->op[i];
    for (uint32_t e = op->first; e < op[1].first; e++) {
        uint32_t after = c->g->edge[e] & ~GOAL_STARTED;
        if ((c->g->edge[e] & GOAL_STARTED) == started && --c->needs[after] == 0)
            c->order[c->count++] = after | GOAL_STARTED;
    }
}

static bool can_end(struct checker *c, const char *name, char *error)
{
    const struct goal *g = c->g;
    for (uint32_t i = 0; i < g->ops; i++)
        if (c->needs[i] == 0)
            c->order[c->count++] = i | GOAL_STARTED;
    for (uint32_t n = 0; n < c->count; n++) {
        uint32_t i = c->order[n] & ~GOAL_STARTED;
        if (c->order[n] & GOAL_STARTED)
            starts(c, i);
        release(c, i, c->order[n] & GOAL_STARTED);
    }
    for (uint32_t i = 0; i < g->ops; i++)
        if (!c->over[i] && c->needs[i] == 0)
            return refuse_operation(
                g, i, name,
                "never gets a message: every send that it could take waits, by way of others, for it", error);
    return true;
}

/* ---- the whole ---- */

static void empty(struct checker *c)
{
    for (uint32_t k = 0; k < c->keys.count; k++)
        c->of[k].waits = NONE;
    for (uint32_t r = 0; r < c->g->ranks; r++)
        c->rank[r].waits = NONE;
    for (uint32_t i = 0; i < c->g->ops; i++)
        c->needs[i] = c->g->op[i].needs;
}

bool goal_check(const struct goal *g, const char *name, char *error)
{
    size_t ops = g->ops;
    struct checker c = {.g = g,
                        .key = need(calloc(ops, sizeof *c.key)),
                        .rank = need(calloc(g->ranks, sizeof *c.rank)),
                        .needs = need(calloc(ops, sizeof *c.needs)),
                        .next = need(calloc(ops, sizeof *c.next)),
                        .order = need(calloc(2 * ops, sizeof *c.order)),
                        .over = need(calloc(ops, sizeof *c.over))};
    give_keys(&c);
    c.of = need(calloc(c.keys.count + 1, sizeof *c.of));
    empty(&c);
    count_operations(&c);
    bool good = all_go_together(&c, name, error) && can_end(&c, name, error);
    free(c.key);
    free(c.rank);
    free(c.needs);
    free(c.next);
    free(c.order);
    free(c.over);
    free(c.of);
    goal_keys_free(&c.keys);
    return good;
}
