#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What sentences of stories rest on (helpers/story/sources.h) stands in the section that they name.

The texts are not part of the project: IWARPSIM_TEXTS, or ../shared/spec, is a folder of rfc5041.txt and the like. Without it that is not tested."""

import hashlib
import os
import re
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TEXTS = Path(os.environ.get("IWARPSIM_TEXTS", TOP.parent / "shared" / "spec"))
ROW = re.compile(r'X\((\w+), "([^"]+)", (\d+), "([0-9a-f]{64})"\)')
ROWS = ROW.findall((TOP / "helpers/story/sources.h").read_text())
USED = (TOP / "helpers/story/sentences.c").read_text()
PAGE = re.compile(r"RFC \d+ .*\d{4}|.*\[Page \d+\]")
HEADING = re.compile(r"(?:Appendix )?([A-Z]|[A-Z]?\.?\d+(?:\.\d+)*|[A-Z](?:\.\d+)+)\.?  ?\S")


def words(section):
    """Of a section and those below it; of the whole document where none is named."""
    documents, number = re.fullmatch(r"RFC ([\d, ]*\d{4})(?: ([A-Z0-9.]+))?", section).groups()
    out, inside = [], number is None
    for document in documents.split(", "):
        for line in (TEXTS / f"rfc{document}.txt").read_text(errors="replace").splitlines():
            heading = HEADING.match(line)
            if heading and number:
                inside = heading[1] == number or heading[1].startswith(number + ".")
            if inside and not PAGE.fullmatch(line):
                out += line.split()
    return out


def stands_in(section, count, digest):
    text = words(section)
    return any(hashlib.sha256(" ".join(text[i:i + count]).encode()).hexdigest() == digest for i in range(len(text) - count + 1))


class Sources(unittest.TestCase):
    def test_each_row_is_used_and_none_twice(self):
        self.assertGreater(len(ROWS), 50)
        self.assertEqual(len({name for name, *_ in ROWS}), len(ROWS))
        unused = [name for name, *_ in ROWS if not re.search(rf"\b(BY_)?{name}\b", USED)]
        self.assertEqual([name for name in unused if not name.endswith("_CODES")], [])  # those are what engine/term.h names

    def test_codes_of_terminates_rest_on_sections_of_the_table(self):
        table = (TOP / "model/engine/term.h").read_text()
        for section in set(re.findall(r'0x[0-9a-f]{2}, "(RFC [^"]+)"', table)):
            self.assertIn(section, [row[1] for row in ROWS])

    @unittest.skipUnless(TEXTS.is_dir(), f"no folder of RFC texts at {TEXTS} (IWARPSIM_TEXTS)")
    def test_each_phrase_stands_in_its_section(self):
        for name, section, count, digest in ROWS:
            with self.subTest(name, section=section):
                self.assertTrue(stands_in(section, int(count), digest))

    @unittest.skipUnless(TEXTS.is_dir(), f"no folder of RFC texts at {TEXTS} (IWARPSIM_TEXTS)")
    def test_a_wrong_section_is_noticed(self):
        """5041 5.1 for reliable delivery, 5040 5.3 for whatever is posted: stories said so once."""
        phrases = {name: (int(count), digest) for name, _, count, digest in ROWS}
        for name, section in (("NO_DUPLICATE", "RFC 5041 5.1"), ("OF_WRITE", "RFC 5040 5.3"), ("SCTP_DUPLICATE", "RFC 9260 6.7")):
            self.assertFalse(stands_in(section, *phrases[name]))


if __name__ == "__main__":
    unittest.main()
