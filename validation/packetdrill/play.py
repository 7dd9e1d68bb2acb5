#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays packetdrill scripts against our TCP, in virtual time (README.md: what is judged, and what freedom ours has).

usage: play.py [-v] FILE.pkt...     -v: every event and every packet of ours
"""

import ast
import os
import re
import sys
import textwrap
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import wire
from host import CONSTANTS, Host
from language import Call, Code, NotTheLanguage, Packet, Shell, Unplayable, parse
from settings import CONGESTION, MS, S, Settings
from tcp import DRIVE, Tcp

TICKS = 12 * MS  # Linux at HZ 250 rounds a timer up to its tick of 4 ms and adds two: ours may come so much earlier
DELAYED = 40 * MS  # longest wait of a delayed acknowledgement


class Different(Exception):
    """Ours does not do what the script says: line, what was expected, what came."""


@dataclass
class Owed:
    """An acknowledgement that Linux sends at once and ours may delay."""

    line: int
    ack: int
    until: int
    shown: str
    echo: int  # None: without a timestamp
    ece: bool


class Player:
    def __init__(self, tcp, script, settings, watch):
        self.script, self.settings, self.watch = script, settings, watch
        self.host = Host(tcp, settings)
        self.names = dict(CONSTANTS)
        self.unasked = Counter()
        self.owed, self.early = [], set()
        self.last_ack = self.last_win = 0
        self.pending = None  # a system call that blocks: line, call
        self.first_stamp = None
        self.grown = 0  # segments
        self.line = 1

    # ---- the events in their order ----

    def play(self):
        base = 0
        for event in self.script.events:
            self.line = event.line
            at = self.time_of(event, base)
            self.told(f"{event.line}: {event.what}")
            if isinstance(event.what, Packet) and not event.what.inbound:
                base = self.outbound(event, at)
                continue
            self.host.advance(at)
            self.forget_late()
            self.HANDLERS[type(event.what)](self, event)
            base = at
        self.end()

    def time_of(self, event, base):
        return self.host.now if event.time is None else picoseconds(event.time) + (base if event.relative else 0)

    def end(self):
        if self.pending:
            self.complete(*self.pending, late=True)
        if self.owed:
            self.host.advance(max(o.until for o in self.owed), inclusive=True)
            while self.host.sent:
                self.left(self.host.sent.popleft())
            self.forget_late(after=True)

    def told(self, text):
        if self.watch:
            print(f"  {self.host.now / S:.6f} {text}")

    # ---- packets ----

    def inbound(self, event):
        self.mark_ahead()
        before = self.host.state
        self.host.arrive(event.what)
        self.count_growth(before, self.host.state)
        if self.pending:
            self.complete(*self.pending)

    def count_growth(self, before, after):
        """Slow start counts what is acknowledged cumulatively (RFC 5681 3.1); Linux leaves out what it had SACKed before."""
        if not before or not after or before["ssthresh"] != after["ssthresh"]:
            self.grown = 0
        elif after["acked"] > before["acked"] and before["phase"] == 0:
            self.grown += max(0, before["sacked"] - after["sacked"]) + before["dups"]

    def rounding(self):
        """Segments by which cwnd may differ where CUBIC avoids congestion: Linux counts whole packets."""
        s = self.host.state
        return int(s["phase"] == 0 and s["cwnd"] >= s["ssthresh"] and self.host.conf["congestion"] == CONGESTION["cubic"])

    def mark_ahead(self):
        """New segments that left before Linux's, by no more than the growth that ours may be ahead by."""
        budget = (self.grown + self.rounding()) * self.host.state["mss"] if self.host.state else 0
        for segment in self.host.sent:
            budget -= segment.len
            segment.ahead = segment.ahead or (budget >= 0 and segment.new)

    def outbound(self, event, at):
        """One of Linux's packets may be several of ours. The time from which the next event counts."""
        want = event.what
        low, high = self.window(event, at)
        done, fin = want.seq, False
        first = True
        while first or done < want.end or fin != ("F" in want.flags):
            got = self.next_of_ours(event, want, high, first)
            if got is None:
                return at
            self.compare(event, want, got, first, done)
            self.in_time(event, got, low, high)
            self.left(got)
            first = False
            done, fin = got.end, fin or "F" in got.flags
        return self.base_of(event, at, got)

    def base_of(self, event, at, got):
        """What is relative counts from when the packet came, as in packetdrill; that it may come early or late shifts nothing."""
        if event.time is None:
            return self.host.now
        until = at if event.until is None else picoseconds(event.until) - picoseconds(event.time) + at
        return min(max(got.time, at), until)

    def window(self, event, at):
        if event.time is None:
            return 0, self.host.now + 1000 * S
        until = picoseconds(event.until) - picoseconds(event.time) + at if event.until is not None else at
        return at - self.settings.tolerance, until + self.settings.tolerance

    def next_of_ours(self, event, want, high, first):
        """The packet to compare, or None where an acknowledgement came earlier or may come later."""
        while True:
            self.host.advance(high, inclusive=True, stop=lambda: bool(self.host.sent))
            got = self.host.sent[0] if self.host.sent else None
            if first and self.is_pure(want) and not (got and is_pure(got) and got.ack == want.ack):
                if self.acknowledged_otherwise(event, want, high):
                    return None
            if got is None:
                raise Different(event.line, shown(want), "nothing")
            if self.is_free(want, got):
                self.told(f"free: {got}")
                self.left(self.host.sent.popleft())
                continue
            self.told(f"ours: {got}")
            return self.host.sent.popleft()

    def is_pure(self, want):
        return want.flags.strip("E") == "." and not want.len and not any(kind == "sack" for kind, _ in want.options or [])

    def acknowledged_otherwise(self, event, want, high):
        """RFC 5681 4.2: at once or for every second segment; in the packet or with data."""
        if want.ack in self.early:
            self.early.discard(want.ack)
            return True
        if want.ack <= self.last_ack or any(o.ack == want.ack for o in self.owed) or want.seq != self.host.state["nxt"] + 1:
            return False
        if self.host.state["received"] + 1 < want.ack:
            return False
        echo = dict(want.options or []).get("TS")
        self.owed.append(Owed(event.line, want.ack, high + DELAYED, shown(want), echo and echo[1], "E" in want.flags))
        return True

    def is_free(self, want, got):
        """An acknowledgement that comes sooner than Linux's, or opens the window."""
        if not is_pure(got) or any(kind == "sack" for kind, _ in got.options):
            return False
        if want.flags.strip("EW") == "." and not want.len and want.ack == got.ack:
            return False
        if any(o.ack <= got.ack for o in self.owed):
            return True
        if got.ack > self.last_ack:
            self.early.add(got.ack)
            return True
        return got.ack == self.last_ack and got.win > self.last_win

    def left(self, got):
        if "." in got.flags:
            self.check_echo(got)
            self.owed = [o for o in self.owed if o.ack > got.ack or got.time > o.until]
            self.last_ack, self.last_win = got.ack, got.win

    def check_echo(self, got):
        echo = dict(got.options).get("TS", (0, None))[1]
        for owed in self.owed:
            if owed.ack == got.ack and (owed.echo, owed.ece) != (echo, "E" in got.flags):
                raise Different(owed.line, owed.shown, f"{got} at {self.after(got.time)}")

    def forget_late(self, after=False):
        """A delayed acknowledgement that did not come in time."""
        for owed in self.owed:
            if (after or self.host.now > owed.until) and not any(p.ack >= owed.ack and p.time <= owed.until for p in self.host.sent):
                raise Different(owed.line, owed.shown, f"no such acknowledgement within {DELAYED // MS} ms")

    def compare(self, event, want, got, first, done):
        wrong = (
            got.seq != done or got.end > want.end or (want.len and not got.len and "F" not in got.flags)
            or self.flags_differ(want, got, first) or ("." in want.flags and got.ack != want.ack)
            or self.options_differ(want, got, first)
            or (want.ecn and got.len and got.ecn != want.ecn and not (want.ecn == "ect01" and got.ecn[:3] == "ect"))
            or (want.ecn and not want.len and got.ecn != want.ecn)
        )
        if wrong:
            raise Different(event.line, shown(want), f"{got} at {self.after(got.time)}")

    def flags_differ(self, want, got, first):
        """PSH is the sender's to set, but for the end of what is queued (RFC 9293 MUST-61); FIN may be a segment of its own."""
        wanted, given = set(want.flags) - {"P"}, set(got.flags) - {"P"}
        if want.len:
            wanted.discard("F") if "F" not in given else None
        if not first:
            wanted.discard("W")
        ends = got.len and got.end == self.host.stream.written + 1
        return wanted != given or (ends and "P" not in got.flags and "F" not in got.flags)

    def options_differ(self, want, got, first):
        if want.options is None:
            return False
        wanted, given = dict(want.options), dict(got.options)
        wanted = {k: v for k, v in wanted.items() if k not in ("nop", "eol")}
        if set(wanted) != set(given) or wanted.get("mss") != given.get("mss"):
            return True
        if "TS" in wanted and self.stamps_differ(wanted["TS"], given["TS"], got):
            return True
        if "sack" not in wanted:
            return False
        blocks, ours = wanted["sack"], given["sack"]
        return blocks[0] != ours[0] or set(blocks) != set(ours)  # the newest first (RFC 2018 4), the rest in any order

    def stamps_differ(self, wanted, given, got):
        """The echo is the script's own number; the value is ours, and looked at where the script says what its tick is."""
        tick = self.settings.stamp_tick
        self.first_stamp = self.first_stamp or (wanted[0], given[0])
        ticks, microseconds = wire.signed(wanted[0] - self.first_stamp[0]), wire.signed(given[0] - self.first_stamp[1])
        self.host.stamps[wanted[0]] = given[0]
        late = tick and abs(ticks * tick - microseconds * 10**6) > self.settings.tolerance + tick
        return late or wanted[1] != given[1]

    def in_time(self, event, got, low, high):
        slack = TICKS if got.by_timer else 0
        early = got.time < low - slack and not (self.settings.paced and got.len) and not got.ahead
        if early or got.time > high:
            raise Different(event.line, f"{shown(event.what)} at {self.after(low)}..{self.after(high)}", f"it at {self.after(got.time)}")

    def after(self, time):
        return f"{time / S:.6f}".rstrip("0").rstrip(".")

    # ---- system calls ----

    def call(self, event):
        if self.pending:
            self.complete(*self.pending, late=True)
        call = event.what
        if call.ends is not None or call.name in ("connect",):
            self.pending = event.line, call
            self.complete(*self.pending)
            return
        self.check(event.line, call, self.ask(call))

    def ask(self, call):
        if call.errno and call.errno not in OUTCOMES:
            raise Unplayable(f"{call.errno}, an error of a system call")
        try:
            return self.host.call(call.name, call.arguments)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise Unplayable(f"{call.name}() with such arguments") from None

    def complete(self, line, call, late=False):
        """A call that blocks: does it return now?"""
        got = self.ask(call)
        if got is None and call.errno == "EINPROGRESS":
            got = -1, "EINPROGRESS"
        if got is None and not late:
            return
        self.pending = None
        self.check(line, call, got)

    def check(self, line, call, got):
        result, errno = got if isinstance(got, tuple) else (got, None)
        if got is None:
            result, errno = (0, None) if call.name in WAITS else (-1, "EAGAIN")
        if got is ... or call.result is ...:
            return
        if call.name in WRITES and result != call.result and isinstance(result, int) and result > 0:
            raise Unplayable("Linux's send buffer, which is full at that point")
        if result != call.result or (result == -1 and call.errno and errno != call.errno):
            wanted = f"{call.result} {call.errno}" if call.errno else call.result
            raise Different(line, f"{call.name}() = {wanted}", f"{result} {errno}" if errno else result)

    # ---- shell and code ----

    def shell(self, event):
        if "pfifo limit 0" in event.what.text:
            self.host.open_port = False
        elif "tc qdisc" in event.what.text and not self.host.open_port:
            self.host.open_port = True
            self.host.pump()

    def code(self, event):
        info = {"tcpi_" + k: v for k, v in self.host.info().items()}
        try:
            text = re.sub(r"\\\n\s*", " ", event.what.text)  # a line that goes on in the next
            tree = ast.parse(textwrap.dedent(text.expandtabs()).strip())
        except SyntaxError as error:
            raise NotTheLanguage(event.line, f"Python does not read it: {error.msg}") from None
        for statement in tree.body:
            self.statement(event.line, statement, info)

    def statement(self, line, statement, info):
        names = {**self.names, **info}
        unknown = [name for name in loaded(statement, ast.Load) if name not in {**names, **BUILTINS}]
        if not all(isinstance(n, PLAIN) for n in ast.walk(statement)):
            raise Unplayable("a block of Python that does more than assert")
        if unknown:
            self.unasked.update(set(unknown))
            self.forget(statement)
            return
        try:
            self.run(statement, names, info)
        except AssertionError:
            shown_values = ", ".join(f"{n} {names[n]}" for n in dict.fromkeys(loaded(statement.test)) if n in info)
            raise Different(line + statement.lineno - 1, ast.unparse(statement.test), shown_values) from None
        self.names.update({k: v for k, v in names.items() if k not in info})

    def run(self, statement, names, info):
        """Once more with each cwnd that is as good."""
        code = compile(ast.Module([statement], []), "script", "exec")
        cwnd, others = info.get("tcpi_snd_cwnd"), []
        if cwnd is not None and "tcpi_snd_cwnd" in loaded(statement):
            others = [cwnd + n for n in range(-self.grown - self.rounding(), self.rounding() + 1) if n]
        try:
            exec(code, {"__builtins__": BUILTINS}, names)
        except AssertionError:
            if not any(self.holds(code, {**names, "tcpi_snd_cwnd": other}) for other in others):
                raise

    def holds(self, code, names):
        try:
            exec(code, {"__builtins__": BUILTINS}, names)
        except AssertionError:
            return False
        return True

    def forget(self, statement):
        """What is computed from something unknown is unknown."""
        for name in loaded(statement, ast.Store):
            self.names.pop(name, None)

    HANDLERS = {Packet: inbound, Call: call, Shell: shell, Code: code}


# What a block may be made of: nothing that reaches beyond its own names.
PLAIN = (
    ast.Module, ast.Assert, ast.Expr, ast.Assign, ast.AugAssign, ast.If, ast.Pass, ast.Compare, ast.BoolOp, ast.BinOp,
    ast.UnaryOp, ast.IfExp, ast.Name, ast.Constant, ast.Call, ast.Tuple, ast.List, ast.JoinedStr, ast.FormattedValue,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)
BUILTINS = {f.__name__: f for f in (abs, min, max, int, float, str, round, hex)} | {"print": lambda *_, **__: None}
OUTCOMES = ("EAGAIN", "EWOULDBLOCK", "EINPROGRESS", "EPIPE", "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "ENOTCONN")  # of TCP; others are of arguments
WAITS = ("poll", "epoll_wait")
WRITES = ("write", "send", "sendto", "sendmsg", "writev")


def loaded(node, how=ast.expr_context):
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, how)]


def picoseconds(time):
    return int(time * Decimal(S))


def is_pure(got):
    return set(got.flags) <= set(".EW") and not got.len


def shown(want):
    ack = f" ack {want.ack}" if want.ack is not None else ""
    ecn = f"[{want.ecn}] " if want.ecn else ""
    options = " <...>" if want.options is None else " <" + ",".join(wire.shown(o) for o in want.options) + ">" if want.options else ""
    return f"{ecn}{want.flags} {want.seq}:{want.end}({want.len}){ack}{options}"


def play_file(path, watch=False):
    """('pass' | 'skip' | 'FAIL', reason, names of tcp_info that were not asked)."""
    player = None
    try:
        text = Path(path).read_text()
        script = parse(text)
        settings = Settings().read(script, text)
        with Tcp() as tcp:
            player = Player(tcp, script, settings, watch)
            player.play()
        return "pass", "", player.unasked
    except Unplayable as reason:
        return "skip", str(reason), Counter()
    except NotTheLanguage as wrong:
        return "FAIL", "line %d: expected packetdrill's language, got: %s" % wrong.args, Counter()
    except Different as wrong:
        return "FAIL", "line %d: expected %s, got %s" % wrong.args, player.unasked
    except Exception as wrong:  # a script that the player does not understand must not end those after it
        line = player.line if player else 1
        return "FAIL", f"line {line}: expected an event that can be played, got {type(wrong).__name__}: {wrong}", Counter()


def refuse(why):
    print(why, file=sys.stderr)
    return 2


def main(arguments):
    watch = "-v" in arguments
    files = [a for a in arguments if a != "-v"]
    if not files:
        return refuse(__doc__.strip())
    if not os.access(DRIVE, os.X_OK):
        return refuse(f"play.py: {DRIVE} is not there: ./waf build makes it")
    for path in files:
        if not os.access(path, os.R_OK):
            return refuse(f"play.py: {path}: no such file, or it cannot be read")
    counts, unasked = Counter(), Counter()
    for path in files:
        outcome, reason, names = play_file(path, watch)
        counts[outcome] += 1
        unasked += names
        print(f"{outcome} {os.path.basename(path).removesuffix('.pkt')}" + (f": {reason}" if reason else ""), flush=True)
    if unasked:
        print("not asked, for ours has no such number: " + ", ".join(f"{name} ({n})" for name, n in sorted(unasked.items())))
    print(f"{counts['pass']} passed, {counts['FAIL']} failed, {counts['skip']} skipped")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
