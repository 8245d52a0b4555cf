"""Miss unit of an input port: merges cache misses into CAM lookups (MSHRs: Kroft, 1981; microarchitecture.md, 7)."""

from __future__ import annotations

import numpy as np

from models.counters import CAM_MERGED, count
from models.jit.compiled import compiled
from models.route.route_queue import write
from models.state.declare import PORT, Registers, Sizes, apart, placed
from models.state.placement import Area
from models.state.registers import ASK, IDLE, NEVER, WAIT, WALK, Records, SwitchState

PEND, EXAM = 1, 2


MISS = np.dtype(
    [
        ("phase", np.int8),
        ("stale", np.int8),
        ("walked", np.int8),  # WALK cycles so far, saturating at 2
        ("handed", np.int8),  # a miss waits to be handed over
        ("handed_slot", np.int32),
        ("handed_tag", np.int64),
        ("direct", np.int8),  # no cache: a malformed header wrote its route in this cycle
        ("active_slot", np.int32),
        ("active_tag", np.int64),
        ("pointer", np.int32),
        ("pending", np.int32),  # summary: number of pend bits
        ("examined", np.int32),  # summary: number of exam bits
        ("answer_at", np.int64),  # cycle in which the answer is visible
        ("answer", np.int64),  # route word, drop set when not found
        ("asked_at", np.int64),  # first cycle of the request, for cam_stalls
        ("filling", np.int8),  # a fill was presented in the previous cycle
        ("fill_tag", np.int64),
        ("fill_route", np.int64),
    ],
    align=True,
)


def _has_cam(n: Sizes) -> bool:
    return n.params.has_cam


def _slots(n: Sizes) -> tuple[int, ...]:
    return (n.vcs * n.depth,)


class MissUnitRegisters(Registers):
    """Misses of an input port, and the headers that wait for a route."""

    miss: Records = placed(Area.REST, MISS, PORT, built=_has_cam, fill={"answer_at": NEVER})
    slot: np.ndarray = placed(Area.REST, np.int8, PORT, _slots, built=_has_cam)  # bit 0 pend, bit 1 exam
    slot_tag: np.ndarray = apart(np.int64, PORT, _slots, built=_has_cam)


@compiled
def _first_slot(st: SwitchState, s: int, p: int, bit: int) -> int:
    """Return the first slot with `bit` set, in cyclic order from the pointer; at least one is set."""
    slots = st.k.vcs * st.k.depth
    slot = int(st.miss[s, p].pointer)
    while not st.slot[s, p, slot] & bit:
        slot = slot + 1 if slot + 1 < slots else 0
    return slot


@compiled
def _await(st: SwitchState, s: int, p: int, slot: int, tag: int, bits: int) -> None:
    unit = st.miss[s, p]
    st.slot[s, p, slot] = bits
    st.slot_tag[s, p, slot] = tag
    unit.pending += 1
    if bits & EXAM:
        unit.examined += 1


@compiled
def miss_step(st: SwitchState, s: int, p: int, cycle: int, flush: bool, direct: bool) -> int:
    """Advance by one cycle, except for the grant.

    Parameters
    ----------
    st : SwitchState
        The switches; `handed` holds a miss that is handed over in this cycle.
    s, p : int
        Switch, input port.
    cycle : int
        This cycle.
    flush : bool
        The flush input in this cycle.
    direct : bool
        Another route of this port is written in this cycle.

    Returns
    -------
    int
        Bit 0: the unit requests the CAM in this cycle. Bit 1: the front packet of a VC got its route. Bit 2: a fill is
        presented to the cache in this cycle.
    """
    unit = st.miss[s, p]
    handed = unit.handed == 1
    slot = int(unit.handed_slot)
    tag = int(unit.handed_tag)
    unit.handed = 0
    phase = int(unit.phase)

    if phase == IDLE:
        if unit.pending == 0 and not handed:
            return 0
        picked = _first_slot(st, s, p, PEND) if unit.pending > 0 else slot
        if handed:
            _await(st, s, p, slot, tag, PEND)
        unit.active_tag = st.slot_tag[s, p, picked]
        unit.active_slot = picked
        unit.pointer = picked
        unit.stale = 1 if flush else 0
        unit.asked_at = cycle
        unit.phase = ASK
        return 1

    if phase in (ASK, WAIT):
        if handed:
            _await(st, s, p, slot, tag, PEND)
        if phase == ASK:
            if flush:
                unit.stale = 1
            return 1
        result = 0
        if cycle == unit.answer_at:
            for other in range(st.k.vcs * st.k.depth):
                if st.slot[s, p, other]:
                    st.slot[s, p, other] = PEND | EXAM
            unit.examined = unit.pending
            unit.walked = 0
            unit.phase = WALK
            if st.k.cached and not unit.answer & 2 and not unit.stale:
                result = 4
        if flush:
            unit.stale = 1
        return result

    result = 0
    if not direct and unit.examined > 0:
        examined = _first_slot(st, s, p, EXAM)
        unit.examined -= 1
        st.slot[s, p, examined] = PEND
        if st.slot_tag[s, p, examined] == unit.active_tag:
            st.slot[s, p, examined] = 0
            unit.pending -= 1
            if write(st, s, p, examined, int(unit.answer), cycle):
                result = 2
            if examined != unit.active_slot:
                count(st, s, p, CAM_MERGED, 1)
    if handed:
        _await(st, s, p, slot, tag, PEND | EXAM)
    if unit.walked < 2:
        unit.walked += 1
    if unit.examined == 0 and (unit.walked == 2 or not st.k.cached):
        unit.phase = IDLE
        slots = st.k.vcs * st.k.depth
        unit.pointer = unit.active_slot + 1 if unit.active_slot + 1 < slots else 0
    return result


@compiled
def miss_busy_next(st: SwitchState, s: int, p: int) -> bool:
    """Return whether the unit changes in the next cycle without an answer of the CAM."""
    unit = st.miss[s, p]
    busy: bool = unit.handed == 1 or unit.phase == WALK or (unit.phase == IDLE and unit.pending > 0)
    return busy
