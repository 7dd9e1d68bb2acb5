/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step.h -- what a segment or a request goes through at a host, each step with its instant as an argument.
 *
 * A node puts the steps on its agenda (transmit.c, receive.c, path.c). The replay of SimGrid hears of the packets of a flow
 * when it has ended, and takes them through the same steps one after the other (simgrid/node.c). completions: done.h.
 */
#ifndef IW_NODE_STEP_H
#define IW_NODE_STEP_H

#include "engine/iw.h"
#include "rnic/rnic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the receive paths ---- */

struct node;
struct connection;
struct stream;
struct landing;
struct llp_unit;
struct llp_segment;

/* One row for each enum rnic_receive (path.c). */
struct path {
    const char *name;
    bool go_back;  /* nothing out of order is ever taken: the lower layer does without SACK */
    bool in_order; /* segments are placed in their turn */
    bool holds;    /* until then they wait in NIC memory; */
    bool by_cpu;   /* every packet goes to the kernel's buffer, and the CPU copies segments */
    uint64_t (*room)(const struct rnic *r); /* octets that can be taken out of order */
    const char *refusal;                    /* why there is none */
    /* The node's own: a unit was accepted; a segment is handed up. */
    void (*accepted)(struct node *n, struct connection *c, struct landing *l, const struct llp_unit *u);
    void (*segment)(struct node *n, struct stream *s, const struct llp_segment *in, struct landing *l);
};
extern const struct path node_paths[];

/* ---- octets on the adapter ---- */

/* Of one connection. Law: what arrived is in staging, held, or gone; the adapter's own sums are those of all connections. */
struct intake {
    uint64_t staged; /* the backlog: in staging and accepted */
    uint64_t held;   /* in NIC memory */
};
static inline void intake_release(struct intake *i, struct rnic *r, uint32_t octets)
{
    rnic_release(r, octets);
    i->staged -= octets;
}
/* From staging to NIC memory. False: no room there. */
static inline bool intake_hold(struct intake *i, struct rnic *r, uint32_t octets)
{
    if (!rnic_hold(r, octets))
        return false;
    i->staged -= octets;
    i->held += octets;
    return true;
}
static inline void intake_unhold(struct intake *i, struct rnic *r, uint32_t octets)
{
    rnic_unhold(r, octets);
    i->held -= octets;
}
/* NULL; or what does not hold, in words, when the connections have `sum` in all. */
const char *intake_leftover(const struct rnic *r, struct intake sum);

/* ---- placement: check (iw_check), write, commit (iw_commit) ---- */

/* The adapter writes a segment that was checked: when it is in place. A header that RDMAP keeps stays on the adapter. */
static inline iw_time step_write(struct rnic *r, iw_time now, const struct iw_seg *seg,
                                 const struct iw_place *place)
{
    return place->stag && seg->payload_len ? rnic_place(r, now, place->stag, seg->payload_len) : now;
}

/* ---- requests ---- */

/* Octets of payload that a request sends. */
uint32_t step_octets(const struct iw_work *work);

#ifdef __cplusplus
}
#endif
#endif
