"""What compiled functions know of registers, whichever component declares these: numbers, and the type of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from models.components import SwitchState as SwitchState
else:
    SwitchState = "models.components.SwitchState"  # it sums what components declare; these name it in annotations only

IDLE, ASK, WAIT, WALK = 0, 1, 2, 3
LRU, PLRU, FIFO = 0, 1, 2
STATIC, LATEST, HISTORY = 0, 1, 2
PREDICTORS = {"static": STATIC, "latest": LATEST, "history": HISTORY}
NAMES_NONE, PLUS_X, LONGER_X = 0, 1, 2
STATIC_LOCALS = {"none": NAMES_NONE, "plus_x": PLUS_X, "longer_x": LONGER_X}
DETERMINISTIC, ESCAPE, STEP = 0, 1, 2
UNASKED, ASKED, GRANTED = 0, 1, 2
ADAPTIVE = {"escape": ESCAPE, "step": STEP}
NEVER = 1 << 62
NO_PORT = -1
IN_QUEUE = -2  # instead of an output port: an output queue of the switch
NO_ENTRY = -1
LONG_AGO = -9  # a cycle before all that are simulated, and before the one before

Records = Any  # numpy.recarray, whose fields type checkers do not know


class Move(NamedTuple):
    """A flit that leaves its buffer, or an output queue."""

    port: int  # of the input VC that it leaves; NO_PORT: it leaves an output queue
    vc: int
    out: int  # where it goes; NO_PORT: drained; IN_QUEUE: it stays in the switch
    out_vc: int
    head: int  # 1: its packet's first
    flit: int
    at: int  # cycle in which it is visible on the output link, if it has one
