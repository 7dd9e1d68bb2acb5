/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/fabric/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 4000 }; /* looks before a thread sleeps: a job follows soon as a rule */

struct team {
    team_work *work;
    void *context;
    pthread_t *thread;
    unsigned others; /* threads besides the caller's */
    uint32_t pieces;
    atomic_uint next, job,
        busy; /* piece to be taken; how many jobs there were; threads that are at this one */
    atomic_bool ends;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void work(struct team *t)
{
    uint32_t piece;
    while ((piece = atomic_fetch_add(&t->next, 1)) < t->pieces)
        t->work(t->context, piece);
}

static void wake_all(struct team *t)
{
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* Until *value is not `old` any more. */
static void wait_for_change(struct team *t, atomic_uint *value, unsigned old)
{
    for (int i = 0; i < SPINS; i++)
        if (atomic_load(value) != old)
            return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(value) == old)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *thread(void *team)
{
    struct team *t = team;
    for (unsigned job = 0;; job++) {
        wait_for_change(t, &t->job, job);
        if (atomic_load(&t->ends))
            return NULL;
        work(t);
        if (atomic_fetch_sub(&t->busy, 1) == 1)
            wake_all(t);
    }
}

static void begin_round(struct team *t)
{
    atomic_fetch_add(&t->job, 1);
    wake_all(t);
}

void team_do(struct team *t, uint32_t pieces)
{
    unsigned busy;
    t->pieces = pieces;
    atomic_store(&t->next, 0);
    atomic_store(&t->busy, t->others);
    begin_round(t);
    work(t);
    while ((busy = atomic_load(&t->busy)))
        wait_for_change(t, &t->busy, busy);
}

struct team *team_new(unsigned threads, team_work *does, void *context)
{
    struct team *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->work = does;
    t->context = context;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->thread = calloc(threads, sizeof *t->thread);
    while (t->thread && t->others + 1 < threads &&
           pthread_create(&t->thread[t->others], NULL, thread, t) == 0)
        t->others++;
    if (t->thread && t->others + 1 == threads)
        return t;
    team_free(t);
    return NULL;
}

void team_free(struct team *t)
{
    if (!t)
        return;
    atomic_store(&t->ends, true);
    begin_round(t);
    for (unsigned i = 0; i < t->others; i++)
        pthread_join(t->thread[i], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
    free(t->thread);
    free(t);
}
