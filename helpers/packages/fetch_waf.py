#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fetches waf out of Debian's source package ntpsec: fetch_waf.py FOLDER OLDEST_VERSION

apt downloads and verifies the source package from the mirror and with the keyring that this machine
uses for its own release. The source list, the index and the downloads live in a private folder beside
FOLDER, so nothing in the system's apt changes and no rights are needed. Only `waf` and `waflib` are
unpacked into FOLDER, the first as `waf-light`, the name under which it looks for waflib beside it.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

PACKAGE = "ntpsec"
ROLLING = {"stable", "oldstable", "testing", "unstable", "sid"}


def main(folder, oldest):
    private = folder.with_name(folder.name + ".apt")
    try:
        unpack(fetch(PACKAGE, private), private / "waf")
        require_version(private / "waf", oldest)
        shutil.rmtree(folder, ignore_errors=True)
        (private / "waf").rename(folder)
    finally:
        shutil.rmtree(private, ignore_errors=True)


def fetch(package, private):
    """The archive of a source package, below the folder `private`, which is made anew."""
    shutil.rmtree(private, ignore_errors=True)
    for sub in ("lists/partial", "cache/archives/partial", "source", "parts"):
        (private / sub).mkdir(parents=True)
    write_sources(private / "parts")
    apt(private, package, "update", "-o", "APT::Update::Error-Mode=any")
    apt(private, package, "source", "--download-only", package)
    archive = next((a for a in (private / "source").glob("*.orig.tar.*") if not a.name.endswith(".asc")), None)
    if not archive:
        fail(f"apt fetched no source archive of {package}")
    return archive


def write_sources(parts):
    """Writes the machine's own sources for its release again, as deb-src, into the folder `parts`."""
    suites = ROLLING | {release()}
    count = 0
    for path in apt_source_files():
        text = path.read_text(errors="replace")
        stanzas = deb822_sources(text, suites) if path.suffix == ".sources" else one_line_sources(text, suites)
        if stanzas:
            count += 1
            (parts / f"{count}{path.suffix}").write_text("\n".join(stanzas))
    if not count:
        fail("apt has no source with a component 'main' for this release, so source packages cannot be fetched")


def release():
    for line in Path("/etc/os-release").read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME":
            return value.strip('"')
    return "sid"


def apt_source_files():
    config = dict(
        re.findall(r"^(\w+)='(.*)'$", output("apt-config", "shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"), re.M)
    )
    files = [Path(config.get("LIST", "/etc/apt/sources.list"))]
    parts = Path(config.get("PARTS", "/etc/apt/sources.list.d"))
    files += sorted(parts.glob("*.list")) + sorted(parts.glob("*.sources"))
    return [f for f in files if f.is_file()]


def one_line_sources(text, suites):
    """`deb [options] uri suite component...` lines of our release, as deb-src."""
    lines = []
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)", line)
        if match and match[3] in suites and "main" in match[4].split():
            lines.append(f"deb-src {match[1] or ''}{match[2]} {match[3]} {match[4]}\n")
    return lines


def deb822_sources(text, suites):
    """Stanzas of our release, as deb-src; every other field (Signed-By, Trusted, ...) stays as it is."""
    stanzas = []
    for stanza in re.split(r"\n[ \t]*\n", text):
        fields = {}
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in (" ", "\t") and fields:
                fields[name] += "\n" + line
            elif ":" in line:
                name, _, value = line.partition(":")
                name = name.strip().title()
                fields[name] = value.strip()
        ours = [s for s in fields.get("Suites", "").split() if s in suites]
        wanted = "deb" in fields.get("Types", "").split() and "main" in fields.get("Components", "").split()
        if ours and wanted and fields.get("Enabled", "yes") != "no":
            fields.update({"Types": "deb-src", "Suites": " ".join(ours)})
            stanzas.append("".join(f"{k}: {v}\n" for k, v in fields.items()))
    return stanzas


def apt(private, package, *arguments):
    options = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": private / "parts",
        "Dir::State::Lists": private / "lists",
        "Dir::Cache": private / "cache",
        "Dir::Cache::archives": private / "cache/archives",
        "Acquire::Retries": 2,
        "Acquire::http::Timeout": 20,
    }
    command = ["apt-get", "-q"] + [x for k, v in options.items() for x in ("-o", f"{k}={v}")] + list(arguments)
    done = subprocess.run(
        command, cwd=private / "source", env={**os.environ, "LC_ALL": "C"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )
    if done.returncode:
        reason = re.search(r"(Unable to|Could not|Temporary failure|Cannot) .*", done.stdout)
        errors = [line for line in done.stdout.splitlines() if re.match(r"(E|W|Err):", line)]
        said = reason[0] if reason else errors[0] if errors else "it gave no reason"
        fail(f"apt cannot fetch the source package {package}{', which brings waf' if package == PACKAGE else ''}: {said} Is this machine online?")


def unpack(archive, folder):
    with tarfile.open(archive) as tar:
        for member in tar:
            inside = member.name.partition("/")[2]
            if member.isfile() and (inside == "waf" or inside.startswith("waflib/")) and ".." not in inside:
                target = folder / ("waf-light" if inside == "waf" else inside)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tar.extractfile(member).read())


def require_version(folder, oldest):
    match = re.search(r'^VERSION="([\d.]+)"', (folder / "waf-light").read_text(errors="replace"), re.M)
    if not match or numbers(match[1]) < numbers(oldest):
        fail(f"the waf in {PACKAGE} is {match[1] if match else 'unknown'}, older than {oldest}")


def numbers(version):
    return [int(n) for n in version.split(".")]


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def fail(message):
    sys.exit(f"waf: {message}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2])
