"""Bursty arrivals: each node is on or off, by its own Markov chain, and creates packets while it is on."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from sim.topology.base import Int64
from sim.traffic.arrivals import ARRIVALS, Arrivals, Births


@ARRIVALS.enter
class OnOff(Arrivals):
    """Bernoulli arrivals of a node while it is on, none while it is off; the mean over time is the load.

    The two-state process of Dally and Towles (2004), section 24.2.2, and of BookSim2 (`on_off`), whose `burst_beta` is
    1 / `burst_cycles` and whose `burst_alpha` is `burst_duty` / (1 − `burst_duty`) / `burst_cycles`. Nodes begin on
    with probability `burst_duty`, so that the process is stationary from cycle 0.

    Parameters
    ----------
    burst_cycles : float
        Mean time for which a node stays on, cycles.
    burst_duty : float
        Share of the time for which it is on; while on, its rate is 1 / `burst_duty` times the mean.
    """

    kind: ClassVar[str] = "on_off"
    burst_cycles: Annotated[float, Field(ge=1, le=1e9)] = 32.0
    burst_duty: Annotated[float, Field(gt=0, lt=1)] = 0.5

    @model_validator(mode="after")
    def _check_bursts(self) -> Self:
        least = 1 / (1 - self.burst_duty)
        if self.burst_cycles < least * (1 - 1e-12):
            raise ValueError(
                f"burst_cycles = {self.burst_cycles:g}: must be at least 1 / (1 - burst_duty) = {least:g}, where every "
                "cycle is on or off independently of the last; bursts are longer"
            )
        return self

    def births(self, rate: float, nodes: int) -> Births:
        """Return the process, which draws the nodes' states of each cycle, then a trial for each that is on."""
        stop = 1 / self.burst_cycles
        start = min(stop * self.burst_duty / (1 - self.burst_duty), 1 - stop)
        on: np.ndarray | None = None  # state of each node in the last cycle of the previous block

        def draw(rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
            nonlocal on
            if on is None:
                on = rng.random(nodes) < self.burst_duty
            # One number per node and cycle turns the node on if low, off if high, and changes nothing in between: the
            # state is that of the last low or high number.
            numbers = rng.random((cycles, nodes))
            low, high = numbers < start, numbers >= 1 - stop
            told = np.where(low | high, np.arange(1, cycles + 1)[:, None], 0)
            np.maximum.accumulate(told, axis=0, out=told)
            states = np.take_along_axis(np.vstack((on, low)), told, axis=0)
            on = states[-1]
            birth, node = np.nonzero(states)
            begets = rng.random(len(birth)) < rate / self.burst_duty
            return birth[begets], node[begets]

        return draw

    def limit(self) -> float:
        """Return the duty: a node that is on creates at most one packet per cycle."""
        return self.burst_duty
