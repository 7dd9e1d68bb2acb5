/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/parallel.h"

#include <stdio.h>

#include "helpers/base/exit.h"
#include "helpers/campaign/ranks.h"

const struct parallel parallels[] = {
    [PARALLEL_THREADS] = {"threads", 64, offsetof(struct world, threads), false, NULL, NULL},
    [PARALLEL_RANKS] = {"ranks", 1024, offsetof(struct world, ranks), true, ranks_error, ranks_run},
};
_Static_assert(sizeof parallels / sizeof *parallels == PARALLELS, "each way has its row");

bool parallel_refuses(enum parallel_way way, const struct scenario_point *point,
                      char error[PARALLEL_ERROR_MAX])
{
    const struct parallel *w = &parallels[way];
    char names[64];
    worlds_that_have(w->has, names, sizeof names);
    if (!world_has(point->world, w->has)) {
        snprintf(error, PARALLEL_ERROR_MAX, "--%s needs world: %s", w->option, names);
        return true;
    }
    const char *why = w->error ? w->error(point) : NULL;
    if (why)
        snprintf(error, PARALLEL_ERROR_MAX, "--%s needs %s", w->option, why);
    return why != NULL;
}

const struct parallel *parallel_elsewhere(const struct run_options *o)
{
    for (int w = 0; w < PARALLELS; w++)
        if (o->parallel[w] > 1 && parallels[w].run)
            return &parallels[w];
    return NULL;
}

int parallel_run(const struct run_options *o, size_t index, const char *label)
{
    const struct parallel *way = parallel_elsewhere(o);
    int status = way ? way->run(o, index) : EXIT_AGAIN;
    if (way && status == EXIT_AGAIN)
        complain(0, "", "point %s: it did not end well with --%s: one process runs it again", label,
                 way->option);
    return status;
}
