"""Latency of a packet alone in the network (docs/microarchitecture.md, section 1)."""

from __future__ import annotations

from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.params import LinkParams, SwitchParams

N = TypeVar("N", int, NDArray[np.int64])

Lookup = Literal["hit", "miss"]


def zero_load_latency(params: SwitchParams, link: LinkParams, hops: N, flits: N, lookup: Lookup = "hit") -> N:
    """Return the network latency of packets that meet no others.

    From the head visible on the first switch's input to the tail visible on the last switch's output:
    H·(R + 1 + S) + (H − 1)·D + (F − 1)·K, and H·K more for each header flit beyond the first, because a route is looked
    up when the header is complete. It holds while no flit waits for a credit: flits ≤ `params.depth`, or a depth of at
    least R + S + 2·D + 4.

    Parameters
    ----------
    params, link
        The switches and the links between them; R = `route_cycles_hit` or `route_cycles_miss`, S = `stage_delay`,
        K = `speedup`, D = `link.latency`.
    hops : int or array
        Switches traversed, H.
    flits : int or array
        Size of the packet, F, at least the header.
    lookup : {"hit", "miss"}
        Whether every switch's cache knows the destination or none does; alike without a cache.

    Returns
    -------
    int or array
        Cycles.
    """
    cycles = params.route_cycles_hit if lookup == "hit" else params.route_cycles_miss
    cycles += 1 + params.stage_delay + params.speedup * (params.header_flits - 1)
    latency = hops * cycles + (hops - 1) * link.latency + (flits - 1) * params.speedup
    if params.routing == "hyper_crossbar" and params.selects:
        # Every other switch is a crossbar, which has nothing to choose.
        latency = latency - hops // 2
    return latency
