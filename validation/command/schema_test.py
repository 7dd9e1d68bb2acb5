#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`iwarpsim keys --schema` accepts every scenario that ships and refuses what is broken in them; so does the loader."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))

GOOD = """\
rnic.window.bytes: 64KiB
---
rnic: {window.bytes: 64KiB, window: {policy: constant}}
---
workload: {size.cdf: web-search.cdf}
---
workload: {size: {cdf: web-search.cdf}}
---
llp: {congestion: "fixed:1MiB", dupack_threshold: 5}
---
topology: {mtu: 9000, delay: 1.5us, rate: 100 Gbps}
---
channel: {loss: 1e-4}
---
sweep: {rnic.window.bytes: 64KiB..1MiB x 2}
---
sweep: {rnic: {window: {bytes: [16KiB, 64KiB..256KiB x 2]}}, workload.count: [1..10 by 3]}
---
sweep: {zip: [{rnic.window.bytes: [64KiB, 128KiB], topology: {delay: [1us, 2us]}}]}
---
repeat: 6
---
repeat: {until: 2%, of: goodput_gbps, most: 50}
---
repeat.until: 0.015
---
title: 5
---
workloads: {background: {arrival: poisson, load: 0.4}, short-ones.size: 1KiB}
---
workloads.a.size.cdf: web-search.cdf
workloads.b: {hosts: 1 0, start: 5us}
sweep: {workloads.b.depth: [1, 2], workloads: {a: {connections: 1..4}}}
---
workload: {hosts: 1 0, start: 5us}
---
hosts: {1: {rnic.stall.every: 10us, rnic.stall.for: 1us}, 0-0: {rnic: {rx.latency: 5us, tx: {latency: 1us}}}}
---
cases: {iWARP: , RoCE + PFC: {llp.kind: packet, topology: {flow_control: pfc, kind: star}}}
---
cases: {a: {workload.count: 5, hosts.0-1.rnic.rx.latency: 2us}, b: {}}
case: b
sweep: {workload.depth: [1, 2]}
---
cases: {a: {}, b: {}, c: {}}
sweep: {case: [c, a]}
---
hosts.0-1.rnic.rx.latency: 2us
hosts: {0-1: {rnic.stall: {every: 20us, for: 1us}}}
sweep: {hosts: {0-1: {rnic: {tx: {latency: [1us, 2us]}}}}}
"""

BROKEN = [
    "wrold: ns3", "world: ns4", "world: NS3", "world: 5", "world: [ns3]", "seed: -1", "seed: x", "seed: 1.5", "repeat: 0", "repeat: many", "repeat: [1, 2]", "repeat: {until: 200%}", "repeat: {until: -1%}", "repeat: {until: narrow}", "repeat: {until: 2%, most: 5}", "payload: yes",
    "topology: link", "topology: {kind: ring}", "topology: {rate: 100}", "topology: {rate: 100G}", "topology: {rate: fast}", "topology: {delay: 5}", "topology: {delay: 5µs}",
    "topology: {delay: -5us}", "topology: {mtu: big}", "topology: {bandwidth: 1Gbps}", "topology: {k: four}", "topology.rate: {x: 1}", "topology: {oversubscription: 0.5}",
    "llp: {markers: maybe}", "llp: {markers: 1}", "llp: {congestion: bbr}", "llp: {congestion: \"fixed:\"}", "llp: {congestion: \"fixed:1\"}", "llp: {send_buffer: 4M}",
    "llp: {dupack_threshold: 3us}", "llp: {min_rto: 1}", "rnic: {receive: plaice}", "rnic: {window: 64KiB}", "rnic: {window: {byte: 64KiB}}", "rnic: {preset: none}",
    "rnic: {window: {policy: biggest}}", "channel: {loss: 2}", "channel: {loss: -0.1}", "channel: {loss: 1%}", "channel: {reorder: 0.1}", "workload: stream", "workload: {kind: streams}",
    "workload: {size: 64}", "workload: {size: 64K}", "workload: {depth: deep}", "workload: {count: 1KiB}", "limit: {wall: 10}", "plot: {logx: maybe}", "plot: {logy: 1}", "plot: {z: goodput_gbps}",
    "sweep: [1]", "sweep: {topology.delay: []}", "sweep: {topology.delay: 5us}", "sweep: {topology.delay: [5]}", "sweep: {repeat: [1, 2]}", "sweep: {title: [a, b]}", "sweep: {rnic: [1]}",
    "sweep: {zip: {}}", "sweep: {zip: []}", "sweep: {zip: [1]}", "sweep: {zip: [{wrold: [ns3]}]}", "workloads: {}", "workloads: {a: {}}", "workloads: [a]", "workloads: 3", "workloads: {1a: {op: send}}", "workloads: {a: {laod: 1}}", "workloads: {a: {size: 3}}", "workloads: {a: {consume_rate: 1Gbps}}",
    "hosts: {}", "hosts: {0-1: {}}", "hosts: {a: {rnic.rx.latency: 2us}}", "hosts: {0-1: {rnic.receive: hold}}", "hosts: {0-1: {rnic: {preset: t6}}}", "hosts: {0-1: {rnic: {draw: 2}}}", "hosts.0-1.rnic.draw: 2", "hosts: {0-1: {llp.min_rto: 5ms}}", "hosts.0-1: 3",
    "cases: {}", "cases: [a]", "cases: {a: 3}", "cases: {a: [1]}", "cases: {a: {wrold: ns3}}", "cases: {a: {repeat: 3}}", "cases: {a: {repeat.most: 9}}", "cases: {a: {plot: {x: seed}}}", "cases: {a: {case: a}}", "cases: {'[a': {}}", "cases: {'': {}}",
    "workloads.a.consume_rate: 1Gbps", "workloads.a.kind: streams", "sweep: {workloads: {a: {depth: 3}}}", "workloads: {abcdefghijklmnopqrstuvwxyzabcdef: {op: send}}", "[1, 2]", "hello", "{}",
]


def read(text):
    """As an editor has it: in JSON every key is a word, `hosts: {3: ...}`, too."""
    return json.loads(json.dumps(yaml.safe_load(text)))


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run([IWARPSIM, "keys", "--schema"], capture_output=True, text=True, check=True).stdout
        cls.schema = json.loads(text)
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def loads(self, text):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            path = Path(folder) / "s.yaml"
            path.write_text(text)
            return subprocess.run([IWARPSIM, "check", path], capture_output=True, timeout=60).returncode == 0

    def test_accepts_what_ships(self):
        files = sorted(f for f in (TOP / "scenarios").rglob("*.yaml") if f.parent.name != "topologies")
        self.assertGreater(len(files), 40)
        for path in files:
            errors = [e.message for e in self.validator.iter_errors(read(path.read_text()))]
            self.assertEqual(errors, [], path)

    def test_accepts_each_way_to_write_a_key(self):
        for text in GOOD.split("---\n"):
            self.assertEqual([e.message for e in self.validator.iter_errors(read(text))], [], text)
            self.assertTrue(self.loads(text), text)

    def test_refuses_what_is_broken(self):
        self.assertGreaterEqual(len(BROKEN), 50)
        for text in BROKEN:
            self.assertFalse(self.validator.is_valid(read(text)), text)
            if text != "{}":
                self.assertFalse(self.loads(text), text)


if __name__ == "__main__":
    try:
        import jsonschema
        import yaml
    except ImportError as missing:
        print(f"skipped: {missing} (Debian: python3-yaml, python3-jsonschema)")
        sys.exit(77)
    unittest.main()
