"""The public Python interface: a network described, run, swept, and what it measured as a data frame.

A description is what the command line takes: a TOML file, or its sections as a mapping; any key can be set beside it.

    import tsuji

    torus = {"topology": {"kind": "torus", "radix": [8, 8]}, "switch": {"routing": "dimension_order"}}
    frame = tsuji.sweep(torus, {"traffic.load": [0.1, 0.3, 0.5]})
    print(frame[["traffic.load", "accepted_traffic", "packet_latency.mean"]])
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import networkx as nx
import pandas as pd
from rich.console import Console

from sim import simulation, table
from sim import sweep as sweeping
from sim.axes import Axis
from sim.config import Config, load
from sim.network import Network
from sim.planes import PlaneNetwork
from sim.result import Result
from sim.topology.base import Topology
from sim.topology.graph import to_keys
from tsuji.cli.progress import Phases, Points

if TYPE_CHECKING:
    Description = str | os.PathLike[str] | Mapping[str, Mapping[str, Any] | nx.Graph[Any]]
    """A TOML file, or sections of keys; the topology may be an undirected graph."""


def config(description: Description, settings: Mapping[str, Any] | None = None) -> Config:
    """Return the checked configuration that a description means, every default filled in.

    Parameters
    ----------
    description : path or mapping
        TOML file, or its sections: `{"topology": {"kind": "mesh"}}`; None is as if the key was left out. The topology
        may be a graph of networkx whose vertices are switches: `sim.topology.graph.from_networkx` tells of attributes.
        docs/simulation.md lists every key.
    settings : mapping or None
        Keys to set beside, such as `{"traffic.load": 0.4}`.

    Raises
    ------
    models.errors.TsujiError
        Naming the key, its value and what is allowed.
    """
    return load(*_source(description, settings))


def topology(description: Description, settings: Mapping[str, Any] | None = None) -> Topology:
    """Return the switches, links and nodes of a description, with its `figures`; parameters as of `config`."""
    return config(description, settings).topology.build()


def build(description: Description, settings: Mapping[str, Any] | None = None) -> Network | PlaneNetwork:
    """Return the network at reset, to drive by hand: `offer` packets, `advance` cycles; parameters as of `config`.

    Raises
    ------
    models.errors.TsujiError
        As `config`, and if the routes can deadlock.
    """
    return simulation.build(config(description, settings))


def run(description: Description, settings: Mapping[str, Any] | None = None, *, progress: bool = False) -> Result:
    """Measure a network; the same as `tsuji run`.

    Parameters
    ----------
    description, settings
        As of `config`.
    progress : bool
        Show a progress bar on standard error.

    Raises
    ------
    models.errors.TsujiError
        As `build`.
    """
    settled = config(description, settings)
    if not progress:
        return simulation.simulate(settled)
    with Phases(Console(stderr=True)) as phases:
        return simulation.simulate(settled, phases.update)


def frame(results: Result | Iterable[Result]) -> pd.DataFrame:
    """Return results as a tidy table: a row each, a column a configuration key (`traffic.load`) or figure."""
    return table.frame([results] if isinstance(results, Result) else results)


def sweep(
    description: Description,
    over: Mapping[str, Iterable[Any]],
    settings: Mapping[str, Any] | None = None,
    *,
    workers: int = 1,
    directory: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Measure a network at every combination of values; the same as `tsuji sweep`.

    Parameters
    ----------
    description, settings
        As of `config`.
    over : mapping of str to iterable
        Keys and the values each takes; the last key runs fastest.
    workers : int
        Processes side by side, which changes nothing but the time. A program that asks for more than one is to be
        guarded by `if __name__ == "__main__":`, as `multiprocessing` wants it.
    directory : path or None
        Where finished points are kept, so that a sweep that was ended goes on; None: nowhere.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    pandas.DataFrame
        As `frame`.

    Raises
    ------
    models.errors.TsujiError
        If any point is refused; then none has run.
    """
    axes = [Axis(key, tuple(map(_text, values))) for key, values in over.items()]
    points = sweeping.points(*_source(description, settings), axes)
    with TemporaryDirectory() as passing:
        folder = Path(directory or passing)
        if not progress:
            return frame(sweeping.run(points, folder, workers))
        with Points(Console(stderr=True), len(points), folder) as shown:
            return frame(
                sweeping.run(points, folder, workers, lambda number: shown.finished(points[number].values, len(points)))
            )


def _source(description: Description, settings: Mapping[str, Any] | None) -> tuple[Path | None, list[str]]:
    """Return a description as a file and overrides."""
    given = [f"{key}={_text(value)}" for key, value in (settings or {}).items()]
    if not isinstance(description, Mapping):
        return Path(description), given
    sections = []
    for name, section in description.items():
        keys = to_keys(section) if name == "topology" and isinstance(section, nx.Graph) else section
        # A section that is there, though empty, turns its feature on.
        sections.append(f"{name}={{}}")
        sections += [f"{name}.{key}={_text(value)}" for key, value in keys.items() if value is not None]
    return None, sections + given


def _text(value: Any) -> str:
    """Return a value, one of NumPy too, as the configuration language writes it."""
    return json.dumps(value, ensure_ascii=False, default=lambda other: other.tolist())
