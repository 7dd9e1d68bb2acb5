# SPDX-License-Identifier: GPL-2.0-or-later
"""The host around our TCP: virtual time, a port that pulls, sockets, and a byte stream cut into records of one MSS.

Linux keeps a byte stream and cuts it when it sends; ours takes records. So full segments are appended at once, and what is left over
only when it could leave: until then a later write() may fill it up, and Nagle's rule, TCP_CORK and MSG_MORE hold it back.
"""

import re
from collections import deque

import wire
from language import Unplayable, words_of
from settings import CONGESTION, MS
from tcp import CLOSED, ESTABLISHED, NEVER, SYN_RECEIVED, SYN_SENT, STATES

ISS, PEER_ISS = 0xFFFFF000, 0xFFFFE800  # both wrap soon
WINDOW = 1 << 20
CLOSE_WAIT = STATES.index("CLOSE_WAIT")
FIN_IS_OUT = {STATES.index(name) for name in ("FIN_WAIT_1", "CLOSING", "LAST_ACK")}
STEPS = 100000
# tcp_info, in Linux's units and with its names for states; what is missing is not asked.
LINUX_STATES = (7, 10, 2, 3, 1, 4, 5, 8, 11, 9, 6)
CONSTANTS = {f"TCP_CA_{n}": i for i, n in enumerate(("Open", "Disorder", "CWR", "Recovery", "Loss"))}
CONSTANTS |= {f"TCP_{n}": i for i, n in enumerate(
    "ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN CLOSING".split(), 1)}
CONSTANTS |= {"TCPI_OPT_TIMESTAMPS": 1, "TCPI_OPT_SACK": 2, "TCPI_OPT_WSCALE": 4, "TCPI_OPT_ECN": 8}
INFINITE = 0x7FFFFFFF


class Stream:
    """What the user asked of one connection."""

    def __init__(self):
        self.written = self.consumed = self.small_end = 0
        self.pushed = 0  # TCP_NODELAY pushes what waits, be it corked or not
        self.ends = deque()  # offsets that a record may not cross (MSG_EOR)
        self.more = self.fin = self.closed = self.read_off = self.accepted = False
        self.events = set()
        self.error = None
        self.passive = False


class Host:
    def __init__(self, tcp, settings):
        self.tcp, self.settings = tcp, settings
        self.conf = dict(settings.conf)
        self.now = 0
        self.sent = deque()
        self.told = None  # right edge on the wire
        self.open_port = True
        self.stream, self.state = None, None
        self.listening, self.of_connection, self.options = set(), set(), {}
        self.window = settings.window or WINDOW
        self.user_mss = None
        self.stamps = {}  # the script's value: ours
        self.watched = {}  # by epoll: fd: events
        self.held_until = None  # when a small segment leaves that TCP_CORK or MSG_MORE holds back
        self.user_timeout = self.waits = None  # TCP_USER_TIMEOUT; what was acknowledged, and since when the next is waited for

    # ---- time ----

    def advance(self, until, inclusive=False, stop=lambda: False):
        """Time passes to `until`; timers due before it, or also at it, fire. Ends early when stop() says so."""
        for _ in range(STEPS):
            at = min(self.state["deadline"], self.given_up_at(), self.held_until or NEVER) if self.state else NEVER
            if stop() or at > until or (at == until and not inclusive):
                break
            self.now = max(self.now, at)
            if self.now >= self.given_up_at():
                self.give_up()
                continue
            self.tcp.ask("expire", self.now)
            self.pump(by_timer=True)
        else:
            raise RuntimeError("timers fire without end")
        if not stop():
            self.now = max(self.now, until)

    def given_up_at(self):
        """TCP_USER_TIMEOUT: when nobody has acknowledged for so long what is out (RFC 9293 3.8.3, RFC 5482)."""
        return self.waits[1] + self.user_timeout if self.user_timeout and self.waits else NEVER

    def give_up(self):
        """Linux tells the peer nothing."""
        self.tcp.call("abort", self.now)
        list(self.tcp.out(self.now))
        self.tcp.ask("events", 0)
        self.look()
        self.stream.error = "ETIMEDOUT"

    def pump(self, by_timer=False):
        """Supplies records and pulls packets until there are none."""
        while True:
            self.look()
            supplied = self.supply()
            left = self.pull(by_timer) if self.open_port else 0
            if not supplied and not left:
                break
        self.look()
        for word in self.tcp.ask("events", 0):
            self.stream.events.add(word)
            if word in ("reset", "refused", "lost"):
                self.stream.error = {"reset": "ECONNRESET", "refused": "ECONNREFUSED", "lost": "ETIMEDOUT"}[word]

    def look(self):
        s = self.state = self.tcp.state()
        done = s["acked"], s["state"]
        if not (s["unacked"] or s["state"] in FIN_IS_OUT or s["probe_backoff"]):
            self.waits = None
        elif not self.waits or self.waits[0] != done:
            self.waits = done, self.now

    def pull(self, by_timer):
        count = 0
        for ecn, octets, length in self.tcp.out(self.now):
            self.leave(ecn, octets, length, by_timer)
            count += 1
        return count

    def leave(self, ecn, octets, length, by_timer):
        segment = wire.read(octets, length, ecn, ISS, PEER_ISS)
        segment.time, segment.by_timer = self.now, by_timer
        segment.new = bool(segment.len) and segment.seq > self.highest
        self.highest = max(self.highest, segment.end - 1)
        if "R" not in segment.flags:
            edge = segment.ack + (segment.win if "S" in segment.flags else segment.win << self.state["rcv_wscale"])
            if self.told is not None and edge < self.told:
                raise RuntimeError(f"the window's right edge moved left with {segment}")
            self.told = edge
        self.sent.append(segment)

    # ---- octets to send ----

    def supply(self):
        """Appends the next record if there is one that may be; then the FIN."""
        stream, state = self.stream, self.state
        if state["state"] not in (ESTABLISHED, CLOSE_WAIT):
            return False
        left = stream.written - state["appended"]
        if left and state["room"]:
            piece = self.piece(left)
            return bool(piece) and self.append(piece)
        if stream.fin and not left:
            return self.tcp.call("close", self.now) == 0
        return False

    def piece(self, left):
        stream, state = self.stream, self.state
        at = state["appended"]
        while stream.ends and stream.ends[0] <= at:
            stream.ends.popleft()
        ended = bool(stream.ends) and stream.ends[0] - at <= state["mss"]
        piece = min(state["mss"], left, stream.ends[0] - at if stream.ends else left)
        if piece == state["mss"] or ended or stream.fin or self.may_leave(piece) or (self.held_until or NEVER) <= self.now:
            self.held_until = None
            return piece
        if not state["unacked"] and not state["unsent"]:  # Linux' probe timer, which is no longer than a timeout
            self.held_until = self.held_until or self.now + max(state["rto"], 200 * MS)
        return 0

    def may_leave(self, piece):
        """A record that is not full: nothing waits before it, Nagle's rule as Minshall changed it, room for it."""
        state, stream = self.state, self.stream
        corked = (stream.more or self.options.get("TCP_CORK")) and state["appended"] + piece > stream.pushed
        if state["unsent"] or corked:
            return False
        if not self.options.get("TCP_NODELAY") and state["acked"] < stream.small_end <= state["sent"] and state["flight"]:
            return False
        end = state["appended"] + piece
        blocked = end > state["right_edge"]
        return not state["unacked"] if blocked else not state["flight"] or state["flight"] + piece <= state["cwnd"]

    def append(self, piece):
        if self.tcp.call("append", self.now, piece):
            return False
        if piece < self.state["mss"]:
            self.stream.small_end = self.state["appended"] + piece
        return True

    # ---- packets from the peer ----

    def arrive(self, packet):
        octets = wire.header(packet.flags, PEER_ISS + packet.seq, self.live_ack(packet), packet.win or 0, packet.urg or 0,
                             [self.live_option(o) for o in packet.options], packet.len)
        ecn = packet.ecn or "noecn"
        if not self.state or self.state["state"] == CLOSED:
            if "S" in packet.flags and "." not in packet.flags and self.listening:
                self.open(passive=True)
            else:
                return self.stray(ecn, octets, packet.len)
        closed = self.stream.closed
        self.stream.more = False  # MSG_MORE holds for a call, and until Linux tries to send again
        verdict, _, length, _ = self.tcp.arrive(self.now, ecn, octets, packet.len)
        if closed and verdict == "taken" and length:  # nobody will read it (RFC 9293 3.6.1)
            self.tcp.call("abort", self.now)
            list(self.tcp.out(self.now))
            self.stray(ecn, octets, packet.len)
        return self.pump()

    def live_ack(self, packet):
        return ISS + packet.ack if packet.ack is not None else 0

    def live_option(self, option):
        kind, value = option
        if kind == "sack":
            return kind, [(ISS + a, ISS + b) for a, b in value]
        if kind == "TS":
            return kind, (value[0], self.live_stamp(value[1]))
        return option

    def live_stamp(self, value):
        """What we said when the script thinks that we said `value`."""
        if value in self.stamps or not self.stamps:
            return self.stamps.get(value, value)
        nearest = min(self.stamps, key=lambda known: abs(known - value))
        return self.stamps[nearest] + (value - nearest) * 1000

    def stray(self, ecn, octets, length):
        for answer_ecn, head, size in self.tcp.stray(ecn, octets, length):
            segment = wire.read(head, size, answer_ecn, ISS, PEER_ISS)
            segment.time = self.now
            self.sent.append(segment)
        if self.state:
            self.look()

    # ---- the connection ----

    def open(self, passive):
        conf = {k: v for k, v in self.conf.items() if k != "ecn"}
        if self.user_mss:
            conf["mtu"] = self.user_mss + 40
        conf["ecn"] = int(self.conf["ecn"] == 1 or conf["congestion"] == CONGESTION["dctcp"] or (passive and self.conf["ecn"] == 2))
        conf["iss"] = ISS
        self.tcp.open(conf)
        self.stream, self.told, self.highest = Stream(), None, -1
        self.stream.passive = passive
        self.tcp.ask("credit", self.now, self.window, 0)
        self.tcp.call("listen" if passive else "connect", self.now)
        self.look()

    def finish(self, abort=False):
        stream = self.stream
        unread = self.state["received"] > stream.consumed
        if abort or unread or self.options.get("SO_LINGER") == 0:
            self.tcp.call("abort", self.now)
        elif self.state["state"] == SYN_SENT:
            self.tcp.call("close", self.now)
        stream.fin = stream.closed = True
        stream.more = False
        self.options["TCP_CORK"] = 0
        self.pump()

    # ---- system calls: a result, -1 with an errno, or None where it would block ----

    def call(self, name, arguments):
        return getattr(self, "call_" + name)(arguments)

    def ended(self, results):
        error, self.stream.error = self.stream.error, None
        return (-1, error) if error else results

    def is_up(self):
        return self.state is not None and self.state["state"] >= ESTABLISHED

    def call_socket(self, arguments):
        return ...

    call_fcntl = call_socket
    call_bind = call_usleep = lambda self, arguments: 0

    def call_listen(self, arguments):
        self.listening.add(arguments[0])
        return 0

    def call_accept(self, arguments):
        if self.is_up() and self.stream.passive and not self.stream.accepted:
            self.stream.accepted = True
            return ...
        return None

    call_accept4 = call_accept

    def call_connect(self, arguments):
        if self.state is None:
            self.open(passive=False)
            self.pump()
            return None
        if self.stream.error:
            return self.ended(0)
        return 0 if self.is_up() else None

    def write(self, length, flags=()):
        if self.stream is None or self.stream.fin or self.stream.error or self.state["state"] not in (ESTABLISHED, CLOSE_WAIT):
            if self.state and self.state["state"] in (SYN_SENT, SYN_RECEIVED) and not self.stream.fin:
                return None
            return self.ended((-1, "EPIPE"))
        self.stream.written += length
        self.stream.more = "MSG_MORE" in flags
        if "MSG_EOR" in flags:
            self.stream.ends.append(self.stream.written)
        self.pump()
        return length

    def call_write(self, arguments):
        return self.write(arguments[2])

    def call_send(self, arguments):
        return self.write(arguments[2], words_of(arguments[3]))

    call_sendto = call_send

    def call_writev(self, arguments):
        return self.write(sum(piece[-1] for piece in arguments[1]))

    def call_sendmsg(self, arguments):
        return self.write(length_of_message(arguments[1]), words_of(arguments[2]))

    def read(self, room, flags=()):
        stream = self.stream
        here = 0 if stream is None else self.state["received"] - stream.consumed  # after SHUT_RD, too: Linux keeps what comes
        if here:
            if "MSG_PEEK" not in flags:
                stream.consumed += min(here, room)
                self.credit()
            return min(here, room)
        if stream is None:
            return -1, "ENOTCONN"
        if stream.error or stream.read_off or stream.events & {"fin", "reset", "lost"} or self.state["state"] == CLOSED:
            return self.ended(0)
        return None

    def credit(self):
        """What was read may be sent again. Linux tells the peer when the window doubles, from half or less."""
        edge = self.stream.consumed + self.window
        now, then = self.state["told"] - self.state["received"], edge - self.state["received"]
        self.tcp.ask("credit", self.now, edge, int(2 * now <= self.window and then >= 2 * now))
        self.pump()

    def call_read(self, arguments):
        return self.read(arguments[2]) if arguments[2] else 0

    def call_recv(self, arguments):
        return self.read(arguments[2], words_of(arguments[3]))

    call_recvfrom = call_recv

    def call_readv(self, arguments):
        return self.read(sum(piece[-1] for piece in arguments[1]))

    def call_recvmsg(self, arguments):
        return self.read(length_of_message(arguments[1]), words_of(arguments[2]))

    def call_close(self, arguments):
        fd = arguments[0]
        if fd in self.listening:
            self.listening.discard(fd)
        elif self.stream and not self.stream.closed:
            self.finish()
        return 0

    def call_shutdown(self, arguments):
        how = arguments[1]
        if not self.is_up() or self.stream.error:
            return -1, "ENOTCONN"
        if how in ("SHUT_WR", "SHUT_RDWR", 1, 2):
            self.stream.fin = True
            self.stream.more = False
        if how in ("SHUT_RD", "SHUT_RDWR", 0, 2):
            self.stream.read_off = True
        self.pump()
        return 0

    def call_setsockopt(self, arguments):
        name, value = arguments[2], arguments[3]
        value = value[0] if isinstance(value, list) and value else value
        if name == "TCP_MAXSEG":
            self.user_mss = value
        elif name in ("SO_RCVBUF", "SO_RCVBUFFORCE"):
            self.window = max(value, 2048)
        elif name == "SO_LINGER":
            self.options[name] = linger_of(arguments[3])
        elif name == "TCP_USER_TIMEOUT":
            self.user_timeout = value * MS
        elif name in ("TCP_NODELAY", "TCP_CORK"):
            self.options[name] = value
            if self.stream:
                self.stream.pushed = self.stream.written if name == "TCP_NODELAY" and value else self.stream.pushed
                self.pump()
        return 0

    def call_getsockopt(self, arguments):
        name, value = arguments[2], arguments[3]
        value = value[0] if isinstance(value, list) and value else value
        if name == "TCP_MAXSEG":
            got = self.state["mss"] if self.is_up() else self.user_mss or 536
        elif name == "SO_ERROR":
            got = self.ended((0, 0))[1] if self.stream else 0
        elif name == "TCP_USER_TIMEOUT":
            got = (self.user_timeout or 0) // MS
        elif name in ("TCP_NODELAY", "TCP_CORK"):
            got = self.options.get(name, 0)
        else:
            return 0
        return 0 if got == value else (f"{name} {got}", None)

    def call_ioctl(self, arguments):
        name, value = arguments[1], arguments[2][0]
        s, stream = self.state, self.stream
        got = {
            "SIOCINQ": s["received"] - stream.consumed, "FIONREAD": s["received"] - stream.consumed,
            "SIOCOUTQ": stream.written - s["acked"], "TIOCOUTQ": stream.written - s["acked"], "SIOCOUTQNSD": stream.written - s["sent"],
        }[name]
        return 0 if got == value else (f"{name} {got}", None)

    # ---- what poll() and epoll say, which is the same ----

    def ready(self, fd):
        stream, state = self.stream, self.state
        if fd in self.listening:
            return {"IN"} if self.is_up() and stream.passive and not stream.accepted else set()
        if stream is None:
            return {"OUT", "HUP"}
        ended = state["state"] == CLOSED or bool(stream.events & {"reset", "lost", "refused"})
        no_more = stream.read_off or ended or "fin" in stream.events
        said = {"ERR"} if stream.error else set()
        said |= {"HUP"} if ended or (no_more and stream.fin) else set()
        said |= {"IN", "RDHUP"} if no_more else set()
        if ended or self.is_up():
            said |= {"OUT"} | ({"IN"} if state["received"] > stream.consumed else set())
        return said

    def told_of(self, fd, asked, wanted):
        """What is told of `asked`. A socket that cannot take more is beyond this host, which has no send buffer that fills."""
        got = self.ready(fd) & (asked | {"ERR", "HUP"})
        if "OUT" in got - wanted and self.stream and self.stream.written > self.state["acked"]:
            raise Unplayable("Linux's send buffer, which may be full at that point")
        return got

    def call_poll(self, arguments):
        entries = [fields_of(entry) for entry in arguments[0]]
        wanted = [events_of(entry.get("revents", 0)) for entry in entries]
        got = [self.told_of(entry["fd"], events_of(entry["events"]), want) for entry, want in zip(entries, wanted)]
        if not any(got):
            return 0 if arguments[2] == 0 else None
        return sum(map(bool, got)) if got == wanted else (f"revents {' '.join('|'.join(sorted(g)) or '0' for g in got)}", None)

    call_epoll_create = call_epoll_create1 = call_socket

    def call_epoll_ctl(self, arguments):
        _, what, fd, event = arguments
        if what == "EPOLL_CTL_DEL":
            del self.watched[fd]
        else:
            self.watched[fd] = events_of(fields_of(event)["events"])
        return 0

    def call_epoll_wait(self, arguments):
        entries = [fields_of(e) for e in (arguments[1] if isinstance(arguments[1][0], list) else [arguments[1]])]
        wanted = {entry.get("fd", entry.get("ptr")): events_of(entry["events"]) for entry in entries}
        got = {fd: told for fd, asked in self.watched.items() if (told := self.told_of(fd, asked, wanted.get(fd, set())))}
        if not got:
            return 0 if arguments[3] == 0 else None
        return len(got) if got == wanted else (f"events {got}", None)

    # ---- tcp_info ----

    def info(self):
        s = self.state
        if not s:
            return {}
        mss, up = s["mss"], s["state"] >= ESTABLISHED
        phase = (0, 2, 3, 4)[s["phase"]]
        if phase == 0 and (s["sacked"] or s["dups"] or s["lost"]):
            phase = CONSTANTS["TCP_CA_Disorder"]
        advertised = (self.user_mss or self.conf["mtu"] - 40)
        return {
            "state": LINUX_STATES[s["state"]], "ca_state": phase, "snd_cwnd": s["cwnd"] // mss,
            "snd_ssthresh": INFINITE if s["ssthresh"] >= 1 << 30 else s["ssthresh"] // mss,
            "unacked": s["unacked"], "sacked": s["sacked"] + (s["dups"] if not s["sack"] else 0), "lost": s["lost"],
            "retrans": s["retrans"], "total_retrans": s["retransmits"], "retransmits": s["tries"], "backoff": s["backoff"],
            "probes": s["probe_backoff"], "snd_mss": mss, "advmss": advertised - 12 * s["stamps"],
            "rtt": s["srtt"] // 10**6, "rto": s["rto"] // 10**6,
            "min_rtt": INFINITE * 2 + 1 if s["min_rtt"] == NEVER else s["min_rtt"] // 10**6,
            "snd_wscale": s["snd_wscale"], "options": s["stamps"] + 2 * s["sack"] + 4 * s["scaled"] + 8 * s["ecn"] if up else 0,
            "bytes_acked": s["acked"] + up, "bytes_received": s["octets_rx"], "notsent_bytes": self.stream.written - s["sent"],
            "dsack_dups": s["spurious"],
        }


def fields_of(entry):
    """{name=value, ...}"""
    return {item[1]: item[2] for item in entry if isinstance(item, tuple) and item[0] == "="}


def events_of(expression):
    """POLLIN|POLLOUT or EPOLLIN|EPOLLOUT, without the prefixes."""
    names = (re.sub("^E?POLL", "", word) for word in words_of(expression))
    return {{"RDNORM": "IN", "WRNORM": "OUT"}.get(name, name) for name in names}


def length_of_message(message):
    """Octets of {msg_name(...)=..., msg_iov(1)=[{..., 1000}], ...}."""
    for item in message:
        if isinstance(item, tuple) and item[0] == "=" and isinstance(item[1], tuple) and item[1][0] == "msg_iov":
            return sum(piece[-1] for piece in item[2])
    raise Unplayable("a message without octets")


def linger_of(value):
    """Seconds, None: off."""
    value = value[0] if isinstance(value, list) and isinstance(value[0], list) else value
    fields = {item[1]: item[2] for item in value if isinstance(item, tuple) and item[0] == "="}
    return fields.get("linger", 0) if fields.get("onoff") else None
