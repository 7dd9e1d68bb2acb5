/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link_events.h -- what happens to links and when (`topology.events`).
 *
 *     events: [{at: 2ms, link: host0-switch0, state: down}, {at: 5ms, link: host0-switch0, state: up},
 *              {at: 1ms, link: core0->aggregation2, rate: 10Gbps}, {at: 3ms, switch: core1, state: down}]
 *
 * The value of the key is the same as one text, "2ms host0-switch0 down; 5ms host0-switch0 up; 1ms core0->aggregation2 10Gbps;
 * 3ms switch core1 down", which may stand in a scenario, too. Nodes are called as in links.csv; * stands for any letters of a name; A-B is
 * both directions of a line, A->B one, and A-B#2 the second of several lines between two nodes. A switch that is down is all its
 * links, both ways. Times count from the start of the simulation.
 */
#ifndef HELPERS_SCENARIO_LINK_EVENTS_H
#define HELPERS_SCENARIO_LINK_EVENTS_H

#include "helpers/scenario/scenario.h"
#include "helpers/scenario/yaml_text.h"

/* Is it the key whose value a file may have as a list? */
bool link_events_are(const struct key *key);
/* What an event may say, "at" first; NULL behind the last. */
extern const char *const link_events_parts[];
/* The text of such a list; the place of each event goes to the scenario. False: `yaml->error` says what is wrong. */
bool link_events_list(struct scenario *s, const struct yaml_text *yaml, const yaml_node_t *list,
                      char text[VALUE_TEXT_MAX]);

/* Does anything happen to links of this point at a known time? */
static inline bool link_events_some(const struct scenario_point *p)
{
    return *p->events || p->degrade.share > 0;
}
/* What a point's events, and its degraded lines (topology.degrade), are to its network, by time. Valid until the next call. */
struct link_events {
    const struct fabric_change *change;
    uint32_t changes;
};
/* False: `why` (SCENARIO_ERROR_MAX / 2 octets) says what is wrong with the event of that number; SIZE_MAX: with
 * degraded lines. */
bool link_events_read(const struct scenario_point *p, struct link_events *e, char *why, size_t *number);

#endif
