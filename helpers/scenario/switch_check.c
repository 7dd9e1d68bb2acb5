/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/switch_check.h"

#include "helpers/scenario/world.h"

static bool pauses(const struct scenario_point *p)
{
    return p->topology.pfc.on && !world_ignores(&worlds[p->world], "topology.flow_control");
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

/* ---- room ---- */

/* The largest packet that the workload makes: TCP sends no two FPDUs in one. */
static uint64_t largest_packet(const struct scenario_point *p)
{
    enum { HEADS = 128 };
    const struct workload_conf *w = &p->workload;
    bool known = w->kind != WORKLOAD_script && w->kind != WORKLOAD_errors && w->size_max;
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
    {"topology.trim llp.recovery", trimmed_order},
    {"topology.trim llp.security", trimmed_seal},
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
