/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shim.h -- what SimGrid's C interface lacks: platforms, rates, waiting without losing handles. */
#ifndef IW_SIMGRID_SHIM_H
#define IW_SIMGRID_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/mailbox.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Host i is called "h<i>". Rates in octets per second; 0: no such bound. No link has a latency: the expander adds it.
 *
 * What the flows of a host compete for is SimGrid's, and for this alone the adapter's timing counts nothing again:
 *   its port, each way   the line, or PCIe or the pipelines of the adapter in that direction where they take less
 *   its memory bus       one for both directions, without its background load (rnic.bus.background); made where both
 *                        ports together can ask for more. What copies cross it, the port's rate knows (receive: copy)
 * In a tree and a dragonfly the links of the hosts are as fast as all others: there the slower adapter bounds each flow
 * of its host, and several at once by what its stages take (validation/cross: PCIe gen 3 x8, fat tree, incast).
 * PCIe has no load but this host's own: descriptors, completions and context fetches are the adapter's (rnic/pcie.h). */
struct grid_platform {
    enum { GRID_STAR, GRID_FAT_TREE, GRID_DRAGONFLY } kind;
    uint32_t hosts;
    double up, down;                          /* of a host's port, each way */
    double bus;                               /* shared by both directions of a host */
    double fabric;                            /* of every other link */
    uint32_t k, up_links;                     /* fat tree: ports of a switch; links from an edge switch up */
    uint32_t groups, chassis, routers, nodes; /* dragonfly */
};
void grid_platform_build(const struct grid_platform *p);

void grid_comm_start(sg_comm_t comm, double rate);
/* Which of them has ended; all others stay as they are, the one that has ended is gone. */
size_t grid_comm_wait_any(sg_comm_t *comms, size_t count);
/* What is sent to `box` flows to the host of `actor` at once, whether somebody asked for it or not. */
void grid_mailbox_receiver(sg_mailbox_t box, sg_actor_t actor);

#ifdef __cplusplus
}
#endif
#endif
