/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_said.h -- what the words of a trace's line say, read back once where a trace is read (trial_event.c writes them).
 */
#ifndef HELPERS_TRIAL_TRACE_SAID_H
#define HELPERS_TRIAL_TRACE_SAID_H

#include "helpers/trial/trace_kinds.h"

enum { TRACE_SEEN = LLP_REASONS }; /* in a capture: an earlier frame carried the octets */
#define TRACE_NO_NUMBER UINT64_MAX

/* What a kind does not have is 0. */
struct trace_said {
    enum iw_op op; /* RECV, POST, DONE; IW_OPS: none that is known by a name */
    int term;      /* TERMINATE_SENT, TERMINATE_RECEIVED, FATAL, VIOLATION; DONE: with which it failed */
    bool fenced;   /* POST */
    bool flushed, acknowledged; /* DONE */
    iw_stag invalidated;
    uint64_t original; /* DONE of an Atomic: what was there; else TRACE_NO_NUMBER */
    unsigned reason;   /* RESENT: enum llp_reason, or TRACE_SEEN */
    bool spurious;     /* TIMEOUT: nothing was lost */
    bool reset;        /* CLOSES: RST, not FIN */
    unsigned packet;   /* ACK, HEARD: its number */
    bool behind;       /* ACK: something came behind what is missing */
    uint8_t opcode;    /* DELIVERED; RDMAP_OPCODES: none that is known */
};
struct trace_said trace_said(enum trace_kind kind, const char *text);

/* An operation that failed. */
static inline bool trace_said_failed(const struct trace_said *x)
{
    return x->flushed || x->term;
}

#endif
