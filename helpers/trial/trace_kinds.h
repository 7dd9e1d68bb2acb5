/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_kinds.h -- the kinds of lines of a trace, for who writes them and for who reads them: those of a node's events
 * (node/event.h), and those that no node tells.
 */
#ifndef HELPERS_TRIAL_TRACE_KINDS_H
#define HELPERS_TRIAL_TRACE_KINDS_H

#include "node/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a capture's start-up and errors; of memory, requests and the program that reads (its time may be later than those of lines
 * behind it); of what happens on the way; of an adapter without room; of an endpoint. */
#define TRACE_TABLE(X)                          \
    X(STARTUP, "startup")                       \
    X(VIOLATION, "violation")                   \
    X(REGION, "region")                         \
    X(REBIND, "rebind")                         \
    X(INVALIDATE, "invalidate")                 \
    X(RECV, "recv")                             \
    X(POST, "post")                             \
    X(LOOKED, "looked")                         \
    X(LOST, "lost")                             \
    X(LINK, "link")                             \
    X(DROPPED, "dropped")                       \
    X(TERMINATE_SENT, "terminate_sent")         \
    X(TERMINATE_RECEIVED, "terminate_received") \
    X(HALF_CLOSED, "half_closed")               \
    X(FATAL, "fatal")                           \
    X(CLOSED, "closed")                         \
    X(NO_BUFFER, "no_buffer")

#define TRACE_NODE_VALUE(kind, traced, word, source, says, traits) TRACE_##traced,
#define TRACE_VALUE(kind, word)                                    TRACE_##kind,
enum trace_kind {
    TRACE_OTHER, /* a world's own, in its own word */
    NODE_EVENT_TABLE(TRACE_NODE_VALUE) TRACE_TABLE(TRACE_VALUE) TRACE_KINDS
};
#undef TRACE_NODE_VALUE
#undef TRACE_VALUE

/* "": no line has it. */
extern const char *const trace_words[TRACE_KINDS];
/* Of a word, or a cell that begins with it; TRACE_OTHER: none. */
enum trace_kind trace_kind_of(const char *word);

#ifdef __cplusplus
}
#endif
#endif
