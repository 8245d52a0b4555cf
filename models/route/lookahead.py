"""Look-ahead between exchangers and crossbars (Boku et al.: paper E, section 3.1; microarchitecture.md, section 12)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.route.hyper_crossbar import coordinate
from models.state.declare import SWITCH, VC, Field, Registers, Sizes, apart, fields, placed
from models.state.placement import Area
from models.state.registers import NO_PORT, SwitchState
from models.state.route_word import route_drop, route_out
from models.state.vc_set import contains
from models.transfer.output_unit import claimable


def _lookahead(n: Sizes) -> bool:
    return n.params.lookahead


class LookaheadRegisters(Registers):
    """Outputs that crossbars show, and what exchangers see of them."""

    # tags of the route queue's packets
    targets: np.ndarray = apart(np.int64, VC, lambda n: (n.depth,), built=_lookahead)
    # look-ahead input of an exchanger, by dimension and VC: a bit for each output ahead
    ahead: np.ndarray = placed(
        Area.REST,
        np.int64,
        SWITCH,
        lambda n: (max(1, len(n.params.radix)), n.vcs),
        built=_lookahead,
        fill=-1,
        kept=True,
    )
    # look-ahead output of a crossbar, by VC: a bit for each output
    open: np.ndarray = placed(
        Area.REST, np.int64, SWITCH, lambda n: (n.vcs,), built=_lookahead, fill=lambda n: (1 << n.ports) - 1
    )
    in_switch = fields(Field("opened", np.int8))  # 1 if `open` changed in the last cycle allocated


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
