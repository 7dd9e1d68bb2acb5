/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire_laws.h -- what a Data Source may put on the wire: laws of the segments of one direction, in the order
 * sent. */
#ifndef IW_LAWS_WIRE_LAWS_H
#define IW_LAWS_WIRE_LAWS_H

#include "plan.h"

/* Where one direction stands. */
struct wire_laws {
    bool any;
    uint64_t last_key;
    uint32_t job;               /* the next request to start, in order of submission */
    uint32_t answer;            /* the peer's next Read to answer */
    bool open, response;        /* a message is under way; it is a Response */
    uint32_t sent;              /* octets of it */
    uint64_t rsvdulp;           /* of its first segment */
    uint32_t reads;             /* Read Requests sent */
    bool terminated;            /* a Terminate was sent */
    uint64_t end_key[JOBS_MAX]; /* of the last segment of each job; UINT64_MAX before */
};

struct ulp;
void wire_laws_start(struct wire_laws *w);
/* `side` sent this segment. */
void wire_laws_sent(struct ulp *u, int side, const struct iw_seg *seg);

#endif
