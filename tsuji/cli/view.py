"""`tsuji view`: a result in space and time, as pictures, page, timeline and tables for Boxfish."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.option_groups import OptionGroup, with_option_groups
from tsuji.cli.output import PICTURES, folder, output_file
from tsuji.progress import Stages


@dataclass(frozen=True)
class ViewFiles(OptionGroup, panel="Views"):
    """Output files: --page, --stills, --heat-map, --perfetto, --gantt and --boxfish."""

    page: Annotated[
        Path | None,
        output_file(
            "Write an HTML page with a time slider, in one self-contained file.",
            ".html",
            ".htm",
            metavar="FILE.html",
        ),
    ] = None
    stills: Annotated[Path | None, output_file("Draw the network in space at chosen times.", *PICTURES)] = None
    heat_map: Annotated[Path | None, output_file("Draw every link over time.", *PICTURES)] = None
    perfetto: Annotated[
        Path | None, output_file("Write a timeline of links, switches and ranks for ui.perfetto.dev.")
    ] = None
    gantt: Annotated[
        Path | None,
        output_file("Draw when each rank calculated, sent and received, with --operations.", *PICTURES),
    ] = None
    boxfish: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", callback=folder, help="Write tables for Boxfish, for a torus or mesh."),
    ] = None


@with_option_groups
def view(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT", help="FILE.parquet that a run wrote with --power-file FILE.parquet.")
    ],
    files: ViewFiles,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="power|utilisation|lpi",
            help="Figures shown as colours; a page can switch between them, pictures show the first; all by default.",
        ),
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="NS,NS…", help="Times of the stills; by default four over the whole run.")
    ] = None,
    operations: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.parquet", help="File of --operations of the run: the ranks' operations, for timelines."
        ),
    ] = None,
    frames: Annotated[
        int, typer.Option(metavar="N", help="Most frames; chunks of longer runs are joined and averaged.")
    ] = 500,
) -> None:
    """Show where and when a network drew power, and links were busy or asleep.

    RESULT is written by a run with --power-file FILE.parquet. The default output is a page next to it, RESULT.html.
    docs/how_to/views.md shows each kind and explains how to read it.

    [bold]Examples[/]

      tsuji mpi examples/mpi/alltoall_ring.py examples/workload_torus4x4x4.toml --ranks 64 --power-file ring.parquet

      tsuji view ring.parquet

      tsuji view ring.parquet --figure lpi --stills ring.png --at 20e3,60e3,100e3,140e3

      tsuji view ring.parquet --heat-map links.png --perfetto ring.pftrace --boxfish ring_boxfish
    """
    from tsuji.views import view as show

    if not any(asdict(files).values()):
        files = replace(files, page=result.parent / f"{result.stem}.html")
    with Stages(Console(stderr=True)):
        written = show(
            result,
            figures=figure or None,
            at_ns=None if at is None else _times(at),
            operations=operations,
            frames=frames,
            **asdict(files),
        )
    for path in written:
        print(path)


def _times(text: str) -> list[float]:
    """Return times, ns."""
    from models.errors import TsujiError

    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise TsujiError(f"--at {text}: expected times in ns with commas between them, such as 20e3,60e3") from None
