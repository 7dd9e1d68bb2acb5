/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_links.h -- the links of a packet world, by the names of their nodes. */
#ifndef HELPERS_WORLD_FABRIC_WORLD_LINKS_H
#define HELPERS_WORLD_FABRIC_WORLD_LINKS_H

#include "fabric/fabric.h"
#include "helpers/trial/trial.h"
#include "helpers/world/hosts.h"

enum { LINKS_TEXT_MAX = 400 };

/* --links: a line for each. */
void world_links_tell(const struct scenario_point *p, const struct fabric *f, struct trial *t);
/* --flows: the links that the octets of each connection take. */
void world_links_paths(const struct scenario_point *p, struct fabric *f, const struct hosts *h,
                       struct trial *t);
/* How one stands now. */
void world_links_now(const struct scenario_point *p, struct fabric *f, uint32_t link, struct hosts_link *l);
/* "s1 -> s2 -> s3 -> s1": the nodes that links of a circle join, in order; cut with "..." where it is long. */
void world_links_circle(const struct scenario_point *p, const struct fabric *f, const uint32_t *links,
                        uint32_t count, char text[LINKS_TEXT_MAX]);
/* Whether links of this point could ever wait for each other in a circle: false, or the circle. Builds the network. */
bool world_links_cycle(const struct scenario_point *p, char text[LINKS_TEXT_MAX]);

#endif
