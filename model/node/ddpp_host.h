/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ddpp_host.h -- one host that speaks DDPP core over an SCTP association, without an adapter: a client that sends, or the
 * host that places, in one of four classes.
 *
 *   reliable     retransmitted until acknowledged       unreliable   never retransmitted (RFC 3758)
 *   ordered      delivered by SCTP in order             unordered    the U flag: handed up as it comes
 *
 * Stream 0 carries all. The payload protocol identifier says which messages are decorated. The key of a message is its
 * stream sequence number, unwrapped, where SCTP orders; else its TSN counted from the peer's first one.
 *
 * Sans-I/O; a world drives it as it drives a node (node.h).
 */
#ifndef IW_NODE_DDPP_HOST_H
#define IW_NODE_DDPP_HOST_H

#include "engine/ddpp.h"
#include "llp/ip_packet.h"
#include "llp/sctp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not assigned by IANA: the draft names none. */
enum { DDPP_PPID_DECORATED = 0x44445000, DDPP_PPID_UNDECORATED = 0x44445001 };

struct ddpp_host_conf {
    bool client;           /* it connects and sends; else it listens and places */
    struct sctp_conf sctp; /* partial at both ends for unreliable classes */
    struct ddpp_conf ddpp; /* class, room; stags and message_max are filled in */
    uint32_t regions_max;  /* of the host that places */
    uint64_t stag_key;
    uint32_t connection; /* ip_packet.connection */
};

/* Called from inside the host; any may be NULL. */
struct ddpp_host_user {
    void *user;
    /* Client: all that was given is in SCTP. Send the next message now, or later and let the port be asked again. */
    void (*more)(void *user, iw_time now);
    void (*placed)(void *user, iw_time now, const struct ddpp_place *place);
    void (*told)(void *user, iw_time now, const struct ddpp_event *event);
};

/* NULL, or what is wrong in words. */
const char *ddpp_host_conf_error(const struct ddpp_host_conf *conf);
struct ddpp_host;
/* Octets of the block; then the host in it, aligned as malloc does. The structure at `user` is copied. */
size_t ddpp_host_size(const struct ddpp_host_conf *conf);
struct ddpp_host *ddpp_host_init(void *memory, const struct ddpp_host_conf *conf,
                                 const struct ddpp_host_user *user);
/* The client asks for the association. */
void ddpp_host_open(struct ddpp_host *h, iw_time now);
/* Both ends have established it. */
bool ddpp_host_is_up(const struct ddpp_host *h);

/* Octets of the largest transport message: what fits into one with ATOMIC, and its 16 octets of decoration. */
uint32_t ddpp_host_message_max(const struct ddpp_host *h);
/* Send a decorated message: its octets are read piece by piece as SCTP has room; NULL: zeros. IW_EFULL: the one before is
 * not wholly in SCTP yet; else as ddpp_split_start(). */
int ddpp_host_send(struct ddpp_host *h, const struct ddpp_send *what, const uint8_t *octets);
/* An undecorated one, at once. IW_EFULL, IW_EINVAL as sctp_send(). */
int ddpp_host_send_undecorated(struct ddpp_host *h, iw_time now, const uint8_t *octets, uint32_t len);
/* All that was given is in SCTP. */
bool ddpp_host_is_idle(const struct ddpp_host *h);

/* ---- the world ---- */

bool ddpp_host_transmit(struct ddpp_host *h, iw_time now, struct ip_packet *packet);
void ddpp_host_arrive(struct ddpp_host *h, iw_time now, const struct ip_packet *packet);
iw_time ddpp_host_deadline(const struct ddpp_host *h);
void ddpp_host_expire(struct ddpp_host *h, iw_time now);

/* ---- looking on ---- */

struct sctp *ddpp_host_sctp(struct ddpp_host *h);
struct iw_stags *ddpp_host_stags(struct ddpp_host *h);
struct ddpp *ddpp_host_receiver(struct ddpp_host *h);

#ifdef __cplusplus
}
#endif
#endif
