"""VC buffers of a batch: number of flits per VC, and which are tails (microarchitecture.md, section 3).

Payloads are not stored: the behaviour of a switch depends only on the tag of a head, which is read on arrival. Levels
above the fullest buffer are skipped.
"""

from __future__ import annotations

from models.batched.flit import TAIL
from models.batched.vc_sets import load_vector, spread, store_vector
from models.batched.vectors import of_level
from models.jit.compiled import compiled
from models.jit.sets import blend
from models.jit.simd import decode_one_hot, movemask, nonzero_mask
from models.jit.simd_type import Vector
from models.state.registers import SwitchState


@compiled
def batch_waits_for_rest(st: SwitchState, batch: int, i: int) -> Vector:
    """Return the VCs whose front packet was refused and is not stored as a whole (static buffering)."""
    whole = load_vector(st, batch, st.k.held + of_level(st, i, st.k.depth - 1))
    for n in range(st.k.depth):
        whole = whole | load_vector(st, batch, st.k.tails + of_level(st, i, n))
    return load_vector(st, batch, st.k.refused + i) & ~whole


@compiled
def batch_refuse(st: SwitchState, batch: int, i: int, taken: Vector, ends: Vector) -> None:
    """Record the heads of input port `i` that asked for an output, of VCs other than `taken`, as refused.

    So is a packet that waited behind one that `ends`, a set of VCs. Call it before flits and heads are removed.
    """
    asked = load_vector(st, batch, st.k.heads + i)
    behind = ends & load_vector(st, batch, st.k.held + of_level(st, i, 1))
    refused = (load_vector(st, batch, st.k.refused + i) | asked) & ~taken
    store_vector(st, batch, st.k.refused + i, refused | behind)


@compiled
def batch_take_and_put(st: SwitchState, batch: int, i: int, taken: Vector, put: Vector) -> None:
    """Pop the front flits of VCs `taken` (one-hot) of input port `i`, and push the flits `put` that are visible there.

    Both happen at the end of the cycle.
    """
    vcs = decode_one_hot(put)
    tails = nonzero_mask(put, put & spread(st, TAIL)) & vcs
    at = of_level(st, i, 0)
    held, tail = load_vector(st, batch, st.k.held + at), load_vector(st, batch, st.k.tails + at)
    below = ~spread(st, 0)
    for n in range(st.k.depth):
        # No VC holds more than D flits, so level D is always empty and the last level needs no special case.
        at = of_level(st, i, n + 1)
        held_next, tail_next = load_vector(st, batch, st.k.held + at), load_vector(st, batch, st.k.tails + at)
        left = blend(taken, held_next, held)
        to = below & ~left
        store_vector(st, batch, st.k.held + of_level(st, i, n), left | vcs & to)
        store_vector(st, batch, st.k.tails + of_level(st, i, n), blend(taken, tail_next, tail) | tails & to)
        if not movemask(held_next | left):
            break
        below, held, tail = left, held_next, tail_next
