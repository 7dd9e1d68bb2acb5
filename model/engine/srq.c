/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/srq.h"

#include "engine/law.h"

enum { BUFFERS_MAX = 1 << 24 };

/* Law: put - get <= max: what was posted and not taken. */
struct iw_srq {
    struct iw_stags *stags;
    uint32_t max, pd, trust;
    uint32_t put, get; /* counts */
    uint32_t at;       /* where the oldest lies */
    uint32_t low;      /* armed for fewer than so many; 0: not armed */
    uint32_t most;     /* in the queue at any time */
    uint32_t peak;     /* how many fewer than that */
    bool event;
    struct ddp_buffer ring[];
};

static bool is_in_bounds(const struct iw_srq *srq)
{
    uint32_t left = srq->put - srq->get;
    return left <= srq->most && srq->most <= srq->max && srq->peak <= srq->most && srq->at < srq->max;
}

size_t iw_srq_size(uint32_t buffers_max)
{
    bool fits = buffers_max && buffers_max <= BUFFERS_MAX;
    return fits ? sizeof(struct iw_srq) + (size_t)buffers_max * sizeof(struct ddp_buffer) : 0;
}

struct iw_srq *iw_srq_init(void *memory, const struct iw_srq_conf *conf)
{
    struct iw_srq *srq = memory;
    *srq =
        (struct iw_srq){.stags = conf->stags, .max = conf->buffers_max, .pd = conf->pd, .trust = conf->trust};
    return srq;
}

uint32_t iw_srq_trust(const struct iw_srq *srq)
{
    return srq->trust;
}

uint32_t iw_srq_pd(const struct iw_srq *srq)
{
    return srq->pd;
}

uint32_t iw_srq_left(const struct iw_srq *srq)
{
    return srq->put - srq->get;
}

uint32_t iw_srq_peak(const struct iw_srq *srq)
{
    return srq->peak;
}

/* Memory that only one stream may use is no memory of all. */
static bool is_ours(const struct iw_srq *srq, const struct iw_sge *s)
{
    struct stag_slot *slot;
    return !s->len || !stag_check(srq->stags, s->stag, srq->pd, 0, s->to, s->len, IW_LOCAL_WRITE, &slot);
}

int iw_srq_post(struct iw_srq *srq, const struct iw_work *work)
{
    if (work->op != IW_RECV || work->sges > 1 || (work->sges && !is_ours(srq, &work->sge[0])))
        return IW_EINVAL;
    uint32_t count = iw_srq_left(srq), left = srq->max - srq->at;
    if (count == srq->max)
        return IW_EFULL;
    ddp_buffer_of(&srq->ring[count < left ? srq->at + count : count - left], work);
    srq->put++;
    srq->most = count + 1 > srq->most ? count + 1 : srq->most;
    LAW(is_in_bounds(srq)); /* put - get <= max: what was posted and not taken */
    return IW_OK;
}

void iw_srq_arm(struct iw_srq *srq, uint32_t low)
{
    srq->low = low;
}

bool iw_srq_event(struct iw_srq *srq)
{
    bool event = srq->event;
    srq->event = false;
    return event;
}

bool iw_srq_take(struct iw_srq *srq, struct ddp_buffer *buffer)
{
    uint32_t left = iw_srq_left(srq);
    LAW(is_in_bounds(srq));
    if (!left)
        return false;
    *buffer = srq->ring[srq->at];
    srq->at = srq->at + 1 == srq->max ? 0 : srq->at + 1;
    srq->get++;
    left--;
    srq->peak = srq->most - left > srq->peak ? srq->most - left : srq->peak;
    LAW(srq->peak <= srq->put); /* only what was posted can be out */
    if (left < srq->low) {
        srq->event = true;
        srq->low = 0;
    }
    return true;
}
