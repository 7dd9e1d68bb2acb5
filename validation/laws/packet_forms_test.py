#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""llp.kind packet against closed forms, on a link of 100 Gb/s and 20.3 us there and back.

  go_back_n   line / (1 + p N): each loss wastes the N packets that leave until its NAK comes, RTT / serialization + 1
  irn, rud    line x (1 - p): what is lost is sent again, and nothing else
  track       packets track / (RTT + spread): the first that is missing comes so late, and nothing beyond `track` leaves
  bits        (RTT + skew) x rate / MTU hold nothing up; where a packet is lost, (2 RTT + 5/4 skew): rud takes for lost what is a quarter later than
              any was. The receiver's own bits are a round trip fewer: packets from the first missing to the last that came, both counted
  pool        skew x rate / MTU of all connections together, and one for each that misses something (scenarios/tracking.yaml; nightly to 10,000 of them):
              nothing is refused with so many, and the line is full; a tenth of the packets are late, by times that were learned

Needs IWARPSIM (or build/iwarpsim).
"""

import csv
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
DELAY, MTU, FRAMING, RATE = 10.0, 4096, 38, 100.0  # us, octets, octets, Gb/s
ANSWER = {"go_back_n": 48, "irn": 51, "rud": 64}  # octets of IP packets
HEADS = {"go_back_n": 58, "irn": 60, "rud": 64}  # IP, the transport's, DDP's

SCENARIO = """\
title: Packets against closed forms
topology: {{kind: link, rate: 100Gbps, delay: 10us, mtu: 4096}}
llp: {{kind: packet, min_rto: 100us, {llp}}}
channel: {{{channel}}}
workload: {{kind: stream, op: write, size: 1MiB, count: {count}, depth: 32}}
payload: none
sweep:
{sweep}"""

# Connections that all send, messages of each at a time, skew (us), and at least that share of the form: the more they are, the fewer of a connection's own overtake.
SHARED = [(1, 64, 100, 0.97), (10, 8, 30, 0.97)]
SHARED_NIGHTLY = [(1, 64, 10, 0.97), (10, 8, 100, 0.97), (100, 4, 100, 0.9), (1000, 1, 100, 0), (10000, 1, 100, 0)]

failures = []


def check(what, found, form, within):
    ratio = found / form
    print(f"{'ok  ' if abs(ratio - 1) <= within else 'FAIL'} {what}: {found:.3f} Gb/s, form {form:.3f}, {100 * (ratio - 1):+.2f} %")
    if abs(ratio - 1) > within:
        failures.append(what)


def rows(count, sweep, llp="delayed_ack_timeout: 10us", channel="loss: 0", fates=""):
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario, out = Path(folder) / "forms.yaml", Path(folder) / "out"
        scenario.write_text(SCENARIO.format(count=count, llp=llp, channel=channel, sweep="".join(f"  {k}: {v}\n" for k, v in sweep.items())))
        (Path(folder) / "path.fates").write_text(fates)
        return results(scenario, out)


def run(name, keys):
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        return results(TOP / "scenarios" / name, Path(folder) / "out", *(x for k, v in keys.items() for x in ("--set", f"{k}={v}")))[0]


def results(scenario, out, *sets):
    done = subprocess.run([IWARPSIM, "run", scenario, *sets, "--out", out, "--jobs", "2"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"iwarpsim run: {done.returncode}\n{done.stdout}{done.stderr}")
    return list(csv.DictReader(open(out / "results.csv", newline="")))


def serialization(octets):
    return (octets + FRAMING) * 8e-3 / RATE


def round_trip(recovery, delay=DELAY):
    return 2 * delay + serialization(MTU) + serialization(ANSWER[recovery])


def line(recovery):
    return (MTU - HEADS[recovery]) * 8e-3 / serialization(MTU)


def losses():
    for r in rows(1600, {"llp.recovery": "[go_back_n, irn, rud]", "channel.loss": "[0, 1e-4, 1e-3]"}):
        recovery, p = r["llp.recovery"], float(r["channel.loss"])
        wasted = round_trip(recovery) / serialization(MTU) + 1
        form = line(recovery) / (1 + p * wasted) if recovery == "go_back_n" else line(recovery) * (1 - p)
        check(f"{recovery}, loss {p:g}", float(r["goodput_gbps"]), form, 0.003 if recovery == "go_back_n" else 0.001)
        placed_early = int(r["placed_ooo_bytes"]) > 0
        if placed_early != (recovery != "go_back_n" and p > 0):
            failures.append(f"{recovery}, loss {p:g}: {r['placed_ooo_bytes']} octets placed ahead of their turn")
        if recovery != "go_back_n" and int(r["retransmits"]) != int(r["drops_channel"]):
            failures.append(f"{recovery}, loss {p:g}: {r['retransmits']} packets sent again for {r['drops_channel']} that were lost")


def tracking():
    found = rows(200, {"channel.reorder.delay": "[5us, 20us, 60us]", "llp.track": "[32, 64, 128, 256]"},
                 "recovery: rud, flight: 1024", "reorder: {probability: 0.5}")
    for r in found:
        track, spread = int(r["llp.track"]), float(r["channel.reorder.delay"])
        form = min(line("rud"), track * (MTU - HEADS["rud"]) * 8e-3 / (round_trip("rud") + spread))
        check(f"track {track}, spread {spread:g} us", float(r["goodput_gbps"]), form, 0.03)
        if not int(r["track_peak_bits"]) <= min(track, spread / serialization(MTU) + 4):
            failures.append(f"track {track}, spread {spread:g}: {r['track_peak_bits']} bits in use")


def fates(skew, lost):
    """Each tenth packet is late by `skew` us, from the first on, the thousandth lost."""
    late = f"9 ok\n1 late 0 {skew}us\n" if skew else "10 ok\n"
    return late * 99 + ("9 ok\nlost\n" if lost else "10 ok\n") + late * 400


def bits():
    for delay, skew, lost in [(delay, skew, lost) for delay in (2, 20) for skew in (0, 10) for lost in (0, 1)]:
        trip, packet = round_trip("rud", delay), serialization(MTU)
        here = ((trip if lost else 0) + (1.25 if lost else 1) * skew) / packet  # at the receiver
        form = here + trip / packet
        few, enough = math.floor(form - max(1, 0.03 * form)), math.ceil(form + max(1, 0.03 * form))
        sweep = {"topology.delay": f"[{delay}us]", "llp.track": f"[{few}, {enough}]"}
        small, large = rows(12, sweep, "recovery: rud, flight: unlimited, tracking: bitmap", "trace: {file: path.fates, by: time, start: 1}", fates(skew, lost))
        held = [float(r["bound_track"]) * float(r["completion_us"]) / packet for r in (small, large)]  # packet times for which bits held it up
        peak, pool = int(large["track_peak_bits"]), int(large["track_pool_peak_bits"])
        what = f"delay {delay} us, skew {skew} us, {lost} lost"
        good = held[0] >= 1 > held[1] and pool == peak and (abs(peak - here - 1) <= max(1, 0.03 * here) if here else not peak)
        print(f"{'ok  ' if good else 'FAIL'} {what}: {few} bits hold it up for {held[0]:.1f} packets, {enough} for {held[1]:.1f}, form {form:.1f}; {peak} used, form {here:.1f}")
        if not good or int(large["drops_channel"]) != lost:
            failures.append(what)


def shared():
    night = bool(os.environ.get("IWARPSIM_NIGHTLY"))
    window = {} if night else {"measure.from": "200us", "measure.for": "200us"}
    for connections, depth, skew, least in SHARED + SHARED_NIGHTLY * night:
        form = skew * 3200 / RATE / serialization(MTU)
        pool = math.ceil(form) + min(connections, math.ceil(form / 10))
        found = run("tracking.yaml", {"workload.connections": connections, "workload.depth": depth, "topology.rate": "3200Gbps", "channel.reorder.delay": f"{skew}us",
                                      "rnic.track.pool": pool, **window})
        used, share = int(found["track_pool_peak_bits"]), float(found["goodput_gbps"]) / (32 * line("rud"))
        good = least * form <= used <= pool and found["drops_track"] == "0" and abs(share - 1) < 0.005
        print(f"{'ok  ' if good else 'FAIL'} {connections} connections, skew {skew} us: {used} bits of a pool, form {form:.0f}; {share:.4f} of the line")
        if not good:
            failures.append(f"{connections} connections, skew {skew} us")


losses()
tracking()
bits()
shared()
for f in failures:
    print(f"FAILED {f}")
sys.exit(bool(failures))
