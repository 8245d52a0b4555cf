"""Dragonfly (Kim, Dally, Scott and Abts, ISCA 2008): groups of switches, fully connected inside and with each other.

Switch number: group · a + switch in the group; node number: switch · p + local port. Ports of a switch: a - 1 to the
others of its group in increasing order, then h global ones, then its p nodes.

The global ports of a group have numbers j = switch in the group · h + global port. With g = a·h + 1 groups there is one
cable between any two. With fewer groups, if g - 1 divides a·h, there are a·h / (g-1), one in each block of g - 1 ports;
the arrangement says to which group port i of a block leads, and the other end is in the block of the same number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params.parts import MAX_PORTS, Arrangement
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.cables import CabledFamily, square_hall
from sim.topology.computed import ComputedTopology
from sim.topology.coordinates import bit_fields
from sim.topology.family import FAMILIES
from sim.topology.torus import MAX_SWITCHES


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Dragonfly(ComputedTopology):
    """A dragonfly; coordinates are the group and the switch in it.

    Parameters
    ----------
    group_switches : int
        Switches per group, a.
    global_links : int
        Global cables per switch, h.
    arrangement : {"absolute", "relative", "palmtree", "circulant"}
        Global cables (`far_groups`).
    """

    routing: ClassVar[str] = "dragonfly"
    computed_as: ClassVar[str] = 'routing.kind = "dragonfly"'
    ordered: ClassVar[bool] = True
    group_switches: int
    global_links: int
    arrangement: Arrangement

    @property
    def first_global(self) -> int:
        """First global port of a switch."""
        return self.group_switches - 1

    @property
    def groups(self) -> int:
        """Groups, g."""
        return self.switches // self.group_switches

    @property
    def own_coordinates(self) -> Int64:
        """Switch in its group, and group, of each switch [S, 2]."""
        return self.coordinates[:, ::-1]

    @property
    def coordinate_tags(self) -> Int64:
        """Address of each node [N] as a bit field: switch in its group lowest, then group, then local port."""
        local = (self.node_port - self.first_global - self.global_links) // self.node_ports
        return bit_fields(self.own_coordinates[self.node_switch], (self.group_switches, self.groups), local)

    @property
    def computed_params(self) -> dict[str, object]:
        """Parameters that the topology sets for a switch that computes routes.

        Raises
        ------
        TsujiError
            If a group is one switch, or groups have several cables between them.
        """
        asked, use = f'switch.routing = "{self.routing}"', 'use switch.routing = "table" or "linear"'
        if self.group_switches < 2:
            raise TsujiError(
                f"topology.group_switches = {self.group_switches}: {asked} needs 2 or more switches in a group; {use}"
            )
        most = self.group_switches * self.global_links + 1
        if self.groups < most:
            raise TsujiError(
                f"topology.groups = {self.groups}: {asked} knows one cable between two groups, which {most} groups of "
                f"{self.group_switches} switches with {self.global_links} global cables have; leave it out, or {use}"
            )
        return {"radix": [self.group_switches, self.groups], "arrangement": self.arrangement}


@FAMILIES.enter
class DragonflyFamily(CabledFamily):
    """Dragonfly.

    Parameters
    ----------
    group_switches : int
        Switches per group, a.
    global_links : int
        Global cables per switch, h.
    groups : int or None
        Groups g; None: a·h + 1, the most.
    locals : int or None
        Nodes per switch, p; None: h, which balances the load of a = 2h.
    arrangement : {"absolute", "relative", "palmtree", "circulant"}
        Global cables (`far_groups`).
    """

    kind: ClassVar[str] = "dragonfly"
    group_switches: Annotated[int, Field(ge=1, le=MAX_PORTS)] = 4
    global_links: Annotated[int, Field(ge=1, le=MAX_PORTS)] = 2
    groups: Annotated[int, Field(ge=2, le=MAX_SWITCHES)] | None = None
    locals: Annotated[int, Field(ge=1, le=60)] | None = None
    arrangement: Arrangement = "absolute"

    @model_validator(mode="after")
    def _check(self) -> Self:
        channels = self.group_switches * self.global_links
        if self.groups is not None and channels % (self.groups - 1):
            fit = [g for g in range(2, channels + 2) if channels % (g - 1) == 0]
            raise ValueError(
                f"groups = {self.groups}: the {channels} global cables of a group (group_switches · global_links) do "
                f"not divide evenly among {self.groups - 1} other groups; allowed: {', '.join(map(str, fit))}"
            )
        ports = self.group_switches - 1 + self.global_links + (self.locals or self.global_links)
        if ports > MAX_PORTS:
            raise ValueError(f"group_switches = {self.group_switches}: switches of {ports} ports; at most {MAX_PORTS}")
        switches = (self.groups or channels + 1) * self.group_switches
        if switches > MAX_SWITCHES:
            raise ValueError(f"group_switches = {self.group_switches}: {switches} switches; at most {MAX_SWITCHES}")
        return self

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: local and global."""
        return "local", "global"

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return a square hall of groups; each group is one row of switches."""
        group, switch = topology.coordinates.T
        hall = square_hall(int(group.max()) + 1)[group]
        return np.column_stack((hall[:, 0] * self.group_switches + switch, hall[:, 1]))

    def build(self) -> Dragonfly:
        """Return the network."""
        network = dragonfly(self.group_switches, self.global_links, self.groups, self.locals, self.arrangement)
        return self.cabled(network, np.arange(network.ports) >= network.first_global)


def far_groups(group: Int64, port: Int64, groups: int, arrangement: Arrangement) -> tuple[Int64, Int64]:
    """Return the group to which a global port leads, and the number of the port at that end.

    Parameters
    ----------
    group, port : array
        Group, and number of the port in its block, 0 to g - 2; they are broadcast.
    groups : int
        g.
    arrangement : {"absolute", "relative", "palmtree", "circulant"}
        Absolute, or consecutive: port i leads to the i-th of the other groups in increasing order. Relative: i + 1
        groups on. Palmtree: i + 1 groups back. Circulant: port 2i leads i + 1 groups on, port 2i + 1 as many back.
        (Hastings et al., "Comparing global link arrangements for dragonfly networks", CLUSTER 2015; palmtree and
        consecutive: Camarero, Vallejo and Beivide, ACM TACO 2014.)
    """
    if arrangement == "absolute":
        far = port + (port >= group)
        return far, group - (group > far)
    if arrangement == "circulant":
        step = np.where(port % 2 == 0, port // 2 + 1, -(port // 2 + 1))
        back = np.where(2 * step == groups, port, port ^ 1)  # half-way round both steps lead to one group
    else:
        step = port + 1 if arrangement == "relative" else -(port + 1)
        back = groups - 2 - port
    return (group + step) % groups, np.broadcast_to(back, np.broadcast_shapes(group.shape, port.shape))


def dragonfly(
    group_switches: int,
    global_links: int,
    groups: int | None = None,
    local_ports: int | None = None,
    arrangement: Arrangement = "absolute",
) -> Dragonfly:
    """Return a dragonfly.

    Parameters
    ----------
    group_switches : int
        a.
    global_links : int
        h.
    groups : int or None
        g, where g - 1 divides a·h; None: a·h + 1.
    local_ports : int or None
        p; None: h.
    arrangement
        As in `far_groups`.
    """
    a, h = group_switches, global_links
    g, p = groups or a * h + 1, local_ports or h
    group, switch = np.divmod(np.arange(g * a), a)
    mate = np.arange(a - 1) + (np.arange(a - 1) >= switch[:, None])
    copy, way = np.divmod(switch[:, None] * h + np.arange(h), g - 1)
    far, back = far_groups(group[:, None], way, g, arrangement)
    entry = copy * (g - 1) + back
    nodes = np.arange(g * a * p)
    local = np.full((g * a, p), NOBODY)
    return Dragonfly(
        name=f"dragonfly of {g} groups of {a}",
        peer_switch=np.hstack((group[:, None] * a + mate, far * a + entry // h, local)),
        peer_port=np.hstack((switch[:, None] - (switch[:, None] > mate), a - 1 + entry % h, local)),
        node_switch=nodes // p,
        node_port=a - 1 + h + nodes % p,
        addresses=nodes,
        coordinates=np.column_stack((group, switch)),
        group_switches=a,
        global_links=h,
        arrangement=arrangement,
    )
