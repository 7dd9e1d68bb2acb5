/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_link.h -- TCP connections of two ends each, a port for each end, a channel for each direction, and one queue that the
 * data of all connections passes.
 *
 *      end 0 -> port -> channel -> queue -> delay -> end 1
 *            <- delay <- channel <- port <-
 *
 * What every connection must keep is asserted here, on the wire and at the consumer: the right edge never moves left, octets
 * arrive as they were sent, a record is one segment, what is told in SACK stays. */
#ifndef IW_LAWS_TCP_LINK_H
#define IW_LAWS_TCP_LINK_H

#include "channel/channel.h"
#include "llp/tcp.h"

enum { TCP_LINK_FRAMING = 38 }; /* octets of an Ethernet frame that are not the IP packet's */

struct tcp_link_conf {
    uint32_t connections;
    uint64_t rate;       /* of ports and the queue, bits per second */
    iw_time delay;       /* one way */
    uint64_t buffer;     /* octets that may wait in the queue; 0: no end */
    uint64_t mark_above; /* a packet that finds so many octets waiting gets CE if it is ECT; 0: never */
    struct channel_conf channel[2]; /* by sender */
    bool small_ranges;              /* the tables of ranges stay as they begin */
    bool from_start;                /* the handshake meets the channel, too */
    uint64_t seed;
    struct tcp_conf end[2]; /* ports, iss and addresses are filled in by connection where they are 0 */
};

struct tcp_link;

/* What sits on the ends. `side` is 0 or 1. */
struct tcp_link_user {
    void *user;
    /* The port of an end is free: append what there is to send. NULL: nothing. */
    void (*pull)(void *user, struct tcp_link *l, uint32_t connection, int side, iw_time now);
    /* Data arrived; `segment` is what tcp_peek() says. False: refused, as if it were lost. NULL: taken. */
    bool (*take)(void *user, struct tcp_link *l, uint32_t connection, int side, iw_time now,
                 const struct tcp_segment *segment);
    void (*event)(void *user, struct tcp_link *l, uint32_t connection, int side, iw_time now,
                  const struct tcp_event *event);
};

struct tcp_link_count {
    uint64_t sent, data_sent; /* packets */
    uint64_t lost, data_lost; /* by channel and queue */
    uint64_t refused;         /* data, by the user */
    uint64_t duplicated, marked;
    uint64_t octets; /* payload that the consumer got */
};

struct tcp_link *tcp_link_new(const struct tcp_link_conf *conf, const struct tcp_link_user *user);
void tcp_link_free(struct tcp_link *l);
struct tcp *tcp_link_end(struct tcp_link *l, uint32_t connection, int side);
const struct tcp_link_count *tcp_link_count(const struct tcp_link *l, uint32_t connection, int side);
/* How the right edge of an end moves: `window` octets beyond what arrived; at first 1 MiB. */
void tcp_link_window(struct tcp_link *l, uint32_t connection, int side, uint64_t window);
/* Channels off or on. */
void tcp_link_impair(struct tcp_link *l, bool on);
/* Lose the next n packets of a sender. */
void tcp_link_lose(struct tcp_link *l, uint32_t connection, int side, uint32_t packets);
/* A packet of a stranger arrives at an end. */
void tcp_link_inject(struct tcp_link *l, uint32_t connection, int side, const struct ip_packet *packet);
/* Something was appended, or the life of an end changed. */
void tcp_link_kick(struct tcp_link *l, uint32_t connection, int side);
iw_time tcp_link_now(const struct tcp_link *l);
/* One event; false: nothing will ever happen again. */
bool tcp_link_step(struct tcp_link *l);
/* Until `at`, or until nothing happens. */
void tcp_link_run(struct tcp_link *l, iw_time at);
/* Open all connections, end 0 actively; false: one did not come up within `patience`. */
bool tcp_link_connect(struct tcp_link *l, iw_time patience);
/* Of the queue: octets that wait now, the mean since the last call. */
uint64_t tcp_link_queue(struct tcp_link *l, double *mean);

/* The octet at an offset of the stream of an end, and a record that holds such octets. */
uint8_t tcp_link_octet(uint32_t connection, int side, uint64_t offset);
/* Append a record of `len` octets, notes or octets as configured; larger tables are made when needed. False: refused. */
bool tcp_link_append(struct tcp_link *l, uint32_t connection, int side, uint32_t len);

#endif
