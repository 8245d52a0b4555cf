"""All ids, entered in the order of the papers by being imported."""

from sim.papers import cache_statistics, cache_zero_load, dual_graph, dual_sim, hxb, predict

__all__ = ["cache_statistics", "cache_zero_load", "dual_graph", "dual_sim", "hxb", "predict"]
