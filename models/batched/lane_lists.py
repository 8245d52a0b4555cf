"""Lists of lanes: events of a batch that must be handled one by one, found by vector operations.

There is one list of (port, lane) per kind of event. It covers all ports, because each loop ends with a mispredicted
branch. Make a list some time before it is read: narrow loads from a wide store that is still in the store buffer stall.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.jit.lanes import switch_in
from models.jit.simd import compress_store, fill_bytes, number_in
from models.jit.simd_type import LANES, Vector
from models.state.declare import NOTHING, Registers, Sizes, apart
from models.state.registers import SwitchState

See = Callable[[Any, int, int, int, int], None]

# Flits that leave: heads to another switch, tails and others to a node (`models.batched.crossbar`). Consequences of
# tails: input VCs with another packet behind, outputs with blocked heads and a VC that is free now
# (`models.batched.release`).
HEADS, TAILS, BODIES, FOLLOWERS, WANTED = range(5)
LISTS = 5


def _lists_room(n: Sizes) -> tuple[int, ...]:
    return (LISTS * list_room(n.ports) if n.batched else 0,)


class LaneListRegisters(Registers):
    """The lists of a batch in a cycle."""

    batch_seen: np.ndarray = apart(np.int64, NOTHING, lambda n: (LISTS,))  # end of each list
    batch_seen_lanes: np.ndarray = apart(np.uint8, NOTHING, _lists_room)  # lanes of its entries
    batch_seen_ports: np.ndarray = apart(np.uint8, NOTHING, _lists_room)  # ports of its entries


@compiled
def list_room(ports: int) -> int:
    """Return the size of a list in bytes: room for each lane of each port."""
    return ports * LANES


@compiled
def list_begin(st: SwitchState, kind: int) -> int:
    """Return the index at which list `kind` begins."""
    return kind * list_room(st.k.ports)


@compiled
def list_more(st: SwitchState, n: int, p: int, batch: Vector) -> int:
    """Write from index `n` on the lanes of port `p` that are not 0 in vector `batch`; return the index behind them."""
    fill_bytes(st.batch_seen_ports, n, p)
    return n + compress_store(st.batch_seen_lanes, n, batch)


@compiled
def list_end(st: SwitchState, kind: int, n: int) -> None:
    """End list `kind` before index `n`."""
    st.batch_seen[kind] = n


@compiled
def see_list(st: SwitchState, batch: int, kind: int, see: See, who: Any, cycle: int) -> None:
    """Handle the entries of a list one by one.

    Parameters
    ----------
    st : SwitchState
        The switches.
    batch : int
        Batch of the switches.
    kind : int
        Kind of event, which is the list.
    see : compiled function
        Called for each entry as `see(who, s, p, lane, cycle)`: switch, port, lane.
    who : any
        First argument of `see`.
    cycle : int
        The present cycle.
    """
    for n in range(list_begin(st, kind), st.batch_seen[kind]):
        lane = number_in(st.batch_seen_lanes, n)
        see(who, assume_u32(switch_in(batch, lane)), assume_u32(number_in(st.batch_seen_ports, n)), lane, cycle)
