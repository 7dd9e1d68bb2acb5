/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp_link.h -- two ends of an SCTP association in memory, simulated time.
 *
 *   end 0  port (rate) -> narrow (rate, buffer) -> channel -> | delay | -> end 1, and back
 *
 * A port pulls the next packet when it is free, so nothing queues in front of it. With a narrow rate below
 * the port's a queue stands there, and a packet that finds no room in it is dropped. Every packet meets the
 * channel from sctp_link_impair() on.
 */
#ifndef IW_SUPPORT_SCTP_LINK_H
#define IW_SUPPORT_SCTP_LINK_H

#include "channel/channel.h"
#include "llp/sctp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sctp_link_conf {
    uint64_t rate;        /* of a port, bits per second */
    iw_time delay;        /* one way */
    uint32_t framing;     /* octets on the wire beside the SCTP packet: Ethernet 38 + IP 20 */
    uint64_t narrow_rate; /* 0: as wide as the port */
    uint64_t narrow_buffer;
    struct channel_conf channel;
    uint64_t seed;
    uint32_t repeat;
    uint32_t flights; /* packets under way, at most: more are lost */
    struct sctp_conf end[2];
};

/* What happens, for the ULPs on both ends. Any may be NULL. */
struct sctp_link_user {
    void *user;
    /* A message came. False: it is not taken, for want of room. */
    bool (*take)(void *user, int side, iw_time now, const struct sctp_in *in);
    /* The port is free: queue what you have. */
    void (*pull)(void *user, int side, iw_time now);
    /* Packets arrived, or time passed: acknowledgements and events may have changed. */
    void (*changed)(void *user, int side, iw_time now);
    /* A packet left `side`, `wire` octets with IP and framing; `fate` (borrowed) and `dropped` say what
     * becomes of it. */
    void (*left)(void *user, int side, iw_time now, const uint8_t *packet, uint32_t len, uint32_t wire,
                 const struct channel_fate *fate, bool dropped);
    /* When the ULP wants to be called (changed) next; IW_NEVER. */
    iw_time (*deadline)(void *user, int side);
};

struct sctp_link_stats {
    uint64_t lost, dropped, corrupted, duplicated; /* by the channel; by the narrow queue */
    uint64_t packets, octets;                      /* left the port, octets with framing */
};

struct sctp_link;
/* NULL, or what is wrong in words. */
const char *sctp_link_conf_error(const struct sctp_link_conf *conf);
/* Octets of the block; then both ends in it, closed. The structure at `user` is copied. */
size_t sctp_link_size(const struct sctp_link_conf *conf);
struct sctp_link *sctp_link_init(void *memory, const struct sctp_link_conf *conf,
                                 const struct sctp_link_user *user);

struct sctp *sctp_link_end(struct sctp_link *l, int side);
iw_time sctp_link_now(const struct sctp_link *l);
const struct sctp_link_stats *sctp_link_statistics(const struct sctp_link *l, int side);
/* From now on packets of `side` meet the channel. */
void sctp_link_impair(struct sctp_link *l, int side, bool on);
/* The ULP did something on `side`: let it have effect. */
void sctp_link_kick(struct sctp_link *l, int side);
/* When the next event happens; then let it happen: false when there is none. */
iw_time sctp_link_next(const struct sctp_link *l);
bool sctp_link_step(struct sctp_link *l);
/* End 0 connects, and time passes until both ends are up. False: they did not come up within `limit`. */
bool sctp_link_connect(struct sctp_link *l, iw_time limit);

#ifdef __cplusplus
}
#endif
#endif
