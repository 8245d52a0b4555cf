"""Options and output files of the commands that simulate many points."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from tsuji.cli.option_groups import OptionGroup
from tsuji.cli.output import JsonFile, json_file, table_file
from tsuji.progress import Points

if TYPE_CHECKING:
    from sim.config import Config
    from sim.measure.result import Documented
    from sim.sweep.axes import Axis
    from sim.sweep.search import S
    from tsuji.cli.network_options import NetworkOptions

CPUS = os.cpu_count() or 1

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Simulations that run in parallel; fewer if each has several threads (run.threads) and there are not as "
        "many CPUs.",
        show_default="one per CPU",
    ),
]


@dataclass(frozen=True)
class AxisOptions(OptionGroup, panel="Points"):
    """Keys and values at which searches run: --over."""

    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="One search per value of start:stop:step (both ends included) or a,b,c; repeatable, for every "
            "combination.",
        ),
    ] = None

    @property
    def axes(self) -> list[Axis]:
        """The keys and their values."""
        from sim.sweep.axes import parse

        return [parse(each) for each in self.over or []]


@dataclass(frozen=True)
class PointOptions(OptionGroup, panel="Points"):
    """Where points are computed, and folder of results: --workers, --executor and --dir."""

    given_workers: Workers = None
    executor: Annotated[
        str,
        typer.Option(
            metavar="WHERE",
            help="Where points are computed: local, dask://HOST:PORT (the scheduler of a Dask cluster), or "
            "slurm:jobs=4,cores=16,memory=64GB,walltime=04:00:00 (also queue, account, interface).",
        ),
    ] = "local"
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            metavar="DIR",
            help="Folder in which finished points are kept.",
            show_default="build/<command>/<CONFIG's name>",
        ),
    ] = None

    @property
    def workers(self) -> int | None:
        """Number of processes; None with an executor that has workers of its own."""
        return CPUS if self.given_workers is None and self.executor == "local" else self.given_workers

    def kept_in(self, command: str, name: str) -> Path:
        """Return the folder in which a command keeps finished points; `name` is that of the configuration.

        Raises
        ------
        TsujiError
            If it cannot be written to.
        """
        from sim.files.output_file import check_folder

        found = self.directory or Path("build") / command / name
        check_folder(found, f"--dir {found}")
        return found

    def search(
        self, command: str, network: NetworkOptions, axes: list[Axis], start: Callable[[Config], S]
    ) -> list[tuple[dict[str, str], S]]:
        """Search over the load at every combination of the axes' values; return the settings of each, and its search.

        Parameters
        ----------
        command : str
            Name of the command that searches.
        network : NetworkOptions
            The network at which axes are varied.
        axes : list of Axis
            Keys and their values; empty: one search.
        start : callable
            Returns the search of a configuration.
        """
        from sim.sweep.search import explore
        from sim.sweep.sweep import Simulations

        directory = self.kept_in(command, network.config.stem)
        progress = Points(Console(stderr=True), None, directory)
        with progress, Simulations(directory, self.workers, self.executor) as simulations:
            return explore(network.config, network.settings, axes, start, simulations, progress.finished)


@dataclass(frozen=True)
class PointFiles(JsonFile):
    """Files of all points: --json and --csv."""

    json: Annotated[Path | None, json_file("all points")] = None
    csv: Annotated[Path | None, table_file("with one row per point")] = None

    def write(self, axes: Sequence[Axis], results: Sequence[Documented], more: Mapping[str, Any] | None = None) -> None:
        """Write results and their values of the axes to the requested files; `more` is added to the JSON."""
        if self.json:
            from sim.measure.result import write_json

            over = {axis.key: list(axis.values) for axis in axes}
            documents = [result.document() for result in results]
            write_json({"version": version("tsuji"), "over": over, **(more or {}), "points": documents}, self.json)
        if self.csv:
            from sim.measure.table import write_table

            write_table(results, self.csv)
