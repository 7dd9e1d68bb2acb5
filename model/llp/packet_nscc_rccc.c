/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_nscc_rccc.c -- window and credits together: what leaves has both, and no more credit is asked for than the window. */
#include "llp/packet_inner.h"

static void start(struct packet_end *e)
{
    packet_nscc.start(e);
    packet_rccc.start(e);
}

static uint64_t window(const struct packet_end *e)
{
    return packet_nscc.window(e);
}

static void sent(struct packet_end *e, iw_time now, uint32_t octets)
{
    packet_rccc.sent(e, now, octets);
}

static void answered(struct packet_end *e, iw_time now)
{
    packet_nscc.answered(e, now);
    packet_rccc.answered(e, now);
}

static void trimmed(struct packet_end *e, iw_time now, uint32_t octets)
{
    packet_nscc.trimmed(e, now, octets);
    packet_rccc.trimmed(e, now, octets);
}

static void expired(struct packet_end *e, iw_time now, uint32_t octets)
{
    packet_nscc.expired(e, now, octets);
}

const struct packet_congestion packet_nscc_rccc = {.marks = true,
                                                   .answered_each = true,
                                                   .credits = true,
                                                   .error = packet_span_error,
                                                   .start = start,
                                                   .window = window,
                                                   .sent = sent,
                                                   .answered = answered,
                                                   .trimmed = trimmed,
                                                   .expired = expired,
                                                   .deadline = packet_credit_deadline,
                                                   .expire = packet_credit_expire};
