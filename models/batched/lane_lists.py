"""Lists of switches of a batch: what of it must be seen one by one, found by vectors and gone through later.

Each is of one kind, and says of what port of a switch it is. One list is of all ports, as how often a loop goes round
can hardly be foreseen. It is best made some time before it is gone through: what a processor has written many bytes of
at once is not there to be read at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.jit.simd import compress_store, fill_bytes, number_in
from models.jit.simd_type import LANES, Vector, switch_in
from models.state.registers import SwitchState

See = Callable[[Any, int, int, int, int], None]

# Of what leaves: heads that go on, tails and others that do not (`models.batched.crossbar`); of what is left: input VCs
# with a packet behind one that ended, outputs with heads that want what it gave back (`models.batched.release`).
HEADS, TAILS, BODIES, FOLLOWERS, WANTED = range(5)
LISTS = 5


@compiled
def list_room(ports: int) -> int:
    """Return the bytes of a list: all ports of all switches may be on it."""
    return ports * LANES


@compiled
def list_begin(st: SwitchState, kind: int) -> int:
    """Return where a list begins."""
    return kind * list_room(st.k.ports)


@compiled
def list_more(st: SwitchState, n: int, p: int, batch: Vector) -> int:
    """Write at place `n` the switches whose numbers in a batch, of a port, are not 0; return the place behind them."""
    fill_bytes(st.batch_seen_ports, n, p)
    return n + compress_store(st.batch_seen_lanes, n, batch)


@compiled
def list_end(st: SwitchState, kind: int, n: int) -> None:
    """Note behind which place a list ends."""
    st.batch_seen[kind] = n


@compiled
def see_list(st: SwitchState, batch: int, kind: int, see: See, who: Any, cycle: int) -> None:
    """See one by one what was listed.

    Parameters
    ----------
    st : SwitchState
        The switches.
    batch : int
        Vector.
    kind : int
        Which list.
    see : compiled function
        Called for each: `see(who, s, p, lane, cycle)`, of switch, port and the switch's number in the batch.
    who : any
        What it is handed.
    cycle : int
        This cycle.
    """
    for n in range(list_begin(st, kind), st.batch_seen[kind]):
        lane = number_in(st.batch_seen_lanes, n)
        see(who, assume_u32(switch_in(batch, lane)), assume_u32(number_in(st.batch_seen_ports, n)), lane, cycle)
