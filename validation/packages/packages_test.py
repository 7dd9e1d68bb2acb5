#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The wrapper ./waf, on a machine whose apt, dpkg, sudo and waf are small fakes; and the private source list."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/packages"))
sys.dont_write_bytecode = True
import fetch_waf

TOOLS = "sh env sed tr cut grep sort head tail cat cmp mv rm mkdir dirname uname python3".split()
FAKES = {
    # installed packages are lines of $HERE/installed
    "dpkg-query": 'for p; do grep -qx -- "$p" $HERE/installed && echo "installed $p 1.0"; done; :',
    # what apt is asked goes to $HERE/asked; $HERE/offline makes it fail
    "apt-get": """
echo "$*" >>$HERE/asked
case "$*" in *--assume-no*) echo 'Need to get 1,234 kB of archives.'; echo 'After this operation, 5 MB of additional disk space will be used.'; exit 1;; esac
if [ -e $HERE/offline ]; then echo 'Err:1 http://mirror'; echo '  Could not resolve mirror.'; echo 'E: Failed to fetch x  Could not resolve mirror.'; exit 100; fi
""",
    "id": "cat $HERE/uid",
    "sudo": 'echo "sudo $*" >>$HERE/asked; [ "$1" != -n ] || shift; exec "$@"',
    "waf": '[ "$1" != --version ] || { echo "waf 2.0.26 (abc)"; exit; }; echo "ran: $*"',
}


@unittest.skipUnless("debian" in Path("/etc/os-release").read_text(), "the wrapper installs on Debian only")
class Wrapper(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        (self.here / "helpers").mkdir()
        shutil.copytree(TOP / "helpers/packages", self.here / "helpers/packages")
        shutil.copy(TOP / "waf", self.here)
        (self.here / "bin").mkdir()
        for tool in TOOLS:
            (self.here / "bin" / tool).symlink_to(shutil.which(tool))
        for name, script in FAKES.items():
            path = self.here / "bin" / name
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        (self.here / "uid").write_text("0\n")
        self.install(*self.packages("core"))

    def packages(self, name):
        lines = (TOP / f"helpers/packages/{name}.txt").read_text().splitlines()
        return [word for line in lines for word in line.partition("#")[0].split()]

    def install(self, *packages):
        (self.here / "installed").write_text("".join(p + "\n" for p in packages))

    def waf(self, *arguments, **environment):
        """(exit code, what it printed, what apt-get and sudo were asked)"""
        done = subprocess.run(
            ["./waf", *arguments], cwd=self.here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": str(self.here / "bin"), "HERE": str(self.here), **environment},
        )
        asked = self.here / "asked"
        return done.returncode, done.stdout, asked.read_text() if asked.exists() else ""

    def test_runs_waf_when_nothing_is_missing(self):
        self.assertEqual(self.waf("--yes", "build", "--target=x"), (0, "ran: build --target=x\n", ""))

    def test_configures_first_where_an_option_is_for_configure(self):
        self.assertEqual(self.waf("install", "--prefix=/x")[1], "ran: configure install --prefix=/x\n")
        self.assertEqual(self.waf("build", "--ns3=/x")[1], "ran: configure build --ns3=/x\n")
        self.assertEqual(self.waf("configure", "--prefix=/x", "install")[1], "ran: configure --prefix=/x install\n")

    def test_installs_what_is_missing_without_a_terminal(self):
        self.install(*[p for p in self.packages("core") if p != "libisal-dev"])
        code, said, asked = self.waf("build")
        self.assertEqual(code, 0)
        self.assertIn("missing packages: libisal-dev", said)
        self.assertIn("to download: 1,234 kB, on disk: 5 MB\n", said)
        self.assertRegex(asked, r"install --no-remove --no-install-recommends libisal-dev\n$")
        self.assertNotIn("sudo", asked)

    def test_check_stands_on_every_list(self):
        code, said, asked = self.waf("check")
        self.assertIn("install --no-remove --no-install-recommends " + " ".join(p for name in ("figures", "manual", "simulators", "tests") for p in self.packages(name)), asked)

    def test_what_only_a_night_takes_is_installed_for_one(self):
        self.install(*[p for name in ("core", "figures", "manual", "simulators", "tests", "wasm") for p in self.packages(name)])
        self.assertEqual(self.waf("check")[2], "")
        self.assertIn("slurmctld", self.waf("check", "--nightly")[2])

    def test_a_small_demo_stands_on_fewer(self):
        self.install()
        code, said, asked = self.waf("demo", "--small")
        self.assertTrue(asked.rstrip().endswith(" ".join(self.packages("core") + self.packages("figures"))), asked)
        self.assertEqual(said.splitlines()[-1], "ran: demo --small")

    def test_sudo_does_it_for_a_user(self):
        (self.here / "uid").write_text("1000\n")
        self.install()
        code, said, asked = self.waf("build")
        self.assertEqual(code, 0)
        self.assertRegex(asked, r"sudo -n env DEBIAN_FRONTEND=noninteractive apt-get .* install")

    def test_a_user_without_sudo_is_told_the_command(self):
        (self.here / "uid").write_text("1000\n")
        (self.here / "bin/sudo").unlink()
        self.install(*[p for p in self.packages("core") if p != "gcc"])
        code, said, asked = self.waf("build")
        self.assertEqual((code, asked), (1, ""))
        self.assertEqual(said, "waf: these packages are missing and only root can install them: apt-get install gcc\n")

    def test_no_install_says_and_goes_on(self):
        self.install(*[p for p in self.packages("core") if p != "libisal-dev"])
        self.assertEqual(self.waf("build", WAF_NO_INSTALL="1"), (0, "waf: missing packages: libisal-dev\nran: build\n", ""))

    def test_offline_is_one_sentence(self):
        (self.here / "offline").touch()
        self.install()
        code, said, asked = self.waf("build")
        self.assertEqual(code, 1)
        last = said.splitlines()[-1]
        self.assertTrue(last.startswith("waf: apt could not install the packages: Could not resolve mirror. Is this machine online?"), last)

    def test_without_apt_it_names_what_to_install(self):
        (self.here / "bin/apt-get").unlink()
        code, said, asked = self.waf("build")
        self.assertEqual(code, 1)
        self.assertIn("this is not Debian", said)
        self.assertEqual(self.waf("build", WAF_NO_INSTALL="1")[:2], (0, "ran: build\n"))

    def test_an_old_waf_is_not_used(self):
        (self.here / "bin/waf").write_text('#!/bin/sh\necho "waf 2.0.9"\n')
        (self.here / "bin/apt-get").unlink()
        code, said, asked = self.waf("build", WAF_NO_INSTALL="1")
        self.assertEqual((code, said), (1, "waf: no waf 2.0.24 or newer on PATH\n"))

    def test_notes_the_packages_so_that_waf_configures_again(self):
        self.waf("build")
        before = (self.here / "build/packages").read_text()
        self.install(*self.packages("core"), "clang")
        self.waf("build")
        self.assertEqual((self.here / "build/packages").read_text(), "\n".join(sorted(before.splitlines() + ["clang 1.0"])) + "\n")


class Sources(unittest.TestCase):
    SUITES = {"bookworm", "stable"}

    def test_one_line(self):
        text = """# deb http://old bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://mirror/debian bookworm main contrib # note
deb http://mirror/debian bookworm-updates main
deb-src http://mirror/debian bookworm main
deb http://elsewhere/apt bookworm stable
"""
        self.assertEqual(
            fetch_waf.one_line_sources(text, self.SUITES),
            ["deb-src [arch=amd64 signed-by=/k.gpg] http://mirror/debian bookworm main contrib \n"],
        )

    def test_deb822(self):
        text = """Types: deb deb-src
# a note
URIs: http://mirror/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Enabled: no
Types: deb
URIs: http://off/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://security
Suites: bookworm-security
Components: main
"""
        self.assertEqual(
            fetch_waf.deb822_sources(text, self.SUITES),
            [
                "Types: deb-src\nUris: http://mirror/debian\nSuites: bookworm\nComponents: main\n"
                "Signed-By: \n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"
            ],
        )


if __name__ == "__main__":
    unittest.main()
