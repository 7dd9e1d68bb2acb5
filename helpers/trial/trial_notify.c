/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_notify.c -- what is measured of messages that a receiving program has taken (workload.notify). */
#include "helpers/trial/trial_inner.h"

void notify_measure_message(struct trial *t, const struct workload_message *m)
{
    struct trial_notify *n = &t->notify;
    bool early = m->t_taken < m->t_last_placed;
    t->no_memory |= !samples_add(early ? &n->early : &n->late,
                                 early ? m->t_last_placed - m->t_taken : m->t_taken - m->t_last_placed);
    t->no_memory |= !samples_add(&n->since_post, m->t_taken - m->t_post);
    n->stale += m->stale;
}

/* Nearest rank of what has a sign: the early ones, the largest first, then the others. */
static double median_fence(struct trial_notify *n)
{
    uint64_t all = n->early.count + n->late.count, rank = (all + 1) / 2;
    if (rank <= n->early.count)
        return -(double)samples_percentile(&n->early, (uint32_t)(n->early.count - rank + 1),
                                           (uint32_t)n->early.count);
    return (double)samples_percentile(&n->late, (uint32_t)(rank - n->early.count), (uint32_t)n->late.count);
}

void notify_measure_fill(struct trial *t)
{
    struct trial_notify *n = &t->notify;
    struct point_results *r = &t->r;
    uint64_t all = n->since_post.count;
    if (!all)
        return;
    r->reads_early = (double)n->early.count / (double)all;
    r->octets_stale = n->stale;
    r->fence_us = median_fence(n) / 1e6;
    r->notify_p50_ps = samples_percentile(&n->since_post, 50, 100);
    r->notify_p99_ps = samples_percentile(&n->since_post, 99, 100);
    if (!n->early.count)
        return;
    r->early_hole_p50_ps = samples_percentile(&n->early, 50, 100);
    r->early_hole_p99_ps = samples_percentile(&n->early, 99, 100);
}

void notify_measure_end(struct trial *t)
{
    samples_free(&t->notify.late);
    samples_free(&t->notify.early);
    samples_free(&t->notify.since_post);
}
