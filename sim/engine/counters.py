"""The counters of all switches."""

from __future__ import annotations

import numpy as np

from models.batched.counters import batched_flits_sent
from models.formats import COUNTERS
from models.jit.compiled import compiled
from models.power.lpi import lpi_catch_up
from models.readout import read
from models.state.registers import SwitchState
from sim.engine.state import Engine


def flits_sent(e: Engine) -> np.ndarray:
    """Return the flits sent on each output port, links and nodes, by output VC, int64 [switches, ports, VCs]."""
    return batched_flits_sent(e.switches) if e.switches.k.batched else e.sent.copy()


@compiled
def read_counters(st: SwitchState, cycle: int, values: np.ndarray) -> None:
    """Write the counters before the events of `cycle` to `values` [switches, ports, counters].

    The registers of a switch that is not visited lag behind: its links are first advanced to `cycle`, and the stalls of
    waiting CAM requests are added.
    """
    for s in range(len(values)):
        if st.k.lpi:
            lpi_catch_up(st, s, cycle)
        for p in range(st.k.ports):
            for counter in range(COUNTERS):
                values[s, p, counter] = read(st, s, p, counter, cycle)


@compiled
def read_wake_delays(st: SwitchState, cycle: int, values: np.ndarray) -> None:
    """Write to `values` [S, P] the cycles until `cycle` in which a flit waited for an inactive output link."""
    for s in range(len(values)):
        lpi_catch_up(st, s, cycle)
        for p in range(st.k.ports):
            values[s, p] = st.link_power[s, p].delayed
