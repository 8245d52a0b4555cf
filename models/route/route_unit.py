"""Route unit of one input port, RC, and the CAM that all ports share (microarchitecture.md, sections 5 to 7)."""

from __future__ import annotations

import numpy as np

from models import counters
from models.counters import CACHE_HITS, CACHE_MISSES, CAM_REQUESTS, CAM_STALLS
from models.jit.bits import count_trailing_zeros, each_member
from models.jit.compiled import compiled
from models.jit.sets import with_member
from models.route import cam, route_cache
from models.route.dimension_order import BY_PARITY, decode, dimension_order_route, local_port, productive
from models.route.dragonfly import dragonfly_route
from models.route.fat_tree import fat_tree_route
from models.route.header import MALFORMED
from models.route.hyper_crossbar import coordinate, exchange
from models.route.hypercube import way
from models.route.hyperx import hyperx_route
from models.route.linear_table import linear_route
from models.route.miss_unit import miss_busy_next, miss_step
from models.route.route_queue import claim_position, write, write_at
from models.route.route_table import table_accept, table_answer_cycle
from models.state.declare import NOTHING, PORT, SWITCH, Field, Registers, Sizes, apart, fields, placed, table
from models.state.placement import Area
from models.state.registers import ASK, DETERMINISTIC, NEVER, NO_PORT, WAIT, Records, SwitchState
from models.state.route_word import route_word

ROUTED, WORKING, SENT = 1, 2, 4


LOOKUP = np.dtype(
    [("valid", np.int8), ("malformed", np.int8), ("slot", np.int32), ("tag", np.int64)],
    align=True,
)


def _dimensions(n: Sizes) -> tuple[int, ...]:
    return (max(1, len(n.params.radix)),)


class RouteUnitRegisters(Registers):
    """Lookups, and what routes are computed from."""

    # by cycle parity
    lookup: Records = placed(Area.REST, LOOKUP, PORT, lambda n: (2,), built=lambda n: n.params.has_cache)
    position: np.ndarray = placed(Area.POSITION, np.int64, SWITCH, _dimensions, kept=True)
    radix: np.ndarray = table(lambda n: np.array(n.params.radix or (1,), np.int64))
    coordinate_bits: np.ndarray = table(lambda n: np.array(n.params.coordinate_bits or (0,), np.int64))
    destination: np.ndarray = apart(np.int64, NOTHING, _dimensions)  # scratch
    in_switch = fields(
        Field("working", np.int64),  # summary: input ports whose route unit has something to do in its next cycle
        Field("waiting", np.int64),  # summary: input ports whose miss unit is in ASK or WAIT
    )


@compiled
def _with_all_vcs(st: SwitchState, out: int, choices: int, at_end: bool) -> int:
    """Return the word of a route that may take any VC, or if routes are adaptive any escape VC except `at_end`."""
    k = st.k
    last = (k.vcs if at_end else k.escape_vcs) - 1
    return route_word(out, 0, last, 0, choices if k.adaptive != DETERMINISTIC else 0)


@compiled
def route_at_once(st: SwitchState, s: int, tag: int, malformed: bool) -> int:
    """Return the route word of a tag whose route needs no CAM: computed, or from the linear table."""
    k = st.k
    drained = route_word(0, 0, 0, 1)
    if malformed:
        return drained
    if k.linear:
        return linear_route(st, s, tag)
    d = int(st.switch[s].crossbar)
    if k.hyper and d != NO_PORT:
        out = coordinate(tag, d, st.coordinate_bits)
        return route_word(out, 0, k.vcs - 1, 0) if out < st.radix[d] else drained
    if k.hypercube:
        local = local_port(tag >> k.dimensions, k.local_bits, k.local_ports)
    else:
        local = decode(tag >> k.tie_bits, st.coordinate_bits, k.local_bits, st.radix, k.local_ports, st.destination)
    if local < 0:
        return drained
    local *= k.node_ports
    if k.hyper:
        out, choices = exchange(st.destination, local, st.position[s])
        return route_word(out, 0, k.vcs - 1, 0, choices if k.adaptive != DETERMINISTIC else 0)
    if k.hypercube:
        links = way(tag, st.position[s], k.fold)
        return _with_all_vcs(st, count_trailing_zeros(links) if links else k.first_local + local, links, links == 0)
    if k.hyperx:
        out, choices = hyperx_route(st.destination, local, st.position[s], st.radix)
        return _with_all_vcs(st, out, choices, out >= k.first_local)
    if k.fat_tree:
        out, choices, at_end = fat_tree_route(st.destination, st.position[s], k.arity)
        return _with_all_vcs(st, out, choices, at_end)
    if k.dragonfly:
        out, first, last = dragonfly_route(st.destination, local, st.position[s], st.radix, k.arrangement, k.vcs)
        return route_word(out, first, last, 0)
    ties = tag & ((1 << k.tie_bits) - 1) if k.tie_bits else BY_PARITY
    out, first, last = dimension_order_route(
        st.destination, local, st.position[s], st.radix, k.wrap, k.fixed_classes, k.escape_vcs, ties
    )
    if out >= k.first_local:
        last = k.vcs - 1
    choices = productive(st.destination, st.position[s], st.radix, k.wrap) if k.adaptive != DETERMINISTIC else 0
    return route_word(out, first, last, 0, choices)


@compiled
def route_header(st: SwitchState, s: int, p: int, v: int, tag: int, kind: int, cycle: int) -> int:
    """Begin RC of a header that is complete in `cycle`.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, p, v : int
        Switch, input port, VC.
    tag : int
        Tag of the header.
    kind : int
        COMPLETE or MALFORMED, from `header`.
    cycle : int
        The present cycle; `advance_route_units` of the same cycle must follow.

    Returns
    -------
    int
        ROUTED if the front packet of the VC has its route from the next cycle on; WORKING if `route_step` must be
        called for this cycle and the next.
    """
    position = claim_position(st, s, p, v)
    malformed = kind == MALFORMED
    if not st.k.table:
        word = route_at_once(st, s, tag, malformed)
        return ROUTED if write_at(st, s, p, v, position, word, cycle) else 0
    slot = v * st.k.depth + position
    st.switch[s].working |= 1 << p
    if st.k.cached:
        lookup = st.lookup[s, p, cycle & 1]
        lookup.valid = 1
        lookup.malformed = 1 if malformed else 0
        lookup.slot = slot
        lookup.tag = tag
        return WORKING
    unit = st.miss[s, p]
    if malformed:
        unit.direct = 1
        return WORKING | (ROUTED if write(st, s, p, slot, route_word(0, 0, 0, 1), cycle) else 0)
    unit.handed = 1
    unit.handed_slot = slot
    unit.handed_tag = tag
    return WORKING


@compiled
def _port_step(st: SwitchState, s: int, p: int, cycle: int, flush: bool) -> int:
    """Advance the route unit of a port; return bit 0: it requests the CAM; bit 1: a front packet got its route."""
    unit = st.miss[s, p]
    if not st.k.cached:
        direct = unit.direct == 1
        unit.direct = 0
        return miss_step(st, s, p, cycle, flush, direct) & 3

    lookup = st.lookup[s, p, (cycle - 1) & 1]
    flushing = route_cache.cache_flushing(st, s, cycle)
    looked_up = lookup.valid == 1
    lookup.valid = 0
    direct = False
    missed = False
    routed = False
    filling = unit.filling == 1 and not flushing
    if looked_up and lookup.malformed:
        direct = True
        routed = write(st, s, p, int(lookup.slot), route_word(0, 0, 0, 1), cycle)
    elif looked_up:
        way = -1 if flushing else route_cache.cache_find(st, s, p, lookup.tag)
        if way >= 0:
            direct = True
            index = route_cache.cache_index(st, lookup.tag)
            routed = write(st, s, p, int(lookup.slot), int(st.cache[s, p, index, way].route), cycle)
            if not filling:
                route_cache.cache_touch(st, s, p, index, way)
            counters.count(st, s, p, CACHE_HITS, 1)
        else:
            missed = True
            counters.count(st, s, p, CACHE_MISSES, 1)
    if filling:
        route_cache.cache_fill(st, s, p, unit.fill_tag, unit.fill_route)
    unit.filling = 0
    result = miss_step(st, s, p, cycle, flush, direct)
    if result & 4:
        unit.filling = 1
        unit.fill_tag = unit.active_tag
        unit.fill_route = unit.answer
    if missed:
        unit.handed = 1
        unit.handed_slot = lookup.slot
        unit.handed_tag = lookup.tag
    return (result & 3) | (2 if routed else 0)


@compiled
def advance_route_units(st: SwitchState, s: int, cycle: int, flush: bool) -> bool:
    """Advance the route units and the CAM of a switch by one cycle, after the arrivals of the cycle.

    A call in a cycle in which nothing is due has no effect.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s : int
        Switch.
    cycle : int
        The present cycle.
    flush : bool
        Flush input in this cycle.

    Returns
    -------
    bool
        Whether a front packet got its route, so that a move may follow in the next cycle.
    """
    sw = st.switch[s]
    accepting = cam.cam_accepting(st, s, cycle)
    requests = 0
    routed = False
    working = 0
    for p in each_member(sw.working | sw.waiting):
        result = _port_step(st, s, p, cycle, flush)
        requests |= (result & 1) << p
        if result & 2:
            routed = True
        unit = st.miss[s, p]
        sw.waiting = with_member(int(sw.waiting), p, int(unit.phase in (ASK, WAIT)))
        if miss_busy_next(st, s, p) or (st.k.cached and (unit.filling or st.lookup[s, p, cycle & 1].valid)):
            working |= 1 << p
    sw.working = working
    if accepting:
        unit = st.miss[s, sw.cam_port]
        unit.answer = table_accept(st, s, sw.cam_tag, cycle)
        unit.answer_at = table_answer_cycle(st, cycle)
        sw.cam_full = 0
    granted = cam.cam_arbitrate(st, s, requests, accepting)
    if granted >= 0:
        unit = st.miss[s, granted]
        sw.cam_full = 1
        sw.cam_port = granted
        sw.cam_tag = unit.active_tag
        unit.answer_at = NEVER  # the cycle of the answer is not known yet
        unit.phase = WAIT
        counters.count(st, s, granted, CAM_REQUESTS, 1)
        counters.count(st, s, granted, CAM_STALLS, cycle - unit.asked_at)
    if flush and st.k.cached:
        route_cache.cache_clear(st, s, cycle)
    return routed


@compiled
def route_next(st: SwitchState, s: int, cycle: int) -> int:
    """Return the next cycle after `cycle` in which `advance_route_units` is due; NEVER if not without arrivals."""
    sw = st.switch[s]
    if sw.working:
        return cycle + 1
    nearest = NEVER
    if sw.cam_full:
        nearest = max(cycle + 1, sw.table_ready)
    for p in each_member(sw.waiting):
        unit = st.miss[s, p]
        if unit.phase == WAIT and unit.answer_at < nearest:
            nearest = unit.answer_at
    return nearest
