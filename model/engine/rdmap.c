/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/rdmap.h"

#include <string.h>

#include "engine/term.h"

#define ENTRY(name, layer, etype, code, section, meaning) {name, #name, section, meaning},
const struct iw_term_entry iw_terms[] = {IW_TERM_TABLE(ENTRY)};
#undef ENTRY
const uint32_t iw_terms_count = sizeof iw_terms / sizeof iw_terms[0];

const struct iw_term_entry *iw_term_entry(int term)
{
    for (uint32_t i = 0; i < iw_terms_count; i++)
        if (iw_terms[i].term == term)
            return &iw_terms[i];
    return NULL;
}

/* clang-format off */
const struct rdmap_rule rdmap_rules[RDMAP_OPCODES] = {
    /*                      name                tagged inv    se     imm    7306   QN                    kind */
    [RDMAP_WRITE]        = {"Write",             true,  false, false, false, false, 0,                    RDMAP_KIND_WRITE},
    [RDMAP_READ_REQ]     = {"Read Request",      false, false, false, false, false, RDMAP_QN_READ,        RDMAP_KIND_READ_REQ},
    [RDMAP_READ_RESP]    = {"Read Response",     true,  false, false, false, false, 0,                    RDMAP_KIND_READ_RESP},
    [RDMAP_SEND]         = {"Send",              false, false, false, false, false, RDMAP_QN_SEND,        RDMAP_KIND_SEND},
    [RDMAP_SEND_INV]     = {"Send with Invalidate", false, true, false, false, false, RDMAP_QN_SEND,      RDMAP_KIND_SEND},
    [RDMAP_SEND_SE]      = {"Send with SE",      false, false, true,  false, false, RDMAP_QN_SEND,        RDMAP_KIND_SEND},
    [RDMAP_SEND_SE_INV]  = {"Send with SE and Invalidate", false, true, true, false, false, RDMAP_QN_SEND, RDMAP_KIND_SEND},
    [RDMAP_TERMINATE]    = {"Terminate",         false, false, false, false, false, RDMAP_QN_TERMINATE,   RDMAP_KIND_TERMINATE},
    [RDMAP_IMMEDIATE]    = {"Immediate Data",    false, false, false, true,  true,  RDMAP_QN_SEND,        RDMAP_KIND_SEND},
    [RDMAP_IMMEDIATE_SE] = {"Immediate Data with SE", false, false, true, true, true, RDMAP_QN_SEND,      RDMAP_KIND_SEND},
    [RDMAP_ATOMIC_REQ]   = {"Atomic Request",    false, false, false, false, true,  RDMAP_QN_READ,        RDMAP_KIND_ATOMIC_REQ},
    [RDMAP_ATOMIC_RESP]  = {"Atomic Response",   false, false, false, false, true,  RDMAP_QN_ATOMIC_RESP, RDMAP_KIND_ATOMIC_RESP},
};
/* clang-format on */

int rdmap_stag_fault(enum stag_fault fault)
{
    static const int term[STAG_FAULTS] = {
        [STAG_OK] = IW_OK,
        [STAG_INVALID] = IW_T_RDMA_STAG,
        [STAG_BOUNDS] = IW_T_RDMA_BOUNDS,
        [STAG_RIGHTS] = IW_T_RDMA_RIGHTS,
        [STAG_ASSOCIATION] = IW_T_RDMA_ASSOCIATION,
        [STAG_WRAP] = IW_T_RDMA_WRAP,
    };
    return term[fault];
}

/* Each bit of the mask is the highest of a field: no carry leaves it. Without those bits nothing is carried out of a
 * field, and what is carried into them they add without carry. */
static uint64_t fetch_add(const struct rdmap_atomic_req *r, uint64_t original)
{
    uint64_t inside = (original & ~r->mask) + (r->data & ~r->mask);
    return inside ^ ((original ^ r->data) & r->mask);
}

static uint64_t cmp_swap(const struct rdmap_atomic_req *r, uint64_t original)
{
    if ((r->compare ^ original) & r->compare_mask)
        return original;
    return (original & ~r->mask) | (r->data & r->mask);
}

uint64_t rdmap_atomic(const struct rdmap_atomic_req *r, uint64_t original)
{
    return r->code == RDMAP_FETCH_ADD ? fetch_add(r, original) : cmp_swap(r, original);
}

enum { LAYER_RDMA, LAYER_DDP, LAYER_LLP, ETYPE_LOCAL = 0 };

void rdmap_compose(struct rdmap_terminate *t, int term, const uint8_t *head, uint32_t head_len,
                   uint32_t payload_len, const uint8_t *read_req)
{
    *t = (struct rdmap_terminate){.term = term};
    bool named = IW_TERM_LAYER(term) != LAYER_LLP && IW_TERM_ETYPE(term) != ETYPE_LOCAL;
    if (!head || !named || head_len < IW_HEAD_TAGGED)
        return;
    t->m = t->d = true;
    t->segment_len = (uint16_t)(head_len + payload_len);
    t->head_len = (uint8_t)head_len;
    memcpy(t->head, head, head_len);
    if (!read_req || IW_TERM_LAYER(term) != LAYER_RDMA)
        return;
    t->r = true;
    memcpy(t->read_req, read_req, IW_READ_REQ_SIZE);
}
