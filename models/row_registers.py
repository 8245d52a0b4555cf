"""Registers of switches in rows, brought to where those of others are: for whoever looks at them now and then."""

from __future__ import annotations

from models.bits import index, lowest
from models.compiled import compiled
from models.row_sets import claimed_at, held_at, row_credits, row_number
from models.state import SwitchState


@compiled
def show_registers(st: SwitchState) -> None:
    """Write the `count` and `claimed` of input VCs, and `credits`, of switches that are in rows."""
    if not st.k.rows:
        return
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            claimed = row_number(st, s, claimed_at(st, p))
            for v in range(st.k.vcs):
                st.vc[s, p, v].count = 0
                st.vc[s, p, v].claimed = claimed >> v & 1
                st.credits[s, p, v] = row_credits(st, s, p, v)
            for n in range(st.k.depth):
                held = row_number(st, s, held_at(st, p, n))
                if not held:
                    break
                while held:
                    st.vc[s, p, index(lowest(held))].count += 1
                    held &= held - 1
