"""Link between two switches: fixed delay per direction, and the return of credits (microarchitecture.md, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from models.jit.compiled import compiled
from models.state.declare import SWITCH, Registers, apart

CarryCredit = Callable[[Any, int, int, int, int], None]


class LinkRegisters(Registers):
    """Links of a switch by itself (`models.top`)."""

    # flits on their way to output links, by cycle, port and column
    departing: np.ndarray = apart(np.int64, SWITCH, lambda n: (n.params.link_lead, n.ports, 4))


@compiled
def link_arrival(sent: int, latency: int) -> int:
    """Return the cycle in which a flit granted in cycle `sent` is visible behind output register and link."""
    return sent + 1 + latency


@compiled
def return_credit(s: int, i: int, v: int, cycle: int, carry: CarryCredit, links: Any) -> None:
    """Return one credit for a flit that leaves input VC (i, v) of switch `s` in `cycle`; visible in the next cycle.

    Parameters
    ----------
    s, i, v : int
        Switch, input port, VC.
    cycle : int
        Cycle in which the flit is granted, drained, bypassed or, if it was sent speculatively, confirmed.
    carry : compiled function
        Puts the credit on the input link, as `carry(links, s, i, v, at)`; its sender sees the credit in cycle `at`.
    links : any
        First argument of `carry`.
    """
    carry(links, s, i, v, link_arrival(cycle, 0))
