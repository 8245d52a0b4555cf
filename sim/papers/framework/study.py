"""An id of the papers: parts that are computed, and a function that concludes from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from matplotlib.figure import Figure

from sim.papers.framework.digest import code_digest

CLOSE = 0.10
"""Relative difference from the paper's number within which ours agrees; chosen before the first comparison."""

CLOSE_CHANGE = 0.05
"""The same for ratios such as 1.19 to 1.15, whose changes in % are compared; chosen when these were known."""

Record = dict[str, Any]
"""A row of data: plain values by column."""

Verdict = Literal["agrees", "differs", "holds", "does not hold", "ours", "input"]

Change = Literal["more", "less"]
"""Direction of a change in %: 20 % more is a ratio of 1.2, 20 % less one of 0.8."""


@dataclass(frozen=True)
class Options:
    """Options of a run.

    Attributes
    ----------
    quick : bool
        Whether to run in reduced size.
    traces : Path
        Folder of the traces of the NAS Parallel Benchmarks.
    swf : tuple of Path
        Logs of jobs for `cache.fig1`; empty: a synthetic one.
    """

    quick: bool
    traces: Path
    swf: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Part:
    """A unit of computation, whose result is kept.

    Attributes
    ----------
    table : str
        Table of the id for its rows.
    run : callable
        A function of a module that returns the rows; it gets the parameters by name.
    params : mapping
        Plain values: everything besides the code that the rows depend on.
    """

    table: str
    run: Callable[..., list[Record]]
    params: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name in messages."""
        said = (f"{key}={value}" for key, value in self.params.items() if isinstance(value, int | float | str))
        return " ".join([self.table, *said])

    @property
    def module(self) -> str:
        """Name of the file of the function, without its folders."""
        return self.run.__module__.rpartition(".")[2]

    @property
    def key(self) -> str:
        """Digest of the names of function and file, and the parameters; independent of folders."""
        content = [self.module, self.run.__qualname__, dict(self.params)]
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def code(self) -> str:
        """Digest of the code that the rows depend on."""
        return code_digest(self.run.__module__, self.run.__name__)


@dataclass(frozen=True)
class Row:
    """A quantity of the paper, compared with ours.

    Attributes
    ----------
    quantity : str
        Name, with unit.
    paper : float, str or None
        The paper's number or claim; None: it has none.
    ours : float or str
        Computed, never typed in.
    verdict : str
        `agrees` or `differs` for numbers, `holds` or `does not hold` for claims; `ours` if the paper has no value, or
        ours has other conditions; `input` if ours follows from what the paper gives, so that it confirms nothing.
    note : str
        Explanation of a difference, what was tried, assumptions.
    change : Change or None
        Both numbers are changes in %, of which the ratios are compared.
    """

    quantity: str
    paper: float | str | None
    ours: float | str
    verdict: Verdict
    note: str = ""
    change: Change | None = None

    @property
    def ratio(self) -> float | None:
        """Ours ÷ the paper's, for numbers; of changes in %, the quotient of their ratios."""
        if isinstance(self.paper, str) or isinstance(self.ours, str) or self.paper is None:
            return None
        if self.change:
            sign = 1 if self.change == "more" else -1
            return (100 + sign * self.ours) / (100 + sign * self.paper)
        return self.ours / self.paper if self.paper else None


def compare(quantity: str, paper: float, ours: float, note: str = "", change: Change | None = None) -> Row:
    """Return a row of two numbers: they agree within 10 %; the ratios of changes, within 5 %."""
    row = Row(quantity, float(paper), float(ours), "agrees", note, change)
    if change and row.ratio is not None:
        close = abs(row.ratio - 1) <= CLOSE_CHANGE
    else:
        close = abs(ours - paper) <= CLOSE * abs(paper)
    return row if close else replace(row, verdict="differs")


def compare_at(
    same: bool, quantity: str, paper: float, ours: float, note: str = "", change: Change | None = None
) -> Row:
    """Return `compare` if ours has the paper's size, else `found` with the paper's number in the note."""
    if same:
        return compare(quantity, paper, ours, note, change)
    return found(quantity, ours, f"Reduced size; the paper's is {paper:g}.")


def echoed(quantity: str, paper: float, ours: float, note: str = "") -> Row:
    """Return a row of a number that ours takes or derives from the paper's own: `input`, unless they differ."""
    row = compare(quantity, paper, ours, note)
    return replace(row, verdict="input") if row.verdict == "agrees" else row


def varied(quantity: str, paper: float, ours: float, note: str = "") -> Row:
    """Return a row of a number under other conditions than the paper's or than the row compared: `ours`."""
    return found(quantity, ours, f"The paper's is {paper:g}.{' ' if note else ''}{note}")


def claim(quantity: str, said: str, ours: float | str, holds: bool, note: str = "") -> Row:
    """Return a row for a claim of the paper, and whether it holds for ours."""
    return Row(
        quantity, said, float(ours) if not isinstance(ours, str) else ours, "holds" if holds else "does not hold", note
    )


def found(quantity: str, ours: float | str, note: str = "") -> Row:
    """Return a row for a quantity that the paper does not give."""
    return Row(quantity, None, float(ours) if not isinstance(ours, str) else ours, "ours", note)


@dataclass(frozen=True)
class Findings:
    """Findings of an id.

    Attributes
    ----------
    rows : sequence of Row
    figure : Figure
        Figure in the form of the paper's.
    text : str
        Method, and the values of parameters that the paper leaves open.
    """

    rows: Sequence[Row]
    figure: Figure
    text: str


def nothing() -> None:
    """Return that nothing is lacking."""


Tables = Mapping[str, pd.DataFrame]
"""Rows of the parts by table, in the order of the parts."""


@dataclass(frozen=True)
class Study:
    """An id of the papers.

    Attributes
    ----------
    id : str
    paper : str
        `A` to `E`, or `beyond`.
    title : str
        Subject.
    parts : callable
        Called with the options, returns the parts to compute.
    conclude : callable
        Called with the tables, returns the findings.
    lacking : callable
        Returns what the parts need and this machine lacks, with how to get it; None: nothing.
    """

    id: str
    paper: str
    title: str
    parts: Callable[[Options], list[Part]]
    conclude: Callable[[Tables], Findings]
    lacking: Callable[[], str | None] = nothing


@dataclass
class Catalogue:
    """The ids, in order of registration."""

    studies: dict[str, Study] = field(default_factory=dict)

    def enter(self, study: Study) -> Study:
        """Register an id.

        Raises
        ------
        ValueError
            If it is registered already.
        """
        if study.id in self.studies:
            raise ValueError(f"{study.id} is entered twice")
        self.studies[study.id] = study
        return study


CATALOGUE = Catalogue()
