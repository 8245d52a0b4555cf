"""`tsuji replay`: schedules and traces, on a network or on the ideal one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.network_options import NetworkOrIdeal
from tsuji.cli.option_groups import OptionGroup, with_option_groups
from tsuji.cli.output import PARQUET, output_file
from tsuji.cli.power_options import PowerFileOptions
from tsuji.cli.workload_options import IdealOptions, JobOptions, LinkOptions
from tsuji.cli.workload_table import RankFiles
from tsuji.progress import Phases

if TYPE_CHECKING:
    from sim.schedule.ti.timed_part import TimedPart


@dataclass(frozen=True)
class PartOptions(OptionGroup, panel="Trace"):
    """The part of a trace that is replayed, and its communicators: --from, --until and --group."""

    begin_after: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="ACTION N",
            help="Skip a trace up to the Nth such action of each rank: 'barrier 1'.",
        ),
    ] = None
    end_before: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="ACTION N", help="Skip the rest, from the Nth such action on, counted from --from."
        ),
    ] = None
    groups: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="COLLECTIVE COUNT: SIZE [stride S]",
            help="Run collectives of this count in groups of SIZE ranks, S apart, as a trace names no communicators: "
            "'alltoall 256: 128 stride 2'; repeatable.",
        ),
    ] = None

    @property
    def part(self) -> TimedPart:
        """The selected part."""
        from sim.schedule.ti.timed_part import TimedPart

        return TimedPart.parse(self.begin_after, self.end_before)


@dataclass(frozen=True)
class RecordOptions(LinkOptions):
    """Records of links, and of packets at some switches: also --history, --switch and --span."""

    history: Annotated[
        Path | None,
        output_file(
            "Write the packets that pass --switch in --span while the simulation runs.", PARQUET, metavar="FILE.parquet"
        ),
    ] = None
    switch: Annotated[list[int] | None, typer.Option(metavar="S", help="Switch of the history; repeatable.")] = None
    span: Annotated[str, typer.Option(metavar="BEGIN:END", help="Cycles of the history.")] = "0:"

    @property
    def cycles(self) -> tuple[int, int]:
        """First cycle of the span, and its last cycle + 1."""
        begin, colon, end = self.span.partition(":")
        try:
            if not colon:
                raise ValueError
            return int(begin or 0), int(end) if end else 1 << 62
        except ValueError:
            raise TsujiError(f"--span {self.span}: expected BEGIN:END, in cycles") from None


@with_option_groups
def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="GOAL, text or binary; or a time-independent trace: folder, list, one file, archive."
        ),
    ],
    network: NetworkOrIdeal,
    jobs: JobOptions,
    part: PartOptions,
    ideal: IdealOptions,
    files: RankFiles,
    record: RecordOptions,
    energy: PowerFileOptions,
    compute: Annotated[
        float | None, typer.Option(metavar="FACTOR", help="Factor on the time of calculations; 0: they take no time.")
    ] = None,
) -> None:
    """Replay a GOAL schedule or a trace; print its run time, and for how long ranks calculate, communicate and wait.

    On a network, messages are packets of the cycle-exact simulation; --ideal selects the LogGOPS model, without
    contention. See docs/how_to/workloads.md.

    [bold]Examples[/]

      tsuji replay examples/goal/ring_allreduce.goal --ideal L=2500,o=1500,g=1000,G=6,O=0,S=65535 --json out.json

      tsuji replay examples/goal/ring_allreduce.goal examples/workload_torus4x4x4.toml --links links.parquet

      tsuji replay cg.A.64.tar.zst examples/workload_torus4x4x4.toml --compute 0 --mapping random:1

    The part that the benchmark times:

      tsuji replay cg.A.64.tar.zst examples/workload_torus4x4x4.toml --from "barrier 1" --until "reduce 1"

    FT among 256 ranks, whose all-to-alls run among 128 and among 2 of them:

      tsuji replay ft.A.256.tar.zst CONFIG --group "alltoall 256: 128 stride 2" --group "alltoall 16384: 2"

    Power, with links that go to sleep when idle for 2 µs:

      tsuji replay examples/goal/ring_allreduce.goal examples/workload_torus4x4x4.toml --power --set power.t_lt_ns=2000
    """
    from sim.config import load
    from sim.schedule.job import with_mappings
    from sim.workload.replay import Records, open_jobs, replay_ideal
    from sim.workload.replay import replay as replay_on

    if network.config is None and ideal.ideal is None:
        raise TsujiError("replay: say a CONFIG to replay on its network, or --ideal for the ideal one")
    console = files.console(width=80)
    parameters = ideal.parameters
    with Phases(Console(stderr=True)):
        opened = open_jobs([str(file), *(jobs.and_files or [])], jobs.collectives or [], part.part, part.groups or [])
        network.refuse_without_config(
            links=record.links,
            history=record.history,
            switch=record.switch,
            mapping=jobs.mappings,
            power=energy.asked,
        )
        if network.config is None:
            assert parameters is not None
            result = replay_ideal(opened, parameters, 1.0 if compute is None else compute)
        else:
            settings = [*network.settings, *([] if compute is None else [f"workload.compute_scale={compute}"])]
            records = Records(
                record.links, record.chunk, record.history, record.switch or [], *record.cycles, power=energy.power_file
            )
            configuration = load(network.config, settings, workload=True, power=energy.asked)
            placed = with_mappings(opened, jobs.mappings or [], configuration)
            result = replay_on(placed, configuration, parameters, records=records, slow_down=ideal.finds_slow_down)
    files.show(result, console)
