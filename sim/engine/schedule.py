"""The engine's schedule: switches, nodes, flits and credits by the cycle in which they are due.

It has lists for this cycle and the next, by parity; timing wheels of flits and credits on links, by cycle of arrival; a
wheel of sleeping switches, by the cycle in which they wake; and the log.
"""

from __future__ import annotations

import numpy as np

from models.batched.switch import batches_next
from models.buffer.head_delay import delay_began
from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.state.registers import NEVER
from sim.engine.address import MOST_SWITCHES, is_source
from sim.engine.state import NOBODY, Engine
from sim.messages.events import next_at

MOVERS, ROUTERS, SENDERS = 0, 2, 4  # lists for even cycles; those for odd ones follow
SWITCH_BITS = (MOST_SWITCHES - 1).bit_length()
DUE_MASK = (1 << 62 - SWITCH_BITS) - 1  # of the end of a head delay: no delay is longer, so the low bits suffice


@compiled
def begin_of(e: Engine, kind: int, cycle: int) -> int:
    """Return the index in `listed` at which the list of a kind for `cycle` begins."""
    begin: int = e.begins[kind + (cycle & 1)]
    return begin


@compiled
def end_of(e: Engine, kind: int, cycle: int) -> int:
    """Return the index in `listed` at which the list of a kind for `cycle` ends."""
    end: int = e.ends[kind + (cycle & 1)]
    return end


@compiled
def clear(e: Engine, kind: int, cycle: int) -> None:
    """Empty the list of a kind for `cycle`."""
    e.ends[kind + (cycle & 1)] = begin_of(e, kind, cycle)


@compiled
def _enlist(e: Engine, kind: int, mark: np.ndarray, item: int, cycle: int, due: bool) -> None:
    """Append an item to a list for `cycle`, once, if it is due.

    The item is always written after the last one, and counted if it is due and new: a branch would be mispredicted.
    """
    line = assume_u32(kind + (cycle & 1))
    n = assume_u32(e.ends[line])
    marked = mark[item]
    e.listed[n] = item
    e.ends[line] = n + int(due & (marked != cycle))
    mark[item] = cycle if due else marked


@compiled
def enlist_mover(e: Engine, s: int, cycle: int, due: bool = True) -> None:
    """Let a switch allocate in `cycle`; batched switches use `batch_due` instead."""
    if not e.hooks.batched:
        _enlist(e, MOVERS, e.mover_mark, s, cycle, due)


@compiled
def enlist_router(e: Engine, s: int, cycle: int) -> None:
    """Let a switch's lookups advance in `cycle`."""
    _enlist(e, ROUTERS, e.router_mark, s, cycle, True)


@compiled
def enlist_sender(e: Engine, node: int, cycle: int, due: bool = True) -> None:
    """Let the sources of a node advance in `cycle`."""
    _enlist(e, SENDERS, e.sender_mark, node, cycle, due)


@compiled
def sleep(e: Engine, s: int, at: int) -> None:
    """Schedule a visit of a switch in cycle `at`, when a route or a link is due; NEVER: no visit."""
    old = e.wake_at[s]
    if old == at:
        return
    if old != NEVER:
        following = e.wake_next[s]
        previous = e.wake_previous[s]
        if previous == NOBODY:
            e.wake_first[old & (len(e.wake_first) - 1)] = following
        else:
            e.wake_next[previous] = following
        if following != NOBODY:
            e.wake_previous[following] = previous
        e.clock[0].awake -= 1
    e.wake_at[s] = at
    if at != NEVER:
        slot = at & (len(e.wake_first) - 1)
        first = e.wake_first[slot]
        e.wake_next[s] = first
        e.wake_previous[s] = NOBODY
        if first != NOBODY:
            e.wake_previous[first] = s
        e.wake_first[slot] = s
        e.clock[0].awake += 1


@compiled
def await_heads(e: Engine, s: int, cycle: int) -> None:
    """Let a switch allocate when the head delays that began in `cycle` are over, if any did."""
    k = e.switches.k
    if e.hooks.batched:
        return
    if k.head_delay and delay_began(e.switches, s):
        # Written after the last one, and counted if it is new: no branch.
        n = e.waits_ends[1]
        due = cycle + 1 + k.head_delay
        e.waits[assume_u32(n & (len(e.waits) - 1))] = (due & DUE_MASK) << SWITCH_BITS | s
        e.waits_ends[1] = n + int(e.waits_mark[s] != cycle)
        e.waits_mark[s] = cycle


@compiled
def enlist_waited(e: Engine, cycle: int) -> None:
    """Let the switches allocate in which a head delay ends in `cycle`."""
    while e.waits_ends[0] < e.waits_ends[1]:
        first = e.waits[assume_u32(e.waits_ends[0] & (len(e.waits) - 1))]
        if first >> SWITCH_BITS != cycle & DUE_MASK:
            break
        enlist_mover(e, assume_u32(first & (MOST_SWITCHES - 1)), cycle)
        e.waits_ends[0] += 1


@compiled
def note(e: Engine, kind: int, cycle: int, local: int, what: int, packet: int) -> None:
    """Log an event at a local port."""
    n = e.clock[0].logged
    if n < len(e.log):
        e.log[n, 0] = kind
        e.log[n, 1] = cycle
        e.log[n, 2] = local
        e.log[n, 3] = what
        e.log[n, 4] = packet
    e.clock[0].logged = n + 1


@compiled
def flit_line(e: Engine, at: int, head: bool) -> int:
    """Return the list of flits that are visible at input ports in cycle `at`.

    Heads have lists of their own, so that no branch depends on the kind of a flit.
    """
    return assume_u32((at << 1 | int(head)) & (2 * e.k.slots - 1))


@compiled
def post_on(e: Engine, line: int, to: int, flit: int, due: int = 1) -> None:
    """Append a flit to a list if `due` is 1; `to` is its switch, port and VC."""
    n = assume_u32(e.flits[assume_u32(line)])
    event = e.flit[n]
    event.to = to
    event.flit = flit
    e.flits[assume_u32(line)] = n + due


@compiled
def post_flit(e: Engine, at: int, to: int, flit: int, head: bool) -> None:
    """Make a flit visible at an input port in cycle `at`."""
    post_on(e, flit_line(e, at, head), to, flit)


@compiled
def post_credit(e: Engine, at: int, to: int) -> None:
    """Make a credit visible in cycle `at` at an output port, or at a source; sources have lists of their own."""
    line = assume_u32((at << 1 | is_source(to)) & (2 * e.k.slots - 1))
    n = assume_u32(e.credits[line])
    e.credit[n] = to
    e.credits[line] = n + 1


@compiled
def post_hint(e: Engine, at: int, to: int, destination: int) -> None:
    """Make a wake hint visible in cycle `at`; the number of hops left stands for the VC of its place."""
    slot = at & (e.k.slots - 1)
    event = e.hints[slot, e.hint_ends[slot]]
    event.to = to
    event.flit = destination
    e.hint_ends[slot] += 1


@compiled
def post_reservation(e: Engine, at: int, to: int, word: int) -> None:
    """Make a word of reservation visible in cycle `at` at a port."""
    slot = at & (e.k.slots - 1)
    n = e.reserve_count[slot]
    e.reserves_at[slot, n] = to
    e.reserves[slot, n] = word
    e.reserve_count[slot] = n + 1


@compiled
def _after(e: Engine, kind: int, place: int, at: int, what: int) -> bool:
    """Return whether the event at an index of a ring comes after another event."""
    there = e.later_at[kind, place]
    after: bool = there > at or (there == at and e.later_what[kind, place] > what)
    return after


@compiled
def schedule_later(e: Engine, kind: int, at: int, what: int) -> None:
    """Schedule a reply, or the opening of a window, for cycle `at`; events of one cycle are sorted by `what` it is.

    Tails may reach several ports of a node in one cycle; results must not depend on the order of visits.
    """
    mask = e.later_at.shape[1] - 1
    k = e.later_ends[kind, 1]
    e.later_ends[kind, 1] = k + 1
    while k > e.later_ends[kind, 0] and _after(e, kind, (k - 1) & mask, at, what):
        e.later_at[kind, k & mask] = e.later_at[kind, (k - 1) & mask]
        e.later_what[kind, k & mask] = e.later_what[kind, (k - 1) & mask]
        k -= 1
    e.later_at[kind, k & mask] = at
    e.later_what[kind, k & mask] = what


@compiled
def any_on_links(e: Engine, at: int) -> bool:
    """Return whether anything arrives in cycle `at`, which must be within the range of the wheels."""
    line = at << 1 & (2 * e.k.slots - 1)
    flits: bool = e.flits[line] + e.flits[line + 1] != (2 * line + 1) * e.flit_room
    credits: bool = e.credits[line] + e.credits[line + 1] != (2 * line + 1) * e.credit_room
    shows: int = e.shows[line >> 1] + e.reserve_count[line >> 1]
    if e.switches.k.hints:
        shows += e.hint_ends[line >> 1]
    return flits or credits or shows != 0


@compiled
def _next_later(e: Engine, cycle: int, nearest: int) -> int:
    """Return the cycle in which the first event of a closed loop is due, if it is before `nearest`, else that."""
    for kind in range(2):
        first = e.later_ends[kind, 0]
        if first < e.later_ends[kind, 1]:
            nearest = min(nearest, max(cycle, e.later_at[kind, first & (e.later_at.shape[1] - 1)]))
    return nearest


@compiled
def _next_on_links(e: Engine, cycle: int, nearest: int) -> int:
    """Return the first cycle in which anything arrives by a link, if it is before `nearest`, else that."""
    for at in range(cycle, min(cycle + e.k.slots, nearest)):
        if any_on_links(e, at):
            return at
    return nearest


@compiled
def _next_wake(e: Engine, cycle: int, nearest: int) -> int:
    """Return the first cycle in which a switch is on the wake wheel, if it is before `nearest`, else that."""
    for at in range(cycle, min(cycle + len(e.wake_first), nearest)):
        if e.wake_first[at & (len(e.wake_first) - 1)] != NOBODY:
            return at
    return nearest


@compiled
def next_cycle(e: Engine, cycle: int, end: int) -> int:
    """Return the next cycle in which anything is due, at most `end`."""
    clock = e.clock[0]
    for kind in range(MOVERS, SENDERS + 1, 2):
        if end_of(e, kind, cycle) != begin_of(e, kind, cycle):
            return cycle
    nearest = end
    if e.hooks.batched:
        nearest = min(nearest, batches_next(e.switches, cycle))
    if clock.arrival < len(e.arrivals):
        nearest = min(nearest, max(cycle, e.packets[e.arrivals[clock.arrival]].birth))
    if e.hooks.messages:
        nearest = min(nearest, max(cycle, next_at(e.ranks.x)))
        if e.hooks.parts:
            for n in range(e.part.found_end[e.part.number, 0]):
                nearest = min(nearest, e.part.found[e.part.number, n].at)
    if e.k.closed:
        nearest = _next_later(e, cycle, nearest)
    nearest = _next_on_links(e, cycle, nearest)
    if e.waits_ends[0] < e.waits_ends[1]:
        due = e.waits[e.waits_ends[0] & (len(e.waits) - 1)] >> SWITCH_BITS
        nearest = min(nearest, cycle + (due - cycle & DUE_MASK))
    if clock.awake:
        nearest = _next_wake(e, cycle, nearest)
    return nearest
