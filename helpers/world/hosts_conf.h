/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_conf.h -- from a point to the configurations of its nodes and connections. */
#ifndef HELPERS_WORLD_HOSTS_CONF_H
#define HELPERS_WORLD_HOSTS_CONF_H

#include "helpers/scenario/point.h"
#include "node/factory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the connections of a trial have in common. */
void hosts_factory(const struct scenario_point *p, struct factory *f);
/* The same for those of workload `load`, which may have a lower layer's keys for itself. */
void hosts_factory_of(const struct scenario_point *p, uint32_t load, struct factory *f);
/* One end of a connection, all but its streams; side 0 initiates. */
struct factory_end hosts_end(const struct scenario_point *p, uint32_t number, int side, uint32_t from,
                             uint32_t to);
/* A host at which so many streams and connections end. */
struct node_conf hosts_node_conf(const struct scenario_point *p, uint32_t host, uint32_t streams,
                                 uint32_t connections);
/* Its tenants, as many as the point has. */
void hosts_tenants(const struct scenario_point *p, struct node_tenant tenant[POINT_TENANTS]);

#ifdef __cplusplus
}
#endif
#endif
