# SPDX-License-Identifier: GPL-2.0-or-later
"""How gdb prints what the model is made of: `source helpers/gdb/iwarpsim_gdb.py`, then `print *n`.

A node, a connection, a packet of world fabric (struct fabric_cell) and a queue are one line each; `print/r` shows the members. A
node_queue has connections, the fabric_queue of a port packets."""

import gdb

NEVER = 2**64 - 1  # IW_NEVER
NOBODY = 2**32 - 1  # NONE
CELL_FLAGS = {1: "altered", 2: "trimmed", 4: "pause", 8: "resume"}  # fabric_inner.h
ECN = ("not-ECT", "ECT(1)", "ECT(0)", "CE")


def when(value):
    """An iw_time: picoseconds."""
    return "never" if int(value) == NEVER else f"{int(value) / 1e6:.6f} us"


def chain(first, step="next", most=16):
    """What a linked list has, and whether there is more than `most`."""
    found, at = [], first
    while int(at) and len(found) < most:
        found.append(at.dereference())
        at = at[step]
    return found, bool(int(at))


def flags(value, names):
    return [name for name in names if value[name]]


def node(n):
    parts = [f"node at {when(n['now'])}", f"{int(n['connections'])} connections", f"{int(n['streams'])} streams", f"{int(n['staged'])} packets staged",
             f"at the port {node_queue(n['at_port'])}"]
    return ", ".join(parts + flags(n, ["no_memory"]))


def connection(c):
    said = flags(c, ["initiator", "gone", "failed"])
    parts = [f"connection {int(c['number'])} ({int(c['world_number'])} of the world)", f"{int(c['packets'])} packets sent", f"{int(c['inside'])} inside",
             f"{int(c['pulled_octets'])} octets pulled", f"{int(c['placing'])} placing", f"window {int(c['window_now'])}", f"timer {when(c['timer'])}"]
    return ", ".join(parts + said)


def cell(p):
    kinds = [name for bit, name in CELL_FLAGS.items() if int(p["flags"]) & bit]
    whose = "frame" if int(p["connection"]) == NOBODY else f"packet {int(p['number'])} of connection {int(p['connection'])}, direction {int(p['direction'])}"
    return ", ".join([whose, f"{int(p['size'])} octets", f"to {int(p['to'])}", f"start {when(p['start'])}", ECN[int(p["ecn"]) & 3], *kinds])


def fifo(f):
    packets, more = chain(f["head"])
    return f"{int(f['octets'])} octets in {len(packets)}{' or more' if more else ''} packets"


def port_queue(q):
    paused = f", paused since {when(q['paused_since'])}" if q["pausing"] else ""
    return f"data: {fifo(q['data'])}; headers: {fifo(q['headers'])}; {int(q['ingress'])} octets came by the reverse link{paused}"


def node_queue(q):
    head = q["first"]
    return "nobody" if not int(head) else f"connections {int(head['number'])} to {int(q['last']['number'])}"


ONE_LINE = {"node": node, "node_connection": connection, "fabric_cell": cell, "node_queue": node_queue, "fabric_queue": port_queue, "fabric_fifo": fifo}


class OneLine:
    def __init__(self, value, tell):
        self.value, self.tell = value, tell

    def to_string(self):
        return self.tell(self.value)


def printer(value):
    kind = value.type.strip_typedefs().unqualified()
    tell = ONE_LINE.get(kind.tag) if kind.code == gdb.TYPE_CODE_STRUCT else None
    return OneLine(value, tell) if tell else None


gdb.pretty_printers.append(printer)
