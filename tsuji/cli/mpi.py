"""`tsuji mpi`: runs a program in Python, one instance per rank, on a network or on the ideal one."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.network_options import NetworkOrIdeal
from tsuji.cli.option_groups import OptionGroup, with_option_groups
from tsuji.cli.output import PARQUET, folder, output_file
from tsuji.cli.power_options import PowerFileOptions
from tsuji.cli.workload_options import IdealOptions, LinkOptions, ProgramOptions, RankOptions
from tsuji.cli.workload_table import RankFiles
from tsuji.progress import Phases


@dataclass(frozen=True)
class RecordOptions(LinkOptions):
    """Records of links and ranks: also --record and --operations."""

    record: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", callback=folder, help="Record the program as a time-independent trace."),
    ] = None
    operations: Annotated[
        Path | None,
        output_file(
            "Write begin and end of each rank's operations, which tsuji view shows.",
            PARQUET,
            metavar="FILE.parquet",
        ),
    ] = None


@dataclass(frozen=True)
class RegionOptions(OptionGroup, panel="Region of interest"):
    """Calls between which the program is measured: --from and --until."""

    begin_after: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="CALL N",
            help="Measure each rank also on its own after its Nth such MPI call: 'barrier 1'; "
            "a program may say it itself, by tsuji.region_of_interest().",
        ),
    ] = None
    end_before: Annotated[
        str | None,
        typer.Option("--until", metavar="CALL N", help="Measure up to the Nth such call, counted from --from."),
    ] = None


@with_option_groups
def mpi(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.py", help="A script for mpi4py.")],
    network: NetworkOrIdeal,
    instances: ProgramOptions,
    ranks: RankOptions,
    ideal: IdealOptions,
    files: RankFiles,
    records: RecordOptions,
    region: RegionOptions,
    energy: PowerFileOptions,
    flops: Annotated[
        float, typer.Option(metavar="RATE", help="Floating-point operations per second of compute(flops=…).")
    ] = 1e10,
) -> None:
    """Run an MPI program; print its run time, and for how long ranks calculate, communicate and wait.

    The program uses `from mpi4py import MPI` as usual; its messages go through the cycle-exact simulation or, with
    --ideal, the LogGOPS model. Calculations take no simulated time unless the program calls
    MPI.COMM_WORLD.compute(seconds). A deadlocked program ends with exit code 1 and a list of the waiting ranks.

    [bold]Examples[/]

      tsuji mpi examples/mpi/ping_pong.py --ranks 2 --ideal L=2500,o=1500,g=1000,G=6

      tsuji mpi examples/mpi/alltoall_ring.py examples/torus8x8.toml --ranks 64 --json out.json

    What is between its first barrier and its second one, measured also on its own:

      tsuji mpi PROGRAM.py examples/torus8x8.toml --from "barrier 1" --until "barrier 1"
    """
    from sim.config import load
    from sim.schedule.collectives.registry import parse_choices
    from sim.schedule.mapping import mapped
    from sim.schedule.ti.timed_part import TimedPart
    from sim.workload import mpi_run
    from sim.workload.replay import Records

    network.refuse_without_config(links=records.links, mapping=ranks.mapping, power=energy.asked)
    console = files.console(width=80)
    options = mpi_run.ProgramOptions(
        instances.arguments or [],
        parse_choices(ranks.collectives or []),
        flops,
        record=records.record,
        operations=records.operations,
        part=TimedPart.parse(region.begin_after, region.end_before),
    )
    printed = redirect_stdout(sys.stderr) if console.stderr else nullcontext()  # the program's output
    with Phases(Console(stderr=True)), printed:
        settings, nodes, count = None, None, instances.ranks
        if network.config is not None:
            settings = load(network.config, network.settings, workload=True, power=energy.asked)
            if count is None:
                count = settings.networks.topologies()[0].nodes
            nodes = None if ranks.mapping is None else mapped(ranks.mapping, count, settings)
        if count is None:
            raise TsujiError("mpi: say a CONFIG, each of whose nodes gets one rank, or --ranks N for the ideal network")
        result, _ = mpi_run.run_mpi(
            program,
            count,
            settings,
            ideal.parameters,
            options,
            nodes=nodes,
            records=Records(records.links, records.chunk, power=energy.power_file),
            slow_down=ideal.finds_slow_down,
        )
    files.show(result, console)
