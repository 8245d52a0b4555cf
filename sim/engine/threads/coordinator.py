"""The coordinator: the thread that advances the messages of ranks, while other threads carry them.

Messages have one queue of events for all ranks. A network with messages has windows of one cycle, and the thread of
part 0 is the coordinator: at the beginning of a cycle it enters what the parts have found in the cycle before, tails
that left nodes or arrived, and processes the events that are due. Then each part takes the messages of its own nodes.
In most cycles there is nothing to do, as all parts know from what they tell at the end of a window.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from sim.engine.address import switch_of
from sim.engine.messages import end_cycle, queue_message, sender_of, stays_at_node
from sim.engine.state import NOBODY, Engine
from sim.engine.threads.barrier import END, REACHED, STOPS, pass_barrier
from sim.engine.threads.mail import PAUSED, STEPPED, WINDOW
from sim.engine.threads.windows import FREE, LAST, MESSAGES, SHORT, tell_coordinator
from sim.messages.events import next_at, push
from sim.messages.process import process

FIRST, BEHIND = 0, 1  # elements of a part's `Part.handed`


@compiled_noinline
def begin_call(e: Engine, begin: int, end: int) -> None:
    """Begin a call, from cycle `begin`; the coordinator's is to end in cycle `end`."""
    own = e.part.own
    if e.part.number == 0:
        e.part.barrier[END] = end
    own[STEPPED] = begin - 1
    if own[PAUSED]:
        return  # the others are in a call, and wait
    parity = (own[WINDOW] - 1) & 1
    tell_coordinator(e, parity)
    e.part.told[parity, e.part.number, MESSAGES] = 0  # messages may be handed over, or events be new
    pass_barrier(e.part)


@compiled
def advance_ranks(e: Engine, begin: int) -> bool:
    """Let the coordinator advance messages to cycle `begin`, and take those of this part; return whether the call ends.

    That is at the cycle in which it is to end, when Python must act (`sim.engine.messages.asks`), when all is done, or
    if a thread failed. While ranks continue, the call of the coordinator alone ends; the others wait for the next one.
    """
    part = e.part
    if not (part.own[PAUSED] or _is_due(e, begin)):
        return False
    if part.number == 0:
        part.own[PAUSED] = _coordinate(e, begin, part.barrier[END])
        if part.own[PAUSED]:
            return True
    if not pass_barrier(part) or part.barrier[STOPS] != 0:
        return True
    _take_messages(e, begin)
    return False


@compiled
def cycle_reached(e: Engine) -> int:
    """Return the cycle that a call has reached."""
    return int(e.part.barrier[REACHED])


@compiled
def end_of_call(e: Engine) -> int:
    """Return the cycle in which the present call of the coordinator is to end."""
    return int(e.part.barrier[END])


@compiled_noinline
def dismiss(e: Engine) -> None:
    """End the calls of the other parts, which wait for the coordinator."""
    e.part.own[PAUSED] = 0
    e.part.barrier[STOPS] = 1
    pass_barrier(e.part)


@compiled
def _is_due(e: Engine, begin: int) -> bool:
    """Return whether the coordinator has anything to do before cycle `begin`; all parts find the same."""
    part = e.part
    parity = (part.own[WINDOW] - 1) & 1
    due = bool(begin >= part.barrier[END])
    for number in range(part.parts):
        due |= part.told[parity, number, MESSAGES] <= begin
    return due


@compiled_noinline
def _coordinate(e: Engine, begin: int, end: int) -> bool:
    """Advance messages to cycle `begin`, and decide whether the call ends; return whether the others are to wait."""
    part = e.part
    x = e.ranks.x
    for number in range(part.parts):
        for n in range(part.found_end[number, 0]):
            event = part.found[number, n]
            push(x, event.at, event.stamp, event.what, event.slot)
        part.found_end[number, 0] = 0
    end_cycle(e)
    told = part.told[(part.own[WINDOW] - 1) & 1]
    free, short, last = 0, 0, part.own[STEPPED]
    for number in range(part.parts):
        free += told[number, FREE]
        short |= told[number, SHORT]
        last = max(last, told[number, LAST])
    clock = x.clock[0]
    stops = begin >= end
    part.barrier[REACHED] = min(begin, end)
    if not stops:
        due = next_at(x) <= begin
        process(x, begin, _note_handed, e)
        stops = short != 0 or clock.hungry > 0 or clock.free_messages == 0
        if due and not stops and clock.ready == 0:
            part.own[STEPPED] = begin  # also if nothing else is due in this cycle
    elif clock.events == 0 and free == len(e.ranks.free):
        part.barrier[REACHED] = last + 1  # all is done: as with one thread, time stops
    part.barrier[STOPS] = stops
    return bool(clock.ready > 0 and not stops)


@compiled
def _note_handed(e: Engine, message: int, cycle: int) -> None:
    """List a message for the part of the node that sends in this phase."""
    if stays_at_node(e, message, cycle):
        return
    handed = e.part.handed[e.part.owner[switch_of(e.home[sender_of(e, message) * e.switches.k.node_ports])]]
    messages = e.ranks.x.messages
    messages[message].next = NOBODY
    if handed[FIRST] == NOBODY:
        handed[FIRST] = message
    else:
        messages[handed[BEHIND]].next = message
    handed[BEHIND] = message


@compiled_noinline
def _take_messages(e: Engine, cycle: int) -> None:
    """Queue the messages that were handed to this part at their nodes."""
    handed = e.part.handed[e.part.number]
    message = int(handed[FIRST])
    handed[FIRST] = NOBODY
    while message != NOBODY:
        following = int(e.ranks.x.messages[message].next)
        queue_message(e, message, cycle)
        message = following
