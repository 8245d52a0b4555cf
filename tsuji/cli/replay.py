"""`tsuji replay`: schedules and traces, on a network or on the ideal one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from models.errors import TsujiError
from tsuji.cli.figures import add_power, number
from tsuji.cli.output import PARQUET, one_of, text_console, writable
from tsuji.cli.power_options import Power, PowerFile
from tsuji.cli.run import Overrides
from tsuji.progress import Phases

if TYPE_CHECKING:
    from sim.workload.result import WorkloadResult


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="GOAL (.goal, .goal.zst), or a time-independent trace: folder, .ti, .tar.zst."
        ),
    ],
    config: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG]", help="TOML file of a network; none with --ideal.")
    ] = None,
    overrides: Overrides = None,
    ideal: Annotated[
        str | None,
        typer.Option(
            metavar="PARAMETERS",
            help="LogGOPS parameters of the ideal network, such as L=2500,o=1500,g=1000,G=6,O=0,S=65535 (ns); without "
            "a CONFIG the file is replayed on it alone, else the slow-down is against it.",
        ),
    ] = None,
    and_file: Annotated[
        list[str] | None,
        typer.Option(
            "--and", metavar="FILE[@NS]", help="Another job beside, on the next nodes, started so many ns later."
        ),
    ] = None,
    mappings: Annotated[
        list[str] | None,
        typer.Option(
            "--mapping",
            metavar="FILE|STRATEGY",
            help="Node of each rank: a file of a node a line, or linear, blocked, round_robin, random:SEED, or "
            "coordinates:2,0,1 (the dimension that runs fastest first); once for all jobs together, or once a job.",
        ),
    ] = None,
    compute: Annotated[
        float | None, typer.Option(metavar="FACTOR", help="Multiply calculations by it; 0: they take no time.")
    ] = None,
    collectives: Annotated[
        list[str] | None,
        typer.Option(
            "--collective",
            metavar="NAME=ALGORITHM",
            help="Algorithm of a collective of traces, such as allreduce=ring.",
        ),
    ] = None,
    begin_after: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="ACTION N",
            help="Leave out what a trace does up to the Nth such action of each rank: 'barrier 1'.",
        ),
    ] = None,
    end_before: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="ACTION N", help="Leave out the rest, from the Nth such action on, counted from --from."
        ),
    ] = None,
    slow_down: Annotated[bool, typer.Option(help="Replay on the ideal network, too.")] = True,
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
    history: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.parquet",
            callback=one_of(PARQUET),
            help="Write the packets that pass --switch in --span, meanwhile.",
        ),
    ] = None,
    switch: Annotated[list[int] | None, typer.Option(metavar="S", help="A switch of the history.")] = None,
    span: Annotated[str, typer.Option(metavar="BEGIN:END", help="Cycles of the history.")] = "0:",
    power: Power = False,
    power_file: PowerFile = None,
) -> None:
    """Replay a GOAL schedule or a trace: how long it takes, and who waits.

    On a network its messages are packets of the cycle-exact simulation; --ideal is the LogGOPS model, without
    contention. docs/how_to/workloads.md tells more.

    [bold]Examples[/]

      tsuji replay examples/goal/ring_allreduce.goal --ideal L=2500,o=1500,g=1000,G=6,O=0,S=65535 --json out.json

      tsuji replay examples/goal/ring_allreduce.goal examples/workload_torus4x4x4.toml --links links.parquet

      tsuji replay cg.A.64.tar.zst examples/workload_torus4x4x4.toml --compute 0 --mapping random:1

    The part that the benchmark times:

      tsuji replay cg.A.64.tar.zst examples/workload_torus4x4x4.toml --from "barrier 1" --until "reduce 1"

    What it draws, with links that go to sleep when idle for 2 µs:

      tsuji replay examples/goal/ring_allreduce.goal examples/workload_torus4x4x4.toml --power --set power.t_lt_ns=2000
    """
    from sim.config import load
    from sim.files.table_file import write_frame
    from sim.measure.result import write_json
    from sim.messages.loggops import LogGOPS
    from sim.schedule.job import Job, with_mappings
    from sim.schedule.ti.timed_part import Mark, TimedPart
    from sim.workload.replay import Records, open_jobs, replay_ideal
    from sim.workload.replay import replay as replay_on

    if config is None and ideal is None:
        raise TsujiError("replay: say a CONFIG to replay on its network, or --ideal for the ideal one")
    console = text_console(json, csv, width=80)
    parameters = None if ideal is None else LogGOPS.parse(ideal)
    with Phases(Console(stderr=True)):
        part = TimedPart(*(None if text is None else Mark.parse(text) for text in (begin_after, end_before)))
        jobs: list[Job] = open_jobs([str(file), *(and_file or [])], collectives or [], part)
        if config is None:
            for option, given in (
                ("--set", overrides),
                ("--links", links),
                ("--history", history),
                ("--switch", switch),
                ("--mapping", mappings),
                ("--power", power or power_file),
            ):
                if given:
                    raise TsujiError(f"{option}: the ideal network has no switches; say a CONFIG")
            assert parameters is not None
            result = replay_ideal(jobs, parameters, 1.0 if compute is None else compute)
        else:
            settings = [*(overrides or []), *([] if compute is None else [f"workload.compute_scale={compute}"])]
            begin, end = _span(span)
            records = Records(links, chunk, history, switch or [], begin, end, power=power_file)
            network = load(config, settings, workload=True, power=power or power_file is not None)
            jobs = with_mappings(jobs, mappings or [], network)
            result = replay_on(jobs, network, parameters, records=records, slow_down=slow_down)
    console.print(result_table(result))
    if json:
        write_json(result.document(), json)
    if csv:
        write_frame(result.frame(), csv)


def _span(text: str) -> tuple[int, int]:
    """Return the first cycle of a span, and the one behind its last."""
    begin, colon, end = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return int(begin or 0), int(end) if end else 1 << 62
    except ValueError:
        raise TsujiError(f"--span {text}: expected BEGIN:END, in cycles") from None


def result_table(result: WorkloadResult) -> Table:
    """Return what was found as a table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("run time", number(result.run_time_ns, 0), "ns")
    if result.slow_down is not None:
        table.add_row("slow-down", number(result.slow_down, 3), "of the run time on the ideal network")
    ranks = result.ranks
    for name, values in (
        ("calculating", ranks.compute),
        ("sending, receiving", ranks.overhead),
        ("waiting", ranks.wait),
    ):
        table.add_row(name, number(float(values.mean()), 0), "ns, mean of ranks")
    table.add_row("operations", f"{result.operations:,}", "")
    table.add_row("messages", f"{result.messages:,}", f"{result.bytes:,} bytes")
    if result.packets is not None:
        table.add_row("packets", f"{result.packets:,}", f"{result.flit_hops:,} flit-hops")
    if result.links is not None and len(result.links):
        busy = result.links["busy"]
        table.add_row(
            "links in use", f"{100 * busy.mean():.2f}", f"% of what they can carry; the busiest {100 * busy.max():.2f}"
        )
    if result.power is not None:
        add_power(table, result.power)
    table.add_row("simulated in", number(result.wall_s), "s")
    return table
