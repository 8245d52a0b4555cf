"""The section [faults]: failed cables and switches."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from models.errors import TsujiError
from models.params import Params
from sim.topology.base import Topology
from sim.topology.cables import cable_links
from sim.topology.faults import cables_between, with_faults

Number = Annotated[int, Field(ge=0)]


class FaultsSection(Params):
    """Failed cables and switches.

    Parameters
    ----------
    links : tuple of (int, int)
        The two switches of each failed cable; of parallel cables one for each time that they are named.
    switches : tuple of int
        Failed switches, with their nodes and cables.
    random : int
        Number of cables that fail besides, drawn at random; those of a smaller number are among those of a greater one.
    random_switches : int
        Number of switches that fail besides, drawn in the same way.
    seed : int
        Seed of both.
    """

    links: tuple[tuple[Number, Number], ...] = ()
    switches: tuple[Number, ...] = ()
    random: Number = 0
    random_switches: Number = 0
    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1

    def applied(self, topology: Topology) -> Topology:
        """Return the network that is left; the network itself without any fault.

        Raises
        ------
        TsujiError
            If a cable or switch does not exist, more fail than there are, or nodes are cut off.
        """
        ends, switches = cable_links(topology)[:, [0, 2]], topology.switches
        for key, number in (("links", max((max(pair) for pair in self.links), default=0)), ("switches", self._highest)):
            if number >= switches:
                raise TsujiError(f"faults.{key}: switch {number}: {topology.name} has switches 0 to {switches - 1}")
        gone = np.unique(np.array(self.switches, np.int64))
        gone = np.append(gone, self._drawn("random_switches", self.random_switches, switches, gone))
        failed = cables_between(topology, self.links)
        lost = np.append(failed, np.flatnonzero(np.isin(ends, gone).any(axis=1)))
        failed = np.append(failed, self._drawn("random", self.random, len(ends), lost))
        return with_faults(topology, failed, gone) if len(failed) or len(gone) else topology

    @property
    def _highest(self) -> int:
        """Highest number of `switches`."""
        return max(self.switches, default=0)

    def _drawn(self, key: str, count: int, total: int, named: np.ndarray) -> np.ndarray:
        """Return `count` of the numbers below `total` that are not named; of a smaller count, the first of these."""
        left = np.setdiff1d(np.arange(total), named)
        if count > len(left):
            raise TsujiError(f"faults.{key} = {count}: only {len(left)} are left that can fail")
        order = np.random.default_rng([self.seed, key == "random"]).permutation(left)
        drawn: np.ndarray = order[:count].astype(np.int64)
        return drawn
