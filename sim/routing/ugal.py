"""UGAL-L: each packet takes the direct path, or a detour where the direct one is congested at the source's switch."""

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
    """The base routing's path, or one by way of another switch (Singh, Stanford 2005; Kim et al., ISCA 2008).

    Path 0 of each node is direct, the others are as in `Valiant`. One of those is drawn for each packet; when it starts
    to send, the source takes it or path 0, whichever promises less delay (`sim.engine.ugal_choice`).

    Parameters
    ----------
    base : {"dimension_order", "dragonfly", "minimal", "up_down"}
        Routing of the direct path and of both parts of the others, with its defaults.
    paths : int
        Addresses of a node, a power of two, the direct one included.
    seed : int
        Of the intermediate switches.
    threshold : int
        Flits · switches by which a detour must be better. At 0 the credits that a node's own last packet still holds
        send the next one around (docs/reference/routing.md has figures).
    """

    kind: ClassVar[str] = "ugal"
    paths: Annotated[int, Field(ge=2, le=256)] = 4
    threshold: Annotated[int, Field(ge=0, lt=1 << 31)] = 8

    def over(self, topology: Topology) -> Int64:
        """Return the node on whose switch the two parts of each address's ways meet [N, paths]: itself, and others."""
        return np.column_stack((np.arange(topology.nodes), intermediate(topology, self.paths - 1, self.seed)))

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes, `paths` columns a node, the first of them direct."""
        return replace(super().tables(topology, vcs), threshold=self.threshold)
