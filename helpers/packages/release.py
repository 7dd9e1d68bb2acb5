#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is published, made from the commit that is checked out: release.py PROGRAM OUT [--apt DIR] [PART]... (`./waf release`)

    source   iwarpsim-VERSION.tar.gz, the files of the commit; the same octets from every clone
    sbom     iwarpsim-VERSION.spdx.json: each file with its licence and checksums (SPDX 2.3)
    ns3      iwarp-ns3-VERSION.tar.gz, which unpacks in contrib/ of an ns-3 tree
    manual   manual/, static pages
    course   course/, what `iwarpsim course` writes, and course.zip for a learning platform
    npm      iwarpsim-engine-VERSION.tgz, the engine for pages and for Node
    deb      Debian's packages for this release of Debian, made from the source archive alone
    oci      oci/, an image (OCI layout) of a small Debian of this release with the package iwarpsim, its world fabric and gnuplot; packages of
             Debian come from this machine's mirror. Containerfile is the other way, with every world and versions pinned
and SHA256SUMS of all of them. The pages run an engine that is compiled for them first. PARTs: these alone. --apt DIR: the packages once more, as a folder that apt takes for a source when a
web server shows it. OUT appears when all is made. A part whose tools are missing is named before anything is made: exit 3."""

import argparse
import fnmatch
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/live"))
sys.dont_write_bytecode = True
import build as engine
import npm

SAYS = re.compile(r"SPDX-License-Identifier: ([\w.+-]*\w(?: (?:OR|AND) [\w.+-]*\w)*)")


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if done.returncode:
        sys.exit(f"release: {command[0]} failed:\n{(done.stdout + done.stderr).decode(errors='replace')[-4000:]}")
    return done.stdout


def git(*words):
    return run("git", "-C", TOP, *words)


class Release:
    def __init__(self, program, out):
        self.program, self.out = Path(program).resolve(), out
        self.version = re.search(r'IW_VERSION "(.*)"', (TOP / "model/engine/iw.h").read_text())[1]
        self.commit, self.when = git("log", "-1", "--format=%H %ct").decode().split()
        self.name = f"iwarpsim-{self.version}"

    def created(self):
        return run("date", "-u", "-d", "@" + self.when, "+%Y-%m-%dT%H:%M:%SZ").decode().strip()

    def archive(self):
        return git("archive", "--format=tar", f"--prefix={self.name}/", "HEAD")

    def keep_tar(self, name, octets):
        with (self.out / name).open("wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as packed:
            packed.write(octets)

    def unpack(self, folder):
        with tarfile.open(fileobj=io.BytesIO(self.archive())) as tar:
            tar.extractall(folder, filter="data")
        return Path(folder) / self.name


def make_source(r):
    r.keep_tar(f"{r.name}.tar.gz", r.archive())


# ---- the bill of materials: what a file says of itself; what says nothing goes by debian/copyright ----


def paragraphs():
    """(patterns, licence), later ones go before earlier ones."""
    said = (TOP / "debian/copyright").read_text()
    found = re.findall(r"^Files: (.*)\n(?:.*\n)*?License: (.*)", said, re.M)
    return [(files.split(), licence.replace(" or ", " OR ")) for files, licence in found]


def concluded(path, said, rules):
    return said or next(licence for patterns, licence in reversed(rules) if any(fnmatch.fnmatch(path, p) for p in patterns))


def file_entry(tar, member, prefix, rules):
    octets, path = tar.extractfile(member).read(), member.name[len(prefix):]
    found = SAYS.search(octets[:4096].decode(errors="replace"))
    said = found and found[1]
    sums = [{"algorithm": name, "checksumValue": hashlib.new(name.lower(), octets).hexdigest()} for name in ("SHA1", "SHA256")]
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", lambda m: f"-{ord(m[0]):x}-", path), "fileName": "./" + path, "checksums": sums,
            "licenseConcluded": concluded(path, said, rules), "licenseInfoInFiles": re.split(" OR | AND ", said) if said else ["NONE"],
            "copyrightText": "NOASSERTION"}


def make_sbom(r):
    rules = paragraphs()
    with tarfile.open(fileobj=io.BytesIO(r.archive())) as tar:
        files = [file_entry(tar, m, r.name + "/", rules) for m in tar if m.isfile()]
    code = hashlib.sha1("".join(sorted(f["checksums"][0]["checksumValue"] for f in files)).encode()).hexdigest()
    package = {"SPDXID": "SPDXRef-iwarpsim", "name": "iwarpsim", "versionInfo": r.version, "downloadLocation": "NOASSERTION", "filesAnalyzed": True,
               "packageVerificationCode": {"packageVerificationCodeValue": code}, "licenseDeclared": "GPL-2.0-or-later", "licenseConcluded": "NOASSERTION",
               "licenseInfoFromFiles": sorted({name for f in files for name in f["licenseInfoInFiles"]} - {"NONE"}), "copyrightText": "NOASSERTION",
               "hasFiles": [f["SPDXID"] for f in files]}
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": r.name, "documentNamespace": "urn:git:" + r.commit,
                "creationInfo": {"created": r.created(), "creators": ["Tool: iwarpsim-release"]}, "packages": [package], "files": files,
                "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-iwarpsim"}]}
    (r.out / f"{r.name}.spdx.json").write_text(json.dumps(document, indent=1) + "\n")


# ---- the other parts ----


def plain(r):
    """What differs from clone to clone goes out of an entry of a tar."""
    def without(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = int(r.when)
        return info
    return without


def make_ns3(r):
    octets = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "contrib").mkdir()
        run("sh", r.unpack(folder) / "model/ns3/to-contrib.sh", folder)
        with tarfile.open(fileobj=octets, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in sorted((Path(folder) / "contrib").rglob("*")):
                tar.add(path, path.relative_to(Path(folder) / "contrib"), recursive=False, filter=plain(r))
    r.keep_tar(f"iwarp-ns3-{r.version}.tar.gz", octets.getvalue())


def make_manual(r):
    run(sys.executable, TOP / "helpers/manual/build.py", r.program, r.out / "manual", cwd=TOP)


def make_course(r):
    run(r.program, "course", "--out", r.out / "course", "--zip")


def make_npm(r):
    with tempfile.TemporaryDirectory() as folder:
        npm.write(Path(folder) / "package", r.program.with_name("live.wasm"))
        run("npm", "pack", "--offline", f"--cache={folder}/cache", f"--pack-destination={r.out}", cwd=Path(folder) / "package")


def make_deb(r):
    with tempfile.TemporaryDirectory() as folder:
        run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=r.unpack(folder))
        for package in Path(folder).glob("*.deb"):
            if "-dbgsym_" not in package.name:
                shutil.copy(package, r.out)


def make_apt(r, folder):
    """A flat source: deb [trusted=yes] ADDRESS ./"""
    folder.mkdir(parents=True, exist_ok=True)
    for package in r.out.glob("*.deb"):
        shutil.copy(package, folder)
    for name, what in (("Packages", "packages"), ("Release", "release")):
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_bytes(run("apt-ftparchive", what, ".", cwd=folder))


def make_root(r, tar):
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    mirror = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").decode().split()[0]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # apt reads it as another user
        make_apt(r, Path(folder) / "apt")
        run("mmdebstrap", "--variant=essential", "--include=iwarpsim,gnuplot-nox", suite, tar, f"deb {mirror} {suite} main", f"deb [trusted=yes] copy://{folder}/apt ./",
            env={**os.environ, "SOURCE_DATE_EPOCH": r.when})


def make_oci(r):
    """One layer, whose files have the time of the commit."""
    layout = r.out / "oci"
    image = f"--image={layout}:{r.version}"
    with tempfile.TemporaryDirectory() as folder:
        make_root(r, Path(folder) / "root.tar")
        run("umoci", "init", f"--layout={layout}")
        run("umoci", "new", image)
        run("umoci", "raw", "add-layer", image, Path(folder) / "root.tar")
    run("umoci", "config", image, "--config.entrypoint=iwarpsim", "--config.cmd=--help", "--config.workingdir=/data", f"--created={r.created()}")
    run("umoci", "gc", f"--layout={layout}")


PARTS = {  # how it is made, the tools it takes
    "source": (make_source, ["git"]),
    "sbom": (make_sbom, ["git", "date"]),
    "ns3": (make_ns3, ["git", "sh"]),
    "manual": (make_manual, []),
    "course": (make_course, []),
    "npm": (make_npm, ["npm"]),
    "deb": (make_deb, ["dpkg-buildpackage", "dh"]),
    "oci": (make_oci, ["mmdebstrap", "umoci", "apt-ftparchive"]),
}
HAVE_ENGINE = {"manual", "course", "npm"}


def sums(out):
    files = sorted(p for p in out.rglob("*") if p.is_file())
    (out / "SHA256SUMS").write_text("".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(out)}\n" for p in files))


def check(parts, apt):
    tools = sorted({tool for part in parts for tool in PARTS[part][1]} | ({"apt-ftparchive"} if apt else set()))
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        sys.stderr.write(f"release: {', '.join(missing)} is missing; Debian's debhelper, dpkg-dev, apt-utils, mmdebstrap, umoci and npm have them, or name the parts to make: {' '.join(PARTS)}\n")
        sys.exit(3)
    if HAVE_ENGINE & set(parts) and engine.missing():
        sys.stderr.write(f"release: {engine.missing()}, or name parts without pages: {' '.join(p for p in PARTS if p not in HAVE_ENGINE)}\n")
        sys.exit(3)
    changed = git("status", "--porcelain").decode().splitlines()
    if changed:
        sys.stderr.write(f"release: {len(changed)} files differ from the commit, the first is {changed[0][3:]}: commit them first\n")
        sys.exit(2)
    if (apt or "oci" in parts) and "deb" not in parts:
        sys.stderr.write("release: --apt DIR and oci need the part deb\n")
        sys.exit(2)


def main():
    parser = argparse.ArgumentParser(prog="release", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, []])
    parser.add_argument("--apt", type=Path, metavar="DIR")
    order = parser.parse_args()
    parts = order.parts or list(PARTS)
    check(parts, order.apt)
    out = order.out.absolute()
    made = out.with_name(out.name + ".part")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    release = Release(order.program, made)
    wrong = engine.build(release.program.parent) if HAVE_ENGINE & set(parts) else ""
    if wrong:
        sys.exit(wrong)
    for part in parts:
        print(f"release: {part}", flush=True)
        PARTS[part][0](release)
    if order.apt:
        make_apt(release, order.apt)
    sums(made)
    shutil.rmtree(out, ignore_errors=True)
    made.rename(out)
    print(f"release: {out} has {len((out / 'SHA256SUMS').read_text().splitlines())} files of {release.name}, commit {release.commit[:12]}")


if __name__ == "__main__":
    main()
