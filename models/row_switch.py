"""Switches in rows, one cycle of all: what `models.switch.allocate` does of one (docs/microarchitecture.md).

Only arrivals and route units are of one switch here as there. `models.row_sets.fit_rows` says which switches can be in
rows; what is done with them is the same in every cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.bits import index
from models.compiled import compiled
from models.crossbar import carry, discard, end_discarded, end_packet
from models.request_word import request_out, request_port, request_switch, request_vc
from models.row_heads import heads_come_back, heads_slot
from models.row_matching import match_rows
from models.row_sets import any_row_due
from models.row_vc_stage import row_vcs_choose, row_vcs_claim
from models.state import NEVER, Move, SwitchState

Take = Callable[[Any, int, Move, int], None]


@compiled
def allocate_rows(st: SwitchState, cycle: int, take: Take, taker: Any) -> None:
    """VA, SA and ST of `cycle`, of all switches.

    Parameters
    ----------
    st : SwitchState
        The switches.
    cycle : int
        This cycle.
    take : compiled function
        Called for each flit that leaves its buffer, as by `models.switch.allocate`.
    taker : any
        What `take` is handed.
    """
    moves = match_rows(st)
    row_vcs_claim(st, row_vcs_choose(st, cycle), cycle)
    tails = 0
    for k in range(moves):
        move = int(st.row_moves[k])
        # Those that end a packet come to the front of the list, of which so much has been read.
        st.row_moves[index(tails)] = move
        tails += _move(st, move, cycle, take, taker)
    for k in range(tails):
        _end(st, int(st.row_moves[k]), cycle)


@compiled
def _move(st: SwitchState, move: int, cycle: int, take: Take, taker: Any) -> int:
    """Carry or drain a flit, and hand it over; return 1 if it was a packet's last."""
    s, i, v, o = request_switch(move), request_port(move), request_vc(move), request_out(move)
    if o == st.k.ports:
        drained = discard(st, s, i, v, cycle)
        take(taker, s, drained, cycle)
        return drained.flit & 1
    sent = carry(st, s, i, v, o, index(st.vc[s, i, v].out_vc), cycle)
    take(taker, s, sent, cycle)
    return sent.flit & 1


@compiled
def _end(st: SwitchState, move: int, cycle: int) -> None:
    """End the packet whose last flit a move was; heads may want the VC that it gives back."""
    s, i, v, o = request_switch(move), request_port(move), request_vc(move), request_out(move)
    if o == st.k.ports:
        end_discarded(st, s, i, v, cycle)
    else:
        end_packet(st, s, i, v, o, index(st.vc[s, i, v].out_vc), cycle)
        heads_come_back(st, s, o, cycle + 1)


@compiled
def rows_next(st: SwitchState, cycle: int) -> int:
    """Return the first cycle, at or after `cycle`, in which `allocate_rows` may change anything; NEVER if none."""
    if any_row_due(st):
        return cycle
    for at in range(cycle, cycle + len(st.row_heads_end)):
        if st.row_heads_end[heads_slot(st, at)]:
            return at
    return NEVER
