/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ports.h -- SimGrid below: one actor per node that carries its flows, and one that keeps the time.
 *
 *     node's actor:   start what is queued -> wait for the end of any of its flows, or for a poke -> tell the observer
 *     the clock:      wait for the next instant, or for a bell -> tell the observer
 *
 * All is one thread: SimGrid switches between actors only inside its calls, and the observer is told outside of them. So
 * what the observer does is never interrupted; flows they ask for are queued, pokes and the bell come after they return.
 * One mailbox per connection and direction; its receiver is set, so a flow begins as it is sent.
 */
#ifndef IW_SIMGRID_PORTS_H
#define IW_SIMGRID_PORTS_H

#include "simgrid/node.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grid_platform;

struct grid_ports_observer {
    void *context;
    void (*begin)(void *context);                                        /* once, at time 0 */
    void (*ended)(void *context, iw_time now, struct grid_chunk *chunk); /* a flow has ended */
    iw_time (*next)(void *context);                                      /* when `run` is wanted; IW_NEVER */
    void (*run)(void *context, iw_time now);
    iw_time (*now)(
        void *context); /* flows that it asked for start then: it may be ahead while no flow is under way */
    void (*out_of_memory)(void *context);
};

/* SimGrid begins; before everything else here and in shim.h, and more than once does no harm. */
void grid_ports_begin(void);

struct grid_ports_conf {
    const struct grid_platform *platform; /* NULL: one was loaded (shim.h) */
    uint32_t hosts, connections;
    struct grid_ports_observer observer;
};

struct grid_ports;
/* NULL: out of memory. Once per process: SimGrid is one. */
struct grid_ports *grid_ports_new(const struct grid_ports_conf *conf);
/* Until grid_ports_stop() was called and all flows have ended. */
void grid_ports_run(struct grid_ports *p);
/* Only from the observer. From `node`: start this flow at observer.now(). */
void grid_ports_fly(struct grid_ports *p, uint32_t node, struct grid_chunk *chunk);
void grid_ports_stop(struct grid_ports *p);
iw_time grid_ports_now(void);

/* "SimGrid 3.32, network/model:CM02 ..." with every flag that is pinned. */
const char *grid_ports_version(void);

#ifdef __cplusplus
}
#endif
#endif
