"""Lists of packets at given cycles as schedules: lines `<cycle> <src> <dst> <bytes>`, or columns in CSV or Parquet.

A node sends its packets in the order of their cycles, none before its cycle, independently of other packets: an open
loop. The list is read as a whole and kept as columns. Times become calculations, so `workload.compute_scale` scales
them, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.quoted import quoted
from sim.schedule.operations import CALC, RECV, SEND, Operations

COLUMNS = ("cycle", "src", "dst", "bytes")
BLOCK = 2048  # packets of a block
SUFFIXES = (".packets", ".csv", ".parquet")
TIMER = 1  # a CPU that only counts time, so that receiving does not delay sending
_MOST = 1 << 53


class PacketList:
    """A list of packets as a schedule, one rank per node.

    Parameters
    ----------
    path : Path
        Text (`#` begins a comment), `.csv` or `.parquet`.
    cycle_ns : float
        Length of a cycle of the list, nanoseconds.
    ranks : int or None
        Number of nodes; None: as many as the list names.

    Raises
    ------
    TsujiError
        If a line or row is invalid; the message says what was expected.
    """

    whole = False
    cpus = 1 + TIMER
    nics = 1

    def __init__(self, path: Path, cycle_ns: float = 1.0, ranks: int | None = None) -> None:
        if not cycle_ns > 0:
            raise TsujiError(f"cycle_ns = {cycle_ns}: must be above 0")
        self.source = str(path)
        if not path.is_file():
            raise TsujiError(f"{path}: no such file")
        cycle, src, dst, size = _columns(path)
        most = int(max(src.max(initial=0), dst.max(initial=0))) + 1
        if ranks is not None and most > ranks:
            raise TsujiError(f"{path}: node {most - 1}: expected nodes from 0 to {ranks - 1}")
        self.ranks = ranks or most
        order = np.lexsort((np.arange(len(cycle)), cycle))
        self._time = np.rint(cycle[order] * cycle_ns).astype(np.int64)
        self._src, self._dst, self._size = src[order], dst[order], size[order]
        self.total: int | None = None
        self.read = 0
        self.size = 3 * len(order)

    def blocks(self, rank: int) -> Iterator[Operations]:
        """Yield a rank's operations: its sends, each after a calculation until its cycle, and its receives.

        The calculations act as a clock, on a CPU of their own. All receives come first.
        """
        sent, received = np.flatnonzero(self._src == rank), np.flatnonzero(self._dst == rank)
        wait = np.diff(self._time[sent], prepend=0)
        count = 0
        for begin in range(0, len(received), BLOCK):
            part = received[begin : begin + BLOCK]
            yield _block(np.full(len(part), RECV), self._src[part], self._size[part] * 0, part, None)
            count += len(part)
            self.read += len(part)
        for begin in range(0, len(sent), BLOCK):
            part = sent[begin : begin + BLOCK]
            kinds = np.tile([CALC, SEND], len(part))
            peers = np.stack([self._dst[part] * 0, self._dst[part]], 1).ravel()
            sizes = np.stack([wait[begin : begin + BLOCK], self._size[part]], 1).ravel()
            # Each calculation waits for the previous one; the message waits for the calculation.
            numbers = np.arange(count, count + 2 * len(part)).reshape(-1, 2)
            requires = np.stack([numbers[:, 0] - 2, numbers[:, 0]], 1).ravel()
            first = np.arange(2 * len(part) + 1)
            if begin == 0 and len(part):
                requires, first = requires[1:], np.maximum(first - 1, 0)
            yield _block(kinds, peers, sizes, np.repeat(part, 2), (first, requires))
            count += 2 * len(part)
            self.read += 2 * len(part)


def _block(
    kinds: NDArray[Any],
    peers: NDArray[np.int64],
    sizes: NDArray[np.int64],
    tags: NDArray[np.int64],
    edges: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
) -> Operations:
    first, requires = edges or (np.zeros(len(kinds) + 1, np.int64), np.zeros(0, np.int64))
    return Operations(
        kind=kinds.astype(np.int8),
        peer=peers.astype(np.int64),
        size=sizes.astype(np.int64),
        tag=tags.astype(np.int64) & 0x7FFFFFFF,
        cpu=np.where(kinds == CALC, TIMER, 0).astype(np.int16),
        nic=np.zeros(len(kinds), np.int16),
        first=first,
        requires=requires,
        on_start=np.zeros(len(requires), np.bool_),
    )


def _columns(path: Path) -> list[NDArray[np.int64]]:
    """Return the four columns of a list."""
    if path.suffix in (".csv", ".parquet"):
        try:
            table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
        except (ValueError, OSError, pd.errors.ParserError) as error:
            raise TsujiError(f"{path}: cannot be read ({error}); expected columns {', '.join(COLUMNS)}") from error
        missing = [name for name in COLUMNS if name not in table]
        if missing:
            raise TsujiError(f"{path}: no column {missing[0]}; expected {', '.join(COLUMNS)}")
        begin = 2 if path.suffix == ".csv" else 0
        return [_whole(path, table[name], name, begin) for name in COLUMNS]
    rows: list[tuple[int, ...]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        try:
            row = tuple(map(int, fields))
        except ValueError:
            row = ()
        if len(row) != len(COLUMNS) or min(row) < 0 or max(row) >= _MOST:
            raise TsujiError(
                f"{path}:{number}: `{quoted(line.strip())}`: expected `<cycle> <src> <dst> <bytes>`, at least 0"
            )
        rows.append(row)
    return list(np.array(rows, np.int64).reshape(len(rows), len(COLUMNS)).T)


def _whole(path: Path, column: pd.Series[Any], name: str, begin: int) -> NDArray[np.int64]:
    """Return a column of whole numbers."""
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    good = (numbers >= 0) & (numbers < _MOST) & (numbers == np.floor(numbers))
    if not good.all():
        row = int(np.argmin(good))
        place = f"{path}:{row + begin}" if begin else f"{path}: row {row}"
        value = column.iloc[row]
        said = f"{name} is missing" if pd.isna(value) else f"{name} = {value}"
        raise TsujiError(f"{place}: {said}: expected a whole number of at least 0")
    return np.asarray(numbers, np.int64)
