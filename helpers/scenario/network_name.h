/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network_name.h -- what nodes and links of a network of packets are called, in links.csv and wherever else. */
#ifndef HELPERS_SCENARIO_NETWORK_NAME_H
#define HELPERS_SCENARIO_NETWORK_NAME_H

#include "fabric/fabric.h"
#include "helpers/scenario/point.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A node as the file calls it, or by its tier, "switch0", which is in `name` then; a link, "host0>switch0", where several join these
 * two "host0>switch0#2". */
enum { NETWORK_NAME = 40 };
const char *network_node_name(const struct scenario_point *p, const struct fabric *f, uint32_t node,
                              char name[NETWORK_NAME]);
void network_link_name(const struct scenario_point *p, const struct fabric *f, uint32_t link, char *name,
                       size_t size);

/* Among the lines that join the same two nodes, from 1, in the order of ports; how many they are in `*of`. */
unsigned network_link_place(const struct fabric *f, uint32_t link, unsigned *of);

#ifdef __cplusplus
}
#endif
#endif
