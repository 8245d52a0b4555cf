"""Operations of ranks as flat arrays: sends, receives, calculations, and their dependencies.

A schedule is a graph in the sense of GOAL (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, ICPP 2009):
operations of one rank depend on each other, messages join ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.messages.state import ANY, CALC, KIND_NAMES, PROBE, RECV, SEND

__all__ = ["ANY", "CALC", "KIND_NAMES", "PROBE", "RECV", "SEND", "Operations", "Row", "Schedule", "Whole"]

Row = tuple[int, int, int, int, Sequence[int]]
"""Kind, peer, size, tag, and the numbers of the operations for whose end it waits."""


@dataclass(frozen=True, eq=False)
class Operations:
    """Operations of one rank, in the order in which it issues them.

    Operations of a rank are numbered from 0 over all of its blocks.

    Attributes
    ----------
    kind : array of int8 [n]
        `SEND`, `RECV` or `CALC`.
    peer : array of int64 [n]
        Destination of a send, source of a receive or `ANY`; 0 for a calculation.
    size : array of int64 [n]
        Bytes; nanoseconds for a calculation. A receive gets as many bytes as were sent.
    tag : array of int64 [n]
        At least 0; a receive may have `ANY`.
    cpu, nic : array of int16 [n]
        CPU of the rank that the operation occupies, and network interface that sends its message.
    first : array of int64 [n + 1]
        Operation k waits for `requires[first[k] : first[k + 1]]`.
    requires : array of int64 [m]
        Numbers of operations of the same rank.
    on_start : array of bool [m]
        Whether it waits for the start of that operation (`irequires`) instead of its end.
    """

    kind: NDArray[np.int8]
    peer: NDArray[np.int64]
    size: NDArray[np.int64]
    tag: NDArray[np.int64]
    cpu: NDArray[np.int16]
    nic: NDArray[np.int16]
    first: NDArray[np.int64]
    requires: NDArray[np.int64]
    on_start: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.kind)

    @classmethod
    def build(cls, rows: Iterable[Row]) -> Operations:
        """Return operations given one by one, on CPU and interface 0."""
        listed = list(rows)
        counts = [len(row[4]) for row in listed]
        requires = np.array([number for row in listed for number in row[4]], np.int64)
        columns = np.array([row[:4] for row in listed], np.int64).reshape(len(listed), 4)
        zeros = np.zeros(len(listed), np.int16)
        return cls(
            kind=columns[:, 0].astype(np.int8),
            peer=columns[:, 1].copy(),
            size=columns[:, 2].copy(),
            tag=columns[:, 3].copy(),
            cpu=zeros,
            nic=zeros.copy(),
            first=np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64),
            requires=requires,
            on_start=np.zeros(len(requires), np.bool_),
        )

    def check(self, ranks: int, what: str) -> None:
        """Refuse values that the compiled code does not check.

        Raises
        ------
        TsujiError
            If a value is not allowed; the message names operation, value and what is allowed.
        """
        communicates = self.kind != CALC
        wildcard = self.kind == RECV
        bounds = (
            ("kind", self.kind, (self.kind >= SEND) & (self.kind <= CALC), "SEND, RECV or CALC"),
            ("size", self.size, self.size >= 0, "at least 0"),
            (
                "peer",
                self.peer,
                ~communicates | (self.peer < ranks) & ((self.peer >= 0) | (self.peer == ANY) & wildcard),
                f"a rank from 0 to {ranks - 1}",
            ),
            ("tag", self.tag, (self.tag >= 0) | (self.tag == ANY) & wildcard, "at least 0"),
            ("cpu", self.cpu, self.cpu >= 0, "at least 0"),
            ("nic", self.nic, self.nic >= 0, "at least 0"),
        )
        for name, values, good, allowed in bounds:
            if not good.all():
                k = int(np.argmin(good))
                raise TsujiError(f"{what}: operation {k}: {name} = {values[k]}: must be {allowed}")


class Schedule(Protocol):
    """Operations of ranks that are known before they run.

    Attributes
    ----------
    ranks : int
        Number of ranks.
    whole : bool
        Whether each rank is one block, in which an operation may wait for a later one. Otherwise blocks are read when
        the earlier operations are nearly done, and an operation waits only for earlier ones.
    cpus : int
        Most CPUs that the operations of a rank name.
    nics : int
        Most network interfaces that they name.
    total : int or None
        Operations of all ranks, None if unknown.
    size, read : int
        Bytes of its files, and bytes read so far; 0 if `total` is known.
    source : str
        File name for messages.
    """

    @property
    def ranks(self) -> int:
        """Number of ranks."""

    @property
    def whole(self) -> bool:
        """Whether each rank is one block."""

    @property
    def cpus(self) -> int:
        """CPUs per rank."""

    @property
    def nics(self) -> int:
        """Network interfaces per rank."""

    @property
    def total(self) -> int | None:
        """Operations of all ranks."""

    @property
    def size(self) -> int:
        """Bytes of files."""

    @property
    def read(self) -> int:
        """Bytes of files read so far."""

    @property
    def source(self) -> str:
        """The file."""

    def blocks(self, rank: int) -> Iterator[Operations]:
        """Yield the operations of a rank, in order."""
        ...


@dataclass(frozen=True, eq=False)
class Whole:
    """A schedule in memory.

    Attributes
    ----------
    operations : list of Operations
        Operations of each rank.
    source : str
        Origin, for messages.
    """

    operations: list[Operations]
    source: str = "schedule"

    whole = True
    size = read = 0

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.operations)

    @property
    def cpus(self) -> int:
        """CPUs per rank."""
        return 1 + max((int(each.cpu.max(initial=0)) for each in self.operations), default=0)

    @property
    def nics(self) -> int:
        """Network interfaces per rank."""
        return 1 + max((int(each.nic.max(initial=0)) for each in self.operations), default=0)

    @property
    def total(self) -> int:
        """Operations of all ranks."""
        return sum(map(len, self.operations))

    def blocks(self, rank: int) -> Iterator[Operations]:
        """Yield the operations of a rank."""
        yield self.operations[rank]


def folder_or_file(path: Path) -> Path:
    """Return the path if it exists.

    Raises
    ------
    TsujiError
        If it does not.
    """
    if not path.exists():
        raise TsujiError(f"{path}: no such file")
    return path
