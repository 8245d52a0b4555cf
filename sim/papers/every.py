"""Imports all ids, which registers them in the order of the papers."""

from sim.papers import (
    beyond,
    beyond_combination,
    beyond_tori,
    cache_applications,
    cache_flow,
    cache_kernels,
    cache_lookups,
    cache_statistics,
    cache_zero_load,
    dual_graph,
    dual_sim,
    hxb,
    hxb_combined,
    power,
    predict,
    predict_sim,
)

__all__ = [
    "beyond",
    "beyond_combination",
    "beyond_tori",
    "cache_applications",
    "cache_flow",
    "cache_kernels",
    "cache_lookups",
    "cache_statistics",
    "cache_zero_load",
    "dual_graph",
    "dual_sim",
    "hxb",
    "hxb_combined",
    "power",
    "predict",
    "predict_sim",
]
