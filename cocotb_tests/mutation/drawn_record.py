"""Record of drawn faults, over several runs and commits, with the judgement on each that survived."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from models.errors import TsujiError


class Tried(NamedTuple):
    """A fault and what became of it.

    Attributes
    ----------
    fault : str
        The fault in one line.
    killed : bool
        Whether a test failed within the time.
    by : str
        That test, or why there is none.
    commit : str
        Commit of the source.
    judgement : str
        Of a survivor, added by hand: `equivalent: WHY`, `killed: TEST` by a test that was beyond the time, or
        `test: TEST` that was written for it; empty if it is not judged.
    """

    fault: str
    killed: bool
    by: str
    commit: str
    judgement: str = ""


JUDGEMENTS = ("equivalent: ", "killed: ", "test: ")


def read_record(path: Path) -> list[Tried]:
    """Return the faults of a file; none if there is no file.

    Raises
    ------
    TsujiError
        If it is not such a file.
    """
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t")
        if tuple(next(rows, ())) != Tried._fields:
            raise TsujiError(f"--record {path}: line 1 must be {', '.join(Tried._fields)}, with tabs between")
        return [_tried(path, number, row) for number, row in enumerate(rows, 2)]


def _tried(path: Path, number: int, row: list[str]) -> Tried:
    if len(row) != len(Tried._fields) or row[1] not in ("True", "False"):
        raise TsujiError(f"--record {path}: line {number} = {row}: must be {', '.join(Tried._fields)}")
    fault, killed, by, commit, judgement = row
    if judgement and not judgement.startswith(JUDGEMENTS):
        raise TsujiError(f"--record {path}: line {number}: {judgement}: must begin with one of {', '.join(JUDGEMENTS)}")
    return Tried(fault, killed == "True", by, commit, judgement)


def add_fault(path: Path, tried: Tried) -> None:
    """Append a fault to a file, which is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        if not file.tell():
            writer.writerow(Tried._fields)
        writer.writerow(tried)


def summary(record: Iterable[Tried]) -> str:
    """Return the figures of a record in one line: how many were killed, and what the survivors are."""
    record = list(record)
    survivors = [each for each in record if not each.killed]
    same, late, new = (sum(each.judgement.startswith(kind) for each in survivors) for kind in JUDGEMENTS)
    open_ = len(survivors) - same - late - new
    share = 100 * (len(record) - len(survivors) + late) / max(1, len(record) - same)
    return (
        f"{len(record)} faults: {len(record) - len(survivors)} killed within the time, {late} by a test beyond it, "
        f"{same} equivalent, {new} have a test since, {open_} not judged; "
        f"{share:.1f} % of the faults that change something were killed by the tests of their commit"
    )
