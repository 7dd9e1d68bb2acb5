#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every chapter of the validation book holds: the points are those kept, no error is above what is agreed, and a change is noticed."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import book  # noqa: E402


class Published(unittest.TestCase):
    def test_every_chapter_holds(self):
        for name in book.chapters():
            if book.is_run(name):
                with self.subTest(chapter=name):
                    self.assertEqual(book.judge(name, short=not book.NIGHTLY), [])

    def test_eight_chapters_count_and_the_table_is_that_of_the_points(self):
        counting = [n for n in book.chapters() if book.is_compared(n) and book.module(n).COUNTS is True]
        self.assertGreaterEqual(len(counting), 8)
        text = (book.HERE / "README.md").read_text()
        self.assertEqual(book.readme_with(text, book.overview()), text)

    def test_a_chapter_says_what_was_read_and_why_it_differs(self):
        for name in book.chapters():
            with self.subTest(chapter=name):
                text = (book.HERE / name / "README.md").read_text()
                if not book.is_compared(name):
                    self.assertIn("\n## Not compared: no source read\n", text)
                    continue
                for section in ("\n## Source\n", "\n## How the points were read\n", "\n## Residuals\n", "\n## Limit\n"):
                    self.assertIn(section, text)
                self.assertIn(f"({name}.svg)", text)
                self.assertTrue((book.HERE / name / f"{name}.svg").exists())
                for point in book.table(book.HERE / name / "published.tsv"):
                    self.assertTrue(point["read"].strip(), point)

    def test_what_misses_has_a_reason_with_a_number_and_is_little(self):
        for name in book.chapters():
            chapter = book.is_compared(name) and book.module(name)
            if hasattr(chapter, "MISSES"):
                rows = [r for r in book.table(book.HERE / name / "ours.tsv") if r["error"] and r["curve"] not in {*getattr(chapter, "APART", ()), *getattr(chapter, "LIMITS", ())}]
                held = [r for r in rows if book.key_of(r) not in chapter.MISSES]
                if chapter.COUNTS is True:
                    self.assertGreaterEqual(len(held), 0.85 * len(rows))
                for reason in chapter.MISSES.values():
                    self.assertRegex(reason, r"\d")

    def test_drift_and_a_wrong_point_are_noticed(self):
        name = "memory-crossings"
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as out:
            folder = Path(out) / name
            shutil.copytree(book.HERE / name, folder)
            self.assertEqual(book.judge(name, folder), [])
            kept = folder / "ours.tsv"
            kept.write_text(kept.read_text().replace("2.674", "2.675"))
            (drift,) = book.judge(name, folder)
            self.assertRegex(drift, r"2\.674 .*was .*2\.675")
            shutil.copytree(book.HERE / name, folder, dirs_exist_ok=True)
            scenario = folder / "scenario.yaml"
            scenario.write_text(scenario.read_text().replace("receive: copy", "receive: place").replace("policy: buffer", "policy: placed"))
            self.assertIn("the largest error is", book.judge(name, folder)[0])


if __name__ == "__main__":
    unittest.main()
