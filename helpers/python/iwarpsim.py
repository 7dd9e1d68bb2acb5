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
"""

import csv
import json
import re
from pathlib import Path

__all__ = ["Table", "costs", "flows", "links", "manifest", "messages", "results", "summary", "workloads"]

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
    """messages.csv, of `run --messages`: one row per message, with the times of its life."""
    return _read(folder, "messages.csv")


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


def _read(folder, name):
    path = Path(folder) / name
    if not path.exists():
        raise FileNotFoundError(_why_missing(path))
    with open(path, newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file)
    for number, row in enumerate(rows, 2):
        if len(row) != len(columns):
            raise ValueError(f"{path}:{number}: {len(row)} cells where the first line names {len(columns)} columns")
    typed = [_typed(column, cells) for column, cells in zip(columns, zip(*rows))]
    units, definitions = _described(Path(folder) / "columns.tsv", name)
    return Table((dict(zip(columns, row)) for row in zip(*typed)), columns, {c: units.get(c, "") for c in columns}, {c: definitions.get(c, "") for c in columns})


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
    own = "" if name == "results.csv" else name + " "
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            column, unit, definition = (line.split("\t") + ["", ""])[:3]
            shared = " " not in column  # a swept key or a column of results.csv
            if column.startswith(own) or shared:
                column = column[len(own):] if column.startswith(own) else column
                units[column], definitions[column] = unit, definition
    return units, definitions
