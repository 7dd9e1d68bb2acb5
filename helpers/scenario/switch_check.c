/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/switch_check.h"

#include "helpers/scenario/topology_file.h"
#include "helpers/scenario/world.h"

/* ---- pauses ---- */

static uint64_t headroom_of(const struct scenario_point *p)
{
    const struct topology_file *t = p->described;
    uint64_t most = 0;
    if (!t)
        return fabric_headroom(p->topology.rate, p->topology.delay, p->topology.mtu, p->topology.framing);
    for (uint32_t i = 0; i < t->links; i++) {
        uint64_t needed = fabric_headroom(topology_rate(p, &t->link[i]), topology_delay(p, &t->link[i]),
                                          p->topology.mtu, p->topology.framing);
        most = needed > most ? needed : most;
    }
    return most;
}

static bool pauses(const struct scenario_point *p)
{
    return p->topology.pfc.on && !world_ignores(&worlds[p->world], "topology.flow_control");
}

static const char *marks(const struct scenario_point *p)
{
    return pauses(p) && p->topology.pfc.xon >= p->topology.pfc.xoff ? "must be below topology.pfc.xoff"
                                                                    : NULL;
}

static const char *shared(const struct scenario_point *p)
{
    return pauses(p) && p->topology.shared
               ? "topology.flow_control: pfc reserves memory per input port and shares none: use port"
               : NULL;
}

static const char *headroom(const struct scenario_point *p)
{
    uint64_t given = p->topology.pfc.headroom;
    return pauses(p) && given && given < headroom_of(p) ? "does not hold the octets in flight when a pause "
                                                          "takes effect; give more, or auto, which is enough"
                                                        : NULL;
}

static const char *room(const struct scenario_point *p)
{
    uint64_t given = p->topology.pfc.headroom, above = given ? given : headroom_of(p);
    return pauses(p) && p->topology.pfc.xoff + above > p->topology.buffer
               ? "with topology.pfc.headroom (auto: what the link needs) is more than topology.buffer"
               : NULL;
}

/* ---- trimming ---- */

static bool trims(const struct scenario_point *p)
{
    return p->topology.trim && p->llp.kind == LLP_PACKET &&
           !world_ignores(&worlds[p->world], "topology.trim");
}

static const char *trimmed_order(const struct scenario_point *p)
{
    return trims(p) && p->llp.recovery == PACKET_GO_BACK_N
               ? "lets a header overtake the packets before it, which go_back_n would report missing: use "
                 "llp.recovery: irn or rud"
               : NULL;
}

static const char *trimmed_seal(const struct scenario_point *p)
{
    return trims(p) && p->llp.security != SECURITY_NONE ? "cuts off the ICV of an ESP packet (RFC 4303 2), "
                                                          "whose header nobody could believe then: use "
                                                          "llp.security: none"
                                                        : NULL;
}

static const char *trimmed_pauses(const struct scenario_point *p)
{
    return trims(p) && pauses(p) ? "has no effect with pfc, as no queue overflows: use one of them" : NULL;
}

/* ---- marks ---- */

static bool is_red(const struct scenario_point *p)
{
    return p->topology.red.kmax && !world_ignores(&worlds[p->world], "topology.ecn.kmax");
}

static const char *red(const struct scenario_point *p)
{
    return is_red(p) && p->topology.red.kmin > p->topology.red.kmax ? "is above topology.ecn.kmax" : NULL;
}

static const char *two_ways(const struct scenario_point *p)
{
    return is_red(p) && p->topology.ecn_threshold
               ? "and topology.ecn.kmax are two ways to mark packets: give one of them"
               : NULL;
}

/* ---- room ---- */

/* The largest packet that the workload makes: TCP sends no two FPDUs in one. */
static uint64_t largest_packet(const struct scenario_point *p)
{
    enum { HEADS = 128 };
    const struct workload_conf *w = &p->workload;
    bool known = !workload_is(w->kind, WORKLOAD_FREE) && w->size_max;
    uint64_t most = known ? (uint64_t)w->size_max + HEADS : p->topology.mtu;
    return most < p->topology.mtu ? most : p->topology.mtu;
}

static const char *no_packet_fits(const struct scenario_point *p)
{
    bool drops = !pauses(p) && !p->topology.shared && !world_ignores(&worlds[p->world], "topology.buffer");
    return drops && p->topology.buffer < largest_packet(p)
               ? "cannot hold a packet of topology.mtu octets, so every one would be dropped"
               : NULL;
}

/* ---- all ---- */

static const struct {
    const char *keys;
    const char *(*wrong)(const struct scenario_point *p);
} rules[] = {
    {"topology.pfc.xon topology.pfc.xoff", marks},
    {"topology.buffer_sharing topology.flow_control", shared},
    {"topology.pfc.headroom topology.delay topology.rate topology.mtu topology.flow_control", headroom},
    {"topology.pfc.xoff topology.pfc.headroom topology.buffer topology.delay topology.rate "
     "topology.flow_control",
     room},
    {"topology.trim llp.recovery", trimmed_order},
    {"topology.trim llp.security", trimmed_seal},
    {"topology.trim topology.flow_control", trimmed_pauses},
    {"topology.ecn.kmin topology.ecn.kmax", red},
    {"topology.ecn_threshold topology.ecn.kmax", two_ways},
    {"topology.buffer topology.mtu", no_packet_fits},
};

const char *switch_error(const struct scenario_point *p, const char **keys)
{
    for (size_t i = 0; fabric_switches_of(&p->topology) && i < sizeof rules / sizeof *rules; i++) {
        const char *what = rules[i].wrong(p);
        *keys = rules[i].keys;
        if (what)
            return what;
    }
    return NULL;
}
