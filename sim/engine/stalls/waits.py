"""What each switch buffer waits for, and which buffers wait only for one another (compiled).

A buffer waits for any of several buffers (`WAIT`); without waits it can move. The registers of batched switches must be
shown before (`models.readout.show_registers`).
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.route.route_queue import route_at
from models.state.layout import aligned
from models.state.registers import STEP, Records, SwitchState
from models.state.route_word import route_choices, route_drop, route_out, route_vcs
from models.transfer.output_unit import head_need
from sim.engine.address import is_source, port_of, switch_of
from sim.engine.state import NOBODY

REST, TAKEN, FULL = 0, 1, 2  # it waits for its own next flits; for an output VC that is owned; for a credit

WAIT = np.dtype(
    [
        ("switch", np.int32),  # the buffer that holds what it waits for
        ("port", np.int32),
        ("vc", np.int32),
        ("reason", np.int32),
        ("out", np.int32),  # output and VC for which it waits; NOBODY: its own flits
        ("out_vc", np.int32),
    ],
    align=True,
)
MOVES = -1


@compiled
def _append(waits: Records, n: int, s: int, p: int, v: int, reason: int, o: int, w: int) -> int:
    """Write a wait for buffer (s, p, v) after `n` others; return their number."""
    row = waits[n]
    row.switch = s
    row.port = p
    row.vc = v
    row.reason = reason
    row.out = o
    row.out_vc = w
    return n + 1


@compiled_noinline
def find_waits(st: SwitchState, link: np.ndarray, s: int, p: int, v: int, waits: Records) -> int:
    """Write the waits of a buffer, any of which lets its front packet move; return their number, 0 if it can move.

    Parameters
    ----------
    st : SwitchState
        Switches.
    link : array [S, P]
        Place at the other end of each link (`sim.engine.address`).
    s, p, v : int
        The buffer: switch, port and VC.
    waits : records
        Room for them (`new_waits`).
    """
    vc = st.vc[s, p, v]
    word = int(vc.route)
    if word == 0:
        word = int(route_at(st, s, p, v, int(vc.front)))
    if vc.count == 0:
        return _upstream(st, link, s, p, v, waits) if vc.active else 0
    if word == 0 or route_drop(word):
        return 0
    if vc.active:
        return max(0, _for_output(st, link, (s, p, v), route_out(word), 1 << int(vc.out_vc), waits, 0))
    if vc.blocked and vc.tails == 0 and vc.count < st.k.depth:
        return _upstream(st, link, s, p, v, waits)
    word = int(route_at(st, s, p, v, int(vc.front)))
    n = _for_output(st, link, (s, p, v), route_out(word), route_vcs(word), waits, 0)
    vcs = route_vcs(word) if st.k.adaptive == STEP else (1 << st.k.vcs) - (1 << st.k.escape_vcs)
    for o in range(st.k.ports):
        if n != MOVES and route_choices(word) >> o & 1:
            n = _for_output(st, link, (s, p, v), o, vcs, waits, n)
    return max(0, n)


@compiled_noinline
def _for_output(
    st: SwitchState, link: np.ndarray, buffer: tuple[int, int, int], o: int, vcs: int, waits: Records, n: int
) -> int:
    """Append the waits of a buffer's front packet for VCs of output `o`, a set; MOVES if one needs no other buffer."""
    s, p, v = buffer
    output = st.output[s, o]
    active = st.vc[s, p, v].active
    for w in range(st.k.vcs):
        if not vcs >> w & 1:
            continue
        if not active:
            if not int(output.free) >> w & 1:
                owner = _owner(st, s, o, w)
                if owner == NOBODY:
                    return MOVES
                n = _append(waits, n, s, owner // st.k.vcs, owner % st.k.vcs, TAKEN, o, w)
                continue
            if st.credits[s, o, w] >= head_need(st, w):
                return MOVES
        elif st.credits[s, o, w]:
            return MOVES
        enough = active or head_need(st, w) == 1
        if st.k.output_queues and enough and int(output.credited) >> w & 1:
            return MOVES
        to = int(link[s, o])
        if to == NOBODY or is_source(to) or _on_the_link(st, s, o, switch_of(to), port_of(to), w):
            return MOVES
        n = _append(waits, n, switch_of(to), port_of(to), w, FULL, o, w)
    return n


@compiled_noinline
def _upstream(st: SwitchState, link: np.ndarray, s: int, p: int, v: int, waits: Records) -> int:
    """Write the wait for the buffer with a packet's next flits; none if they come from a node or are on the link."""
    before = int(link[s, p])
    if before == NOBODY or is_source(before):
        return 0
    sender, o = switch_of(before), port_of(before)
    if _on_the_link(st, sender, o, s, p, v) or (st.k.output_queues and st.queue_count[sender, o, v]):
        return 0
    owner = _owner(st, sender, o, v)
    if owner == NOBODY:
        return 0
    return _append(waits, 0, sender, owner // st.k.vcs, owner % st.k.vcs, REST, NOBODY, NOBODY)


@compiled
def _on_the_link(st: SwitchState, s: int, o: int, to: int, p: int, w: int) -> bool:
    """Return whether flits from output (s, o) to buffer (to, p, w), or credits back, are on the link."""
    return bool(st.credits[s, o, w] + st.vc[to, p, w].count < st.k.depth)


@compiled_noinline
def _owner(st: SwitchState, s: int, o: int, w: int) -> int:
    """Return port · vcs + VC of the buffer through which the flits of output VC (o, w)'s owner come; NOBODY if none."""
    for p in range(st.k.ports):
        for v in range(st.k.vcs):
            vc = st.vc[s, p, v]
            if vc.active == 1 and vc.out_vc == w and vc.route != 0 and route_out(int(vc.route)) == o:
                return p * st.k.vcs + v
    return NOBODY


@compiled_noinline
def count_waits(st: SwitchState, link: np.ndarray, places: np.ndarray, waits: Records, begins: np.ndarray) -> None:
    """Add up the waits of buffers.

    Parameters
    ----------
    places : int64 array [n, 3]
        Switch, port and VC of each buffer.
    waits : records
        Room for those of one buffer, as of `find_waits`.
    begins : int64 array [n + 1]
        Takes the number of waits of all buffers before each.
    """
    begins[0] = 0
    for k in range(len(places)):
        begins[k + 1] = begins[k] + find_waits(st, link, places[k, 0], places[k, 1], places[k, 2], waits)


@compiled_noinline
def keep_deadlocked(
    st: SwitchState,
    link: np.ndarray,
    places: np.ndarray,
    waits: Records,
    begins: np.ndarray,
    needed: np.ndarray,
    still: np.ndarray,
) -> None:
    """Keep those of the buffers that have not moved which can never move again: they wait only for one another.

    Parameters
    ----------
    places, waits, begins
        As of `count_waits`, which has filled the last one.
    needed : int64 array [begins[n], 3]
        Takes the buffers that these buffers wait for.
    still : bool array [S, P, V]
        Whether a buffer is one of these; those that can move again become False.
    """
    for k in range(len(places)):
        for n in range(find_waits(st, link, places[k, 0], places[k, 1], places[k, 2], waits)):
            needed[begins[k] + n, 0] = waits[n].switch
            needed[begins[k] + n, 1] = waits[n].port
            needed[begins[k] + n, 2] = waits[n].vc
    changes = True
    while changes:
        changes = False
        for k in range(len(places)):
            if not still[places[k, 0], places[k, 1], places[k, 2]]:
                continue
            alive = begins[k] == begins[k + 1]
            for n in range(begins[k], begins[k + 1]):
                alive |= not still[needed[n, 0], needed[n, 1], needed[n, 2]]
            if alive:
                still[places[k, 0], places[k, 1], places[k, 2]] = False
                changes = True


def new_waits(state: SwitchState) -> Records:
    """Return room for the waits of one buffer: those for its route, and for each choice of an adaptive one."""
    found: Records = aligned(((state.k.ports + 1) * state.k.vcs,), WAIT)
    return found
