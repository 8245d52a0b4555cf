"""Moves of single flits through the golden model, for benches of components that a move passes.

What a component does with a granted flit is written once, in `models.switch.traverse`; a bench states the move
and reads the component's registers and outputs from the model's state.
"""

from __future__ import annotations

from models.buffer.vc_buffer import push
from models.state.registers import Move, SwitchState
from models.switch import traverse


def carry(state: SwitchState, port: int, vc: int, out: int, out_vc: int, tail: int) -> Move:
    """Put a flit into an empty input VC and carry it to an output VC."""
    push(state, 0, port, vc, tail)
    return traverse(state, 0, port, vc, out, out_vc, 0)
