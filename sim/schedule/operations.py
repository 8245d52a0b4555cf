"""Operations of ranks as flat arrays: send, receive, calculate, and which waits for which.

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
"""Kind, peer, size, tag, and the numbers of operations whose end it waits for."""


@dataclass(frozen=True, eq=False)
class Operations:
    """Operations of one rank, in the order in which it issues them.

    Operations of a rank are numbered from 0 over all of its blocks.

    Attributes
    ----------
    kind : array of int8 [n]
        `SEND`, `RECV` or `CALC`.
    peer : array of int64 [n]
        Rank that a message goes to or comes from; `ANY` of a receive: whoever; of a calculation 0.
    size : array of int64 [n]
        Bytes; of a calculation nanoseconds. A receive gets as many bytes as were sent.
    tag : array of int64 [n]
        At least 0; `ANY` of a receive: whatever.
    cpu, nic : array of int16 [n]
        Which of its rank's CPUs an operation keeps busy, and which network interface its message leaves by.
    first : array of int64 [n + 1]
        Operation k waits for `requires[first[k] : first[k + 1]]`.
    requires : array of int64 [m]
        Numbers of operations of the same rank.
    on_start : array of bool [m]
        Whether it waits for the start of that operation only (`irequires`), not for its end.
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
        """Refuse what compiled code must not see.

        Raises
        ------
        TsujiError
            Naming the operation, its value and what is allowed.
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
    """What ranks do, known before it runs.

    Attributes
    ----------
    ranks : int
        Their number.
    whole : bool
        Whether each rank is one block, in which an operation may wait for a later one; else blocks are read when the
        operations before are nearly done, and an operation waits for earlier ones only.
    cpus : int
        CPUs that operations name, at most, a rank.
    nics : int
        Network interfaces likewise.
    total : int or None
        Operations of all ranks, where that is known.
    size, read : int
        Bytes of its files, and those read so far; where `total` is known, 0.
    source : str
        For messages: the file.
    """

    @property
    def ranks(self) -> int:
        """Number of ranks."""

    @property
    def whole(self) -> bool:
        """Whether each rank is one block."""

    @property
    def cpus(self) -> int:
        """CPUs a rank."""

    @property
    def nics(self) -> int:
        """Network interfaces a rank."""

    @property
    def total(self) -> int | None:
        """Operations of all ranks."""

    @property
    def size(self) -> int:
        """Bytes of files."""

    @property
    def read(self) -> int:
        """Bytes read of them."""

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
        Of each rank.
    source : str
        Where it is from.
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
        """CPUs a rank."""
        return 1 + max((int(each.cpu.max(initial=0)) for each in self.operations), default=0)

    @property
    def nics(self) -> int:
        """Network interfaces a rank."""
        return 1 + max((int(each.nic.max(initial=0)) for each in self.operations), default=0)

    @property
    def total(self) -> int:
        """Operations of all ranks."""
        return sum(map(len, self.operations))

    def blocks(self, rank: int) -> Iterator[Operations]:
        """Yield the operations of a rank."""
        yield self.operations[rank]


def folder_or_file(path: Path) -> Path:
    """Return the path if there is anything.

    Raises
    ------
    TsujiError
        If not.
    """
    if not path.exists():
        raise TsujiError(f"{path}: no such file")
    return path
