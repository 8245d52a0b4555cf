"""When packets are born: random processes of independent nodes, drawn for a block of cycles at a time."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sim.registry import Kind, Registry
from sim.topology.base import Int64


class Births(Protocol):
    """Draws births, block after block."""

    def __call__(self, rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
        """Draw the births of the next block of cycles.

        Parameters
        ----------
        rng : numpy.random.Generator
            Advanced by as much as was drawn.
        cycles : int
            Size of the block.

        Returns
        -------
        birth, node : array [n]
            Cycle within the block, nondecreasing, and node of each packet.
        """


class Arrivals(Kind):
    """Parameters of one arrival process: its keys in the section [traffic]."""

    @abstractmethod
    def births(self, rate: float, nodes: int) -> Births:
        """Return what draws births of `nodes` nodes, each begetting `rate` packets a cycle on the average."""

    def limit(self) -> float:
        """Return the largest rate the process can have, packets a node a cycle."""
        return float("inf")


ARRIVALS: Registry[Arrivals] = Registry("sim.traffic", "traffic.arrivals")


@ARRIVALS.enter
class Bernoulli(Arrivals):
    """In every cycle every node begets a packet with the same probability. No parameters."""

    kind: ClassVar[str] = "bernoulli"

    def births(self, rate: float, nodes: int) -> Births:
        """Return what draws the gaps between successes in the sequence of all trials, cycle by cycle, node by node."""

        def draw(rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
            trials = nodes * cycles
            if rate >= 1:
                every = np.arange(trials)
                return every // nodes, every % nodes
            expected = trials * rate
            last = -1.0
            found = []
            while last < trials:
                successes = _gaps(rng, rate, int(expected + 6 * expected**0.5) + 16).cumsum()
                successes += last
                found.append(successes)
                last = successes[-1]
            successes = found[0] if len(found) == 1 else np.concatenate(found)
            trial = successes[: np.searchsorted(successes, trials)].astype(np.int64)
            birth = trial // nodes
            return birth, trial - birth * nodes

        return draw

    def limit(self) -> float:
        """Return 1: no node begets two packets in one cycle."""
        return 1.0


def _gaps(rng: np.random.Generator, rate: float, count: int) -> NDArray[np.float64]:
    """Return the trials from one success to the next, whole numbers: their distribution is geometric.

    An exponential one, rounded up: numpy's own computes log(1 − rate) anew for every number.
    """
    gaps = rng.standard_exponential(count)
    gaps /= -np.log1p(-rate)
    return np.ceil(gaps, out=gaps)


@ARRIVALS.enter
class Poisson(Arrivals):
    """Packets are born at independent, exponentially distributed intervals; a cycle may see several. No parameters."""

    kind: ClassVar[str] = "poisson"

    def births(self, rate: float, nodes: int) -> Births:
        """Return what draws the number of births of each cycle, then their nodes."""

        def draw(rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
            birth = np.repeat(np.arange(cycles), rng.poisson(rate * nodes, cycles))
            return birth, rng.integers(0, nodes, len(birth))

        return draw
