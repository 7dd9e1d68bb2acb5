#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The arrows check finds what it must and lets pass what it may."""

import graphlib
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import arrows


def write(top, name, code):
    path = Path(top) / arrows.path_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)
    return path


def violations(name, code):
    """What the check says about a project that holds one file."""
    with tempfile.TemporaryDirectory() as top:
        write(top, name, code)
        return arrows.check(top)


def linked(files, unbuilt=()):
    """What it says about a project that holds these files, all built but the unbuilt."""
    with tempfile.TemporaryDirectory() as top:
        build = Path(top) / "build"
        for name, code in files.items():
            source = write(top, name, code)
            if name not in unbuilt:
                made = build / (arrows.path_of(name) + arrows.PLAIN)
                made.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run([os.environ.get("CC", "cc"), "-O2", "-fno-builtin", "-c", str(source), "-o", str(made)], check=True)
        return [v.replace(top + "/", "") for v in arrows.check(top, build)]


def uses(symbol):
    """Code that takes a symbol without an include, as the linker lets it."""
    return f"int {symbol}(void);\nint user_of_{symbol}(void);\nint user_of_{symbol}(void) {{ return {symbol}(); }}\n"


def defines(symbol):
    return f"int {symbol}(void);\nint {symbol}(void) {{ return 7; }}\n"


class Arrows(unittest.TestCase):
    def test_finds(self):
        for name, code in [
            ("engine/wire.c", '#include "engine/stag.h"\n'),  # sideways
            ("engine/ddp.h", '#include "engine/rdmap.h"\n'),  # up
            ("engine/iw.h", '#include "llp/mpa.h"\n'),  # out of the room
            ("llp/mpa.c", '#include "engine/ddp.h"\n'),  # past the interface
            ("llp/mpa.c", '#include "rnic/rnic.h"\n'),
            ("rnic/rnic.c", '# include "channel/channel.h"\n'),
            ("channel/channel.c", '#include "engine/iw.h"\n'),
            ("fabric/fabric.c", '#include "ns3/socket.h"\n'),
            ("engine/wire.c", '#include "wire.h"\n'),  # not written from model/
            ("engine/novel.c", "int x;\n"),  # a file that no arrow knows
            ("engine/wire.c", "#include <stdlib.h>\n"),
            ("engine/wire.c", "#include <assert.h>\n"),
            ("llp/crc32c.h", "#include <isa-l/crc.h>\n"),  # its length is an int, which the assembly does not read
            ("engine/wire.c", "void *f(void) { return malloc (3); }\n"),
            ("engine/wire.c", "/* a */ int f(void) { return rand(); }\n"),
            ("rnic/rnic.c", "void f(void) { printf(\"x\"); }\n"),
            ("channel/channel.c", "long f(void) { return time(0); }\n"),
            ("fabric/fabric.c", "void f(void *p) { free(p); }\n"),
            ("node/receive.c", '#include "channel/channel.h"\n'),  # a host knows no world
            ("rnic/rnic.c", '#include "node/node.h"\n'),
            ("simgrid/node.c", "int f(void) { return iw_check(0, 0, 0, 0); }\n"),  # a step of the host's
            ("ns3/iwarp-rnic.cc", "long f(void) { return rnic_place(0, 0, 0, 1); }\n"),
            ("fabric/queue.c", '#include "helpers/base/files.h"\n'),  # the model knows no command
            ("fabric/queue.c", '#include <math.h>\n'),
            ("node/receive.c", '#include "rnic/rnic_inner.h"\n'),  # the inside of another room
            ("scenarios/workloads/ring.c", '#include "helpers/scenario/point.h"\n'),
            ("scenarios/workloads/ring.c", '#include "llp/mpa.h"\n'),
            ("helpers/base/files.c", '#include "helpers/scenario/scenario.h"\n'),
            ("helpers/scenario/scenario.c", '#include "helpers/trial/results.h"\n'),
            ("helpers/trial/trial.c", '#include "helpers/campaign/campaign.h"\n'),
            ("helpers/campaign/run_point.c", '#include "helpers/story/notes.h"\n'),
            ("helpers/world/fabric/world_fabric.c", '#include "helpers/world/ns3/world_ns3.h"\n'),
            ("helpers/world/hosts.c", '#include "helpers/world/fabric/world_fabric.h"\n'),  # what worlds share knows none
            ("helpers/world/ns3/world_ns3.cc", '#include "helpers/story/notes.h"\n'),  # its main() may
            ("helpers/capture/flow.c", '#include "helpers/story/story.h"\n'),
            ("helpers/story/story.c", '#include "helpers/figure/plot.h"\n'),
            ("helpers/figure/plot_rows.c", '#include "helpers/command/size.h"\n'),
            ("helpers/base/arguments.c", '#include "helpers/command.h"\n'),
            ("helpers/main.c", '#include "helpers/story/story.h"\n'),
            ("helpers/story/story.c", '#include "helpers/trial/trial_inner.h"\n'),
            ("helpers/story/story.c", '#include "engine/endpoint.h"\n'),
            ("helpers/command/run.c", '#include "helpers/world/simgrid/world_simgrid.h"\n'),
            ("helpers/novel/novel.c", "int x;\n"),  # a room that no arrow knows
            ("helpers/novel.c", "int x;\n"),  # a file outside the rooms
        ]:
            with self.subTest(name=name, code=code):
                self.assertEqual(len(violations(name, code)), 1)

    def test_lets_pass(self):
        for name, code in [
            ("engine/wire.c", '#include "engine/wire.h"\n#include <string.h>\n'),
            ("engine/endpoint.c", '#include "engine/iw.h"\n#include "engine/rdmap.h"\n'),
            ("llp/mpa.c", '#include "engine/iw.h"\n#include "llp/crc32c.h"\n#include <stdint.h>\n'),
            ("llp/crc32c.h", "#include <nmmintrin.h>\n"),
            ("fabric/fabric.c", '#include "channel/channel.h"\n#include "llp/ip_packet.h"\n'),
            ("engine/wire.c", '/* #include "engine/stag.h" and malloc(3) */\n// rand()\n'),
            ("engine/wire.c", 'const char *f(void) { return "printf(x)"; }\n'),
            ("engine/wire.c", "void stag_free(int); void f(struct s *s) { stag_free(1); s->free(2); s->ops.time(3); }\n"),
            ("ns3/socket.cc", '#include "llp/mpa.h"\n#include <map>\nint f() { return rand(); }\n'),
            ("node/receive.c", '#include "node/node.h"\n#include "llp/llp.h"\n#include "rnic/rnic.h"\n'),
            ("scenarios/workloads/ring.c", '#include "scenarios/workloads/kind.h"\n#include "channel/channel.h"\n'),
            ("helpers/trial/trial.c", '#include "helpers/trial/trial_inner.h"\n#include "helpers/base/samples.h"\n'),
            ("helpers/world/ns3/world_ns3_main.cc", '#include "helpers/story/notes.h"\n#include "ns3/simulator.h"\n'),
            ("helpers/command/run.c", '#include "helpers/command.h"\n#include <stdlib.h>\nvoid f(void *p) { free(p); }\n'),
        ]:
            with self.subTest(name=name, code=code):
                self.assertEqual(violations(name, code), [])

    def test_names_file_and_line(self):
        self.assertEqual(
            violations("engine/wire.c", '/* one\n two */\n#include "engine/iw.h"\n'),
            ['model/engine/wire.c:3: new arrow to "engine/iw.h"'],
        )

    def test_has_no_circle_of_rooms(self):
        graph = {}
        for name, row in arrows.ARROWS.items():
            here = arrows.room(name)
            graph.setdefault(here, set()).update({arrows.room(arrow) for arrow in row} - {here})
        self.assertEqual(set().union(*graph.values()) - set(graph), set())
        graph["helpers/"].discard("helpers/")
        graph["helpers/command/"].discard("helpers/")  # command.h, which includes nothing
        graphlib.TopologicalSorter(graph).prepare()  # raises CycleError


class Symbols(unittest.TestCase):
    def test_finds_a_symbol_of_a_room_that_the_row_does_not_point_to(self):
        for here, there in [
            ("engine/wire.c", "llp/mpa_tx.c"),  # up
            ("rnic/rnic.c", "llp/mpa_tx.c"),  # sideways
            ("channel/channel.c", "engine/wire.c"),
            ("node/receive.c", "channel/channel.c"),
            ("fabric/fabric.c", "simgrid/node.c"),
            ("scenarios/workloads/ring.c", "helpers/trial/trial.c"),
            ("helpers/base/files.c", "helpers/scenario/keys.c"),
            ("helpers/scenario/scenario_check.c", "helpers/figure/plot_rows.c"),
            ("helpers/campaign/run_point.c", "helpers/story/notes.c"),
            ("helpers/figure/plot_rows.c", "helpers/capture/flow.c"),
            ("helpers/capture/flow.c", "fabric/fabric.c"),
        ]:
            with self.subTest(here=here, there=there):
                self.assertEqual(
                    linked({here: uses("thing"), there: defines("thing")}),
                    [f"{arrows.path_of(here)}: new arrow to {arrows.room(there)}: thing"],
                )

    def test_finds_a_variable_of_another_room(self):
        here = "extern int thing;\nint *f(void);\nint *f(void) { return &thing; }\n"
        self.assertEqual(
            linked({"helpers/base/files.c": here, "helpers/trial/trial.c": "int thing = 7;\n"}),
            ["helpers/base/files.c: new arrow to helpers/trial/: thing"],
        )

    def test_finds_libc_and_libm_below_a_pure_room(self):
        for name in ("engine/wire.c", "llp/mpa_tx.c", "rnic/rnic.c", "channel/channel.c", "node/receive.c", "fabric/queue.c", "simgrid/rates.c"):
            for symbol in ("ldexp", "llround", "pow", "realloc", "__printf_chk", "novel"):
                with self.subTest(name=name, symbol=symbol):
                    code = f"extern int {symbol};\nint *f(void);\nint *f(void) {{ return &{symbol}; }}\n"
                    self.assertEqual(linked({name: code}), [f"model/{name}: {symbol} is not allowed in {arrows.room(name)}"])

    def test_finds_a_symbol_that_two_files_define(self):
        for here, there in [("node/receive.c", "fabric/queue.c"), ("helpers/base/files.c", "helpers/trial/trial.c"), ("rnic/rnic.c", "rnic/cache.c")]:
            with self.subTest(here=here, there=there):
                first, second = sorted((here, there))
                self.assertEqual(
                    linked({here: defines("thing"), there: defines("thing")}),
                    [f"{arrows.path_of(second)}: thing is defined in {arrows.path_of(first)}, too"],
                )

    def test_finds_files_that_call_each_other_in_a_circle(self):
        files = {f"engine/{a}.c": defines(a) + uses(b) for a, b in (("wire", "ddp"), ("ddp", "rdmap"), ("rdmap", "wire"))}
        beside = "int ddp(void);\nint cq(void);\nint cq(void) { return ddp(); }\n"
        self.assertEqual(linked({**files, "engine/cq.c": beside}), ["model/engine/ddp: calls in a circle with engine/rdmap, engine/wire"])
        one_machine = {"llp/tcp_rx.c": defines("one") + uses("other"), "llp/tcp_tx.c": defines("other") + uses("one")}
        self.assertEqual(linked(one_machine), [])
        joined = {"llp/tcp_rx.c": defines("one") + uses("other"), "llp/mpa_tx.c": defines("other") + uses("one")}
        self.assertEqual(linked(joined), ["model/llp/mpa_tx: calls in a circle with llp/tcp_rx"])

    def test_finds_a_file_that_was_not_built(self):
        self.assertEqual(
            linked({"engine/wire.c": defines("thing"), "engine/ddp.c": defines("other")}, unbuilt=["engine/ddp.c"]),
            ["model/engine/ddp.c: it has no object in build: build first"],
        )

    def test_lets_pass(self):
        for files in [
            {"llp/mpa_rx.c": uses("thing"), "engine/transmit.c": defines("thing")},
            {"engine/wire.c": uses("thing"), "engine/ddp.c": defines("thing")},  # of one room
            {"fabric/queue.c": uses("thing"), "channel/channel.c": defines("thing")},
            {"helpers/story/notes.c": uses("thing"), "helpers/campaign/run_point.c": defines("thing")},
            {"helpers/main.c": uses("thing"), "helpers/command/run.c": defines("thing")},
            {"helpers/base/files.c": uses("rename")},
            {"rnic/rnic.c": uses("memcpy")},
            {"ns3/iwarp.c": uses("realloc")},
            {"helpers/main.c": defines("main"), "helpers/world/simgrid/world_simgrid_main.c": defines("main")},
            {"node/receive.c": "static int thing;\nint *f(void);\nint *f(void) { return &thing; }\n", "rnic/rnic.c": defines("thing")},
        ]:
            with self.subTest(files=files):
                self.assertEqual(linked(files), [])

    def test_lets_pass_what_is_built_only_beside_its_simulator(self):
        self.assertEqual(linked({"ns3/iwarp.cc": "int x;\n"}, unbuilt=["ns3/iwarp.cc"]), [])


if __name__ == "__main__":
    unittest.main()
