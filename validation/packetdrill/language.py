# SPDX-License-Identifier: GPL-2.0-or-later
"""The language of packetdrill: a script's text becomes its options, the shell commands before it and its events."""

import re
from dataclasses import dataclass, field
from decimal import Decimal

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|//[^\n]*|/\*.*?\*/)
      | %\{(?P<code>.*?)\}%
      | `(?P<shell>(?:\\.|[^`])*)`
      | "(?P<string>(?:\\.|[^"])*)"
      | --(?P<option>\w+(?:=(?:"[^"]*"|`[^`]*`|[^\s`"])*)?)
      | (?P<ellipsis>\.\.\.)
      | (?P<hex>0x[0-9a-fA-F]+)
      | (?P<address>\d+\.\d+\.\d+\.\d+)
      | (?P<float>-?\d*\.\d+)
      | (?P<integer>-?\d+(?![a-zA-Z_]))
      | (?P<word>\w+)
      | (?P<sign>.)""",
    re.S | re.X,
)
ERRNO_NOTE = re.compile(r"[A-Z]\w*$")


class NotTheLanguage(Exception):
    """The text is no script: line, what is wrong."""


class Unplayable(Exception):
    """What has no meaning for a TCP by itself; says what it is."""


@dataclass
class Packet:
    inbound: bool
    flags: str
    seq: int
    len: int
    ack: int = None
    win: int = None
    urg: int = None
    options: list = field(default_factory=list)  # (kind, value); None: any
    ecn: str = None

    @property
    def end(self):
        return self.seq + self.len


@dataclass
class Call:
    name: str
    arguments: list
    result: object
    errno: str
    ends: Decimal  # None: it does not block


@dataclass
class Shell:
    text: str


@dataclass
class Code:
    text: str


@dataclass
class Event:
    line: int
    relative: bool
    time: Decimal  # None: any
    until: Decimal  # None: no range
    what: object


@dataclass
class Script:
    options: dict
    events: list


@dataclass
class Token:
    kind: str
    text: str
    line: int


def tokens_of(text):
    line, at, found = 1, 0, []
    while at < len(text):
        m = TOKEN.match(text, at)
        if m.lastgroup != "space":
            found.append(Token(m.lastgroup, m[m.lastgroup], line))
        line += m[0].count("\n")
        at = m.end()
    return found + [Token("end", "", line)]


def parse(text):
    return Parser(tokens_of(text)).script()


class Parser:
    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    # ---- tokens ----

    @property
    def token(self):
        return self.tokens[self.at]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def wrong(self, wanted):
        shown = self.token.text if self.token.kind != "end" else "the end"
        raise NotTheLanguage(self.token.line, f"{wanted} was expected, not '{shown.strip()[:40]}'")

    def is_sign(self, sign):
        return self.token.kind == "sign" and self.token.text == sign

    def is_word(self, *words):
        return self.token.kind == "word" and self.token.text in words

    def take_sign(self, sign):
        return self.next() if self.is_sign(sign) else None

    def take_word(self, *words):
        return self.next() if self.is_word(*words) else None

    def need_sign(self, sign):
        return self.take_sign(sign) or self.wrong(f"'{sign}'")

    def integer(self):
        return int(self.next().text) if self.token.kind == "integer" else self.wrong("a number")

    # ---- a script ----

    def script(self):
        options, events = {}, []
        while self.token.kind == "option":
            name, _, value = self.next().text.partition("=")
            options.setdefault(name, []).append(value)
        while self.token.kind != "end":
            events.append(self.untimed() if self.token.kind == "shell" else self.event())
        return Script(options, events)

    def untimed(self):
        """A command before the events or behind them."""
        token = self.next()
        return Event(token.line, True, Decimal(0), None, Shell(token.text))

    def event(self):
        line = self.token.line
        relative, time, until = self.event_time()
        return Event(line, relative, time, until, self.action())

    def event_time(self):
        if self.take_sign("*"):
            return False, None, None
        relative = bool(self.take_sign("+"))
        time = self.time()
        until = None
        if self.take_sign("~"):
            if bool(self.take_sign("+")) != relative:
                self.wrong("a range of one kind")
            until = self.time()
            if until < time:
                self.wrong("a range that goes forward")
        return relative, time, until

    def time(self):
        if self.token.kind not in ("integer", "float"):
            self.wrong("a time")
        return Decimal(self.next().text)

    def action(self):
        if self.token.kind == "shell":
            return Shell(self.next().text)
        if self.token.kind == "code":
            return Code(self.next().text)
        if self.is_sign("<") or self.is_sign(">"):
            return self.packet()
        return self.call()

    # ---- packets ----

    def packet(self):
        inbound = self.next().text == "<"
        if self.is_word("ipv4", "ipv6", "gre", "GREv0", "mpls", "udp"):
            raise Unplayable(f"a packet of {self.token.text}")
        ecn = self.ip_info()
        if self.is_word("icmp"):
            raise Unplayable("ICMP: path MTU discovery is left out of this TCP")
        if self.is_word("udp"):
            raise Unplayable("a packet of udp")
        if self.token.kind == "integer":
            raise Unplayable("several connections by port numbers")
        packet = Packet(inbound, self.flags(), *self.sequence(), ecn=ecn)
        if inbound and "." in packet.flags:
            packet.ack = 0  # the bit is set, whatever is said behind it
        if self.take_word("ack"):
            packet.ack = self.integer()
        if self.take_word("win"):
            packet.win = self.integer()
        if self.take_word("urg"):
            packet.urg = self.integer()
        if self.take_sign("<"):
            packet.options = self.options()
        if self.is_sign("{"):
            raise Unplayable("a packet made wrong on purpose below TCP")
        return packet

    def ip_info(self):
        if not (self.is_sign("[") or self.is_sign("(")):
            return None
        self.next()
        words = []
        while not (self.is_sign("]") or self.is_sign(")")):
            if self.token.kind == "end":
                self.wrong("']'")
            words.append(self.next().text)
        self.next()
        if words and words[0] in ("noecn", "ect0", "ect1", "ect01", "ce"):
            return words[0]
        if words[:1] == ["tos"] and words[1:] and re.fullmatch("0x[0-9a-fA-F]+", words[1]):
            return ("noecn", "ect1", "ect0", "ce")[int(words[1], 16) & 3]
        raise Unplayable(f"the IP header's {' '.join(words) or 'nothing'}")

    def flags(self):
        text = self.next().text if self.token.kind == "word" else ""
        if self.token.kind == "float":
            raise Unplayable("accurate ECN")
        if self.take_sign("-"):
            return ""
        if self.take_sign("."):
            text += "."
        if not text or text.strip("SFRPEWU."):
            raise Unplayable("accurate ECN") if set(text) <= set("SFRPEWUA.01234567") and text else self.wrong("TCP's flags")
        return text

    def sequence(self):
        seq = self.integer()
        self.need_sign(":")
        end = self.integer()
        self.need_sign("(")
        length = self.integer()
        self.need_sign(")")
        if end != seq + length:
            self.wrong(f"{seq}:{seq + length}({length})")
        return seq, length

    def options(self):
        if self.token.kind == "ellipsis":
            self.next()
            self.need_sign(">")
            return None
        found = [self.option()]
        while self.take_sign(","):
            found.append(self.option())
        self.need_sign(">")
        return found

    def option(self):
        kind = self.next().text
        if kind in ("nop", "eol", "sackOK"):
            return kind, None
        if kind in ("mss", "wscale"):
            return kind, self.integer()
        if kind == "sack":
            return kind, self.blocks()
        if kind == "TS":
            return kind, self.stamps()
        if kind in ("FO", "FOEXP"):
            raise Unplayable("TCP Fast Open")
        if kind == "md5":
            raise Unplayable("TCP MD5 signatures")
        raise Unplayable(f"the TCP option {kind}")

    def blocks(self):
        found = []
        while self.token.kind == "integer":
            left = self.integer()
            self.need_sign(":")
            found.append((left, self.integer()))
        return found or self.wrong("a block")

    def stamps(self):
        if not self.take_word("val"):
            self.wrong("'val'")
        val = self.integer()
        if not self.take_word("ecr"):
            self.wrong("'ecr'")
        return val, self.integer()

    # ---- system calls ----

    def call(self):
        ends = None
        if self.token.kind == "ellipsis":
            self.next()
            self.take_sign("+")
            ends = self.time()
        if self.token.kind != "word":
            self.wrong("an event")
        name = self.next().text
        self.need_sign("(")
        arguments = self.list_until(")")
        self.need_sign("=")
        result = self.expression()
        errno = self.next().text if self.token.kind == "word" and ERRNO_NOTE.match(self.token.text) else None
        if self.take_sign("("):
            while not self.take_sign(")"):
                self.next()
        return Call(name, arguments, result, errno, ends)

    def list_until(self, sign):
        found = []
        while not self.take_sign(sign):
            found.append(self.expression())
            if not self.is_sign(sign):
                self.need_sign(",")
        return found

    def expression(self):
        """A number, a word, a string, a list; ('|', a, b) and ('=', name, value); (name, arguments...) of what is called."""
        value = self.primary()
        for sign in "|=":
            if self.take_sign(sign):
                return (sign, value, self.expression())
        return value

    def primary(self):
        token = self.next()
        if token.kind == "integer":
            return int(token.text)
        if token.kind == "hex":
            return int(token.text, 16)
        if token.kind == "ellipsis":
            return ...
        if token.kind == "string":
            while self.token.kind in ("string", "ellipsis"):
                self.next()
            return ("string", token.text)
        if token.kind == "word":
            return (token.text, *self.list_until(")")) if self.take_sign("(") else token.text
        if token.kind == "sign" and token.text in "[{":
            return self.list_until("]" if token.text == "[" else "}")
        self.at -= 1
        return self.wrong("an expression")


def words_of(expression):
    """The words of A|B|C."""
    if isinstance(expression, tuple) and expression[0] == "|":
        return words_of(expression[1]) + words_of(expression[2])
    return [expression] if isinstance(expression, str) else []
