"""A trace in one file, whose lines begin with the numbers of their ranks: split into one file per rank."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from models.errors import TsujiError
from sim.lib.quoted import quoted

BUFFER = 1 << 24
"""Bytes of lines that are kept before they are written."""


def is_trace(path: Path) -> bool:
    """Return whether the first line of a file is an action of a rank; otherwise it may be a list of files."""
    for _, fields in _lines(path):
        return len(fields) > 1 and fields[0].isdigit()
    return False


def split_ranks(path: Path, shown: str, folder: Path) -> list[Path]:
    """Return the files into which the lines of a trace are written, in the order of the ranks.

    Parameters
    ----------
    path : Path
        File of all ranks.
    shown : str
        Its name for messages.
    folder : Path
        Folder of the files to write.

    Raises
    ------
    TsujiError
        If a line begins with no rank, or a rank has no line.
    """
    first: dict[bytes, int] = {}  # line of each rank's first action
    kept: dict[bytes, list[bytes]] = {}
    size = 0
    for number, fields in _lines(path):
        rank = fields[0]
        if rank not in first:
            if not (rank.isdigit() and rank.decode() == str(int(rank[:18]))):
                said = quoted(b" ".join(fields))
                raise TsujiError(f"{shown}:{number}: `{said}`: expected the number of a rank and its action")
            first[rank] = number
        line = b" ".join(fields) + b"\n"
        kept.setdefault(rank, []).append(line)
        size += len(line)
        if size > BUFFER:
            _write(kept, folder)
            size = 0
    _write(kept, folder)
    ranks = {int(rank): number for rank, number in first.items()}
    missing = next((rank for rank in range(len(ranks)) if rank not in ranks), None)
    if missing is not None:
        top = max(ranks)
        raise TsujiError(f"{shown}:{ranks[top]}: rank {top}, but no line of rank {missing}: ranks must count from 0")
    return [folder / f"{rank}.txt" for rank in range(len(ranks))]


def line_of_rank(path: Path, rank: int, number: int) -> int:
    """Return the line in a file of all ranks that is the `number`-th of a rank, from 1."""
    lines = (line for line, fields in _lines(path) if fields[0] == b"%d" % rank)
    return next(islice(lines, max(0, number - 1), None), 0)


def _lines(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the numbers and words of the lines that are neither empty nor comments."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            if fields and not fields[0].startswith(b"#"):
                yield number, fields


def _write(kept: dict[bytes, list[bytes]], folder: Path) -> None:
    for rank, lines in kept.items():
        with (folder / f"{rank.decode()}.txt").open("ab") as file:
            file.writelines(lines)
    kept.clear()
