"""History of buffers: packets that entered and left chosen switches in a span of time.

A head that is visible at an input port has left the switch before it, so it is recorded twice if both switches were
chosen; the tail that a node sees has left the last switch.
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
    """Record that a packet entered or left switch `s` at a port."""
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
    """Record a head that is visible at an input port."""
    if not _is_within(e, cycle):
        return
    before = e.link[s, p]
    if before != NOBODY and not is_source(before) and e.ranks.watched[switch_of(before)]:
        _note(e, switch_of(before), port_of(before), v, packet, cycle, True)
    if e.ranks.watched[s]:
        _note(e, s, p, v, packet, cycle, False)


@compiled_noinline
def note_ejection(e: Engine, local: int, v: int, packet: int, cycle: int) -> None:
    """Record a tail that is visible at a node."""
    home = e.home[local]
    if _is_within(e, cycle) and e.ranks.watched[switch_of(home)]:
        _note(e, switch_of(home), port_of(home), v, packet, cycle, True)
