"""Wake hints on their channels: each takes as long on the link as a flit."""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_apart, compiled_noinline
from models.route.wake_hint import NONE, hear_hint, take_hint
from models.transfer.link import link_arrival
from sim.engine.address import port_of, switch_of, vc_of
from sim.engine.schedule import enlist_mover, post_hint
from sim.engine.state import Engine
from sim.engine.threads.mail import HINT, is_elsewhere, post_mail


@compiled_noinline
def see_hints(e: Engine, cycle: int) -> None:
    """Deliver the hints that arrive in this cycle."""
    slot = cycle & (e.k.slots - 1)
    for k in range(e.hint_ends[slot]):
        event = e.hints[slot, k]
        s = switch_of(event.to)
        hear_hint(e.switches, s, port_of(event.to), vc_of(event.to), int(event.flit))
        list_hints(e, s, cycle)
    e.hint_ends[slot] = 0


@compiled
def list_hints(e: Engine, s: int, cycle: int) -> None:
    """List a switch to be asked for its hint at the end of `cycle`, once, if it has one."""
    if e.switches.hint[s].kind != NONE and e.hint_mark[s] != cycle:
        e.hint_mark[s] = cycle
        e.hinting[e.hinting_end[0]] = s
        e.hinting_end[0] += 1


@compiled
def _carry(e: Engine, s: int, o: int, hops: int, destination: int, cycle: int) -> None:
    """Put a hint on the channel of a link in `cycle`; in its place `hops` stands for the VC."""
    at = link_arrival(cycle, e.delay[s, o])
    if e.hooks.parts and is_elsewhere(e, e.link[s, o]):
        post_mail(e, HINT, at, e.link[s, o] | hops, destination)
    else:
        post_hint(e, at, e.link[s, o] | hops, destination)


@compiled_apart
def post_hints(e: Engine, cycle: int) -> None:
    """Send the hints of all switches on their channels at the end of `cycle`; allocate where one wants a link."""
    for k in range(e.hinting_end[0]):
        s = e.hinting[k]
        enlist_mover(e, s, cycle + 1, take_hint(e.switches, s, _carry, e, cycle))
    e.hinting_end[0] = 0
