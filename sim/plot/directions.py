"""Names of dimensions and of ports, the same in every picture, page and timeline."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.topology.base import NOBODY, Int64

AXES = "xyz"


class LinkGroups(NamedTuple):
    """Links by direction or port.

    Attributes
    ----------
    group : array [L]
        Group of each link.
    names : list of str
        Name of each group.
    by : {"direction", "port"}
    """

    group: Int64
    names: list[str]
    by: str


def axis_name(dimension: int) -> str:
    """Return the name of a dimension."""
    return AXES[dimension] if dimension < len(AXES) else f"d{dimension}"


def direction_name(dimension: int, direction: int) -> str:
    """Return the name of a direction, such as +x; empty without a dimension (-1)."""
    return f"{'−' if direction < 0 else '+'}{axis_name(dimension)}" if dimension != NOBODY else ""


def port_name(port: int, dimension: int, direction: int) -> str:
    """Return the name of a port with the direction of its link, if it has one, such as `port 0, +x`."""
    return ", ".join(filter(None, (f"port {port}", direction_name(dimension, direction))))


def link_groups(dimension: Int64, direction: Int64, port: Int64, to_node: NDArray[np.bool_]) -> LinkGroups:
    """Return links by direction, those to nodes in a group of their own; by port if one between switches has none.

    Parameters
    ----------
    dimension, direction, port : array [L]
        Dimension of each link, -1 for none; its direction; its port.
    to_node : array [L] of bool
        Whether it leads to a node.

    """
    if by_direction := bool(((dimension != NOBODY) | to_node).all()):
        key = np.where(to_node, 1 << 30, 2 * dimension + (direction < 0))
        named = {2 * d + back: direction_name(d, 1 - 2 * back) for d in range(64) for back in (0, 1)}
        named[1 << 30] = "nodes"
    else:
        key = port
        named = {number: port_name(number, NOBODY, 0) for number in np.unique(port).tolist()}
    kinds, group = np.unique(key, return_inverse=True)
    names = [named[kind] for kind in kinds.tolist()]
    return LinkGroups(group.ravel(), names, "direction" if by_direction else "port")
