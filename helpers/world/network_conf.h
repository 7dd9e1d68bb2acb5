/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network_conf.h -- from a point to the network of its packets, the same for every world that has one. */
#ifndef HELPERS_WORLD_NETWORK_CONF_H
#define HELPERS_WORLD_NETWORK_CONF_H

#include "fabric/fabric.h"
#include "helpers/scenario/network_name.h"
#include "helpers/scenario/point.h"
#include "helpers/trial/trial.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Connections, timers and what the world does about events are the caller's to set. The lines that a file describes, and changes of
 * links, are valid until the next call. */
struct fabric_conf network_conf_of(const struct scenario_point *p);
/* The network itself, for its links and routes: no packet is ever made. free() it. NULL: it is refused, or there is no memory. */
struct fabric *network_map(const struct scenario_point *p, uint32_t connections);

/* Why a packet is lost on a link that is down; and what happens to one, told to a trace, as fabric.h has it. */
#define NETWORK_LINK_DOWN "a link is down"
void network_tell_change(const struct scenario_point *p, const struct fabric *f, struct trial *t,
                         uint64_t now, enum fabric_event_kind kind, uint32_t link);

/* While it runs, limits are looked at so often, ps. */
uint64_t network_check_interval(const struct scenario_point *p);

#ifdef __cplusplus
}
#endif
#endif
