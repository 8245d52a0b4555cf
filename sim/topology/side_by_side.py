"""Several planes of a network as one topology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.topology.base import NOBODY, Figures, Int64, Topology


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SideBySide(Topology):
    """The switches and links of several planes, one plane after the other, with the nodes of the first.

    Parameters
    ----------
    planes : tuple of Topology
        The planes.
    """

    planes: tuple[Topology, ...]

    @cached_property
    def port_node(self) -> Int64:
        """Node on each port [S, P], in every plane; -1 without a node."""
        array = np.vstack([_wider(plane.port_node, self.ports) for plane in self.planes])
        array.flags.writeable = False
        return array

    @cached_property
    def figures(self) -> Figures:
        """Degree, diameter and distances between nodes if each packet takes the plane with the shorter path."""
        first = self.planes[0]
        each = [plane.figures for plane in self.planes]
        if all(np.array_equal(plane.peer_switch, first.peer_switch) for plane in self.planes):
            return each[0]._replace(bisection_channels=None)
        nodes = np.bincount(self.node_switch, minlength=first.switches)
        # In symmetric planes, distances from one switch stand for those from all.
        starts = [0] if all(plane.symmetric for plane in self.planes) else range(first.switches)
        nearest = np.min([[plane.distances(switch) for switch in starts] for plane in self.planes], axis=0)
        total = int((nodes[list(starts)] @ nearest) @ nodes) * first.switches // len(starts)
        return Figures(
            degree=max(figures.degree for figures in each),
            diameter=int(nearest.max()),
            mean_distance=total / max(1, self.nodes * (self.nodes - 1)),
            bisection_channels=None,
        )


def _wider(array: np.ndarray, ports: int, lacking: int = NOBODY) -> np.ndarray:
    """Return an array [S, any number] widened to `ports` ports."""
    return np.pad(array, ((0, 0), (0, ports - array.shape[1])), constant_values=lacking)


def side_by_side(planes: Sequence[Topology]) -> SideBySide:
    """Return the switches and links of all planes."""
    ports = max(plane.ports for plane in planes)
    first = np.cumsum([0, *(plane.switches for plane in planes)])

    def moved(plane: Topology, by: int) -> np.ndarray:
        return _wider(np.where(plane.peer_switch == NOBODY, NOBODY, plane.peer_switch + by), ports)

    return SideBySide(
        planes=tuple(planes),
        name=" + ".join(plane.name for plane in planes),
        peer_switch=np.vstack([moved(plane, first[k]) for k, plane in enumerate(planes)]),
        peer_port=np.vstack([_wider(plane.peer_port, ports) for plane in planes]),
        node_switch=planes[0].node_switch,
        node_port=planes[0].node_port,
        addresses=planes[0].addresses,
        coordinates=np.vstack([plane.coordinates for plane in planes]),
        node_ports=planes[0].node_ports,
        link_latency=np.vstack([_wider(plane.link_latency, ports, 0) for plane in planes]),
        link_interval=np.vstack([_wider(plane.link_interval, ports, 1) for plane in planes]),
    )
