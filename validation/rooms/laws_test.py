#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every sentence "Law: ..." of a header is named by a LAW of its room, and no room has fewer than 15 LAW in 1,000 lines of .c; rooms of laws.tsv
excepted."""

import sys
import unittest

sys.dont_write_bytecode = True
import laws

HEADER = "/* A ring. Law: get <= put,\n * and no more. */\nstruct ring;\n/* Laws: `a` is sorted; none is empty. */\n"


class Laws(unittest.TestCase):
    def setUp(self):
        self.found, self.later = laws.rooms(), laws.later(laws.LATER.read_text())

    def test_every_room_keeps_its_laws(self):
        self.assertEqual(laws.judge(self.found, self.later)[1], [])

    def test_only_rooms_that_are_there_are_excused(self):
        self.assertEqual(set(self.later) - set(self.found), set())

    def test_a_sentence_that_no_law_names_is_noticed_in_every_room(self):
        for room, (sources, headers) in self.found.items():
            _, wrong = laws.judge({room: (sources, [*headers, "/* Law: pigs never fly at night. */"])}, {})
            self.assertIn(f"{room}: no LAW names the sentence: pigs never fly at ...", wrong)

    def test_laws_that_are_gone_are_noticed_in_every_room(self):
        for room, (sources, headers) in self.found.items():
            _, wrong = laws.judge({room: ([s.replace("LAW(", "(") for s in sources], headers)}, {})
            self.assertIn(f"{room}: 0.0 LAW per 1,000 lines, 15 are the least", wrong)

    def test_sentences_of_a_header(self):
        self.assertEqual(list(laws.sentences(HEADER)), ["get <= put and", "a is sorted", "none is empty"])
        self.assertEqual(list(laws.sentences("/* Law, for every resource: used <= limit and more */")), ["used <= limit and"])
        self.assertEqual(list(laws.sentences("/* LAW(x): x holds here. A law is written in words. */")), [])

    def test_where_a_law_is_named(self):
        for source in (
            "    LAW(a(r) <= b); /* get <= put, and no more */\n",
            "    /* Get <= put,\n     * and no more. */\n    LAW(a <= b);\n",
            "/* Of a ring: get <= put, and no more. */\nstatic bool holds(const struct ring *r)\n{\n}\n\n    LAW(x && holds(r));\n",
        ):
            self.assertIn("get <= put and", laws.named([source]), source)
        for source in (
            "/* get <= put, and no more */\nint x;\n    LAW(a <= b);\n",
            "/* get <= put, and no more */\nstatic bool holds(void)\n{\n}\n    LAW(hold(r));\n",
            "    LAW(a); go(); /* get <= put, and no more */\n",
        ):
            self.assertNotIn("get <= put and", laws.named([source]), source)


if __name__ == "__main__":
    unittest.main()
