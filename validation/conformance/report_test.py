#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The report finds what it must find, in small trees made for it; and this tree has nothing to find."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report

GOOD = """/* checks: DDP-4.1-1 DDP-4.1-2 */
/* checks: DDP-4.1-3 */
static void a_test(void **state)
{
}
int main(void) { return run(a_test); }
"""


class Tree:
    """validation/ with the given files; gathers it into a fresh catalogue."""

    def __init__(self, **files):
        self.requirements = report.catalogue()
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = os.path.join(folder, name.replace("__", "/").replace("_dot_", "."))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            self.problems = report.gather(self.requirements, folder)

    def checked(self):
        return sorted(r.id for r in self.requirements.values() if r.checked_by)


class Gathering(unittest.TestCase):
    def test_comments_above_a_function(self):
        tree = Tree(unit__x_test_dot_c=GOOD)
        self.assertEqual(tree.problems, [])
        self.assertEqual(tree.checked(), ["DDP-4.1-1", "DDP-4.1-2", "DDP-4.1-3"])
        self.assertEqual(tree.requirements["DDP-4.1-1"].checked_by, ["unit/x_test.c:a_test"])

    def test_a_test_that_stands_in_no_list(self):
        tree = Tree(unit__x_test_dot_c="/* checks: DDP-4.1-1 */\nTEST(a_test)\n{\n}\n/* checks: DDP-4.1-2 */\nTEST_WITH(another, open, close)\n{\n}\n")
        self.assertEqual(tree.problems, [])
        self.assertEqual(tree.requirements["DDP-4.1-1"].checked_by, ["unit/x_test.c:a_test"])
        self.assertEqual(tree.requirements["DDP-4.1-2"].checked_by, ["unit/x_test.c:another"])

    def test_an_unknown_id(self):
        tree = Tree(unit__x_test_dot_c=GOOD.replace("DDP-4.1-1", "DDP-99"))
        self.assertEqual(tree.problems, ["unit/x_test.c:a_test checks DDP-99, which no catalogue has"])

    def test_a_function_that_nobody_runs(self):
        tree = Tree(unit__x_test_dot_c=GOOD.replace("run(a_test)", "0"))
        self.assertEqual(tree.problems, ["unit/x_test.c: a_test is never run"])

    def test_python(self):
        tree = Tree(decode__x_test_dot_py="# checks: DDP-4.1-1\n    def test_it(self):\n        pass\n")
        self.assertEqual(tree.checked(), ["DDP-4.1-1"])

    def test_vectors(self):
        vectors = '{"vectors": [{"id": "v", "requirements": ["DDP-4.1-1"]}]}'
        tree = Tree(vectors__a_dot_json=vectors, unit__x_test_dot_c=GOOD + "// a.json\n")
        self.assertEqual(tree.problems, [])
        self.assertIn("vectors/a.json:v", tree.requirements["DDP-4.1-1"].checked_by)

    def test_vectors_that_nobody_reads(self):
        tree = Tree(vectors__a_dot_json='{"vectors": []}')
        self.assertEqual(tree.problems, ["vectors/a.json: no test reads it"])

    def test_a_family_of_ids(self):
        tree = Tree(unit__x_test_dot_c=GOOD.replace("DDP-4.1-1", "MPA-7.1-12"))
        self.assertIn("MPA-7.1-*", tree.checked())


class Excuses(unittest.TestCase):
    def setUp(self):
        self.requirements = report.catalogue()

    def test_a_checked_requirement_needs_none(self):
        self.requirements["DDP-4.1-1"].checked_by = ["x"]
        problems = report.excuse(self.requirements, [("DDP-4.1-1", "doc", "why")])
        self.assertEqual(problems, ["reasons.tsv excuses DDP-4.1-1, which x checks"])

    def test_what_plain_c_can_show_is_not_put_off(self):
        problems = report.excuse(self.requirements, [("DDP-4.1-1", "model/ns3", "why")])
        self.assertEqual(len(problems), 1)
        self.assertIn("must be checked now", problems[0])

    def test_what_needs_another_room_is(self):
        rows = [("DDP-A-1", "model/rnic", "why")]
        self.assertEqual(report.excuse(self.requirements, rows), [])
        self.assertEqual(self.requirements["DDP-A-1"].status, "not yet")

    def test_a_star_means_all_that_begin_so(self):
        report.excuse(self.requirements, [("CORE-*", "doc", "why")])
        self.assertEqual(self.requirements["CORE-3-1"].status, "doc")
        self.assertEqual(self.requirements["DDP-4.1-1"].status, "MISSING")

    def test_an_unknown_id(self):
        problems = report.excuse(self.requirements, [("DDP-99", "doc", "why")])
        self.assertEqual(problems, ["reasons.tsv excuses DDP-99, which no catalogue has"])

    def test_neither_checked_nor_excused(self):
        self.assertEqual(self.requirements["DDP-4.1-1"].status, "MISSING")
        self.assertEqual(self.requirements["DDP-8.4.2-0"].status, "doc")


class Catalogue(unittest.TestCase):
    def test_it_has_every_row_once(self):
        rows = [row for name in report.CATALOGUES for row in report.table(name)]
        self.assertEqual(len({row[0] for row in rows}), len(rows))
        self.assertEqual(len([row for row in rows if not row[0].startswith(("DRAFT00-", "MPA-", "SCTP-", "EXT-", "TCP"))]), 428)
        self.assertTrue(all(len(row) == 6 for row in rows))

    def test_as_above_means_the_row_above(self):
        self.assertTrue(report.catalogue()["DDP-4.1-4"].must_be_checked)


class ThisTree(unittest.TestCase):
    maxDiff = None

    def test_every_requirement_is_checked_or_excused(self):
        said, complaints = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaints):
            status = report.main([])
        print(said.getvalue())
        self.assertEqual(complaints.getvalue(), "")
        self.assertEqual(status, 0)


if __name__ == "__main__":
    unittest.main()
