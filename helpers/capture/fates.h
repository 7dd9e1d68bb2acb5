/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fates.h -- what a path did to the packets with data of one direction of a TCP connection, from captures of it.
 *
 * With a capture of each end every packet is matched with itself (sequence number, length, IP identification, timestamp), and
 * nothing is guessed. A capture of the receiver alone has only what came: what filled a hole was late, or a
 * retransmission of what was lost, as its timestamp, its identification or the round trip says. A capture of the sender alone
 * has what was sent again, and takes it for lost.
 *
 * A packet is overtaken by those that were sent after it and came before it (RFC 4737 section 3), and late by how much
 * longer it took than the first of them: with one clock alone, by how long after that one it came (section 4.3).
 */
#ifndef HELPERS_CAPTURE_FATES_H
#define HELPERS_CAPTURE_FATES_H

#include "helpers/capture/capture.h"

struct fates_packet {
    uint64_t late_ns;
    uint32_t overtaken; /* by so many; 0: in its turn */
    bool lost, twice;
};

enum fates_side { FATES_RECEIVER, FATES_SENDER };

struct fates {
    struct fates_packet *packets; /* in the order sent; malloc()ed */
    size_t count;
    struct capture_end from, to;
    int conn, conns; /* number of the connection, and how many with data there are */
    uint64_t resent; /* packets whose octets were sent before */
    /* two captures */
    uint64_t strange; /* received, and not in the capture of the sender */
    uint64_t alike;   /* sent, and another one cannot be told from it: told apart by time */
    uint64_t outside; /* sent before the first or after the last that both captures have: left out */
    /* the receiver's alone */
    uint64_t guessed;  /* late, or lost and sent again? nothing tells: taken for late */
    uint64_t by_trip;  /* told apart by the round trip alone */
    uint64_t uncaught; /* acknowledged, and never captured: taken for packets that came in their turn */
};

/* `conn`: from 1, in the order of their first segment; 0: that with the most octets in one direction, which is looked at.
 * False: `error` (CAPTURE_ERROR_MAX octets) says why. */
bool fates_of_two(struct capture *sent, struct capture *received, int conn, struct fates *out, char *error);
bool fates_of_one(struct capture *c, enum fates_side side, int conn, struct fates *out, char *error);

#endif
