"""Records of campaigns that run in pieces: files of lines with tabs, to which each piece adds some."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from models.errors import TsujiError

Line = TypeVar("Line")


def read_lines(path: Path, columns: Sequence[str], parse: Callable[..., Line]) -> list[Line]:
    """Return the lines of a record, parsed; none if there is no file.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Names of the columns, which the first line has.
    parse : callable
        Called with the columns of a line, as text; raises ValueError if they are wrong.

    Raises
    ------
    TsujiError
        If it is not such a file.
    """
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t")
        if next(rows, []) != list(columns):
            raise TsujiError(f"--record {path}: line 1 must be {', '.join(columns)}, with tabs between")
        return [_line(f"--record {path}: line {number}", row, columns, parse) for number, row in enumerate(rows, 2)]


def _line(where: str, row: list[str], columns: Sequence[str], parse: Callable[..., Line]) -> Line:
    wanted = f"{where} = {row}: must be {', '.join(columns)}"
    if len(row) != len(columns):
        raise TsujiError(wanted)
    try:
        return parse(*row)
    except ValueError as error:
        raise TsujiError(f"{wanted}: {error}") from error


def add_line(path: Path, columns: Sequence[str], values: Iterable[object]) -> None:
    """Append a line to a record, which is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        if not file.tell():
            writer.writerow(columns)
        writer.writerow(values)
