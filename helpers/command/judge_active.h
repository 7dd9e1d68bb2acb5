/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_active.h -- judge --connect and --self: all cases of a file, and the reports. */
#ifndef HELPERS_COMMAND_JUDGE_ACTIVE_H
#define HELPERS_COMMAND_JUDGE_ACTIVE_H

#include "helpers/judge/case.h"

struct judge_order {
    const char *address; /* NULL: our own engine (self) */
    bool self;
    const char *cases; /* NULL: those that ship */
    const char *only;  /* NULL: all */
    const char *junit, *page;
    bool json;
    unsigned gap_ms; /* 0: 300 */
    struct case_memory memory;
};

/* What to exit with. */
int judge_active(const struct judge_order *o);

#endif
