#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fates of packets: a file of them is replayed and captured, and `iwarpsim fates` gives the file again; what our channel draws is what the
trace of the run says; one end's capture tells what it can; both worlds of packets replay the same; what is wrong with a file is one
sentence with its line.

  fates_test.py [TEST]     needs IWARPSIM (or build/iwarpsim) and iwarpsim-ns3 beside it. IWARPSIM_CAPTURES (or ../shared/captures): captures
                           of Linux under netem, without which Netem is skipped
"""

import csv
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "validation/interop"))
import folders

IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
SCENARIO = """\
world: {world}
topology: {{rate: 10Gbps, delay: 20us}}
llp: {{congestion: "fixed:256KiB"}}
channel: {channel}
workload: {{op: write, size: 64KiB, count: {count}, depth: 4}}
"""
# Late by so many packets and the time that these take at 10 Gb/s, and half of one, as `by: order` has it: 1230.4 ns each.
FATES = """\
# by hand
40 ok
lost

10 ok
late 3 4306.4ns
20 ok  \r
twice
2 lost
30 ok
late 1 1845.6ns twice
15 ok
"""
AHEAD = 1  # packets before the channel begins: the MPA Request


def expand(text):
    """A fate for each packet: (lost, packets late, time late in ns, twice)."""
    fates = []
    units = {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        times = int(words.pop(0)) if words[0].isdigit() else 1
        late, ns = 0, 0.0
        if words[0] == "late":
            number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", words[2]).groups()
            late, ns = int(words[1]), float(number) * units[unit]
        fates += [("lost" in words, late, ns, "twice" in words)] * times
    return fates


class Fates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def scenario(self, channel, world="fabric", count=20):
        path = self.folder / "path.yaml"
        path.write_text(SCENARIO.format(world=world, channel=channel, count=count))
        return path

    def run_of(self, scenario, out, *more):
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", self.folder / out, "--jobs", "1", *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def fates(self, *words, code=0):
        done = subprocess.run([IWARPSIM, "fates", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def captures(self, out):
        return [self.folder / out / f"pcap/all-r0-h{host}.pcap" for host in (0, 1)]


class Replay(Fates):
    def path(self, by, start=1, **more):
        (self.folder / "my.fates").write_bytes(FATES.encode())
        return self.scenario(f"{{trace: {{file: my.fates, by: {by}, start: {start}}}}}", **more)

    def test_what_was_replayed_is_found_again(self):
        want = expand(FATES)
        for by in ("time", "order"):
            self.run_of(self.path(by), by, "--pcap")
            got = expand(self.fates(*self.captures(by)))[AHEAD:]
            for i in range(3 * len(want)):  # and again from the first
                w, g = want[i % len(want)], got[i]
                self.assertEqual((g[0], g[3]), (w[0], w[3]), (by, i))
                self.assertAlmostEqual(g[2], w[2], delta=2.1, msg=(by, i))  # captures have whole nanoseconds
                if i < len(want):  # later the sender has gaps, and fewer overtake
                    self.assertEqual(g[1], w[1], (by, i))

    def test_start(self):
        """From its 42nd packet, of which the one before was lost, and from one drawn for each repeat."""
        self.run_of(self.path("time", start=42), "here", "--pcap")
        got, want = expand(self.fates(*self.captures("here")))[AHEAD:], expand(FATES)
        self.assertEqual([g[0] for g in got[:len(want)]], [w[0] for w in want[41:] + want[:41]])
        found = set()
        for repeat in range(6):
            out = self.folder / f"drawn{repeat}"
            for again in ("", "again"):
                done = subprocess.run([IWARPSIM, "run", self.path("time", start="drawn"), "--point", "0", "--repeat", str(repeat), "--out", f"{out}{again}", "--pcap"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
            captures = [next(Path(f"{out}{again}").rglob(f"*-h{host}.pcap")) for again in ("", "again") for host in (0, 1)]
            told = self.fates(*captures[:2])
            self.assertEqual(told, self.fates(*captures[2:]))
            found.add(told)
        self.assertGreater(len(found), 3)

    def test_both_worlds_of_packets_give_the_same_rows(self):
        rows = []
        for world in ("fabric", "ns3"):
            for by in ("order", "time"):
                out = self.run_of(self.path(by, start="drawn", world=world), f"{world}-{by}", "--set", "rnic.receive=[place, hold, discard]", "--set", "llp.congestion=cubic")
                with open(out / "results.csv", newline="") as lines:
                    rows.append([{k: v for k, v in row.items() if k not in ("events", "world")} for row in csv.DictReader(lines)])
        self.assertEqual(rows[:2], rows[2:])
        self.assertNotEqual(rows[0][0]["goodput_gbps"], rows[0][2]["goodput_gbps"])

    def test_a_copy_of_what_was_lost_comes(self):
        """`lost twice`: the copy alone, a packet's time behind; by the trace it was lost, to TCP it was not."""
        for by in ("time", "order"):
            for fate, again in (("lost twice", False), ("lost", True), ("twice", False)):
                (self.folder / "my.fates").write_text(f"9 ok\n{fate}\n")
                for world in ("fabric", "ns3"):
                    out = self.run_of(self.scenario(f"{{trace: {{file: my.fates, by: {by}}}}}", world), f"{by}-{fate}-{world}", "--trace")
                    with open(out / "results.csv", newline="") as lines:
                        (row,) = csv.DictReader(lines)
                    lost = next((out / "trace").glob("*.csv")).read_text().count(",lost,")
                    self.assertEqual((row["status"], int(row["retransmits"]) > 0, lost > 50), ("ok", again, fate != "twice"), (by, fate, world))

    def test_its_content_belongs_to_the_results(self):
        out = self.run_of(self.path("time"), "out")
        self.assertEqual((out / "my.fates").read_bytes(), FATES.encode())
        (self.folder / "my.fates").write_text(FATES + "lost\n")
        done = subprocess.run([IWARPSIM, "run", self.folder / "path.yaml", "--out", out], capture_output=True, text=True)
        self.assertEqual((done.returncode, "my.fates" in done.stderr), (2, True), done.stderr)

    def test_check_says_what_it_is(self):
        done = subprocess.run([IWARPSIM, "check", self.path("time")], capture_output=True, text=True)
        self.assertIn("121 packets: 3 lost (2.48 %), 2 late (1.65 %, by up to 3 packets and 4.3064 us), 2 twice (1.65 %)\n", done.stdout)
        self.assertIn("about 920 packets go through 121 fates, 7.6 times\n", done.stdout)


def sequence_numbers(capture, source):
    """Of the packets with data that a host sent, as one of our own captures has them."""
    octets, at, found = capture.read_bytes(), 24, []
    while at < len(octets):
        size = struct.unpack_from("<I", octets, at + 8)[0]
        packet = octets[at + 16:at + 16 + size]
        at += 16 + size
        head = 20 + (packet[32] >> 4) * 4
        if packet[12:16] == source and int.from_bytes(packet[2:4], "big") > head:
            found.append(int.from_bytes(packet[24:28], "big"))
    return found


class Own(Fates):
    """Our own channel, drawn: what it does comes back as the trace of the run has it."""

    def run_own(self, channel="{loss: 0.01, reorder: {probability: 0.02, delay: 6us}}"):
        out = self.run_of(self.scenario(channel, count=60), "own", "--pcap", "--trace")
        with open(next((out / "trace").glob("*.csv")), newline="") as lines:
            return list(csv.DictReader(lines))

    def test_two_ends(self):
        """Each packet that the channel lost, those sent again too, and no other; late by the channel's delay, by no more."""
        lost = [int(e["key"]) for e in self.run_own() if e["event"] == "lost"]
        got = expand(self.fates(*self.captures("own")))
        sent = sequence_numbers(self.captures("own")[0], bytes([10, 0, 0, 1]))
        self.assertEqual(len(got), len(sent))
        gone = [(seq - sent[AHEAD]) % 2**32 for seq, g in zip(sent, got) if g[0]]
        self.assertGreater(len(lost), 20)
        self.assertEqual(gone, lost)
        late = [g for g in got if g[1]]
        self.assertGreater(len(late), 20)
        self.assertLess(max(g[2] for g in late), 6001 + 1230.4)  # behind a shorter packet, which takes less time
        self.assertGreater(sum(5990 < g[2] <= 6001 for g in late), len(late) / 2)

    def test_copies(self):
        """Of what left, what was not lost came, and some of it twice."""
        self.run_own("{loss: 0.01, duplicate: 0.02}")
        got = expand(self.fates(*self.captures("own")))
        came = len(sequence_numbers(self.captures("own")[1], bytes([10, 0, 0, 1])))
        self.assertEqual(sum(not g[0] for g in got) + sum(g[3] for g in got), came)
        self.assertGreater(sum(g[3] for g in got), 30)

    def test_the_receivers_end_alone(self):
        """The same losses, but for those of what was sent again; late by how long after the first that overtook it."""
        lost = [e["key"] for e in self.run_own() if e["event"] == "lost"]
        both, one = (expand(self.fates(*c)) for c in (self.captures("own"), self.captures("own")[1:]))
        self.assertEqual(sum(g[0] for g in both), len(lost))
        self.assertEqual(sum(g[0] for g in one), len(set(lost)))
        self.assertEqual([g[3] for g in one], [False] * len(one))
        self.assertLessEqual(max(g[2] for g in one), max(g[2] for g in both))
        self.assertAlmostEqual(sum(g[1] > 0 for g in one), sum(g[1] > 0 for g in both), delta=3)

    def test_the_senders_end_alone(self):
        """What was sent again."""
        self.run_own()
        told = self.fates(self.captures("own")[0], "--at", "sender")
        resent = int(re.search(r"# (\d+) of them carried octets that had been sent before", told).group(1))
        self.assertEqual(sum(f[0] for f in expand(told)), resent)
        self.assertIn("at the sender alone: what was sent again counts as lost", told)
        self.assertFalse(any(f[1] or f[3] for f in expand(told)))

    def test_a_file_is_the_same_as_standard_output(self):
        self.run_own()
        out = self.folder / "made.fates"
        short = self.fates(*self.captures("own"), "--out", out)
        text = self.fates(*self.captures("own"))
        self.assertEqual(out.read_text(), text)
        self.assertTrue(all(f"# {line}" in text for line in short.splitlines()), short)
        self.assertIn("ok", self.run_of(self.scenario("{trace: {file: made.fates}}"), "again").joinpath("results.csv").read_text())

    def test_captures_that_do_not_belong_together(self):
        self.run_own()
        sent, received = self.captures("own")
        self.assertIn("has no packet of that connection", self.fates(sent, TOP / "validation/interop/d1-good.pcap", code=2))
        self.assertIn("none is number 2", self.fates(sent, received, "--conn", "2", code=2))
        self.assertIn("--at is for one capture", self.fates(sent, received, "--at", "sender", code=2))
        other = self.run_of(self.scenario("{}", count=3), "other", "--pcap", "--set", "workload.size=1KiB")
        self.assertIn("not in the capture of the sender", self.fates(sent, other / "pcap/all-r0-h1.pcap", code=2))

    def test_clocks_need_not_agree(self):
        """The receiver's clock an hour ahead."""
        self.run_own()
        sent, received = self.captures("own")
        octets, at = bytearray(received.read_bytes()), 24
        while at < len(octets):
            seconds, _, size, _ = struct.unpack_from("<IIII", octets, at)
            struct.pack_into("<I", octets, at, seconds + 3600)
            at += 16 + size
        ahead = self.folder / "ahead.pcap"
        ahead.write_bytes(octets)
        self.assertEqual(self.fates(sent, ahead), self.fates(sent, received))


SYN, ACK = 2, 16


def packet(us, source, flags, seq, ack, data=0, ident=0):
    """One packet of a capture of raw IP: from host 1 or 2, without TCP's options."""
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + data, ident, 0x4000, 64, 6, 0, bytes([10, 0, 0, source]), bytes([10, 0, 0, 3 - source]))
    tcp = struct.pack(">HHIIBBHHH", 1000 + source, 1003 - source, seq, ack, 0x50, flags, 65535, 0, 0)
    return struct.pack("<IIII", us // 1000000, us % 1000000, 40 + data, 40 + data) + ip + tcp + bytes(data)


class ByHand(Fates):
    """Captures of 100-octet packets whose fates a reader can tell: what one end alone leaves open."""

    def told(self, packets, *more):
        path = self.folder / "hand.pcap"
        path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + b"".join(packets))
        return self.fates(path, *more)

    @staticmethod
    def data(us, number, ident=0, octets=100):
        return packet(us, 1, ACK, 1001 + 100 * number, 501, octets, ident)

    def lost(self, told):
        return [i for i, fate in enumerate(expand(told)) if fate[0]]

    def test_a_probe_of_what_was_acknowledged_is_no_loss(self):
        """The sender's end: the second packet again, before its acknowledgement and after it."""
        sent = [self.data(0, 0), self.data(10, 1), self.data(20, 2)]
        acked, again, more = packet(150, 2, ACK, 501, 1301), self.data(200, 1), self.data(300, 3)
        for packets, want in ((sent + [again, more], [1]), (sent + [acked, again, more], [])):
            told = self.told(packets, "--at", "sender")
            self.assertEqual(self.lost(told), want)
            self.assertIn("1 of them carried octets that had been sent before", told)

    def test_what_was_acknowledged_came(self):
        """The receiver's end: a hole that it acknowledged came and was not captured; one that it did not was lost."""
        came = [self.data(0, 0), self.data(10, 1), self.data(40, 4), self.data(50, 5)]
        self.assertEqual(self.lost(self.told(came)), [2, 3])
        self.assertNotIn("never captured", self.told(came))
        told = self.told(came + [packet(60, 2, ACK, 501, 1601)])
        self.assertEqual(self.lost(told), [])
        self.assertIn("2 acknowledged and never captured: left out", told)

    def test_late_or_sent_again(self):
        """The receiver's end, a packet that fills a hole: its number tells, else the round trip, else it is taken for late."""
        trip = [packet(0, 1, SYN, 1000, 0), packet(5, 2, SYN | ACK, 500, 1001), packet(105, 1, ACK, 1001, 501)]
        for start, idents, fills, lost, said in ((trip, (0, 0, 0), 199, [], "1 late or sent again? decided by the round trip alone"),
                                                 (trip, (0, 0, 0), 320, [1], "1 late or sent again? decided by the round trip alone"),
                                                 ([], (0, 0, 0), 320, [], "1 late or sent again? unknown: taken for late"),
                                                 (trip, (7, 9, 8), 320, [], None), (trip, (7, 9, 10), 199, [1], None)):
            told = self.told([*start, self.data(110, 0, idents[0]), self.data(120, 2, idents[1]), self.data(fills, 1, idents[2]), self.data(400, 3, 11 if idents[0] else 0)])
            self.assertEqual(self.lost(told), lost, (idents, fills))
            self.assertEqual(sum(f[1] for f in expand(told)), 0 if lost else 1)
            if said:
                self.assertIn(said, told)
            else:
                self.assertNotIn("?", told)


class Wrong(Fates):
    LINES = {
        "": "1: has no packet",
        "# nothing\n\n": "3: has no packet",
        "ok\nlate\n": "2: a line is", "gone\n": "1: a line is", "ok ok\n": "1: a line is", "5\n": "1: a line is", "lost lost\n": "1: a line is", "twice twice\n": "1: a line is", "late 1 1us gone\n": "1: a line is",
        "ok\n0 ok\n": "2: a count is", "4194305 ok\n": "1: a count is", "99999999999999999999 ok\n": "1: a count is", "4x ok\n": "1: a count is",
        "4194304 ok\nok\n": "2: more than 4194304 packets",
        "late 1 5\n": "1: late takes", "late -1 5us\n": "1: late takes", "late 1 11s\n": "1: late takes", "late 1000001 5us\n": "1: late takes", "late x y\n": "1: late takes",
        "late 0 0ps\n": "1: late by 0 packets",
        "ok\n\0lost\n": "2: is not text",
        "a b c d e f g\n": "1: a line is",
    }

    def test_lines(self):
        scenario = self.scenario("{trace: {file: my.fates}}")
        for text, what in self.LINES.items():
            (self.folder / "my.fates").write_text(text)
            done = subprocess.run([IWARPSIM, "check", scenario], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (text, done.stderr))
            self.assertIn(f"channel.trace.file: my.fates:{what}", done.stderr, text)

    def test_no_capture(self):
        for name in ("none.pcap", TOP / "README.md", self.folder):
            self.assertEqual(self.fates(name, code=2).count("\n"), 1)
        self.assertIn("no TCP connection in it has data", self.fates(self.empty(), code=2))

    def empty(self):
        path = self.folder / "empty.pcap"
        path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        return path


class Netem(Fates):
    """Two captures at a receiver under Linux netem: loss 0.5 %, 10 % reordered by 2 ms; loss 0.2 %, jitter 300 us."""

    def test_them(self):
        for name, lost in (("reorder", (0.0025, 0.0075)), ("jitter", (0, 0.004))):
            capture = folders.MORE / f"moon-{name}.pcap"
            if not capture.exists():
                folders.not_proved("fates as two captures under Linux netem have them", "no folder with them, IWARPSIM_CAPTURES")
            got = expand(self.fates(capture))
            self.assertTrue(2700 < len(got) < 2900, len(got))
            share = sum(g[0] for g in got) / len(got)
            self.assertTrue(lost[0] <= share <= lost[1], (name, share))  # 14 of 2,805 within three deviations
            self.assertGreater(sum(g[1] > 0 for g in got), 500)


if __name__ == "__main__":
    unittest.main()
