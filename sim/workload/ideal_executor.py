"""Executes operations on the ideal network: LogGOPS, without contention."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.jit.compiled import entry_point
from sim.messages.loggops import LogGOPS
from sim.messages.process import run_ideal
from sim.packets import Int64
from sim.workload.executor import Executor


class IdealExecutor(Executor):
    """Ranks on a network without contention, in nanoseconds.

    Parameters
    ----------
    ranks : int
        Number of ranks.
    parameters : LogGOPS
        Parameters of the network.
    cpus, nics : int
        CPUs and interfaces per rank.
    cpu_receives : bool
        Whether a CPU is busy while the bytes of a message arrive, as in LogGOPSim; else only its interface is.
    compute_scale : float
        Factor on the duration of calculations.
    """

    stage = "replaying on the ideal network"

    def __init__(
        self,
        ranks: int,
        parameters: LogGOPS,
        cpus: int = 1,
        nics: int = 1,
        *,
        cpu_receives: bool = True,
        compute_scale: float = 1.0,
    ) -> None:
        super().__init__(ranks, parameters.costs()._replace(cpu_receives=cpu_receives), cpus, nics)
        self._scale = compute_scale
        self._call = entry_point(run_ideal, self._x, 0)

    def _advance(self, until: int) -> None:
        self._call(self._x, until)

    def time_of(self, ns: float | NDArray[np.float64]) -> Int64:
        """Return the duration of a calculation, nanoseconds, scaled and rounded."""
        if self._scale == 1.0 and np.asarray(ns).dtype.kind != "f":
            return np.asarray(ns, np.int64)  # integers above 2^53 stay exact
        return np.rint(np.asarray(ns) * self._scale).astype(np.int64)

    def start_of(self, ns: float) -> int:
        """Return a time, rounded."""
        return round(ns)

    def ns(self, time: int) -> float:
        """Return a time unchanged."""
        return time
