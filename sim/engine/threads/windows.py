"""Windows: cycles that the parts of a network advance by themselves, and the barrier between two windows.

What a part sends in cycle t is visible in another part in cycle t + 1 + L at the earliest, where L is the least latency
of the links that were cut. So parts need not wait for one another within L + 1 cycles. At the barrier each part tells
in which cycle it has something due, and the latest cycle for which it has sent mail; all draw the same conclusion about
the next window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.jit.atomics import give_way, pause
from models.jit.compiled import compiled, compiled_noinline
from models.parts import any_elsewhere
from sim.engine.state import Engine
from sim.engine.threads.barrier import pass_barrier
from sim.engine.threads.mail import LATEST, SEED, STEPPED, WINDOW
from sim.lib.splitmix import splitmix64
from sim.messages.events import NEVER, next_at

DUE, SENT, MESSAGES, FREE, SHORT, LAST = range(6)  # elements of `Part.told`
MOST_DELAY = 1 << 12  # pauses

_scramble = compiled(splitmix64)


@compiled_noinline
def _linger(e: Engine) -> None:
    """Delay this thread by a time drawn for this part and window; tests show that results do not depend on it."""
    part = e.part
    number: Any = np.uint64(part.own[SEED] + part.own[WINDOW] * part.parts + part.number)
    draw: Any = _scramble(number)
    for _ in range(int(draw % np.uint64(MOST_DELAY))):
        pause()
    if draw >> np.uint64(63):
        give_way()


@compiled
def _latest(e: Engine, until: int, due: int) -> int:
    """Return the latest cycle for which this part has sent anything to others.

    Flits and credits at pins are no mail. If anything is `due` in cycle `until`, time does not jump over them; else
    `until` stands for any later cycle. What others take in this window is not looked at.
    """
    latest: int = e.part.own[LATEST]
    if e.hooks.batched and due > until:
        st = e.switches
        if any_elsewhere(st, until, st.pin_slots - e.part.window):
            latest = max(latest, until)
    return latest


@compiled
def tell_coordinator(e: Engine, parity: int) -> None:
    """Tell when the coordinator must act, how many packets are free in this part, and when anything was last due."""
    part = e.part
    told = part.told[parity, part.number]
    short = e.ranks.pool[0].free < e.ranks.reserve
    if short or part.found_end[part.number, 0]:
        told[MESSAGES] = 0
    else:
        told[MESSAGES] = next_at(e.ranks.x) if part.number == 0 else NEVER
    told[FREE] = e.ranks.pool[0].free
    told[SHORT] = short
    told[LAST] = part.own[STEPPED]


@compiled
def next_window(until: int, latest: int, nearest: int) -> int:
    """Return the cycle in which the window after one that ended before cycle `until` begins.

    Parameters
    ----------
    until : int
        First cycle after the window.
    latest : int
        Latest cycle for which any part has sent anything to others: it may be due at any time after this window.
    nearest : int
        Next cycle in which anything else is due in any part.
    """
    return until if latest >= until else max(until, nearest)


@compiled
def await_parts(e: Engine, until: int, due: int, end: int) -> int:
    """End the window before cycle `until`; return the cycle in which the next one begins, `end` if a thread has failed.

    If the other parts are in other processes, return `until`; these then draw the conclusion (`next_window`).

    Parameters
    ----------
    e : Engine
        The part.
    until : int
        First cycle after the window.
    due : int
        Next cycle in which anything is due in this part, mail that it has not taken left out; at most `end`.
    end : int
        Cycle in which the run ends.
    """
    part = e.part
    if part.own[SEED]:
        _linger(e)
    parity = part.own[WINDOW] & 1
    part.own[WINDOW] += 1
    part.told[parity, part.number, DUE] = due
    part.told[parity, part.number, SENT] = _latest(e, until, due)
    if e.hooks.messages:
        tell_coordinator(e, parity)
    if part.apart:
        return until
    if not pass_barrier(part):
        return end
    nearest, latest = end, 0
    for other in range(part.parts):
        nearest = min(nearest, part.told[parity, other, DUE])
        latest = max(latest, part.told[parity, other, SENT])
    return next_window(until, latest, nearest)
