#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each sentence with which `check` refuses values that do not go together is provoked by a scenario of this file.

The sentences are read from the sources: one that is added there and provoked nowhere here fails the test.

usage: refusals_test.py [-v]    -v: every sentence with the scenario that gets it
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from run_test import IWARPSIM

TOP = Path(__file__).resolve().parents[2]
SOURCES = {  # file: the functions that refuse; what they say are their strings of three words and more
    "helpers/scenario/scenario_check.c": r"(?!refuse\b|asks_for_nothing\b)\w+",
    "model/fabric/conf.c": r"pfc_error|red_error",
    "model/fabric/topology_fat_tree.c": "error",
    "model/fabric/topology_dragonfly.c": "error",
    "model/fabric/topology_platform.c": "error",
    "model/fabric/topology_planes.c": "error",
    "model/channel/channel.c": r"\w+_error",
    "model/parameter.c": r"\w+_error",
    "model/rnic/conf.c": r"\w+_error",
    "model/rnic/window.c": r"\w+_error",
    "scenarios/workloads/workload.c": r"\w+_error",
    "scenarios/workloads/parts.c": r"\w+_error",
    "helpers/scenario/hosts_list.c": r"put|hosts_list_read",
    "helpers/scenario/keys.c": r"key_not_of_hosts",
    "scenarios/workloads/script.c": r"read_\w+|script_\w+",
    "helpers/scenario/link_events.c": r"\w+",
}
TABLES = {  # strings of tables
    "helpers/scenario/scenario_check.c": r"halves\[\] = \{(.*?)\n    \};",
    "helpers/scenario/world.c": r"(\.no_\w+ =\s*(?:\"[^\"]*\"\s*)+)",
}

SCRIPT = "workload: {kind: script, script: '%s'}"
STAR = "topology: {kind: star, hosts: 4, %s}"
REFUSED = [  # the key that is named, the scenario
    # what has no effect
    ("topology.k", "topology: {k: 8}"),
    ("llp.congestion", "llp: {kind: packet, congestion: cubic}"),
    ("llp.msl", "world: simgrid, llp: {msl: 2ms}"),
    ("llp.tracking", "world: simgrid, llp: {tracking: ranges}"),
    ("llp.profile", "world: simgrid, llp: {profile: draft00}"),
    ("llp.missing_buffer", "world: simgrid, llp: {missing_buffer: wait}"),
    ("llp.profile", "llp: {profile: rdmac}"),
    ("llp.profile", "llp: {profile: rdmac, markers: true, kind: ideal}"),
    ("llp.profile", "llp: {profile: rdmac, markers: true}, workload: {kind: errors}"),
    ("llp.profile", "llp: {profile: rdmac, markers: true}, workload: {op: fetch_add, size: 8B}"),
    ("llp.tracking", "llp: {tracking: ranges}, rnic: {receive: discard}"),
    ("llp.tracking", "llp: {kind: packet, tracking: ranges}"),
    ("llp.track", "llp: {track: 64, tracking: ranges}"),
    ("llp.track_ranges", "llp: {track_ranges: 4, tracking: bitmap}"),
    ("rnic.track.pool", "rnic: {track: {pool: 64}}"),
    ("rnic.track.full", "llp: {tracking: ranges}, rnic: {track: {full: nak}}"),
    ("rnic.track.full", "llp: {kind: packet, recovery: rud}, rnic: {track: {full: nak}}"),
    # one without the other
    ("channel.reorder.probability", "channel: {reorder: {probability: 0.1}}"),
    ("rnic.order", "rnic: {order: any}"),
    ("channel.reorder.delay", "channel: {reorder: {delay: 1us}}"),
    ("rnic.stall.for", "rnic: {stall: {for: 1us}}"),
    ("topology.ecn.kmin", STAR % "ecn: {kmin: 200KiB}"),
    ("measure.from", "measure: {from: 1ms}"),
    ("measure.from_share", "measure: {from_share: 0.1}"),
    # tenants
    ("workload.tenant", "workload: {tenant: a}"),
    ("workloads.x.tenant", "workloads: {x: {tenant: a}, y: {size: 1KiB}}"),
    ("workloads.x.tenant", "tenants: {a: {wrong: flood_cq}}, workloads: {x: {tenant: a, op: read}, y: {size: 1KiB}}"),
    ("tenants.a.trust", "tenants: {a: {trust: none}}, workloads: {x: {size: 1KiB}, y: {size: 1KiB}}"),
    ("tenants.a.trust", "tenants: {a: {trust: none}}, workloads: {x: {tenant: a}, y: {size: 1KiB}}, rnic: {completion: {mode: interrupt}}"),
    ("tenants.a.connections", "tenants: {a: {connections: 1}}, workloads: {x: {tenant: a, connections: 2}, y: {size: 1KiB}}"),
    ("tenants.a.read_entries", "tenants: {a: {read_entries: 31}}, workloads: {x: {tenant: a, connections: 2}, y: {size: 1KiB}}"),
    # networks
    ("topology.k", "topology: {kind: fat_tree, k: 5}"),
    ("topology.kind", "topology: {kind: file}"),
    ("topology.kind", "topology: {kind: platform, file: three-hosts.xml}"),
    ("topology.kind", "topology: {kind: dragonfly, groups: 1, routers: 1, nodes: 1}"),
    ("topology.kind", "topology: {kind: dragonfly, groups: 1024, routers: 1024, nodes: 2}"),
    ("topology.kind", "topology: {kind: dragonfly, groups: 64, routers: 64, nodes: 64}"),
    ("topology.globals", "topology: {kind: dragonfly, groups: 4, routers: 2, globals: 1}"),
    ("topology.routing", "world: simgrid, topology: {kind: fat_tree, routing: spray}"),
    ("topology.routing", "world: simgrid, topology: {kind: fat_tree, routing: adaptive}"),
    ("topology.rates.leaf", "topology: {kind: star, rates: {leaf: 10Gbps}}"),
    ("topology.rates.core", "topology: {kind: fat_tree, oversubscription: 2, rates: {core: 10Gbps}}"),
    ("topology.ports", "topology: {kind: dragonfly, ports: 2}"),
    ("topology.planes", "topology: {kind: star, planes: 2}"),
    ("topology.planes", "topology: {kind: planes, hosts: 4, planes: 9}"),
    ("topology.radix", "topology: {kind: planes, hosts: 4, radix: 5}"),
    ("topology.hosts", "topology: {kind: planes, hosts: 9, radix: 4}"),
    ("topology.rates.core", "topology: {kind: planes, hosts: 8, radix: 4, rates: {core: 10Gbps}}"),
    ("topology.kind", "world: simgrid, topology: {kind: planes, hosts: 4}"),
    ("topology.events", "topology: {kind: planes, hosts: 4, events: [{at: 1us, switch: plane2.*, state: down}]}"),
    ("topology.events", "topology: {kind: planes, hosts: 4, events: [{at: 1us, switch: plane1.*, state: down}, {at: 2us, link: host0-plane1.leaf0, state: down}]}"),
    ("topology.file", "world: simgrid, topology: {kind: file, file: two-ports.yaml}"),
    ("topology.ports", "topology: {kind: file, file: two-ports.yaml, ports: 2}"),
    ("topology.file", "world: simgrid, topology: {kind: file, file: mixed-ports.yaml}"),
    ("llp.paths", "topology: {kind: file, file: mixed-ports.yaml}, llp: {kind: packet, paths: 2}"),
    ("topology.ports", "world: simgrid, topology: {kind: star, ports: 2}"),
    ("topology.ports", "topology: {kind: star, ports: 9}"),
    ("topology.events", "topology: {kind: star, hosts: 4, ports: 2, events: [{at: 1us, link: host0-switch0#3, state: down}]}"),
    ("topology.events", "topology: {kind: star, hosts: 4, ports: 2, events: [{at: 1us, link: host0-switch0#two, state: down}]}"),
    ("topology.mtu", "topology: {mtu: 580B}, llp: {security: esp}"),
    ("workload.count", "topology: {kind: star, hosts: 1024}, workload: {kind: collective, op: all_to_all, by: direct, count: 100}"),
    ("workload.by", "topology: {kind: star, hosts: 4096}, workload: {kind: collective, op: all_to_all, by: direct, count: 1}"),
    ("workload", "workload: {op: allreduce}"),
    ("topology.adaptive.sticky", "topology: {kind: fat_tree, adaptive: {sticky: 8KiB}}"),
    ("topology.adaptive.quantum", "topology: {kind: fat_tree, routing: adaptive, adaptive: {quantum: 0B}}"),
    ("topology.buffer", "topology: {kind: star, hosts: 65, ecn_threshold: 64KiB, mtu: 9000}, llp: {congestion: dctcp}, workload: {kind: incast}"),
    ("topology.pfc.xon", STAR % "flow_control: pfc, pfc: {xon: 200KiB, xoff: 100KiB}"),
    ("topology.buffer_sharing", STAR % "flow_control: pfc, buffer_sharing: shared"),
    ("topology.pfc.headroom", STAR % "flow_control: pfc, pfc: {headroom: 1KiB}"),
    ("topology.pfc.xoff", STAR % "flow_control: pfc, pfc: {xoff: 2MiB}"),
    ("topology.trim", "llp: {kind: packet}, " + STAR % "trim: true"),
    ("topology.trim", "llp: {kind: packet, recovery: irn, security: esp}, " + STAR % "trim: true"),
    ("topology.trim", "llp: {kind: packet, recovery: rud}, " + STAR % "trim: true, flow_control: pfc"),
    ("topology.trim", STAR % "trim: true"),
    ("topology.trim", "world: simgrid, " + STAR % "trim: true"),
    ("topology.ecn.kmin", STAR % "ecn: {kmin: 200KiB, kmax: 100KiB}"),
    ("topology.ecn_threshold", STAR % "ecn: {kmax: 100KiB}, ecn_threshold: 30KiB"),
    ("topology.buffer", STAR % "mtu: 65535B, buffer: 16KiB"),
    # lower layers
    ("llp.kind", "world: simgrid, llp: {kind: sctp}"),
    ("llp.send_buffer", "topology: {mtu: 9000}, llp: {send_buffer: 16KiB}"),
    ("llp.congestion", "llp: {congestion: dctcp}"),
    ("llp.congestion", "llp: {congestion: 'fixed:1KiB'}"),
    ("llp.dupack_threshold", "llp: {loss_detection: dupack, dupack_threshold: adaptive}"),
    ("llp.max_rto", "llp: {max_rto: 9ms}"),
    ("llp.min_rto", "topology: {delay: 3ms}, llp: {min_rto: 10us}"),
    ("llp.min_rto", "llp: {delayed_ack_timeout: 501us}"),
    ("llp.initial_rto", "llp: {max_rto: 20ms}, rnic: {rx: {latency: 1s}}"),
    ("llp.ord", "llp: {ord: 0}, workload: {op: read}"),
    ("channel.reorder.delay", "channel: {reorder: {probability: 0.01, delay: 1s}}, rnic: {window: {bytes: 256MiB}}"),
    ("channel", "channel: {burst: {p: 0.1, loss_bad: 1}}"),
    ("rnic.srq", "rnic: {srq: 64}, workload: {op: send, recv_depth: 4}"),
    ("payload", "payload: none, llp: {crc: false}, channel: {corrupt: 0.01}"),
    ("topology.mtu", "llp: {kind: sctp}, topology: {mtu: 595}"),
    # packet transports
    ("rnic.window.bytes", "llp: {kind: packet}, rnic: {window: {bytes: 64KiB}}"),
    ("llp.congestion", "llp: {kind: packet, congestion: dcqcn}"),
    ("llp.congestion", "llp: {congestion: dcqcn}, " + STAR % "ecn_threshold: 64KiB"),
    ("llp.congestion", "llp: {kind: packet, recovery: rud, congestion: nscc}"),
    ("llp.congestion", "llp: {kind: packet, recovery: irn, congestion: nscc}, " + STAR % "ecn_threshold: 64KiB"),
    ("llp.congestion", "llp: {congestion: nscc}, " + STAR % "ecn_threshold: 64KiB"),
    ("llp.congestion", "llp: {kind: packet, recovery: rud, congestion: nscc}, " + STAR % "ecn_threshold: 64KiB, delay: 20ms"),
    ("llp.paths", "llp: {kind: packet, recovery: rud, paths: 6}, topology: {kind: fat_tree, k: 4, routing: entropy}"),
    ("llp.paths", "llp: {kind: packet, recovery: rud, paths: 4}, topology: {kind: planes, hosts: 4, planes: 8, routing: entropy}"),
    ("llp.paths", "llp: {kind: packet, recovery: rud, paths: 4}, topology: {kind: star, ports: 3, routing: entropy}"),
    ("llp.paths", "llp: {kind: packet, recovery: irn, paths: 8}, topology: {kind: fat_tree, k: 4, routing: entropy}"),
    ("llp.paths", "llp: {kind: packet, recovery: rud, paths: 8}, topology: {kind: fat_tree, k: 4, routing: spray}"),
    ("llp.dcqcn.least", "llp: {kind: packet, congestion: dcqcn, dcqcn: {least: 200Gbps}}, " + STAR % "ecn_threshold: 64KiB"),
    ("llp.dcqcn.gain", "llp: {kind: packet, dcqcn: {gain: 16}}"),
    ("llp.streams", "llp: {kind: sctp, streams: 4}, workloads: {a: {llp: {min_rto: 2ms}}, b: {op: write}}"),
    ("rnic.receive", "llp: {kind: packet}, rnic: {receive: copy}"),
    ("rnic.receive", "llp: {kind: packet, recovery: irn}, rnic: {receive: discard}"),
    ("workload.consume_rate", "llp: {kind: packet}, workload: {consume_rate: 1Gbps}"),
    # adapters
    ("rnic.receive", "llp: {kind: sctp}, rnic: {receive: discard}"),
    ("rnic.receive", "llp: {kind: sctp}, workload: {kind: transport_classes}, rnic: {receive: hold}"),
    ("rnic.completion.arm", "rnic: {completion: {mode: interrupt, arm: solicited}}"),
    ("rnic.completion.arm", "rnic: {completion: {mode: interrupt, arm: solicited}}, workload: {op: send, solicited: 9, recv_depth: 8}"),
    ("rnic.staging_bytes", "topology: {mtu: 9000}, rnic: {staging_bytes: 8000B}"),
    ("rnic.hold_bytes", "topology: {mtu: 9000}, rnic: {receive: hold, hold_bytes: 8000B}"),
    ("rnic.window.policy", "rnic: {receive: copy, window: {policy: placed}}"),
    ("rnic.window.bytes", "rnic: {window: {bytes: 2000B}}"),
    ("rnic.window.bytes", "rnic: {window: {bytes: 2GiB}}"),
    ("rnic.window.bytes", "rnic: {window: {bytes: 1073725440B, policy: buffer}}"),
    ("rnic.window.mark", "rnic: {staging_bytes: 64KiB, window: {policy: retire, mark: 64KiB}}"),
    ("rnic.stall.every", "rnic: {stall: {for: 1us, every: 1us}}"),
    ("rnic.pcie.lanes", "rnic: {pcie: {lanes: 3}}"),
    ("rnic.read_order", "rnic: {read_order: any}"),
    ("rnic.pcie.payload", "rnic: {pcie: {payload: 200B}}"),
    ("rnic.pcie.request", "rnic: {pcie: {request: 500B}}"),
    ("rnic.bus.background", "rnic: {bus: {rate: 1Gbps, background: 1Gbps}}"),
    # security
    ("rnic.crypto.rate", "rnic: {crypto: {rate: 10Gbps}}"),
    ("rnic.crypto.latency", "rnic: {crypto: {latency: 1us}}"),
    ("hosts.1.rnic.crypto.rate", "hosts: {1: {rnic.crypto.rate: 10Gbps}}"),
    ("rnic.receive", "llp: {security: tls}"),
    ("llp.security", "llp: {security: tls, kind: sctp}, rnic: {receive: hold}"),
    ("llp.security", "llp: {security: tls}, rnic: {receive: hold}, channel: {corrupt: 0.01}"),
    ("llp.security", "llp: {security: esp, kind: sctp}, workload: {kind: transport_classes}"),
    # fates from a file
    ("channel.trace.file", "channel: {trace: {file: none.fates}}"),
    ("channel.trace.file", "world: simgrid, channel: {trace: {file: bursts.fates}}"),
    ("channel.trace.by", "channel: {trace: {by: time}}"),
    ("channel.trace.start", "channel: {trace: {start: 5}}"),
    ("channel", "channel: {trace: {file: bursts.fates}, loss: 0.01}"),
    ("channel", "channel: {trace: {file: bursts.fates}, jitter: 1us}"),
    ("channel", "channel: {trace: {file: bursts.fates}, reorder: {probability: 0.1, delay: 1us}}"),
    ("channel", "channel: {trace: {file: bursts.fates, start: 4194304}}"),
    # workloads
    ("workload.kind", "workload: {kind: transport_classes}"),
    ("workload.kind", "world: simgrid, workload: {kind: ddp}"),
    ("workloads.a.kind", "workloads: {a: {kind: ddp}, b: {op: write}}"),
    ("workload", "workload: {kind: ddp, op: read}"),
    ("workload", "llp: {kind: sctp}, workload: {kind: transport_classes, class: unreliable_unordered, quarantine: 5us, reuse: 5us}"),
    ("workload", "workload: {kind: ddp, notify: atomic}"),
    ("workload", "workload: {kind: ddp, op: send}, rnic: {srq: 4}"),
    ("workload.consume_rate", "llp: {kind: sctp}, workload: {kind: transport_classes, consume_rate: 1Gbps}"),
    ("workload.kind", "llp: {kind: sctp}, workload: {kind: errors}"),
    ("workload.kind", "workload: {kind: incast}"),
    ("workload.count", "workload: {count: unlimited}"),
    ("measure.for", "measure: {from: 40s, for: 21s}"),
    ("measure.for_share", "measure: {for: 1ms, for_share: 0.5}"),
    ("measure.for_share", "measure: {from_share: 0.6, for_share: 0.5}"),
    ("measure.for_share", "workload: {kind: errors}, measure: {for_share: 0.5}"),
    ("measure.until_enough", "workload: {kind: errors}, measure: {until_enough: true}"),
    ("measure.until_enough", "measure: {until_enough: true}, repeat: 2"),
    ("measure.until_enough", "measure: {until_enough: true}, sweep: {workload.count: [1, 2]}"),
    ("measure.until_enough", "measure: {until_enough: true}, sweep: {measure.for: [1us, 2us]}"),
    ("workload.size", "workload: {kind: pingpong, op: write, size: 0B}"),
    ("payload", "workload: {size: 1GiB, depth: 16}"),
    ("workload", "workload: {op: fetch_add, size: 16B}"),
    ("workload", "workload: {arrival: poisson, size: 0B, op: send}"),
    ("workload", "workload: {op: send, recv_depth: 65535}, payload: none"),
    ("workload", "workload: {connections: 65536, stags: 1000}, payload: none"),
    ("workload", "topology: {kind: star, hosts: 65536}, workload: {kind: permutation, connections: 65536}, payload: none"),
    ("workload", "workload: {op: send, connections: 65536, depth: 16384, recv_depth: 65000}, payload: none"),
    ("workload.size.cdf", "workload: {size: {cdf: web-search.cdf}}, sweep: {workload.size: [1KiB, 2KiB]}"),
    # a schedule from a file
    ("workload", "workload: {kind: goal}"),
    ("workload.file", "workload: {kind: goal, file: none.goal}"),
    ("workload.file", "workload: {kind: goal, file: ../allreduce-16.goal}"),
    ("workload.file", "workload: {file: allreduce-16.goal}"),
    ("workloads.a.file", "workloads: {a: {kind: goal, file: none.goal}}"),
    ("workload", "workload: {kind: goal, file: allreduce-16.goal}"),
    ("limit.idle", "topology: {kind: star, hosts: 16}, workload: {kind: goal, file: stencil-16.goal}, limit: {idle: 20us}"),
    # a connection matrix, and switches as others model them
    ("workload", "workload: {kind: matrix}"),
    ("workload.matrix", "workload: {kind: matrix, matrix: none.cm}"),
    ("workload.matrix", "workload: {kind: matrix, matrix: two-phases.cm}"),
    ("workload.matrix", "workload: {matrix: two-phases.cm}"),
    ("workloads.a.matrix", "topology: {kind: star, hosts: 9}, workloads: {a: {kind: matrix, matrix: two-phases.cm, hosts: 0-6}}"),
    ("topology.ecn.at", "topology: {kind: star, ecn: {at: dequeue}}"),
    ("topology.ecn.last_hop", "topology: {kind: star, ecn: {last_hop: spare}}"),
    ("topology.trim.from", "topology: {kind: star, trim.from: coin}, llp: {kind: packet, recovery: rud}"),
    ("topology.trim", "world: simgrid, topology: {kind: star, trim: true, trim.share: strict}"),
    # some hosts
    ("hosts.1.rnic.rx.latency", "hosts: {0-1: {rnic.rx.latency: 1us}, 1: {rnic.rx.latency: 2us}}"),
    ("hosts.1.rnic.stall.for", "hosts: {1: {rnic.stall.for: 1us}}"),
    ("hosts.1.rnic.rx.latency", "world: simgrid, hosts: {1: {rnic.rx.latency: 0ps}}"),
    ("hosts.1.rnic.pcie.lanes", "hosts: {1: {rnic.pcie.lanes: 3}}"),
    ("rnic.preset", "hosts: {1: {rnic.preset: t6}}"),
    ("rnic.draw", "hosts: {1: {rnic.draw: 3}}"),
    ("rnic.receive", "hosts: {1: {rnic.receive: hold}}"),
    ("rnic.window.bytes", "hosts: {1: {rnic.window.bytes: 1MiB}}"),
    ("llp.min_rto", "hosts: {1: {llp.min_rto: 1ms}}"),
    # several workloads
    ("workload.size", "workloads: {a: {op: send}}, workload: {size: 1KiB}"),
    ("workloads.a.kind", "workloads: {a: {kind: incast}}"),
    ("workloads.a.kind", "workloads: {a: {kind: errors}, b: {op: send}}"),
    ("workloads.a.load", "workloads: {a: {load: 0.5}, b: {arrival: poisson}}"),
    ("workloads.a.size.cdf", "workloads: {a: {size: {cdf: web-search.cdf}}}, sweep: {workloads.a.size: [1KiB, 2KiB]}"),
    ("workloads.a.hosts", "workloads: {a: {hosts: 0-2}}"),
    ("workloads.a.hosts", "workloads: {a: {hosts: 1-0}}"),
    ("workloads.a.hosts", "workloads: {a: {hosts: 1 0-1}}"),
    ("workloads.a.hosts", "workloads: {a: {hosts: 0 one}}"),
    ("workloads.a.hosts", "workloads: {a: {hosts: ','}}"),
    ("workloads.a.hosts", "workloads: {a: {hosts: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16}}, topology: {kind: star, hosts: 20}"),
    ("workloads.a", "workloads: {a: {hosts: 1}}"),
    ("workload", "workload: {hosts: 1}"),
    ("payload", "workloads: {a: {size: 512MiB}, b: {size: 512MiB}}"),
    ("workload", "topology: {kind: star, hosts: 4000}, workloads: {a: {kind: shuffle}, b: {kind: shuffle}}, payload: none"),
    ("workload", "workloads: {a: {connections: 60000, stags: 200}, b: {connections: 60000, stags: 200}}, payload: none"),
    ("workload", "workloads: {a: {op: send, connections: 30000, depth: 16384, recv_depth: 60000}, b: {op: send, connections: 30000, depth: 16384, recv_depth: 60000}}, payload: none"),
    ("plot.x", "plot: {x: nothing}"),
    ("plot.x", "plot: {x: goodput_gbs}"),
    # links that change
    *(("topology.events", STAR % f'events: "{text}"') for text in (
        "-1us host0-switch0 down", "1 host0-switch0 down", "1us host0-switch0 5", "1us host0-switch0 off", "1us " + "x" * 128 + " up", "1us host0-switch0", "1us host0-host1 down",
        "1us switch host0 down", "1us host0-switch0 down; 2us host*->switch0 down", "1us host0-switch0 up", "1us host0-switch0 200Gbps", "1us host0-switch0#2 down")),
    *(("topology.events", STAR % f"events: {text}") for text in (
        "[]", "[host0]", "[{at: 1us, link: [host0], state: down}]", "[{when: 1us}]", "[{at: 1us, link: a b, state: down}]", "[{at: 1us, link: host0-switch0, switch: switch0, state: down}]",
        "[{at: 1us, link: host0-switch0, state: off}]", "[" + ", ".join(f"{{at: {i}us, link: host0-switch0, rate: 5Gbps}}" for i in range(12)) + "]")),
    ("topology.events", "topology: {kind: star, hosts: 131072, events: %s}, payload: none" % "; ".join(["1us *-* 5Gbps"] * 5)),
    ("topology.failures.mttr", STAR % "failures: {mttr: 1ms}"),
    *((f"topology.degrade.{key}", STAR % f"degrade: {{{key}: {value}}}") for key, value in (("rate", "1Gbps"), ("tier", "leaf"), ("seed", 2))),
    ("topology.degrade.share", STAR % "degrade: {share: 0.5, tier: host, rate: 400Gbps}"),
    ("topology.degrade.share", STAR % "degrade: {share: 0.5}"),
    ("topology.reroute_after", STAR % "reroute_after: 1ms"),
    ("topology.flow_control", STAR % "flow_control: pfc, failures: {mtbf: 1ms}"),
    ("topology.events", "world: simgrid, " + STAR % "events: 1us host0-switch0 down"),
    # scripts
    ("workload.script", SCRIPT % "peer send 100"),
    ("workload.script", SCRIPT % "send 5 into"),
    ("workload.script", SCRIPT % "write 5 to there"),
    ("workload.script", SCRIPT % "send 5 slowly"),
    ("workload.script", SCRIPT % "fetch_add"),
    ("workload.script", SCRIPT % "jump 5"),
    ("workload.script", SCRIPT % "send"),
    ("workload.script", SCRIPT % "send 5; wait 5"),
    ("workload.script", SCRIPT % "write 5 into 6"),
    ("workload.script", SCRIPT % "; ".join(["send 1"] + ["wait"] * 32)),
    ("workload.script", SCRIPT % " "),
]
UNREACHED = {  # what no scenario can provoke, and why
    "a probability must be 0 .. 1": "the key table says so first",
    "connections, depth, count and stags must be at least 1": "the key table says so first",
    "must be 2 to 64": "the key table says so first",
    "a host may have at most eight ports, one in each plane": "the key table says so first",
    "planes need 2 to 2^20 hosts": "the key table says so first",
    "must be 1 to 1000, and the rate at least 1 kbps": "the key table says so first",
    "must be 0 .. 1": "the key table says so first",
    "a size distribution must end at 1": "the reader of the file says so first",
    "out of range": "the key table says so first",
    "a rate must not be zero": "the key table says so first",
}

LITERAL = r'"(?:\\.|[^"\\])*"'


def sentences():
    """{sentence: where it stands}"""
    found = {}
    for name, functions in SOURCES.items():
        for body in bodies(plain(name), functions):
            found |= dict.fromkeys(strings(body), name)
    for name, table in TABLES.items():
        for text in re.findall(table, plain(name), re.S):
            found |= dict.fromkeys(strings(text), name)
    return found


def plain(name):
    return re.sub(r"/\*.*?\*/", "", (TOP / name).read_text(), flags=re.S)


def bodies(text, functions):
    head = r"^[a-z][\w ]*\W(%s)\([^;{}]*\)\n\{\n(.*?)^\}" % functions
    return [m[2] for m in re.finditer(head, text, re.M | re.S)]


def strings(text):
    """Strings of three words and more that are not a list of keys."""
    for joined in re.findall(r"%s(?:\s*%s)*" % (LITERAL, LITERAL), text):
        said = "".join(part[1:-1] for part in re.findall(LITERAL, joined)).replace('\\"', '"')
        words = said.split()
        if len(words) > 2 and not set(words) <= CHOICES and said[0] not in " ;" and not all(re.fullmatch(r"(rnic%s%s)|[a-z_]+(\.[a-z_]+)*", w) and ("." in w or w in GROUPS or "%" in w) for w in words):
            yield said


CHOICES = {"mpa", "sctp", "ideal", "packet"}
GROUPS = {"topology", "llp", "rnic", "channel", "workload", "payload", "world", "plot", "repeat"}


def pattern(sentence):
    return ".*".join(re.escape(part) for part in re.split(r"%[-.\d]*(?:ll|z)?[a-z]", sentence))


class Refusals(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def said_of(self, text):
        path = self.folder / "x.yaml"
        path.write_text("{%s}\n" % text)
        done = subprocess.run([IWARPSIM, "check", path], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (text, done.stdout[-300:], done.stderr))
        return done.stderr.strip()

    def test_every_refusal_is_provoked(self):
        known, said = sentences(), {}
        self.assertGreater(len(known), 60)
        for key, text in REFUSED:
            with self.subTest(text):
                line = self.said_of(text)
                said[line] = text
                self.assertRegex(line, r"x\.yaml:1:\d+: %s: " % re.escape(key))
        for sentence, where in known.items():
            with self.subTest(f"{where}: {sentence}"):
                hits = [text for line, text in said.items() if re.search(pattern(sentence), line)]
                self.assertEqual(bool(hits), sentence not in UNREACHED, "provoked by no scenario of this file" if not hits else "provoked, and said to be unreached")
                if "-v" in sys.argv:
                    print(f"{sentence}: {hits}")
        self.assertEqual(set(UNREACHED) - set(known), set())
        print(f"{len(known)} refusals: {len(known) - len(UNREACHED)} provoked, {len(UNREACHED)} that nothing can")


if __name__ == "__main__":
    unittest.main()
