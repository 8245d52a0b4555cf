"""Links: a fixed delay in each direction (microarchitecture.md, section 2), and the return of credits on them."""

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
    """Return the cycle in which what was granted in `sent`, and registered, is visible behind a link."""
    return sent + 1 + latency


@compiled
def return_credit(s: int, i: int, v: int, cycle: int, carry: CarryCredit, links: Any) -> None:
    """Return the credit of a flit that leaves input VC (i, v) of a switch in `cycle`: one for each, in the next cycle.

    Parameters
    ----------
    s, i, v : int
        Switch, input port, VC.
    cycle : int
        This cycle: the flit is granted, drained, bypasses or, forwarded speculatively, is confirmed.
    carry : compiled function
        Puts the credit on the input link: `carry(links, s, i, v, at)`, at whose sender it is visible in cycle `at`.
    links : any
        What `carry` is handed.
    """
    carry(links, s, i, v, link_arrival(cycle, 0))
