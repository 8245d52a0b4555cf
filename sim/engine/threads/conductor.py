"""The conductor: the thread that advances the messages of ranks, while other threads carry them.

Messages have one queue of events for all ranks. A network with messages has windows of one cycle, and the thread of
part 0 is the conductor: at the beginning of a cycle it enters what the parts have found in the cycle before, tails that
left nodes or arrived, and processes the events that are due. Then each part takes the messages of its own nodes.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from sim.engine.address import switch_of
from sim.engine.messages import end_cycle, queue_message, sender_of, stays_at_node
from sim.engine.state import NOBODY, Engine
from sim.engine.threads.barrier import REACHED, STOPS, pass_barrier
from sim.engine.threads.mail import STEPPED, WINDOW
from sim.engine.threads.windows import FREE, LAST, SHORT, tell_conductor
from sim.messages.events import push
from sim.messages.process import process

FIRST, END = 0, 1  # elements of a part's `Part.handed`


@compiled_noinline
def begin_to_conduct(e: Engine, begin: int) -> None:
    """Tell the conductor what it must know of this part before the first window of a call, which begins at `begin`."""
    own = e.part.own
    own[STEPPED] = begin - 1
    tell_conductor(e, (own[WINDOW] - 1) & 1)
    pass_barrier(e.part)


@compiled
def conducted(e: Engine, begin: int, end: int) -> bool:
    """Let the conductor advance messages to cycle `begin`, take those of this part; return whether the call ends.

    It ends at cycle `end`, when Python must act (`sim.engine.messages.asks`), when all is done, or if a thread failed.
    """
    part = e.part
    if part.number == 0:
        _conduct(e, begin, end)
    if not pass_barrier(part):
        return True
    _take_messages(e, begin)
    return bool(part.barrier[STOPS] != 0)


@compiled
def conducted_until(e: Engine) -> int:
    """Return the cycle that a call has reached."""
    return int(e.part.barrier[REACHED])


@compiled_noinline
def _conduct(e: Engine, begin: int, end: int) -> None:
    """Advance messages to cycle `begin`, and decide whether the call ends."""
    part = e.part
    x = e.ranks.x
    for number in range(part.parts):
        for n in range(part.found_end[number, 0]):
            event = part.found[number, n]
            push(x, event.at, event.stamp, event.what, event.slot)
        part.found_end[number, 0] = 0
    end_cycle(e)
    told = part.told[(part.own[WINDOW] - 1) & 1]
    free, short, last = 0, 0, NOBODY
    for number in range(part.parts):
        free += told[number, FREE]
        short |= told[number, SHORT]
        last = max(last, told[number, LAST])
    clock = x.clock[0]
    stops = begin >= end
    reached = min(begin, end)
    if stops:
        if clock.events == 0 and free == len(e.ranks.free):
            reached = last + 1  # all is done: as with one thread, time stops
    else:
        process(x, begin, _note_handed, e)
        stops = short != 0 or clock.ready > 0 or clock.hungry > 0 or clock.free_messages == 0
    part.barrier[STOPS] = stops
    part.barrier[REACHED] = reached


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
        messages[handed[END]].next = message
    handed[END] = message


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
