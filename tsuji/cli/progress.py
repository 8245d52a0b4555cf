"""Progress on the terminal; a line now and then where there is none."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

LINE_SECONDS = 10.0  # between two lines where there is no terminal


class _Bar:
    """A bar that vanishes at the end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


class Phases(_Bar):
    """Progress of one simulation, in cycles.

    Parameters
    ----------
    console : Console
        Where to show it.
    """

    def __init__(self, console: Console) -> None:
        columns = (
            TextColumn("{task.description:<18}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[cycles]:,} cycles"),
            TimeRemainingColumn(),
        )
        super().__init__(Progress(*columns, console=console, transient=True, disable=not console.is_terminal))
        self._console = console
        self._started = self._told = monotonic()
        self._task = self._progress.add_task("loading the engine", total=None, cycles=0)

    def update(self, phase: str, done: int, expected: int) -> None:
        """Show the phase, the cycles done and those expected in all."""
        share = done / expected  # a total that moved would start the estimate of the time left anew
        now = monotonic()
        if not self._console.is_terminal and done and now - self._told > LINE_SECONDS:
            left = (now - self._started) * (1 / share - 1)
            self._console.print(f"{phase}, {done:,} cycles, about {left:.0f} s left", highlight=False, markup=False)
            self._told = now
        self._progress.update(self._task, description=phase, completed=share, total=1 if done else None, cycles=done)


class Searches(_Bar):
    """Progress of the searches for the distances of a network.

    Parameters
    ----------
    console : Console
        Where to show it.
    """

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("distances"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        super().__init__(Progress(*columns, console=console, transient=True, disable=not console.is_terminal))
        self._task = self._progress.add_task("", total=None)

    def update(self, done: int, expected: int) -> None:
        """Show the searches done, and of how many."""
        self._progress.update(self._task, completed=done, total=expected if done else None)


class Points(_Bar):
    """Progress of many simulations, in points.

    Parameters
    ----------
    console : Console
        Where to show it.
    total : int or None
        Points in all; None where `finished` tells as it goes.
    directory : Path
        Where results are kept, to be named on an interrupt.
    """

    def __init__(self, console: Console, total: int | None, directory: Path) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=False),
        )
        super().__init__(Progress(*columns, console=console, transient=True, disable=not console.is_terminal))
        self._console = console
        self._total = total or 0
        self._directory = directory
        self._task = self._progress.add_task("points", total=total)
        self._done = 0
        self._started = monotonic()

    def finished(self, values: dict[str, str], total: int | None = None) -> None:
        """Count a point that set these values; `total` points are expected in all by now."""
        self._done += 1
        self._total = total or self._total
        self._progress.update(self._task, completed=self._done, total=self._total)
        if not self._console.is_terminal:
            left = (monotonic() - self._started) / self._done * (self._total - self._done)
            what = ", ".join(f"{key}={value}" for key, value in values.items())
            self._console.print(
                f"{self._done}/{self._total}  {what}  about {left:.0f} s left", highlight=False, markup=False
            )

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, value, trace)
        if kind is not None and self._done:
            self._console.print(
                f"{self._done} of {self._total} points are kept in {self._directory}; "
                "the same command goes on from there",
                highlight=False,
                markup=False,
            )
