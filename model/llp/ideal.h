/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ideal.h -- an ideal byte stream: no congestion control, selective resend after one timeout.
 *
 * For the pair world: the octets of MPA go out in packets cut anywhere, each packet is acknowledged by itself, and one
 * that was not is sent again `timeout` after it last left. What a real TCP adds stands in the ns-3 world.
 *
 *   acked   | unacknowledged packets       | unsent octets |
 *   0 ..... first                          next            end          end <= first + window
 */
#ifndef IW_LLP_IDEAL_H
#define IW_LLP_IDEAL_H

#include "engine/iw.h"
#include "llp/mpa.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ideal_conf {
    uint32_t window;  /* octets unacknowledged or unsent, at most */
    uint32_t packets; /* packets unacknowledged, at most */
    iw_time timeout;  /* picoseconds, more than a round trip */
    bool length_only; /* marks instead of octets: one packet per FPDU */
};

struct ideal;
/* Octets of the block, then the sender in it (the caller's, aligned as malloc does). 0: a field is 0. */
size_t ideal_size(const struct ideal_conf *conf);
struct ideal *ideal_init(void *memory, const struct ideal_conf *conf);

/* Octets that ideal_append() takes now. */
uint32_t ideal_room(const struct ideal *i);
/* Octets appended and not yet cut into a packet. */
uint32_t ideal_unsent(const struct ideal *i);
/* Append one FPDU: its octets, or (length_only) its mark. Copied. IW_EFULL above ideal_room(). */
int ideal_append(struct ideal *i, const void *octets, uint32_t len, const struct mpa_mark *mark);
/* Nothing follows the octets appended so far: a packet of its own says so. */
void ideal_finish(struct ideal *i);
/* Is that packet still to be sent for the first time? */
bool ideal_finishing(const struct ideal *i);

struct ideal_packet {
    uint64_t offset;
    uint32_t len;
    uint32_t sends;       /* how often it has left, this time included */
    bool fin;             /* the stream ends at `offset` */
    struct mpa_mark mark; /* length_only */
};
/* The packet to send now: one whose timeout has passed, else a new one of at most `cut` octets. False: none. */
bool ideal_next(struct ideal *i, iw_time now, uint32_t cut, struct ideal_packet *packet);
/* Copy the octets of a packet. */
void ideal_octets(const struct ideal *i, const struct ideal_packet *packet, uint8_t *out);
/* The peer's window: new packets end at or below `edge`. It never moves left; before the first call it is no limit. */
void ideal_limit(struct ideal *i, uint64_t edge);
/* The packet that starts at `offset` is not due before `due`: it is known to be with the peer, who answers later. */
void ideal_postpone(struct ideal *i, uint64_t offset, iw_time due);
/* The peer has the whole packet that starts at `offset` (fin: the end). Unknown ones are ignored. */
void ideal_ack(struct ideal *i, uint64_t offset, bool fin);
/* The peer has every octet below `edge`. */
void ideal_ack_below(struct ideal *i, uint64_t edge);
/* Everything below is acknowledged. */
uint64_t ideal_acked(const struct ideal *i);
bool ideal_finished(const struct ideal *i); /* the end is acknowledged too */
/* No timeout passes before this (a bound: calling ideal_next() then may find none, and moves it); IW_NEVER when
 * nothing is unacknowledged. */
iw_time ideal_deadline(const struct ideal *i);

/* ---- the receiving half: which octets are here ---- */

/* Law: everything below `next` is here (RCV.NXT); at most `max` runs are, beyond it, in order and apart. */
struct ideal_in;
size_t ideal_in_size(uint32_t max);
struct ideal_in *ideal_in_init(void *memory, uint32_t max);
uint64_t ideal_in_next(const struct ideal_in *in);
/* Is nothing here beyond ideal_in_next()? */
bool ideal_in_whole(const struct ideal_in *in);
/* Are all these octets here? */
bool ideal_in_has(const struct ideal_in *in, uint64_t offset, uint32_t len);
/* Here they are. IW_EFULL, and nothing changed: one run too many. */
int ideal_in_take(struct ideal_in *in, uint64_t offset, uint32_t len);

#ifdef __cplusplus
}
#endif
#endif
