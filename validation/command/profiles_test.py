#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What each llp.profile changes in runs, and that draft-00 changes no octet but where it must: the table of conformance/profiles.py."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
import profiles


class Profiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = {row[:2]: row[2:] for row in profiles.profiles()}
        cls.draft = {row[0]: row[2] for row in profiles.draft()}

    # checks: DRAFT00-D2 DDP-7.1-U2b
    def test_only_the_rfc_waits_for_a_buffer(self):
        waits = {key: end for key, (_, end) in self.rows.items() if end == "the message waits"}
        self.assertEqual(set(waits), {("rfc", "wait"), ("strict", "wait"), ("rdmac", "wait")})
        for profile in ("rfc", "draft00", "rdmac", "strict"):
            self.assertRegex(self.rows[profile, "end"][1], "^Terminate 1/2/02")
        self.assertEqual(self.rows["draft00", "wait"][1], self.rows["draft00", "end"][1])

    # checks: DRAFT00-D1 DRAFT00-D3 DRAFT00-D8 DRAFT00-D9 DRAFT00-D10 DRAFT00-D11
    def test_the_draft_has_the_same_octets(self):
        self.assertEqual({self.draft[f"DRAFT00-{name}"] for name in profiles.UNCHANGED}, {"no difference in octets"})

    # checks: RDMAP-4.1-8
    def test_rdmac_has_octets_of_its_own_from_the_start(self):
        self.assertRegex(self.rows["rdmac", "end"][0], r"^packet [1-9] of")

    def test_what_is_right_is_the_same_to_the_strict(self):
        self.assertEqual(self.rows["strict", "end"][0], "no difference in octets")


if __name__ == "__main__":
    sys.exit(unittest.main())
