"""Running figures: what is known of packets once they are gone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.packets import Int64


@dataclass(frozen=True)
class Spread:
    """A figure: of packets, or of nodes. None where it is not known here.

    Attributes
    ----------
    average, minimum, maximum : float or None
        Cycles, or packets or flits a node a cycle.
    """

    average: float | None
    minimum: float | None = None
    maximum: float | None = None

    @classmethod
    def of(cls, values: np.ndarray) -> Spread:
        """Return the spread of some values."""
        return cls(float(values.mean()), float(values.min()), float(values.max()))


class Values:
    """Whole numbers, as far as their spread needs them."""

    def __init__(self) -> None:
        self.count = self.total = 0
        self._least = self._greatest = 0

    def add(self, values: Int64) -> None:
        """Add some."""
        if not len(values):
            return
        least, greatest = int(values.min()), int(values.max())
        self._least = min(self._least, least) if self.count else least
        self._greatest = max(self._greatest, greatest) if self.count else greatest
        self.count += len(values)
        self.total += int(values.sum())

    @property
    def mean(self) -> float:
        """Their mean; 0 of none."""
        return self.total / self.count if self.count else 0.0

    @property
    def spread(self) -> Spread:
        """Their spread."""
        return Spread(self.mean, float(self._least), float(self._greatest)) if self.count else Spread(None)


class ByNode:
    """Packets and flits that nodes sent or got.

    Parameters
    ----------
    nodes : int
        How many nodes.
    """

    def __init__(self, nodes: int) -> None:
        self.packets, self.flits = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)

    def add(self, nodes: Int64, sizes: Int64) -> None:
        """Add packets, by their nodes and flits."""
        self.packets += np.bincount(nodes, minlength=len(self.packets))
        self.flits += np.bincount(nodes, sizes, len(self.flits)).astype(np.int64)

    @property
    def packet_size(self) -> Spread:
        """Mean flits of a packet."""
        packets = int(self.packets.sum())
        return Spread(int(self.flits.sum()) / packets if packets else None)

    def rates(self, cycles: int) -> tuple[Spread, Spread]:
        """Return packets and flits a cycle."""
        return Spread.of(self.packets / cycles), Spread.of(self.flits / cycles)
