# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tests a change in a room meets, nearest first."""

UNIT_ENGINE = ("fault terminate order place read rdmap atomic stag revoke close complete cq post profile decoder segment wire term fields vectors "
               "prm srq ddp_log ddpp").split()
UNIT_MPA = "mpa_rx mpa_tx mpa_start mpa_runs mpa_vector mpa_law llp_ends llp".split()
UNIT_SCTP = "sctp_start sctp_data sctp_window sctp_partial sctp_ddp sctp_node llp".split()
UNIT_TCP = "tcp_life tcp_receive tcp_send tcp_recovery tcp_undo tcp_congestion tcp_world llp_ends llp".split()
UNIT_NODE = "node node_path node_inject node_latency node_revoke node_rate latency_budget workload ddpp_host".split()
UNIT_RNIC = "rnic_cache rnic_completion rnic_conf rnic_stage rnic_staging rnic_window latency_budget node_latency node_path node_rate".split()
UNIT_FABRIC = "fabric_conf fabric_events fabric_latency fabric_queue fabric_route fabric_pfc fabric_channel fabric_failures fabric_law fabric_parts fabric_adaptive fabric_ports node_latency".split()


def unit(names):
    return [f"unit/{name}_test" for name in names]


def laws(names):
    return [f"laws/law_{name}" for name in names.split()]


REFERENCE = ["reference/compare"]
READS = ["command/notify_test.py"]
NS3 = ["ns3 iwarp", "ns3 iwarp-applications", "ns3 iwarp-sctp"]

# A test is a program of `build.Base`, a suite of the ns-3 program, or a script below validation/.
TESTS = {
    "engine": unit(UNIT_ENGINE) + REFERENCE + laws("hostile wrong ends memory order delivery changed_stag recut same") + unit(["node"]) + READS,
    "mpa": unit(UNIT_MPA) + REFERENCE + laws("recut hostile delivery wrong ends same") + unit(["node", "node_inject"]),
    "sctp": unit(UNIT_SCTP) + laws("sctp delivery ends") + unit(["node", "ddpp"]),
    "tcp": unit(UNIT_TCP) + laws("tcp delivery ends") + ["laws/response_tcp"] + unit(["node", "node_path", "node_rate"]),
    "packet": unit(["packet", "llp_track", "llp", "node"]) + ["laws/packet_forms_test.py"],
    "llp": unit(["llp_ends", "llp_track", "llp", *UNIT_NODE, "sctp_node"]) + laws("delivery ends wrong memory same"),
    "rnic": unit(UNIT_RNIC + ["node"]) + laws("delivery same"),
    "channel": unit(["channel", "fabric_channel", "node_inject", "grid_expand"]) + ["unit/channel_fates_test.py"] + laws("delivery same"),
    "node": unit(UNIT_NODE + ["sctp_node"]) + laws("delivery ends wrong memory same sctp") + READS,
    "fabric": unit(UNIT_FABRIC + ["node_path", "channel"]) + laws("delivery same"),
    "ns3": NS3 + ["cross/worlds_test.py"],
    "simgrid": unit("grid_expand grid_merge grid_node grid_rates".split()) + ["simgrid/simgrid_test.py", "cross/simgrid_cross_test.py"],
    "stats": unit(["stats", "coverage"]),
}

# A row's room, from its file, for mutants that are drawn.
FILES = {
    "engine": "model/engine/*.[ch]",
    "mpa": "model/llp/mpa*.[ch]",
    "sctp": "model/llp/sctp*.[ch]",
    "tcp": "model/llp/tcp*.[ch]",
    "llp": "model/llp/llp_*.c model/llp/ideal.c",
    "packet": "model/llp/packet*.[ch]",
    "rnic": "model/rnic/*.[ch]",
    "channel": "model/channel/*.[ch]",
    "node": "model/node/*.[ch]",
    "fabric": "model/fabric/*.[ch]",
    "ns3": "model/ns3/*.cc",
    "simgrid": "model/simgrid/expand.c model/simgrid/merge.c model/simgrid/rates.c model/simgrid/node.c",
    "stats": "helpers/base/stats.c",
}
