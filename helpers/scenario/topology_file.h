/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_file.h -- a network as somebody described it (`topology.file`).
 *
 *     hosts: [a, b, c]
 *     switches: [left, right]
 *     links:
 *       - {between: [a, left], rate: 100Gbps, delay: 1us}
 *       - {between: [b, left]}                without rate or delay: topology.rate and topology.delay of the scenario
 *       ...
 *     ports: 2                                of each host; without it: 1. {a: 4, c: 2}: of these, and of others 1
 *
 * Hosts are numbered in the order of their list, and so are switches; the ports of a node in the order of its links. A host has a
 * link for each port, all of one rate, to switches; the same two nodes may have several. Everything is connected by switches,
 * or switches are several networks, each with a port of each host. Packets take a path with the fewest links.
 */
#ifndef HELPERS_SCENARIO_TOPOLOGY_FILE_H
#define HELPERS_SCENARIO_TOPOLOGY_FILE_H

#include <stdint.h>

#include "helpers/scenario/named_file.h"
#include "helpers/scenario/scenario.h"

struct topology_link {
    uint32_t a, b;        /* hosts from 0, then switches */
    uint64_t rate, delay; /* TOPOLOGY_UNSAID: the scenario's */
};
#define TOPOLOGY_UNSAID UINT64_MAX

struct topology_file {
    struct named_file file;
    uint32_t hosts, switches, links;
    uint32_t ports;     /* of each host, or the most of any */
    uint8_t *own_ports; /* by host */
    char **names;       /* of hosts, then switches */
    struct topology_link *link;
    uint32_t *host_link; /* by host, `ports` for each: of its ports */
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (SCENARIO_ERROR_MAX octets) says why. */
const struct topology_file *topology_file_find(const char *beside, const char *name, char *error);

/* ---- what follows ---- */

static inline uint64_t topology_rate(const struct scenario_point *p, const struct topology_link *l)
{
    return l->rate == TOPOLOGY_UNSAID ? p->topology.rate : l->rate;
}

static inline uint64_t topology_delay(const struct scenario_point *p, const struct topology_link *l)
{
    return l->delay == TOPOLOGY_UNSAID ? p->topology.delay : l->delay;
}

/* From host to host; where several paths have the fewest links, the best of each number. */
struct topology_path {
    uint32_t links;
    double delay; /* picoseconds */
    double octet, slowest,
        ends; /* picoseconds per octet: all links; the slowest one; the slower of first and last */
    double late, late_octet; /* the same, what the worst of equally many links takes more than the best */
};
struct topology_path topology_path(const struct scenario_point *p, uint32_t from, uint32_t to);
/* Between the two hosts where a packet of so many octets takes longest by the best ways; `late`: what the slowest of all ways takes
 * more than that, octets included. */
struct topology_path topology_longest(const struct scenario_point *p, uint32_t octets);
/* Its network, with the lines that its file describes, which are valid until the next call. */
struct fabric_conf topology_network(const struct scenario_point *p);

#endif
