/* SPDX-License-Identifier: GPL-2.0-or-later */
/* our_end.h -- the project's TCP as one end of a transfer both ways: what it sends and where what it gets is placed, at its
 * offset, in whatever order it comes. */
#ifndef IW_INTEROP_OUR_END_H
#define IW_INTEROP_OUR_END_H

#include "llp/tcp.h"

struct our_end {
    struct tcp *t;
    const uint8_t *out;
    size_t out_len;
    uint8_t *in; /* in_len octets and no more are expected */
    size_t in_len;
    size_t read_rate; /* octets that are consumed in a millisecond; 0: all at once */
    uint64_t draw;    /* sizes of records */
    uint64_t window, consumed;
    iw_time consumed_at;
    bool up, fin, down, gone; /* gone: refused, reset, lost */
    const char *wrong;        /* what it did that it must not */
};

/* `conf` without tables; the record store is as large as a window. False: refused. */
bool our_end_open(struct our_end *e, struct tcp_conf *conf, bool active, iw_time now);
void our_end_free(struct our_end *e);
void our_end_arrive(struct our_end *e, iw_time now, const struct ip_packet *packet);
/* The next packet that it sends now; false: none. */
bool our_end_transmit(struct our_end *e, iw_time now, struct ip_packet *out);
/* When to come again if nothing arrives. */
iw_time our_end_deadline(const struct our_end *e, iw_time now);
/* All sent and acknowledged, all received, closed. */
bool our_end_is_done(const struct our_end *e);

#endif
