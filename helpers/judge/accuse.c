/* SPDX-License-Identifier: GPL-2.0-or-later */
/* accuse.c -- an accusation is told and counted: what judge.c and terminate.c both do (bench.h). */
#include "helpers/judge/bench.h"

#include <stdarg.h>
#include <stdio.h>

static void count_violation(struct judge_result *g, const struct judge_accusation *a)
{
    struct judge_verdict *v = &g->verdict[a->requirement];
    if (!v->violated++)
        v->frame = a->frame;
    g->accusations++;
}

void judge_accuse(const struct judge_place *at, const char *requirement, const char *format, ...)
{
    struct judge_accusation a = {.of = &at->b->c,
                                 .first = !at->b->accused,
                                 .conn = at->b->c.conn,
                                 .dir = at->dir,
                                 .frame = at->frame,
                                 .time_ns = at->time_ns,
                                 .requirement = catalogue_find(requirement)};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(a.what, sizeof a.what, format, arguments);
    va_end(arguments);
    at->b->accused = true;
    if (a.requirement < 0)
        return;
    count_violation(&at->docket->judgement, &a);
    at->docket->sink->accuse(at->docket->sink->context, &a);
}
