"""`tsuji mpi`: a program in Python, an instance a rank, on a network or on the ideal one."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.output import PARQUET, folder, one_of, text_console, writable
from tsuji.cli.power_options import Power, PowerFile
from tsuji.cli.run import Overrides
from tsuji.progress import Phases


def mpi(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.py", help="As it would be run with mpi4py.")],
    config: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG]", help="TOML file of a network; none with --ideal.")
    ] = None,
    ranks: Annotated[int, typer.Option(metavar="N", help="Instances of the program.")] = 0,
    arguments: Annotated[
        list[str] | None, typer.Option("--arg", metavar="TEXT", help="Argument of the program; may be repeated.")
    ] = None,
    overrides: Overrides = None,
    ideal: Annotated[
        str | None,
        typer.Option(
            metavar="PARAMETERS",
            help="LogGOPS parameters of the ideal network, such as L=2500,o=1500,g=1000,G=6,O=0,S=65535 (ns); without "
            "a CONFIG the program runs on it alone, else the slow-down is against it.",
        ),
    ] = None,
    mapping: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|STRATEGY",
            help="Node of each rank: a file of a node a line, or linear, blocked, round_robin, random:SEED, or "
            "coordinates:2,0,1 (the dimension that runs fastest first).",
        ),
    ] = None,
    collectives: Annotated[
        list[str] | None,
        typer.Option("--collective", metavar="NAME=ALGORITHM", help="Algorithm, such as allreduce=ring."),
    ] = None,
    flops: Annotated[
        float, typer.Option(metavar="RATE", help="Floating-point operations a second of compute(flops=…).")
    ] = 1e10,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", callback=folder, help="Write a time-independent trace of what the ranks do."),
    ] = None,
    operations: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.parquet",
            callback=one_of(PARQUET),
            help="Write when each operation of each rank began and ended; tsuji view shows it.",
        ),
    ] = None,
    slow_down: Annotated[bool, typer.Option(help="Run the program on the ideal network, too.")] = True,
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=writable, help="Write what was found as JSON (-: standard output)."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=writable, help="Write a table, a row a rank: CSV, or Parquet if so named (-: CSV)."
        ),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.parquet",
            callback=one_of(PARQUET),
            help="Write what each link carries in each chunk of time, meanwhile.",
        ),
    ] = None,
    chunk: Annotated[int, typer.Option(metavar="CYCLES", help="Length of a chunk.")] = 50_000,
    power: Power = False,
    power_file: PowerFile = None,
) -> None:
    """Run an MPI program: how long it takes, and who waits.

    The program says `from mpi4py import MPI` as ever; its messages go through the cycle-exact simulation, or through
    the LogGOPS model with --ideal. What it calculates takes no time unless it says so: MPI.COMM_WORLD.compute(seconds).
    A program that waits for ever ends with who waits for whom, and exit code 1.

    [bold]Examples[/]

      tsuji mpi examples/mpi/ping_pong.py --ranks 2 --ideal L=2500,o=1500,g=1000,G=6

      tsuji mpi examples/mpi/alltoall_ring.py examples/torus8x8.toml --ranks 64 --json out.json
    """
    from sim.config import load
    from sim.files.table_file import write_frame
    from sim.measure.result import write_json
    from sim.messages.loggops import LogGOPS
    from sim.schedule.collectives.registry import parse_choices
    from sim.schedule.mapping import mapped
    from sim.workload.mpi_run import ProgramOptions, run_mpi
    from sim.workload.replay import Records
    from tsuji.cli.replay import result_table

    if config is None:
        for option, given in (
            ("--set", overrides),
            ("--links", links),
            ("--mapping", mapping),
            ("--power", power or power_file),
        ):
            if given:
                raise TsujiError(f"{option}: the ideal network has no nodes; say a CONFIG")
    console = text_console(json, csv, width=80)
    options = ProgramOptions(
        arguments or [], parse_choices(collectives or []), flops, record=record, operations=operations
    )
    printed = redirect_stdout(sys.stderr) if console.stderr else nullcontext()  # what the program prints
    with Phases(Console(stderr=True)), printed:
        settings = (
            None
            if config is None
            else load(config, overrides or [], workload=True, power=power or power_file is not None)
        )
        nodes = None if settings is None or mapping is None else mapped(mapping, ranks, settings)
        result, _ = run_mpi(
            program,
            ranks,
            settings,
            None if ideal is None else LogGOPS.parse(ideal),
            options,
            nodes=nodes,
            records=Records(links, chunk, power=power_file),
            slow_down=slow_down,
        )
    console.print(result_table(result))
    if json:
        write_json(result.document(), json)
    if csv:
        write_frame(result.frame(), csv)
