# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a folder of results: typed rows, and the unit and definition of every column. Needs the standard library only.

    from iwarpsim import results
    runs = results("results/window")
    for run in runs:                            # a row is a dict
        print(run["topology.delay"], run["steady_gbps"])
    runs.units["topology.delay"]                # 'us'
    runs.definitions["steady_gbps"]             # 'rate of placement over the second half of the octets; ...'
    runs.column("goodput_gbps")                 # a list
    runs.frame()                                # a pandas.DataFrame, where pandas is installed; units in .attrs["units"]

A cell is an int, a float, True or False, text, or None where the value is undefined (an empty cell). All cells of a column
are of one type: a column with one fraction in it is a column of floats. `point`, `scenario` and `status` are always text.

    python3 iwarpsim.py FILE.cols > FILE.csv    # of `run --columns`: the CSV that the run would have written
"""

import csv
import io
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

__all__ = ["Table", "columns", "costs", "flows", "links", "manifest", "messages", "results", "summary", "trace", "workloads"]

TEXT = {"point", "scenario", "status", "op", "column", "warning", "mean_method", "median_method", "unit", "workload", "kind"}
INTEGER = re.compile(r"-?\d+")


class Table(list):
    """Rows (dicts), in the order of the file; `columns`, `units` and `definitions` by column."""

    def __init__(self, rows, columns, units, definitions):
        super().__init__(rows)
        self.columns, self.units, self.definitions = columns, units, definitions

    def column(self, name):
        """The cells of one column, from the first row to the last."""
        if name not in self.columns:
            raise KeyError(f"{name} is not a column; there are {', '.join(self.columns)}")
        return [row[name] for row in self]

    def where(self, **cells):
        """The rows whose cells are these; write __ for a dot: where(rnic__receive="place")."""
        wanted = {name.replace("__", "."): value for name, value in cells.items()}
        for name in wanted:
            self.column(name)
        return self._like(row for row in self if all(row[name] == value for name, value in wanted.items()))

    def frame(self):
        """The same as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("frame() needs pandas (Debian: python3-pandas)") from error
        frame = pandas.DataFrame(list(self), columns=self.columns)
        frame.attrs["units"] = dict(self.units)
        return frame

    def _like(self, rows):
        return Table(rows, self.columns, self.units, self.definitions)


def results(folder, only_ok=False):
    """results.csv: one row per point and repeat. `only_ok` leaves out rows whose status is not ok, as summaries and figures do."""
    table = _read(folder, "results.csv")
    return table.where(status="ok") if only_ok else table


def summary(folder):
    """summary.csv: mean and median of each column over the repeats of a point, with their 95 % intervals."""
    return _read(folder, "summary.csv")


def messages(folder):
    """messages.csv or messages.cols, of `run --messages`: one row per message, with the times of its life."""
    return _read(folder, "messages.csv")


def trace(folder, name="all-r0"):
    """trace/NAME.csv or trace/NAME.cols, of `run --trace`: one row per event. The name is that of a point, as results.csv has it, and "-r" and its repeat."""
    return _read(folder, f"trace/{name}.csv")


def links(folder):
    """links.csv, of `run --links`: what every link carried, dropped and marked."""
    return _read(folder, "links.csv")


def flows(folder):
    """flows.csv, of `run --flows`: the links, octets, goodput, retransmissions and losses of every connection."""
    return _read(folder, "flows.csv")


def workloads(folder):
    """workloads.csv, of a scenario with `workloads:`: one row per point, repeat and workload."""
    return _read(folder, "workloads.csv")


def costs(folder):
    """costs.csv: CPU time, memory and events of each run."""
    return _read(folder, "costs.csv")


def manifest(folder):
    """manifest.json as a dict: versions, command, the whole scenario with its defaults."""
    with open(Path(folder) / "manifest.json", encoding="utf-8") as file:
        return json.load(file)


def columns(path):
    """The text of a file of columns (`run --columns`) as CSV. helpers/base/columns.h says how it is laid out; needs `zstd`."""
    path = Path(path)
    octets = path.read_bytes()
    if not octets.startswith(b"iwcols 1\n"):
        raise ValueError(f"{path} is not a file of columns")
    try:
        return _csv_of(octets)
    except (IndexError, KeyError, ValueError, struct.error) as error:
        raise ValueError(f"{path} is damaged or cut") from error


def _csv_of(octets):
    head, at = octets[9:octets.index(b"\n", 9)].decode().split(","), octets.index(b"\n", 9) + 1
    blocks, squeezed = [], b""
    while True:
        rows, stored, size = struct.unpack_from("<III", octets, at)
        at += 12
        if not rows:
            break
        if stored > len(octets) - at:
            raise ValueError("a block is cut")
        blocks.append((rows, size, None if stored < size else octets[at:at + stored]))
        squeezed += octets[at:at + stored] if stored < size else b""
        at += stored
    if at != len(octets):
        raise ValueError("there is something behind the last block")
    frames = subprocess.run(["zstd", "-dcq"], input=squeezed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False) if squeezed else None
    if frames and frames.returncode:
        raise ValueError("zstd cannot read it")
    lines, used = [",".join(column.split(":", 1)[1] for column in head)], 0
    for rows, size, plain in blocks:
        block, used = (plain, used) if plain is not None else (frames.stdout[used:used + size], used + size)
        lines += _rows_of(block, rows, [column[0] for column in head])
    return "\n".join(lines) + "\n"


def _rows_of(block, rows, kinds):
    cells, at = [], 0
    for kind in kinds:
        (size,) = struct.unpack_from("<I", block, at)
        cells.append(_COLUMN[kind](kind, block[at + 4:at + 4 + size], rows))
        at += 4 + size
    if at != len(block):
        raise ValueError("the columns do not fill their block")
    return map(",".join, zip(*cells))


def _leb(octets, at):
    number = shift = 0
    while octets[at] & 0x80:
        number |= (octets[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
    return number | octets[at] << shift, at + 1


def _numbers(kind, octets, rows):
    cells, number, at = [], 0, 0
    show = {"n": str, "x": "0x{:08x}".format, "u": lambda n: f"{n // 1000000}.{n % 1000000:06}".rstrip("0").rstrip(".")}[kind]
    for _ in range(rows):
        step, at = _leb(octets, at)
        number = (number + (step >> 1 ^ -(step & 1))) % 2 ** 64
        cells.append(show(number - 1) if number else "")
    if at != len(octets):
        raise ValueError("a column has values of no row")
    return cells


def _texts(kind, octets, rows):
    cells, texts, at = [], [None, ""], 0
    for _ in range(rows):
        number, at = _leb(octets, at)
        if not number:
            size, at = _leb(octets, at)
            text, at, number = octets[at:at + size], at + size, len(texts)
            texts.append(text.hex() if kind == "h" else _cell(text.decode()) if kind == "t" else text.decode())
        cells.append(texts[number])
    if at != len(octets):
        raise ValueError("a column has values of no row")
    return cells


def _cell(text):
    text = "'" + text if text[0] in "=+-@" else text
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


_COLUMN = {"n": _numbers, "x": _numbers, "u": _numbers, "t": _texts, "w": _texts, "h": _texts}


def _read(folder, name):
    path = Path(folder) / name
    if not path.exists() and path.with_suffix(".cols").exists():
        file = io.StringIO(columns(path.with_suffix(".cols")), newline="")
    elif not path.exists():
        raise FileNotFoundError(_why_missing(path))
    else:
        file = open(path, newline="", encoding="utf-8")
    with file:
        names, *rows = csv.reader(file)
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise ValueError(f"{path}:{number}: {len(row)} cells where the first line names {len(names)} columns")
    typed = [_typed(column, cells) for column, cells in zip(names, zip(*rows))]
    units, definitions = _described(Path(folder) / "columns.tsv", name)
    return Table((dict(zip(names, row)) for row in zip(*typed)), names, {c: units.get(c, "") for c in names}, {c: definitions.get(c, "") for c in names})


def _why_missing(path):
    if path.with_name("results.partial.csv").exists():
        return f"{path} is not there yet: the run has not ended; the same `iwarpsim run` resumes it"
    if path.name == "workloads.csv":
        return f"{path} is missing: its scenario has one workload, and results.csv says all of it"
    asks = {"messages.csv": "run --messages", "links.csv": "run --links", "flows.csv": "run --flows"}.get(path.name)
    return f"{path} is missing" + (f": `iwarpsim {asks}` writes it" if asks else ": is this a folder of results?")


def _typed(column, cells):
    """The cells of a column as the narrowest type that fits all of them."""
    given = [c for c in cells if c]
    if column in TEXT or not given:
        as_type = str
    elif all(c in ("true", "false") for c in given):
        as_type = "true".__eq__
    elif all(map(INTEGER.fullmatch, given)):
        as_type = int
    else:
        as_type = float if all(map(_is_number, given)) else str
    return [as_type(c) if c else None for c in cells]


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


# A row of columns.tsv is named NAME for results.csv, FILE NAME for another file, which has columns of results.csv, too.
def _described(path, name):
    units, definitions = {}, {}
    if not path.exists():
        return units, definitions
    own = "" if name == "results.csv" else "trace " if name.startswith("trace/") else name + " "
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            column, unit, definition = (line.split("\t") + ["", ""])[:3]
            shared = " " not in column  # a swept key or a column of results.csv
            if column.startswith(own) or shared:
                column = column[len(own):] if column.startswith(own) else column
                units[column], definitions[column] = unit, definition
    return units, definitions


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: iwarpsim.py FILE.cols: writes it as CSV")
    try:
        sys.stdout.write(columns(sys.argv[1]))
    except (OSError, ValueError) as problem:
        sys.exit(f"iwarpsim.py: {problem}")
