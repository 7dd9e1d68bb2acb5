/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shim.h -- what SimGrid's C interface lacks: platforms, rates, waiting without losing handles. */
#ifndef IW_SIMGRID_SHIM_H
#define IW_SIMGRID_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A platform is hosts and links. Host i is called "h<i>"; a link has a rate in octets per second (0: no bound) and no
 * latency: the expander adds it. Which links a flow takes is told before it starts, so that two flows between the same
 * hosts may go different ways, and no table of pairs of hosts is kept: a zone of our own answers SimGrid with it.
 *
 * Links that flows compete for for the adapter's sake, whose timing then counts nothing again:
 *   a host's port, each way   the line, or PCIe or the pipelines of the adapter in that direction where they take less
 *   its memory bus            one for both directions, without its background load (rnic.bus.background); made where both
 *                             ports together can ask for more. What copies cross it, the port's rate knows (receive: copy)
 * PCIe has no load but this host's own: descriptors, completions and context fetches are the adapter's (rnic/pcie.h). */
struct grid_platform {
    uint32_t hosts, links;
    const double *rate; /* of each link; borrowed while it is built */
};
void grid_platform_build(const struct grid_platform *p);

/* Or a platform in SimGrid's XML, whose hosts have the names given, and whose zones know the way: SimGrid obeys all that
 * it reads, so `text` is ours, never a stranger's. It is loaded, then
 * asked for all routes that there will be, and then sealed: from there on links have no latency here, either. Its links
 * are numbered as routes meet them. False: `why` holds what SimGrid says. */
bool grid_platform_load(const char *text, char *const *names, uint32_t hosts, char *why, size_t size);
struct grid_route {
    const uint32_t *link; /* until the next call */
    uint32_t links;
    double latency; /* seconds */
};
bool grid_platform_route(uint32_t from, uint32_t to, struct grid_route *route, char *why, size_t size);
struct grid_platform_link {
    double rate;
    bool apart; /* flows do not compete for it: FATPIPE */
};
uint32_t grid_platform_links(void);
struct grid_platform_link grid_platform_link(uint32_t link);
void grid_platform_seal(void);
sg_host_t grid_platform_host(uint32_t host);
/* The next flow that leaves `host` takes these links, and 1 / weight of what others get. */
void grid_platform_path(uint32_t host, const uint32_t *links, uint32_t count, double weight);

void grid_comm_start(sg_comm_t comm, double rate);
/* Which of them has ended; all others stay as they are, the one that has ended is gone. */
size_t grid_comm_wait_any(sg_comm_t *comms, size_t count);
/* What is sent to `box` flows to the host of `actor` at once, whether somebody asked for it or not. */
void grid_mailbox_receiver(sg_mailbox_t box, sg_actor_t actor);

#ifdef __cplusplus
}
#endif
#endif
