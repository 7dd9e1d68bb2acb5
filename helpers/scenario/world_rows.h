/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_rows.h -- the worlds, one row each: its value of enum point_world (point.h), and its members of struct world (world.h).
 * A new world is a row here and a folder of helpers/world/, with its lines in wscript and validation/arrows/arrows.py. */
WORLD(WORLD_FABRIC, .name = "fabric", .what = "packet level, in C: TCP, SCTP, switches, queues",
      .program = "iwarpsim", .llps = HAS(LLP_MPA) | HAS(LLP_SCTP) | HAS(LLP_IDEAL) | HAS(LLP_PACKET),
      .hosts_max = 131072, .inside = true, .threads = true, .classes = true, .knows_links = true,
      .looks = true, .carries_pcap = true,
      .cost = {.start_s = 0.0015,
               .host_us = 31,
               .connection_us = 126,
               .message_us = 0.5,
               .segment_us = 1,
               .segment_hop_us = 0.23,
               .payload_ns = 0.7,
               .start_bytes = 4.6e6,
               .host_bytes = 5e3,
               .connection_bytes = 18e3,
               .adapter_bytes = 200e3})
WORLD(WORLD_NS3, .name = "ns3", .what = "packet level, on ns-3: TCP, SCTP, switches, queues",
      .program = "iwarpsim-ns3", .packages = "g++ libns3-dev",
      .llps = HAS(LLP_MPA) | HAS(LLP_SCTP) | HAS(LLP_IDEAL) | HAS(LLP_PACKET), .hosts_max = 131072,
      .looks = true, .carries_pcap = true, .simulator = "ns3", .ranks = true,
      .cost = {.start_s = 0.012,
               .host_us = 100,
               .connection_us = 320,
               .segment_us = 5.9,
               .segment_hop_us = 3,
               .payload_ns = 0.7,
               .start_bytes = 13.3e6,
               .host_bytes = 50e3,
               .connection_bytes = 54e3,
               .adapter_bytes = 200e3})
WORLD(WORLD_SIMGRID, .name = "simgrid", .what = "cluster scale: flows", .program = "iwarpsim-simgrid",
      .packages = "g++ libsimgrid-dev", .llps = HAS(LLP_MPA) | HAS(LLP_IDEAL), .flows = true,
      .no_spray = "in world simgrid a flow takes one path: use flow_hash",
      .no_fates = "in world simgrid packets travel as flows: use fabric or ns3",
      .no_llp = "world simgrid supports mpa and ideal; fabric and ns3 have sctp and packet, too",
      .hosts_max = 131072, .simulator = "simgrid",
      .ignores = "hosts. workloads.llp. topology.buffer topology.ecn_threshold topology.ecn. topology.events "
                 "topology.failures. topology.degrade. topology.slow_queues topology.trim topology.trim. "
                 "topology.ports topology.planes topology.radix "
                 "topology.reroute_after "
                 "llp.security rnic.srq "
                 "rnic.order rnic.read_order rnic.track. workload.notify workload.tenant tenant. "
                 "llp.tracking llp.profile "
                 "llp.missing_buffer measure.from_share measure.for_share "
                 "llp.trust_alignment channel.duplicate channel.delay. " OWN_TCP OWN_SWITCHES,
      .estimates =
          "latency_p50_us latency_p99_us latency_p999_us latency_max_us fct_slowdown_p50 fct_slowdown_p99",
      .cost = {.start_s = 0.005,
               .host_us = 54,
               .connection_us = 61,
               .message_us = 13,
               .ring_us = 1.5,
               .start_bytes = 9.5e6,
               .host_bytes = 38e3,
               .connection_bytes = 10e3,
               .adapter_bytes = 4e3})
