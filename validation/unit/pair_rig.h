/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair_rig.h -- a ULP at each side of the pair world that measures: one message on an idle link, or a long stream. */
#ifndef IW_UNIT_PAIR_RIG_H
#define IW_UNIT_PAIR_RIG_H

#include "pair/pair.h"
#include "rnic_rig.h"

/* What is carried: `count` messages of `size` octets from side 0, `depth` of them posted at a time. IW_READ: they are
 * fetched from side 1. */
struct run_conf {
    struct pair_conf pair; /* ep and the tables are filled in */
    struct rnic_conf rnic[2];
    enum iw_op op;
    uint32_t size, count, depth;
};

struct run_result {
    iw_time posted, placed, delivered, done,
        received;                                  /* of the last message; received: its receiver took it */
    double steady_gbps;                            /* payload placed, second half */
    uint64_t octets, early;                        /* payload placed; of it: ahead of its turn */
    uint64_t sent, resent, lost, dropped, refused; /* packets */
    uint64_t first_drop_staging;                   /* octets in staging at the first drop */
    uint64_t held_peak, state_peak;                /* octets, at the receiver of payload */
    uint64_t updates;                              /* window advertisements */
    bool edge_fell;                                /* the right edge moved left */
    uint64_t trace;                                /* hash of every event */
    struct rnic_stats sender, receiver;            /* of payload */
    struct rnic_histogram staging;                 /* of the receiver */
};

/* 100 Gb/s, 9000-octet IP packets on Ethernet, ideal adapters, Writes, no octets stored. */
struct run_conf run_of(iw_time delay);
/* The largest payload of a tagged segment and its FPDU; an FPDU on the line. */
uint32_t run_payload(const struct run_conf *c);
uint32_t run_fpdu(const struct run_conf *c);
/* Carries everything and fails the test unless all of it arrives. With `warm`, one message goes ahead and the link is
 * idle again before the measurement begins. */
struct run_result run(const struct run_conf *c, bool warm);

#endif
