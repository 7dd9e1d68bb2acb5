#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each challenge can be solved, and is not solved as it begins; a code is judged the same again; what is no solution is
refused in words."""

import math
import re
import subprocess
import unittest
from urllib.parse import quote

import lessons

# A solution of each, for student 0.
SOLUTIONS = {
    1: {"rnic.window.bytes": "16KiB"},
    2: {"workload.script": "send 3000 into 1436"},
    3: {"seed": 3, "channel.loss": 0.08, "workload.script": "write 1400; send 100; send 100; send 3000"},
    4: {"seed": 71, "channel.loss": 0.1, "channel.reorder.probability": 0.2, "channel.reorder.displacement": 2, "workload.script": "write 9000; send 1000"},
    5: {"seed": 93, "channel.loss": 0.06, "workload.script": "write 20000"},
    6: {"seed": 1, "channel.loss": 0.1, "workload.script": "read 9000"},
    7: {"seed": 3, "channel.reorder.probability": 0.3, "channel.reorder.displacement": 4, "llp.loss_detection": "dupack", "workload.script": "write 14000"},
    8: {"seed": 9, "channel.loss": 0.1, "workload.script": "write 3000; send 100"},
    9: {"workload.script": "read 3000; send 100"},
    10: {"workload.script": "read 3000; send 100 fence"},
    11: {"seed": 3, "channel.loss": 0.1, "workload.script": "write 4000; send 100; send 100"},
    12: {"seed": 59, "channel.loss": 0.03, "workload.script": "write 60000"},
    13: {"rnic.window.bytes": "4KiB"},
    14: {"topology.events": "1us aggregation0-core1 10Gbps"},
    15: {"workload.size": "64800B"},
    16: {"rnic.window.bytes": f"{18 * 1460}B"},
    17: {"llp.path_choice": "mixed"},
    18: {"llp.track": 31},
}
# What is nearly one, and why it is none.
NEAR = {
    13: [({"rnic.window.bytes": "8KiB"}, "43 packets are dropped")],
    14: [({"topology.events": "1us aggregation0-core0 10Gbps"}, "with no slow link at"), ({"topology.events": "1us aggregation0-core1 2Gbps"}, "with no slow link at"),
         ({"topology.events": "1us aggregation*-core* 10Gbps"}, "one event, of one link"), ({"topology.events": "1us switch core1 up"}, "one event, of one link")],
    15: [({"workload.size": "64801B"}, "discard is done at 1150.410 us, place at 86.217 us"), ({"workload.size": "1440B"}, "60000 to 70000")],
    16: [({"rnic.window.bytes": f"{17 * 1460}B"}, "without a limit until"), ({"rnic.window.bytes": f"{19 * 1460}B"}, f"large enough; {18 * 1460} is, too")],
    17: [({"llp.path_choice": "retire"}, "with all switches alive at"), ({"llp.paths": 64}, "with all switches alive at")],
    18: [({"llp.track": 30}, "without a limit until"), ({"llp.track": 40}, "large enough; 39 is, too")],
}


def code(number, settings, student=0):
    return "&".join([f"challenge={number}", f"student={student}", *(f"{key}={quote(str(value))}" for key, value in settings.items())])


def verify(text):
    return subprocess.run([lessons.IWARPSIM, "exercise", "--verify", text], capture_output=True, text=True, timeout=60)


class Challenges(unittest.TestCase):
    def test_each_can_be_solved(self):
        for number, settings in SOLUTIONS.items():
            with self.subTest(number):
                done = verify(code(number, settings))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"\AChallenge {number}, student 0: .*\n.*\nsolved: .*\n\Z")
                self.assertEqual(verify(code(number, settings)).stdout, done.stdout)

    def test_none_is_solved_as_it_begins(self):
        for number in SOLUTIONS:
            with self.subTest(number):
                done = verify(f"challenge={number}")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("\nnot solved: ", done.stdout)

    def test_what_is_nearly_a_solution_is_none(self):
        for number, tried in NEAR.items():
            for settings, why in tried:
                with self.subTest(f"{number} {settings}"):
                    done = verify(code(number, settings))
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertRegex(done.stdout, rf"\nnot solved: .*{re.escape(why)}")

    def test_the_window_of_a_network_is_one_round_trip(self):
        """As lesson 28 has it: 6 links of D us each way, 1.2304 us for a packet on each link going, 0.0672 coming, 1.96 us in adapters."""
        for student, delay in enumerate((1, 2, 3, 4)):
            trip = 12 * delay + 6 * (1.2304 + 0.0672) + 1.96
            frames = math.ceil(0.99 * trip / 1.2304)
            good = [n for n in range(frames - 1, frames + 3) if verify(code(16, {"rnic.window.bytes": f"{n * 1460}B"}, student)).returncode == 0]
            self.assertEqual(len(good), 1, student)

    def test_students_have_numbers_of_their_own(self):
        for number in (2, 3, 12):
            asked = {verify(f"challenge={number}&student={student}").stdout.split("\n")[1] for student in range(4)}
            self.assertGreaterEqual(len(asked), 3)

    def test_the_window_is_the_smallest_to_one_fpdu(self):
        """As the closed form has it: the octets of one round trip."""
        for student, delay in enumerate((5, 6, 7, 8)):
            good = [w for w in range(13, 26) if verify(code(1, {"rnic.window.bytes": f"{w}KiB"}, student)).returncode == 0]
            self.assertTrue(good, student)
            self.assertLessEqual(len(good), 2)
            self.assertAlmostEqual(good[0] * 1024, 10e9 / 8 * 2 * delay * 1e-6 + 2 * 1460, delta=1460)

    def test_what_is_no_solution(self):
        for text, words in (("challenge=19", "challenges 1 to 18"), ("challenge=13&topology.buffer=1MiB", "topology.buffer is fixed"), ("", "must begin with challenge=N"), ("challenge=2&topology.delay=1us", "topology.delay is fixed"),
                            ("challenge=2&workload.script=writ", "a step must begin with"), ("challenge=3&seed=x", "seed"), ("challenge=2&student=me", "whole number"),
                            ("challenge=3&seed=%5B1%2C2%5D", "takes one value here"), ("challenge=1&" + "x" * 600, "at most 511 octets")):
            done = verify(text)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (text, done.stderr))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
