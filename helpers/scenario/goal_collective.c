/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_collective.h"

#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/scenario/goal_make.h"
#include "scenarios/workloads/collective.h"

#define NONE UINT32_MAX

/* One rank, in one of its operations. */
struct telling {
    struct goal_make *m;
    uint32_t rank;
    uint32_t first; /* what its steps are numbered from */
    uint32_t last;  /* the last CALC; NONE */
};

/* A CALC that waits for all of `from` on, or for the RECVs alone. */
static uint32_t add_join(struct telling *t, uint32_t from, bool all)
{
    struct goal_make *m = t->m;
    uint32_t i = goal_make_op(m, &(struct goal_op){.rank = t->rank, .kind = GOAL_CALC, .cpu = t->rank});
    for (uint32_t before = from; before < i; before++)
        if (all || m->op[before].kind == GOAL_RECV)
            goal_make_wait(m, before, i);
    return t->last = i;
}

static uint32_t take_step(void *context, const struct collective_step *step)
{
    struct telling *t = context;
    if (step->kind == GOAL_CALC)
        return add_join(t, t->last == NONE ? t->first : t->last + 1, false) - t->first;
    struct goal_op op = {.rank = t->rank, .peer = step->peer, .amount = step->units, .cpu = t->rank};
    op.kind = step->kind;
    uint32_t i = goal_make_op(t->m, &op);
    uint32_t after = step->after == COLLECTIVE_LAST_CALC ? t->last : t->first + step->after;
    if (after != NONE)
        goal_make_wait(t->m, after, i);
    return i - t->first;
}

static void tell_rank(struct goal_make *m, const struct workload_conf *conf, uint32_t rank)
{
    struct telling t = {.m = m, .rank = rank, .last = NONE};
    goal_make_rank(m);
    for (uint64_t n = 0; n < conf->count; n++) {
        if (n)
            add_join(&t, t.first, true);
        t.first = m->g->ops;
        collective_steps(conf, rank, take_step, &t);
    }
    goal_make_rank_end(m);
}

static const struct goal *make_schedule(const struct workload_conf *conf)
{
    static char none[1];
    struct goal_make m;
    goal_make_begin(&m);
    m.g->ranks = m.g->cpus = conf->hosts;
    for (uint32_t rank = 0; rank < conf->hosts; rank++)
        tell_rank(&m, conf, rank);
    struct goal *g = goal_make_end(&m);
    g->names = none;
    return g;
}

static bool can_be_made(const struct workload_conf *conf)
{
    return conf->hosts >= 2 && !collective_error(conf) &&
           collective_cost(conf).messages <= COLLECTIVE_SENDS_MAX / conf->count;
}

static bool is_same(const struct workload_conf *a, const struct workload_conf *b)
{
    return a->op == b->op && a->by == b->by && a->hosts == b->hosts && a->count == b->count;
}

const struct goal *goal_collective(const struct workload_conf *conf)
{
    static struct workload_conf *made;
    static size_t count;
    size_t i = 0;
    while (i < count && !is_same(&made[i], conf))
        i++;
    if (i == count && can_be_made(conf)) {
        made = need(list_grow(made, count, sizeof *made));
        made[count] = *conf;
        made[count++].goal = make_schedule(conf);
    }
    return i < count ? made[i].goal : NULL;
}
