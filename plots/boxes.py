#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Text of pictures that gnuplot drew which stands on or touches other text, or leaves the picture: plots/boxes.py FILE.svg...

Texts are measured in DejaVu Sans (its file is read here): no common `sans` is wider. A text is a box from its lowest descender to its highest
letter, turned as it is, and a little larger, for texts that only touch are read as one. Exit 1 with a line for each fault, 77 without the font."""

import math
import re
import struct
import subprocess
import sys
from html import unescape
from pathlib import Path

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
ASCENT, DESCENT, AROUND = 0.76, 0.24, 0.08  # of the font's size
TEXT = re.compile(r'<g transform="translate\(([-\d.]+),([-\d.]+)\)(?: rotate\(([-\d.]+)\))?"[^>]*font-size="([\d.]+)"[^>]*text-anchor="(\w+)"[^>]*>\s*<text>(.*?)</text>', re.DOTALL)
SPAN = re.compile(r"<tspan([^>]*)>(.*?)</tspan>", re.DOTALL)


def found_font():
    if Path(FONT).exists():
        return FONT
    try:
        return subprocess.run(["fc-match", "--format=%{file}", "DejaVu Sans"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


class Font:
    """Widths of letters, of a TrueType file with a table of the Basic Multilingual Plane (cmap format 4)."""

    def __init__(self, path):
        self.data = Path(path).read_bytes()
        count = self.number("H", 4)
        tables = {self.data[12 + 16 * i:16 + 16 * i]: self.number("I", 20 + 16 * i) for i in range(count)}
        self.em = self.number("H", tables[b"head"] + 18)
        self.metrics, self.hmtx = self.number("H", tables[b"hhea"] + 34), tables[b"hmtx"]
        cmap = tables[b"cmap"]
        starts = [cmap + self.number("I", cmap + 8 + 8 * i) for i in range(self.number("H", cmap + 2))]
        self.map = next(at for at in starts if self.number("H", at) == 4)
        self.segments = self.number("H", self.map + 6) // 2

    def number(self, kind, at):
        return struct.unpack_from(">" + kind, self.data, at)[0]

    def glyph(self, letter):
        ends, n = self.map + 14, 2 * self.segments
        for at in range(ends, ends + n, 2):
            start = at + n + 2
            if self.number("H", at) < letter:
                continue
            if self.number("H", start) > letter:
                return 0
            offset = self.number("H", start + 2 * n)
            if offset == 0:
                return (letter + self.number("H", start + n)) & 0xFFFF
            return self.number("H", start + 2 * n + offset + 2 * (letter - self.number("H", start)))
        return 0

    def width(self, text, size):
        return sum(self.number("H", self.hmtx + 4 * min(self.glyph(ord(c)), self.metrics - 1)) for c in text) / self.em * size


def spans_of(text, size, font):
    """The text of a picture and its width; what is raised or lowered has a size of its own."""
    spans = [(re.search(r'font-size="([\d.]+)"', more), unescape(re.sub(r"<[^>]*>", "", words))) for more, words in SPAN.findall(text)]
    spans = spans or [(None, unescape(text))]
    return "".join(words for _, words in spans), sum(font.width(words, float(own[1]) if own else size) for own, words in spans)


def boxes_of(svg, font):
    """(text, its four corners, the font's size) of each text."""
    for x, y, turn, size, anchor, text in TEXT.findall(svg):
        words, width = spans_of(text, float(size), font)
        if not words.strip():
            continue
        x, y, size, angle = float(x), float(y), float(size), math.radians(float(turn or 0))
        left = {"start": 0, "middle": -width / 2, "end": -width}[anchor]
        corners = [(left, -ASCENT * size), (left + width, -ASCENT * size), (left + width, DESCENT * size), (left, DESCENT * size)]
        yield words, [(x + a * math.cos(angle) - b * math.sin(angle), y + a * math.sin(angle) + b * math.cos(angle)) for a, b in corners], size


def apart(one, other, gap):
    """Is there a line between the two that is `gap` broad? (One that is along a side of either.)"""
    for corners in (one, other):
        for (ax, ay), (bx, by) in zip(corners, corners[1:2] + corners[2:3]):
            nx, ny = by - ay, ax - bx
            length = math.hypot(nx, ny) or 1
            sides = [[(x * nx + y * ny) / length for x, y in box] for box in (one, other)]
            if max(sides[0]) + gap <= min(sides[1]) or max(sides[1]) + gap <= min(sides[0]):
                return True
    return False


def faults_of(svg, font):
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    boxes = list(boxes_of(svg, font))
    if not boxes:
        yield "has no text"
    for i, (words, corners, size) in enumerate(boxes):
        if any(x < 0 or y < 0 or x > width or y > height for x, y in corners):
            yield f"'{words}' leaves the picture"
        for other, there, its_size in boxes[:i]:
            if not apart(corners, there, 2 * AROUND * min(size, its_size)):
                yield f"'{other}' and '{words}' touch"


def main():
    path = found_font()
    if not path:
        print("skipped: needs the font DejaVu Sans (Debian: fonts-dejavu-core)")
        return 77
    font, count = Font(path), 0
    for name in sys.argv[1:]:
        for fault in faults_of(Path(name).read_text(), font):
            print(f"{name}: {fault}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
