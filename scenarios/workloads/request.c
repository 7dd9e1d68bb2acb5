/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/workloads/request.h"

static const char *const names[IW_OPS] = {[IW_SEND] = "Send",
                                          [IW_SEND_INV] = "Send with Invalidate",
                                          [IW_SEND_SE] = "Send with Solicited Event",
                                          [IW_SEND_SE_INV] = "Send with Solicited Event and Invalidate",
                                          [IW_WRITE] = "Write",
                                          [IW_READ] = "Read",
                                          [IW_FETCH_ADD] = "FetchAdd",
                                          [IW_CMP_SWAP] = "CmpSwap",
                                          [IW_IMMEDIATE] = "Immediate Data",
                                          [IW_IMMEDIATE_SE] = "Immediate Data with Solicited Event",
                                          [IW_DDP_TAGGED] = "tagged message",
                                          [IW_DDP_UNTAGGED] = "untagged message",
                                          [IW_RECV] = "receive"};

const char *request_name(enum iw_op op)
{
    return op < IW_OPS && names[op] ? names[op] : "request";
}

uint32_t request_length(const struct iw_work *work)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < work->sges; i++)
        length += work->sge[i].len;
    return length;
}
