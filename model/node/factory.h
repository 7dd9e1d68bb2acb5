/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* factory.h -- from what a user says of hosts and connections (llp/keys.h, rnic/conf.h), and what a world knows of its network,
 * to the configurations of their parts: the same in every world.
 *
 *     factory_init         what all connections between such hosts have in common
 *     factory_connection   one end, for node_connect()
 */
#ifndef IW_NODE_FACTORY_H
#define IW_NODE_FACTORY_H

#include "llp/keys.h"
#include "llp/packet.h"
#include "llp/tcp.h"
#include "node/node.h"

#ifdef __cplusplus
extern "C" {
#endif

struct factory_conf {
    const struct llp_keys *llp;
    const struct rnic_conf *rnic;
    bool real;        /* octets; else headers and marks (payload: none) */
    uint32_t mtu;     /* octets of the largest IP packet, without what security adds */
    uint32_t segment; /* octets of a full one behind its headers: what the window is divided by */
    uint64_t rate;    /* of the line, bits per second */
    uint32_t around;  /* octets of the line around a full packet */
    /* What llp_keys leave to the path. */
    uint32_t flight, track;
    iw_time rtt;           /* without load, adapters included; 0: not known */
    bool trims;            /* its queues */
    iw_time max_rto;       /* 0: TCP's own */
    iw_time timeout, late; /* ideal: llp_conf */
    iw_time start_timeout; /* of MPA's start-up */
    bool planes;           /* each leads to the same port of any other host, and to no other */
    uint32_t pd;
    uint16_t sq_max, rq_max;
};

struct factory {
    enum llp_kind kind;
    bool draws;  /* a port for each end; else any will do */
    bool planes; /* for both ends the same */
    const struct llp *llp;
    struct iw_conf ep;
    struct llp_conf conf;
    struct tcp_conf tcp;
    struct packet_conf packet;
};
void factory_init(struct factory *f, const struct factory_conf *conf);

struct factory_end {
    uint32_t number; /* of the connection in its world, the same at both ends */
    bool initiator;
    uint16_t streams;
    uint32_t source, destination; /* IPv4 */
    uint16_t local_port, remote_port;
    uint32_t ports; /* of its host; 0: one */
    uint64_t seed;  /* of draws, with `repeat` */
    uint32_t repeat;
};
/* The port of an end, or NODE_ANY_PORT. */
uint32_t factory_port(const struct factory *f, const struct factory_end *end);
/* All but `user` and `ep.stream`. It borrows the factory. */
struct node_connection_conf factory_connection(const struct factory *f, const struct factory_end *end);

/* TCP's congestion control; NULL: the lower layer is another, or what it shall do is not TCP's (node_connect() refuses that). */
const struct tcp_congestion *factory_congestion(const struct llp_keys *keys);

/* Of the draws of a host's stalls: node_conf.stall_key. */
uint64_t factory_stall_key(uint64_t seed, uint32_t repeat, uint32_t host);

#ifdef __cplusplus
}
#endif
#endif
