"""Mail: what a part of a network sends to another over links that were cut.

A part writes the mail of a window into lines of its own, one for each other part. These read it at the beginning of the
next window, after all threads have passed the barrier, while the senders write the lines of the other parity. What is
read enters the reader's lists of flits and credits on links, as if it had been sent there.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from models.parts import take_pins
from sim.engine.address import SWITCH_SHIFT, is_source, switch_of, vc_of
from sim.engine.schedule import flit_line, post_credit, post_hint, post_on, post_reservation, schedule_later
from sim.engine.state import NOBODY, RELEASES, Engine

FLIT, HEAD, CREDIT, HINT, RESERVATION, OPEN, RELEASE = range(7)  # kinds of mail
# Elements of `Part.own`: number of the window, latest cycle in which any mail is visible, seed of delays (0: none),
# barriers passed, latest cycle in which anything was due, whether it is a coordinator for whom the other parts wait.
WINDOW, LATEST, SEED, PASSED, STEPPED, PAUSED = range(6)


@compiled
def is_elsewhere(e: Engine, place: int) -> bool:
    """Return whether a place is in a switch of another part."""
    return not is_source(place) and e.part.owner[switch_of(place)] != e.part.number


@compiled_noinline
def post_mail(e: Engine, kind: int, at: int, to: int, what: int) -> None:
    """Send something, visible in cycle `at`, to a place in another part."""
    post_mail_to(e, e.part.owner[switch_of(to)], kind, at, to, what)


@compiled
def post_mail_to(e: Engine, there: int, kind: int, at: int, to: int, what: int) -> None:
    """Send something, visible in cycle `at`, to part `there`."""
    part = e.part
    parity = part.own[WINDOW] & 1
    n = part.mail_end[parity, part.number, there, 0]
    row = part.mail[n]
    row.at = at
    row.to = to
    row.what = what
    row.kind = kind
    part.mail_end[parity, part.number, there, 0] = n + 1
    part.own[LATEST] = max(part.own[LATEST], at)


@compiled_noinline
def mail_open(e: Engine, s: int, at: int) -> None:
    """Send the look-ahead output of a crossbar, visible in cycle `at`, to the other parts with its exchangers."""
    part = e.part
    for there in range(part.parts):
        if there == part.number:
            continue
        near = False
        for x in range(e.switches.k.ports):
            near |= e.link[s, x] != NOBODY and part.owner[switch_of(e.link[s, x])] == there
        if near:
            for w in range(e.switches.k.vcs):
                post_mail_to(e, there, OPEN, at, s << SWITCH_SHIFT | w, e.switches.open[s, w])


@compiled
def _take_open(e: Engine, at: int, to: int, word: int) -> None:
    """Take one VC's word of a crossbar's look-ahead; that of VC 0 comes first."""
    slot = at & (e.k.slots - 1)
    if vc_of(to) == 0:
        e.shown_by[slot, e.shows[slot]] = switch_of(to)
        e.shows[slot] += 1
    e.shown[slot, e.shows[slot] - 1, vc_of(to)] = word


@compiled
def _take(e: Engine, kind: int, at: int, to: int, what: int) -> None:
    """Take one piece of mail."""
    if kind == CREDIT:
        post_credit(e, at, to)
    elif kind in (FLIT, HEAD):
        post_on(e, flit_line(e, at, kind == HEAD), to, what)
    elif kind == RELEASE:
        schedule_later(e, RELEASES, at, what)
    elif kind == HINT:
        post_hint(e, at, to, what)
    elif kind == RESERVATION:
        post_reservation(e, at, to, what)
    else:
        _take_open(e, at, to, what)


@compiled_noinline
def take_mail(e: Engine, begin: int, until: int) -> None:
    """Take the mail of the previous window, before cycle `begin`; of batches, what is visible before cycle `until`."""
    part = e.part
    parity = (part.own[WINDOW] - 1) & 1
    for sender in range(part.parts):
        first = part.mail_begin[parity, sender, part.number]
        for n in range(first, part.mail_end[parity, sender, part.number, 0]):
            row = part.mail[n]
            _take(e, row.kind, row.at, row.to, row.what)
        part.mail_end[parity, sender, part.number, 0] = first
    for n in range(len(part.from_part)):
        sender = part.from_part[n]
        for cycle in range(begin, until):
            take_pins(e.switches, part.pins[sender], part.pins_due[sender], part.to_batch[n], cycle)
