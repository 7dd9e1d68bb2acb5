#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the image that the Containerfile describes, without a registry and without a daemon, and runs a scenario in it.

  container.py FOLDER     as root, with buildah and debootstrap; takes 2 GB in FOLDER and the time of a whole build

What stands for the base image of the FROM line is a debootstrap of the same release. Where Debian's snapshot archive is not
reachable, a proxy of this script's answers in its name with this machine's mirror: every line of the Containerfile is carried out
as it stands, with the packages of today instead of those of its snapshot.
"""

import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
SNAPSHOT = "snapshot.debian.org"
SCENARIO = """\
world: {world}
repeat: 2
channel: {{loss: 0.01}}
workload: {{kind: stream, op: write, size: 16KiB, count: 60}}
sweep: {{rnic.window.bytes: [16KiB, 256KiB]}}
"""


def output(*words, **more):
    return subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=True, **more).stdout.strip()


def mirror():
    return output("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").splitlines()[0]


class Snapshot(http.server.BaseHTTPRequestHandler):
    """GET http://snapshot.debian.org/archive/ARCHIVE/DATE/PATH: what the mirror has at ARCHIVE/PATH; other addresses as they are."""

    protocol_version = "HTTP/1.1"
    here = ""

    def do_GET(self):
        there = re.sub(rf"^http://{SNAPSHOT}/archive/([^/]+)/[^/]+/", rf"{self.here}/\1/", self.path)
        try:
            with urllib.request.urlopen(there, timeout=120) as answer:
                octets, status = answer.read(), answer.status
        except urllib.error.HTTPError as error:
            octets, status = b"", error.code
        except OSError as error:
            octets, status = str(error).encode(), 502
        self.send_response(status)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, *_):
        pass


def proxy():
    """The build arguments that lead apt to the snapshot, or to what stands for it."""
    try:
        socket.getaddrinfo(SNAPSHOT, 80)
        return []
    except OSError:
        print(f"{SNAPSHOT} is not reachable: {mirror()} stands for it", flush=True)
    Snapshot.here = mirror().rstrip("/").rsplit("/", 1)[0]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Snapshot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return ["--build-arg", f"http_proxy=http://127.0.0.1:{server.server_port}"]


class Builder:
    def __init__(self, folder):
        self.folder = folder
        self.words = ["buildah", "--root", folder / "storage", "--runroot", folder / "run", "--storage-driver", "vfs"]

    def __call__(self, *words):
        return output(*self.words, *words)

    def base(self, name, release):
        root = self.folder / release
        if not (root / "etc/debian_version").exists():
            subprocess.run(["debootstrap", "--variant=minbase", release, str(root), mirror()], check=True)
        container = self("from", "scratch")
        self("copy", "-q", container, root, "/")
        self("commit", "-q", container, name)
        self("rm", container)

    def run(self, image, data, *arguments):
        """As `podman run -v DATA:/data IMAGE ARGUMENT...`"""
        container = self("from", "--pull-never", image)
        conf = json.loads(self("inspect", container))["OCIv1"]["config"]
        words = [*conf["Entrypoint"], *(arguments or conf["Cmd"])]
        try:
            return self("run", "--isolation", "chroot", "--workingdir", conf["WorkingDir"], "-v", f"{data}:/data", container, "--", *words)
        finally:
            self("rm", container)


def try_it(build, data):
    assert build.run("iwarpsim", data).startswith("usage: iwarpsim"), "the image's own command"
    for world in ("fabric", "ns3", "simgrid"):
        (data / "my.yaml").write_text(SCENARIO.format(world=world))
        print(build.run("iwarpsim", data, "run", "my.yaml", "--out", f"results/{world}"), flush=True)
    (data / "my.yaml").write_text(SCENARIO.format(world="fabric"))
    here = data / "here"
    output(IWARPSIM, "run", data / "my.yaml", "--out", here)
    same = (here / "results.csv").read_bytes() == (data / "results/fabric/results.csv").read_bytes()
    assert same, "packet world: other octets than here"
    print("packet world: the octets of this machine's own build", flush=True)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: container.py FOLDER")
    missing = [tool for tool in ("buildah", "debootstrap") if not shutil.which(tool)]
    if missing or os.getuid() != 0:
        sys.exit(f"container.py: needs root{''.join(', and Debian package ' + m for m in missing)}")
    folder = Path(sys.argv[1]).absolute()
    data = folder / "data"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    build = Builder(folder)
    image = re.search(r"^FROM (\S+)", (TOP / "Containerfile").read_text(), re.M).group(1)
    build.base(image, "bookworm")
    words = [*build.words, "bud", "--isolation", "chroot", "--pull-never", *proxy(), "-t", "iwarpsim", TOP]
    subprocess.run(list(map(str, words)), check=True)
    try_it(build, data)


if __name__ == "__main__":
    main()
