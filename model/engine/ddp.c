/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/ddp.h"

#include "engine/term.h"

/* The one place where 32-bit serial numbers are compared (conformance.md R9). */
static bool serial_before(uint32_t a, uint32_t b)
{
    return a - b > UINT32_MAX / 2;
}

int ddp_check_msn(const struct ddp_queue *q, uint32_t msn)
{
    if (serial_before(msn, q->first))
        return IW_T_DDP_MSN_RANGE;
    if (!serial_before(msn, q->next))
        return IW_T_DDP_NO_BUFFER;
    return IW_OK;
}

int ddp_check_mo(uint32_t mo, uint32_t len, uint32_t size)
{
    if (len ? mo >= size : mo > size)
        return IW_T_DDP_MO;
    return len > size - mo ? IW_T_DDP_TOO_LONG : IW_OK;
}

int ddp_stag_fault(enum stag_fault fault)
{
    static const int term[STAG_FAULTS] = {
        [STAG_OK] = IW_OK,
        [STAG_INVALID] = IW_T_DDP_STAG,
        [STAG_BOUNDS] = IW_T_DDP_BOUNDS,
        [STAG_RIGHTS] = IW_T_DDP_STAG, /* DDP has no code for rights (conformance.md F12) */
        [STAG_ASSOCIATION] = IW_T_DDP_ASSOCIATION,
        [STAG_WRAP] = IW_T_DDP_WRAP,
    };
    return term[fault];
}

struct ddp_landed *ddp_log_insert(struct ddp_log *log, uint64_t key)
{
    uint32_t at = log->put;
    if (at != log->get && key < log->ring[log->get & log->mask].key)
        return &log->ring[--log->get & log->mask];
    while (at != log->get && log->ring[(at - 1) & log->mask].key > key)
        at--;
    if (at != log->get && log->ring[(at - 1) & log->mask].key == key)
        return NULL;
    for (uint32_t i = log->put++; i != at; i--)
        log->ring[i & log->mask] = log->ring[(i - 1) & log->mask];
    return &log->ring[at & log->mask];
}

static int run_start(struct ddp_run *run, const struct ddp_landed *landed, const struct ddp_head *head)
{
    if (!head->tagged && head->mo != 0)
        return IW_T_DDP_MO;
    *run = (struct ddp_run){
        .open = true, .head = *head, .first_key = landed->key, .next = head->tagged ? head->to : 0};
    return IW_OK;
}

static int run_continues(const struct ddp_run *run, const struct ddp_head *head)
{
    const struct ddp_head *first = &run->head;
    if (head->tagged != first->tagged)
        return IW_T_DDP_CATASTROPHIC;
    if (head->tagged && head->rsvdulp != first->rsvdulp)
        return IW_T_DDP_CATASTROPHIC;
    if (head->tagged) {
        if (head->stag != first->stag)
            return IW_T_DDP_STAG;
        return head->to != run->next ? IW_T_DDP_BOUNDS : IW_OK;
    }
    if (head->qn != first->qn)
        return IW_T_DDP_QN;
    if (head->msn != first->msn)
        return IW_T_DDP_MSN_RANGE;
    return head->mo != run->next ? IW_T_DDP_MO : IW_OK;
}

int ddp_run_add(struct ddp_run *run, const struct ddp_landed *landed, const struct ddp_head *head)
{
    int term = run->open ? run_continues(run, head) : run_start(run, landed, head);
    if (term)
        return term;
    run->next += landed->payload_len;
    run->segments++;
    run->segments_ooo += landed->ooo;
    run->open = !head->last;
    return IW_OK;
}
