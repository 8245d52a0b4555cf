"""Record of soak runs: switch-cycles compared per parameter set, in pieces, each with a seed of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from cocotb_tests.runner.record import add_line, read_lines

_COLUMNS = ("set", "seed", "cycles", "mismatches", "commit")


class Piece(NamedTuple):
    """One run of one parameter set.

    Attributes
    ----------
    name : str
        Parameter set.
    seed : int
        Seed of the stimulus.
    cycles : int
        Switch-cycles compared.
    mismatches : int
        0, or 1 if the run ended with a difference.
    commit : str
        Commit of the source, with `+` if it was changed since.
    """

    name: str
    seed: int
    cycles: int
    mismatches: int
    commit: str


def read_record(path: Path) -> list[Piece]:
    """Return the pieces of a file; none if there is no file.

    Raises
    ------
    TsujiError
        If it is not such a file.
    """
    return read_lines(path, _COLUMNS, _piece)


def _piece(name: str, seed: str, cycles: str, mismatches: str, commit: str) -> Piece:
    return Piece(name, int(seed), int(cycles), int(mismatches), commit)


def add_piece(path: Path, piece: Piece) -> None:
    """Append a piece to a file, which is made if it is missing."""
    add_line(path, _COLUMNS, piece)


def next_seeds(names: Iterable[str], pieces: Iterable[Piece], first: int) -> Iterator[tuple[str, int]]:
    """Yield parameter sets, those with the fewest recorded cycles first, each with a seed that it has not run with."""
    cycles: defaultdict[str, int] = defaultdict(int)
    last: dict[str, int] = {}
    for piece in pieces:
        cycles[piece.name] += piece.cycles
        last[piece.name] = max(piece.seed, last.get(piece.name, 0))
    for name in sorted(names, key=lambda name: cycles[name]):
        yield name, max(first, last.get(name, 0) + 1)


def total(pieces: Iterable[Piece]) -> str:
    """Return the totals of a record in one line."""
    pieces = list(pieces)
    sets = {piece.name for piece in pieces}
    least = min((sum(piece.cycles for piece in pieces if piece.name == name) for name in sets), default=0)
    return (
        f"on record: {sum(piece.cycles for piece in pieces):,} switch-cycles on {len(sets)} switches, "
        f"at least {least:,} each, {sum(piece.mismatches for piece in pieces)} mismatches"
    )
