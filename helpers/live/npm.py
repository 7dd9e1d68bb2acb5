#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts the npm package of the engine together: npm.py OUT [ENGINE]      ENGINE: live.wasm [build/live.wasm]; `npm pack OUT` does the rest"""

import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def write(out, engine=HERE.parents[1] / "build/live.wasm"):
    """The version stands in iw.h alone."""
    shutil.copytree(HERE / "npm", out, dirs_exist_ok=True)
    package, version = out / "package.json", re.search(r'IW_VERSION "(.*)"', (HERE.parents[1] / "model/engine/iw.h").read_text())[1]
    package.write_text(package.read_text().replace('"0.0.0"', f'"{version}"'))
    shutil.copy(engine, out / "live.wasm")


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(Path, sys.argv[2:]))
