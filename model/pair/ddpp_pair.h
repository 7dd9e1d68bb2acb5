/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ddpp_pair.h -- DDPP core over SCTP in memory, simulated time: one client sends, one receives, in one of
 * four classes.
 *
 *   reliable     retransmitted until acknowledged       unreliable   never retransmitted (RFC 3758)
 *   ordered      delivered by SCTP in order             unordered    the U flag: handed up as it comes
 *
 * Stream 0 carries all. The payload protocol identifier says which messages are decorated. The key of a
 * message is its stream sequence number, unwrapped, where SCTP orders; else its TSN counted from the peer's
 * first one.
 */
#ifndef IW_PAIR_DDPP_PAIR_H
#define IW_PAIR_DDPP_PAIR_H

#include "engine/ddpp.h"
#include "pair/sctp_link.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not assigned by IANA: the draft names none. */
enum { DDPP_PPID_DECORATED = 0x44445000, DDPP_PPID_UNDECORATED = 0x44445001 };

struct ddpp_pair_conf {
    struct sctp_link_conf link;
    struct ddpp_conf ddpp; /* class, room; stags and message_max are filled in */
    uint32_t regions_max;
};

struct ddpp_pair_user {
    void *user;
    /* Side 0: all that was given is in SCTP. Send the next message now, or later with ddpp_pair_kick(). */
    void (*more)(void *user, iw_time now);
    /* Side 1. */
    void (*placed)(void *user, iw_time now, const struct ddpp_place *place);
    void (*told)(void *user, iw_time now, const struct ddpp_event *event);
};

const char *ddpp_pair_conf_error(const struct ddpp_pair_conf *conf);
struct ddpp_pair;
size_t ddpp_pair_size(const struct ddpp_pair_conf *conf);
/* The structure at `user` is copied; its members may be NULL. */
struct ddpp_pair *ddpp_pair_init(void *memory, const struct ddpp_pair_conf *conf,
                                 const struct ddpp_pair_user *user);

/* Octets of the largest transport message: what fits into one with ATOMIC, and its 16 octets of
 * decoration. */
uint32_t ddpp_pair_message_max(const struct ddpp_pair *p);
/* Send a decorated message: its octets are read piece by piece as SCTP has room; NULL: zeros. IW_EFULL: the
 * one before is not wholly in SCTP yet; else as ddpp_split_start(). */
int ddpp_pair_send(struct ddpp_pair *p, const struct ddpp_send *what, const uint8_t *octets);
/* An undecorated one, at once. IW_EFULL, IW_EINVAL as sctp_send(). */
int ddpp_pair_send_undecorated(struct ddpp_pair *p, const uint8_t *octets, uint32_t len);
/* All that was given is in SCTP. */
bool ddpp_pair_is_idle(const struct ddpp_pair *p);

struct sctp_link *ddpp_pair_link(struct ddpp_pair *p);
struct iw_stags *ddpp_pair_stags(struct ddpp_pair *p);
struct ddpp *ddpp_pair_receiver(struct ddpp_pair *p);

#ifdef __cplusplus
}
#endif
#endif
