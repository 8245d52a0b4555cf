"""Credits of a row of switches at once (docs/microarchitecture.md, section 8).

Who owns an output VC whose last credit is spent is blocked until one comes back.
"""

from __future__ import annotations

from models.batched.vc_sets import credit_at, credited_at, holder_blocked, row_get, row_put, spread
from models.jit.bits import index, lowest
from models.jit.compiled import compiled, compiled_apart
from models.jit.simd import row_lanes, row_store
from models.jit.simd_type import LANES, Row, switch_in
from models.state.registers import SwitchState


@compiled
def row_spend_and_credit(st: SwitchState, row: int, o: int, spent: Row, came: Row) -> int:
    """Spend a credit of each VC in `spent` behind output port `o`, and take one for each in `came`, one bit each.

    Both at the end of a cycle. Returns whether any VC that had none has one.
    """
    up = came & ~spent
    down = spent & ~came
    if not row_lanes(up | down):
        return 0
    before, after = row_get(st, row, credited_at(st, o)), spread(st, 0)
    for bit in range(st.k.credit_bits):
        credits = row_get(st, row, credit_at(st, o, bit))
        changed = credits ^ (up | down)
        after = after | changed
        row_put(st, row, credit_at(st, o, bit), changed)
        up = up & credits
        down = down & ~credits
    row_put(st, row, credited_at(st, o), after)
    lanes = row_lanes(before ^ after)
    if lanes:
        row_store(st.row_changes, 0, before ^ after)
        row_store(st.row_changes, 1, after)
        _tell(st, row, o, lanes)
    return row_lanes(after & ~before)


@compiled_apart
def _tell(st: SwitchState, row: int, o: int, lanes: int) -> None:
    """Tell owners of output VCs whether they have a credit, of which that changed."""
    while lanes:
        lane = index(lowest(lanes))
        lanes &= lanes - 1
        changed, after = int(st.row_changes[lane]), int(st.row_changes[LANES + lane])
        while changed:
            w = lowest(changed)
            changed &= changed - 1
            holder_blocked(st, index(switch_in(row, lane)), o, w, 1 - (after >> w & 1))
