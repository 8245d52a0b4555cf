"""Bursty arrivals: each node is on or off, a Markov chain of its own, and begets packets while it is on."""

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
        Mean time a node stays on, cycles.
    burst_duty : float
        Share of the time it is on; while on it begets 1 / `burst_duty` times as much as on the average.
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
        """Return what draws the nodes' states of each cycle, then a trial for each that is on."""
        stop = 1 / self.burst_cycles
        start = min(stop * self.burst_duty / (1 - self.burst_duty), 1 - stop)
        on: np.ndarray | None = None  # state of each node in the last cycle of the block before

        def draw(rng: np.random.Generator, cycles: int) -> tuple[Int64, Int64]:
            nonlocal on
            if on is None:
                on = rng.random(nodes) < self.burst_duty
            # One number a cycle turns a node on where it is low, off where it is high, and changes nothing between:
            # a state is what the last number that was either said.
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
        """Return the duty: a node that is on begets one packet a cycle at most."""
        return self.burst_duty
