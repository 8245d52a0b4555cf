"""Arrivals, the births of packets: random processes of independent nodes, drawn in blocks of cycles."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from models.jit.compiled import compiled
from sim.lib.registry import Kind, Registry
from sim.topology.base import Int64


class Births(Protocol):
    """Draws births block by block."""

    def __call__(self, rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
        """Draw the births of the next block of cycles.

        Parameters
        ----------
        rng : numpy.random.Generator
            Generator; advanced by the numbers drawn.
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
        """Return the process of `nodes` nodes that each create `rate` packets/cycle on average."""

    def limit(self) -> float:
        """Return the greatest rate of the process, packets/node/cycle."""
        return float("inf")


ARRIVALS: Registry[Arrivals] = Registry("sim.traffic", "traffic.arrivals")


@ARRIVALS.enter
class Bernoulli(Arrivals):
    """In every cycle every node creates a packet with the same probability. No parameters."""

    kind: ClassVar[str] = "bernoulli"

    def births(self, rate: float, nodes: int) -> Births:
        """Return the process, which draws gaps between successes in the sequence of trials, by cycle, then node."""
        nothing = np.empty(0, np.int64)
        _successes(np.empty(0), 1.0, -1, 0, nodes, nothing, nothing)  # compile it before anything is timed

        def draw(rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
            trials = nodes * cycles
            if rate >= 1:
                every = np.arange(trials)
                return every // nodes, every % nodes
            expected = trials * rate
            found = []
            last = -1
            while last < trials:
                gaps = rng.standard_exponential(int(expected + 6 * expected**0.5) + 16)
                birth, node = np.empty(len(gaps), np.int64), np.empty(len(gaps), np.int64)
                count, last = _successes(gaps, -np.log1p(-rate), last, trials, nodes, birth, node)
                found.append((birth[:count], node[:count]))
            if len(found) == 1:
                return found[0]
            births, sources = zip(*found, strict=True)
            return np.concatenate(births), np.concatenate(sources)

        return draw

    def limit(self) -> float:
        """Return 1: no node creates two packets in one cycle."""
        return 1.0


@compiled
def _successes(
    gaps: NDArray[np.float64], scale: float, last: int, trials: int, nodes: int, birth: Int64, node: Int64
) -> tuple[int, int]:
    """Write the successes after trial `last` as cycle and node; return their number and the last trial.

    Trials from one success to the next are geometrically distributed: exponential values, rounded up. `gaps` are
    exponential; one trial corresponds to `scale`.
    """
    count = 0
    for k in range(len(gaps)):
        gap = np.ceil(gaps[k] / scale)
        if gap >= trials - last:  # it may be more than an integer holds
            last = trials
            break
        last += int(gap)
        birth[count] = last // nodes
        node[count] = last - birth[count] * nodes
        count += 1
    return count, last


@ARRIVALS.enter
class Poisson(Arrivals):
    """Packets are born at independent, exponentially distributed intervals; a cycle may see several. No parameters."""

    kind: ClassVar[str] = "poisson"

    def births(self, rate: float, nodes: int) -> Births:
        """Return the process, which draws the number of births of each cycle, then their nodes."""

        def draw(rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
            birth = np.repeat(np.arange(cycles), rng.poisson(rate * nodes, cycles))
            return birth, rng.integers(0, nodes, len(birth))

        return draw
