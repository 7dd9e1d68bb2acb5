/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_budget.h -- one message on an idle link, stage by stage, as the model itself counts them. */
#ifndef HELPERS_COMMAND_LATENCY_BUDGET_H
#define HELPERS_COMMAND_LATENCY_BUDGET_H

#include "helpers/scenario/point.h"

enum latency_leg { LEG_MESSAGE, LEG_REQUEST, LEG_ANSWER, LEGS }; /* a Read has a request and an answer */

struct latency_stage {
    enum latency_leg leg;
    const char *name;
    uint32_t octets; /* that it moves */
    uint64_t time;   /* ps */
};
enum { STAGES_MAX = 32 };
struct latency_budget {
    uint32_t count;
    struct latency_stage stage[STAGES_MAX];
    uint64_t sum;
};

/* From the post until the ULP has it: Send, the receiver's completion taken (pingpong: and a receive posted again); Write, the octets in place; Read, the
 * completion taken. Caches warm, nothing else under way, one segment. NULL, or why it cannot be said, with the key. */
const char *latency_budget_of(const struct scenario_point *point, struct latency_budget *stages);

#endif
