"""Events that a switch must show under the stimulus, so that a comparison without a difference is meaningful."""

from __future__ import annotations

import numpy as np

from models.formats import Counter
from models.params import SwitchParams

ENOUGH = 100_000  # cycles within which each event happens


def exercises(params: SwitchParams) -> tuple[Counter, ...]:
    """Return the counters that must have counted an event."""
    wanted = [Counter.FLITS_IN, Counter.PACKETS_IN, Counter.FLITS_OUT, Counter.PACKETS_OUT]
    if _drops(params):
        wanted += [Counter.FLITS_DROPPED, Counter.PACKETS_DROPPED]
    if params.has_cam:
        wanted += [Counter.CAM_REQUESTS, Counter.CAM_STALLS]
        # At least two headers must be able to wait at one port.
        wanted += [Counter.CAM_MERGED] if params.vcs * (params.depth // params.header_flits) > 1 else []
    if params.has_cache:
        wanted += [Counter.CACHE_HITS, Counter.CACHE_MISSES, Counter.EVICTIONS]
    if params.lpi is not None:
        wanted += [Counter.LINK_ACT, Counter.LINK_SLEEP, Counter.LINK_LPI, Counter.LINK_WAKE, Counter.LINK_WAKES]
        wanted += [Counter.LINK_REFRESH] if params.lpi.refresh_interval else []
    if params.prediction is not None:
        wanted += [Counter.PREDICT_RIGHT, Counter.BYPASS_FLITS, Counter.BYPASS_SQUASHED]
        wanted += [Counter.BYPASS_HEADS] if _heads_pass(params) else []
        # With a single output, all packets that are not sent there are dropped.
        wanted += [Counter.PREDICT_WRONG] if params.ports > 2 or params.u_turn else []
    return tuple(wanted)


def missed(params: SwitchParams, counts: np.ndarray) -> list[str]:
    """Return the names of the counters that must have counted an event but have not."""
    return [counter.name.lower() for counter in exercises(params) if not counts[counter]]


def _heads_pass(params: SwitchParams) -> bool:
    """Return whether a head can bypass: it keeps its VC's number, and with "step" that changes between switches."""
    steps = params.selects and params.adaptive is not None and params.adaptive.kind == "step"
    names_nodes = params.prediction is None or params.prediction.kind != "static"
    return not steps or names_nodes or params.straight_ports > params.first_local


def _drops(params: SwitchParams) -> bool:
    """Return whether a route can be dropped: a U-turn, a malformed header, an unknown destination."""
    if params.programmed or not params.u_turn or params.header_flits > 1:
        return True
    # A crossbar reads only the coordinate of its own dimension.
    looks = (*params.radix, params.local_ports) if params.crossbar is None else (params.radix[params.crossbar],)
    return any(count & (count - 1) for count in looks)
