"""Moves of single flits through the golden model, for benches of components in the path of a flit.

`models.switch.traverse` is the only place that says what a component does with a granted flit. A bench gives the move,
and reads registers and outputs of its component from the model's state.
"""

from __future__ import annotations

from models.buffer.vc_buffer import push
from models.state.registers import Move, SwitchState
from models.switch import traverse


def carry(state: SwitchState, port: int, vc: int, out: int, out_vc: int, tail: int) -> Move:
    """Put a flit into an empty input VC, and move it to an output VC."""
    push(state, 0, port, vc, tail)
    return traverse(state, 0, port, vc, out, out_vc, 0)
