"""All ids, entered in the order of the papers by being imported."""

from sim.papers import (
    beyond,
    cache_applications,
    cache_lookups,
    cache_statistics,
    cache_zero_load,
    dual_graph,
    dual_sim,
    hxb,
    predict,
    predict_sim,
)

__all__ = [
    "beyond",
    "cache_applications",
    "cache_lookups",
    "cache_statistics",
    "cache_zero_load",
    "dual_graph",
    "dual_sim",
    "hxb",
    "predict",
    "predict_sim",
]
