/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/longer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/process.h"
#include "helpers/campaign/parallel.h"
#include "helpers/scenario/scenario.h"

enum { GRACE = 10 }; /* seconds, as a worker's */

/* The scenario with both keys so many times what they are at `p`; NULL: it would not be valid. */
static struct scenario *scenario_longer(const struct run_options *o, size_t index,
                                        const struct scenario_point *p, uint64_t times,
                                        struct scenario_point *longer)
{
    char error[SCENARIO_ERROR_MAX], count[64], span[64];
    const char **sets = need(calloc(o->sets_count + 2, sizeof *sets));
    size_t n = o->sets_count;
    memcpy(sets, o->sets, n * sizeof *sets);
    snprintf(count, sizeof count, "workload.count=%llu", (unsigned long long)(p->workload.count * times));
    snprintf(span, sizeof span, "measure.for=%llups", (unsigned long long)(p->measure.span * times));
    if (scenario_counted(p))
        sets[n++] = count;
    if (p->measure.span)
        sets[n++] = span;
    struct scenario *s = scenario_open(o->file, sets, n, error);
    free(sets);
    if (s && scenario_point(s, index, o->repeat, longer, error))
        return s;
    scenario_free(s);
    return NULL;
}

/* Is there time for it, and does it stay within the ranges of its keys? */
static bool is_allowed(const struct run_options *o, size_t index, const struct scenario_point *p,
                       uint64_t times, uint64_t simulated, double wall)
{
    struct scenario_point longer;
    if ((double)simulated * (double)times > (double)p->limit.sim ||
        wall * (double)times > (double)p->limit.wall / 1e12)
        return false;
    struct scenario *s = scenario_longer(o, index, p, times, &longer);
    scenario_free(s);
    return s != NULL;
}

bool longer_again(struct longer *l, const struct run_options *o, size_t index,
                  const struct scenario_point *point, const struct point_results *r, uint64_t simulated,
                  double wall)
{
    bool well = r->status == STATUS_OK;
    uint64_t by = (uint64_t)r->enough;
    if (l->last || (well && !r->marked) || (!well && l->times == 1) ||
        (well && !is_allowed(o, index, point, by, simulated, wall)))
        return false;
    l->last = !well;
    l->good = well ? l->times : l->good;
    l->times = well ? l->times * by : l->good;
    return true;
}

/* In a process of its own, which ends with it. */
static void run_here(struct longer *l, const struct run_options *o, size_t index,
                     const struct scenario_point *point, longer_length *length, void *context)
{
    struct scenario_point longer = *point;
    struct scenario *s = scenario_longer(o, index, point, l->times, &longer);
    int status = length(context, &longer, l);
    scenario_free(s);
    fflush(NULL);
    _exit(status);
}

static int run_apart(struct longer *l, const struct run_options *o, size_t index,
                     const struct scenario_point *point, longer_length *length, void *context)
{
    fflush(NULL);
    bool watched = alarm(0) != 0; /* by a worker: each of them has as long */
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (watched)
            alarm((unsigned)(point->limit.wall / 1000000000000u) + GRACE);
        if (getppid() == parent)
            run_here(l, o, index, point, length, context);
        _exit(EXIT_FAILED);
    }
    int how = process_wait(child);
    if (WIFSIGNALED(how))
        raise(WTERMSIG(how)); /* so that who waits for this one hears how it ended */
    return WIFEXITED(how) ? WEXITSTATUS(how) : EXIT_FAILED;
}

int longer_run(const struct run_options *o, size_t index, const struct scenario_point *point,
               longer_length *length, void *context)
{
    int status;
    struct longer *l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(l == MAP_FAILED ? NULL : l);
    *l = (struct longer){.times = 1, .good = 1};
    do
        status = run_apart(l, o, index, point, length, context);
    while (status == EXIT_AGAIN);
    munmap(l, sizeof *l);
    return status;
}
