"""Kinds of cables that a picture of a network names: local and global ones, or those of a dimension."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.plot.directions import axis_name
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.cables import cable_links
from sim.topology.dimensions import link_dimensions
from sim.topology.dragonfly import Dragonfly, DragonflyFamily
from sim.topology.slim_fly import SlimFly, SlimFlyFamily


class CableKinds(NamedTuple):
    """Kinds of a network's cables.

    Attributes
    ----------
    names : list of str
        Names of the kinds.
    kind : array [C]
        Kind of each cable, in the order of `cable_links`.
    """

    names: list[str]
    kind: Int64


def cable_kinds(topology: Topology, most: int) -> CableKinds:
    """Return the kinds of cables.

    Parameters
    ----------
    topology : Topology
        Dragonflies have local and global cables, Slim Flies those in a row and across rows, networks with dimensions
        those of each dimension, others one kind.
    most : int
        Most kinds that can be told apart by colour; a network with more has one kind of cable.
    """
    switch, port, peer, _ = cable_links(topology).T
    extra = topology.link_latency[switch, port]
    names, kind = _kinds(topology, switch, port, peer)
    if len(np.unique(kind)) > most:
        names, kind = [""], np.zeros(len(switch), np.int64)
    both, where = np.unique(np.column_stack((kind, extra)), axis=0, return_inverse=True)
    several = len(np.unique(extra)) > 1
    told = [", ".join(filter(None, (names[k], f"{cycles} more cycles" * several))) for k, cycles in both.tolist()]
    return CableKinds(told, where.ravel())


def _kinds(topology: Topology, switch: Int64, port: Int64, peer: Int64) -> tuple[list[str], Int64]:
    """Return the names of kinds, and the kind of each cable, apart from latency."""
    if isinstance(topology, Dragonfly):
        group = topology.coordinates[:, 0]
        return [f"{name} link" for name in DragonflyFamily().cables], (group[switch] != group[peer]).astype(np.int64)
    if isinstance(topology, SlimFly):
        return [f"{name} link" for name in SlimFlyFamily().cables], topology.across[switch, port].astype(np.int64)
    dimensions = link_dimensions(topology)
    if dimensions is None:
        return [""], np.zeros(len(switch), np.int64)
    own = dimensions[switch, port]
    names = [f"±{axis_name(dimension)}" for dimension in range(int(own.max(initial=0)) + 1)]
    return [*names, "several dimensions"], np.where(own == NOBODY, len(names), own)
