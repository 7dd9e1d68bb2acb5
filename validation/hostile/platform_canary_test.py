#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A platform file of a stranger commands nothing: every configuration key that SimGrid lists, and every element and attribute
of its DTD, each in a file of its own, through `check` and `run` under strace. Nothing is opened for writing but below --out, the
run's own temporary folder, /dev/null and /dev/shm; no path below a planted home is so much as looked at; no other program starts.

  platform_canary_test.py [TEST]                  needs IWARPSIM (or build/iwarpsim) with SimGrid, and strace
  platform_canary_test.py --tables simgrid.dtd    writes simgrid-dtd.tsv and simgrid-config-keys.tsv anew, for the SimGrid that the
                                                  command is linked to; the DTD is in Debian's source package, src/surf/xml/
"""

import csv
import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
DTD, KEYS = HERE / "simgrid-dtd.tsv", HERE / "simgrid-config-keys.tsv"

LICENCE = "# SPDX-License-Identifier: GPL-2.0-or-later\n"
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
CHANGES = "creat rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir symlink symlinkat link linkat truncate mknod mknodat chmod fchmodat chown lchown fchownat".split()
CONNECTS = "connect bind listen".split()

MOST = 60  # platforms of one scenario; it may have 64
SCENARIO = "world: simgrid\npayload: none\ntopology: {kind: platform, file: %s.xml}\nworkload: {kind: permutation, op: write, size: 4KiB, count: 2}\n"
HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
# Two hosts and what a route needs; %s: behind its hosts, behind its links, behind its routes.
FULL = '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>%s<link id="l" bandwidth="1Gbps" latency="1us"/>%s<route src="a" dst="b"><link_ctn id="l"/></route>%s</zone>'
STAR = '<zone id="z" routing="Cluster"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1Gbps" latency="1us"/>%s<host_link id="b" up="l" down="l"/></zone>'
GROUP = '<zone id="z" routing="Full"><zone id="x" routing="Full">%s</zone>%s</zone>'
WHOLE = "".join(FULL.split("%s"))

# What each element of the DTD stands in when it stands well; elsewhere behind the hosts.
PLACES = {
    "platform": "%s" + WHOLE + "</platform>",
    "zone": GROUP % (WHOLE.replace('"z"', '"w"'), "%s</zone>"),
    "AS": GROUP % (WHOLE.replace('"z"', '"w"'), "%s</AS>"),
    "host": STAR % '%s<host_link id="n1" up="l" down="l"/><host_link id="a" up="l" down="l"/>',
    "host_link": STAR,
    "cabinet": STAR % '<host_link id="a" up="l" down="l"/>%s',
    "backbone": STAR % '<host_link id="a" up="l" down="l"/>%s',
    "cluster": '<zone id="z" routing="Full">%s</zone>',
    "link": FULL % ("", "%s", ""),
    "link_ctn": (FULL % ("", "", "")).replace('<link_ctn id="l"/>', "%s"),
    "route": (FULL % ("", "", "")).replace('<route src="a" dst="b">', "%s").replace("</route>", "</route>"),
}
BESIDE = '<zone id="w" routing="Full"><host id="a" speed="1Gf"/></zone><zone id="x" routing="Full"><host id="b" speed="1Gf"/></zone><link id="l" bandwidth="1Gbps" latency="1us"/>'
for route in ("zoneRoute", "ASroute"):
    PLACES[route] = f'<zone id="z" routing="Full">{BESIDE}%s<link_ctn id="l"/></{route}></zone>'
for route in ("bypassZoneRoute", "bypassASroute"):
    PLACES[route] = f'<zone id="z" routing="Full">{BESIDE}<zoneRoute src="w" dst="x" gw_src="a" gw_dst="b"><link_ctn id="l"/></zoneRoute>%s<link_ctn id="l"/></{route}></zone>'
PLACES["bypassRoute"] = FULL % ("", "", '%s<link_ctn id="l"/></bypassRoute>')
OPEN = {"platform", "zone", "AS", "route", "zoneRoute", "ASroute", "bypassRoute", "bypassZoneRoute", "bypassASroute"}

# A good value of every attribute that has to be good for the others to be met.
GOOD = {
    "id": "n1", "version": "4.1", "routing": "Full", "prefix": "h", "suffix": "s", "radical": "0-3", "speed": "1Gf", "core": "2", "coordinates": "1 2 3", "bandwidth": "1Gbps",
    "latency": "1us", "bw": "1Gbps", "lat": "1us", "sharing_policy": "SHARED", "topology": "FLAT", "bb_bw": "1Gbps", "bb_lat": "1us", "bb_sharing_policy": "FATPIPE",
    "router_id": "n2", "limiter_link": "1Gbps", "loopback_bw": "1Gbps", "loopback_lat": "1us", "up": "l", "down": "l", "symmetrical": "YES", "direction": "NONE",
    "pstate": "0", "read_bw": "1Gbps", "write_bw": "1Gbps", "bw_in": "1Gbps", "bw_out": "1Gbps", "src": "a", "dst": "b", "gw_src": "a", "gw_dst": "b",
}
OF = {("host_link", "id"): "a", ("link_ctn", "id"): "l", ("cluster", "topo_parameters"): "2,2"}
for route in ("zoneRoute", "ASroute", "bypassZoneRoute", "bypassASroute"):
    OF.update({(route, "src"): "w", (route, "dst"): "x"})
WITH = {("cluster", "topo_parameters"): ' topology="TORUS"', ("cluster", "bb_lat"): ' bb_bw="1Gbps"', ("cluster", "loopback_lat"): ' loopback_bw="1Gbps"'}


def table(path):
    """The version in the head of a table, and its rows."""
    lines = path.read_text().splitlines()
    return re.match(r"# SimGrid (\S+):", lines[1])[1], [line.split("\t") for line in lines[3:]]


def declared(text):
    """(element, attribute, what the DTD says of it) for each; an attribute of `-` is the element itself."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    rows = [(element, "-", "") for element in re.findall(r"<!ELEMENT\s+(\w+)", text)]
    return rows + [(e, a, re.sub(r"\s+", " ", rest)) for e, a, rest in re.findall(r"<!ATTLIST\s+(\w+)\s+(\w+)\s+([^>]*)>", text)]


def library():
    """The SimGrid that the command is linked to."""
    linked = subprocess.run(["ldd", f"{IWARPSIM}-simgrid"], stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"(/\S*libsimgrid\.so\S*)", linked)[1]


def asked(option):
    """What SimGrid says of itself, in a process of its own, which that ends."""
    program = ("import ctypes; simgrid = ctypes.CDLL(%r); words = (ctypes.c_char_p * 3)(b'x', %r, None); simgrid.simgrid_init(ctypes.byref(ctypes.c_int(2)), words)"
               % (library(), option.encode()))
    return subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]}).stdout


def listed():
    """SimGrid's version, and the configuration keys that it lists."""
    major, minor, patch = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    ctypes.CDLL(library()).sg_version_get(ctypes.byref(major), ctypes.byref(minor), ctypes.byref(patch))
    return f"{major.value}.{minor.value}", re.findall(r"^   ([a-z][\w/-]*): ", asked("--help"), re.M)


def element(name, attributes, rest=""):
    return "<%s%s%s>" % (name, "".join(f' {a}="{value}"' for a, value in attributes.items()) + rest, "" if name in OPEN else "/")


class Platforms:
    """Files by name, and what `check` has to say of each: a sentence has these words; None: nothing, it is good."""

    def __init__(self, home):
        self.file, self.words = {}, {}
        self.canary = str(home / ".bashrc")

    def add(self, name, text, words):
        self.file[name], self.words[name] = text, words

    def add_keys(self, keys):
        """Each key alone; and with all that makes SimGrid trace, because a name does nothing without."""
        tracing = "".join(f'<prop id="{k}" value="yes"/>' for k in ("tracing", "tracing/platform", "tracing/uncategorized"))
        for i, key in enumerate(keys):
            for more in ("", tracing) if key.startswith("tracing") else ("",):
                config = f'<config id="General">{more}<prop id="{key}" value="{self.canary}"/></config>'
                self.add(f"key{i}{'t' if more else ''}", f'{HEAD}<platform version="4.1">{config}{WHOLE}</platform>', "<config> is not supported")

    def add_dtd(self, rows):
        """Each attribute with a good value and with the path; each element as such."""
        needs = {}
        for e, a, says, _ in rows:
            if a != "-" and "#REQUIRED" in says or (e, a) in (("link", "latency"), ("platform", "version")):
                needs.setdefault(e, []).append(a)
        for i, (e, a, _, decision) in enumerate(rows):
            attributes = {n: OF.get((e, n), GOOD.get(n, "x")) for n in needs.get(e, [])}
            if a != "-":
                attributes[a] = OF.get((e, a), GOOD.get(a, "x"))
            more = WITH.get((e, a), "")
            refused = f"<{e}> is not supported" if self.is_refused(rows, e) else f"<{e}>: {a} is not supported"
            self.add(f"dtd{i}", self.placed(e, attributes, more), None if decision == "read" else refused)
            if a != "-":
                attributes[a] = self.canary
                self.add(f"dtd{i}c", self.placed(e, attributes, more), f"<{e}>: {a} '" if decision == "read" else refused)

    @staticmethod
    def is_refused(rows, e):
        return next(decision for name, a, _, decision in rows if (name, a) == (e, "-")) == "refused"

    @staticmethod
    def placed(e, attributes, more):
        place = PLACES.get(e, FULL % ("%s", "", ""))
        text = place % element(e, attributes, more)
        return HEAD + (text if e == "platform" else f'<platform version="4.1">{text}</platform>')

    def add_xml(self):
        """What an XML parser could be talked into."""
        whole = f'<platform version="4.1">{WHOLE}</platform>'
        doctype = '<!DOCTYPE platform SYSTEM "%s" [%s]>'
        include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{self.canary}" parse="text"/>'
        for name, text, words in (
            ("dtd-there", f'<!DOCTYPE platform SYSTEM "{self.canary}">' + whole, None),
            ("declares", doctype % (self.canary, " ") + whole, "may declare nothing"),
            ("entity", doctype % ("x", f'<!ENTITY e SYSTEM "{self.canary}">') + whole.replace('"a"', '"&e;"'), "may declare nothing"),
            ("parameter", doctype % ("x", f'<!ENTITY % e SYSTEM "{self.canary}"> %e;') + whole, "may declare nothing"),
            ("pulled", doctype % ("x", "%e;") + whole, "may declare nothing"),
            ("laughs", doctype % ("x", '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">') + whole, "may declare nothing"),
            ("include", f'<platform version="4.1">{include}{WHOLE}</platform>', "namespaces"),
            ("style", f'<?xml-stylesheet href="{self.canary}"?>' + whole, None),
            ("schema", whole.replace('"4.1"', f'"4.1" xmlns:x="x" x:noNamespaceSchemaLocation="{self.canary}"'), "namespaces"),
            ("base", whole.replace('"4.1"', f'"4.1" xml:base="{self.canary}"'), "namespaces|is not supported"),
            ("encoding", f'<?xml version="1.0" encoding="../../{self.canary}"?>' + whole, "."),
            ("utf16", whole, "."),
        ):
            self.add(name, text, words)

    def write(self, folder):
        for name, text in self.file.items():
            (folder / f"{name}.xml").write_bytes(text.encode("utf-16" if name == "utf16" else "utf-8"))
            (folder / f"{name}.yaml").write_text(SCENARIO % name)


class Canary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="iwarpsim-")))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.home, cls.here, cls.own = (cls.folder / name for name in ("home", "here", "own"))
        for folder in (cls.home / ".config" / "simgrid", cls.here / "out", cls.own):
            folder.mkdir(parents=True)
        for name in (".bashrc", ".profile", ".simgrid", ".simgridrc", ".config/simgrid/simgrid.cfg", ".gdbinit"):
            (cls.home / name).write_text("mine\n")
        cls.environment = {**os.environ, "HOME": str(cls.home), "TMPDIR": str(cls.own), "IWARPSIM": IWARPSIM,
                           "IWARPSIM_SIMGRID_FLAGS": f"--cfg=tracing:yes --cfg=tracing/uncategorized:yes --cfg=tracing/filename:{cls.home}/.bashrc",
                           "SIMGRID_CONFIG": f"tracing/filename:{cls.home}/.bashrc", "XML_CATALOG_FILES": str(cls.home / ".bashrc")}
        cls.version, cls.keys = listed()
        cls.platforms = Platforms(cls.home)
        kept = [key for key, in table(KEYS)[1]]
        cls.platforms.add_keys(sorted(set(kept) | set(cls.keys)))
        cls.platforms.add_dtd(table(DTD)[1])
        cls.platforms.add_xml()
        cls.platforms.write(cls.here)

    def tearDown(self):
        for path in self.home.rglob("*"):
            if path.is_file():
                self.assertEqual(path.read_text(), "mine\n", path)

    def watched(self, script, *words):
        """A shell's script under strace: what it printed. Fails when a call did what none may do."""
        log = self.folder / "log"
        calls = ["%file", "clone", "?clone3", "?fork", "?vfork"] + CONNECTS
        command = ["strace", "-f", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-e", "trace=" + ",".join(calls), "-e", "signal=none", "-o", str(log), "sh", "-c", script, "sh", *words]
        done = subprocess.run(command, cwd=self.here, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        with open(log, errors="replace") as file:
            lines = file.readlines()
        self.at, forks = {}, (re.match(r"(\d+) +(?:<\.\.\. )?(?:clone3?|v?fork)\b.* = (\d+)$", line) for line in lines)
        self.parent = {fork[2]: fork[1] for fork in forks if fork}
        bad = [line for line in lines if self.is_wrong(line)]
        self.assertEqual(bad[:5], [], "\n".join(bad[:5]))
        return done.stdout + done.stderr

    def folder_of(self, process):
        while process not in self.at and process in self.parent:
            process = self.parent[process]
        return self.at.get(process, str(self.here))

    def is_wrong(self, line):
        """Did its call do what none may do?"""
        process, name = re.match(r"(\d+) +(?:<\.\.\. )?(\w*)", line).groups()
        here = self.folder_of(process)
        paths = [os.path.normpath(os.path.join(base or here, path)) for base, path in re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"', line)]
        if name == "chdir" and paths:
            self.at[process] = paths[0]
        if name in CONNECTS or any(self.is_below(path, self.home) for path in paths):
            return True
        if name == "execve":
            return any(os.path.basename(path) not in ("sh", "iwarpsim", "iwarpsim-simgrid") for path in paths[:1])
        allowed = (self.here / "out", self.own, "/dev/null", "/dev/shm")
        writes = name in CHANGES or name.startswith("open") and WRITES.search(line)
        return bool(writes) and not all(any(self.is_below(path, to) for to in allowed) for path in paths)

    @staticmethod
    def is_below(path, folder):
        return path == str(folder) or path.startswith(f"{folder}/")

    def test_strace_sees_what_is_forbidden(self):
        for script in (f"echo x >>'{self.home}/new'", f"cat '{self.home}/.bashrc'", "echo x >here", "mkdir there", "mv p.yaml q.yaml", "/bin/true", "cd out; echo x >../beside", f"ln -s x {self.folder}/y"):
            with self.assertRaises(AssertionError, msg=script):
                self.watched(script)
        (self.home / "new").unlink(missing_ok=True)
        self.watched(f"echo x >out/good; echo x >'{self.own}/good'; echo x >/dev/null; read line <old || :")

    def test_the_tables_are_of_this_simgrid(self):
        version, kept = table(KEYS)
        if version != self.version:
            self.skipTest(f"the tables are of SimGrid {version}, here is {self.version}")
        self.assertEqual([key for key, in kept], self.keys)
        self.assertEqual(table(DTD)[0], version)

    def test_every_key_element_and_attribute(self):
        words = self.platforms.words
        script = 'exec 2>&1; for n; do echo "== $n"; "$IWARPSIM" check $n.yaml; echo "status $?"; "$IWARPSIM" run $n.yaml --out out/$n; echo "status $?"; done'
        said = self.watched(script, *(name for name in words if words[name]))
        parts = re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", said, re.M | re.S)
        self.assertEqual([name for name, _ in parts], [name for name in words if words[name]])
        for name, text in parts:
            with self.subTest(self.platforms.file[name]):
                sentence = r"%s\.yaml:3:\d+: topology\.file: %s\.xml:\d+: .*(?:%s).*\nstatus 2\n" % (name, name, words[name])
                self.assertRegex(text, f"^(?:{sentence}){{2}}$")
        print(f"{len(parts)} platforms are refused by check and run")

    def test_what_is_read(self):
        """All that is left of SimGrid's elements and attributes: it reads them, and does what it should."""
        good = [name for name, words in self.platforms.words.items() if words is None]
        for i in range(0, len(good), MOST):
            some = good[i : i + MOST]
            (self.here / "good.yaml").write_text(SCENARIO % some[0] + "sweep: {topology.file: [%s]}\n" % ", ".join(f"{name}.xml" for name in some))
            said = self.watched(f'exec 2>&1; "$IWARPSIM" check good.yaml && "$IWARPSIM" run good.yaml --jobs 1 --out out/good{i}; echo "status $?"')
            self.assertTrue(said.endswith("status 0\n"), re.findall("^iwarpsim: point .*(?:refused|crashed).*", said, re.M))
            with open(self.here / f"out/good{i}/results.csv") as file:
                self.assertEqual([row["status"] for row in csv.DictReader(file)], ["ok"] * len(some))
        print(f"{len(good)} platforms run")

    def test_a_folder_of_results_from_before(self):
        """It was run when <config> was obeyed, and is whole."""
        bad = next(text for name, text in self.platforms.file.items() if name.startswith("key") and name.endswith("t"))
        (self.here / "old.yaml").write_text(SCENARIO % "old")
        (self.here / "old.xml").write_text(f'{HEAD}<platform version="4.1">{WHOLE}</platform>')
        self.watched('"$IWARPSIM" run old.yaml --jobs 1 --out out/old')
        self.exchange(self.here / "out/old/old.xml", bad)
        said = self.watched('"$IWARPSIM" verify out/old; echo "status $?"; "$IWARPSIM" rerun out/old; echo "status $?"')
        self.assertIn("whole", said)
        self.assertEqual(re.findall(r"^status (\d+)$", said, re.M), ["0", "2"], said)
        self.assertRegex(said, r"old\.xml:3: <config> is not supported")

    def exchange(self, path, text):
        """Another text for a file of a folder of results; its hash, where it stands in others, with it."""
        sums = [hashlib.sha256(data).hexdigest() for data in (path.read_bytes(), text.encode())]
        path.write_text(text)
        for other in path.parent.rglob("*"):
            if other.is_file() and sums[0] in other.read_text(errors="replace"):
                self.exchange(other, other.read_text().replace(*sums))


def write_tables(dtd):
    """What `check` says of an element or attribute decides; read the difference."""
    version, keys = listed()
    KEYS.write_text(f"{LICENCE}# SimGrid {version}: the configuration keys that it lists with --help\nkey\n" + "".join(f"{key}\n" for key in keys))
    rows = [(*row, "read") for row in declared(Path(dtd).read_text())]
    with tempfile.TemporaryDirectory() as folder:
        platforms = Platforms(Path(folder))
        platforms.add_dtd(rows)
        platforms.write(Path(folder))
        for i, row in enumerate(rows):
            done = subprocess.run([IWARPSIM, "check", f"dtd{i}.yaml"], cwd=folder, capture_output=True, text=True)
            if done.returncode:
                rows[i] = (*row[:3], "refused")
                print("\t".join(rows[i][:2]), done.stderr.strip().split(": ", 2)[-1], sep="\t")
    head = f"{LICENCE}# SimGrid {version}: elements (-) and attributes of its DTD, from Debian's source package, and whether a platform file may have them\n"
    DTD.write_text(head + "element\tattribute\tdeclared\tdecision\n" + "".join("\t".join(row) + "\n" for row in rows))


def missing():
    if not Path(f"{IWARPSIM}-simgrid").exists():
        return "SimGrid"
    if not shutil.which("strace"):
        return "strace (Debian: strace)"
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode:
        return "a system that lets strace trace"
    return None


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--tables":
        write_tables(sys.argv[2])
        sys.exit()
    if missing():
        print(f"skipped: needs {missing()}")
        sys.exit(77)
    unittest.main()
