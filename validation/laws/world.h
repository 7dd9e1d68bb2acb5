/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world.h -- where two endpoints live: what the laws need of any world.
 *
 * The bench (bench.h) decides by lot what happens next: no MPA, no time, every order that iw.h allows. The
 * link (link.h) is the product's own: two nodes, MPA or SCTP, packets, a channel, simulated time. */
#ifndef IW_LAWS_WORLD_H
#define IW_LAWS_WORLD_H

#include "engine/iw.h"

enum heard_what {
    HEARD_SENT,      /* bench: a segment was made: seg; its payload may be read now only */
    HEARD_PLACED,    /* its octets are in memory: seg, place */
    HEARD_KEPT,      /* it waits for its turn: seg */
    HEARD_DELIVERED, /* message */
    HEARD_FAULT,     /* the stream ended for `term` here */
    HEARD_STEP       /* something else happened, told by `term` and `key`: for the trace */
};

struct heard {
    enum heard_what what;
    int side; /* where */
    const struct iw_seg *seg;
    const struct iw_place *place;
    const struct iw_message *message;
    int term;
    uint64_t key;
};

struct world {
    struct iw_ep *ep[2];
    struct iw_stags *stags[2];
    uint32_t mulpdu[2]; /* in force */
    bool knows_acks;    /* the next two are kept */
    uint64_t accepted[2], acked[2];
    bool length_only;

    iw_time (*now)(const struct world *w);
    bool (*step)(struct world *w);   /* let one thing happen; false: nothing does before a deadline */
    bool (*expire)(struct world *w); /* let time pass until a deadline; false: there is none */
    int (*post)(struct world *w, int side, const struct iw_work *work);
    bool (*poll)(struct world *w, int side, struct iw_done *done);
    bool (*event)(struct world *w, int side, struct iw_event *event);
    int (*close)(struct world *w, int side, enum iw_close_how how);
    int (*terminate)(struct world *w, int side, int term);
    /* Its LLP finds octets that are wrong, for IW_T_LLP_CRC or IW_T_LLP_MARKER; false: it cannot. */
    bool (*fail)(struct world *w, int side, int term);
    void (*cut)(struct world *w); /* the LLP is lost, for both */
    void (*end)(
        struct world *w); /* nothing happens any more: what must be true of the world; NULL: nothing */

    void (*hear)(void *user, const struct heard *heard);
    void *user;
};

static inline void world_tell(struct world *w, struct heard heard)
{
    if (w->hear)
        w->hear(w->user, &heard);
}

#endif
