"""`tsuji sweep`: many simulations side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.figures import sweep_table, workload_table
from tsuji.cli.output import PICTURES, one_of, text_console
from tsuji.cli.points import CPUS, Kept, PointsJson, PointsTable, Workers, kept_in, write_points
from tsuji.cli.power_options import Power
from tsuji.cli.run import ConfigFile, Overrides
from tsuji.progress import Points

if TYPE_CHECKING:
    from sim.sweep.axes import Axis
    from sim.sweep.workload import Work


def sweep(
    config: ConfigFile,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUES",
            help="start:stop:step (both ends included), a,b,c, or both (off,0:20:1); given several times, every "
            "combination is run.",
        ),
    ],
    overrides: Overrides = None,
    workers: Workers = CPUS,
    directory: Kept = None,
    json: PointsJson = None,
    csv: PointsTable = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=one_of(*PICTURES),
            help="Draw latency against accepted traffic, with --workload run time and slow-down (PNG, SVG, PDF).",
            show_default="none; with --workload sweep.png in DIR",
        ),
    ] = None,
    workload: Annotated[
        Path | None,
        typer.Option(metavar="FILE|PROGRAM.py", help="Run this at every point: as of tsuji replay, or of tsuji mpi."),
    ] = None,
    ranks: Annotated[int | None, typer.Option(metavar="N", help="Instances of a program.")] = None,
    arguments: Annotated[
        list[str] | None, typer.Option("--arg", metavar="TEXT", help="Argument of a program; may be repeated.")
    ] = None,
    collectives: Annotated[
        list[str] | None,
        typer.Option("--collective", metavar="NAME=ALGORITHM", help="Algorithm, such as allreduce=ring."),
    ] = None,
    mapping: Annotated[
        str | None, typer.Option(metavar="FILE|STRATEGY", help="Node of each rank, as of tsuji replay.")
    ] = None,
    ideal: Annotated[
        str | None, typer.Option(metavar="PARAMETERS", help="Of the network that the slow-down is against.")
    ] = None,
    slow_down: Annotated[bool | None, typer.Option(help="Run on the ideal network, too.", show_default="yes")] = None,
    power: Power = False,
) -> None:
    """Simulate a network at many values of its keys; print a table, draw the curve.

    Each finished point is kept: after Ctrl-C, a crash or a kill the same command runs only what is missing.

    [bold]Examples[/]

    The curve, start:stop:step with both ends:

      tsuji sweep examples/torus8x8.toml --over traffic.load=0.1:0.6:0.1

    and its picture: [bold]--plot latency.png[/]

    A curve for each of several cache sizes, from a list:

      tsuji sweep examples/torus8x8.toml --over cache.entries=16,64,256 --over traffic.load=0.1:0.6:0.1

    Anything else, the same for all points:

      tsuji sweep examples/mesh2x3.toml --over switch.vcs=1:4:1 --set run.seed=7

    Links that go to sleep sooner or later; then, energy against time: tsuji power sweep.json --pareto pareto.png

      tsuji sweep examples/torus8x8_computed.toml --power --over power.t_lt_ns=off,0,1000,2000 --json sweep.json

    A trace or a program at every point; beside keys of the configuration, --over takes ranks, mapping and
    collective.NAME:

      tsuji sweep examples/workload_torus4x4x4.toml --workload examples/goal/ring_allreduce.goal
      --over workload.send_overhead=0:1000:250

      tsuji sweep examples/workload_torus4x4x4.toml --workload examples/mpi/training_step.py --ranks 64
      --over collective.allreduce=ring,recursive_doubling --over mapping=linear,random:1
    """
    from sim.schedule.collectives.registry import parse_choices
    from sim.sweep.axes import parse
    from sim.sweep.sweep import points, run
    from sim.sweep.workload import Work

    console = text_console(json, csv, width=80)
    axes = [parse(text) for text in over]
    options = {
        "--ranks": ranks,
        "--arg": arguments,
        "--collective": collectives,
        "--mapping": mapping,
        "--ideal": ideal,
        "--slow-down": slow_down,
    }
    if workload is not None:
        work = Work(
            workload,
            ranks or 0,
            tuple(arguments or ()),
            parse_choices(collectives or []),
            mapping,
            ideal,
            slow_down is not False,
        )
        _sweep_workload(console, config, overrides or [], axes, work, power, workers, directory, json, csv, plot)
        return
    for option, given in options.items():
        if given is not None:
            raise TsujiError(f"{option}: is of programs and traces; say which with --workload")
    todo = points(config, overrides or [], axes, power=power)
    values = [point.values for point in todo]
    directory = kept_in(directory, "sweep", config)
    with Points(Console(stderr=True), len(todo), directory) as progress:
        results = run(todo, directory, workers, lambda number: progress.finished(values[number]))
    console.print(sweep_table(values, results))
    write_points({axis.key: list(axis.values) for axis in axes}, results, json, csv)
    if plot:
        from sim.plot.latency import plot as draw

        draw(values, results, plot)
        console.print(f"plot: {plot}", markup=False, soft_wrap=True)


def _sweep_workload(
    console: Console,
    config: Path,
    overrides: list[str],
    axes: list[Axis],
    work: Work,
    power: bool,
    workers: int,
    directory: Path | None,
    json: Path | None,
    csv: Path | None,
    plot: Path | None,
) -> None:
    """Run a program, schedule or trace at every point."""
    from sim.plot.workload_sweep import plot as draw
    from sim.sweep.sweep import run
    from sim.sweep.workload import workload_points

    todo = workload_points(config, overrides, axes, work, power=power)
    values = [point.values for point in todo]
    directory = directory or Path("build") / "sweep" / f"{config.stem}-{work.path.name.partition('.')[0]}"
    with Points(Console(stderr=True), len(todo), directory) as progress:
        results = run(todo, directory, workers, lambda number: progress.finished(values[number]))
    console.print(workload_table(values, results))
    write_points({axis.key: list(axis.values) for axis in axes}, results, json, csv)
    plot = plot or directory / "sweep.png"
    draw(values, results, plot, f"{work.path.name} on {config.stem}")
    console.print(f"plot: {plot}", markup=False, soft_wrap=True)
