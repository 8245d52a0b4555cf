"""The switches' counters, read all at once."""

from __future__ import annotations

import numpy as np

from models.batched.counters import batched_flits_sent
from models.counters import read
from models.formats import COUNTERS
from models.jit.compiled import compiled
from models.power.lpi import lpi_catch_up
from models.state.registers import SwitchState
from sim.engine.state import Engine


def flits_sent(e: Engine) -> np.ndarray:
    """Return the flits put on each output link, or given to nodes, by output VC, int64 [switches, ports, VCs]."""
    return batched_flits_sent(e.switches) if e.switches.k.batched else e.sent.copy()


@compiled
def read_counters(st: SwitchState, cycle: int, values: np.ndarray) -> None:
    """Write the counters before the events of `cycle` to `values` [switches, ports, counters].

    The registers of a switch left alone lag: its links are brought up to `cycle` first, and the stalls so far of
    requests that wait are added.
    """
    for s in range(len(values)):
        if st.k.lpi:
            lpi_catch_up(st, s, cycle)
        for p in range(st.k.ports):
            for counter in range(COUNTERS):
                values[s, p, counter] = read(st, s, p, counter, cycle)
