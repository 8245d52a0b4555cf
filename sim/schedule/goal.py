"""GOAL schedules in text form (Hoefler, Siebert, Lumsdaine, ICPP 2009; the dialect of LogGOPSim's `txt2bin`).

    num_ranks 2
    rank 0 {
    l1: calc 100
    l2: send 64b to 1 tag 7 cpu 0 nic 0
    l2 requires l1
    }

`irequires` waits for a start instead of an end; -1 is any source, or any tag. Comments are `/* … */` and `// …`.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from models.errors import TsujiError
from sim.files.compressed import ERRORS, SUFFIXES, first_bytes, is_compressed, open_plain
from sim.lib.progress import report
from sim.schedule.operations import CALC, RECV, SEND, Operations, Whole, folder_or_file

MOST_RANKS = 1 << 20
MOST_TIME = 1 << 40  # most time of a calculation, and bytes of a message: sums stay below 2^63
MOST_PLACES = 1 << 7  # most CPUs, and interfaces, of a rank
STEP = 1 << 18  # lines between two reports of progress

_MESSAGE = re.compile(
    r"(?:(\w+)\s*:\s*)?(?:(send)\s+(\d{1,18})\s*b\s+to\s+(\d{1,18})|(recv)\s+(\d{1,18})\s*b\s+from\s+(-1|\d{1,18}))"
    r"(?:\s+tag\s+(-1|\d{1,18}))?(?:\s+cpu\s+(\d{1,18}))?(?:\s+nic\s+(\d{1,18}))?\s*$"
)
_CALC = re.compile(r"(?:(\w+)\s*:\s*)?calc\s+(\d{1,18})(?:\s+cpu\s+(\d{1,18}))?\s*$")
_REQUIRES = re.compile(r"(\w+)\s+(i?)requires\s+(\w+)\s*$")
_RANK = re.compile(r"rank\s+(\d{1,18})\s*\{\s*$")
_RANKS = re.compile(r"num_ranks\s+(\d{1,18})\s*$")
_COMMENT = re.compile(r"/\*.*?\*/|//.*")


def is_goal(path: Path) -> bool:
    """Return whether a file, which may be compressed, is GOAL text: by its name or its first word."""
    return ".goal" in path.suffixes or _first_word(path) == b"num_ranks"


def _first_word(path: Path) -> bytes:
    text = re.sub(rb"/\*.*?\*/|//[^\n]*", b" ", first_bytes(path, 1 << 14), flags=re.DOTALL)
    return (text.split(maxsplit=1) or [b""])[0]


def read_goal(path: Path) -> Whole:
    """Return the schedule of a GOAL file in text form, which may be compressed, read as a whole.

    Raises
    ------
    TsujiError
        If a line is invalid; the message quotes it and says what was expected.
    """
    folder_or_file(path)
    reader = _Reader(path)
    try:
        if path.suffix in SUFFIXES and not is_compressed(path):
            raise OSError("not compressed")
        with io.TextIOWrapper(open_plain(path), encoding="utf-8") as lines:
            return reader.read(lines)
    except (UnicodeDecodeError, *ERRORS) as error:
        raise TsujiError(f"{path}:{reader.line}: {error}: expected GOAL text") from error


class _Rank:
    """Operations of one rank during reading."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.labels: dict[str, int] = {}
        self.columns = array("q")  # kind, peer, size, tag, cpu, nic of each operation
        self.edges = array("q")  # operation, required, on_start of each
        self.later: list[tuple[int, str, str, int]] = []  # line, labels, on_start: of operations not yet read

    def operations(self, origin: str) -> Operations:
        """Return the operations as arrays."""
        for line, label, required, on_start in self.later:
            for name in (label, required):
                if name not in self.labels:
                    raise TsujiError(f"{origin}:{line}: label {name!r}: expected one of an operation of this rank")
            self.edges.extend((self.labels[label], self.labels[required], on_start))
        columns = np.array(self.columns, np.int64).reshape(-1, 6)
        edges = np.array(self.edges, np.int64).reshape(-1, 3)
        edges = edges[np.argsort(edges[:, 0], kind="stable")]
        counts = np.bincount(edges[:, 0], minlength=len(columns))
        return Operations(
            kind=columns[:, 0].astype(np.int8),
            peer=columns[:, 1].copy(),
            size=columns[:, 2].copy(),
            tag=columns[:, 3].copy(),
            cpu=columns[:, 4].astype(np.int16),
            nic=columns[:, 5].astype(np.int16),
            first=np.concatenate(([0], np.cumsum(counts))),
            requires=edges[:, 1].copy(),
            on_start=edges[:, 2].astype(np.bool_),
        )


class _Reader:
    """Reads one file.

    Attributes
    ----------
    line : int
        Number of the last line read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.line = 0
        self._ranks = 0
        self._read: dict[int, Operations] = {}
        self._rank: _Rank | None = None
        self._number = -1

    def read(self, lines: Iterable[str]) -> Whole:
        """Return what the lines say."""
        comment = 0  # line in which a comment began that is still open
        for raw in lines:
            self.line += 1
            if self.line % STEP == 0:
                report(f"reading {self._path.name}: {self.line:,} lines")
            text = raw.strip()
            if comment:
                _, end, text = text.partition("*/")
                if not end:
                    continue
                comment = 0
            if "/" in text:
                text = _COMMENT.sub(" ", text)
                text, begin, _ = text.partition("/*")
                comment = self.line if begin else 0
                text = text.strip()
            if text:
                self._take(text)
        if comment:
            raise self._refusal("a comment without end", "*/", comment)
        if self._rank is not None:
            raise self._refusal(f"rank {self._number} {{ without end", "} before the file ends", self._rank.line)
        if not self._ranks:
            raise self._refusal("nothing", "num_ranks N")
        missing = [rank for rank in range(self._ranks) if rank not in self._read]
        if missing:
            raise self._refusal(f"no rank {missing[0]}", f"rank 0 to rank {self._ranks - 1}, as num_ranks says")
        return Whole([self._read[rank] for rank in range(self._ranks)], str(self._path))

    def _refusal(self, found: str, expected: str, line: int | None = None) -> TsujiError:
        return TsujiError(f"{self._path}:{self.line if line is None else line}: {found}: expected {expected}")

    def _take(self, text: str) -> None:
        """Read a line without comments."""
        rank = self._rank
        if rank is None:
            self._between(text)
        elif found := _MESSAGE.match(text):
            label, send, sent, to, _, received, source, tag, cpu, nic = found.groups()
            if send:
                kind, size, peer = SEND, int(sent), int(to)
            else:
                kind, size, peer = RECV, int(received), int(source)
            if peer >= self._ranks:
                raise self._refusal(f"rank {peer}", f"0 to {self._ranks - 1}")
            if send and tag == "-1":
                raise self._refusal(f"send with tag {tag}", "a tag of at least 0")
            self._add(rank, label, (kind, peer, size, int(tag or 0), int(cpu or 0), int(nic or 0)))
        elif found := _CALC.match(text):
            self._add(rank, found[1], (CALC, 0, int(found[2]), 0, int(found[3] or 0), 0))
        elif found := _REQUIRES.match(text):
            self._edge(rank, found[1], found[3], 1 if found[2] else 0)
        elif text == "}":
            self._read[self._number] = rank.operations(str(self._path))
            self._rank = None
        else:
            raise self._refusal(
                repr(text),
                "`[label:] send SIZEb to RANK`, `[label:] recv SIZEb from RANK`, each with `tag N`, `cpu N`, `nic N` "
                "in this order; `[label:] calc TIME`; `label requires label`; or }",
            )

    def _between(self, text: str) -> None:
        """Read a line outside of any rank."""
        if found := _RANKS.match(text):
            if self._ranks:
                raise self._refusal(repr(text), "num_ranks only once")
            self._ranks = int(found[1])
            if not 1 <= self._ranks <= MOST_RANKS:
                raise self._refusal(repr(text), f"1 to {MOST_RANKS} ranks")
        elif found := _RANK.match(text):
            self._number = int(found[1])
            if not self._ranks:
                raise self._refusal(repr(text), "num_ranks N before it")
            if self._number >= self._ranks:
                raise self._refusal(f"rank {self._number}", f"0 to {self._ranks - 1}")
            if self._number in self._read:
                raise self._refusal(f"rank {self._number} again", "each rank once")
            self._rank = _Rank(self.line)
        else:
            raise self._refusal(repr(text), "`rank R {`" if self._ranks else "`num_ranks N`")

    def _add(self, rank: _Rank, label: str | None, columns: tuple[int, int, int, int, int, int]) -> None:
        """Add an operation."""
        size, tag, places = columns[2], columns[3], max(columns[4:])
        if size > MOST_TIME or tag > MOST_TIME or places >= MOST_PLACES:
            raise self._refusal("a number", f"sizes and tags up to {MOST_TIME}, CPUs and NICs below {MOST_PLACES}")
        if label is not None:
            if label in rank.labels:
                raise self._refusal(f"label {label!r} again", "each label once a rank")
            rank.labels[label] = len(rank.columns) // 6
        rank.columns.extend(columns)

    def _edge(self, rank: _Rank, label: str, required: str, on_start: int) -> None:
        """Add a dependency."""
        try:
            rank.edges.extend((rank.labels[label], rank.labels[required], on_start))
        except KeyError:
            rank.later.append((self.line, label, required, on_start))
