"""The public Python interface of views: a result in space and time."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from models.errors import TsujiError
from sim.plot.boxfish import write_boxfish
from sim.plot.heat_map import plot_recorded
from sim.plot.page import write_page
from sim.plot.perfetto import CYCLES, write_timeline
from sim.plot.recorded import FRAMES, Recorded, read_recorded
from sim.plot.stills import draw_stills
from sim.plot.view_figures import FIGURES, figures_named

File: TypeAlias = str | os.PathLike[str] | None
SHARES = (0.125, 0.375, 0.625, 0.875)  # of a run, at which stills are unless said otherwise


def view(
    result: str | os.PathLike[str],
    *,
    figures: Iterable[str] | None = None,
    at_ns: Iterable[float] | None = None,
    page: File = None,
    stills: File = None,
    heat_map: File = None,
    perfetto: File = None,
    operations: File = None,
    boxfish: File = None,
    frames: int = FRAMES,
) -> list[Path]:
    """Write views of a result; the same as `tsuji view`.

    Parameters
    ----------
    result : path
        FILE.parquet that a run with `--power-file FILE.parquet` wrote.
    figures : iterable of str or None
        Of `power`, `utilisation` and `lpi`; a page can switch between them, pictures show the first. None: all.
    at_ns : iterable of float or None
        Times of stills; None: four.
    page, stills, heat_map, perfetto : path or None
        Files to write: HTML, pictures, a trace of Perfetto.
    operations : path or None
        What ranks did, which the timeline of Perfetto shows as well.
    boxfish : path or None
        Folder of tables.
    frames : int
        Most stretches of time; chunks of longer runs are joined.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    tsuji.TsujiError
        If the result cannot be read or a file not be written; if what is asked for does not fit.
    """
    shown = figures_named(list(figures or FIGURES))
    if not (page or stills or heat_map or perfetto or boxfish):
        raise TsujiError("view: nothing to write; give one of page, stills, heat_map, perfetto and boxfish")
    for name, given, needed in (("--at", at_ns is not None, stills), ("--operations", operations, perfetto)):
        if given and not needed:
            raise TsujiError(f"{name}: only {'--stills' if name == '--at' else '--perfetto'} uses it")
    columns = [figure.column for figure in (FIGURES.values() if boxfish else shown)]
    timeline = [*CYCLES, "utilisation"] if perfetto else []
    recorded = read_recorded(
        Path(result),
        links=dict.fromkeys([*columns, *timeline]),
        switches=dict.fromkeys([*columns, *(["mean_w"] if perfetto else [])]),
        frames=frames,
    )
    if page:
        write_page(recorded, shown, Path(page))
    if stills:
        draw_stills(recorded, shown[0], _times(recorded) if at_ns is None else list(at_ns), Path(stills))
    if heat_map:
        plot_recorded(recorded, shown[0], Path(heat_map))
    if perfetto:
        write_timeline(recorded, Path(perfetto), None if operations is None else Path(operations))
    if boxfish:
        write_boxfish(recorded, Path(boxfish))
    return [Path(each) for each in (page, stills, heat_map, perfetto, boxfish) if each]


def _times(recorded: Recorded) -> list[float]:
    """Return the times of stills, ns; of short runs fewer."""
    begin, end = recorded.start_ns[0], recorded.end_ns[-1]
    times = {recorded.frame_at(begin + share * (end - begin)): begin + share * (end - begin) for share in SHARES}
    return [float(ns) for ns in times.values()]
