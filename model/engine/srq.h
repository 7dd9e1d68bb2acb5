/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* srq.h -- what endpoints ask of the receive buffers they share (iw.h has what the ULP sees). */
#ifndef IW_ENGINE_SRQ_H
#define IW_ENGINE_SRQ_H

#include "engine/ddp.h"
#include "engine/iw.h"

/* The oldest buffer, no longer in the queue; false: it is empty. */
bool iw_srq_take(struct iw_srq *srq, struct ddp_buffer *buffer);
uint32_t iw_srq_trust(const struct iw_srq *srq);
uint32_t iw_srq_pd(const struct iw_srq *srq);

#endif
