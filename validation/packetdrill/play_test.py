#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The scripts of packetdrill that are here play as expected.tsv says, and the player fails what is wrong.

usage: play_test.py     the scripts of the packetdrill project are those of the folder $PACKETDRILL
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "interop")]

import folders
import mutate
import play

THEIRS = Path(os.environ.get("PACKETDRILL", HERE.parent.parent.parent / "shared" / "packetdrill"))
OURS = sorted((HERE / "scripts").glob("*.pkt"))


def outcome_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".pkt") as file:
        file.write(text)
        file.flush()
        return play.play_file(file.name)[:2]


def with_handshake(*events, before="`../common/defaults.sh`", syn="mss 1000,sackOK,nop,nop,nop,wscale 7"):
    answer = "mss 1460,nop,nop,sackOK,nop,wscale 8" if "sackOK" in syn else "mss 1460,nop,wscale 8"
    return "\n".join((
        before, "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3", "+0 bind(3, ..., ...) = 0", "+0 listen(3, 1) = 0",
        f"+0 < S 0:0(0) win 32792 <{syn}>", f"+0 > S. 0:0(0) ack 1 <{answer}>", "+.1 < . 1:1(0) ack 1 win 257",
        "+0 accept(3, ..., ...) = 4", *events)) + "\n"


class Scripts(unittest.TestCase):
    def test_ours_pass(self):
        for path in OURS:
            with self.subTest(path.stem):
                self.assertEqual(play.play_file(path)[:2], ("pass", ""))

    def test_theirs_play_as_expected(self):
        if not THEIRS.is_dir():
            folders.not_proved("31 of 35 of packetdrill's own scripts pass", "no folder of them, PACKETDRILL")
        for line in (HERE / "expected.tsv").read_text().splitlines()[2:]:
            name, result, reason = line.split("\t")
            with self.subTest(name):
                outcome, why, _ = play.play_file(THEIRS / f"{name}.pkt")
                self.assertIn(outcome, ("pass", result), f"{name}: {why}")
                if outcome == "skip":
                    self.assertEqual(why, reason)


class Wrong(unittest.TestCase):
    def test_every_wrong_script_fails(self):
        count = 0
        for path in OURS:
            for line, what, text in mutate.wrong_scripts(path.read_text()):
                count += 1
                with self.subTest(f"{path.stem}, line {line}: {what}"):
                    outcome, why = outcome_of(text)
                    self.assertEqual(outcome, "FAIL", why)
        self.assertGreater(count, 500)

    def test_the_line_is_named(self):
        outcome, why = outcome_of(with_handshake("+0 write(4, ..., 1000) = 1000", "+0 > P. 1:901(900) ack 1"))
        self.assertEqual(outcome, "FAIL")
        self.assertRegex(why, r"^line 10: expected P\. 1:901\(900\) ack 1, got P\. 1:1001\(1000\) ack 1 ")

    def test_what_never_comes(self):
        outcome, why = outcome_of(with_handshake("+0 write(4, ..., 500) = 500", "+0 > P. 1:501(500) ack 1", "+.05 > . 501:501(0) ack 1"))
        self.assertEqual((outcome, why.split(",")[0]), ("FAIL", "line 11: expected . 501:501(0) ack 1"))

    def test_an_acknowledgement_may_be_delayed_but_not_for_long(self):
        segment, ack = "+0 < . 1:1001(1000) ack 1 win 257", "+0 > . 1:1(0) ack 1001"
        self.assertEqual(outcome_of(with_handshake(segment, ack))[0], "pass")
        self.assertEqual(outcome_of(with_handshake(ack))[0], "FAIL")
        self.assertEqual(outcome_of(with_handshake(segment, "+0 > . 1:1(0) ack 2001"))[0], "FAIL")
        self.assertEqual(outcome_of(with_handshake(segment, ack, ack))[0], "FAIL")
        two = "+0 < . 2001:3001(1000) ack 1 win 257"  # out of order: at once
        self.assertEqual(outcome_of(with_handshake(two, "+.03 > . 1:1(0) ack 1 <nop,nop,sack 2001:3001>"))[0], "FAIL")

    def test_cwnd_may_be_ahead_only_by_what_was_sacked(self):
        events = ["+0 write(4, ..., 20000) = 20000", "+0 > P. 1:10001(10000) ack 1", "+.1 < . 1:1(0) ack 1 win 257 <sack 1001:2001>",
                  "+0 > . 10001:11001(1000) ack 1", "+0 < . 1:1(0) ack 2001 win 257"]
        for cwnd, expected in ((10, "FAIL"), (11, "pass"), (12, "pass"), (13, "FAIL")):
            self.assertEqual(outcome_of(with_handshake(*events, f"+0 %{{ assert tcpi_snd_cwnd == {cwnd} }}%"))[0], expected, cwnd)


    def test_what_is_held_back_leaves_after_a_timeout(self):
        held = "+0 send(4, ..., 200, MSG_MORE) = 200"
        for time, expected in (("+.3", "pass"), ("+.2", "FAIL"), ("+.5", "FAIL")):
            self.assertEqual(outcome_of(with_handshake(held, f"{time} > P. 1:201(200) ack 1"))[0], expected, time)


class Language(unittest.TestCase):
    def test_what_is_no_script(self):
        for text, why in (
            ("+0 < S 0:0(0) win", "line 1: .*a number"), ("+0 > S. 0:5(0) ack 1\n", r"line 1: .*0:0\(0\)"),
            ("\n+0 listen(3, 1)\n", "line 3: .*'='"), ("+0~+1 foo", r"line 1: .*'\('"), ("+0 %{ assert ( }%", "line 1: .*Python"),
            ("+2~+1 > . 1:1(0) ack 1", "line 1: .*a range that goes forward"), ("/* no end", "line 1: "),
        ):
            outcome, said = outcome_of(text)
            self.assertEqual(outcome, "FAIL", text)
            self.assertRegex(said, why)

    def test_what_is_skipped_says_why(self):
        for event, why in (
            ("+0 < icmp unreachable frag_needed mtu 1200 [1:1(0)]", "ICMP"),
            ("+0 sendto(4, ..., 10, MSG_FASTOPEN, ..., ...) = 10", "Fast Open"),
            ("+0 epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN|EPOLLET, fd=4}) = 0", "edges of epoll"),
            ("+0 splice(4, NULL, 5, NULL, 9, 0) = 9", r"splice\(\)"), ("+0 write(4, NULL, 9) = -1 EFAULT (Bad address)", "EFAULT"), ("+0 setsockopt(4, SOL_TCP, TCP_MD5SIG, ..., 4) = 0", "TCP_MD5SIG"),
            ("+0 `iptables -A INPUT -j DROP`", "iptables"), ("+0 %{ import os }%", "more than assert"),
            ("+0 %{ print(().__class__) }%", "more than assert"),
            ("+0 write(4, ..., 1000) = 500", "send buffer"), ("+0 < udp (100)", "udp"),
            ("+0 send(4, ..., 9, MSG_ZEROCOPY) = 9", "zero copy"),
        ):
            outcome, said = outcome_of(with_handshake(event))
            self.assertEqual(outcome, "skip", f"{event}: {said}")
            self.assertRegex(said, why)

    def test_every_form_is_played_or_skipped_with_a_reason(self):
        outcomes = []
        for line in (HERE / "forms.txt").read_text().splitlines()[2:]:
            outcome, why = outcome_of(with_handshake(line.replace("\\n", "\n")))
            outcomes.append(outcome)
            with self.subTest(line):
                self.assertEqual((outcome, bool(why)), (outcome, outcome == "skip"))
                self.assertNotEqual(outcome, "FAIL", why)
        self.assertGreater(outcomes.count("pass"), 55)

    def test_settings_reach_the_connection(self):
        loss = ["+0 write(4, ..., 2000) = 2000", "+0 > P. 1:2001(2000) ack 1"]
        probe, timeout = "+.2~+.205 > P. 1001:2001(1000) ack 1", "+.3~+.305 > . 1:1001(1000) ack 1"
        off = "`../common/defaults.sh\nsysctl -q net.ipv4.tcp_early_retrans=0`"
        self.assertEqual(outcome_of(with_handshake(*loss, probe))[0], "pass")
        self.assertEqual(outcome_of(with_handshake(*loss, timeout))[0], "FAIL")
        self.assertEqual(outcome_of(with_handshake(*loss, timeout, before=off))[0], "pass")
        self.assertEqual(outcome_of(with_handshake(before="`sysctl -q net.ipv4.tcp_sack=0`", syn="mss 1000,nop,wscale 7"))[0], "pass")
        self.assertEqual(outcome_of(with_handshake(before="`sysctl -q net.ipv4.tcp_sack=0`"))[0], "FAIL")
        self.assertEqual(outcome_of(with_handshake(before="`sysctl net.ipv4.tcp_no_such=0`"))[0], "skip")

    def test_comments_and_forms_of_time(self):
        text = with_handshake("/* a comment\n of two lines */ +0 write(4, ..., 1000) = 1000 // and one more",
                              "0.09~0.11 > P. 1:1001(1000) ack 1",
                              "0.2 < . 1:1(0) ack 1001 win 257", "+0 write(4, ..., 1) = 1", "* > P. 1001:1002(1) ack 1")
        self.assertEqual(outcome_of(text), ("pass", ""))


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    print("[  PASSED  ] %d test(s)." % max(0, result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)))
    for _, why in result.skipped:
        print("[  SKIPPED ] 1 test(s).", why, sep="\n")
    sys.exit(not result.wasSuccessful())
