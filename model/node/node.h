/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node.h -- one host: engine, lower layers and adapter put together. Written once, for every world.
 *
 *      workload   node_post  node_poll  node_close ...                      listener: what happens, for trace, stories, results
 *          |                                                                     ^
 *   +------v------------------------------- node: one host ---------------------|-------------+
 *   |  transmit.c  doorbell -> fetch -> iw_transmit -> DMA read -> llp send -> pipeline -> port |
 *   |  receive.c   staging -> pipeline -> llp accepts -> path [place|hold|discard|copy]         |
 *   |  complete.c  write -> visible -> armed? solicited? -> poll or moderated interrupt -> taken |
 *   |  window.c    consumed, backlog, held -> window policy -> llp credit                       |
 *   |  agenda.c    what ends when: one heap for each node                                       |
 *   +------^--------------------------------------------------------------------------------+
 *          |   node_arrive(packet)        node_transmit(&packet)        node_deadline / node_expire
 *        world   carries packets; knows neither rule nor cost
 *
 * Sans-I/O: time is an argument and never goes back. A world calls node_transmit() whenever the port is free and
 * something happened at the node, and node_expire() when node_deadline() has come.
 *
 * Laws: an octet that arrived is staged, held, in the kernel's buffer, placed or refused, never two of them, and the
 * sums are 0 when the node is idle; what was acknowledged is lost only with its connection; the right edge of a window
 * never moves left; a stage is left in the order it was entered, by each connection.
 */
#ifndef IW_NODE_NODE_H
#define IW_NODE_NODE_H

#include "engine/iw.h"
#include "engine/prm.h"
#include "llp/ip_packet.h"
#include "llp/llp.h"
#include "llp/security.h"
#include "node/event.h"
#include "rnic/rnic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what happens (event.h) ---- */

/* It may look at the node and may not call what changes it: the node is in the middle of something. The record may be copied. */
typedef void node_listener(void *user, const struct node_event *event);
/* For a listener alone, of PULLED, TAKEN, KEPT, WRITTEN and PLACED: the segment with all its octets, and where a payload is in memory.
 * Borrowed for the call; NULL: nothing, or length-only memory. */
struct node_octets {
    const struct iw_seg *seg;
    const uint8_t *address;
};

/* ---- configuration ---- */

/* A local ULP of several on the host: what the privileged resource manager (engine/prm.h) lets it have, and whom it trusts. */
struct node_tenant {
    uint32_t limit[IW_PRM_RESOURCES];
    uint32_t group; /* 1 .. tenants: those of one group share a completion queue and shared receives */
    uint32_t pd;    /* of its endpoints and its memory; the same in a group */
};

enum { NODE_PORTS_MAX = 8, NODE_ANY_PORT = NODE_PORTS_MAX };

struct node_conf {
    const struct rnic_conf *rnic; /* copied */
    uint32_t streams;             /* at most so many, of all connections */
    uint32_t connections;         /* at most so many */
    uint32_t regions_max, cq_entries;
    uint32_t shared_receives,
        pd; /* a receive queue of all streams, of so many buffers; 0: none. Of which protection domain */
    uint32_t tenants;                 /* 0: one ULP has the whole adapter, and no resource manager is asked */
    const struct node_tenant *tenant; /* number 1 is the first; borrowed while the node is made */
    uint64_t stag_key;                /* of the STags' permutation; 0: readable ones */
    uint64_t stall_key;               /* of the draws for the jitter of stalls */
    uint64_t line_rate;       /* of the port, bits per second: how far ahead of it segments are prepared */
    struct llp_memory memory; /* for connections, and what is under way */
    uint64_t consume_rate;    /* bits per second at which ULPs read what is in order; 0: at once */
    uint32_t mtu;             /* octets of the largest IP packet */
    uint32_t ports;           /* at most NODE_PORTS_MAX; 0: one */
    unsigned profile;         /* IW_DDP_ONLY ..., of all endpoints */
    enum security security;   /* of every packet; a connection's llp_conf.mtu leaves room for it */
    uint32_t unheard;         /* bits of the kinds (node_kinds_of) that it does not hear of */
    node_listener *listener;  /* NULL: nobody listens */
    void *user;
};

struct node;
/* NULL, or what is wrong with a configuration in words. */
const char *node_conf_error(const struct node_conf *conf);
/* Octets of the block, then the node in it, aligned as malloc does. What connections and packets under way need beyond it
 * comes from conf.memory. */
size_t node_size(const struct node_conf *conf);
struct node *node_init(void *memory, const struct node_conf *conf);

/* ---- connections ---- */

/* One end of a connection or association, and the endpoints of its streams. */
struct node_connection_conf {
    const struct llp *llp;
    struct llp_conf conf; /* in_order, go_back and memory are filled in */
    struct iw_conf
        ep; /* of each stream; stags, queues, user, mulpdu and llp are filled in, to profile that of the node is added, `stream` counts up; of DDP alone with no queues: queue 0, of rq_max buffers */
    const uint64_t *user; /* of each stream, handed back in events and completions */
    uint32_t number;      /* of the connection in its world: ip_packet.connection */
    uint32_t tenant;      /* whose; 0: nobody's, and nothing is counted */
    uint32_t port; /* that its packets leave by; NODE_ANY_PORT: any that is free. Of a node with several */
};
/* Make it; its streams are numbered from *stream on. `connection`: what node_arrive() takes. IW_EFULL: no memory, or more
 * than node_conf allows; IW_EQUOTA: its tenant may have no more streams, or no more inbound Reads (RDMAP-8.1.2-7); IW_EINVAL: a
 * table or the engine refuses, `why` says it. */
int node_connect(struct node *n, const struct node_connection_conf *conf, uint32_t *connection,
                 uint32_t *stream, const char **why);
/* Begin: the initiator sends, the listening end may take packets from here on. */
void node_open(struct node *n, iw_time now, uint32_t connection);
/* The connection is cut: both halves are lost, and nothing is sent. */
void node_lose(struct node *n, iw_time now, uint32_t connection);

/* ---- the workload ---- */

struct iw_stags *node_stags(struct node *n);
struct iw_ep *node_endpoint(struct node *n, uint32_t stream);
/* iw_post(), and the doorbell. IW_EQUOTA: the stream's tenant has no entry left for its completion (RDMAP-8.1.2-5). */
int node_post(struct node *n, iw_time now, uint32_t stream, const struct iw_work *work);
/* A receive that any stream of the tenant's group may take (node_conf.shared_receives): iw_srq_post(), and the doorbell. */
int node_post_shared(struct node *n, iw_time now, uint32_t tenant, const struct iw_work *work);
/* Of a tenant's group. NULL: there are none. */
const struct iw_srq *node_shared_receives(const struct node *n, uint32_t tenant);
/* iw_poll(): the oldest completion that the ULP can see by now. */
bool node_poll(struct node *n, struct iw_done *done);
/* The same of the queue that a stream completes into, for its tenant, which has the entry back. When messages of the tenant have
 * taken more shared receive buffers than it may have out, the stream ends with IW_T_DDP_NO_BUFFER (RDMAP-8.1.2-8). */
bool node_poll_of(struct node *n, uint32_t stream, struct iw_done *done);
/* Interrupts for which completions, from now on (iw_cq_arm()), of every queue; at first as rnic.completion.arm says of receives, and for all others. */
void node_arm(struct node *n, enum iw_arm arm);
int node_close(struct node *n, iw_time now, uint32_t stream, enum iw_close_how how);
int node_terminate(struct node *n, iw_time now, uint32_t stream, int term);
/* What no honest adapter sends: `len` octets (1 .. NODE_WRONG_MAX) as one ULPDU behind what was pulled so far; the engine
 * does not know of it. IW_EINVAL: too long, or a wrong marker where there is none; IW_EFULL; IW_ESTATE: not open. */
enum { NODE_WRONG_MAX = 256 };
int node_inject(struct node *n, iw_time now, uint32_t stream, enum llp_wrong how, const uint8_t *ulpdu,
                uint32_t len);

/* ---- tenants (tenant.c) ---- */

/* The memory that a tenant may register; then a region of its own, region->owner says whose: as iw_prm_grant() and
 * iw_prm_register(). Owner 0: as iw_register(). */
int node_grant(struct node *n, uint32_t tenant, const void *base, uint64_t len);
int node_register(struct node *n, const struct iw_region *region, iw_stag *stag);
/* NULL: there are none. */
const struct iw_prm *node_resources(const struct node *n);

/* ---- the world ---- */

/* A packet will be at the port soon: the memory that it will need is asked for. */
void node_expect(const struct node *n);
void node_expect_packet(const struct node *n, uint32_t connection);
/* A packet for `connection` is at the port. */
void node_arrive(struct node *n, iw_time now, uint32_t connection, const struct ip_packet *packet);
/* The port packet->port is free: the next packet for it, or false. Octets are borrowed until the next call into the node. */
bool node_transmit(struct node *n, iw_time now, struct ip_packet *packet);
/* When to call node_expire() if nothing else happens first; IW_NEVER: only when something arrives or is posted. */
iw_time node_deadline(const struct node *n);
void node_expire(struct node *n, iw_time now);

/* ---- looking on ---- */

struct node_octets node_told_octets(const struct node *n);
const struct rnic *node_adapter(const struct node *n);
const struct llp *node_llp(const struct node *n, uint32_t connection, void **l);
/* Octets of a connection that are in the adapter's staging now; and in its memory (receive: hold). */
uint64_t node_staging(const struct node *n, uint32_t connection);
uint64_t node_held(const struct node *n, uint32_t connection);
/* What the lower layer of this stream remembers of what is out of order. */
const struct llp_track *node_track(const struct node *n, uint32_t stream);
/* Its connection has taken octets that were altered on the way, and the stream neither ended nor knows of an error: what it waits
 * for may never come. */
bool node_is_misled(const struct node *n, uint32_t stream);
const struct llp_track_pool *node_track_pool(const struct node *n); /* what all of them share */
/* Memory was refused: what followed from then on counts for nothing. */
bool node_no_memory(const struct node *n);
/* Packets with data: refused before acceptance for whatever reason; arrived although all their octets had been accepted, copies
 * that the network made apart; and all that are in the adapter now, on their way out or in. */
struct node_counts {
    uint64_t refused, needless, inside;
};
struct node_counts node_counts(const struct node *n);
/* NULL; or, at a clean end, the conservation law that does not hold, in words. */
const char *node_leftover(const struct node *n);

#ifdef __cplusplus
}
#endif
#endif
