"""History of buffers: which packets came into chosen switches, and left them, in a span of time.

What is seen at an input is what left the switch behind it: a head that is visible at an input port is noted twice
where both switches were chosen, and the tail that a node sees is what left the last switch.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from sim.engine.address import is_source, port_of, switch_of
from sim.engine.state import NOBODY, Engine


@compiled
def _is_within(e: Engine, cycle: int) -> bool:
    """Return whether a cycle is in the span."""
    return e.ranks.history_begin <= cycle < e.ranks.history_end


@compiled_noinline
def _note(e: Engine, s: int, p: int, v: int, packet: int, cycle: int, leaves: bool) -> None:
    """Note that a packet came into switch `s`, or left it, at a port."""
    pool = e.ranks.pool[0]
    entry = e.ranks.passages[pool.passages]
    pool.passages += 1
    row = e.packets[packet]
    m = e.ranks.x.messages[e.ranks.part_of[packet] >> 1]
    entry.cycle = cycle
    entry.switch = s
    entry.port = p
    entry.vc = v
    entry.leaves = leaves
    entry.source = row.source
    entry.destination = row.destination
    entry.birth = row.birth
    entry.flits = row.flits
    entry.sender = m.source
    entry.receiver = m.destination
    entry.tag = m.tag


@compiled_noinline
def note_arrival(e: Engine, s: int, p: int, v: int, packet: int, cycle: int) -> None:
    """Note a head that is visible at an input."""
    if not _is_within(e, cycle):
        return
    before = e.link[s, p]
    if before != NOBODY and not is_source(before) and e.ranks.watched[switch_of(before)]:
        _note(e, switch_of(before), port_of(before), v, packet, cycle, True)
    if e.ranks.watched[s]:
        _note(e, s, p, v, packet, cycle, False)


@compiled_noinline
def note_ejection(e: Engine, local: int, v: int, packet: int, cycle: int) -> None:
    """Note a tail that a node sees."""
    home = e.home[local]
    if _is_within(e, cycle) and e.ranks.watched[switch_of(home)]:
        _note(e, switch_of(home), port_of(home), v, packet, cycle, True)
