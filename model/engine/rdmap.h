/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* rdmap.h -- what a message means (RFC 5040): figure 4 as a table, the checks of section 7.2, the Terminate. */
#ifndef IW_ENGINE_RDMAP_H
#define IW_ENGINE_RDMAP_H

#include "engine/ddp.h"
#include "engine/term.h"

enum { RDMAP_QN_SEND, RDMAP_QN_READ, RDMAP_QN_TERMINATE, RDMAP_QN_ATOMIC_RESP, RDMAP_QUEUES };

/* What to do with a message once DDP delivered it. */
enum rdmap_kind {
    RDMAP_KIND_WRITE,      /* nothing: never delivered to the ULP (RDMAP-5.1-2) */
    RDMAP_KIND_READ_REQ,   /* answer it */
    RDMAP_KIND_READ_RESP,  /* complete the oldest Read */
    RDMAP_KIND_SEND,       /* complete the oldest receive */
    RDMAP_KIND_TERMINATE,  /* the peer has ended the stream */
    RDMAP_KIND_ATOMIC_REQ, /* do it and answer it, in turn with the Read Requests (RFC 7306 5.4) */
    RDMAP_KIND_ATOMIC_RESP /* complete the oldest Atomic */
};

/* RFC 5040 figure 4, one row per opcode. */
struct rdmap_rule {
    const char *name;
    bool tagged, invalidates, solicited, immediate;
    bool rfc7306;
    uint8_t qn; /* untagged */
    enum rdmap_kind kind;
};
extern const struct rdmap_rule rdmap_rules[RDMAP_OPCODES];

/* Version, opcode, and T bit of one segment (RFC 5040 7.2): IW_OK, 0/2/05, 0/2/06. */
static inline int rdmap_check(const struct ddp_head *head, const struct rdmap_ctl *ctl, uint8_t version,
                              bool rfc7306)
{
    if (ctl->version != version)
        return IW_T_RDMA_VERSION;
    if (ctl->opcode >= RDMAP_OPCODES)
        return IW_T_RDMA_OPCODE;
    const struct rdmap_rule *rule = &rdmap_rules[ctl->opcode];
    if (rule->tagged != head->tagged || (rule->rfc7306 && !rfc7306))
        return IW_T_RDMA_OPCODE;
    return IW_OK;
}
/* The name that a Read Request's responder has for what stag_check() found. */
int rdmap_stag_fault(enum stag_fault fault);

/* What an Atomic Operation leaves where `original` was (RFC 7306 5.1.1, 5.1.2); `r->code` is FetchAdd or CmpSwap. */
uint64_t rdmap_atomic(const struct rdmap_atomic_req *r, uint64_t original);

/* Compose the Terminate for `term`: no headers for local and LLP errors, else length and DDP header of the segment
 * that caused it, and its RDMA header when it was a Read Request and the error is RDMAP's (conformance.md F9).
 * `head` NULL: no segment caused it. `read_req` NULL: not a Read Request. */
void rdmap_compose(struct rdmap_terminate *t, int term, const uint8_t *head, uint32_t head_len,
                   uint32_t payload_len, const uint8_t *read_req);

#endif
