"""Reads traffic tables: the matrix of rates between nodes, or one line for each pair, also in noxim's format."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.topology.base import Int64

NAMES = {
    "source": ("source", "src", "from", "sender"),
    "destination": ("destination", "dest", "dst", "to", "target", "receiver"),
    "weight": ("weight", "rate", "pir", "load", "traffic", "demand", "bandwidth", "volume", "bytes", "value"),
    "size": ("size", "packet_size", "flits"),
    "por": ("por",),
    "t_on": ("t_on",),
    "t_off": ("t_off",),
    "t_period": ("t_period",),
}
"""Names of columns by their meaning; of several for one meaning, the first of these counts."""
MOST_FLITS = 65536
_LIST = ("source", "destination", "weight", "size")
_NOXIM = ("source", "destination", "weight", "por", "t_on", "t_off", "t_period")
_FORMATS = (
    "a row has a weight for each of the {nodes} nodes, or every line is `source destination [weight [size]]`, or in "
    "noxim's format"
)


class Row(NamedTuple):
    """A line of a table: its place for messages, and its words."""

    place: str
    words: list[str]


class TrafficTable(NamedTuple):
    """Traffic between pairs of nodes; pairs may be repeated.

    Attributes
    ----------
    source, destination : array of int64 [n]
        Nodes.
    weight : array of float64 [n]
        Relative rates of packets, each above 0.
    size : array of int64 [n] or None
        Flits of the packets; None: the table has no sizes.
    """

    source: Int64
    destination: Int64
    weight: NDArray[np.float64]
    size: Int64 | None

    def weights(self, nodes: int) -> NDArray[np.float64]:
        """Return the weights of all pairs [source, destination]."""
        found = np.zeros((nodes, nodes))
        np.add.at(found, (self.source, self.destination), self.weight)
        return found


def read_table(path: Path, nodes: int) -> TrafficTable:
    """Return the traffic of a file, some of it between two nodes.

    The file is a matrix of N rows of N weights, possibly with names of rows and columns; or each line is `source
    destination [weight [size]]`, possibly below a line with the names of the columns, or one of noxim's traffic table,
    `source destination [pir [por [t_on [t_off [t_period]]]]]`. N rows of N numbers are a matrix. Commas, semicolons or
    blanks separate the numbers; `#` and `%` begin comments.

    Raises
    ------
    TsujiError
        If the file is invalid; the message names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise TsujiError(f"traffic.matrix: {path}: cannot be read: {reason}") from error
    if text.startswith("%%MatrixMarket"):
        raise TsujiError(
            f"traffic.matrix: {path}:1: Matrix Market numbers nodes from 1; write lines `source destination weight`, "
            "from 0"
        )
    rows = [
        Row(f"traffic.matrix: {path}:{number}", words)
        for number, line in enumerate(text.splitlines(), 1)
        if (words := _words(line))
    ]
    header = rows.pop(0) if rows and _is_header(rows, nodes) else None
    meanings = _meanings(header)
    matrix = meanings is None and _is_matrix(rows, header, nodes)
    table = _matrix(rows, header, nodes) if matrix else _list(path, rows, meanings, nodes)
    if not (table.weight[table.source != table.destination] > 0).any():
        raise TsujiError(f"traffic.matrix: {path}: no node has a weight above 0 to another; nobody would send anything")
    sent = table.weight > 0
    size = None if table.size is None else table.size[sent]
    return TrafficTable(table.source[sent], table.destination[sent], table.weight[sent], size)


def _words(line: str) -> list[str]:
    """Return the words of a line without comments; the first is empty where the line begins with a separator."""
    text = line.partition("#")[0].partition("%")[0].strip()
    words = [word.strip("\"'") for word in re.split(r"\s*[,;]\s*|\s+", text)] if text else []
    return words[:-1] if words[1:] and not words[-1] else words


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _is_header(rows: Sequence[Row], nodes: int) -> bool:
    """Return whether the first line has names of columns: words, or numbers of nodes above rows with one more word."""
    first = rows[0].words
    if first[0] == "" or not any(map(_is_number, first)):
        return True
    if not _is_number(first[0]) and len(first) == nodes + 1 == len(rows):
        return True
    return len(first) == nodes and len(rows) == nodes + 1 and all(len(row.words) == nodes + 1 for row in rows[1:])


def _meanings(header: Row | None) -> list[str] | None:
    """Return what the columns of a list mean; None: the header names no source and destination."""
    if header is None:
        return None
    words = [word.lower() for word in header.words]
    found = [""] * len(words)
    for meaning, names in NAMES.items():
        name = next((each for each in names if each in words), None)
        if name is not None and words.count(name) > 1:
            raise TsujiError(f"{header.place}: two columns {name}; leave one out")
        if name is not None:
            found[words.index(name)] = meaning
    return found if {"source", "destination"} <= set(found) else None


def _is_matrix(rows: Sequence[Row], header: Row | None, nodes: int) -> bool:
    """Return whether the lines are rows of a matrix; otherwise they are a list."""
    counts = {len(row.words) for row in rows}
    if header is not None:
        return counts <= {nodes, nodes + 1}
    named = bool(rows) and not any(_is_number(row.words[0]) for row in rows)
    return named or (counts == {nodes} and len(rows) == nodes) or not counts <= set(range(2, len(_NOXIM) + 1))


def _matrix(rows: list[Row], header: Row | None, nodes: int) -> TrafficTable:
    """Return the traffic of a matrix, with rows and columns in the order of their names."""
    named = bool(rows) and len(rows[0].words) == nodes + 1
    columns = _order(header.words[-nodes:], header.place, nodes) if header else None
    names = [row.words[0] for row in rows] if named else None
    weights = []
    for row in rows:
        words = row.words[1:] if named else row.words
        if len(words) != nodes:
            raise TsujiError(f"{row.place}: {len(words)} numbers; {_FORMATS.format(nodes=nodes)}")
        weights.append([_weight(row.place, word) for word in words])
    if len(rows) != nodes:
        place = rows[-1].place if rows else header.place if header else "traffic.matrix"
        raise TsujiError(f"{place}: {len(rows)} rows; there must be one for each of the {nodes} nodes")
    found = np.zeros((nodes, nodes))
    row_of = _rows_order(names, header, rows, nodes)
    found[np.ix_(row_of, range(nodes) if columns is None else columns)] = weights
    source, destination = np.indices((nodes, nodes)).reshape(2, -1)
    return TrafficTable(source, destination, found.ravel(), None)


def _order(names: Sequence[str], place: str, nodes: int) -> list[int]:
    """Return the nodes that names stand for: their numbers, if they are numbers from 0, else their order."""
    if len(names) != nodes:
        raise TsujiError(f"{place}: {len(names)} names; there must be one for each of the {nodes} nodes")
    if len(set(names)) < nodes:
        raise TsujiError(f"{place}: {next(name for name in names if names.count(name) > 1)!r} twice")
    if all(name.isdecimal() for name in names):
        numbers = [int(name) for name in names]
        if sorted(numbers) == list(range(nodes)):
            return numbers
    return list(range(nodes))


def _rows_order(names: list[str] | None, header: Row | None, rows: Sequence[Row], nodes: int) -> list[int]:
    """Return the node of each row: that of the column of the same name, if there are names."""
    if names is None:
        return list(range(nodes))
    if header is None:
        return _order(names, rows[0].place, nodes)
    columns = header.words[-nodes:]
    order = _order(columns, header.place, nodes)
    if len(set(names)) < nodes:
        _order(names, rows[0].place, nodes)
    found = []
    for row, name in zip(rows, names, strict=True):
        if name not in columns:
            raise TsujiError(f"{row.place}: row {name!r}: no column has this name")
        found.append(order[columns.index(name)])
    return found


def _list(path: Path, rows: list[Row], meanings: list[str] | None, nodes: int) -> TrafficTable:
    """Return the traffic of a list of pairs."""
    if not rows:
        raise TsujiError(f"traffic.matrix: {path}: 0 rows; {_FORMATS.format(nodes=nodes)}")
    noxim = meanings is None and any(len(row.words) > 4 or not _is_size(row.words) for row in rows)
    columns = meanings or list(_NOXIM if noxim else _LIST)
    noxim = noxim or not {"por", "t_off"}.isdisjoint(columns)
    told: dict[str, str] = {}  # places of lines of which not all is kept
    values: dict[str, list[float]] = {name: [] for name in _LIST}
    sized = [len(row.words) > columns.index("size") for row in rows] if "size" in columns else [False]
    for row in rows:
        if len(row.words) > len(columns):
            raise TsujiError(f"{row.place}: {len(row.words)} numbers; {_FORMATS.format(nodes=nodes)}")
        words = dict(zip(columns, row.words, strict=False))
        for name in ("source", "destination"):
            values[name].append(_node(row.place, words.get(name, ""), nodes))
        weight = _weight(row.place, words.get("weight", "1"))
        values["weight"].append(weight * _share_of_time(row.place, words, weight, told) if noxim else weight)
        if any(sized):
            values["size"].append(_size(row.place, words.get("size")))
    for text, place in told.items():
        warnings.warn(f"{place}: {text}", stacklevel=2)
    source, destination, size = (np.array(values[name], np.int64) for name in ("source", "destination", "size"))
    return TrafficTable(source, destination, np.array(values["weight"]), size if any(sized) else None)


def _is_size(words: Sequence[str]) -> bool:
    """Return whether a line's fourth number, if there is one, is a packet size and not a probability."""
    return len(words) < 4 or not _is_number(words[3]) or float(words[3]) >= 1


def _share_of_time(place: str, words: dict[str, str], pir: float, told: dict[str, str]) -> float:
    """Return the share of time in which a line of noxim's table sends; note the first line of which not all is kept."""
    if pir > 1:
        raise TsujiError(f"{place}: pir = {pir:g}: noxim's packet injection rate must be from 0 to 1")
    if _weight(place, words.get("por", words.get("weight", "1"))) != _weight(place, words.get("weight", "1")):
        told.setdefault("por is not used; packets are sent at the rate pir", place)
    on, off, period = (_weight(place, words.get(name, "0")) for name in ("t_on", "t_off", "t_period"))
    if "t_off" not in words:
        return 1.0
    if not on < off or ("t_period" in words and not off <= period):
        raise TsujiError(f"{place}: t_on = {on:g}, t_off = {off:g}, t_period = {period:g}: each must be above the last")
    told.setdefault("t_on and t_off only set the mean rate; packets are sent all the time", place)
    return (off - on) / period if "t_period" in words else 1.0


def _number(place: str, word: str, good: Callable[[float], bool], allowed: str) -> float:
    if not _is_number(word):
        raise TsujiError(f"{place}: {word!r} is not a number")
    value = float(word)
    if not good(value):
        raise TsujiError(f"{place}: {word}{allowed}")
    return value


def _is_whole(value: float, least: int, most: int) -> bool:
    return least <= value <= most and value.is_integer()


def _weight(place: str, word: str) -> float:
    return _number(place, word, lambda value: 0 <= value < 1e100, ": must be a number of at least 0")


def _node(place: str, word: str, nodes: int) -> float:
    return _number(
        place, word, lambda value: _is_whole(value, 0, nodes - 1), f" is no node; nodes are 0 to {nodes - 1}"
    )


def _size(place: str, word: str | None) -> float:
    if word is None:
        raise TsujiError(f"{place}: no size; every line must have one, or none")
    allowed = f": a packet has 1 to {MOST_FLITS} flits"
    return _number(place, word, lambda value: _is_whole(value, 1, MOST_FLITS), allowed)
