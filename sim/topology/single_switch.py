"""One switch with all nodes: a star, as a crossbar alone."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from models.params.parts import MAX_PORTS
from sim.topology.base import NOBODY, Topology
from sim.topology.family import FAMILIES, Family


@FAMILIES.enter
class SingleSwitch(Family):
    """One switch, with node p on port p.

    Parameters
    ----------
    locals : int
        Number of nodes.
    """

    kind: ClassVar[str] = "single_switch"
    locals: Annotated[int, Field(ge=2, le=MAX_PORTS)] = 8

    def build(self) -> Topology:
        """Return the network."""
        nodes = np.arange(self.locals)
        nobody = np.full((1, self.locals), NOBODY)
        return Topology(
            name=f"one switch of {self.locals} nodes",
            peer_switch=nobody,
            peer_port=nobody,
            node_switch=np.zeros_like(nodes),
            node_port=nodes,
            addresses=nodes,
            coordinates=np.zeros((1, 1), np.int64),
            bisection_channels=None,
            symmetric=True,
        )
