"""VC buffers of a row of switches at once (docs/microarchitecture.md, section 3): how many flits, which are tails.

What flits carry is not kept here: nothing that a switch does depends on it but for heads, whose tag is read when they
come. Levels above the fullest buffer are not looked at.
"""

from __future__ import annotations

from models.batched.flit import TAIL
from models.batched.vc_sets import held_at, row_get, row_put, spread, tail_at
from models.jit.compiled import compiled
from models.jit.simd import row_lanes, row_one_hot, row_some, row_where
from models.jit.simd_type import Row
from models.state.registers import SwitchState


@compiled
def row_take_and_put(st: SwitchState, row: int, i: int, taken: Row, put: Row) -> None:
    """Take the front flits of VCs `taken` of input port `i`, one bit each, and write behind the others what comes.

    Both at the end of a cycle: `put` is what is visible at the pins.
    """
    vcs = row_one_hot(put)
    tails = row_some(put, put & spread(st, TAIL)) & vcs
    held, tail = row_get(st, row, held_at(st, i, 0)), row_get(st, row, tail_at(st, i, 0))
    below = ~spread(st, 0)
    for n in range(st.k.depth):
        # Of number D there is never any: so the last level is as the others.
        held_next, tail_next = row_get(st, row, held_at(st, i, n + 1)), row_get(st, row, tail_at(st, i, n + 1))
        left = row_where(taken, held_next, held)
        to = below & ~left
        row_put(st, row, held_at(st, i, n), left | vcs & to)
        row_put(st, row, tail_at(st, i, n), row_where(taken, tail_next, tail) | tails & to)
        if not row_lanes(held_next | left):
            break
        below, held, tail = left, held_next, tail_next
