"""Utilisation of links: over the measurement, and interval by interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.files.table_file import write_frame
from sim.packets import Delivered, Int64
from sim.topology.base import NOBODY, Topology

if TYPE_CHECKING:
    import pandas as pd


class UtilisationFigures(NamedTuple):
    """Utilisation of the links between switches in the measurement; None without links.

    The utilisation of a link is the share of the cycles in which it carries a flit, at most 1. A flit that waits in an
    output buffer or in a transmit queue is not carried.

    `mean` and `max` are over links. `port` is the mean over all switches' links at that port, None where none has one:
    on a torus or mesh, ports 2d and 2d + 1 are dimension d. `vc` divides `mean` among the VCs, as the flits that the
    switches sent in the measurement.
    """

    mean: float | None
    max: float | None
    port: list[float | None]
    vc: list[float]


def by_vc(busy: NDArray[np.float64], flits: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Divide the utilisation of links [..., P] among their VCs as the flits sent [..., P, V]; equally if none was."""
    sent = flits.sum(axis=-1, keepdims=True)
    part = np.where(sent > 0, flits / np.maximum(sent, 1), 1 / flits.shape[-1])
    share: NDArray[np.float64] = busy[..., None] * part
    return share


def utilisation_figures(topology: Topology, busy: Int64, flits: Int64, cycles: int) -> UtilisationFigures:
    """Return the figures of a window.

    Parameters
    ----------
    topology : Topology
    busy : array [S, P]
        Cycles of the window in which each output link carried a flit.
    flits : array [S, P, V]
        Flits that the switches sent in it.
    cycles : int
        Length of the window.
    """
    wired = topology.peer_switch != NOBODY
    share = by_vc(busy / cycles, flits)
    if not wired.any():
        return UtilisationFigures(None, None, [None] * topology.ports, [0.0] * flits.shape[2])
    links = share[wired]
    port = [float(busy[wired[:, p], p].mean()) / cycles if wired[:, p].any() else None for p in range(topology.ports)]
    total = busy[wired] / cycles
    return UtilisationFigures(float(total.mean()), float(total.max()), port, links.mean(axis=0).tolist())


@dataclass(frozen=True, eq=False)
class Utilisation:
    """Flits sent over every link, interval by interval.

    Attributes
    ----------
    topology : Topology
        Topology of the network.
    start, cycles : array [T]
        First cycle of each interval, from the beginning of the measurement, and its length; the last may be shorter.
    flits : array [T, S, P, V]
        Flits sent in each interval by switch, output port and VC, those to nodes included.
    busy : array [T, S, P]
        Cycles of each interval in which the output link carried a flit.
    """

    topology: Topology
    start: Int64
    cycles: Int64
    flits: NDArray[np.int32]
    busy: NDArray[np.int32]

    @property
    def share(self) -> NDArray[np.float64]:
        """Utilisation by VC [T, S, P, V]; that of a link is the sum over VCs."""
        return by_vc(self.busy / self.cycles[:, None, None], self.flits)

    def frame(self) -> pd.DataFrame:
        """Return a tidy table: one row per interval, output port and VC, in that order.

        Columns are `time` (first cycle of the interval, from the beginning of the measurement), `cycles` (its length),
        `switch`, `port`, `to_switch` or `to_node` (the other end), `vc`, `flits` (that the switch sent), and
        `utilisation` (of the link by this VC).
        """
        import pandas as pd

        topology = self.topology
        peer, node = topology.peer_switch, topology.port_node
        used = (peer != NOBODY) | (node != NOBODY)
        switch, port = np.nonzero(used)
        times, vcs, links = len(self.start), self.flits.shape[3], len(switch)

        def each(values: np.ndarray) -> np.ndarray:
            return np.tile(np.repeat(values, vcs), times)

        def other(values: Int64) -> pd.Series:
            column = pd.Series(each(values), dtype="Int64")
            return column.mask(column == NOBODY)

        return pd.DataFrame({
            "time": np.repeat(self.start, links * vcs),
            "cycles": np.repeat(self.cycles, links * vcs),
            "switch": each(switch),
            "port": each(port),
            "to_switch": other(peer[used]),
            "to_node": other(node[used]),
            "vc": np.tile(np.arange(vcs), times * links),
            "flits": self.flits[:, used].ravel(),
            "utilisation": self.share[:, used].ravel(),
        })  # fmt: skip

    def write(self, path: Path) -> None:
        """Write the tidy table as Parquet if the file's name ends in .parquet, else as CSV.

        Raises
        ------
        TsujiError
            If it cannot be written.
        """
        write_frame(self.frame(), path)


@dataclass(eq=False)
class UtilisationRecorder:
    """Records the flits sent at the end of each interval.

    Parameters
    ----------
    flits_sent : callable
        Returns flits sent since reset [S, P, V].
    busy_cycles : callable
        Returns the cycles since reset in which links carried a flit [S, P].
    interval : int
        Length of an interval, cycles.
    """

    flits_sent: Callable[[], Int64]
    busy_cycles: Callable[[], Int64]
    interval: int
    _seen: list[Int64] = field(default_factory=list, init=False)
    _busy: list[Int64] = field(default_factory=list, init=False)
    _cycles: list[int] = field(default_factory=list, init=False)
    _left: int = field(default=0, init=False)

    def advance(self, advance: Callable[[int], Delivered], cycles: int) -> Delivered:
        """Simulate `cycles` cycles by `advance`, in pieces that end with each interval."""
        if not self._seen:
            self._seen.append(self.flits_sent())
            self._busy.append(self.busy_cycles())
            self._left = self.interval
        parts = []
        while cycles:
            step = min(cycles, self._left)
            parts.append(advance(step))
            cycles -= step
            self._left -= step
            if not self._left:
                self._look()
        return Delivered.join(parts)

    def finish(self, topology: Topology) -> Utilisation:
        """Return the utilisation; the last interval ends with the measurement."""
        if self._left < self.interval:
            self._look()
        cycles = np.array(self._cycles, np.int64)
        flits, busy = (np.diff(np.stack(each), axis=0).astype(np.int32) for each in (self._seen, self._busy))
        return Utilisation(topology, np.cumsum(cycles) - cycles, cycles, flits, busy)

    def _look(self) -> None:
        self._seen.append(self.flits_sent())
        self._busy.append(self.busy_cycles())
        self._cycles.append(self.interval - self._left)
        self._left = self.interval
