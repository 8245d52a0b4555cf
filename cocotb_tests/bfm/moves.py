"""Moves of single flits through the golden model, for benches of components that a move passes.

What a component does with a granted flit is written once, in `models.crossbar.send`; a bench states the moves and
reads the component's registers and outputs from the model's state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from models.crossbar import send
from models.state import SwitchState
from models.vc_buffer import push


@dataclass(frozen=True)
class Move:
    """A flit that goes from an empty input VC to an output VC."""

    port: int
    vc: int
    out: int
    out_vc: int
    tail: int


def carry(state: SwitchState, moves: Iterable[Move], cycle: int) -> None:
    """Put each move's flit at the front of its input VC and carry it across; a flit's handle is its move's number."""
    for number, move in enumerate(moves):
        push(state, 0, move.port, move.vc, number << 1 | move.tail)
        sent = state.sent[number]
        sent.port, sent.vc, sent.out, sent.out_vc = move.port, move.vc, move.out, move.out_vc
        send(state, 0, number, cycle)
