/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ddp.h -- where octets go (RFC 5041): cut messages, check segments, remember what waits for its turn.
 *
 * Three small machines without knowledge of RDMAP:
 *   ddp_queue  untagged buffers of one QN: first (oldest undelivered MSN) .. next (MSN of the next buffer posted)
 *   ddp_log    segments that are placed and not yet delivered, in the order sent
 *   ddp_run    the message under way at the delivered edge: is every segment what the one before it promised?
 */
#ifndef IW_ENGINE_DDP_H
#define IW_ENGINE_DDP_H

#include "engine/stag.h"
#include "engine/wire.h"

/* ---- untagged buffers ---- */

struct ddp_buffer {
    uint64_t id;
    uint64_t to;
    iw_stag stag;
    uint32_t len;
    uint64_t immediate;     /* what an Immediate Data message brought instead of placing octets (RFC 7306) */
    uint64_t immediate_key; /* of its segment: of several the first counts; UINT64_MAX: none */
};

struct iw_work;
void ddp_buffer_of(struct ddp_buffer *buffer, const struct iw_work *work);
/* Of a queue that takes its buffers from elsewhere: the message has none yet. No buffer that can be posted looks like it: it
 * would wrap. */
static inline bool ddp_buffer_is_missing(const struct ddp_buffer *b)
{
    return b->to == UINT64_MAX && b->len == UINT32_MAX;
}
static inline void ddp_buffer_forget(struct ddp_buffer *b)
{
    b->to = UINT64_MAX;
    b->len = UINT32_MAX;
}

/* Law: first <= next <= first + max, in serial arithmetic modulo 2^32 (DDP-4.3-11). */
struct ddp_queue {
    uint32_t qn;
    uint32_t first, next;
    uint32_t max;
    uint32_t mask;
    struct ddp_buffer
        *buffer; /* by MSN & mask; NULL before the first, and for the queues whose content RDMAP keeps */
};

/* IW_OK; 1/2/03 behind `first`, 1/2/02 at or beyond `next` (conformance.md F18). */
int ddp_check_msn(const struct ddp_queue *q, uint32_t msn);
/* IW_OK; 1/2/04 or 1/2/05 for a segment of `len` octets at `mo` of a buffer of `size` (F19); an empty one may be at its
 * end (F21). */
int ddp_check_mo(uint32_t mo, uint32_t len, uint32_t size);
/* The tagged buffer model's name for what stag_check() found (RFC 5041 7.2). */
int ddp_stag_fault(enum stag_fault fault);

/* ---- placed, not yet delivered ---- */

/* One segment beyond the delivered edge. */
struct ddp_landed {
    uint64_t key;
    uint32_t payload_len;
    uint8_t head_len;
    bool ooo;
    uint8_t head[IW_HEAD_MAX];
};

/* Sorted by key: the segments lie in `slot`, `order` is a ring that says in which order, so that one in the middle costs
 * a move of small numbers. Law: at most `max` entries out of order and one in order, keys strictly increasing; all of
 * `order` is a permutation: what lies outside get .. put are the free slots. */
struct ddp_log {
    struct ddp_landed *slot;
    uint16_t *order;
    uint32_t mask, get, put, max;
};

enum {
    DDP_LOG_OCTETS = sizeof(struct ddp_landed) + sizeof(uint16_t)
}; /* of an entry and its place in the order */
/* The log, empty, in memory of so many entries; the same with what it holds. */
void ddp_log_place(struct ddp_log *log, void *memory, uint32_t entries);
void ddp_log_init(struct ddp_log *log);
void ddp_log_move(struct ddp_log *log, void *memory, uint32_t entries);
static inline uint32_t ddp_log_count(const struct ddp_log *log)
{
    return log->put - log->get;
}
static inline struct ddp_landed *ddp_log_at(const struct ddp_log *log, uint32_t i)
{
    return &log->slot[log->order[i & log->mask]];
}
/* Room for the segment `key`, in its place among the others, for the caller to fill; NULL when it is remembered
 * already (a duplicate before delivery, DDP-5.3-6). */
struct ddp_landed *ddp_log_insert(struct ddp_log *log, uint64_t key);
static inline struct ddp_landed *ddp_log_add(struct ddp_log *log, uint64_t key)
{
    if (log->put != log->get && ddp_log_at(log, log->put - 1)->key >= key)
        return ddp_log_insert(log, key);
    return ddp_log_at(log, log->put++);
}
/* The oldest entry below `key`, removed; NULL when there is none. Valid until the next ddp_log_add(). */
static inline const struct ddp_landed *ddp_log_take(struct ddp_log *log, uint64_t key)
{
    const struct ddp_landed *oldest = ddp_log_at(log, log->get);
    if (log->get == log->put || oldest->key >= key)
        return NULL;
    log->get++;
    return oldest;
}

/* ---- the message under way (IW_STRICT) ---- */

struct ddp_run {
    bool open;
    struct ddp_head head; /* of its first segment */
    uint64_t first_key;
    uint64_t next; /* TO or MO that the next segment must have */
    uint32_t segments, segments_ooo;
};

/* Take the next segment in order: IW_OK, or the error of a segment that does not continue its message
 * (DDP-4.2-5, -10, 4.3-5, -7, -12, 5.2-12). `run->open` is false after the last one. */
int ddp_run_add(struct ddp_run *run, const struct ddp_landed *landed, const struct ddp_head *head);

#endif
