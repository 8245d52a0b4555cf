"""Routes of message classes: each class has its own addresses of every node, and its own VCs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.routing.base import Algorithm, Tables
from sim.topology.base import Topology


class ByMessageClass(Algorithm):
    """The routes of another algorithm once for each message class, on the VCs of the class.

    A class that has n VCs of its own has the routes, and needs the VCs, that the algorithm has with n VCs.

    Parameters
    ----------
    base : Algorithm
        The other algorithm.
    vcs : tuple of (int, int) or None
        Of each class the first and the last VC; None: all.
    """

    kind: ClassVar[str] = "by_message_class"
    base: Algorithm
    vcs: tuple[tuple[int, int] | None, ...]

    @property
    def drawn_by(self) -> str:
        """The setting by which a node has several addresses."""
        return "traffic.classes" + (f" and {self.base.drawn_by}" if self.base.drawn_by else "")

    def addresses_per_node(self, topology: Topology) -> int:
        """Return the addresses of all classes."""
        return len(self.vcs) * self.base.addresses_per_node(topology)

    def least_vcs(self, topology: Topology) -> int:
        """Return the fewest VCs that the algorithm needs for a class."""
        return self.base.least_vcs(topology)

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse VCs that there are not, and classes with fewer than the algorithm needs.

        Raises
        ------
        TsujiError
            If one is; the message names the class.
        """
        for number, own in enumerate(self.vcs):
            first, last = own or (0, vcs - 1)
            if not first <= last < vcs:
                raise TsujiError(
                    f"traffic.classes.{number}.vcs = [{first}, {last}]: must be the first and the last of VCs 0 to "
                    f"{vcs - 1}"
                )
            try:
                self.base.check(topology, last - first + 1)
            except TsujiError as error:
                if own is None:
                    raise
                raise TsujiError(f"traffic.classes.{number}.vcs = [{first}, {last}]: {error}") from error

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes of all classes."""
        self.check(topology, vcs)
        ranges = [own or (0, vcs - 1) for own in self.vcs]
        made = {width: self.base.tables(topology, width) for width in {last - first + 1 for first, last in ranges}}
        each = [made[last - first + 1] for first, last in ranges]
        first_vc = np.array([first for first, _ in ranges], np.int8)[:, None]
        one = each[0]

        def joined(name: str, shift: NDArray[np.int8] | None = None) -> NDArray[Any]:
            """Return an array of all classes, the paths of a node's classes one behind the other."""
            parts = [getattr(tables, name).reshape(topology.switches, topology.nodes, one.paths) for tables in each]
            values: NDArray[Any] = np.stack(parts, axis=2)
            return (values if shift is None else values + shift).reshape(topology.switches, -1)

        return Tables(
            joined("out"),
            joined("vc_first", first_vc),
            joined("vc_last", first_vc),
            joined("found"),
            paths=len(each) * one.paths,
            groups=one.groups,
            classes=len(each),
        )
