/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links.h -- who is on which link: flows that meet nobody, and flows that wait for their turn at a port.
 *
 * A flow whose links carry no other goes at the rate of the slowest of them, or at its own bound: its end is known when
 * it starts, and nobody need simulate it. When another flow comes to one of its links, what is left of it goes to the
 * flow simulator, and stays there. The result is the same; a ring or a permutation of short messages costs a tenth.
 *
 * A port carries at most GRID_TURNS flows at once, and of single packets, which share no link, GRID_SINGLES. Those beyond wait for their turn, oldest first, as requests wait in an
 * adapter and packets in the queue before a host: so a flow simulator never shares one link among a thousand.
 *
 * Law: a flow is on all of its links or on none; what waits is on none.
 */
#ifndef IW_SIMGRID_LINKS_H
#define IW_SIMGRID_LINKS_H

#include "simgrid/node.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GRID_TURNS = 32, GRID_SINGLES = 2 };

struct grid_link {
    double rate;                       /* octets per second; 0: no bound */
    uint32_t flows;                    /* on it now */
    uint32_t singles;                  /* of them, those of one packet */
    bool apart;                        /* flows do not compete for it */
    struct grid_chunk *alone;          /* the flow that meets nobody here or elsewhere */
    struct grid_chunk *waiting, *last; /* for their turn at this port */
};

/* Put a flow on its links at `now`. False: a port is full, and the flow waits for it. Else chunk->alone tells whether it
 * meets nobody, and chunk->lasts how long it takes then; those that did until now are in `met` (one for each link),
 * no longer alone, with what they have left in `octets`. */
bool grid_links_join(struct grid_link *links, struct grid_chunk *chunk, iw_time now, struct grid_chunk **met,
                     uint32_t *count);
/* It has ended: off its links. */
void grid_links_leave(struct grid_link *links, struct grid_chunk *chunk);
/* One that waited for a port of the flow that has just left, and is to join now; NULL: none. */
struct grid_chunk *grid_links_turn(struct grid_link *links, const struct grid_end *left);

#ifdef __cplusplus
}
#endif
#endif
