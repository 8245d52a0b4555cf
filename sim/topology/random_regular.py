"""Random regular graph, a Jellyfish (Singla, Hong, Popa and Godfrey, NSDI 2012): every switch has the same degree.

The graph is networkx's for the seed; an unconnected one is discarded and redrawn from the same stream. Switches are in
no particular order; ports: neighbours in increasing order, then nodes.
"""

from __future__ import annotations

from random import Random
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params.parts import MAX_PORTS
from sim.topology.base import Topology
from sim.topology.cables import CabledFamily
from sim.topology.family import FAMILIES
from sim.topology.torus import MAX_SWITCHES
from sim.topology.wiring import wire

TRIALS = 1000  # a random graph of degree 3 and more is connected nearly always


@FAMILIES.enter
class RandomRegularFamily(CabledFamily):
    """Random regular graph.

    Parameters
    ----------
    switches : int
        Number of switches.
    degree : int
        Links of a switch; switches · degree is even.
    seed : int
        Seed of the graph; not that of the traffic.
    locals : int
        Nodes per switch.
    """

    kind: ClassVar[str] = "random_regular"
    switches: Annotated[int, Field(ge=3, le=MAX_SWITCHES)] = 64
    degree: Annotated[int, Field(ge=2, le=MAX_PORTS - 1)] = 6
    seed: Annotated[int, Field(ge=0)] = 1
    locals: Annotated[int, Field(ge=1, le=60)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.degree >= self.switches:
            raise ValueError(f"degree = {self.degree}: must be below switches = {self.switches}")
        if self.switches * self.degree % 2:
            raise ValueError(f"degree = {self.degree}: must be even, as switches = {self.switches} is odd")
        if self.degree + self.locals > MAX_PORTS:
            raise ValueError(
                f"degree = {self.degree}: switches of {self.degree + self.locals} ports; at most {MAX_PORTS}"
            )
        return self

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: a single one."""
        return ("cable",)

    def build(self) -> Topology:
        """Return the network."""
        return self.cabled(random_regular(self.switches, self.degree, self.seed, self.locals), 0)


def random_regular(switches: int, degree: int, seed: int = 1, local_ports: int = 1) -> Topology:
    """Return a connected random regular graph.

    Parameters
    ----------
    switches, degree : int
        Number of switches, and links per switch; the product is even.
    seed : int
        Seed of the graph.
    local_ports : int
        Nodes per switch.

    Raises
    ------
    TsujiError
        If none of many graphs was connected.
    """
    import networkx as nx

    stream = Random(seed)
    for _ in range(TRIALS):
        graph = nx.random_regular_graph(degree, switches, stream)
        if nx.is_connected(graph):
            break
    else:
        raise TsujiError(
            f"topology.degree = {degree}: none of {TRIALS} random graphs of {switches} switches was connected; use "
            "3 or more, or fewer switches"
        )
    wiring = wire(np.array(sorted(graph.edges)), np.full(switches, local_ports))
    return Topology(
        name=f"random {degree}-regular graph of {switches}, seed {seed}",
        peer_switch=wiring.peer_switch,
        peer_port=wiring.peer_port,
        node_switch=wiring.node_switch,
        node_port=wiring.node_port,
        addresses=np.arange(len(wiring.node_switch)),
        coordinates=np.arange(switches)[:, None],
    )
