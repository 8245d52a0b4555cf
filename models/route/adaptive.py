"""Adaptive choice among the outputs of a route (Duato's protocol; paper E, section 3.1; microarchitecture.md, 12)."""

from __future__ import annotations

import numpy as np

from models.buffer.head_delay import on_head_ready
from models.jit.bits import each_member
from models.jit.compiled import compiled, compiled_noinline
from models.route.lookahead import path_free
from models.state.declare import NOTHING, VC, Field, Registers, apart, fields, placed
from models.state.placement import Area
from models.state.registers import DETERMINISTIC, NO_PORT, STEP, UNASKED, SwitchState
from models.state.route_word import (
    MAY_ASK_BIT,
    WAIT_BIT,
    route_choices,
    route_drop,
    route_out,
    route_vcs,
    route_word,
)
from models.state.vc_set import numbered, port_of_number, vc_of_number
from models.transfer.output_unit import available_outputs, claimable


class AdaptiveRegisters(Registers):
    """Choices among outputs."""

    chosen: np.ndarray = apart(np.int64, NOTHING, lambda n: (n.ports * n.vcs,))  # scratch: port << 8 | VC
    # what is chosen in this cycle, until it is installed; else 0
    choosing: np.ndarray = placed(Area.REST, np.int64, VC, built=lambda n: n.params.adaptive is not None)
    in_switch = fields(
        Field("choices", np.int32),  # how many of `chosen` are to be installed at the end of the cycle allocated
        Field("chosen_anew", np.int8),  # 1 if a choice changed in the last cycle allocated
    )


@compiled
def chooses(st: SwitchState, s: int) -> bool:
    """Return whether switch `s` chooses among outputs, and so has selection registers."""
    return st.k.adaptive != DETERMINISTIC and st.switch[s].crossbar == NO_PORT


@compiled
def step_vc(st: SwitchState, s: int, p: int, v: int) -> int:
    """Return the VC on which a packet of input VC (p, v) goes on with "step": the number of switches it has passed."""
    if st.switch[s].crossbar != NO_PORT:
        return v
    return v + 1 if p < st.k.first_local else 0


@compiled
def stepped(st: SwitchState, s: int, p: int, v: int, word: int) -> int:
    """Return route `word` with the VCs that "step" gives it at input VC (p, v)."""
    out = route_out(word)
    choices = route_choices(word) & ((1 << st.k.first_local) - 1)
    if out >= st.k.first_local and st.switch[s].crossbar == NO_PORT:
        return route_word(out, 0, st.k.vcs - 1, route_drop(word), choices)
    w = step_vc(st, s, p, v)
    if w >= st.k.vcs:
        return route_word(out, 0, 0, 1, 0)
    return route_word(out, w, w, route_drop(word), choices)


@compiled
def choice_range(st: SwitchState, s: int, p: int, v: int) -> tuple[int, int]:
    """Return first and last VC on which input VC (p, v) may take an adaptive choice."""
    if st.k.adaptive == STEP:
        w = step_vc(st, s, p, v)
        return w, w
    return st.k.escape_vcs, st.k.vcs - 1


@compiled
def _credits(st: SwitchState, s: int, o: int, first: int, last: int) -> int:
    total = 0
    for w in range(first, last + 1):
        total += int(st.credits[s, o, w])
    return total


@compiled_noinline
def choose_adaptive_output(st: SwitchState, s: int, p: int, v: int, word: int, tag: int) -> int:
    """Return the route word with the output that a head with route `word` is to request."""
    plain = word & (WAIT_BIT - 1)  # of a choice that was made nothing is left to choose
    if route_drop(word):
        return plain
    first, last = choice_range(st, s, p, v)
    vcs = (2 << last) - (1 << first)
    best = -1
    most = -1
    for o in each_member(route_choices(word)):
        if claimable(st, s, o) & vcs == 0 or not available_outputs(st, s) >> o & 1:
            continue
        if st.k.lookahead and not path_free(st, s, tag, o, first):
            continue
        credits = _credits(st, s, o, first, last) if st.k.by_credits else 0
        if credits > most:
            most = credits
            best = o
    if best >= 0:
        chosen = route_word(best, first, last, 0)
        return chosen | WAIT_BIT | MAY_ASK_BIT if st.k.reserves else chosen
    return plain | WAIT_BIT if st.k.lookahead and route_choices(word) else plain


@compiled
def _keeps_choice(st: SwitchState, s: int, p: int, v: int) -> bool:
    """Return whether the head of input VC (p, v) has requested the path that it chose."""
    return st.k.reserves and st.reservation[s, p, v] != UNASKED


@compiled_noinline
def adaptive_choose(st: SwitchState, s: int) -> int:
    """Choose for each head at the front of its VC, from the registers; return the number of choices in `st.chosen`."""
    count = 0
    for k in range(st.k.vc_words):
        for bit in each_member(int(st.filled[s, k])):
            n = numbered(k, bit)
            p, v = port_of_number(st, n), vc_of_number(st, n)
            vc = st.vc[s, p, v]
            word = st.routes[s, p, v, vc.front]
            if word and not vc.active and not _keeps_choice(st, s, p, v):
                tag = st.targets[s, p, v, vc.front] if st.k.lookahead else 0
                st.choosing[s, p, v] = choose_adaptive_output(st, s, p, v, word, tag)
                st.chosen[count] = p << 8 | v
                count += 1
    return count


@compiled_noinline
def adaptive_install(st: SwitchState, s: int, count: int, cycle: int) -> None:
    """Load the selection registers of heads not sent, at the end of `cycle`; set `chosen_anew` if one changes."""
    changed = 0
    for k in range(count):
        place = st.chosen[k]
        p, v = place >> 8, place & 255
        vc = st.vc[s, p, v]
        chosen = st.choosing[s, p, v]
        if chosen:
            if vc.route == 0:
                on_head_ready(st, s, p, v, chosen, cycle)
            # A head that claims a VC in this cycle keeps its output.
            if vc.route != chosen and not vc.active:
                vc.route = chosen
                changed = 1
            st.choosing[s, p, v] = 0
    st.switch[s].chosen_anew = changed


@compiled
def forget_choice(st: SwitchState, s: int, p: int, v: int) -> None:
    """Cancel this cycle's choice of input VC (p, v): its flit has left."""
    st.choosing[s, p, v] = 0


@compiled
def adaptive_taken(st: SwitchState, s: int, p: int, v: int, o: int) -> None:
    """Load the selection register with the output that a head takes by a bypass; it stays until the tail leaves."""
    st.vc[s, p, v].route = route_word(o, 0, st.k.vcs - 1, 0)
    st.choosing[s, p, v] = 0


@compiled
def allows(st: SwitchState, s: int, p: int, v: int, word: int, tag: int, o: int, w: int) -> bool:
    """Return whether a route written at input VC (p, v), for a packet to `tag`, leads to output VC (o, w)."""
    if route_drop(word):
        return False
    followed = route_out(word) == o and route_vcs(word) >> w & 1 == 1
    choices = route_choices(word)
    if not chooses(st, s) or choices == 0:
        return followed
    if followed and not st.k.lookahead:
        return True
    first, last = choice_range(st, s, p, v)
    free = not st.k.lookahead or path_free(st, s, tag, o, w)
    return choices >> o & 1 == 1 and first <= w and w <= last and free
