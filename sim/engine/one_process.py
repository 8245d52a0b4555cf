"""What a network's figures need from the processes that advance it; here, if there is one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sim.engine.state import Engine


class OneProcess:
    """One process, which advances the whole network.

    Attributes
    ----------
    engines : list of Engine
        Engines of the parts that this process advances; empty: the network is not cut.
    """

    engines: list[Engine]

    def total(self, number: int) -> int:
        """Return the sum of the numbers of all processes."""
        return number

    def merged(self, values: np.ndarray) -> np.ndarray:
        """Return an array [switches, …] with the values of each switch from the process that advances it."""
        return values

    def short_of_packets(self, engine: Engine) -> bool:
        """Return whether messages need more room for packets, in an engine or in one of its parts."""
        ranks = engine.ranks
        return bool(ranks.pool[0].free < ranks.reserve)

    def free_packets(self, engine: Engine) -> np.ndarray:
        """Return the free packets of messages, which are at the bottom of the stack `Ranks.free`."""
        return np.asarray(engine.ranks.free[: engine.ranks.pool[0].free])

    @contextmanager
    def whole(self, engine: Engine) -> Iterator[None]:
        """Hold in the `with` block the registers of all switches, and the records of packets in them, in an engine."""
        yield
