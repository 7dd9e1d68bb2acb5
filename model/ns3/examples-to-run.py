# SPDX-License-Identifier: GPL-2.0-or-later
# What ns-3's test.py runs beside the test suite: program, when to run it, when to run it under valgrind.
cpp_examples = [
    ("iwarp-write", "True", "True"),
    ("iwarp-reorder", "True", "False"),
]
python_examples = []
