"""Latency of a packet alone in the network (microarchitecture.md, section 1)."""

from __future__ import annotations

from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.params import LinkParams, SwitchParams
from models.route.reservation import ASK_CYCLES
from sim.packets import Delivered, Int64

N = TypeVar("N", int, NDArray[np.int64])

Lookup = Literal["hit", "miss"]


def zero_load_latency(params: SwitchParams, link: LinkParams, hops: N, flits: N, lookup: Lookup = "hit") -> N:
    """Return the network latency of a packet alone in a network whose links are all alike, cycles.

    From the head visible on the first switch's input to the tail visible on the last switch's output: H·(R + 1 + S) +
    (H − 1)·D + (F − 1)·K + 2·N, and H·K more for each header flit beyond the first, because a route is looked up when
    the header is complete. It holds if no flit waits for a credit: flits ≤ `params.depth`, or a depth of at least R + S
    + D + C + 4.

    Links slower than the switches, I > K, spread a packet of two hops and more to (F − 1)·I. During route computation
    in the last switch, the flits behind the head catch up R − 1 cycles, and also the cycles that the head waits for the
    rest of the header: I − K more per link and header flit.

    With reservation, an exchanger first asks the crossbar: 3 + 2·D more for each of the H // 2 crossbars on the path.

    Parameters
    ----------
    params, link
        The switches and the links between them; R = `route_cycles_hit` or `route_cycles_miss`, S = `stage_delay`,
        K = `speedup`, D = `link.latency`, C = `link.credit_latency`, I = `link.interval`,
        N = `link.node_latency`.
    hops : int or array
        Switches traversed, H.
    flits : int or array
        Size of the packet, F, at least that of the header.
    lookup : {"hit", "miss"}
        Whether every switch's cache hits or every one misses; no difference without a cache.

    Returns
    -------
    int or array
        Cycles.
    """
    interval = max(link.interval, params.speedup)
    more = params.header_flits - 1
    flight = (hops - 1) * (link.latency * (2 if params.reserves else 1) + more * (interval - params.speedup))
    lag = (flits - 1) * params.speedup
    slower = (flits - 1) * interval - more * interval - (_route_cycles(params, lookup) - 1)
    spread = np.where(np.asarray(hops) > 1, np.maximum(lag, slower), lag)
    flight = flight + 2 * link.node_latency
    return _in_switches(params, hops, lookup) + flight + (spread if isinstance(hops, np.ndarray) else int(spread))


def lone_latency(params: SwitchParams, packets: Delivered) -> Int64:
    """Return the network latency of each packet on its path, had it been alone and all caches warm, cycles.

    It is `zero_load_latency` for links that differ: their latencies add up, and the slowest link sets the time from
    head to tail.
    """
    return _in_switches(params, packets.hops, "hit") + packets.flight + packets.lag


def _route_cycles(params: SwitchParams, lookup: Lookup) -> int:
    return params.route_cycles_hit if lookup == "hit" else params.route_cycles_miss


def _in_switches(params: SwitchParams, hops: N, lookup: Lookup) -> N:
    """Return the cycles that a head spends in its switches, the wait for further header flits included."""
    cycles = _route_cycles(params, lookup) + 1 + params.stage_delay + params.speedup * (params.header_flits - 1)
    if params.routing == "hyper_crossbar" and params.selects:
        # Every second switch is a crossbar: it has no route choice, and reservation asks it first.
        return hops * cycles - hops // 2 + (ASK_CYCLES * (hops // 2) if params.reserves else 0)
    return hops * cycles
