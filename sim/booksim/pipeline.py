"""BookSim2's pipeline as delays of our switch, and routers that are faster than their links.

A hop of BookSim2 takes routing_delay + vc_alloc_delay + sw_alloc_delay + st_prepare_delay + st_final_delay cycles and
its link's latency; only heads, at the front of their VC, take the first two. Our switch takes 2 cycles if routes are
known at once; the rest becomes `head_delay` and `stage_delay`.
"""

from __future__ import annotations

from typing import Any

from models.params.parts import MAX_HEAD_DELAY
from sim.booksim.settings import Settings

OWN_CYCLES = 2  # cycles per hop of a switch without delays whose routes are known at once
MOST_CYCLES = 1023  # greatest stage_delay
MOST_FLITS = 4096  # of a VC's buffer of our own switch
MOST_OUTPUT_FLITS = 64  # greatest output buffer, flits; BookSim2's is unbounded
CYCLES = ("latencies", "passing_latencies")  # keys of [topology] that count cycles


def speedup(given: Settings) -> int:
    """Return the speed-up: router cycles per link cycle."""
    fast = given.number("internal_speedup")
    if fast not in range(1, 5):
        raise given.refuse("internal_speedup", "must be 1, 2, 3 or 4")
    return int(fast)


def depth(given: Settings, vcs: int, most: int = MOST_FLITS) -> int:
    """Return the flits of a VC's buffer, at most `most`."""
    whole = given.integer("buf_size", -1)
    found = whole // vcs if whole > 0 else given.integer("vc_buf_size", 1, most)
    if not 1 <= found <= most:
        raise given.refuse("buf_size", f"must be at least num_vcs = {vcs}, and at most {most} flits per VC")
    return found


def output_buffers(given: Settings, fast: int) -> dict[str, int]:
    """Return the speed-up of a switch and the buffers before its output links."""
    flits = given.integer("output_buffer_size", -1)
    if fast == 1:
        if flits != -1:
            raise given.refuse("output_buffer_size", "must be -1 with internal_speedup = 1: there is no such buffer")
        return {}
    if flits != -1 and not 2 <= flits <= MOST_OUTPUT_FLITS:
        raise given.refuse("output_buffer_size", f"must be -1, or 2 to {MOST_OUTPUT_FLITS} flits")
    return {"speedup": fast, "output_buffer": MOST_OUTPUT_FLITS if flits == -1 else flits}


def slower(topology: dict[str, Any], fast: int) -> dict[str, Any]:
    """Return a section [topology] with its latencies in cycles of a switch `fast` times as fast as the links."""
    scaled = {key: [fast * cycles for cycles in topology[key]] for key in CYCLES if key in topology}
    edges = [[one, other, fast * cycles, 1] for one, other, cycles, _ in topology.get("edges", ())]
    return topology | scaled | ({"edges": edges} if edges else {})


def _fast_delays(given: Settings, fast: int, own_switch: bool, vc_stage: bool) -> dict[str, int]:
    """Return the delays of a switch `fast` times as fast as the links.

    A stage with a delay of 1 takes one of BookSim2's `fast` internal steps per cycle; a flit that leaves the crossbar
    in a cycle is on the link at the end of that cycle.
    """
    for key in ("vc_alloc_delay", "sw_alloc_delay"):
        if given.integer(key, 1) != 1:
            raise given.refuse(key, "must be 1 with internal_speedup above 1")
    route = given.integer("routing_delay", 0)
    if route > 1:
        raise given.refuse("routing_delay", "must be 0 or 1 with internal_speedup above 1")
    apart = not given.integer("speculative", 0, 1)  # VC allocation takes a step of its own
    before = route + 1 + apart  # steps before the crossbar
    behind = given.integer("st_prepare_delay", 0) + given.integer("st_final_delay", 0)
    if not 1 <= behind <= MOST_CYCLES // fast:
        raise given.refuse("st_final_delay", f"must be 1 to {MOST_CYCLES // fast} with st_prepare_delay")
    hop = fast * (before // fast + behind)
    if own_switch:
        return {"stage_delay": hop - OWN_CYCLES}
    return {"vc_stage": vc_stage, "head_delay": route, "stage_delay": hop - OWN_CYCLES - apart - route}


def delays(given: Settings, own_switch: bool, vc_stage: bool) -> dict[str, int]:
    """Return delays that give heads and bodies as many cycles per hop in an empty network as BookSim2's.

    `vc_stage` says whether VC allocation is separate from switch allocation, even in the same cycle.
    """
    fast = speedup(given)
    if fast > 1:
        return _fast_delays(given, fast, own_switch, vc_stage)
    route = given.integer("routing_delay", 0)
    vc, switch = given.integer("vc_alloc_delay", 1), given.integer("sw_alloc_delay", 1)
    body = switch + given.integer("st_prepare_delay", 0) + given.integer("st_final_delay", 0)
    speculative = bool(given.integer("speculative", 0, 1))
    # With piggyback, there is no VC allocation: a head takes a VC with the grant of the crossbar.
    longer = max(vc - switch, 0) if vc_stage else 0
    head = body + route + (longer if speculative else vc)
    if not OWN_CYCLES <= head <= OWN_CYCLES + MOST_CYCLES:
        raise given.refuse(
            "st_final_delay",
            f"the delays of a hop make {head} cycles; must be {OWN_CYCLES} to {OWN_CYCLES + MOST_CYCLES}",
        )
    if own_switch:
        return {"stage_delay": head - OWN_CYCLES}
    stage = max(body - OWN_CYCLES, 0)
    ahead = head - OWN_CYCLES - stage
    apart = not speculative and ahead > 0
    wait = ahead - apart
    if wait > MAX_HEAD_DELAY:
        raise given.refuse(
            "routing_delay", f"heads wait {wait} cycles before they ask for a VC; at most {MAX_HEAD_DELAY}"
        )
    return {"vc_stage": apart or (speculative and vc_stage), "head_delay": wait, "stage_delay": stage}
