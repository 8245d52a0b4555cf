"""k-ary n-tree, a fat tree of equal switches (Petrini and Vanneschi, k-ary n-trees, IPPS 1997).

k^n nodes; n levels of k^(n-1) switches, level 0 with the nodes, level n-1 the roots. A switch has a level and n-1
digits of base k; its number is level · k^(n-1) + the digits, digit 0 lowest. Port u < k leads up, to the switch one
level higher whose digit `level` is u and whose others are the same. Port k + d leads down, to the switch whose digit
`level` - 1 is d, or at level 0 to node k · switch + d. The up ports of the roots are not connected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from models.params.parts import MAX_PORTS
from sim.topology.base import NOBODY, Int64
from sim.topology.cables import CabledFamily
from sim.topology.computed import ComputedTopology
from sim.topology.coordinates import bit_fields
from sim.topology.family import FAMILIES
from sim.topology.torus import MAX_SWITCHES


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FatTree(ComputedTopology):
    """A k-ary n-tree; coordinates are the level, then the digits.

    Parameters
    ----------
    arity : int
        Ports k up and down.
    levels : int
        Levels n of switches.
    """

    routing: ClassVar[str] = "fat_tree"
    computed_as: ClassVar[str] = 'routing.kind = "random_up" with routing.paths = 1'
    ordered: ClassVar[bool] = True
    arity: int
    levels: int

    @property
    def coordinate_tags(self) -> Int64:
        """Address of each node [N] as a bit field: the digits of its number in base `arity`, digit 0 lowest."""
        number = np.arange(self.nodes)
        digits = number[:, None] // self.arity ** np.arange(self.levels) % self.arity
        return bit_fields(digits, (self.arity,) * self.levels, np.zeros_like(number))

    @property
    def computed_params(self) -> dict[str, object]:
        """Parameters that the topology sets for a switch that computes routes."""
        return {"radix": [self.arity] * self.levels}


@FAMILIES.enter
class FatTreeFamily(CabledFamily):
    """k-ary n-tree.

    Parameters
    ----------
    arity : int
        Ports of a switch up, k, and down, k; k nodes per switch of level 0.
    levels : int
        Levels n of switches.
    """

    kind: ClassVar[str] = "fat_tree"
    arity: Annotated[int, Field(ge=2, le=MAX_PORTS // 2)] = 4
    levels: Annotated[int, Field(ge=1, le=16)] = 3

    @model_validator(mode="after")
    def _check(self) -> Self:
        switches = self.levels * self.arity ** (self.levels - 1)
        if switches > MAX_SWITCHES:
            raise ValueError(
                f"levels = {self.levels}: {switches} switches of arity {self.arity}; at most {MAX_SWITCHES}"
            )
        return self

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: one between each two levels."""
        return tuple(f"level {level} to {level + 1}" for level in range(self.levels - 1))

    def build(self) -> FatTree:
        """Return the tree."""
        tree = fat_tree(self.arity, self.levels)
        up = np.arange(tree.ports) < self.arity
        return self.cabled(tree, tree.coordinates[:, :1] - ~up)


def fat_tree(arity: int, levels: int) -> FatTree:
    """Return a k-ary n-tree.

    Parameters
    ----------
    arity : int
        k.
    levels : int
        n.
    """
    row = arity ** (levels - 1)
    switches, nodes = levels * row, arity**levels
    number = np.arange(row)
    digits = number[:, None] // arity ** np.arange(levels - 1) % arity
    peer_switch = np.full((switches, 2 * arity), NOBODY, np.int64)
    peer_port = np.full((switches, 2 * arity), NOBODY, np.int64)
    for level in range(levels - 1):
        digit = digits[:, level]
        for up in range(arity):
            lower, upper = level * row + number, (level + 1) * row + number + (up - digit) * arity**level
            peer_switch[lower, up], peer_port[lower, up] = upper, arity + digit
            peer_switch[upper, arity + digit], peer_port[upper, arity + digit] = lower, up
    return FatTree(
        name=f"{arity}-ary {levels}-tree",
        peer_switch=peer_switch,
        peer_port=peer_port,
        node_switch=np.arange(nodes) // arity,
        node_port=arity + np.arange(nodes) % arity,
        addresses=np.arange(nodes),
        coordinates=np.column_stack((np.repeat(np.arange(levels), row), np.tile(digits, (levels, 1)))),
        bisection_channels=nodes if arity % 2 == 0 and levels > 1 else None,
        arity=arity,
        levels=levels,
    )
