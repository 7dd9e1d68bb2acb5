# SPDX-License-Identifier: GPL-2.0-or-later
"""What a script's options, shell commands and socket options mean for our TCP."""

import re

from language import Call, Packet, Shell, Unplayable

US, MS, S = 10**6, 10**9, 10**12  # picoseconds
CONGESTION = {"reno": "newreno", "cubic": "cubic", "dctcp": "dctcp"}
WITHOUT_SACK, WITHOUT_SCALE, WITHOUT_TLP, WITHOUT_FRTO, WITHOUT_USAGE = 1, 2, 4, 8, 16

# Linux with ../common/defaults.sh.
LINUX = {
    "mtu": 1500, "window_shift": 8, "timestamps": 1, "ecn": 0, "congestion": CONGESTION["cubic"], "detection": "rack",
    "without": WITHOUT_USAGE, "idle_restart": 0, "initial_window": 10, "slow_start_limit": 255, "dupack_threshold": 3, "delayed_ack": 2,
    "retries": 15, "syn_retries": 5, "delayed_ack_timeout": 40 * MS, "max_ack_delay": 200 * MS,
    "min_rto": 200 * MS, "granularity": 200 * MS, "initial_rto": S, "max_rto": 120 * S, "msl": 30 * S,
    "records": 4096, "store": 1 << 22, "ranges": 256,
}

# What a sysctl means: a key of ours, a table of values, or nothing.
FREE = {
    "tcp_tso_win_divisor", "tcp_min_tso_segs", "tcp_tso_rtt_log", "tcp_pacing_ss_ratio", "tcp_pacing_ca_ratio",
    "tcp_limit_output_bytes", "tcp_autocorking", "tcp_notsent_lowat", "tcp_mem", "tcp_wmem", "tcp_rmem", "tcp_moderate_rcvbuf",
    "tcp_adv_win_scale", "tcp_app_win", "tcp_no_metrics_save", "tcp_no_ssthresh_metrics_save", "tcp_fack", "tcp_fastopen",
    "tcp_fastopen_key", "tcp_syncookies", "tcp_challenge_ack_limit", "tcp_invalid_ratelimit", "tcp_min_rtt_wlen",
    "tcp_comp_sack_nr", "tcp_comp_sack_delay_ns", "tcp_comp_sack_slack_ns", "tcp_max_reordering", "tcp_fin_timeout",
    "tcp_rfc1337", "tcp_tw_reuse", "tcp_workaround_signed_windows", "tcp_orphan_retries", "tcp_retries1", "tcp_max_syn_backlog",
    "tcp_ecn_fallback", "tcp_low_latency", "tcp_reflect_tos", "tcp_available_congestion_control", "tcp_dsack",
}
SYSCTLS = {
    "tcp_timestamps": {"0": {"timestamps": 0}, "1": {"timestamps": 1}, "2": {"timestamps": 1}},
    "tcp_sack": {"0": {"-without": WITHOUT_SACK}, "1": {}},
    "tcp_window_scaling": {"0": {"-without": WITHOUT_SCALE}, "1": {}},
    "tcp_early_retrans": {"0": {"-without": WITHOUT_TLP}, "1": {"-without": WITHOUT_TLP}, "2": {"-without": WITHOUT_TLP}, "3": {}, "4": {}},
    "tcp_frto": {"0": {"-without": WITHOUT_FRTO}, "1": {}, "2": {}},
    "tcp_recovery": {"0": {"detection": "dupack"}, "1": {"detection": "rack"}},
    "tcp_slow_start_after_idle": {"0": {"idle_restart": 0}, "1": {"idle_restart": 1}},
    "tcp_congestion_control": {name: {"congestion": value} for name, value in CONGESTION.items()},
    "tcp_reordering": {"3": {}},
    "tcp_mtu_probing": {"0": {}},
    "tcp_thin_linear_timeouts": {"0": {}},
    "tcp_plb_enabled": {"0": {}},
    "tcp_shrink_window": {"0": {}},
    "tcp_abort_on_overflow": {"0": {}},
}
NUMBERS = {"tcp_syn_retries": "syn_retries", "tcp_synack_retries": "syn_retries", "tcp_retries2": "retries"}
QUIET = re.compile(  # commands that set nothing up that this TCP has
    r"(\S*/)?(defaults\.sh|set_sysctls\.py|sysctl_restore\S*)|ethtool |ip tcp_metrics|ip link|ifconfig|sync\b|true\b|sleep |modprobe |"
    r"nstat\b|"
    r"tc qdisc (del|add|replace|change) dev \S+ (root )?(fq\b|pfifo(?! limit 0)|$)|tc qdisc del|rm |echo [^>]*$|:|exit\b"
)
SOCKET_OPTIONS = {  # of no meaning here, or the owner's
    "SO_REUSEADDR", "SO_REUSEPORT", "SO_SNDBUF", "SO_SNDBUFFORCE", "SO_RCVBUF", "SO_RCVBUFFORCE", "SO_PRIORITY", "SO_MARK",
    "SO_LINGER", "SO_ERROR", "IP_TOS", "IP_TTL", "IP_MTU_DISCOVER", "IPV6_TCLASS", "TCP_NODELAY", "TCP_CORK", "TCP_MAXSEG",
    "TCP_QUICKACK", "TCP_NOTSENT_LOWAT", "TCP_CONGESTION", "TCP_SYNCNT", "TCP_LINGER2", "TCP_USER_TIMEOUT", "SO_INCOMING_CPU", "SO_BUSY_POLL",
    "SO_RCVLOWAT", "IP_BIND_ADDRESS_NO_PORT", "SO_BINDTODEVICE", "IP_FREEBIND",
}
CALLS = {
    "socket", "bind", "listen", "accept", "accept4", "connect", "write", "send", "sendto", "sendmsg", "writev", "read", "recv",
    "recvfrom", "recvmsg", "readv", "close", "shutdown", "setsockopt", "getsockopt", "fcntl", "ioctl", "usleep", "poll", "epoll_create",
    "epoll_create1", "epoll_ctl", "epoll_wait",
}
IOCTLS = {"SIOCINQ", "FIONREAD", "SIOCOUTQ", "TIOCOUTQ", "SIOCOUTQNSD"}
FLAGS_WITHOUT_MEANING = {
    "MSG_ZEROCOPY": "zero copy", "MSG_FASTOPEN": "TCP Fast Open", "MSG_ERRQUEUE": "a socket's error queue",
    "EPOLLET": "edges of epoll", "EPOLLONESHOT": "edges of epoll", "EPOLLEXCLUSIVE": "edges of epoll",
    "MSG_OOB": "urgent data, which this TCP leaves in line",
}


class Settings:
    """The configuration that a script asks for, and the freedom that its commands give."""

    def __init__(self):
        self.conf = dict(LINUX)
        self.tolerance = 4 * MS
        self.stamp_tick = None  # picoseconds of a tick of the script's timestamps, where they are to be checked
        self.paced = False  # sch_fq delays what leaves
        self.opened = False
        self.window = None  # octets that the script's host offers with its SYN

    def read(self, script, text):
        if re.search(r"hystart", re.sub(r"hystart(_detect)?\s*=\s*0|\b0\s*>\s*\S*hystart\S*", "", text), re.I):
            raise Unplayable("its point is Linux's HyStart; ours is HyStart++ (RFC 9406)")
        for name, values in script.options.items():
            self.option(name, values[-1])
        for event in script.events:
            kind = type(event.what)
            if kind is Shell:
                self.shell(event.what.text)
            elif kind is Call:
                self.call(event.what)
            elif kind is Packet:
                self.opened = True
                self.offer(event.what)
        return self

    def offer(self, packet):
        """The window and its shift are the owner's to choose: the script's."""
        if packet.inbound or "S" not in packet.flags:
            return
        self.window = self.window or packet.win
        self.conf["window_shift"] = dict(packet.options or []).get("wscale", self.conf["window_shift"])

    def option(self, name, value):
        if name == "tolerance_usecs":
            self.tolerance = int(value) * US
        elif name == "mtu":
            self.conf["mtu"] = int(value)
        elif name == "tcp_ts_tick_usecs":
            self.stamp_tick = int(value) * US
        elif name in ("ip_version", "wire_protocol") and "6" in value and "4" not in value:
            raise Unplayable("IPv6")
        elif name == "define" or name.startswith("send_omit_free"):
            raise Unplayable(f"the option --{name}")

    # ---- shell ----

    def shell(self, text):
        text = re.sub(r"\\\n", " ", text)
        for line in re.split(r"\n|;|&&|\|\|", re.sub(r"(^|\s)#[^\n]*", "", text)):
            self.command(line.strip())

    def command(self, line):
        found = re.findall(r"net[./]ipv4[./](\w+)\s*=\s*(\"[^\"]*\"|'[^']*'|\S+)", line)
        for name, value in found:
            self.sysctl(name, value.strip("\"'"))
        if found or not line:
            return
        if re.match(r"sysctl .*net[./]core|/proc/sys/net/core", line) or re.search(r"net[./]core[./]\w+\s*=", line):
            return
        if line.startswith(("ip route", "ip ro ", "ip -4 route")):
            self.route(line)
        elif re.search(r"tc qdisc .*\bfq\b", line):
            self.paced = True
        elif re.search(r"tc qdisc .*pfifo limit 0", line):
            return  # the player does not pull
        elif not QUIET.match(line):
            raise Unplayable(f"the shell command '{line[:60]}'")

    def sysctl(self, name, value):
        if name in FREE:
            return
        if name == "tcp_rto_min_us":
            self.least_rto(int(value) * US)
        elif name == "tcp_ecn" and value in "012":
            self.conf["ecn"] = {"0": 0, "1": 1, "2": 2}[value]  # 2: answers, does not ask
        elif name in NUMBERS:
            self.conf[NUMBERS[name]] = int(value)
        elif name in SYSCTLS and value in SYSCTLS[name]:
            self.change(f"net.ipv4.{name}", SYSCTLS[name][value])
        else:
            raise Unplayable(f"net.ipv4.{name}={value}")

    def change(self, name, keys):
        for key, value in keys.items():
            bits = key.startswith("-")
            key = key.lstrip("-")
            value = self.conf[key] | value if bits else value
            if self.opened and self.conf[key] != value:
                raise Unplayable(f"{name} is changed while a connection is open")
            self.conf[key] = value

    def least_rto(self, time):
        self.conf.update(min_rto=time, granularity=time, max_ack_delay=time)

    def route(self, line):
        window = re.search(r"initcwnd (\d+)", line)
        least = re.search(r"rto_min (\d+)(ms|s)?", line)
        if window:
            self.conf["initial_window"] = int(window[1])
        if least:
            self.least_rto(int(least[1]) * (S if least[2] == "s" else MS))
        if re.search(r"features ecn", line):
            self.conf["ecn"] = 1
        if re.search(r"congctl (\w+)", line):
            self.sysctl("tcp_congestion_control", re.search(r"congctl (\w+)", line)[1])
        if re.search(r"\b(mtu|advmss|quickack|rto_min lock|initrwnd|cwnd|reordering|rtt|ssthresh) ", line):
            raise Unplayable(f"the shell command '{line[:60]}'")

    # ---- system calls ----

    def call(self, call):
        if call.name not in CALLS:
            raise Unplayable(f"the system call {call.name}()")
        for word in (w for argument in call.arguments for w in deep_words(argument)):
            if word in FLAGS_WITHOUT_MEANING:
                raise Unplayable(FLAGS_WITHOUT_MEANING[word])
            if word in ("SOCK_DGRAM", "SOCK_RAW", "AF_INET6", "IPPROTO_MPTCP", "AF_UNIX"):
                raise Unplayable(f"a socket of {word}")
            if word in ("msg_control", "cmsg_level"):
                raise Unplayable("control messages of a system call")
        if call.name in ("setsockopt", "getsockopt"):
            self.socket_option(call)
        if call.name == "ioctl" and call.arguments[1:2] and call.arguments[1] not in IOCTLS:
            raise Unplayable(f"ioctl() of {call.arguments[1]}")

    def socket_option(self, call):
        name = call.arguments[2]
        value = call.arguments[3][0] if isinstance(call.arguments[3], list) and call.arguments[3] else call.arguments[3]
        if name not in SOCKET_OPTIONS:
            raise Unplayable(f"the socket option {name}")
        if call.name == "getsockopt" or call.result != 0:
            return
        if name == "TCP_CONGESTION":
            congestion = value[1] if isinstance(value, tuple) else value
            if congestion not in CONGESTION:
                raise Unplayable(f"congestion control {congestion}")
            self.conf["congestion"] = CONGESTION[congestion]
        elif name == "TCP_SYNCNT":
            self.conf["syn_retries"] = value
        elif name == "SO_RCVLOWAT" and value != 1:
            raise Unplayable("the socket option SO_RCVLOWAT")


def deep_words(expression):
    if isinstance(expression, (list, tuple)):
        for item in expression:
            yield from deep_words(item)
    elif isinstance(expression, str):
        yield expression


