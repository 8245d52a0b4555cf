"""Valiant's randomised routing in tables: several addresses per node, each with a path through another switch."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from models.errors import TsujiError
from sim.routing.base import ALGORITHMS, Algorithm, Tables
from sim.topology.base import Int64, Topology


def detours(topology: Topology, base: Tables, over: Int64, split: int, beyond: Tables) -> Tables:
    """Return routes to each node through intermediate switches.

    The second part of a column's path is that of `beyond` from its intermediate switch to its node. Switches on it
    follow it, on VCs from `split` on; all others send towards the intermediate switch, on the VCs of `base`. A packet
    that meets the second part before its intermediate switch takes the rest of it: each hop leads nearer to the
    intermediate switch or along the second part, so routes contain no loop.

    Parameters
    ----------
    topology : Topology
        S switches, N nodes.
    base, beyond : Tables
        Tables with one address per node: routes of the first part, on VCs below `split`; routes of the second part,
        numbered from VC 0, which become VCs from `split` on.
    over : array [N, M]
        Node at whose switch the path of each of a node's M addresses changes from the first to the second part.
    split : int
        First VC of the second part.
    """
    nodes, paths = over.shape
    node = np.repeat(np.arange(nodes), paths)
    column = np.arange(nodes * paths)
    towards = over.ravel()
    out, vc_first, vc_last = (routes[:, towards] for routes in (base.out, base.vc_first, base.vc_last))
    at = topology.node_switch[towards]
    while len(at):
        out[at, column] = beyond.out[at, node]
        vc_first[at, column] = split + beyond.vc_first[at, node]
        vc_last[at, column] = split + beyond.vc_last[at, node]
        arrived = at == topology.node_switch[node]
        vc_first[at[arrived], column[arrived]] = 0
        column, node = column[~arrived], node[~arrived]
        at = topology.peer_switch[at[~arrived], beyond.out[at[~arrived], node]]
    return Tables(out, vc_first, vc_last, base.found[:, towards], paths=paths)


def intermediate(topology: Topology, paths: int, seed: int) -> Int64:
    """Return random nodes [N, paths] on other switches, distinct for each node as far as possible.

    All switches serve equally many addresses: address m of each node that is the l-th of its switch goes through the
    switch that is d(l, m) places further in a random order of all switches, which depends on l.
    """
    rng = np.random.default_rng(seed)
    by_switch = np.argsort(topology.node_switch, kind="stable")
    ends, count = np.unique(topology.node_switch, return_counts=True)
    if len(ends) == 1:
        return np.repeat(np.arange(topology.nodes)[:, None], paths, axis=1)
    first = np.cumsum(count) - count
    over = np.empty((topology.nodes, paths), np.int64)
    for local in range(count.max()):
        order = rng.permutation(len(ends))
        further = np.resize(1 + rng.permutation(len(ends) - 1), paths)
        here = np.flatnonzero(count > local)
        there = order[(np.argsort(order)[here, None] + further) % len(ends)]
        over[by_switch[first[here] + local]] = by_switch[first[there] + (local + np.arange(paths)) % count[there]]
    return over


@ALGORITHMS.enter
class Valiant(Algorithm):
    """To a random switch first and from there to the destination (Valiant and Brebner, STOC 1981), on any graph.

    A node has `paths` addresses, as with InfiniBand's LMC, and every packet is sent to one of them at random. Each
    address has its own intermediate switch (`detours`). Half of the VCs serve the paths to it, the others those from
    it; each half is free of deadlock if the base routing is, and no packet returns to the first half.

    Parameters
    ----------
    base : {"dimension_order", "dragonfly", "minimal", "up_down"}
        Routing of both parts, with its defaults.
    paths : int
        Addresses per node, a power of two.
    seed : int
        Seed of the intermediate switches.
    """

    kind: ClassVar[str] = "valiant"
    base: Literal["dimension_order", "dragonfly", "minimal", "up_down"] = "minimal"
    paths: Annotated[int, Field(ge=1, le=256)] = 4
    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1

    @model_validator(mode="after")
    def _check_paths(self) -> Self:
        if self.paths & (self.paths - 1):
            raise ValueError(f"paths = {self.paths}: must be a power of two up to 256")
        return self

    @property
    def drawn_by(self) -> str:
        """The setting of the kind."""
        return f'routing.kind = "{self.kind}"'

    def addresses_per_node(self, topology: Topology) -> int:
        """Return the columns per node in the tables."""
        return self.paths

    @property
    def _base(self) -> Algorithm:
        return ALGORITHMS.get(self.base)()

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse a topology that the base routing cannot serve, and too few VCs for its two parts.

        Raises
        ------
        TsujiError
            If so; for VCs, the message says how many are needed.
        """
        needed = 2 * self._base.least_vcs(topology)
        if vcs < needed:
            raise TsujiError(
                f'{vcs} VCs: routing.kind = "{self.kind}" with routing.base = "{self.base}" needs {needed} on '
                f"{topology.name}, half of them for each part of a way"
            )

    def over(self, topology: Topology) -> Int64:
        """Return the node [N, paths] at whose switch the two parts of each address's path meet."""
        return intermediate(topology, self.paths, self.seed)

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes, `paths` columns per node."""
        self.check(topology, vcs)
        split = vcs // 2
        base = self._base.tables(topology, split)
        beyond = base if vcs == 2 * split else self._base.tables(topology, vcs - split)
        return detours(topology, base, self.over(topology), split, beyond)
