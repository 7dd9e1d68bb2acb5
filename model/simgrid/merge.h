/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.h -- the packets of many flows in the order they arrive at one node.
 *
 * A run is the rest of one expanded flow, linked in the order of arrival; the runs of a node lie in a pairing heap by
 * their first packet. Packets come out up to a horizon: the earliest time at which a flow that has not ended yet could
 * still bring one. Law: they come out in the order of (arrival, order of the runs), and what comes out lies at or below
 * the horizon; a run that is added later than the horizon allowed is let out at once, so the error in time is that of
 * the horizon.
 */
#ifndef IW_SIMGRID_MERGE_H
#define IW_SIMGRID_MERGE_H

#include "simgrid/expand.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grid_run {
    struct grid_packet *first; /* NULL: it is in no heap */
    uint64_t order;            /* of making: settles ties */
    struct grid_run *child, *sibling;
};

struct grid_merge {
    struct grid_run *root;
    uint64_t runs; /* made so far */
};

/* `run->first` is set; the run is the merge's until grid_merge_take() gave its last packet. */
void grid_merge_add(struct grid_merge *m, struct grid_run *run);
/* When the first packet of all arrives; IW_NEVER: there is none. */
iw_time grid_merge_deadline(const struct grid_merge *m);
/* The first packet if it arrives at `horizon` or before; else NULL. */
struct grid_packet *grid_merge_take(struct grid_merge *m, iw_time horizon);

#ifdef __cplusplus
}
#endif
#endif
