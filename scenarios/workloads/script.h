/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.h -- the language of workload.script, read. script.c says what it looks like. */
#ifndef IW_SCENARIOS_SCRIPT_H
#define IW_SCENARIOS_SCRIPT_H

#include "engine/iw.h"

enum { SCRIPT_STEPS_MAX = 32, SCRIPT_OCTETS_MAX = 16777216 };
#define SCRIPT_NO_BUFFER UINT32_MAX

/* What the other side has. */
enum script_memory {
    SCRIPT_HOME,     /* may be read and written */
    SCRIPT_NOTHING,  /* an STag that does not exist */
    SCRIPT_READABLE, /* remote read only */
    SCRIPT_WRITABLE, /* remote write only */
    SCRIPT_FOREIGN,  /* another protection domain */
    SCRIPT_MEMORIES
};

struct script_step {
    bool wait;          /* the rest means nothing then */
    bool fence, beyond; /* beyond: some of its octets lie outside the region */
    int side;
    enum iw_op op;
    enum script_memory memory; /* Writes, Reads; Sends with Invalidate: what is invalidated */
    uint32_t len;
    struct iw_atomic atomic; /* fetch_add, cmp_swap */
    uint32_t recv;           /* octets of the receive buffer; SCRIPT_NO_BUFFER: none is posted */
};

struct script {
    uint32_t count;
    struct script_step step[SCRIPT_STEPS_MAX];
};

/* NULL, or what is wrong in words. */
const char *script_read(const char *text, struct script *script);
bool script_has_atomics(const struct script *script);

#endif
