"""What every routing algorithm yields: for each switch, the route to each node."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.registry import Kind, Registry
from sim.topology.base import Topology

Int8 = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Tables:
    """Routes of every switch [S] to every node [N]: what the switches' CAMs are programmed with.

    Attributes
    ----------
    out : array of int8 [S, N]
        Output port.
    vc_first, vc_last : array of int8 [S, N]
        First and last VC the packet may take on that output.
    found : array of bool [S, N]
        Whether the switch knows a route; elsewhere the other arrays mean nothing.
    choices : array of int64 [S, N] or None
        Adaptive routing: outputs the packet may take instead, one bit each.
    """

    out: Int8
    vc_first: Int8
    vc_last: Int8
    found: NDArray[np.bool_]
    choices: NDArray[np.int64] | None = None


class Algorithm(Kind):
    """Parameters of one algorithm: the keys of the section [routing] beside `kind`."""

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse, without computing routes, what `tables` cannot serve.

        Raises
        ------
        TsujiError
            If the algorithm cannot serve this topology, or needs more VCs.
        """

    @abstractmethod
    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes for a network whose ports have `vcs` VCs, after `check`."""


ALGORITHMS: Registry[Algorithm] = Registry("sim.routing", "routing.kind")
