"""What commands that simulate many points have in common: their options, and the files of results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsuji.cli.output import writable

if TYPE_CHECKING:
    from sim.measure.result import Documented

CPUS = os.cpu_count() or 1

Over = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUES",
        help="One each for start:stop:step (both ends included) or a,b,c; given several times, for every combination.",
    ),
]
Workers = Annotated[int, typer.Option(help="Simulations side by side.", show_default="one a CPU")]
Kept = Annotated[
    Path | None,
    typer.Option(
        "--dir", metavar="DIR", help="Where finished points are kept.", show_default="build/<command>/<CONFIG's name>"
    ),
]
PointsJson = Annotated[
    Path | None, typer.Option(metavar="FILE", callback=writable, help="Write all points as JSON (-: standard output).")
]
PointsTable = Annotated[
    Path | None,
    typer.Option(metavar="FILE", callback=writable, help="Write a row a point: CSV, or Parquet if so named (-: CSV)."),
]


def kept_in(directory: Path | None, command: str, config: Path) -> Path:
    """Return the folder in which a command keeps finished points."""
    return directory or Path("build") / command / config.stem


def write_points(
    over: Mapping[str, Sequence[str]],
    results: Sequence[Documented],
    json: Path | None,
    csv: Path | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Write results, and where they lie on the axes, into the files that were asked for; `more` is for the JSON."""
    if json:
        from sim.measure.result import write_json

        documents = [result.document() for result in results]
        write_json({"version": version("tsuji"), "over": over, **(more or {}), "points": documents}, json)
    if csv:
        from sim.measure.table import write_table

        write_table(results, csv)
