"""Options of commands in which ranks exchange messages: programs, schedules and traces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tsuji.cli.option_groups import OptionGroup
from tsuji.cli.output import PARQUET, output_file

if TYPE_CHECKING:
    from sim.messages.loggops import LogGOPS

NODE_OF_EACH_RANK = (
    "Node of each rank: a file with one node per line, or linear, blocked, round_robin, random:SEED, or "
    "coordinates:2,0,1 (the fastest-varying dimension first)"
)


@dataclass(frozen=True)
class ProgramOptions(OptionGroup, panel="Program"):
    """Number and arguments of a program's instances: --ranks and --arg."""

    ranks: Annotated[
        int | None, typer.Option(metavar="N", help="Instances of the program.", show_default="one per node")
    ] = None
    arguments: Annotated[
        list[str] | None, typer.Option("--arg", metavar="TEXT", help="Argument of the program; repeatable.")
    ] = None


@dataclass(frozen=True)
class CollectiveOptions(OptionGroup, panel="Ranks"):
    """Algorithms of collectives: --collective."""

    collectives: Annotated[
        list[str] | None,
        typer.Option(
            "--collective",
            metavar="NAME=ALGORITHM",
            help="Algorithm of a collective, such as allreduce=ring; repeatable.",
        ),
    ] = None


@dataclass(frozen=True)
class RankOptions(CollectiveOptions):
    """Algorithms of collectives, and nodes of ranks: --collective and --mapping."""

    mapping: Annotated[str | None, typer.Option(metavar="FILE|STRATEGY", help=f"{NODE_OF_EACH_RANK}.")] = None


@dataclass(frozen=True)
class JobOptions(CollectiveOptions):
    """Several jobs, and nodes of their ranks: --collective, --and and --mapping."""

    and_files: Annotated[
        list[str] | None,
        typer.Option(
            "--and",
            metavar="FILE[@NS]",
            help="Another job at the same time, on the next nodes; starts NS nanoseconds after the first.",
        ),
    ] = None
    mappings: Annotated[
        list[str] | None,
        typer.Option(
            "--mapping",
            metavar="FILE|STRATEGY",
            help=f"{NODE_OF_EACH_RANK}; once for all jobs, or once per job.",
        ),
    ] = None


@dataclass(frozen=True)
class IdealOptions(OptionGroup, panel="Ideal network"):
    """The network without contention: --ideal and --slow-down."""

    ideal: Annotated[
        str | None,
        typer.Option(
            metavar="PARAMETERS",
            help="LogGOPS parameters, ns, of the ideal network, with which the run time is compared, such as "
            "L=2500,o=1500,g=1000,G=6, and O and S; without a CONFIG it is the only network.",
        ),
    ] = None
    slow_down: Annotated[bool | None, typer.Option(help="Run also on the ideal network.", show_default="yes")] = None

    @property
    def parameters(self) -> LogGOPS | None:
        """Parameters of the ideal network; None: those of the network without contention."""
        from sim.messages.loggops import LogGOPS

        return None if self.ideal is None else LogGOPS.parse(self.ideal)

    @property
    def finds_slow_down(self) -> bool:
        """Whether to run also on the ideal network."""
        return self.slow_down is not False


@dataclass(frozen=True)
class LinkOptions(OptionGroup, panel="Records"):
    """Traffic of links: --links and --chunk."""

    links: Annotated[
        Path | None,
        output_file(
            "Write the traffic of each link per chunk of time while the simulation runs.",
            PARQUET,
            metavar="FILE.parquet",
        ),
    ] = None
    chunk: Annotated[int, typer.Option(metavar="CYCLES", help="Length of a chunk.")] = 50_000
