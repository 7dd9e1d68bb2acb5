#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the page that `iwarpsim play` fills in, as C: embed.py PAGE SCRIPT..."""

import base64
import hashlib
import re
import sys
from pathlib import Path

TEXT = '#include "helpers/story/play_page.h"\nconst unsigned char play_page[] = {%s};\nconst size_t play_page_size = %d;\n'


def with_hashes(text):
    """Names the page's own script and style in its Content-Security-Policy, so that a browser runs nothing else."""
    def sha256(found):
        inside = re.search(f'<(?:{found[1]}|script id="{found[1]}")>(.*?)</(?:script|style)>', text, re.S)[1]
        return "sha256-" + base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()

    return re.sub(r"SHA256 OF (\w+)", sha256, text)


def short(script):
    """Without what only its readers need: comments, and what lines begin with."""
    script = re.sub(r"(?<=[;,{]) +// [^'\"`\n]*$", "", script, flags=re.M)
    return re.sub(r"^(?:[ ]*//.*\n|[ ]+)", "", script, flags=re.M)


# Scripts by their names: of every page, of pages of many hosts, of pages of stories.
PARTS = {"/*SCRIPT*/\n": r"[167]_", "/*CLUSTER*/\n": r"[89]_cluster", "/*STORY*/\n": r"[2345]_|[89]_(?!cluster)"}


def main(page, scripts):
    text = re.sub(r"^ +", "", Path(page).read_text(encoding="utf-8"), flags=re.M)
    for mark, names in PARTS.items():
        text = text.replace(mark, short("\n".join(Path(s).read_text(encoding="utf-8") for s in scripts if re.match(names, Path(s).name))))
    octets = with_hashes(text).encode()
    sys.stdout.write(TEXT % (",".join(map(str, octets)), len(octets)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
