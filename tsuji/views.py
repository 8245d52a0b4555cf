"""The public Python interface of views: a result in space and time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from models.errors import TsujiError
from sim.lib.array_check import check_int, check_number
from sim.plot.boxfish import write_boxfish
from sim.plot.gantt import draw_gantt
from sim.plot.heat_map import plot_recorded
from sim.plot.page import write_page
from sim.plot.perfetto import CYCLES, write_timeline
from sim.plot.recorded import FRAMES, Recorded, read_recorded
from sim.plot.stills import draw_stills
from sim.plot.view_figures import FIGURES, ViewFigure, figures_named

File: TypeAlias = str | os.PathLike[str] | None
SHARES = (0.125, 0.375, 0.625, 0.875)  # shares of a run: default times of stills


def view(
    result: str | os.PathLike[str],
    *,
    figures: Iterable[str] | None = None,
    at_ns: Iterable[float] | None = None,
    page: File = None,
    stills: File = None,
    heat_map: File = None,
    perfetto: File = None,
    gantt: File = None,
    operations: File = None,
    boxfish: File = None,
    frames: int = FRAMES,
) -> list[Path]:
    """Write views of a result, as `tsuji view` does.

    Parameters
    ----------
    result : path
        FILE.parquet that a run with `--power-file FILE.parquet` wrote.
    figures : iterable of str or None
        Figures, of `power`, `utilisation` and `lpi`; a page can switch between them, pictures show the first. None:
        all.
    at_ns : iterable of float or None
        Times of stills; None: four over the whole run.
    page, stills, heat_map, perfetto, gantt : path or None
        Files to write: HTML, pictures, a trace of Perfetto, a picture of the ranks' operations.
    operations : path or None
        File of the ranks' operations, for `perfetto` and `gantt`.
    boxfish : path or None
        Folder for the tables of Boxfish.
    frames : int
        Most frames; chunks of longer runs are joined.

    Returns
    -------
    list of Path
        Files written.

    Raises
    ------
    tsuji.TsujiError
        If the result cannot be read, a file cannot be written, or arguments contradict each other.
    """
    shown = figures_named(list(figures or FIGURES))
    views: dict[str, File] = {
        "page": page,
        "stills": stills,
        "heat_map": heat_map,
        "perfetto": perfetto,
        "gantt": gantt,
        "boxfish": boxfish,
    }
    _check_asked(views, at_ns, operations)
    frames = check_int("frames", frames, 1)
    times = None if at_ns is None else [check_number(f"at_ns[{k}]", each, 0) for k, each in enumerate(at_ns)]
    recorded = _read(result, shown, frames, with_all=bool(boxfish), with_timeline=bool(perfetto))
    writers: dict[str, Callable[[Path], None]] = {
        "page": partial(write_page, recorded, shown),
        "stills": partial(_draw_stills, recorded, shown[0], times),
        "heat_map": partial(plot_recorded, recorded, shown[0]),
        "perfetto": partial(write_timeline, recorded, operations=None if operations is None else Path(operations)),
        "gantt": partial(draw_gantt, Path(operations or "")),
        "boxfish": partial(write_boxfish, recorded),
    }
    written = []
    for kind, file in views.items():
        if file:
            writers[kind](Path(file))
            written.append(Path(file))
    return written


def _check_asked(views: Mapping[str, File], at_ns: Iterable[float] | None, operations: File) -> None:
    """Refuse a call that writes nothing, and arguments that no requested view uses."""
    if not any(views.values()):
        raise TsujiError(f"view: nothing to write; give one of {', '.join(list(views)[:-1])} and {list(views)[-1]}")
    if at_ns is not None and not views["stills"]:
        raise TsujiError("--at: only --stills uses it")
    if operations and not (views["perfetto"] or views["gantt"]):
        raise TsujiError("--operations: only --perfetto and --gantt use it")
    if views["gantt"] and not operations:
        raise TsujiError("--gantt: needs --operations FILE.parquet, which tsuji mpi --operations writes")


def _read(
    result: str | os.PathLike[str], shown: Sequence[ViewFigure], frames: int, *, with_all: bool, with_timeline: bool
) -> Recorded:
    """Return the data of the views: figures shown, or all, and further columns for a timeline."""
    columns = [figure.column for figure in (FIGURES.values() if with_all else shown)]
    links, switches = ([*CYCLES, "utilisation"], ["mean_w"]) if with_timeline else ([], [])
    return read_recorded(
        Path(result),
        links=dict.fromkeys([*columns, *links]),
        switches=dict.fromkeys([*columns, *switches]),
        frames=frames,
    )


def _draw_stills(recorded: Recorded, figure: ViewFigure, at_ns: Iterable[float] | None, path: Path) -> None:
    """Draw stills at the given times, or at the four default ones."""
    draw_stills(recorded, figure, _times(recorded) if at_ns is None else list(at_ns), path)


def _times(recorded: Recorded) -> list[float]:
    """Return the times of stills, ns; fewer for short runs."""
    begin, end = recorded.start_ns[0], recorded.end_ns[-1]
    times = {recorded.frame_at(begin + share * (end - begin)): begin + share * (end - begin) for share in SHARES}
    return [float(ns) for ns in times.values()]
