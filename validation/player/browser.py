# SPDX-License-Identifier: GPL-2.0-or-later
"""Chromium without a window, spoken to over its DevTools pipe: messages in JSON, each ended by a zero octet."""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time


def find():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


LEFT = re.compile(r"navigated or closed|context was destroyed|[Cc]annot find (default execution )?context")


class Browser:
    """One page. `errors` are the exceptions and console errors that it has reported."""

    def __init__(self, program, width=1500, height=1100):
        self.folder = tempfile.mkdtemp(prefix="iwarpsim-browser-")
        to_read, self.to = os.pipe()
        self.source, to_write = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--remote-debugging-pipe", f"--user-data-dir={self.folder}", f"--window-size={width},{height}"]
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}', program, *flags, "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.buffer, self.errors, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.source], [], [], max(0, deadline - time.monotonic()))
            octets = os.read(self.source, 1 << 16) if ready else b""
            if not octets:
                raise TimeoutError("the browser does not answer")
            self.buffer += octets
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if method == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.errors.append(what["entry"]["text"])

    def call(self, method, **what):
        self.number += 1
        message = {"id": self.number, "method": method, "params": what}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self.receive(deadline)
            self.note(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]

    def open(self, path):
        self.call("Page.navigate", url="about:blank")  # another fragment alone would not load it again
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        deadline = time.monotonic() + 30
        while not self.value("document.readyState === 'complete' && document.getElementById('where')?.textContent !== ''"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the page does not get ready: {self.errors}")
            time.sleep(0.02)

    def value(self, expression):
        """What a JavaScript expression is, as JSON has it; asked again of the next page where this one is just being left."""
        for _ in range(100):
            try:
                got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
                break
            except RuntimeError as error:
                if not LEFT.search(str(error)):
                    raise
                time.sleep(0.05)
        else:
            raise TimeoutError("the page is being left and no other comes")
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return got["result"].get("value")

    def key(self, name):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, text=name if len(name) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)

    def press(self, key, code, shift=False):
        """A key of a keyboard that has `key` where `code` is on an American one."""
        text = key if len(key) == 1 else ""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code, modifiers=8 * shift, text=text, unmodifiedText=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code, modifiers=8 * shift)

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
