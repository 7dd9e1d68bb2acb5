/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.h -- what a request is called wherever people read of it. */
#ifndef SCENARIOS_WORKLOADS_REQUEST_H
#define SCENARIOS_WORKLOADS_REQUEST_H

#include "engine/iw.h"

/* "Send with Invalidate"; "request" for what has no name. */
const char *request_name(enum iw_op op);
/* Octets of its list. */
uint32_t request_length(const struct iw_work *work);

/* Into memory that its header names. */
static inline bool request_is_write(enum iw_op op)
{
    return op == IW_WRITE || op == IW_DDP_TAGGED;
}
static inline bool request_is_send(enum iw_op op)
{
    return op <= IW_SEND_SE_INV || op == IW_DDP_UNTAGGED;
}
/* It is told to the receiver's ULP, and takes one of its receives. */
static inline bool request_takes_receive(enum iw_op op)
{
    return request_is_send(op) || op == IW_IMMEDIATE;
}
static inline bool request_is_atomic(enum iw_op op)
{
    return op == IW_FETCH_ADD || op == IW_CMP_SWAP;
}
/* Its completion brings the answer, and the other side is told nothing. */
static inline bool request_is_asked_for(enum iw_op op)
{
    return op == IW_READ || request_is_atomic(op);
}

#endif
