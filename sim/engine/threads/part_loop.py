"""The loop of a part of a network, which advances it window by window."""

from __future__ import annotations

from models.jit.compiled import compiled
from sim.engine.loop import step
from sim.engine.schedule import next_cycle
from sim.engine.state import Engine
from sim.engine.threads.coordinator import advance_ranks, begin_call, cycle_reached, end_of_call
from sim.engine.threads.mail import STEPPED, take_mail
from sim.engine.threads.windows import await_parts


@compiled
def run_part(e: Engine, end: int) -> None:
    """Advance a part of the network to the beginning of cycle `end`, while other threads advance the other parts.

    Parts advance by windows in which nothing that one of them sends reaches another; at the end of each they wait for
    one another (`sim.engine.threads`). If the other parts are in other processes, advance it by one window.
    """
    begin = int(e.clock[0].cycle)
    if e.hooks.messages:
        begin_call(e, begin, end)
    while begin < end or e.hooks.messages:
        if e.hooks.messages:
            if advance_ranks(e, begin):
                break
            end = end_of_call(e)
        until = min(begin + e.part.window, end)
        take_mail(e, begin, until)
        cycle = next_cycle(e, begin, until)
        while cycle < until:
            step(e, cycle)
            e.part.own[STEPPED] = cycle
            cycle = next_cycle(e, cycle + 1, until)
        begin = await_parts(e, until, next_cycle(e, until, end), end)
        if e.part.apart:
            break
    e.clock[0].cycle = cycle_reached(e) if e.hooks.messages else begin
