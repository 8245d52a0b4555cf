"""Families of topologies: what the section [topology] can name. A family is one file in this folder."""

from __future__ import annotations

from abc import abstractmethod

from sim.lib.registry import Kind, Registry
from sim.topology.base import Topology


class Family(Kind):
    """Parameters of one family: the keys of the section [topology] beside `kind`."""

    @abstractmethod
    def build(self) -> Topology:
        """Return the network these parameters describe."""


FAMILIES: Registry[Family] = Registry("sim.topology", "topology.kind")
