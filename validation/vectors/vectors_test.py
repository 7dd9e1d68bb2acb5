#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the vector files JSON that any stack can read? The C tests read them as YAML, which allows more.

Every file: strict JSON without duplicate members, "about" with its licence, arrays of vectors; every vector an object
with an id that no other in the file has and a list of requirements; octets in lower-case hex, whole octets.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OCTETS = {"octets", "ulpdu", "request", "reply", "peer", "private_data", "answer_private_data", "peer_private_data", "wire", "transmit"}


def main():
    files, vectors, wrong = sorted(HERE.glob("*.json")), 0, []
    for path in files:
        try:
            vectors += check(json.loads(path.read_text(), object_pairs_hook=unique))
        except ValueError as error:
            wrong.append(f"{path.name}: {error}")
    for line in wrong:
        print(line)
    print(f"{vectors} vectors in {len(files)} files")
    sys.exit(1 if wrong or not vectors else 0)


def unique(pairs):
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"an object has {', '.join(sorted(twice))} twice")
    return dict(pairs)


def check(document):
    """Raises ValueError; the number of vectors."""
    ids = set()
    if not str(document.get("about", "")).startswith("SPDX-License-Identifier: CC0-1.0. "):
        raise ValueError('"about" does not begin with the licence')
    for array, vectors in document.items():
        for vector in vectors if array != "about" else ():
            identity = vector.get("id")
            if not isinstance(identity, str) or identity in ids:
                raise ValueError(f"{array}: the id {identity!r} is missing or not the only one")
            ids.add(identity)
            if not isinstance(vector.get("requirements"), list):
                raise ValueError(f"{identity}: no list of requirements")
            check_octets(identity, {k: v for k, v in vector.items() if array != "cases" or k != "reply"})  # a judge's: words
    return len(ids)


def check_octets(identity, value):
    for name, member in value.items() if isinstance(value, dict) else ():
        if name in OCTETS and isinstance(member, str) and not re.fullmatch(r"([0-9a-f]{2} ?)*", member):
            raise ValueError(f"{identity}: {name} is not whole octets in hex")
        for element in member if isinstance(member, list) else [member]:
            check_octets(identity, element)


if __name__ == "__main__":
    main()
