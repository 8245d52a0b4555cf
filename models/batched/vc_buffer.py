"""VC buffers of a batch of switches at once (docs/microarchitecture.md, section 3): how many flits, which are tails.

What flits carry is not kept here: nothing that a switch does depends on it but for heads, whose tag is read when they
come. Levels above the fullest buffer are not looked at.
"""

from __future__ import annotations

from models.batched.flit import TAIL
from models.batched.vc_sets import held_at, load_vector, spread, store_vector, tail_at
from models.jit.compiled import compiled
from models.jit.simd import blend, decode_one_hot, movemask, nonzero_mask
from models.jit.simd_type import Vector
from models.state.registers import SwitchState


@compiled
def batch_take_and_put(st: SwitchState, batch: int, i: int, taken: Vector, put: Vector) -> None:
    """Take the front flits of VCs `taken` of input port `i`, one bit each, and write behind the others what comes.

    Both at the end of a cycle: `put` is what is visible at the pins.
    """
    vcs = decode_one_hot(put)
    tails = nonzero_mask(put, put & spread(st, TAIL)) & vcs
    held, tail = load_vector(st, batch, held_at(st, i, 0)), load_vector(st, batch, tail_at(st, i, 0))
    below = ~spread(st, 0)
    for n in range(st.k.depth):
        # Of number D there is never any: so the last level is as the others.
        held_next, tail_next = (
            load_vector(st, batch, held_at(st, i, n + 1)),
            load_vector(st, batch, tail_at(st, i, n + 1)),
        )
        left = blend(taken, held_next, held)
        to = below & ~left
        store_vector(st, batch, held_at(st, i, n), left | vcs & to)
        store_vector(st, batch, tail_at(st, i, n), blend(taken, tail_next, tail) | tails & to)
        if not movemask(held_next | left):
            break
        below, held, tail = left, held_next, tail_next
