"""`tsuji sweep`: many simulations in parallel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.figures import sweep_table, workload_table
from tsuji.cli.network_options import NetworkOptions
from tsuji.cli.option_groups import OptionGroup, with_option_groups
from tsuji.cli.output import PICTURES, output_file
from tsuji.cli.points import PointFiles, PointOptions
from tsuji.cli.power_options import PowerOptions
from tsuji.cli.workload_options import IdealOptions, ProgramOptions, RankOptions
from tsuji.progress import Points

if TYPE_CHECKING:
    from sim.sweep.axes import Axis
    from sim.sweep.workload import Work


@dataclass(frozen=True)
class SweepFiles(PointFiles):
    """Files of a sweep: also --plot."""

    plot: Annotated[
        Path | None,
        output_file(
            "Draw latency against accepted traffic; with --workload, run time, also ÷ ideal (PNG, SVG, PDF).",
            *PICTURES,
            show_default="none; with --workload sweep.png in DIR",
        ),
    ] = None


@dataclass(frozen=True)
class WorkloadOptions(OptionGroup, panel="Workload"):
    """Workload that runs at every point instead of traffic: --workload."""

    workload: Annotated[
        Path | None,
        typer.Option(metavar="FILE|PROGRAM.py", help="Run this file at every point, as tsuji replay or tsuji mpi do."),
    ] = None


@with_option_groups
def sweep(
    network: NetworkOptions,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUES",
            help="start:stop:step (both ends included), a,b,c, or both (off,0:20:1); repeatable, every "
            "combination is run.",
            rich_help_panel=PointOptions.panel,
        ),
    ],
    kept: PointOptions,
    files: SweepFiles,
    workload: WorkloadOptions,
    program: ProgramOptions,
    ranks: RankOptions,
    ideal: IdealOptions,
    energy: PowerOptions,
) -> None:
    """Simulate a network at many values of its keys; print a table and draw the curve.

    Finished points are kept: after an interruption, the same command runs only the missing ones.

    [bold]Examples[/]

    The curve, start:stop:step with both ends:

      tsuji sweep examples/torus8x8.toml --over traffic.load=0.1:0.6:0.1

    and its picture: [bold]--plot latency.png[/]

    One curve per cache size, from a list:

      tsuji sweep examples/torus8x8.toml --over cache.entries=16,64,256 --over traffic.load=0.1:0.6:0.1

    Other settings, the same for all points:

      tsuji sweep examples/mesh2x3.toml --over switch.vcs=1:4:1 --set run.seed=7

    Idle times before links sleep; then energy against time: tsuji power sweep.json --pareto pareto.png

      tsuji sweep examples/torus8x8_computed.toml --power --over power.t_lt_ns=off,0,1000,2000 --json sweep.json

    A trace or a program at every point; --over takes keys of the configuration, ranks, mapping and collective.NAME:

      tsuji sweep examples/workload_torus4x4x4.toml --workload examples/goal/ring_allreduce.goal
      --over workload.send_overhead=0:1000:250

      tsuji sweep examples/workload_torus4x4x4.toml --workload examples/mpi/training_step.py --ranks 64
      --over collective.allreduce=ring,recursive_doubling --over mapping=linear,random:1
    """
    from sim.sweep.axes import parse

    axes = [parse(text) for text in over]
    work = _work(workload.workload, program, ranks, ideal)
    if work is None:
        _sweep_traffic(network, axes, kept, files, energy)
    else:
        _sweep_workload(network, axes, work, kept, files, energy)


def _work(path: Path | None, program: ProgramOptions, ranks: RankOptions, ideal: IdealOptions) -> Work | None:
    """Return the program, schedule or trace of --workload; None without one.

    Raises
    ------
    TsujiError
        If an option of workloads is given without one.
    """
    from sim.schedule.collectives.registry import parse_choices
    from sim.sweep.workload import Work

    if path is not None:
        return Work(
            path,
            program.ranks or 0,
            tuple(program.arguments or ()),
            parse_choices(ranks.collectives or []),
            ranks.mapping,
            ideal.ideal,
            ideal.finds_slow_down,
        )
    options = {
        "--ranks": program.ranks,
        "--arg": program.arguments,
        "--collective": ranks.collectives,
        "--mapping": ranks.mapping,
        "--ideal": ideal.ideal,
        "--slow-down": ideal.slow_down,
    }
    for option, given in options.items():
        if given is not None:
            raise TsujiError(f"{option}: needs a program or trace; name it with --workload")
    return None


def _sweep_traffic(
    network: NetworkOptions, axes: list[Axis], kept: PointOptions, files: SweepFiles, energy: PowerOptions
) -> None:
    """Run traffic at every point."""
    from sim.sweep.sweep import points, run

    console = files.console(width=80)
    todo = points(network.config, network.settings, axes, power=energy.power)
    values = [point.values for point in todo]
    directory = kept.kept_in("sweep", network.config.stem)
    with Points(Console(stderr=True), len(todo), directory) as progress:
        results = run(todo, directory, kept.workers, lambda number: progress.finished(values[number]), kept.executor)
    console.print(sweep_table(values, results))
    files.write(axes, results)
    if files.plot:
        from sim.plot.latency import plot as draw

        draw(values, results, files.plot)
        console.print(f"plot: {files.plot}", markup=False, soft_wrap=True)


def _sweep_workload(
    network: NetworkOptions, axes: list[Axis], work: Work, kept: PointOptions, files: SweepFiles, energy: PowerOptions
) -> None:
    """Run a program, schedule or trace at every point."""
    from sim.plot.workload_sweep import plot as draw
    from sim.sweep.sweep import run
    from sim.sweep.workload import workload_points

    console = files.console(width=80)
    todo = workload_points(network.config, network.settings, axes, work, power=energy.power)
    values = [point.values for point in todo]
    directory = kept.kept_in("sweep", f"{network.config.stem}-{work.path.name.partition('.')[0]}")
    with Points(Console(stderr=True), len(todo), directory) as progress:
        results = run(todo, directory, kept.workers, lambda number: progress.finished(values[number]), kept.executor)
    console.print(workload_table(values, results))
    files.write(axes, results)
    plot = files.plot or directory / "sweep.png"
    draw(values, results, plot, f"{work.path.name} on {network.config.stem}")
    console.print(f"plot: {plot}", markup=False, soft_wrap=True)
