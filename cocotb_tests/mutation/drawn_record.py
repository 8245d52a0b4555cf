"""Record of drawn faults, over several runs and commits, with the judgement on each that survived."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from cocotb_tests.runner.record import add_line, read_lines


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
    return read_lines(path, Tried._fields, _tried)


def _tried(fault: str, killed: str, by: str, commit: str, judgement: str) -> Tried:
    if killed not in ("True", "False"):
        raise ValueError(f"killed = {killed}: must be True or False")
    if judgement and not judgement.startswith(JUDGEMENTS):
        raise ValueError(f"judgement must begin with one of {', '.join(JUDGEMENTS)}")
    return Tried(fault, killed == "True", by, commit, judgement)


def add_fault(path: Path, tried: Tried) -> None:
    """Append a fault to a file, which is made if it is missing."""
    add_line(path, Tried._fields, tried)


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
