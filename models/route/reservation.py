"""Reservation of paths through crossbars (Boku et al.: paper E, section 3.1; microarchitecture.md, section 12).

An exchanger requests an output and a VC of the crossbar ahead before a head goes; the crossbar answers in the next
cycle. The wires carry one word per port: 0, or valid (bit 0), granted (1), VC (2 to 5), output (from 6 on).
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import order_from, round_robin
from models.buffer.head_delay import head_waits
from models.buffer.vc_buffer import waits_for_rest
from models.jit.bits import each_member
from models.jit.compiled import compiled, compiled_noinline
from models.route.adaptive import step_vc
from models.route.hyper_crossbar import coordinate
from models.state.declare import PORT, SWITCH, VC, Field, Registers, Sizes, fields, placed
from models.state.placement import Area
from models.state.registers import ASKED, GRANTED, NO_PORT, UNASKED, SwitchState
from models.state.route_word import MAY_ASK_BIT, WAIT_BIT, route_drop, route_may_ask, route_out
from models.state.vc_set import contains, numbered, port_of_number, vc_of_number
from models.transfer.output_unit import available_outputs, claimable

ASK_CYCLES = 3  # from a head that may request a path until it may go, in addition to twice the link latency


def _reserves(n: Sizes) -> bool:
    return n.params.reserves


class ReservationRegisters(Registers):
    """Paths through crossbars that are asked for, and reserved."""

    # of an exchanger: UNASKED, ASKED or GRANTED, of the head of an input VC
    reservation: np.ndarray = placed(Area.REST, np.int8, VC, built=_reserves)
    # of a crossbar, by VC: outputs that are reserved, one bit each
    reserved: np.ndarray = placed(Area.REST, np.int64, SWITCH, lambda n: (n.vcs,), built=_reserves)
    # where the arbiter of an output begins: at an input VC, or at an input
    reserve_pointer: np.ndarray = placed(Area.REST, np.int64, PORT, built=_reserves)
    # words that an exchanger sends, and a crossbar gets, at each port
    reserve_requests: np.ndarray = placed(Area.REST, np.int64, PORT, built=_reserves)
    # words that a crossbar sends, and an exchanger gets
    reserve_answers: np.ndarray = placed(Area.REST, np.int64, PORT, built=_reserves)
    in_switch = fields(
        Field("reserving", np.int8)
    )  # requests that an exchanger made, or a crossbar granted, in that cycle


@compiled
def reserve_word(granted: int, vc: int, output: int) -> int:
    """Return a valid word."""
    return 1 | granted << 1 | vc << 2 | output << 6


@compiled
def reserve_granted(word: int) -> int:
    """Return 1 if an answer is a grant, else 0."""
    return word >> 1 & 1


@compiled
def reserve_vc(word: int) -> int:
    """Return the VC of a request or an answer."""
    return word >> 2 & 15


@compiled
def reserve_output(word: int) -> int:
    """Return the output of the crossbar that a request names."""
    return word >> 6


@compiled
def _may_ask(st: SwitchState, s: int, i: int, v: int) -> bool:
    """Return whether the head of input VC (i, v) may request the path that it has chosen."""
    vc = st.vc[s, i, v]
    word = int(vc.route)
    if vc.active or not route_may_ask(word) or head_waits(st, s, i, v) or waits_for_rest(st, s, i, v):
        return False
    o = route_out(word)
    return claimable(st, s, o) >> step_vc(st, s, i, v) & available_outputs(st, s) >> o & 1 == 1


@compiled_noinline
def reserve_ask(st: SwitchState, s: int) -> None:
    """Send requests to the crossbars ahead of an exchanger, at most one per crossbar and cycle, from the registers."""
    sw = st.switch[s]
    sw.reserving = 0
    for d in range(st.k.dimensions):
        st.reserve_requests[s, d] = 0
        taken = _taken(st, s, d)
        first = after = -1
        for k in range(st.k.vc_words):
            for bit in each_member(int(st.filled[s, k])):
                n = numbered(k, bit)
                i, v = port_of_number(st, n), vc_of_number(st, n)
                if route_out(int(st.vc[s, i, v].route)) != d or not _may_ask(st, s, i, v):
                    continue
                if taken >> step_vc(st, s, i, v) & 1:
                    continue
                place = i * st.k.vcs + v
                first = place if first < 0 else first
                after = place if after < 0 and place >= st.reserve_pointer[s, d] else after
        winner = after if after >= 0 else first
        if winner >= 0:
            _ask(st, s, winner // st.k.vcs, winner % st.k.vcs, d)
            st.reserve_pointer[s, d] = winner + 1
            sw.reserving += 1


@compiled
def _taken(st: SwitchState, s: int, d: int) -> int:
    """Return the mask of VCs of output `d` that heads have requested, or were granted."""
    taken = 0
    for i in range(st.k.ports):
        for v in range(st.k.vcs):
            if st.reservation[s, i, v] != UNASKED and route_out(int(st.vc[s, i, v].route)) == d:
                taken |= 1 << step_vc(st, s, i, v)
    return taken


@compiled
def _ask(st: SwitchState, s: int, i: int, v: int, d: int) -> None:
    """Make the head of input VC (i, v) send a request to the crossbar of dimension `d`."""
    vc = st.vc[s, i, v]
    output = coordinate(st.targets[s, i, v, vc.front], d, st.coordinate_bits)
    st.reserve_requests[s, d] = reserve_word(0, step_vc(st, s, i, v), output)
    st.reservation[s, i, v] = ASKED
    vc.route = int(vc.route) & ~MAY_ASK_BIT


@compiled_noinline
def reserve_install(st: SwitchState, s: int) -> None:
    """Accept the answers that an exchanger gets in this cycle, at its end: heads may go, or were refused."""
    changed = st.switch[s].reserving
    for d in range(st.k.dimensions):
        word = int(st.reserve_answers[s, d])
        st.reserve_answers[s, d] = 0
        asked = int(st.reserve_requests[s, d])
        if word == 0 or (asked and reserve_vc(asked) == reserve_vc(word)):
            continue  # a request of this very cycle has no answer yet
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                if st.reservation[s, i, v] != ASKED or step_vc(st, s, i, v) != reserve_vc(word):
                    continue
                vc = st.vc[s, i, v]
                if route_out(int(vc.route)) == d:
                    st.reservation[s, i, v] = GRANTED if reserve_granted(word) else UNASKED
                    if reserve_granted(word):
                        vc.route = int(vc.route) & ~WAIT_BIT
                    changed = 1
    if changed:
        st.switch[s].chosen_anew = 1


@compiled_noinline
def reserve_answer(st: SwitchState, s: int) -> None:
    """Answer the requests that a crossbar gets in this cycle, from the registers; grant each output at most once."""
    sw = st.switch[s]
    sw.reserving = 0
    for i in range(st.k.ports):
        word = int(st.reserve_requests[s, i])
        st.reserve_answers[s, i] = reserve_word(0, reserve_vc(word), 0) if word else 0
    for o in range(st.k.ports):
        requests = 0
        for i in range(st.k.ports):
            word = int(st.reserve_requests[s, i])
            if word and reserve_output(word) == o and path_open(st, s, o, reserve_vc(word)):
                requests |= 1 << i
        if requests:
            i = round_robin(requests, order_from(int(st.reserve_pointer[s, o])))
            w = reserve_vc(int(st.reserve_requests[s, i]))
            st.reserve_pointer[s, o] = i + 1
            st.reserve_answers[s, i] = reserve_word(1, w, 0)
            sw.reserving += 1
    for i in range(st.k.ports):
        answer = int(st.reserve_answers[s, i])
        if reserve_granted(answer):
            st.reserved[s, reserve_vc(answer)] |= 1 << reserve_output(int(st.reserve_requests[s, i]))
        st.reserve_requests[s, i] = 0


@compiled
def path_open(st: SwitchState, s: int, o: int, w: int) -> bool:
    """Return whether VC `w` of crossbar output `o` can be claimed, no head waits for it, and it is not reserved."""
    if w >= st.k.vcs or not claimable(st, s, o) >> w & 1 or st.reserved[s, w] >> o & 1:
        return False
    for i in range(st.k.ports):
        word = int(st.vc[s, i, w].route)
        if contains(st, st.filled, s, i, w) and word and not route_drop(word) and route_out(word) == o:
            return False
    return True


@compiled
def reserve_release(st: SwitchState, s: int, i: int, v: int, o: int, w: int, tail: int) -> None:
    """Update reservations as a flit, a `tail` or not, leaves input VC (i, v) on output VC (o, w)."""
    if st.switch[s].crossbar != NO_PORT:
        st.reserved[s, w] &= ~(1 << o)
    elif tail:
        st.reservation[s, i, v] = UNASKED


@compiled
def hear_reservations(st: SwitchState, s: int, words: np.ndarray) -> None:
    """Accept the words at the ports of a switch in this cycle, before the switch is allocated."""
    for p in range(st.k.ports):
        if st.switch[s].crossbar != NO_PORT:
            st.reserve_requests[s, p] = words[p]
        else:
            st.reserve_answers[s, p] = words[p]


@compiled
def tell_reservations(st: SwitchState, s: int, words: np.ndarray) -> None:
    """Write to `words` what the ports of a switch send in the next cycle."""
    for p in range(st.k.ports):
        words[p] = st.reserve_answers[s, p] if st.switch[s].crossbar != NO_PORT else st.reserve_requests[s, p]
