#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed examples compile against nothing but the installed headers and libraries, and do what they say."""

import ast
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/packages"))
sys.dont_write_bytecode = True
import debian_sources

BUILD = Path(os.environ.get("IWARPSIM_BUILD", TOP / "build"))
STRICT = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SAYS = {
    "two_hosts": """segment 2 arrives: placed
segment 1 arrives: placed
segment 0 arrives: placed
request 7 is complete, status 0, 4000 octets
the octets are the same
""",
    "ulp_over_ddp": """1 segment arrived
4 segments arrived, last one first
block 2 is there
the octets are the same
""",
}


def configured():
    """What ./waf configure found."""
    lines = (BUILD / "c4che/_cache.py").read_text().splitlines()
    return {name: ast.literal_eval(value) for name, value in (line.split(" = ", 1) for line in lines if " = " in line)}


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.conf = configured()
        cls.isal = ["-lisal"] if cls.conf.get("HAVE_ISAL") else []

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        headers = re.search(r"^HEADERS = (.*?)^\w", debian_sources.text(debian_sources.wscript()), re.S | re.M)[1]
        for header in re.findall(r"model/(\S+)", headers):
            (self.folder / "include" / header).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / "model" / header, self.folder / "include" / header)

    def says(self, source, compiler, *libraries):
        program = self.folder / "example"
        subprocess.run([*compiler, f"-I{self.folder}/include", TOP / source, *libraries, "-o", program], check=True)
        return subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout

    def test_in_c(self):
        for name, expected in SAYS.items():
            said = self.says(f"model/examples/{name}.c", ["cc", "-std=c11", *STRICT], BUILD / "libiwarp.a", *self.isal)
            self.assertEqual(said, expected)

    def test_for_ns3(self):
        if not self.conf.get("HAVE_NS3"):
            self.skipTest("no ns-3 here")
        paths = [word for folder in self.conf.get("LIBPATH_NS3", []) for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")]
        libraries = [BUILD / "libiwarp-ns3.a", BUILD / "libiwarp.a", *paths, *(f"-l{lib}" for lib in self.conf["LIB_NS3"]), *self.isal]
        said = self.says("model/ns3/examples/iwarp-write.cc", ["c++", *self.conf["CXXFLAGS_NS3"]], *libraries)
        self.assertIn("placed 1048640 octets", said)
        self.assertIn("the octets are the same", said)
        self.traces()

    def traces(self):
        """What both adapters send is what the other one gets: in captures, in lines, and in those of the link's device."""
        subprocess.run([f"{self.folder}/example", f"--trace={self.folder}/t"], stdout=subprocess.DEVNULL, check=True)
        sizes, kinds = [], []
        for host in "01":
            octets = Path(f"{self.folder}/t-{host}-0.pcap").read_bytes()
            self.assertEqual(struct.unpack_from("<IHH", octets), (0xa1b2c3d4, 2, 4))
            self.assertEqual(struct.unpack_from("<I", octets, 20)[0], 101)  # LINKTYPE_RAW
            at = 24
            sizes.append([])
            while at < len(octets):
                length = struct.unpack_from("<I", octets, at + 8)[0]
                self.assertEqual(octets[at + 16], 0x45)
                self.assertEqual(struct.unpack_from(">H", octets, at + 18)[0], length)
                sizes[-1].append(length)
                at += 16 + length
            kinds.append(Counter(line[0] for line in Path(f"{self.folder}/t-{host}-0.tr").read_text().splitlines()))
            link = Counter(line[0] for line in Path(f"{self.folder}/t-link-{host}-0.tr").read_text().splitlines())
            self.assertEqual((link["-"], link["r"]), (kinds[-1]["t"], kinds[-1]["r"]))
        self.assertGreater(sum(sizes[0]), 1 << 20)
        self.assertEqual(sorted(sizes[0]), sorted(sizes[1]))
        self.assertEqual((kinds[0]["t"], kinds[0]["r"]), (kinds[1]["r"], kinds[1]["t"]))
        self.assertEqual(sum(kinds[0].values()), len(sizes[0]))

    def test_the_page_names_every_example(self):
        page = (TOP / "model/examples/README.md").read_text()
        files = [p.name for pattern in debian_sources.wscript()["EXAMPLES"] for p in TOP.glob(pattern) if p.suffix != ".md"]
        self.assertGreater(len(files), 3)
        self.assertEqual([f for f in files if f not in page], [])


if __name__ == "__main__":
    unittest.main()
