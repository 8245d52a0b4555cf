"""UGAL-L: each packet takes the minimal path, or a detour if the minimal one is congested at the source's switch."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from sim.routing.base import ALGORITHMS, Tables
from sim.routing.valiant import Valiant, intermediate
from sim.topology.base import Int64, Topology


@ALGORITHMS.enter
class Ugal(Valiant):
    """The base routing's path, or one through an intermediate switch (Singh, Stanford 2005; Kim et al., ISCA 2008).

    Path 0 to each node is minimal, the others are as in `Valiant`. One of the others is drawn per packet; when the
    source starts to send, it takes that path or path 0, whichever promises less delay (`sim.engine.ugal_choice`).

    Parameters
    ----------
    base : {"dimension_order", "dragonfly", "minimal", "up_down"}
        Routing of the minimal path and of both parts of the others, with its defaults.
    paths : int
        Addresses per node, a power of two, that of the minimal path included.
    seed : int
        Seed of the intermediate switches.
    threshold : int
        Flits · switches by which a detour must be better. At 0, the outstanding credits of a node's last packet divert
        the next one (figures: docs/reference/routing.md).
    """

    kind: ClassVar[str] = "ugal"
    paths: Annotated[int, Field(ge=2, le=256)] = 4
    threshold: Annotated[int, Field(ge=0, lt=1 << 31)] = 8

    def over(self, topology: Topology) -> Int64:
        """Return the node [N, paths] at whose switch the two parts of each address's path meet: itself for path 0."""
        return np.column_stack((np.arange(topology.nodes), intermediate(topology, self.paths - 1, self.seed)))

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes, `paths` columns per node, the first of them minimal."""
        return replace(super().tables(topology, vcs), threshold=self.threshold)
