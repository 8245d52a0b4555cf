"""Look-ahead between exchangers and crossbars (Boku et al.: paper E, section 3.1; microarchitecture.md, section 12)."""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from models.route.hyper_crossbar import coordinate
from models.state.registers import NO_PORT, SwitchState
from models.state.route_word import route_drop, route_out
from models.state.vc_set import contains
from models.transfer.output_unit import claimable


@compiled
def path_free(st: SwitchState, s: int, tag: int, d: int, w: int) -> bool:
    """Return whether VC `w` of the output towards `tag` is free at the crossbar of dimension `d` ahead of an exchanger.

    A port to a node has no crossbar behind it: the path is free.
    """
    if d >= st.k.dimensions:
        return True
    free: int = st.ahead[s, d, w] >> coordinate(tag, d, st.coordinate_bits) & 1
    return free == 1


@compiled
def shows(st: SwitchState, s: int) -> bool:
    """Return whether switch `s` is a crossbar that shows its free outputs."""
    return st.k.lookahead and st.switch[s].crossbar != NO_PORT


@compiled_noinline
def show_open(st: SwitchState, s: int) -> None:
    """Set `open` of the next cycle, from the registers, and record whether it changes."""
    sw = st.switch[s]
    sw.opened = 0
    for w in range(st.k.vcs):
        outputs = 0
        for o in range(st.k.ports):
            outputs |= claimable(st, s, o) >> w << o & 1 << o
        if st.k.reserves:
            outputs &= ~int(st.reserved[s, w])
        for i in range(st.k.ports):
            word = int(st.vc[s, i, w].route)
            if contains(st, st.filled, s, i, w) and word and not route_drop(word):
                outputs &= ~(1 << route_out(word))
        if st.open[s, w] != outputs:
            st.open[s, w] = outputs
            sw.opened = 1
