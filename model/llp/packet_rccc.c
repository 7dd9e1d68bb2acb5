/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_rccc.c -- RCCC, the receiver's credits of Ultra Ethernet (packet_credit.c), without a window. Marks tell which path
 * to avoid, and nothing else. */
#include "llp/packet_inner.h"

static void sent(struct packet_end *e, iw_time now, uint32_t octets)
{
    if (!e->credit.quiet)
        e->credit.quiet = now;
    packet_credit_spend(e, octets);
}

static void answered(struct packet_end *e, iw_time now)
{
    (void)now;
    packet_credit_answered(e);
}

static void trimmed(struct packet_end *e, iw_time now, uint32_t octets)
{
    (void)now;
    (void)octets;
    packet_credit_answered(e);
}

const struct packet_congestion packet_rccc = {.marks = true,
                                              .answered_each = true,
                                              .credits = true,
                                              .error = packet_span_error,
                                              .start = packet_credit_start,
                                              .sent = sent,
                                              .answered = answered,
                                              .trimmed = trimmed,
                                              .deadline = packet_credit_deadline,
                                              .expire = packet_credit_expire};
