"""Searches over the load: rounds of simulations, each round chosen from the results of the previous rounds.

The next loads depend only on results, so the points are the same for any number of workers, and an interrupted search
finds its finished points again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_DOWN, Context, Decimal
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from models.errors import TsujiError
from sim.config import Config
from sim.measure.result import Result
from sim.sweep.axes import LOAD, Axis
from sim.sweep.sweep import Point, Simulations, point, points

ALMOST_NONE = f"{LOAD}=0.000001"  # load with which a configuration is checked before a search has chosen any

Told = Callable[[dict[str, str], int], None]
"""Called with the settings of each finished point, and the currently expected total number of points."""


class Search(Protocol):
    """A search over the load of one configuration."""

    @property
    def config(self) -> Config:
        """Configuration of the network; its load is ignored."""

    @property
    def seeds(self) -> int:
        """Number of simulations per load, with seeds `run.seed`, `run.seed` + 1, …."""

    @property
    def results(self) -> dict[Decimal, list[Result]]:
        """Results so far, by load."""

    @property
    def expected(self) -> int:
        """Expected total number of loads."""

    def wanted(self) -> list[Decimal]:
        """Return the loads to simulate next; empty when the search is over."""

    def tell(self, load: Decimal, results: list[Result]) -> None:
        """Record the results of a load that was wanted, one per seed."""


S = TypeVar("S", bound=Search)


def explore(
    path: Path | None,
    overrides: Iterable[str],
    axes: list[Axis],
    start: Callable[[Config], S],
    simulations: Simulations,
    told: Told | None = None,
) -> list[tuple[dict[str, str], S]]:
    """Search at every combination of the axes' values, all in parallel.

    Parameters
    ----------
    path : Path or None
        Configuration file; its load is not used.
    overrides : iterable of str
        Overrides `key=value` for all searches.
    axes : list of Axis
        Keys that differ between searches; empty: one search.
    start : callable
        Returns the search for a configuration.
    simulations : Simulations
        Runs the points of each round.
    told : callable or None
        Called for each point as its result becomes available.

    Returns
    -------
    list of (dict, search)
        Settings of each search's configuration, and the finished search.

    Raises
    ------
    TsujiError
        If a configuration is refused, or sets the load.
    """
    fixed = list(overrides)
    if LOAD in [axis.key for axis in axes] or any(each.partition("=")[0].strip() == LOAD for each in fixed):
        raise TsujiError(f"{LOAD}: is what this command chooses; leave it out, or use tsuji sweep")
    checked = points(path, [*fixed, ALMOST_NONE], axes)
    if any(each.config.measure.mode == "batch" for each in checked):
        raise TsujiError('measure.mode = "batch": a batch has no load to search for; leave it out, or use tsuji sweep')
    searches = [(each.values, start(each.config)) for each in checked]
    while any(rounds := [search.wanted() for _, search in searches]):
        wanted = [(*each, load) for each, loads in zip(searches, rounds, strict=True) for load in loads]
        todo = [
            point(path, fixed, {**values, LOAD: text(load), **_seed(search, number)})
            for values, search, load in wanted
            for number in range(search.seeds)
        ]
        expected = sum(
            search.seeds * (max(search.expected, len(search.results) + len(loads)) if loads else len(search.results))
            for (_, search), loads in zip(searches, rounds, strict=True)
        )

        def finished(number: int, todo: list[Point] = todo, expected: int = expected) -> None:
            if told:
                told(todo[number].values, expected)

        results = iter(simulations.run(todo, finished))
        for _, search, load in wanted:
            search.tell(load, list(islice(results, search.seeds)))
    return searches


def _seed(search: Search, number: int) -> dict[str, str]:
    """Return the settings of a load's further simulations."""
    return {"run.seed": str(search.config.run.seed + number)} if number else {}


def ceiling(config: Config) -> Decimal:
    """Return the greatest load worth offering, flits/node/cycle, to six digits and never above it.

    It is the capacity of a node's ports, over all planes, or the limit of its arrivals.
    """
    planes = config.planes.planes if config.planes else 1
    most = min(planes * config.switch.node_ports / config.switch.speedup, config.most_load())
    # Rounded to 12 digits first, because rounding down would turn a floating-point error into a whole step.
    return Context(prec=6, rounding=ROUND_DOWN).create_decimal(f"{most:.12g}")


def text(load: Decimal) -> str:
    """Return a load as `--set` takes it, without exponent."""
    return f"{load.normalize():f}"
