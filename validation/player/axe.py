# SPDX-License-Identifier: GPL-2.0-or-later
"""axe-core, for tests only: the file that IWARPSIM_AXE names, or by npm, version and hash pinned."""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

NAME, VERSION = "axe-core", "4.10.3"
DIGEST = "5e6edba515e70d25f6604d9815f064d859c5d1ea7ab661bbc4f87c88779ef0c21cae0abbeb636471ef39e9d62d2582e4b88a1866f19f4ecfcf6d986275e4dc12"
AWAY = r"code (E5\d\d|\w*TIME\w+|ECONN\w+|ENOTFOUND|EAI_AGAIN|ENETUNREACH)\n"
# What axe-core says of the page with all that is folded opened: impact, rule, some of the places.
ASKED = """(() => { document.querySelectorAll('details').forEach(d => { d.open = true; });
  return axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.target.join(' '))])); })()"""


@functools.cache
def script(folder):
    """Its text; npm writes below `folder` alone."""
    if os.environ.get("IWARPSIM_AXE"):
        return Path(os.environ["IWARPSIM_AXE"]).read_text()
    if not shutil.which("npm"):
        raise unittest.SkipTest("npm is missing, and IWARPSIM_AXE names no axe.min.js: axe-core is not asked")
    npm = ["npm", "pack", "--loglevel=error", f"--cache={folder / 'npm'}", "--update-notifier=false", "--fetch-retries=0", "--fetch-timeout=60000"]
    done = subprocess.run([*npm, f"{NAME}@{VERSION}"], cwd=folder, capture_output=True, text=True)
    if done.returncode and (away := re.search(AWAY, done.stderr)):
        raise unittest.SkipTest(f"npm does not reach its registry ({away[1]}): axe-core is not asked")
    if done.returncode:
        raise RuntimeError(done.stderr)
    packed = folder / f"{NAME}-{VERSION}.tgz"
    if hashlib.sha512(packed.read_bytes()).hexdigest() != DIGEST:
        raise RuntimeError(f"{packed.name} is another than the one that was read")
    shutil.unpack_archive(packed, folder, "gztar", filter="data")
    return (folder / "package/axe.min.js").read_text()


class Axe:
    """Asked of the page that a browser has open. Scripts from elsewhere are let in while it is used (`with`)."""

    def __init__(self, browser, folder):
        self.browser, self.text = browser, script(folder)

    def __enter__(self):
        self.browser.call("Page.setBypassCSP", enabled=True)
        return self

    def __exit__(self, *_):
        self.browser.call("Page.setBypassCSP", enabled=False)

    def serious(self):
        if not self.browser.value("typeof axe === 'object'"):
            self.browser.value(self.text + "; 1")
        return [found for found in self.browser.value(ASKED) if found[0] in ("serious", "critical")]

    def finds(self):
        """Of a picture without words: axe is heard at all."""
        self.browser.value("document.body.append(Object.assign(document.createElement('img'), {id: 'silent', src: 'data:,'}))")
        found = self.serious()
        self.browser.value("document.getElementById('silent').remove()")
        return [rule for _, rule, places in found if "#silent" in places]
