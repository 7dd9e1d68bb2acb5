/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HELPERS_WORLD_FABRIC_WORLD_FABRIC_H
#define HELPERS_WORLD_FABRIC_WORLD_FABRIC_H

#include "fabric/fabric.h"
#include "helpers/trial/trial.h"

/* A trial in the packet world: model/fabric between the nodes of model/node. */
int world_fabric(const struct scenario_point *point, struct trial *t);

/* The same in pieces, for who looks at it in between; not of a workload on transport classes. `watch`, which may be NULL, is told of
 * each packet on each link, and of what happens to it there; no captures are written then. */
struct world_watch {
    void *user;
    fabric_tapper *tap;
    fabric_listener *event;
};
struct world;
/* NULL: out of memory, or the trial is refused and says why. `watch` is borrowed. */
struct world *world_fabric_open(const struct scenario_point *point, struct trial *t,
                                const struct world_watch *watch);
/* All that happens until then, in picoseconds. False: it is over. */
bool world_fabric_run(struct world *w, uint64_t until);
uint64_t world_fabric_now(const struct world *w);
/* As `run --at --state` has it. */
void world_fabric_state(struct world *w, FILE *out);
/* What the world has counted goes to the trial, over or not. */
void world_fabric_close(struct world *w);

#endif
