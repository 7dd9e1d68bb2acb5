#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two laws of names in the program (model, helpers, scenarios).

A structure, union or enum in a header carries, as one of its words, the name of its room or of its file.
A static function's name stands in at most three files, but for those where it fills a slot of a table."""

import collections
import pathlib
import re
import subprocess
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("model/", "helpers/", "scenarios/")
FILES = 3

# A room whose names begin with another word than the folder's, and that word.
WORDS = {
    "model/engine": "iw ddp rdmap ep",
    "model/llp": "packet",
    "model/simgrid": "grid",
    "helpers/campaign": "manifest parallel",
    "helpers/scenario": "point",
    "helpers/story": "narration",
    "helpers/world/simgrid": "cluster",
    "helpers/world/socket": "live",
}

# A tag without such a word, and why.
TAGS = {
    "value_type": "of model/, whose folder is no word; its values begin with VALUE",
}

TAG = re.compile(r"^(?:struct|union|enum)(?: class)? (\w+)\s*\{", re.M)
STATIC = re.compile(r"^static (?:inline )?[\w *]*?\b(\w+)\(", re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def program():
    """The text of every source file, without comments, by name."""
    listed = subprocess.check_output(["git", "ls-files", "*.c", "*.h", "*.cc"], cwd=TOP, text=True).split()
    return {name: COMMENT.sub("", (TOP / name).read_text()) for name in listed if name.startswith(ROOMS) and (TOP / name).exists()}


def singular(word):
    return word[:-1] if word.endswith("s") else word


def words(tag):
    return {singular(word) for word in re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tag).lower().split("_")}


def words_of(path):
    """The words that a tag in this header may carry."""
    room, _, file = path.rpartition("/")
    own = re.split(r"[/_-]", f"{room}/{file.removesuffix('.h')}") + WORDS.get(room, "").split()
    return {singular(word) for word in own} - {"model", "helper", "inner"}


def foreign_tags(files):
    """Tags in headers that say neither their room nor their file."""
    for path, text in files.items():
        for tag in TAG.findall(text) if path.endswith(".h") else ():
            if tag not in TAGS and not words(tag) & words_of(path):
                yield f"{path}: {tag}"


def fills_slot(name, text):
    return re.search(rf"(?:\.\w+ = |\] = |[{{,]\s*)&?{name}\s*[,}}]", text)


def common_statics(files):
    """Names of static functions that stand in too many files."""
    where = collections.defaultdict(list)
    for path, text in files.items():
        for name in set(STATIC.findall(text)):
            where[name].append(path)
    for name, paths in sorted(where.items()):
        if len(paths) > FILES:
            own = [path for path in paths if not fills_slot(name, files[path])]
            if len(own) > FILES:
                yield f"{name}: {' '.join(own)}"


class Names(unittest.TestCase):
    def test_a_tag_in_a_header_carries_its_room_or_its_file(self):
        self.assertEqual(list(foreign_tags(program())), [])

    def test_a_static_name_stands_in_three_files_at_most(self):
        self.assertEqual(list(common_statics(program())), [])

    def test_finds_a_tag_without_its_room(self):
        for path, tag in (("model/llp/tcp_inner.h", "tx"), ("model/node/step.h", "path"), ("helpers/base/files.h", "whole")):
            with self.subTest(path=path):
                self.assertEqual(list(foreign_tags({path: f"struct {tag} {{\n"})), [f"{path}: {tag}"])

    def test_lets_pass_a_tag_with_its_room(self):
        for path, tag in (("model/llp/tcp_inner.h", "tcp_tx"), ("model/simgrid/node.h", "grid_node"), ("helpers/base/files.h", "whole_file")):
            with self.subTest(path=path):
                self.assertEqual(list(foreign_tags({path: f"struct {tag} {{\n"})), [])

    def test_finds_a_static_name_in_four_files(self):
        text = "static void take(int n)\n{\n    take(n, 2);\n}\n"
        self.assertEqual(list(common_statics({f"{n}.c": text for n in range(4)})), ["take: 0.c 1.c 2.c 3.c"])
        self.assertEqual(list(common_statics({f"{n}.c": text for n in range(3)})), [])

    def test_lets_pass_a_slot_of_a_table(self):
        text = "static int take(int n)\n{\n}\nconst struct kind k = {.take = take};\n"
        self.assertEqual(list(common_statics({f"{n}.c": text for n in range(9)})), [])


if __name__ == "__main__":
    unittest.main()
