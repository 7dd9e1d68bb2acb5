/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/fabric/world_links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/world/network_conf.h"

enum { SHOWN = 16, PATH_TEXT = 400, LONGEST = 12 };

void world_links_tell(const struct scenario_point *p, const struct fabric *f, struct trial *t)
{
    for (uint32_t i = 0; i < fabric_links(f); i++) {
        char from[NETWORK_NAME], to[NETWORK_NAME];
        unsigned of;
        struct fabric_link l = fabric_link(f, i);
        struct fabric_link_stats s = fabric_link_stats(f, i);
        const struct trial_link line = {.link = i,
                                        .from = network_node_name(p, f, l.from, from),
                                        .to = network_node_name(p, f, l.to, to),
                                        .parallel = network_link_place(f, i, &of),
                                        .rate = (double)l.rate,
                                        .packets = s.packets,
                                        .octets = s.octets,
                                        .drops = s.drops,
                                        .marks = s.marks,
                                        .trims = s.trims,
                                        .lost = s.lost,
                                        .queue_peak = s.queue_peak,
                                        .queue_mean = s.queue_mean,
                                        .pauses = s.pauses,
                                        .failed = s.failed,
                                        .paused = (double)s.paused};
        trial_link(t, &line);
    }
}

/* A route is drawn once for a connection and a direction. */
static void tell_path(struct fabric *f, const struct hosts *h, struct trial *t, uint32_t conn, int side,
                      struct workload_pair pair)
{
    char text[PATH_TEXT] = "";
    uint32_t carrier = hosts_carrier(h, conn), node = side ? pair.to : pair.from,
             to = side ? pair.from : pair.to;
    const struct ip_packet packet = {.connection = carrier,
                                     .direction = hosts_connection(h, carrier).from != node};
    for (size_t used = 0; node != to && used + LONGEST < PATH_TEXT;) {
        uint32_t link = fabric_route(f, node, to, &packet);
        if (link == FABRIC_NO_LINK)
            break;
        used += (size_t)snprintf(text + used, PATH_TEXT - used, "%s%u", used ? " " : "", link);
        node = fabric_link(f, link).to;
    }
    trial_path(t, conn, side, text);
}

void world_links_paths(const struct scenario_point *p, struct fabric *f, const struct hosts *h,
                       struct trial *t)
{
    for (uint32_t c = 0; c < workload_connections(&p->workload); c++)
        for (int side = 0; side < 2; side++) {
            if (fabric_overtakes(&p->topology) || fabric_ports_of(&p->topology) > 1)
                trial_path(t, c, side, "*");
            else
                tell_path(f, h, t, c, side, workload_pair(&p->workload, c));
        }
}

void world_links_now(const struct scenario_point *p, struct fabric *f, uint32_t i, struct hosts_link *l)
{
    char name[NETWORK_NAME];
    struct fabric_link link = fabric_link(f, i);
    struct fabric_link_now now = fabric_link_now(f, i);
    snprintf(l->from, sizeof l->from, "%s", network_node_name(p, f, link.from, name));
    snprintf(l->to, sizeof l->to, "%s", network_node_name(p, f, link.to, name));
    l->queue_octets = now.waiting;
    l->queue_packets = fabric_link_queue(f, i);
    l->octets = now.octets;
    l->drops = fabric_link_stats(f, i).drops;
    l->pauses = now.pauses;
    l->paused = now.paused;
}

void world_links_circle(const struct scenario_point *p, const struct fabric *f, const uint32_t *links,
                        uint32_t count, char text[LINKS_TEXT_MAX])
{
    char name[NETWORK_NAME];
    size_t used = 0;
    *text = 0;
    for (uint32_t i = 0; i < count && i < SHOWN && used < LINKS_TEXT_MAX; i++)
        used += (size_t)snprintf(text + used, LINKS_TEXT_MAX - used, "%s -> ",
                                 network_node_name(p, f, fabric_link(f, links[i]).from, name));
    if (used < LINKS_TEXT_MAX)
        snprintf(text + used, LINKS_TEXT_MAX - used, "%s",
                 count > SHOWN ? "..." : network_node_name(p, f, fabric_link(f, links[0]).from, name));
}

bool world_links_cycle(const struct scenario_point *p, char text[LINKS_TEXT_MAX])
{
    uint32_t links[SHOWN], count = 0;
    struct fabric *f = p->topology.pfc.on ? network_map(p, 0) : NULL;
    if (f && (count = fabric_cycle(f, links, SHOWN)))
        world_links_circle(p, f, links, count, text);
    free(f);
    return count;
}
