"""Families of topologies, which the section [topology] names. Each family is one file in this folder."""

from __future__ import annotations

from abc import abstractmethod

from sim.lib.registry import Kind, Registry
from sim.topology.base import Topology


class Family(Kind):
    """Parameters of one family: the keys of the section [topology] besides `kind`."""

    @abstractmethod
    def build(self) -> Topology:
        """Return the network that these parameters describe."""


FAMILIES: Registry[Family] = Registry("sim.topology", "topology.kind")
