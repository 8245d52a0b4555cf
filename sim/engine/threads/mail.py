"""Mail: what a part of a network sends to another over links that were cut.

A part writes the mail of a window into lines of its own, one for each other part. These read it at the beginning of the
next window, after all threads have passed the barrier, while the senders write the lines of the other parity. What is
read enters the reader's lists of flits and credits on links, as if it had been sent there.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from models.parts import take_pins
from sim.engine.address import is_source, switch_of
from sim.engine.schedule import flit_line, post_credit, post_on
from sim.engine.state import Engine

FLIT, HEAD, CREDIT = 0, 1, 2  # kinds of mail
WINDOW, LATEST, SEED = 0, 1, 2  # elements of `Part.own`: number of the window, latest cycle in any mail sent, and delays


@compiled
def is_elsewhere(e: Engine, place: int) -> bool:
    """Return whether a place is in a switch of another part."""
    return not is_source(place) and e.part.owner[switch_of(place)] != e.part.number


@compiled_noinline
def post_mail(e: Engine, kind: int, at: int, to: int, what: int) -> None:
    """Send a flit or a credit, visible in cycle `at`, to a place in another part."""
    part = e.part
    parity, there = part.own[WINDOW] & 1, part.owner[switch_of(to)]
    n = part.mail_end[parity, part.number, there, 0]
    row = part.mail[n]
    row.at = at
    row.to = to
    row.what = what
    row.kind = kind
    part.mail_end[parity, part.number, there, 0] = n + 1
    note_sent(e, at)


@compiled
def note_sent(e: Engine, at: int) -> None:
    """Note that something was sent to another part that is visible there in cycle `at`."""
    e.part.own[LATEST] = max(e.part.own[LATEST], at)


@compiled_noinline
def take_mail(e: Engine, begin: int, until: int) -> None:
    """Take the mail of the previous window, before cycle `begin`; of batches, what is visible before cycle `until`."""
    part = e.part
    parity = (part.own[WINDOW] - 1) & 1
    for sender in range(part.count):
        first = part.mail_begin[parity, sender, part.number]
        for n in range(first, part.mail_end[parity, sender, part.number, 0]):
            row = part.mail[n]
            if row.kind == CREDIT:
                post_credit(e, row.at, row.to)
            else:
                post_on(e, flit_line(e, row.at, row.kind == HEAD), row.to, row.what)
        part.mail_end[parity, sender, part.number, 0] = first
    for n in range(len(part.from_part)):
        sender = part.from_part[n]
        for cycle in range(begin, until):
            take_pins(e.switches, part.pins[sender], part.pins_due[sender], part.to_batch[n], cycle)
