# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers on the wire, and errors as a Terminate has them."""

WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INV, SEND_SE, SEND_SE_INV, TERMINATE = range(8)  # RFC 5040 figure 4
IMMEDIATE, IMMEDIATE_SE, ATOMIC_REQUEST, ATOMIC_RESPONSE = range(8, 12)  # RFC 7306 4.1
QUEUE = {SEND: 0, SEND_INV: 0, SEND_SE: 0, SEND_SE_INV: 0, IMMEDIATE: 0, IMMEDIATE_SE: 0, READ_REQUEST: 1, ATOMIC_REQUEST: 1,
         TERMINATE: 2, ATOMIC_RESPONSE: 3}
OPCODE = {"send": SEND, "send_inv": SEND_INV, "send_se": SEND_SE, "send_se_inv": SEND_SE_INV, "write": WRITE, "read": READ_REQUEST,
          "immediate": IMMEDIATE, "immediate_se": IMMEDIATE_SE, "fetch_add": ATOMIC_REQUEST, "cmp_swap": ATOMIC_REQUEST}
READ_HEADER = 28
WHOLE = {READ_REQUEST: READ_HEADER, IMMEDIATE: 8, IMMEDIATE_SE: 8, ATOMIC_REQUEST: 52, ATOMIC_RESPONSE: 12}  # octets of messages of one size


class Fault(Exception):
    """An error as it stands in a Terminate: layer, type, code (RFC 5040 figure 9, RFC 5041 7.2)."""


def number(octets, value):
    return value.to_bytes(octets, "big")


def value(octets):
    return int.from_bytes(octets, "big")
