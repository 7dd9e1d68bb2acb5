/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminate.h -- a Terminate, judged: its octets, and what it answers. */
#ifndef HELPERS_JUDGE_TERMINATE_H
#define HELPERS_JUDGE_TERMINATE_H

#include "helpers/judge/bench.h"

/* Who is told of a fault in it: the requirement's ID and a sentence as printf has it. */
struct terminate_ear {
    void *context;
    void (*fault)(void *context, const char *requirement, const char *sentence);
};

/* `m` is a Terminate of direction m->dir that was delivered. */
void terminate_judge(const struct judge_bench *b, const struct decode_message *m,
                     const struct terminate_ear *ear);

#endif
