/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world.h -- what each world is and can do, one row each: the checks, `check`, `list`, the runner and the manifest read it
 * here and nowhere else. The rows are in world_rows.h. */
#ifndef HELPERS_SCENARIO_WORLD_H
#define HELPERS_SCENARIO_WORLD_H

#include "helpers/scenario/point.h"

/* CPU time and memory that a point takes there, as `check` foretells them; all 0: not known. */
struct world_cost {
    double start_s;                                /* of a process */
    double host_us, connection_us;                 /* to build one */
    double message_us, segment_us, segment_hop_us; /* each; simgrid: message_us of each chunk */
    double ring_us;    /* of a message of a ring, whose flows meet nobody; 0: message_us */
    double payload_ns; /* per octet, payload: real */
    double start_bytes, host_bytes, connection_bytes;
    double adapter_bytes; /* of each host more, unless its adapter is ideal */
};

struct world {
    const char *name, *what;
    const char *program;  /* beside this one, or this one itself: "iwarpsim" */
    const char *packages; /* Debian's, that building it takes; NULL: none */
    unsigned llps;        /* bit i: enum value i */
    const char *no_llp;   /* what is said of the others */
    const char *no_spray,
        *no_fates; /* of topology.routing: spray and channel.trace.file; NULL: it has them */
    uint32_t hosts_max;
    bool inside;           /* `iwarpsim` itself runs it */
    bool flows;            /* messages travel as flows, and no packet is seen */
    bool classes;          /* workload.kind: transport_classes */
    bool threads;          /* --threads */
    bool ranks;            /* --ranks */
    bool knows_links;      /* --links */
    bool looks;            /* --series, --state */
    bool carries_pcap;     /* --pcap, with payload: real */
    const char *simulator; /* its version is in manifest.json by this name; NULL: iwarpsim's own */
    const char
        *ignores; /* keys that change nothing there, separated by blanks; "channel.burst." is a group */
    const char *estimates; /* columns that are less than the packet worlds say, by what MODEL.md states */
    struct world_cost cost;
};

extern const struct world worlds[WORLDS];

bool world_ignores(const struct world *world, const char *key);
bool world_estimates(const struct world *world, const char *column);
/* The names of the worlds that act on a key, "fabric, ns3". */
void worlds_that_act(const char *key, char *text, size_t size);
/* Of a bool in struct world, by its offset; and the names of those that have it, "fabric or ns3". */
bool world_has(enum point_world world, size_t property);
void worlds_that_have(size_t property, char *text, size_t size);

#endif
