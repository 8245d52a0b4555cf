"""What `tsuji replay --over` and `tsuji mpi --over` have in common: many configurations, and a table of them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from models.errors import TsujiError
from tsuji.cli.figures import number
from tsuji.cli.output import text_console
from tsuji.progress import Points

if TYPE_CHECKING:
    from sim.workload.sweep import Workload

WorkloadOver = Annotated[
    list[str] | None,
    typer.Option(
        "--over",
        metavar="KEY=VALUES",
        help="Run it at start:stop:step (both ends included) or a,b,c; given several times, at every combination.",
    ),
]


def sweep_workload(
    workload: Workload,
    config: Path,
    overrides: Sequence[str],
    over: Sequence[str],
    single: Sequence[tuple[str, object]],
    *,
    power: bool,
    workers: int,
    directory: Path,
    json: Path | None,
) -> None:
    """Run a workload on many configurations; print a table, write all results as JSON.

    Parameters
    ----------
    workload : Workload
    config, overrides, over
        As the options say.
    single : sequence of (str, object)
        Options that are for one run, and whether they are given.
    power, workers, directory, json
        As of the options.

    Raises
    ------
    TsujiError
        If an option is for one run, or any point is refused.
    """
    from sim.measure.result import write_json
    from sim.sweep.axes import parse
    from sim.workload.sweep import run_workloads, workload_points

    for option, given in single:
        if given:
            raise TsujiError(f"{option}: is for one run; leave out --over, or it")
    axes = [parse(text) for text in over]
    todo = workload_points(workload, config, overrides, axes, power=power)
    values = [point.values for point in todo]
    with Points(Console(stderr=True), len(todo), directory) as progress:
        found = run_workloads(todo, directory, workers, lambda number: progress.finished(values[number]))
    text_console(json, width=100).print(_table(values, found))
    if json:
        over_ = {axis.key: list(axis.values) for axis in axes}
        write_json({"version": version("tsuji"), "over": over_, "points": found}, json)


def _table(values: Sequence[dict[str, str]], found: Sequence[dict[str, Any]]) -> Table:
    """Return a row a point: what it sets, its run time, and its energy where that was added up."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for key in values[0]:
        table.add_column(key.rpartition(".")[2])
    powered = all("power" in each for each in found)
    for name in ("run time, µs", "slow-down", *(("mean W", "peak W", "energy, J", "low power %") if powered else ())):
        table.add_column(name, justify="right", no_wrap=True)
    for point, each in zip(values, found, strict=True):
        row = [*point.values(), number(each["run_time_ns"] / 1000), number(each.get("slow_down"), 3)]
        if powered:
            power = each["power"]
            low = 100 * power["share_by_state"]["lpi"]
            row += [number(power["mean_w"], 1), number(power["peak_w"], 1), f"{power['energy_j']:.5g}", number(low)]
        table.add_row(*row)
    return table
