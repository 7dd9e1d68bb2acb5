/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two_nodes.h -- two hosts on a link of the packet world: a node at each end, one connection between them, and time that
 * passes one event at a time. Unit tests, laws, fuzzers and benchmarks drive it.
 *
 *   node 0 (initiator) -> port -> delay -> channel -> node 1, and back
 *
 * With `cut` a middlebox stands behind each port: it cuts the octets of the ideal stream anew, wherever FPDUs end. Its
 * pieces are answered together only: a name in an answer means a packet that was not cut.
 */
#ifndef IW_SUPPORT_TWO_NODES_H
#define IW_SUPPORT_TWO_NODES_H

#include "fabric/fabric.h"
#include "llp/llp.h"
#include "node/node.h"

struct two_nodes_conf {
    const struct llp *llp;
    struct fabric_conf fabric; /* rate, delay, mtu, framing, channel, data, acks, seed, repeat */
    struct node_conf node[2];  /* rnic, regions_max, cq_entries, consume_rate, profile, keys */
    struct llp_conf
        conf[2]; /* but initiator, mtu, addresses, ports, in_order, go_back, memory; streams 0: one */
    struct iw_conf ep[2]; /* as node_connection_conf wants them */
    uint32_t unheard;     /* kinds of events that the listener does not hear of */
    uint32_t cut;         /* above 0: packets of 1 .. cut octets of the stream; llp_ideal with octets only */
    bool from_start;      /* the set-up meets the channel, too */
    struct llp_memory memory; /* `more` NULL: malloc, freed by two_nodes_free() */
};

/* `side` is where it happens; what the event points to is borrowed for the call. */
typedef void two_nodes_listener(void *user, int side, const struct node_event *event);

struct two_nodes;
/* Both ends opened, nothing has happened yet. NULL: `why` says it. */
struct two_nodes *two_nodes_new(const struct two_nodes_conf *conf, two_nodes_listener *hear, void *user,
                                const char **why);
/* Nothing, when conf.memory was given. */
void two_nodes_free(struct two_nodes *t);
/* Let time pass until all streams are up at both ends; from then on packets meet the channel. False: not by `limit`. */
bool two_nodes_connect(struct two_nodes *t, iw_time limit);

struct node *two_nodes_node(struct two_nodes *t, int side);
struct fabric *two_nodes_fabric(struct two_nodes *t);
struct iw_ep *two_nodes_endpoint(struct two_nodes *t, int side, uint16_t stream);
/* Its table; *l: the object. */
const struct llp *two_nodes_llp(struct two_nodes *t, int side, void **l);
iw_time two_nodes_now(const struct two_nodes *t);

/* ---- what the ULP does: the node's calls, and the port is asked ---- */

int two_nodes_post(struct two_nodes *t, int side, uint16_t stream, const struct iw_work *work);
int two_nodes_close(struct two_nodes *t, int side, uint16_t stream, enum iw_close_how how);
int two_nodes_terminate(struct two_nodes *t, int side, uint16_t stream, int term);
int two_nodes_inject(struct two_nodes *t, int side, uint16_t stream, enum llp_wrong how, const uint8_t *ulpdu,
                     uint32_t len);
/* The connection is lost, at both ends. */
void two_nodes_lose(struct two_nodes *t);
/* Packets of `side` are thrown away from now on. */
void two_nodes_cut_wire(struct two_nodes *t, int side, bool on);

/* ---- time ---- */

/* Of the next event; IW_NEVER: nothing will happen unless the ULP acts. */
iw_time two_nodes_deadline(struct two_nodes *t);
/* Let one thing happen: false when there is none. */
bool two_nodes_step(struct two_nodes *t);
/* Everything up to and including `until`. */
void two_nodes_run(struct two_nodes *t, iw_time until);
/* NULL; or what went wrong with the world itself: a packet that nobody can carry, memory that was refused. */
const char *two_nodes_error(const struct two_nodes *t);

/* Octets of what is under way in a node, as its own accounts have it: 0 when nothing is. */
uint64_t two_nodes_under_way(struct two_nodes *t, int side);

#endif
