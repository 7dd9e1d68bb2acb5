# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a drawn scenario, and says what is odd about it: laws of one run, and laws between runs (metamorphic).

The referee inside iwarpsim watches physics and conservation in every run; the laws here need the scenario or a second run.
"""

import math
import os
import re
import subprocess
import tempfile
from pathlib import Path

from draw import yaml

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
ENDS = {"errors", "script"}


def kind_of(s):
    """Of several workloads none is of a kind that matters here."""
    return s.get("workload.kind", "several")


class Run:
    """One point, run once. code 2: refused, `said` is why."""

    def __init__(self, scenario, *options, seconds=60):
        text = scenario if isinstance(scenario, str) else yaml(scenario)
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            path = Path(folder) / "s.yaml"
            path.write_text(text)
            out = ["--out", folder + "/o"] if options else []
            try:
                done = subprocess.run([IWARPSIM, "run", path, "--point", "#0", *out, *options], capture_output=True, text=True, timeout=seconds)
                self.code, self.said, told = done.returncode, done.stderr.strip(), done.stdout
            except subprocess.TimeoutExpired:
                self.code, self.said, told = 124, f"no end after {seconds} s", ""
        self.row = {m[1]: m[2] for m in (re.match(r"(\S+) +(\S*)", line) for line in told.splitlines()) if m}

    def number(self, column):
        try:
            return float(self.row.get(column, ""))
        except ValueError:
            return None

    def ok(self):
        return self.code == 0 and self.row.get("status") == "ok"


def seconds_of(text, units={"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}):
    found = re.fullmatch(r"([\d.e+-]+?)(ps|ns|us|ms|s)", text)
    return float(found[1]) * units[found[2]]


def octets_of(text, units={"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}):
    found = re.fullmatch(r"([\d.]+)(B|KiB|MiB|GiB)", text)
    return float(found[1]) * units[found[2]]


NEVER_EARLY = {"send", "send_waits", "immediate", "immediate_count", "atomic", "read_back"}  # RFC 5040 5.5, RFC 7306
ORDERED = [("latency_p50_us", "latency_p99_us"), ("latency_p99_us", "latency_p999_us"), ("latency_p999_us", "latency_max_us"),
           ("latency_mean_us", "latency_max_us"), ("segments_ooo", "segments"), ("placed_ooo_bytes", "bytes"), ("latency_n", "messages_posted"),
           ("window_min_bytes", "window_max_bytes"), ("early_p50_us", "early_p99_us"), ("fct_slowdown_p50", "fct_slowdown_p99"),
           ("messages_wrong", "messages"), ("messages_wrong", "octets_wrong")]


def ends_in_time(s):
    """A timeout that doubles (RFC 6298 5.5) may be longer than limit.idle, and is no stall: with an hour the run ends."""
    return Run(s | {"limit.idle": "3600s", "limit.sim": "36000s"}).row.get("status") not in ("limit_idle", "stalled")


def alone(s, run):
    """What is odd about one run."""
    odd = []
    if run.code == 2 and not run.row:
        return [] if len(run.said.splitlines()) == 1 else [f"refused in {len(run.said.splitlines())} lines"]
    if run.code not in (0, 3):
        return [f"exit {run.code}: {run.said[:200]}"]
    status, channel = run.row.get("status"), [k for k in s if k.startswith("channel.")]
    for name, value in run.row.items():
        early = name == "fence_us" and run.number("reads_early")
        if "." not in name and re.search(r"nan|inf|^-", value) and name not in ("scenario", "point", "status") and not early:
            odd.append(f"{name} is {value}")
    for low, high in ORDERED:
        a, b = run.number(low), run.number(high)
        if a is not None and b is not None and a > b * (1 + 1e-6) + 1e-9 and not (low == "messages_wrong" and high == "octets_wrong" and kind_of(s) in ENDS):
            odd.append(f"{low} {a} above {high} {b}")
    harmed = {"channel.corrupt", "workload.recv_depth"} & set(s) or kind_of(s) in ENDS
    too_few = "measure.for" in s and "before the window of measure.for ended" in run.said
    if status == "ended" and not harmed and not channel and not too_few:
        odd.append(f"ended: {run.said[:200]}")
    if status == "stalled" or (status == "limit_idle" and not ends_in_time(s)):
        odd.append(f"{status}: {run.said[:200]}")
    if run.number("octets_stale") and {value for key, value in s.items() if key.endswith(".notify")} <= NEVER_EARLY:
        odd.append(f"{run.row['octets_stale']} octets were read early")
    whole = not {"measure.for", "workload.notify"} & set(s)  # a window has parts of messages; marks have octets, too
    if status == "ok" and whole and "workload.size" in s and kind_of(s) in ("stream", "incast", "permutation", "shuffle"):
        if run.number("bytes") != run.number("messages") * octets_of(s["workload.size"]) and not harmed:
            odd.append(f"{run.row['bytes']} octets of {run.row['messages']} messages of {s['workload.size']}")
    if not channel and (run.number("drops_channel") or (run.number("crc_errors") and kind_of(s) != "errors")):
        odd.append("a clean channel lost or altered something")
    if "channel.corrupt" not in s and run.number("messages_wrong"):
        odd.append("wrong octets without corruption")
    for column, key, number in (("staging_peak_bytes", "rnic.staging_bytes", octets_of), ("held_peak_bytes", "rnic.hold_bytes", octets_of), ("track_pool_peak_bits", "rnic.track.pool", int)):
        limits = [s[name] for name in s if key in s and (name == key or re.fullmatch(r"hosts\.[^.]+\." + key, name))]  # the peak is any host's
        if limits and "unlimited" not in limits and (run.number(column) or 0) > max(map(number, limits)):
            odd.append(f"{column} {run.row[column]} above {key} {', '.join(map(str, limits))}")
    return odd


def differs(a, b, but=()):
    """Not of a run that the clock on the wall ended: that says how busy the machine is."""
    if "limit_wall" in (a.row.get("status"), b.row.get("status")):
        return []
    return [f"{k}: {a.row[k]}, then {b.row.get(k)}" for k in a.row if "." not in k and k not in but and a.row[k] != b.row.get(k)]


def halved(s):
    """The same at half the rate, all times doubled."""
    t = s | {"topology.rate": f"{float(s['topology.rate'][:-4]) / 2:g}Mbps"}
    times = {"topology.delay": None, "llp.min_rto": "1ms", "llp.delayed_ack_timeout": "50us", "llp.initial_rto": "10ms", "llp.msl": "1ms"}
    for key, initial in times.items():
        t[key] = f"{round(2e12 * seconds_of(s.get(key, initial)))}ps"
    for key in ("channel.reorder.delay", "channel.jitter", "workload.start_jitter", "rnic.stall.every", "rnic.stall.for", "rnic.completion.interval", "workload.notify_poll",
                "workload.start", "measure.from", "measure.for"):
        if key in s:
            t[key] = f"{round(2e12 * seconds_of(s[key]))}ps"
    return t


def without_probes(s, first, wide):
    """Goodput of `wide`, but for the line time of what it repeats in vain and `first` does not: a probe of the tail leaves two
    round trips after the last segment (RFC 8985 7.2), and the updates of a smaller window are answers that hold it back."""
    probes = max(0, wide.number("retransmits_spurious") - first.number("retransmits_spurious"))
    octets = float(s.get("topology.mtu", "1500B")[:-1]) + 38
    us = wide.number("completion_us") - probes * octets * 8 / float(s["topology.rate"][:-4])
    return wide.number("goodput_gbps") * wide.number("completion_us") / max(us, 1e-6)


def narrower(s, first):
    """A larger window lowers no goodput, unless it overruns the staging of an adapter. A preset has a window of its own."""
    most = max(octets_of(s.get("rnic.window.bytes", "1MiB")), first.number("window_max_bytes") or 0)
    wide = Run(s | {"rnic.window.bytes": f"{round(4 * most)}B"})
    before = first.number("goodput_gbps")
    if not wide.ok() or not before or wide.number("drops_staging") or without_probes(s, first, wide) >= 0.98 * before:
        return []
    return [f"a larger window: {before}, then {wide.number('goodput_gbps')} Gb/s"]


def scales(s):
    other_clocks = ("rnic.pcie", "rnic.iommu", "rnic.cache", "workload.consume_rate", "hosts.", "rnic.crypto", "workloads.", "llp.timestamps")  # their tick is 1 us
    return (s["world"] != "simgrid" and s["llp.kind"] == "mpa" and s.get("rnic.preset", "ideal") == "ideal" and not any(k.startswith(other_clocks) for k in s)
            and kind_of(s) != "errors" and s["topology.delay"] != "1ps" and s["rnic.window.policy"] not in ("bdp", "retire"))


def unscaled(s, first):
    """What does not double at half the rate."""
    odd, slow = [], Run(halved(s))
    for column in ("completion_us", "latency_p50_us"):
        a, b = first.number(column), slow.number(column)
        if slow.ok() and a and b and not math.isclose(b / a, 2, abs_tol=4e-3):
            odd.append(f"half the rate, twice the times: {column} {a}, then {b}")
    return odd


def unscaled_without_clocks(s, first):
    """The same, but for congestion controls that know times: CUBIC's curve is of seconds (RFC 9438 4.2), and HyStart++ ends a slow
    start when a round trip is 4 us longer. What differs with one must differ with a fixed window, too."""
    odd = unscaled(s, first)
    if odd and not s.get("llp.congestion", "cubic").startswith("fixed"):
        s = s | {"llp.congestion": "fixed:1MiB"}
        odd = unscaled(s, Run(s))
    return odd


def between(s, first):
    """What is odd between this run, which is ok, and others like it."""
    odd, clean = [], not any(k.startswith("channel.") for k in s)
    again = Run(s)
    if differs(first, again):
        odd.append(f"not the same twice: {differs(first, again)[:4]}")
    if "channel.corrupt" not in s:
        other = Run(s | {"payload": "real" if s.get("payload") == "none" else "none"})
        no_markers = kind_of(s) == "errors" and str(s.get("llp.markers")).lower() == "true"  # a wrong one is octets
        if other.code != 2 and not no_markers and differs(first, other):
            odd.append(f"payload none and real: {differs(first, other)[:4]}")
        if no_markers and other.code != 2 and not other.ok():
            odd.append(f"payload none and real: {other.said[:200]}")
    watched = Run(s, "--trace", "--messages")
    if differs(first, watched):
        odd.append(f"--trace --messages: {differs(first, watched)[:4]}")
    if clean:
        calm = Run(s | {"channel.loss": 0, "channel.jitter": "0ps", "channel.corrupt": 0})
        if calm.code != 2 and differs(first, calm):
            odd.append(f"a loss of 0: {differs(first, calm)[:4]}")
    if clean and s["topology.kind"] == "link" and s.get("rnic.window.policy") != "bdp":  # which finds its own: bytes bounds it, and is its unit on the wire
        odd += narrower(s, first)
    if scales(s):
        odd += unscaled_without_clocks(s, first)
    return odd
