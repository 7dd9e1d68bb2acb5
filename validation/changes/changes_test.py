#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a change costs: patches that each add one thing must apply, touch few files, and compile.

    changes_test.py [-v] [CHANGE]...     -v: the files of each

A row of changes.tsv is a patch beside it, how many files it may touch outside folders of its own, these folders, and a shell command that shows
what it adds. Each is applied (`git apply --3way`) in a copy of the work tree; the list for Debian, which is generated, is not counted. What it
touches is compiled with the project's warnings as errors: its C files, and for a header three files that include it. At night
(IWARPSIM_NIGHTLY) the copy is built, and the command has to end with 0. A patch that does not apply is mended in the commit that is in its way.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS = HERE / "changes.tsv"
TOP = HERE.parents[1]
sys.path.insert(0, str(TOP / "validation/contract"))
import planted_test  # how a file is compiled

NIGHTLY = os.environ.get("IWARPSIM_NIGHTLY")
USERS = 3  # of a header are compiled


def git(*words, **more):
    return subprocess.run(["git", *words], capture_output=True, text=True, **more)


def copied(folder):
    """The work tree as a commit in a repository of its own, with the objects that --3way looks for. False: this is no repository."""
    if git("-C", TOP, "ls-files", "--error-unmatch", "wscript").returncode:
        return False
    git("clone", "--quiet", "--shared", TOP, folder, check=True)
    changed = git("-C", TOP, "diff", "--binary", "HEAD").stdout
    if changed:
        git("apply", input=changed, cwd=folder, check=True)
    for path in git("-C", TOP, "ls-files", "--others", "--exclude-standard").stdout.splitlines():
        (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / path, Path(folder) / path)
    git("add", "--all", cwd=folder, check=True)
    git("-c", "user.name=check", "-c", "user.email=check@localhost", "commit", "--quiet", "--allow-empty", "--message=as it is", cwd=folder, check=True)
    return True


def users_of(header, folder):
    """C files whose first lines include it."""
    name = re.sub(r"^model/", "", header)
    asks = git("grep", "-l", "--fixed-strings", f'#include "{name}"', "--", "*.c", cwd=folder).stdout.split()
    return [path for path in asks if not path.startswith(planted_test.PAGES)][:USERS]


def compiled(touched, folder):
    files = {path for path in touched if path.endswith(".c")}
    for header in (path for path in touched if path.endswith(".h")):
        files.update(users_of(header, folder))
    files = sorted(path for path in files if path.split("/")[0] in planted_test.ROOMS)
    words = ["gcc", *planted_test.flags(), "-Imodel", "-I.", f"-I{TOP / 'build'}", *files]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True) if files else None
    errors = [line for line in done.stderr.splitlines() if "error" in line] if done and done.returncode else []
    return errors and f"does not compile: {errors[0]}"


def proved(command, folder):
    """In the same build/ for each change: only what differs is compiled again."""
    if (TOP / "build/waf").exists():
        shutil.copytree(TOP / "build/waf", Path(folder) / "build/waf", dirs_exist_ok=True)
    done = subprocess.run(f"./waf configure build --yes && {command}", shell=True, cwd=folder, capture_output=True, text=True)
    return done.returncode and f"`{command}` ends with {done.returncode}: {(done.stdout + done.stderr)[-400:]}"


def wrong_with(change, most, own, command, folder, watch):
    """A sentence, or None."""
    applied = git("apply", "--3way", HERE / f"{change}.patch", cwd=folder)
    if applied.returncode:
        return f"does not apply: {applied.stderr.splitlines()[0]}"
    touched = git("diff", "--cached", "--name-only", "--", ":!debian/sources.mk", cwd=folder).stdout.split()
    if watch:
        print(f"{change}: {' '.join(touched)}")
    if len([path for path in touched if not path.startswith(tuple(own))]) > int(most):
        return f"touches {len(touched)} files, more than {most}: {' '.join(touched)}"
    return compiled(touched, folder) or NIGHTLY and proved(command, folder)


def main(arguments):
    watch, chosen = "-v" in arguments, [a for a in arguments if a != "-v"]
    rows = [line.split("\t") for line in ROWS.read_text().splitlines()[1:]]
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        if not copied(folder):
            print("skipped: no git repository, and patches are applied in a clone of it")
            return 0
        wrong = 0
        for change, most, own, command in (row for row in rows if not chosen or row[0] in chosen):
            why = wrong_with(change, most, own.split(), command, folder, watch)
            wrong += bool(why)
            print(f"{change}: {why or 'at most ' + most + ' files, as said'}", flush=True)
            git("reset", "--quiet", "--hard", cwd=folder, check=True)
            git("clean", "--quiet", "-d", "--force", cwd=folder, check=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(rows)} changes, {wrong} not as the list says; {spent.ru_utime + spent.ru_stime:.0f} s of CPU")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
