#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The arrows check finds what it must and lets pass what it may."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import arrows


def violations(name, code):
    """What the check says about a model/ that holds one file."""
    with tempfile.TemporaryDirectory() as top:
        path = Path(top) / "model" / name
        path.parent.mkdir(parents=True)
        path.write_text(code)
        return arrows.check(top)


class Arrows(unittest.TestCase):
    def test_finds(self):
        for name, code in [
            ("engine/wire.c", '#include "engine/stag.h"\n'),  # sideways
            ("engine/ddp.h", '#include "engine/rdmap.h"\n'),  # up
            ("engine/iw.h", '#include "llp/mpa.h"\n'),  # out of the room
            ("llp/mpa.c", '#include "engine/ddp.h"\n'),  # past the interface
            ("llp/mpa.c", '#include "rnic/rnic.h"\n'),
            ("rnic/rnic.c", '# include "channel/channel.h"\n'),
            ("channel/channel.c", '#include "engine/iw.h"\n'),
            ("pair/pair.c", '#include "ns3/socket.h"\n'),
            ("engine/wire.c", '#include "wire.h"\n'),  # not written from model/
            ("engine/novel.c", "int x;\n"),  # a file that no arrow knows
            ("engine/wire.c", "#include <stdlib.h>\n"),
            ("engine/wire.c", "#include <assert.h>\n"),
            ("llp/mpa.c", "#include <isa-l/crc.h>\n"),
            ("engine/wire.c", "void *f(void) { return malloc (3); }\n"),
            ("engine/wire.c", "/* a */ int f(void) { return rand(); }\n"),
            ("rnic/rnic.c", "void f(void) { printf(\"x\"); }\n"),
            ("channel/channel.c", "long f(void) { return time(0); }\n"),
            ("pair/pair.c", "void f(void *p) { free(p); }\n"),
        ]:
            with self.subTest(name=name, code=code):
                self.assertEqual(len(violations(name, code)), 1)

    def test_lets_pass(self):
        for name, code in [
            ("engine/wire.c", '#include "engine/wire.h"\n#include <string.h>\n'),
            ("engine/endpoint.c", '#include "engine/iw.h"\n#include "engine/rdmap.h"\n'),
            ("llp/mpa.c", '#include "engine/iw.h"\n#include "llp/crc32c.h"\n#include <stdint.h>\n'),
            ("llp/crc32c.c", "#include <isa-l/crc.h>\n"),
            ("pair/pair.c", '#include "channel/channel.h"\n#include "llp/mpa.h"\n'),
            ("engine/wire.c", '/* #include "engine/stag.h" and malloc(3) */\n// rand()\n'),
            ("engine/wire.c", 'const char *f(void) { return "printf(x)"; }\n'),
            ("engine/wire.c", "void stag_free(int); void f(struct s *s) { stag_free(1); s->free(2); s->ops.time(3); }\n"),
            ("ns3/socket.cc", '#include "llp/mpa.h"\n#include <map>\nint f() { return rand(); }\n'),
        ]:
            with self.subTest(name=name, code=code):
                self.assertEqual(violations(name, code), [])

    def test_names_file_and_line(self):
        self.assertEqual(
            violations("engine/wire.c", '/* one\n two */\n#include "engine/iw.h"\n'),
            ['model/engine/wire.c:3: new arrow to "engine/iw.h"'],
        )


if __name__ == "__main__":
    unittest.main()
