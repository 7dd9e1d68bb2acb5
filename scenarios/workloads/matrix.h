/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.h -- a connection matrix as it is run: messages of connections, when each begins, and what it begins. Made from text by
 * helpers/scenario/matrix_read.h; 40 octets a message.
 *
 * Law: a message begins at its start or by its trigger, never by both.
 */
#ifndef IW_SCENARIOS_MATRIX_H
#define IW_SCENARIOS_MATRIX_H

#include "scenarios/workloads/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MATRIX_NONE UINT32_MAX

struct matrix_message {
    uint64_t start; /* picoseconds; IW_NEVER: when trigger `by` says so */
    uint32_t octets, conn;
    uint32_t by;             /* MATRIX_NONE: it has a start */
    uint32_t sent, received; /* triggers: it has completed at its sender; is in place. MATRIX_NONE: none */
    uint32_t line;           /* of the text */
};

struct matrix_trigger {
    uint32_t needs; /* it is given so often, then all of its messages begin; 0: each time the next of them */
    uint32_t first; /* of `begins`; the next trigger's `first` ends them */
};

struct matrix {
    uint32_t hosts, connections, messages, triggers;
    uint32_t busiest;                     /* connections of the host that has most */
    uint32_t deepest;                     /* messages of the connection that has most */
    uint32_t largest;                     /* octets */
    uint32_t line;                        /* that says how many hosts there are */
    uint64_t octets;                      /* of all */
    const struct matrix_message *message; /* in the order of the text */
    const struct matrix_trigger *trigger; /* and one behind the last */
    const uint32_t *begins;               /* messages of the triggers */
    const uint32_t *timed;                /* messages with a start: by connection, start and line */
    const uint32_t *first;                /* of each connection in `timed`, and one behind */
    const struct workload_pair *pair;     /* of each connection: `from` writes */
};

#ifdef __cplusplus
}
#endif
#endif
