/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/world.h"

#include <stdio.h>
#include <string.h>

#define HAS(value) (1u << (value))

/* What needs our own TCP; and switches of our own. */
#define OWN_TCP                                                                                          \
    "llp.loss_detection llp.ecn llp.initial_rto llp.max_rto llp.timestamps llp.pacing llp.idle_restart " \
    "llp.msl "
#define OWN_SWITCHES                                                                                   \
    "topology.ecn. topology.buffer_sharing topology.buffer_alpha topology.flow_control topology.pfc. " \
    "topology.trim "

const struct world worlds[WORLDS] = {
    [WORLD_FABRIC] = {.name = "fabric",
                      .what = "packet level, in C: TCP, SCTP, switches, queues",
                      .program = "iwarpsim",
                      .topologies = HAS(TOPOLOGY_LINK) | HAS(TOPOLOGY_STAR) | HAS(TOPOLOGY_FAT_TREE) |
                                    HAS(TOPOLOGY_CLUSTER) | HAS(TOPOLOGY_DRAGONFLY) | HAS(TOPOLOGY_FILE),
                      .no_topology = "platform: a SimGrid platform needs world simgrid; topology.kind: file "
                                     "describes a network of packets",
                      .llps = HAS(LLP_MPA) | HAS(LLP_SCTP) | HAS(LLP_IDEAL) | HAS(LLP_PACKET),
                      .directions = HAS(DIRECTION_DATA) | HAS(DIRECTION_ACKS) | HAS(DIRECTION_BOTH),
                      .hosts_max = 131072,
                      .knows_links = true,
                      .carries_pcap = true,
                      .cost = {.start_s = 0.0015,
                               .host_us = 31,
                               .connection_us = 126,
                               .message_us = 0.76,
                               .segment_us = 1.6,
                               .segment_hop_us = 0.37,
                               .payload_ns = 0.7,
                               .start_bytes = 3.2e6,
                               .host_bytes = 5e3,
                               .connection_bytes = 50e3,
                               .adapter_bytes = 200e3}},
    [WORLD_NS3] = {.name = "ns3",
                   .what = "packet level, on ns-3: TCP, SCTP, switches, queues",
                   .program = "iwarpsim-ns3",
                   .packages = "g++ libns3-dev",
                   .topologies = HAS(TOPOLOGY_LINK) | HAS(TOPOLOGY_STAR) | HAS(TOPOLOGY_FAT_TREE) |
                                 HAS(TOPOLOGY_CLUSTER) | HAS(TOPOLOGY_DRAGONFLY) | HAS(TOPOLOGY_FILE),
                   .llps = HAS(LLP_MPA) | HAS(LLP_SCTP) | HAS(LLP_IDEAL) | HAS(LLP_PACKET),
                   .directions = HAS(DIRECTION_DATA) | HAS(DIRECTION_ACKS) | HAS(DIRECTION_BOTH),
                   .hosts_max = 131072,
                   .carries_pcap = true,
                   .simulator = "ns3",
                   .ignores = OWN_SWITCHES,
                   .cost = {.start_s = 0.012,
                            .host_us = 100,
                            .connection_us = 320,
                            .segment_us = 5.9,
                            .segment_hop_us = 3,
                            .payload_ns = 0.7,
                            .start_bytes = 13.3e6,
                            .host_bytes = 50e3,
                            .connection_bytes = 54e3,
                            .adapter_bytes = 200e3}},
    [WORLD_SIMGRID] = {.name = "simgrid",
                       .what = "cluster scale: flows",
                       .program = "iwarpsim-simgrid",
                       .packages = "g++ libsimgrid-dev",
                       .topologies = HAS(TOPOLOGY_LINK) | HAS(TOPOLOGY_STAR) | HAS(TOPOLOGY_FAT_TREE) |
                                     HAS(TOPOLOGY_CLUSTER) | HAS(TOPOLOGY_DRAGONFLY) | HAS(TOPOLOGY_FILE) |
                                     HAS(TOPOLOGY_PLATFORM),
                       .llps = HAS(LLP_MPA) | HAS(LLP_IDEAL),
                       .no_llp =
                           "world simgrid supports mpa and ideal; fabric and ns3 have sctp and packet, too",
                       .directions = HAS(DIRECTION_DATA) | HAS(DIRECTION_ACKS) | HAS(DIRECTION_BOTH),
                       .hosts_max = 131072,
                       .simulator = "simgrid",
                       .ignores = "hosts. topology.buffer topology.ecn_threshold llp.security rnic.srq "
                                  "llp.trust_alignment channel.duplicate " OWN_TCP OWN_SWITCHES,
                       .cost = {.start_s = 0.005,
                                .host_us = 54,
                                .connection_us = 61,
                                .message_us = 13,
                                .ring_us = 1.5,
                                .start_bytes = 9.5e6,
                                .host_bytes = 38e3,
                                .connection_bytes = 10e3,
                                .adapter_bytes = 4e3}},
};

bool world_ignores(const struct world *world, const char *key)
{
    for (const char *p = world->ignores ? world->ignores : ""; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        bool group = p[len - 1] == '.';
        if (strncmp(p, key, len) == 0 && (group || key[len] == 0))
            return true;
        p += len;
    }
    return false;
}

void worlds_that_act(const char *key, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int w = 0; w < WORLDS && used < size; w++)
        if (!world_ignores(&worlds[w], key))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", worlds[w].name);
}
