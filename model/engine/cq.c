/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/endpoint.h"

#include "engine/law.h"

/* Law: put - get <= max: what was pushed and not polled. */
struct iw_cq {
    uint32_t max, trust;
    uint32_t put, get; /* counts */
    uint32_t at;       /* where the oldest entry lies */
    uint8_t armed;
    bool overflowed, event, deferred;
    struct iw_done *ring;
};

size_t iw_cq_size(uint32_t entries_max)
{
    return entries_max ? sizeof(struct iw_cq) + (size_t)entries_max * sizeof(struct iw_done) : 0;
}

struct iw_cq *iw_cq_init(void *memory, uint32_t entries_max, uint32_t trust)
{
    struct iw_cq *cq = memory;
    *cq = (struct iw_cq){.max = entries_max, .trust = trust, .ring = (struct iw_done *)(cq + 1)};
    return cq;
}

uint32_t iw_cq_trust(const struct iw_cq *cq)
{
    return cq->trust;
}

static uint32_t slot_after(const struct iw_cq *cq, uint32_t n)
{
    uint32_t left = cq->max - cq->at;
    return n < left ? cq->at + n : n - left;
}

static bool is_in_bounds(const struct iw_cq *cq)
{
    return cq->put - cq->get <= cq->max && cq->at < cq->max;
}

void iw_cq_move(struct iw_cq *cq, void *memory, uint32_t entries_max)
{
    struct iw_done *to = memory;
    LAW(entries_max >= cq->max);
    for (uint32_t i = 0; i < cq->put - cq->get; i++)
        to[i] = cq->ring[slot_after(cq, i)];
    cq->ring = to;
    cq->max = entries_max;
    cq->at = 0;
}

bool iw_cq_push(struct iw_cq *cq, const struct iw_done *done)
{
    uint32_t count = cq->put - cq->get;
    if (cq->overflowed || count == cq->max) {
        cq->overflowed = true;
        return false;
    }
    cq->ring[slot_after(cq, count)] = *done;
    cq->put++;
    LAW(is_in_bounds(cq)); /* put - get <= max: what was pushed and not polled */
    if (cq->armed && !cq->deferred)
        iw_cq_written(cq, done);
    return true;
}

/* Is the queue armed for this one? */
static bool wakes(const struct iw_cq *cq, const struct iw_done *done)
{
    switch (cq->armed) {
    case IW_ARM_NONE: return false;
    case IW_ARM_SOLICITED: return done->solicited || done->status;
    case IW_ARM_OWN: return done->solicited || done->status || done->op != IW_RECV;
    default: return true;
    }
}

void iw_cq_written(struct iw_cq *cq, const struct iw_done *done)
{
    if (!wakes(cq, done))
        return;
    cq->event = true;
    cq->armed = IW_ARM_NONE;
}

void iw_cq_defer_events(struct iw_cq *cq)
{
    cq->deferred = true;
}

bool iw_poll(struct iw_cq *cq, struct iw_done *done)
{
    if (iw_cq_is_empty(cq))
        return false;
    *done = cq->ring[cq->at];
    cq->get++;
    cq->at = iw_cq_is_empty(cq) ? 0 : slot_after(cq, 1); /* the first entries again: they are in the caches */
    LAW(is_in_bounds(cq));
    return true;
}

bool iw_cq_is_empty(const struct iw_cq *cq)
{
    return cq->put == cq->get;
}

bool iw_cq_overflowed(const struct iw_cq *cq)
{
    return cq->overflowed;
}

void iw_cq_arm(struct iw_cq *cq, enum iw_arm arm)
{
    cq->armed = (uint8_t)arm;
}

bool iw_cq_event(struct iw_cq *cq)
{
    bool event = cq->event;
    LAW(!event || cq->put); /* what wakes is an entry */
    cq->event = false;
    return event;
}
