"""How many flits a packet has."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from models.params import Params
from sim.topology.base import Int64


class Sizes(Params):
    """All packets alike.

    Parameters
    ----------
    packet_size : int
        Flits of every packet.
    """

    packet_size: Annotated[int, Field(ge=1, le=65536)] = 4

    @property
    def mean(self) -> float:
        """Mean size, flits."""
        return float(self.packet_size)

    def draw(self, rng: np.random.Generator, count: int) -> Int64:
        """Return the size of each of `count` packets, flits."""
        return np.full(count, self.packet_size, np.int64)
