/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_rig.h -- a ULP at each of two nodes that measures: one message on an idle link, or a long stream. */
#ifndef IW_UNIT_NODE_RIG_H
#define IW_UNIT_NODE_RIG_H

#include "rnic_rig.h"
#include "validation/support/two_nodes.h"

struct run_link {
    uint64_t rate;    /* bits per second */
    iw_time delay;    /* one way */
    uint32_t mtu;     /* octets of the largest packet's FPDU part; IP and transport take 40 more */
    uint32_t framing; /* octets on the wire beside IP packets */
    struct channel_conf channel;
    uint64_t seed;
    uint32_t window; /* the sender's buffer */
    iw_time timeout; /* ideal: until a packet is sent again; 0: two round trips of a full packet */
    uint32_t delayed_ack;
    iw_time ack_delay;
    uint64_t consume_rate; /* bits per second at which ULPs read what is in order; 0: at once */
};

/* What is carried: `count` messages of `size` octets from side 0, `depth` of them posted at a time. IW_READ: they are
 * fetched from side 1. */
struct run_conf {
    const struct llp *llp;
    struct run_link link;
    struct rnic_conf rnic[2];
    enum iw_op op;
    uint32_t size, count, depth;
    uint16_t ord;               /* 0: depth */
    bool real;                  /* octets, which are compared */
    const struct tcp_conf *tcp; /* NULL: its defaults */
};

struct run_result {
    iw_time began, posted, placed, delivered, done,
        received;                                  /* of the last message; received: its receiver took it */
    double steady_gbps;                            /* payload placed, second half */
    uint64_t octets, early;                        /* payload placed; of it: ahead of its turn */
    uint64_t sent, resent, lost, dropped, refused; /* packets of data */
    uint64_t spurious;                             /* of those sent again: the first had arrived */
    uint64_t first_drop_staging;                   /* octets in staging at the first drop */
    uint64_t held_peak, state_peak;                /* octets, at the receiver of payload */
    uint64_t updates;                              /* window advertisements */
    iw_time bound[NODE_BOUNDS]; /* what held side 0 back, from the first post to the last completion */
    uint64_t trace;             /* hash of every event */
    struct rnic_stats sender, receiver; /* of payload */
    struct rnic_histogram staging;      /* of the receiver */
};

/* 100 Gb/s, 9000-octet IP packets on Ethernet, ideal adapters, an ideal stream, Writes, no octets stored. */
struct run_conf run_of(iw_time delay);
/* The largest payload of a tagged segment and its FPDU; an FPDU on the line. */
uint32_t run_payload(const struct run_conf *c);
uint32_t run_fpdu(const struct run_conf *c);
/* Carries everything and fails the test unless all of it arrives, no window moves left and nothing is left behind in
 * either node. With `warm`, one message goes ahead and the link is idle again before the measurement begins. */
struct run_result run(const struct run_conf *c, bool warm);
/* The same conf as two nodes take it, with a send queue and receives of `depth` + 1. */
struct two_nodes_conf run_nodes(const struct run_conf *c);

#endif
