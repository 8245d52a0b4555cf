"""GOAL schedules in binary form, as LogGOPSim's `txt2bin` writes them (`SerializedGraph` in its Parser.hpp).

All numbers are little-endian, without padding:

    u64 4223 · u32 ranks · u8 largest CPU · u8 largest interface · for each rank u64 begin, u64 end
    for each rank: u32 n · u32 roots · roots × u32 · n × operation · u32 numbers of operations

`begin` and `end` count from the byte after the first u64. An operation names the operations that wait for it: for its
end and for its start by their count and their first place among the numbers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.files.compressed import ERRORS, first_bytes, open_plain
from sim.schedule.goal import MOST_PLACES, MOST_RANKS, MOST_TIME
from sim.schedule.operations import ANY, CALC, RECV, SEND, Operations, Whole

MAGIC = 4223
USED_UP = 2342
"""In place of `MAGIC` after a run of LogGOPSim that saved memory, which writes into the schedule."""
OPERATION = np.dtype(
    [
        ("waits_for", "<u4"),
        ("kind", "i1"),
        ("peer", "<u4"),
        ("size", "<u8"),
        ("tag", "<u4"),
        ("cpu", "u1"),
        ("nic", "u1"),
        ("ends", "<u4"),
        ("first_end", "<u4"),
        ("starts", "<u4"),
        ("first_start", "<u4"),
    ]
)
_BASE, _TABLE, _HEAD = 8, 14, 8  # bytes before what offsets count from, before the table of ranks, of a rank's counts
_KINDS = {1: SEND, 2: RECV, 3: CALC}
_ANY = 0xFFFFFFFF


def is_binary_goal(path: Path) -> bool:
    """Return whether a file, which may be compressed, is a binary schedule."""
    return int.from_bytes(first_bytes(path, 8).ljust(8, b"\xff"), "little") in (MAGIC, USED_UP)


def read_binary_goal(path: Path) -> Whole:
    """Return the schedule of a binary GOAL file, read as a whole.

    Raises
    ------
    TsujiError
        If the file is damaged; the message says at which byte.
    """
    try:
        with open_plain(path) as stream:
            data = stream.read()
    except ERRORS as error:
        raise TsujiError(f"{path}: cannot be read: {error}") from error
    return _Reader(path, data).read()


class _Reader:
    """Reads one file."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._data = data
        self._ranks = 0

    def read(self) -> Whole:
        """Return what the bytes say."""
        if int(self._numbers(0, 1, "<u8")[0]) == USED_UP:
            raise self._refusal(0, "used up by LogGOPSim --save-mem: expected a schedule that txt2bin wrote anew")
        self._ranks = int(self._numbers(_BASE, 1, "<u4")[0])
        if not 1 <= self._ranks <= MOST_RANKS:
            raise self._refusal(_BASE, f"{self._ranks} ranks: expected 1 to {MOST_RANKS}")
        bounds = self._numbers(_TABLE, 2 * self._ranks, "<u8").reshape(-1, 2)
        return Whole([self._rank(rank, *map(int, bounds[rank])) for rank in range(self._ranks)], str(self._path))

    def _refusal(self, place: int, text: str) -> TsujiError:
        return TsujiError(f"{self._path}: byte {place}: {text}")

    def _numbers(self, place: int, count: int, kind: str | np.dtype[np.void]) -> NDArray[np.void]:
        """Return an array that begins at a byte."""
        dtype = np.dtype(kind)
        if place + count * dtype.itemsize > len(self._data):
            raise self._refusal(place, f"{count * dtype.itemsize} bytes from here: the file has {len(self._data)}")
        found: NDArray[np.void] = np.frombuffer(self._data, dtype, count, place)
        return found

    def _rank(self, rank: int, begin: int, end: int) -> Operations:
        """Return the operations of a rank."""
        place, last = _BASE + begin, _BASE + end
        if not _TABLE + 16 * self._ranks <= place <= last <= len(self._data):
            raise self._refusal(_TABLE + 16 * rank, f"rank {rank} from byte {place} to {last}: not within the file")
        count, roots = map(int, self._numbers(place, 2, "<u4"))
        first = place + _HEAD + 4 * roots
        behind = first + OPERATION.itemsize * count
        if behind > last:
            raise self._refusal(place, f"{count} operations and {roots} roots: more than rank {rank} has bytes")
        operations = self._numbers(first, count, OPERATION)
        numbers = self._numbers(behind, (last - behind) // 4, "<u4").astype(np.int64)
        total = sum(int(operations[name].sum(dtype=np.int64)) for name in ("ends", "starts"))
        if total != len(numbers):
            other = "this is not the layout of LogGOPSim's txt2bin; LogGOPSim2 has further fields"
            raise self._refusal(first, f"{total} operations that wait: {len(numbers)} are named; {other}")
        self._check(operations, first)
        return self._operations(operations, *self._edges(operations, numbers, first))

    def _check(self, operations: NDArray[np.void], first: int) -> None:
        """Refuse values that no operation has."""
        kind = operations["kind"]
        messages, receives = kind != 3, kind == 2
        wild = receives & (operations["peer"] == _ANY)
        peer = ~messages | wild | (operations["peer"] < self._ranks)
        tag = ~messages | receives | (operations["tag"] != _ANY)
        for name, good, allowed in (
            ("kind", (kind >= 1) & (kind <= 3), "1 (send), 2 (receive) or 3 (calculation)"),
            ("peer", peer, f"a rank from 0 to {self._ranks - 1}"),
            ("size", operations["size"] <= MOST_TIME, f"at most {MOST_TIME}"),
            ("tag", tag, "a tag, as it is a send"),
            ("cpu", operations["cpu"] < MOST_PLACES, f"below {MOST_PLACES}"),
            ("nic", operations["nic"] < MOST_PLACES, f"below {MOST_PLACES}"),
        ):
            if not good.all():
                k = int(np.argmin(good))
                place = first + OPERATION.itemsize * k
                raise self._refusal(place, f"operation {k}: {name} = {operations[name][k]}: expected {allowed}")

    def _edges(
        self, operations: NDArray[np.void], numbers: NDArray[np.int64], first: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return who waits, for whom, and whether for its start; sorted by who waits."""
        count = len(operations)
        parts = []
        for name, begin in (("ends", "first_end"), ("starts", "first_start")):
            many, start = (operations[key].astype(np.int64) for key in (name, begin))
            bad = (many > 0) & (start + many > len(numbers))
            if bad.any():
                k = int(np.argmax(bad))
                place = first + OPERATION.itemsize * k
                raise self._refusal(place, f"operation {k}: {name} {many[k]} from {start[k]}: more than there are")
            required = np.repeat(np.arange(count), many)
            place_of = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many - start, many)
            parts.append((numbers[place_of], required, np.full(len(required), name == "starts")))
        waits, required, on_start = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        if (waits >= count).any():
            place = first + OPERATION.itemsize * int(required[np.argmax(waits >= count)])
            raise self._refusal(place, f"operation {waits.max()} waits: expected operations below {count}")
        wrong = np.bincount(waits, minlength=count) != operations["waits_for"]
        if wrong.any():
            k = int(np.argmax(wrong))
            place = first + OPERATION.itemsize * k
            raise self._refusal(place, f"operation {k} waits for {operations['waits_for'][k]}: others say otherwise")
        order = np.argsort(waits, kind="stable")
        return waits[order], required[order], on_start[order]

    def _operations(
        self,
        operations: NDArray[np.void],
        waits: NDArray[np.int64],
        required: NDArray[np.int64],
        on_start: NDArray[np.bool_],
    ) -> Operations:
        """Return operations as arrays."""
        kind = np.array([0, *_KINDS.values()], np.int8)[operations["kind"]]
        messages = kind != CALC
        columns = {name: operations[name].astype(np.int64) for name in ("peer", "tag")}
        for column in columns.values():
            column[column == _ANY] = ANY
            column[~messages] = 0
        counts = np.bincount(waits, minlength=len(operations))
        return Operations(
            kind=kind,
            peer=columns["peer"],
            size=operations["size"].astype(np.int64),
            tag=columns["tag"],
            cpu=operations["cpu"].astype(np.int16),
            nic=operations["nic"].astype(np.int16),
            first=np.concatenate(([0], np.cumsum(counts))),
            requires=required,
            on_start=on_start,
        )
