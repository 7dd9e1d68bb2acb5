/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp_pair.h -- DDP over SCTP in memory: several pairs of endpoints on one association (RFC 5043), simulated
 * time.
 *
 *   side 0 (active)                                                     side 1 (passive)
 *   engine 0 ... n -> sessions -> association -> port -> channel -> | delay | -> association -> sessions ->
 * engine 0 ... n
 *
 * Stream i carries engine i of both sides. The engines of a side share STags and a completion queue;
 * iw_done.user and the stream number of an event are the stream. Side 0 connects and asks for a session on
 * every stream, side 1 accepts. What arrives is placed at once.
 */
#ifndef IW_PAIR_SCTP_PAIR_H
#define IW_PAIR_SCTP_PAIR_H

#include "engine/iw.h"
#include "llp/sctp_ddp.h"
#include "pair/pair.h"
#include "pair/sctp_link.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sctp_pair_conf {
    struct sctp_link_conf link; /* adaptation and number of streams are filled in */
    struct sctp_ddp_conf ddp;
    bool in_order; /* keep what is ahead of its turn: the receiver that placement out of order improves on */
    uint32_t regions_max, cq_entries;
    struct iw_conf
        ep[2]; /* stags, queues, user, mulpdu and llp are filled in; stream counts up from the one given */
};

const char *sctp_pair_conf_error(const struct sctp_pair_conf *conf);
struct sctp_pair;
/* Octets of the block; then the world in it, closed. `trace` (may be NULL) hears PAIR_PULLED, PAIR_SENT (of
 * packets; the stream is 0), PAIR_LOST, PAIR_PLACED, PAIR_KEPT, PAIR_DELIVERED, PAIR_FAULT, PAIR_CLOSED;
 * offset is the key. */
size_t sctp_pair_size(const struct sctp_pair_conf *conf);
struct sctp_pair *sctp_pair_init(void *memory, const struct sctp_pair_conf *conf,
                                 void (*trace)(void *user, uint16_t stream, const struct pair_event *),
                                 void *user);

/* Connects, and opens the sessions. False: not all are open at `limit`. */
bool sctp_pair_start(struct sctp_pair *p, iw_time limit);
struct iw_ep *sctp_pair_ep(struct sctp_pair *p, int side, uint16_t stream);
struct iw_cq *sctp_pair_cq(struct sctp_pair *p, int side);
struct iw_stags *sctp_pair_stags(struct sctp_pair *p, int side);
struct sctp_ddp *sctp_pair_ddp(struct sctp_pair *p, int side);
struct sctp_link *sctp_pair_link(struct sctp_pair *p);
/* The stream and with it its session are gone at this side: iw_llp() said so. */
bool sctp_pair_is_down(const struct sctp_pair *p, int side, uint16_t stream);
/* Another session on a stream whose last one has ended at both sides, with endpoints as new. */
int sctp_pair_reopen(struct sctp_pair *p, uint16_t stream);

iw_time sctp_pair_now(const struct sctp_pair *p);
/* The ULP did something at `side`: let it have effect. */
void sctp_pair_kick(struct sctp_pair *p, int side);
/* A receive buffer was posted where segments wait for one. */
void sctp_pair_again(struct sctp_pair *p, int side, uint16_t stream);
iw_time sctp_pair_next(const struct sctp_pair *p);
bool sctp_pair_step(struct sctp_pair *p);
void sctp_pair_wait(struct sctp_pair *p, iw_time t);

#ifdef __cplusplus
}
#endif
#endif
