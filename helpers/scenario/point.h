/* SPDX-License-Identifier: GPL-2.0-or-later */
/* point.h -- one point of a scenario: every key resolved, every unit gone, ready for a world.
 *
 * Filled from the key table (keys.h), where each member has its name, range and default. Rates are bits per second,
 * times picoseconds, sizes octets. `topology`, `llp`, `rnic` and `channel` are the structures of the rooms of model/ themselves.
 */
#ifndef HELPERS_SCENARIO_POINT_H
#define HELPERS_SCENARIO_POINT_H

#include "engine/prm.h"
#include "fabric/conf.h"
#include "llp/keys.h"
#include "rnic/conf.h"
#include "scenarios/workloads/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

enum point_world {
    WORLD_NONE,
#define WORLD(value, ...) value,
#include "helpers/scenario/world_rows.h"
#undef WORLD
    WORLDS
};
enum { WORLD_FIRST = 1 };
enum point_direction { DIRECTION_DATA, DIRECTION_ACKS, DIRECTION_BOTH, DIRECTIONS };
enum point_payload { PAYLOAD_REAL, PAYLOAD_NONE, PAYLOADS };

struct fates_count;
struct topology_file;
struct platform_file;
struct point_limit {
    uint64_t sim;  /* of simulated time */
    uint64_t wall; /* of real time, picoseconds too */
    uint64_t idle; /* of simulated time in which nothing is placed and nothing completes */
};

/* What rates are taken from: a time of the run, at whose end the run ends, or the time that a share of the octets takes. */
struct point_measure {
    uint64_t from;            /* picoseconds after the start of the run */
    uint64_t span;            /* 0: the whole run, to its own end */
    double from_share, share; /* of the workload's octets; share 0: a time, or the whole */
    bool until_enough;        /* again, longer, while chance decides */
};

/* One of several workloads at once. */
enum { POINT_LOADS = WORKLOAD_PARTS_MAX };
struct point_load {
    const char *name; /* NULL: the only one, `workload:` with hosts or a start of its own */
    struct workload_conf workload;
    struct llp_keys llp; /* of its connections */
};

/* A tenant: a local ULP that is on every host (workload.tenant). */
enum { POINT_TENANTS = WORKLOAD_PARTS_MAX };
enum point_trust { TRUST_NONE, TRUST_DOMAIN, TRUST_ALL, TRUSTS };
struct point_tenant {
    const char *name;
    uint32_t limit[IW_PRM_RESOURCES]; /* UINT32_MAX: none */
    uint32_t domain;                  /* 0: its own */
    enum point_trust trust;
    enum workload_fault fault;
};

/* A value of the adapter that some hosts have for themselves. */
enum { POINT_OVERRIDES = 64 };
struct point_override {
    const char *hosts; /* "3", "4-7"; "": none */
    size_t offset;     /* in struct rnic_conf */
    uint64_t value;
};

/* Lines that are slow, or down, from the start on: a share of those of a tier. */
enum point_tier { TIER_HOST, TIER_LEAF, TIER_CORE, TIER_ALL, TIERS };
struct point_degrade {
    double share;
    uint64_t rate; /* 0: down */
    enum point_tier tier;
    uint64_t seed;
};

struct scenario_point {
    const char *title;              /* may be empty */
    char case_name[VALUE_TEXT_MAX]; /* of `cases:`; empty: there are none */
    enum point_world world;
    uint64_t seed;   /* the scenario's; draws are keyed by (seed, repeat, ...) and by nothing of the sweep */
    uint32_t repeat; /* which one, from 0 */
    uint32_t index;  /* of the point in the sweep, from 0: for file names only, never for a draw */
    struct fabric_conf
        topology;     /* hosts: as many as there are, whatever its kind; the network, and nothing of a run */
    char events[256]; /* of links, as link_events.h reads them; empty: none */
    struct point_degrade degrade;
    char network_file[256];                /* of topology.file; empty: none */
    const struct topology_file *described; /* what it says; NULL: nothing */
    const struct platform_file *platform;  /* of SimGrid */
    struct llp_keys llp;
    uint32_t preset;       /* number in rnic_presets */
    uint32_t draw;         /* of its numbers within their ranges; 0: the likely ones */
    bool window_free;      /* policy bdp was given no rnic.window.bytes: they follow from the line */
    struct rnic_conf rnic; /* of every host, but for: */
    uint32_t overrides;
    struct point_override override_of[POINT_OVERRIDES];
    struct channel_conf channel;
    enum point_direction channel_direction;
    char delay_file[256];            /* of delays, which `channel` has; empty: none */
    char trace_file[256];            /* of fates, which `channel` has; empty: none */
    const struct fates_count *fates; /* what is in it; NULL: none */
    struct workload_conf
        workload;   /* hosts, seed, repeat, size_max, interval ... are filled in from the rest */
    uint32_t loads; /* several at once, by name: then `workload` says who talks to whom, and nothing else */
    struct point_load load_of[POINT_LOADS];
    struct workload_part part[POINT_LOADS]; /* of `workload`, in the same order */
    struct point_tenant tenant;             /* what each begins with */
    uint32_t tenants;
    struct point_tenant tenant_of[POINT_TENANTS];
    enum point_payload payload;
    uint64_t simgrid_chunk; /* octets of FPDUs that travel as one flow */
    struct point_measure measure;
    struct point_limit limit;
};

#ifdef __cplusplus
}
#endif
#endif
