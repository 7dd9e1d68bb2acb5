/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_make.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/list.h"

/* A list with room for one more than its `count`. */
#define GROW(list, count) ((list) = need(list_grow((list), (count), sizeof *(list))))

void goal_make_begin(struct goal_make *m)
{
    *m = (struct goal_make){.g = need(calloc(1, sizeof *m->g))};
    GROW(m->op, 0); /* one behind the last */
    m->op[0] = (struct goal_op){0};
}

void goal_make_rank(struct goal_make *m)
{
    m->first = m->g->ops;
    m->waits = 0;
}

static void count_op(struct goal *g, const struct goal_op *op)
{
    bool send = op->kind == GOAL_SEND;
    g->sends += send;
    g->octets += send ? op->amount : 0;
    if (send && op->amount > g->largest)
        g->largest = (uint32_t)op->amount;
    if (op->kind == GOAL_CALC && op->amount > g->longest)
        g->longest = op->amount;
}

uint32_t goal_make_op(struct goal_make *m, const struct goal_op *op)
{
    uint32_t i = m->g->ops++;
    GROW(m->op, i + 1);
    m->op[i] = *op;
    if (op->kind == GOAL_SEND)
        m->op[i].conn = goal_keys_add(&m->pairs, (struct goal_key){op->rank, op->peer, 0});
    count_op(m->g, op);
    return i;
}

void goal_make_wait(struct goal_make *m, uint32_t before, uint32_t after)
{
    GROW(m->wait, m->waits);
    m->op[after & ~GOAL_STARTED].needs++;
    m->wait[m->waits++] = (struct goal_wait){before, after};
}

/* Where the edges of each operation begin. */
static void count_edges(struct goal_make *m)
{
    uint32_t at = m->g->edges;
    for (uint32_t i = 0; i < m->waits; i++)
        m->op[m->wait[i].before].first++;
    for (uint32_t i = m->first; i < m->g->ops; i++) {
        uint32_t own = m->op[i].first;
        m->op[i].first = at;
        at += own;
    }
}

/* Each operation's edges together, in the order of the waits. */
void goal_make_rank_end(struct goal_make *m)
{
    struct goal *g = m->g;
    count_edges(m);
    for (uint32_t i = 0; i < m->waits; i++)
        GROW(m->edge, g->edges + i);
    for (uint32_t i = 0; i < m->waits; i++)
        m->edge[m->op[m->wait[i].before].first++] = m->wait[i].after;
    for (uint32_t i = g->ops; i-- > m->first;)
        m->op[i].first = i > m->first ? m->op[i - 1].first : g->edges;
    g->edges += m->waits;
    m->op[g->ops] = (struct goal_op){.first = g->edges};
}

/* ---- connections ---- */

struct numbered {
    uint32_t from, to, number;
};

static int by_ranks(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static void count_busiest(struct goal *g)
{
    uint32_t *of = need(calloc((size_t)g->ranks + 1, sizeof *of));
    for (uint32_t i = 0; i < g->connections; i++) {
        uint32_t from = ++of[g->pair[i].from], to = ++of[g->pair[i].to];
        g->busiest = from > g->busiest ? from : g->busiest;
        g->busiest = to > g->busiest ? to : g->busiest;
    }
    free(of);
}

/* Connections are numbered by their ranks, not by the order in which they were met. */
static void number_pairs(struct goal_make *m)
{
    uint32_t count = m->pairs.count, *number = need(malloc((count + 1) * sizeof *number));
    struct numbered *all = need(malloc((count + 1) * sizeof *all));
    struct workload_pair *pair = need(malloc((count + 1) * sizeof *pair));
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct numbered){m->pairs.key[i].from, m->pairs.key[i].to, i};
    qsort(all, count, sizeof *all, by_ranks);
    for (uint32_t i = 0; i < count; i++) {
        pair[i] = (struct workload_pair){all[i].from, all[i].to};
        number[all[i].number] = i;
    }
    for (uint32_t i = 0; i < m->g->ops; i++)
        if (m->op[i].kind == GOAL_SEND)
            m->op[i].conn = number[m->op[i].conn];
    free(number);
    free(all);
    m->g->connections = count;
    m->g->pair = pair;
}

struct goal *goal_make_end(struct goal_make *m)
{
    number_pairs(m);
    count_busiest(m->g);
    m->g->op = m->op;
    m->g->edge = m->edge;
    free(m->wait);
    goal_keys_free(&m->pairs);
    return m->g;
}

void goal_free(struct goal *g)
{
    free((void *)(uintptr_t)g->op);
    free((void *)(uintptr_t)g->edge);
    free((void *)(uintptr_t)g->pair);
    free((void *)(uintptr_t)g->names);
    free(g);
}
