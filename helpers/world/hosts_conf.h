/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_conf.h -- from a point to the configurations of its nodes and connections. */
#ifndef HELPERS_WORLD_HOSTS_CONF_H
#define HELPERS_WORLD_HOSTS_CONF_H

#include "helpers/scenario/point.h"
#include "llp/packet.h"
#include "llp/tcp.h"
#include "node/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the connections of one trial have in common. */
struct hosts_conf {
    const struct llp *llp;
    uint32_t streams; /* of a connection */
    struct iw_conf ep;
    struct llp_conf llp_conf;
    struct tcp_conf tcp;
    struct packet_conf packet;
};
void hosts_conf_of(const struct scenario_point *p, struct hosts_conf *c);
/* One end: side 0 initiates. `number`: of the connection; `port`: of the initiator. The result borrows `c`. */
struct llp_conf hosts_end_conf(struct hosts_conf *c, const struct scenario_point *p, uint32_t number,
                               int side, uint32_t from, uint32_t to, uint16_t port);
/* A host at which so many streams and connections end. */
struct node_conf hosts_node_conf(const struct scenario_point *p, uint32_t host, uint32_t streams,
                                 uint32_t connections);
/* NULL: its lower layer is not TCP. */
const struct tcp_congestion *hosts_congestion(const struct scenario_point *p);
uint32_t hosts_framing(const struct scenario_point *p);

#ifdef __cplusplus
}
#endif
#endif
