"""Progress bars on the terminal; lines at intervals without a terminal."""

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

from sim.lib.clock import wall_s
from sim.lib.progress import COMPILING, LOADING, listening

LINE_SECONDS = 10.0  # seconds between two lines without a terminal
CYCLES = "cycles"


class _Bar:
    """A progress bar that is removed at the end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


class Stages(_Bar):
    """Progress of preparations, stage by stage, as reported by `sim.lib.progress`.

    Parameters
    ----------
    console : Console
        Console of the bar.
    """

    def __init__(self, console: Console) -> None:
        columns = (
            TextColumn("{task.description:<18}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[detail]}"),
            TimeRemainingColumn(),
        )
        hidden = not console.is_terminal
        super().__init__(Progress(*columns, console=console, transient=True, disable=hidden, get_time=wall_s))
        self._console = console
        self._estimated = ""
        self._started = wall_s()
        self._told = monotonic()  # the clock keeps running during compilation
        self._compiles = False
        self._task = self._progress.add_task("", total=None, detail="")

    def __enter__(self) -> Self:
        self._listening = listening(self.prepare)
        self._listening.__enter__()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, value, trace)
        self._listening.__exit__(kind, value, trace)

    def prepare(self, stage: str, done: int, total: int) -> None:
        """Show the stage and its progress; a total of 0 is unknown."""
        share = done / total if total else 0.0
        what = stage if total or not done else f"{stage}: {done}"
        self._show(stage, what, share, f"{share:.0%}")

    def _show(self, estimated: str, what: str, share: float, detail: str) -> None:
        """Show progress; the remaining time is that of what is `estimated`, of which `share` is done."""
        now = wall_s()
        if estimated != self._estimated:
            self._estimated, self._started = estimated, now
            self._progress.remove_task(self._task)  # a task's total cannot be removed
            self._task = self._progress.add_task(what, total=None, detail="")
        left = f", {detail}, about {(now - self._started) * (1 / share - 1):.0f} s left" if share else ""
        self._line(f"{what}{left}")
        # A changing total would restart the estimate of the remaining time.
        self._progress.update(self._task, description=what, completed=share, total=1 if share else None)

    def _line(self, what: str) -> None:
        """Write a line without a terminal: if the last one was a while ago, or compilation begins."""
        compiles = what.startswith(COMPILING)
        due = monotonic() - self._told > LINE_SECONDS or (compiles and not self._compiles)
        self._compiles |= compiles
        if not self._console.is_terminal and due:
            self._console.print(what, highlight=False, markup=False)
            self._told = monotonic()


class Phases(Stages):
    """Progress of one simulation: preparations, then cycles."""

    def prepare(self, stage: str, done: int, total: int) -> None:
        """Show the stage; during the simulation, the estimate of its cycles is kept."""
        if self._estimated == CYCLES:
            self._progress.update(self._task, description=stage)
            self._line(f"{stage}, {done / total:.0%}" if total else f"{stage}: {done}" if done else stage)
        else:
            super().prepare(stage, done, total)

    def update(self, phase: str, done: int, expected: int) -> None:
        """Show the phase, the cycles done and their expected total."""
        if phase == LOADING:
            self._show(phase, f"{phase}; the first time it is compiled, in about half a minute", 0.0, "")
            return
        cycles = f"{done:,} cycles"
        self._show(CYCLES, phase, done / expected, cycles)
        self._progress.update(self._task, detail=cycles)


class Points(_Bar):
    """Progress of many simulations, in points, or of other things of which each takes long.

    Parameters
    ----------
    console : Console
        Console of the bar.
    total : int or None
        Total number of points; None: as told by `finished`.
    directory : Path
        Folder of results, named on an interrupt.
    what : str
        Plural of what is counted.
    """

    def __init__(self, console: Console, total: int | None, directory: Path, what: str = "points") -> None:
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
        self._what = what
        self._task = self._progress.add_task(what, total=total)
        self._done = 0
        self._kept = 0
        self._started = monotonic()

    def finished(self, values: dict[str, str], total: int | None = None) -> None:
        """Count a point with these values; `total` is the currently expected number of points."""
        self.reach(values, self._done + 1, total)

    def reach(self, values: dict[str, str], done: int, total: int | None = None) -> None:
        """Show that `done` points are done, the last with these values; several at once are points kept earlier."""
        if done > self._done + 1:
            self._kept += done - self._done
        self._done = done
        self._total = total or self._total
        self._progress.update(self._task, completed=self._done, total=self._total)
        if not self._console.is_terminal:
            left = (monotonic() - self._started) / max(1, self._done - self._kept) * (self._total - self._done)
            what = ", ".join(f"{key}={value}" if key else value for key, value in values.items())
            self._console.print(
                f"{self._done}/{self._total}  {what}  about {left:.0f} s left", highlight=False, markup=False
            )

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, value, trace)
        if kind is not None and self._done:
            self._console.print(
                f"{self._done} of {self._total} {self._what} are kept in {self._directory}; "
                "the same command goes on from there",
                highlight=False,
                markup=False,
            )
