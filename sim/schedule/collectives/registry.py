"""Algorithms of collectives by name. The decorator `algorithm` registers a function that yields rounds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from models.errors import TsujiError
from sim.schedule.collectives.rounds import Rounds

RoundsOf = Callable[[int, int, int, int], Rounds]
"""Returns the rounds of (rank, ranks, root, segments); collectives without root or segments ignore the last two."""

DEFAULTS = {
    "allgather": "ring",
    "allreduce": "recursive_doubling",
    "alltoall": "pairwise",
    "alltoallv": "pairwise",
    "barrier": "dissemination",
    "bcast": "binomial",
    "gather": "binomial",
    "reduce": "binomial",
    "reduce_scatter": "pairwise",
    "scan": "recursive_doubling",
    "scatter": "binomial",
}
"""Default algorithm of each collective."""


@dataclass(frozen=True, eq=False)
class Algorithm:
    """One algorithm of a collective.

    Attributes
    ----------
    collective, name : str
        Collective, and name of the algorithm.
    rounds : callable
        Returns the rounds of a rank: `rounds(rank, ranks, root, segments)`.
    segments : callable
        Returns the number of segments of a message of `elements` elements of `size` bytes on `ranks` ranks:
        `segments(ranks, elements, size)`; 1 for collectives whose blocks are ranks' parts.
    in_order : bool
        Whether operands are combined in the order of ranks, so that the operation need not commute.
    """

    collective: str
    name: str
    rounds: RoundsOf
    segments: Callable[[int, int, int], int]
    in_order: bool


_entered: dict[str, dict[str, Algorithm]] = {}


def whole(ranks: int, elements: int, size: int) -> int:
    """Return 1: the message is not split."""
    return 1


def by_ranks(ranks: int, elements: int, size: int) -> int:
    """Return `ranks`: one segment per rank."""
    return ranks


def algorithm(
    *collectives: str, name: str, segments: Callable[[int, int, int], int] = whole, in_order: bool = True
) -> Callable[[RoundsOf], RoundsOf]:
    """Register a function as an algorithm of each collective in `collectives`; a decorator."""

    def enter(rounds: RoundsOf) -> RoundsOf:
        for collective in collectives:
            known = _entered.setdefault(collective, {})
            if name in known:
                raise ValueError(f"{collective}: {name} is entered twice")
            known[name] = Algorithm(collective, name, rounds, segments, in_order)
        return rounds

    return enter


def algorithms() -> dict[str, dict[str, Algorithm]]:
    """Return all algorithms by collective and name."""
    package = importlib.import_module("sim.schedule.collectives")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return _entered


def find(collective: str, name: str | None = None) -> Algorithm:
    """Return an algorithm of a collective by name; None: the default algorithm.

    Raises
    ------
    TsujiError
        If there is no such collective, or no algorithm of that name.
    """
    known = algorithms() if collective not in _entered else _entered
    if collective not in known:
        raise TsujiError(f"collectives.{collective}: no collective; there are {', '.join(sorted(known))}")
    name = DEFAULTS[collective] if name is None else name
    if name not in known[collective]:
        raise TsujiError(
            f"collectives.{collective} = {name!r}: must be one of {', '.join(sorted(algorithms()[collective]))}"
        )
    return known[collective][name]


def parse_choices(texts: Iterable[str]) -> dict[str, str]:
    """Return the algorithms chosen by texts such as `allreduce=ring`, by collective.

    Raises
    ------
    TsujiError
        If a text is not of that form, or there is no such collective or algorithm.
    """
    chosen = {}
    for text in texts:
        collective, equals, name = text.partition("=")
        if not equals:
            raise TsujiError(f"--collective {text}: expected NAME=ALGORITHM, such as allreduce=ring")
        chosen[collective] = find(collective, name).name
    return chosen
