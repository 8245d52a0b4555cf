"""Base class of routing algorithms and their result: for each switch, the route to each node."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.params.parts import MAX_VCS
from sim.lib.array_check import check_int, check_ints
from sim.lib.registry import Kind, Registry
from sim.topology.base import Int64, Topology

Int8 = NDArray[np.int8]
ANY = np.iinfo(np.int64)
MOST_PATHS = 1 << 16  # most addresses per node
MOST_ROUTES = 5 << 28  # most routes of a network, about ten bytes each with the tables of the switches
BLOCK = 1 << 22  # routes processed together

_BY_COLUMN = ("out", "vc_first", "vc_last", "found")


@dataclass(frozen=True, eq=False)
class Tables:
    """Routes of every switch [S] to every address [C], with which the switches' CAMs are programmed.

    A node has `paths` consecutive addresses, each with its own routes: column = node · paths + path.

    Attributes
    ----------
    out : array of int8 [S, C]
        Output port.
    vc_first, vc_last : array of int8 [S, C]
        First and last VC that the packet may take on that output.
    found : array of bool [S, C]
        Whether the switch has a route; if not, the other arrays are undefined there.
    choices : array of int64 [S, C] or None
        Adaptive routing: outputs the packet may take instead, one bit each.
    paths : int
        Addresses per node.
    threshold : int or None
        Bias towards path 0 of sources that choose between path 0 and another path (`sim.engine.ugal_choice`); None:
        sources do not choose.
    groups : array of int64 [N] or None
        Group of each node: packets within a group take path 1, others path 0; None: paths are drawn or chosen.
    first_node : int
        Node of the first column.
    classes : int
        Message classes: each has an equal number of a node's paths, class 0 the first ones.
    kept : array of int64 or None
        Outputs on which a packet that left the previous switch by the same output keeps the VCs it had there; None:
        packets have the table's VCs everywhere.
    """

    out: Int8
    vc_first: Int8
    vc_last: Int8
    found: NDArray[np.bool_]
    choices: NDArray[np.int64] | None = None
    paths: int = 1
    threshold: int | None = None
    groups: Int64 | None = None
    first_node: int = 0
    classes: int = 1
    kept: Int64 | None = None

    def checked(self, topology: Topology, vcs: int) -> Self:
        """Return the routes for ports of `vcs` VCs, after checking types, shapes and every value for compiled code.

        Raises
        ------
        TsujiError
            If a value is invalid; the message names array, index and value.
        """
        paths = check_int("tables.paths", self.paths, 1, MOST_PATHS)
        shape = (topology.switches, topology.nodes * paths)
        found = np.asarray(self.found)
        if found.shape != shape or found.dtype != np.bool_:
            raise TsujiError(f"tables.found: {found.dtype} of shape {found.shape}; must be bool of shape {shape}")
        choices = self.choices
        if choices is not None:
            choices = check_ints("tables.choices", choices, shape, 0, (1 << topology.ports) - 1)
        groups = self.groups
        if groups is not None:
            groups = check_ints("tables.groups", groups, (topology.nodes,), 0, topology.nodes - 1)
        if self.threshold is not None:
            check_int("tables.threshold", self.threshold, 0, (1 << 31) - 1)
        check_int("tables.first_node", self.first_node, 0, 0)
        if paths % check_int("tables.classes", self.classes, 1, paths):
            raise TsujiError(f"tables.classes = {self.classes}: must divide tables.paths = {paths}")
        out, first, last = (
            _checked(f"tables.{name}", getattr(self, name), found, limit)
            for name, limit in (("out", topology.ports), ("vc_first", vcs), ("vc_last", vcs))
        )
        made = replace(
            self, paths=paths, out=out, vc_first=first, vc_last=last, found=found, choices=choices, groups=groups
        )
        # In parts: a mask of a billion routes would take as much memory as one of their fields.
        for part in made.parts(max(1, BLOCK // topology.switches)):
            if (wrong := np.argwhere(part.vc_first > part.vc_last)).size:
                s, c = wrong[0]
                raise TsujiError(
                    f"tables.vc_last[{s}, {part.first_node * paths + c}] = {part.vc_last[s, c]}: is below vc_first = "
                    f"{part.vc_first[s, c]}"
                )
        return made

    @property
    def nodes(self) -> Int64:
        """Node of each column [C]."""
        return self.first_node + np.arange(self.out.shape[1]) // self.paths

    def by_column(self) -> tuple[Int8, Int8, Int8, NDArray[np.bool_], Int64]:
        """Return output, first and last VC, `found` and choices [C, S], adjacent for a destination; [0, 0] if none."""
        choices = np.zeros((0, 0), np.int64) if self.choices is None else np.ascontiguousarray(self.choices.T)
        out, first, last = (np.ascontiguousarray(field.T) for field in (self.out, self.vc_first, self.vc_last))
        return out, first, last, np.ascontiguousarray(self.found.T), choices

    def of_class(self, number: int) -> Self:
        """Return the routes of a message class."""
        if self.classes == 1:
            return self
        paths = self.paths // self.classes
        columns = np.arange(self.out.shape[1]).reshape(-1, self.classes, paths)[:, number].ravel()
        return replace(self, **{name: getattr(self, name)[:, columns] for name in _BY_COLUMN}, paths=paths, classes=1)

    def parts(self, columns: int) -> Iterator[Self]:
        """Yield tables of consecutive nodes, each of at most `columns` columns, or of one node."""
        step = max(1, columns // self.paths) * self.paths
        for first in range(0, self.out.shape[1], step):
            fields = {name: getattr(self, name)[:, first : first + step] for name in _BY_COLUMN}
            choices = None if self.choices is None else self.choices[:, first : first + step]
            yield replace(self, **fields, choices=choices, first_node=self.first_node + first // self.paths)


def _checked(name: str, values: Any, found: NDArray[np.bool_], limit: int) -> Int8:
    """Return values below `limit` where `found`, 0 elsewhere."""
    array = np.asarray(values)
    is_plain = array.dtype == np.int8 and array.shape == found.shape and found.all()
    if is_plain and array.min(initial=0) >= 0 and array.max(initial=0) < limit:
        return array
    given = check_ints(name, array, found.shape, ANY.min, ANY.max)
    return check_ints(name, np.where(found, given, 0), found.shape, 0, limit - 1).astype(np.int8)


class Algorithm(Kind):
    """Parameters of one algorithm: the keys of the section [routing] besides `kind`."""

    @property
    def drawn_by(self) -> str:
        """The setting by which packets between two nodes take different paths, by addresses; "" if there is none."""
        return ""

    def addresses_per_node(self, topology: Topology) -> int:
        """Return the columns per node in the tables: paths that are distinguished by a packet's address."""
        return 1

    @property
    def computed_by(self) -> tuple[str, ...]:
        """Values of `switch.routing` with which switches compute the same routes as the tables hold."""
        return ()

    def computed_params(self, topology: Topology) -> dict[str, object]:
        """Return the parameters that the algorithm sets for a switch that computes these routes.

        Raises
        ------
        TsujiError
            If the topology does not suit them.
        """
        return {}

    def check_size(self, topology: Topology) -> None:
        """Refuse more routes than tables can hold.

        Raises
        ------
        TsujiError
            If there are too many; the message says how many.
        """
        routes = topology.switches * topology.nodes * self.addresses_per_node(topology)
        if routes > MOST_ROUTES:
            several = (
                f", with {self.addresses_per_node(topology)} addresses per node by {self.drawn_by}"
                if self.drawn_by
                else ""
            )
            raise TsujiError(
                f"{topology.name}: {routes:,} routes of {topology.switches:,} switches to {topology.nodes:,} nodes"
                f"{several}; tables hold at most {MOST_ROUTES:,}"
            )

    def least_vcs(self, topology: Topology) -> int:
        """Return the fewest VCs that `check` accepts.

        Raises
        ------
        TsujiError
            If the algorithm cannot serve this topology with any number of VCs.
        """
        for vcs in range(1, MAX_VCS):
            try:
                self.check(topology, vcs)
            except TsujiError:
                continue
            return vcs
        self.check(topology, MAX_VCS)
        return MAX_VCS

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse, without computing routes, a topology or number of VCs that `tables` cannot serve.

        Raises
        ------
        TsujiError
            If the algorithm cannot serve this topology, or needs more VCs.
        """

    @abstractmethod
    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes for a network whose ports have `vcs` VCs, after `check`."""


ALGORITHMS: Registry[Algorithm] = Registry("sim.routing", "routing.kind")
