/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step.h -- what a segment or a request goes through at a host, each step with its instant as an argument.
 *
 * A node puts the steps on its agenda (transmit.c, receive.c, path.c). The replay of SimGrid hears of the packets of a flow
 * when it has ended, and takes them through the same steps one after the other (simgrid/node.c). completions: done.h.
 */
#ifndef IW_NODE_STEP_H
#define IW_NODE_STEP_H

#include "engine/iw.h"
#include "engine/law.h"
#include "engine/wire.h"
#include "node/event.h"
#include "rnic/rnic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the receive paths ---- */

struct node;
struct node_connection;
struct node_stream;
struct node_landing;
struct llp_unit;
struct llp_segment;

/* What one does; what is true of it: rnic/conf.h. */
struct node_path {
    uint64_t (*room)(const struct rnic *r); /* octets that can be taken out of order; NULL: any */
    enum node_drop refusal;                 /* why there is none */
    /* The node's own: a unit was accepted (NULL: nothing is done); a segment is handed up. */
    void (*accepted)(struct node *n, struct node_connection *c, struct node_landing *l,
                     const struct llp_unit *u);
    void (*segment)(struct node *n, struct node_stream *s, const struct llp_segment *in,
                    struct node_landing *l);
};
extern const struct node_path *const node_paths[RNIC_RECEIVES];
static inline uint64_t path_room(const struct node_path *p, const struct rnic *r)
{
    return p->room ? p->room(r) : UINT64_MAX;
}

/* ---- octets on the adapter ---- */

/* Of one connection. Law: what arrived is in staging, held, or gone; the adapter's own sums are those of all connections. */
struct node_intake {
    uint64_t staged; /* the backlog: in staging and accepted */
    uint64_t held;   /* in NIC memory */
};
static inline void intake_release(struct node_intake *i, struct rnic *r, uint32_t octets)
{
    LAW(i->staged >= octets && rnic_statistics(r)->staging >= i->staged);
    rnic_release(r, octets);
    i->staged -= octets;
}
/* From staging to NIC memory. False: no room there. */
static inline bool intake_hold(struct node_intake *i, struct rnic *r, uint32_t octets)
{
    if (!rnic_hold(r, octets))
        return false;
    LAW(i->staged >= octets); /* what arrived is in staging, held, or gone */
    i->staged -= octets;
    i->held += octets;
    return true;
}
static inline void intake_unhold(struct node_intake *i, struct rnic *r, uint32_t octets)
{
    LAW(i->held >= octets && rnic_statistics(r)->held >= i->held);
    rnic_unhold(r, octets);
    i->held -= octets;
}
/* NULL; or what does not hold, in words, when the connections have `sum` in all. */
const char *intake_leftover(const struct rnic *r, struct node_intake sum);

/* ---- the way in ---- */

/* Check a segment (iw_check); the adapter, if any, writes what may be written. IW_OK: it is in place at *placed, which never
 * gets smaller, and is committed then. Else as iw_check() says, and nothing was written. */
int step_place(struct iw_ep *ep, struct rnic *by, iw_time now, const struct iw_seg *seg,
               struct iw_place *place, iw_time *placed);
/* It is in place (iw_commit). */
int step_commit(struct iw_ep *ep, iw_time now, const struct iw_seg *seg, const struct iw_place *place);
/* A packet is written to the kernel's buffer: when the CPU may read it. */
iw_time step_into_kernel(struct rnic *r, iw_time now, uint32_t octets);
/* Everything below `edge` is in place: `tell` hears of each message that this delivers. IW_OK, or the error that ended it. */
typedef void step_teller(void *user, iw_time at, const struct iw_message *message);
int step_deliver(struct iw_ep *ep, iw_time now, uint64_t edge, step_teller *tell, void *user);
/* All of it at once for a segment of `octets` in staging: when it is where the ULP wants it. */
iw_time step_way_in(struct rnic *r, iw_time now, uint32_t lane, uint32_t octets, uint32_t payload);

/* ---- the way out ---- */

/* What the adapter sees in the header of a segment that it sends. */
struct step_kind {
    bool own;   /* its payload is the adapter's: a Read Request, an Atomic Request, a Terminate */
    bool asked; /* it belongs to a request in the send queue */
    bool first, last;
};
/* `open`, a bit for each opcode: the last segment was not its message's last. */
struct step_kind step_kind(const struct iw_seg *seg, bool ddp_only, uint16_t *open);
/* Do its octets lie in memory, or did they come with the request? */
bool step_in_memory(const struct rnic *r, const struct step_kind *k, uint32_t payload);
/* It is read from memory, if it is there: when the snapshot is complete; and goes through the pipeline: when it may leave. */
iw_time step_read(struct rnic *r, iw_time now, bool in_memory, uint32_t payload);
iw_time step_way_out(struct rnic *r, iw_time now, uint32_t lane, bool in_memory, uint32_t octets,
                     uint32_t payload);

/* ---- requests ---- */

/* Does the peer answer it: a Read or an Atomic, as a request, and as the segment that comes to the peer? */
static inline bool step_is_asked(enum iw_op op)
{
    return op == IW_READ || op == IW_FETCH_ADD || op == IW_CMP_SWAP;
}
static inline bool step_asks(const struct iw_seg *seg)
{
    return (1u << RDMAP_READ_REQ | 1u << RDMAP_ATOMIC_REQ) >> rdmap_opcode_of(seg->head) & 1;
}

/* Octets of payload that a request sends. */
uint32_t step_octets(const struct iw_work *work);

#ifdef __cplusplus
}
#endif
#endif
