"""All ids, entered in the order of the papers by being imported."""

from sim.papers import dual_graph

__all__ = ["dual_graph"]
