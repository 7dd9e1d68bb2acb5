/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/ddp.h"

#include <string.h>

#include "engine/iw.h"
#include "engine/law.h"
#include "engine/term.h"

void ddp_buffer_of(struct ddp_buffer *buffer, const struct iw_work *work)
{
    *buffer = (struct ddp_buffer){.id = work->id, .immediate_key = UINT64_MAX};
    if (work->sges) {
        buffer->stag = work->sge[0].stag;
        buffer->to = work->sge[0].to;
        buffer->len = work->sge[0].len;
    }
}

/* The one place where 32-bit serial numbers are compared (conformance.md R9). */
static bool serial_before(uint32_t a, uint32_t b)
{
    return a - b > UINT32_MAX / 2;
}

int ddp_check_msn(const struct ddp_queue *q, uint32_t msn)
{
    LAW(!q->max || q->next - q->first <= q->max); /* first <= next <= first + max, in serial arithmetic */
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
    if (len > size - mo)
        return IW_T_DDP_TOO_LONG;
    LAW((uint64_t)mo + len <= size); /* no octet lies beyond the buffer */
    return IW_OK;
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

void ddp_log_place(struct ddp_log *log, void *memory, uint32_t entries)
{
    log->slot = memory;
    log->order = log->slot ? (uint16_t *)(void *)(log->slot + entries) : NULL;
    log->mask = entries - 1;
}

void ddp_log_init(struct ddp_log *log)
{
    for (uint32_t i = 0; i <= log->mask; i++)
        log->order[i] = (uint16_t)i;
    LAW(log->max <= log->mask); /* one more has room */
}

void ddp_log_move(struct ddp_log *log, void *memory, uint32_t entries)
{
    struct ddp_log old = *log;
    uint32_t count = ddp_log_count(log);
    LAW(count <= entries);
    ddp_log_place(log, memory, entries);
    for (uint32_t i = 0; i < count; i++)
        log->slot[i] = *ddp_log_at(&old, old.get + i);
    log->get = 0;
    log->put = count;
    ddp_log_init(log);
}

/* Each number once: of a log that is small enough for a bit of each. */
static bool is_permutation(const struct ddp_log *log)
{
    uint64_t seen = 0;
    if (log->mask >= 64)
        return true;
    for (uint32_t i = 0; i <= log->mask; i++)
        seen |= UINT64_C(1) << log->order[i];
    return seen == UINT64_MAX >> (63 - log->mask);
}

/* Move the `n` numbers from `at` on to the next places of the ring. */
static void move_up(struct ddp_log *log, uint32_t at, uint32_t n)
{
    uint16_t *order = log->order;
    while (n) {
        uint32_t last = (at + n) & log->mask, piece = n < last ? n : last;
        if (last == 0) {
            order[0] = order[log->mask];
            piece = 1;
        } else {
            memmove(order + last - piece + 1, order + last - piece, piece * sizeof *order);
        }
        n -= piece;
    }
}

/* The same to the places before. */
static void move_down(struct ddp_log *log, uint32_t at, uint32_t n)
{
    uint16_t *order = log->order;
    while (n) {
        uint32_t first = at & log->mask, behind = log->mask + 1 - first, piece = n < behind ? n : behind;
        if (first == 0) {
            order[log->mask] = order[0];
            piece = 1;
        } else {
            memmove(order + first - 1, order + first, piece * sizeof *order);
        }
        at += piece;
        n -= piece;
    }
}

/* The first of `count` entries that is not before `key`. */
static uint32_t log_find(const struct ddp_log *log, uint32_t count, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ddp_log_at(log, log->get + middle)->key < key)
            low = middle + 1;
        else
            high = middle;
    }
    LAW(!low || ddp_log_at(log, log->get + low - 1)->key < key);
    LAW(low == count || ddp_log_at(log, log->get + low)->key >= key);
    return low;
}

struct ddp_landed *ddp_log_insert(struct ddp_log *log, uint64_t key)
{
    uint32_t count = ddp_log_count(log), before = log_find(log, count, key), at = log->get + before;
    if (before < count && ddp_log_at(log, at)->key == key)
        return NULL;
    uint16_t slot;
    if (before < count - before) { /* the fewer of them move */
        slot = log->order[--log->get & log->mask];
        move_down(log, log->get + 1, before);
        at--;
    } else {
        slot = log->order[log->put & log->mask];
        move_up(log, at, count - before);
        log->put++;
    }
    log->order[at & log->mask] = slot;
    LAW(ddp_log_count(log) <= log->max + 1); /* at most `max` entries out of order and one in order */
    LAW(is_permutation(log));
    LAW(!before || ddp_log_at(log, at - 1)->key < key);
    LAW(before == count || ddp_log_at(log, at + 1)->key > key);
    return &log->slot[slot];
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
    LAW(run->segments_ooo <= run->segments && run->first_key <= landed->key);
    run->open = !head->last;
    return IW_OK;
}
