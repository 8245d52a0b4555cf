"""Topologies whose switches can compute routes, from the destination tag and their own position."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from sim.topology.base import Int64, Topology


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ComputedTopology(Topology):
    """A network whose switches can compute routes.

    Attributes
    ----------
    routing : str
        Value of `switch.routing` if switches compute the routes.
    computed_as : str
        The settings of [routing] with which tables hold the same routes.
    ordered : bool
        Whether packets take links, or escape channels if routes are adaptive, in an order that excludes deadlock in
        every network of the family. If not, each network is checked.
    """

    routing: ClassVar[str]
    computed_as: ClassVar[str] = 'routing.kind = "dimension_order"'
    ordered: ClassVar[bool] = False

    @property
    def own_coordinates(self) -> Int64:
        """Coordinates of each switch [S, dimensions], with which it computes routes."""
        return self.coordinates

    @property
    @abstractmethod
    def coordinate_tags(self) -> Int64:
        """Destination tag of each node [N] as a bit field."""

    @property
    @abstractmethod
    def computed_params(self) -> dict[str, object]:
        """Parameters that the topology sets for a switch that computes routes.

        Raises
        ------
        TsujiError
            If no switch computes the routes of such a network.
        """
