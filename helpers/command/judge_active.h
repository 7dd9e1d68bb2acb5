/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_active.h -- judge --connect, --serve and --self: all cases of a file, and the reports. */
#ifndef HELPERS_COMMAND_JUDGE_ACTIVE_H
#define HELPERS_COMMAND_JUDGE_ACTIVE_H

#include "helpers/judge/case.h"

struct judge_order {
    const char *address; /* of the peer; NULL: it connects, or it is our own engine */
    bool serves;         /* the judge listens at: */
    const char *host;    /* NULL: 127.0.0.1 */
    uint16_t port;
    bool self;           /* our own engine */
    const char *profile; /* that of llp.profile; NULL: rfc */
    uint32_t wait_s;     /* how long the next connection may take; 0: a minute */
    const char *cases;   /* NULL: those that ship */
    const char *only;    /* NULL: all */
    const char *junit, *page;
    const char *captures; /* a folder for those of cases that are not right; NULL: none */
    const char *restart;  /* a command that starts the peer again; NULL: none */
    uint32_t jobs;        /* cases at once; 0: many, if the peer answers two */
    bool json;
    uint32_t gap_ms; /* 0: 300 */
    struct case_memory memory;
};

/* What to exit with. */
int judge_active(const struct judge_order *o);

#endif
