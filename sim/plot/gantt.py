"""The timeline of ranks as a picture: one row per rank, with its calculations, sends and receives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from models.errors import TsujiError
from sim.plot.heat_map import time_unit
from sim.plot.operations_file import read_operations
from sim.plot.picture import write

if TYPE_CHECKING:
    import pandas as pd

KINDS = {"receive": "#d9dee6", "send": "#e08a3c", "calculate": "#2f6db3"}
"""Colour of each kind of operation, in the order in which they are drawn, the last on top."""
ROW = 0.8  # height of a rank, of which a receive takes all and a send half
MOST_RANKS = 256


def draw_gantt(operations: Path, path: Path) -> None:
    """Draw when each rank calculated, sent and waited for a message.

    Parameters
    ----------
    operations : Path
        File of `--operations` of `tsuji mpi`.
    path : Path
        Picture to write; its suffix is the format.

    Raises
    ------
    TsujiError
        If the file cannot be read or written, or has no operation or more than `MOST_RANKS` ranks.
    """
    table = read_operations(operations)
    ranks = int(table["rank"].max()) + 1 if len(table) else 0
    if not 1 <= ranks <= MOST_RANKS:
        raise TsujiError(f"--operations {operations}: {ranks} ranks: a picture shows 1 to {MOST_RANKS}")
    unit, name = time_unit(float(table["end_ns"].max()))
    figure, axes = plt.subplots(figsize=(9.0, min(12.0, 1.4 + 0.22 * ranks)), layout="constrained")
    for kind, colour in KINDS.items():
        _draw_kind(axes, table[table["kind"] == kind], unit, ROW if kind == "receive" else ROW / 2, colour)
    axes.set(xlim=(0, float(table["end_ns"].max()) / unit), ylim=(ranks - 0.5, -0.5))
    axes.set(xlabel=f"time, {name}", ylabel="rank", title=operations.stem)
    axes.locator_params(axis="y", integer=True)
    handles = [Patch(color=colour, label=kind) for kind, colour in KINDS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    write(figure, path, dpi=150)


def _draw_kind(axes: Axes, rows: pd.DataFrame, unit: float, height: float, colour: str) -> None:
    """Draw the operations of a kind, those of each rank in its row."""
    for rank, own in rows.groupby("rank"):
        begin = own["start_ns"].to_numpy() / unit
        width = own["end_ns"].to_numpy() / unit - begin
        bars = list(zip(begin.tolist(), width.tolist(), strict=True))
        axes.broken_barh(bars, (float(rank) - height / 2, height), color=colour, linewidth=0)
