"""The public Python interface: describe a network, run or sweep it, and get its figures as a data frame.

A description is a TOML file, or its sections as a mapping; settings override any key.

    import tsuji

    torus = {"topology": {"kind": "torus", "radix": [8, 8]}, "switch": {"routing": "dimension_order"}}
    frame = tsuji.sweep(torus, {"traffic.load": [0.1, 0.3, 0.5]})
    print(frame[["traffic.load", "accepted_traffic", "packet_latency.mean"]])
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.console import Console

from models.errors import TsujiError
from sim import simulation
from sim.config import Config, load, load_network
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.measure import table
from sim.measure.result import Documented, Result
from sim.sweep import sweep as sweeping
from sim.sweep.axes import LOAD, Axis
from sim.sweep.curve import CurveSearch
from sim.sweep.runnable import Runnable
from sim.sweep.saturation import SaturationSearch
from sim.sweep.search import S, Told, explore
from sim.sweep.sweep import Simulations
from sim.topology.base import Topology
from tsuji.description import source, text_of, without_load
from tsuji.progress import Phases, Points

if TYPE_CHECKING:
    import pandas as pd

    from tsuji.description import Description


def config(description: Description, settings: Mapping[str, Any] | None = None) -> Config:
    """Return the checked configuration of a description, every default filled in.

    Parameters
    ----------
    description : path, mapping or graph
        TOML file, or its sections: `{"topology": {"kind": "mesh"}}`; a key or section of None counts as left out. The
        topology, or the whole description, may be a graph of networkx whose vertices are switches:
        `sim.topology.graph.from_networkx` documents the attributes. Positions (`x`, `y`, `z`) are ignored. Each vertex
        has one node unless its attribute `nodes`, or the setting `topology.locals`, says otherwise.
        docs/reference/configuration.md lists every key.
    settings : mapping or None
        Keys to override, such as `{"traffic.load": 0.4}`.

    Raises
    ------
    tsuji.TsujiError
        If a value is not allowed; the message names key, value and what is allowed.
    """
    return load(*source(description, settings))


def topology(description: Description, settings: Mapping[str, Any] | None = None) -> Topology:
    """Return the switches, links and nodes of a description, with `figures`; parameters as in `config`.

    Only the sections [topology], [planes] and [faults] are read; of several planes, the first is returned.

    Raises
    ------
    tsuji.TsujiError
        As `config`.
    """
    return load_network(*source(description, settings)).topologies()[0]


def build(description: Description, settings: Mapping[str, Any] | None = None) -> Network | PlaneNetwork:
    """Return the network at reset, to drive by `offer` (packets) and `advance` (cycles); parameters as in `config`.

    Raises
    ------
    tsuji.TsujiError
        As `config`, and if the routes can deadlock.
    """
    return simulation.build(config(description, settings))


def run(
    description: Description,
    settings: Mapping[str, Any] | None = None,
    *,
    power_file: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Result:
    """Measure a network.

    Parameters
    ----------
    description
        As in `config`; a section `power` adds the energy account.
    settings
        As in `config`; a section `power` adds the energy account.
    power_file : path or None
        Parquet or CSV file of the power of links, chunk by chunk; needs a section `power`, empty or not.
    progress : bool
        Show a progress bar on standard error.

    Raises
    ------
    tsuji.TsujiError
        As `build`.
    """
    path = None if power_file is None else Path(power_file)
    if not progress:
        return simulation.simulate(config(description, settings), power_file=path)
    with Phases(Console(stderr=True)) as phases:
        return simulation.simulate(config(description, settings), phases.update, path)


def frame(results: Documented | Iterable[Documented]) -> pd.DataFrame:
    """Return a tidy table: one row per result, one column per configuration key (`traffic.load`) or figure.

    Keys that differ between results come first, then the figures, then the other keys. Lists are text, as JSON; missing
    numbers are NaN.
    """
    return table.sorted_frame(results if isinstance(results, Iterable) else [results])


def sweep(
    description: Description,
    over: Mapping[str, Iterable[Any]],
    settings: Mapping[str, Any] | None = None,
    *,
    workload: str | os.PathLike[str] | None = None,
    ranks: int = 0,
    arguments: Sequence[str] = (),
    collectives: Mapping[str, str] | None = None,
    mapping: str | None = None,
    ideal: str | None = None,
    slow_down: bool = True,
    workers: int | None = None,
    executor: str = "local",
    directory: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Measure a network at every combination of values.

    Parameters
    ----------
    description
        As in `config`.
    settings
        As in `config`.
    over : mapping of str to iterable
        Keys and their values; the last key varies fastest.
    workload : path or None
        A program (`.py`), schedule or trace that is run at every point instead of traffic by a pattern; `over` then
        also takes `ranks`, `mapping` and `collective.NAME`.
    ranks
        Ranks of an MPI program, as in `mpi`.
    arguments
        Arguments of an MPI program, as in `mpi`.
    collectives
        Algorithms by collective, as in `mpi`.
    mapping
        Nodes of the ranks, as in `mpi`.
    ideal
        LogGOPS parameters of the ideal network, as in `mpi`.
    slow_down
        Whether the slow-down against the ideal network is computed, as in `mpi`.
    workers : int or None
        Number of parallel processes, None: 1; results do not depend on it. A program that uses more than one must be
        guarded by `if __name__ == "__main__":`, as `multiprocessing` requires.
    executor : str
        Where points are computed: `local`, `dask://HOST:PORT` or `slurm:` and options; another than `local` has workers
        of its own.
    directory : path or None
        Folder in which finished points are kept, so that an interrupted sweep can resume; None: not kept.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    pandas.DataFrame
        One row per point. Columns are the keys of `over`, those that change with them, and the figures, as `frame`; for
        a workload `run_time_ns`, `slow_down`, `messages` and so on, means over ranks, utilisation of links. All other
        keys are members of the frame's `attrs`.

    Raises
    ------
    tsuji.TsujiError
        If any point is refused, before any has run.
    """
    points: Sequence[Runnable[Documented]]
    if workload is None:
        points = sweeping.points(*source(description, settings), _axes(over))
    else:
        from sim.sweep.workload import Work, workload_points

        work = Work(Path(workload), ranks, tuple(arguments), collectives or {}, mapping, ideal, slow_down)
        points = workload_points(*source(description, settings), _axes(over), work)
    with _keeping(directory, progress, len(points)) as (folder, shown):
        told = None if shown is None else lambda number: shown(points[number].values, len(points))
        return table.sorted_frame(sweeping.run(points, folder, workers, told, executor), list(over), apart=True)


def curve(
    description: Description,
    over: Mapping[str, Iterable[Any]] | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    points: int = 20,
    workers: int | None = None,
    executor: str = "local",
    directory: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Measure the whole latency–throughput curve, with loads chosen where it bends.

    Parameters
    ----------
    description
        As in `sweep`; the description's `traffic.load` is ignored.
    settings
        As in `sweep`.
    workers
        As in `sweep`.
    executor
        As in `sweep`.
    directory
        As in `sweep`.
    progress
        As in `sweep`.
    over : mapping of str to iterable or None
        Keys and values; one curve per combination.
    points : int
        Simulations per curve, 6 to 1000.

    Returns
    -------
    pandas.DataFrame
        As `sweep`: curve by curve, in order of load.

    Raises
    ------
    tsuji.TsujiError
        If a configuration is refused, before anything has run.
    """
    found = _explore(
        description, over, settings, lambda base: CurveSearch(base, points), workers, executor, directory, progress
    )
    results = (result for _, search in found for load in sorted(search.results) for result in search.results[load])
    return table.sorted_frame(results, [*(over or {}), LOAD], apart=True)


def saturate(
    description: Description,
    over: Mapping[str, Iterable[Any]] | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    tolerance: float = 0.01,
    shortfall: float = 0.05,
    seeds: int = 1,
    workers: int | None = None,
    executor: str = "local",
    directory: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Find the greatest load that a network carries.

    Parameters
    ----------
    description
        As in `curve`.
    over
        As in `curve`.
    settings
        As in `curve`.
    workers
        As in `curve`.
    directory
        As in `curve`.
    progress
        As in `curve`.
    tolerance : float
        Resolution of the load, flits/node/cycle.
    shortfall : float
        Share of the offered traffic that may be missing from the accepted traffic.
    seeds : int
        Number of simulations per load.

    Returns
    -------
    pandas.DataFrame
        One row per combination: its values, and the members of `tsuji.SaturationPoint`.

    Raises
    ------
    tsuji.TsujiError
        If a configuration is refused, before anything has run.
    """
    found = _explore(
        description,
        over,
        settings,
        lambda base: SaturationSearch(base, tolerance, shortfall, seeds),
        workers,
        executor,
        directory,
        progress,
    )
    import pandas as pd

    rows = ({key: json.loads(value) for key, value in values.items()} for values, _ in found)
    return table.typed(
        pd.DataFrame([{**row, **search.point._asdict()} for row, (_, search) in zip(rows, found, strict=True)])
    )


def _explore(
    description: Description,
    over: Mapping[str, Iterable[Any]] | None,
    settings: Mapping[str, Any] | None,
    start: Callable[[Config], S],
    workers: int | None,
    executor: str,
    directory: str | os.PathLike[str] | None,
    progress: bool,
) -> list[tuple[dict[str, str], S]]:
    """Search at every combination; return the settings of each, and its search."""
    path, given = source(without_load(description), settings)
    with _keeping(directory, progress) as (folder, shown), Simulations(folder, workers, executor) as simulations:
        return explore(path, given, _axes(over or {}), start, simulations, shown)


def _axes(over: Mapping[str, Iterable[Any]]) -> list[Axis]:
    """Return keys and their values as the configuration language writes them."""
    for key, values in over.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TsujiError(f"{key} = {values!r}: must be a list of values, such as [{values!r}]")
    return [Axis(key, tuple(map(text_of, values))) for key, values in over.items()]


@contextmanager
def _keeping(
    directory: str | os.PathLike[str] | None, progress: bool, total: int | None = None
) -> Iterator[tuple[Path, Told | None]]:
    """Yield the folder for points, a temporary one if none is given, and the callback of the progress bar."""
    with ExitStack() as stack:
        folder = Path(directory or stack.enter_context(TemporaryDirectory()))
        yield folder, stack.enter_context(Points(Console(stderr=True), total, folder)).finished if progress else None
