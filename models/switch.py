"""One cycle of one switch: its components, in the order in which a flit passes them (microarchitecture.md, section 1).

A cycle has three steps, each of which may be skipped when it has nothing to do: `allocate` (VA, SA, ST, from the
registers), the arrivals `accept_flit` and `accept_credit`, and `route_step` (lookups, misses, the CAM).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.allocate.matching import accept, accepted, match_outputs, output_vc
from models.allocate.speculation import misspeculated
from models.allocate.switch_allocator import (
    block_heads,
    hold,
    request_outputs,
    switch_begin,
    switch_drain,
    switch_grant,
)
from models.allocate.vc_allocator import advance_vc_order
from models.allocate.vc_stage import vc_stage_choose, vc_stage_claim
from models.buffer.head_delay import end_delays
from models.buffer.vc_buffer import push
from models.counters import FLITS_IN, PACKETS_IN, count
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.power.lpi import arrived_behind, lpi_begin, lpi_end
from models.predict.bypass import (
    bypass_output,
    bypass_send,
    commit_or_squash,
    count_squash,
    forward_speculatively,
)
from models.predict.predictor import predictor_learn, predictor_update
from models.route.adaptive import adaptive_choose, adaptive_install, allows, chooses, forget_choice
from models.route.header import BODY, COMPLETE, header
from models.route.lookahead import show_open, shows
from models.route.reservation import reserve_answer, reserve_ask, reserve_install, reserve_release
from models.route.route_queue import checked, claim_position, release, write_at
from models.route.route_unit import ROUTED, SENT, advance_route_units, route_at_once, route_header
from models.route.wake_hint import hint_ahead
from models.state.registers import NO_PORT, Move, SwitchState
from models.state.vc_set import any_within
from models.transfer.crossbar import discard, send, send_queued
from models.transfer.output_buffer import any_buffered, full_outputs
from models.transfer.output_queue import choose_queued, leaving, queue_may_send
from models.transfer.output_unit import output_credit

Take = Callable[[Any, int, Move, int], None]


@compiled
def _begin(st: SwitchState, s: int, cycle: int) -> None:
    """Begin the allocation of `cycle`, from the registers."""
    if st.k.head_delay:
        end_delays(st, s, cycle)
    if st.k.lpi:
        lpi_begin(st, s, cycle)
    if shows(st, s):
        show_open(st, s)
    if st.k.output_fifo:
        st.switch[s].full = full_outputs(st, s, cycle)
    if st.k.output_queues:
        choose_queued(st, s, cycle)
    if st.k.reserves:
        if shows(st, s):
            reserve_answer(st, s)
        else:
            reserve_ask(st, s)
    if chooses(st, s):
        st.switch[s].choices = adaptive_choose(st, s)
    if st.k.vc_stage and _asks_first(st):
        vc_stage_choose(st, s)
    switch_begin(st, s, cycle)


@compiled
def _asks_first(st: SwitchState) -> bool:
    """Return whether requests for the crossbar depend on those of heads to the VC stage.

    Otherwise heads may claim their VCs as soon as they are chosen, before a flit moves.
    """
    return st.k.speculates or st.k.predict or not st.k.matching


@compiled
def traverse(st: SwitchState, s: int, i: int, v: int, o: int, w: int, cycle: int) -> Move:
    """ST: move the front flit of input VC (i, v) to output VC (o, w), and update the state of its packet."""
    move = send(st, s, i, v, o, w, cycle)
    tail = move.flit & 1
    advance_vc_order(st, s, o, w, move.head)
    if chooses(st, s):
        forget_choice(st, s, i, v)
        if st.k.predict and move.head:
            predictor_update(st, s, i, o, cycle)
    if st.k.hold:
        hold(st, s, i, v, o, 1 - tail)
    if st.k.reserves:
        reserve_release(st, s, i, v, o, w, tail)
    release(st, s, i, v, cycle, tail)
    return move


@compiled
def _drop(st: SwitchState, s: int, i: int, v: int, cycle: int) -> Move:
    """Drop the front flit of input VC (i, v): a move without an output."""
    move = discard(st, s, i, v, cycle)
    if chooses(st, s):
        forget_choice(st, s, i, v)
    if move.flit & 1:
        release(st, s, i, v, cycle)
    return move


@compiled
def _take_matched(st: SwitchState, s: int, ports: int, cycle: int, take: Take, taker: Any) -> None:
    """Make the input ports granted by `match_outputs`, mask `ports`, accept an output; move or drop their flits."""
    outputs = draining = 0
    for i in each_member(ports):
        o, v, speculative_requests = accept(st, s, i)
        accepted(st, s, i, v, o)
        st.input[s, i].choice = v
        if o == st.k.ports:
            draining |= 1 << i
            take(taker, s, _drop(st, s, i, v, cycle), cycle)
            continue
        outputs |= 1 << o
        if st.k.speculates and speculative_requests and misspeculated(st, s, i, v, o):
            continue
        take(taker, s, traverse(st, s, i, v, o, output_vc(st, s, i, v, o), cycle), cycle)
    st.switch[s].outputs = outputs
    st.switch[s].draining = draining


@compiled
def _moved(st: SwitchState, s: int) -> bool:
    """Return whether flits moved in the cycle allocated, or arbiters advanced for a head that misspeculated."""
    moved: int = st.switch[s].outputs | st.switch[s].draining | leaving(st, s)
    return moved != 0


@compiled
def _finish(st: SwitchState, s: int, cycle: int) -> None:
    """End the allocation of `cycle`."""
    if st.k.vc_stage and _asks_first(st) and not st.k.speculates:
        vc_stage_claim(st, s)
    if chooses(st, s):
        adaptive_install(st, s, int(st.switch[s].choices), cycle)
        if st.k.lpi and st.k.output_flits and any_buffered(st, s, cycle):
            # While its buffer is not empty, the next phases of a link's controller are not known.
            st.switch[s].chosen_anew = 1
        if st.k.reserves:
            reserve_install(st, s)
    if st.k.lpi:
        lpi_end(st, s, cycle, _moved(st, s))


@compiled
def allocate(st: SwitchState, s: int, cycle: int, take: Take, taker: Any) -> None:
    """VA, SA and ST of `cycle`.

    Parameters
    ----------
    st, s, cycle : SwitchState, int, int
        The switches, the one to advance, and the present cycle.
    take : compiled function
        Called for each flit that leaves its buffer, as `take(taker, s, move, cycle)`. If it leaves an input VC, its
        credit is visible on the input link in `cycle` + 1; if it goes to an output, it is on that link in `move.at`.
    taker : any
        First argument of `take`.
    """
    _begin(st, s, cycle)
    ports = 0
    if st.k.matching:
        ports = match_outputs(st, s)
    else:
        request_outputs(st, s)
    if st.k.vc_stage and not _asks_first(st):
        vc_stage_choose(st, s)
    if st.k.static:
        block_heads(st, s)
    if st.k.vc_stage and (st.k.speculates or not _asks_first(st)):
        vc_stage_claim(st, s)
    if st.k.matching:
        _take_matched(st, s, ports, cycle, take, taker)
    else:
        _take_granted(st, s, cycle, take, taker)
    for o in each_member(leaving(st, s)):
        take(taker, s, send_queued(st, s, o, cycle), cycle)
    _finish(st, s, cycle)


@compiled
def _take_granted(st: SwitchState, s: int, cycle: int, take: Take, taker: Any) -> None:
    """Input first: drop flits that input ports selected, or grant outputs, the output stage of SA, and move flits."""
    for i in each_member(int(st.switch[s].draining)):
        switch_drain(st, s, i)
        take(taker, s, _drop(st, s, i, assume_u32(st.input[s, i].choice), cycle), cycle)
    for o in each_member(int(st.switch[s].outputs)):
        i = switch_grant(st, s, o)
        port = st.input[s, i]
        move = traverse(st, s, i, assume_u32(port.choice), o, assume_u32(port.choice_vc), cycle)
        take(taker, s, move, cycle)


@compiled
def note(st: SwitchState, s: int, move: Move, cycle: int) -> None:
    """Append a move to `st.sent`, behind the other `moves` of the cycle."""
    sw = st.switch[s]
    sent = st.sent[sw.moves]
    sent.port = move.port
    sent.vc = move.vc
    sent.out = move.out
    sent.out_vc = move.out_vc
    sent.head = move.head
    sent.flit = move.flit
    sent.at = move.at
    sw.moves += 1


@compiled
def list_moves(st: SwitchState, s: int, cycle: int) -> int:
    """Allocate `cycle`; return the number of moves in `st.sent`."""
    st.switch[s].moves = 0
    allocate(st, s, cycle, note, st)
    return int(st.switch[s].moves)


@compiled
def may_move(st: SwitchState, s: int) -> bool:
    """Return whether `allocate` may find moves in the next cycle without an arrival; call after `allocate`.

    If no flit moved, no output was held or full, and no head chose anew or claimed a VC, the next allocation has the
    same inputs and the same result. A crossbar with look-ahead must be visited after every change.
    """
    sw = st.switch[s]
    any_moved = _moved(st, s)
    if st.k.output_queues and queue_may_send(st, s):
        return True
    if shows(st, s) and (any_moved or (st.k.reserves and sw.reserving != 0)):
        return True
    changes = any_moved
    if chooses(st, s):
        changes |= sw.chosen_anew != 0
    if st.k.vc_stage:
        changes |= sw.claims != 0
    if st.k.hold:
        changes |= sw.taken != 0
    if st.k.output_fifo:
        changes |= sw.full != 0
    return any_within(st, st.filled, s) & changes


@compiled
def accept_flit(st: SwitchState, s: int, p: int, v: int, flit: int, data: int, cycle: int) -> int:
    """Accept a flit visible on input link `p` in `cycle`, after `allocate` of that cycle.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, p, v : int
        Switch, input port, VC.
    flit : int
        Handle of the payload << 1 | tail bit.
    data : int
        Low 64 bits of the flit's data; only those of header flits are read.
    cycle : int
        The present cycle.

    Returns
    -------
    int
        ROUTED if `allocate` may find a move in the next cycle; WORKING if `route_step` is due in this cycle; SENT if a
        bypass sent the flit in this cycle: the move is `st.sent[0]`.
    """
    tail = flit & 1
    if st.k.predict:
        return _accept_predicted(st, s, p, v, flit, data, cycle)
    kind = header(st, s, p, v, tail, data)
    count(st, s, p, FLITS_IN, 1)
    count(st, s, p, PACKETS_IN, tail)
    push(st, s, p, v, flit)
    result = ROUTED if st.vc[s, p, v].route and not arrived_behind(st, s, p, v) else 0
    if st.k.hints and kind == COMPLETE:
        hint_ahead(st, s, p, int(st.vc[s, p, v].tag))
    if kind != BODY:
        result |= route_header(st, s, p, v, int(st.vc[s, p, v].tag), kind, cycle)
    return result


@compiled
def _rechooses(st: SwitchState, s: int) -> bool:
    """Return whether a head may wait though an output is open: for the rest of its packet, or for its head delay.

    A bypass to that output takes a credit or a VC, which may change the head's choice; a head that waits for an output
    that is not open loses nothing.
    """
    return (st.k.static or st.k.head_delay > 0) and chooses(st, s)


@compiled_noinline
def _accept_predicted(st: SwitchState, s: int, p: int, v: int, flit: int, data: int, cycle: int) -> int:
    """Accept a flit that may bypass."""
    tail = flit & 1
    count(st, s, p, FLITS_IN, 1)
    count(st, s, p, PACKETS_IN, tail)
    head = st.vc[s, p, v].inside == 0
    o = bypass_output(st, s, p, v, head, cycle)
    header(st, s, p, v, tail, data)
    if st.k.hints and head:
        hint_ahead(st, s, p, int(st.vc[s, p, v].tag))
    if o != NO_PORT and head and not st.k.table:
        tag = st.vc[s, p, v].tag
        word = checked(st, s, p, v, route_at_once(st, s, tag, False))
        if not allows(st, s, p, v, word, tag, o, v):
            count_squash(st, s, p)
            o = NO_PORT
        elif tail:
            if not chooses(st, s):
                predictor_update(st, s, p, o, cycle)
        else:
            write_at(st, s, p, v, claim_position(st, s, p, v), word, cycle)
            predictor_learn(st, s, p, cycle)
    if o != NO_PORT and not (head and st.k.table):
        bypass_send(st, s, p, v, o, flit, head, cycle)
        # Another packet may wait for the VC that a tail frees; with look-ahead, exchangers see the change.
        matters = tail or _rechooses(st, s)
        return SENT | (ROUTED if (matters and any_within(st, st.filled, s)) or shows(st, s) else 0)
    push(st, s, p, v, flit)
    result = ROUTED if st.vc[s, p, v].route else 0
    if head:
        result |= route_header(st, s, p, v, int(st.vc[s, p, v].tag), COMPLETE, cycle)
        predictor_learn(st, s, p, cycle)
        if o != NO_PORT:
            forward_speculatively(st, s, p, v, o, cycle)
            result |= ROUTED if _rechooses(st, s) else 0
    return result


@compiled
def accept_credit(st: SwitchState, s: int, o: int, w: int) -> bool:
    """Accept a credit visible on output link `o`, after `allocate` of that cycle; return whether a move may follow."""
    return output_credit(st, s, o, w) or shows(st, s)


@compiled
def route_step(st: SwitchState, s: int, cycle: int, flush: bool) -> bool:
    """RC of `cycle`, after the arrivals: lookups, misses, CAM; then update predictors, commit or squash heads.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s : int
        Switch.
    cycle : int
        The present cycle.
    flush : bool
        Flush input in this cycle.

    Returns
    -------
    bool
        Whether a move may follow in the next cycle: a head got its route, or a head was committed or squashed.
    """
    ports = int(st.switch[s].working | st.switch[s].waiting)
    routed = advance_route_units(st, s, cycle, flush)
    if st.k.predict:
        for p in each_member(ports):
            predictor_learn(st, s, p, cycle)
            routed |= commit_or_squash(st, s, p, cycle)
    return routed
