"""The counters of all switches."""

from __future__ import annotations

import numpy as np

from models.batched.counters import batched_flits_sent
from models.formats import COUNTERS
from models.jit.compiled import compiled
from models.power.lpi import lpi_show
from models.readout import read
from models.state.registers import SwitchState
from sim.engine.address import MOST_PLACES
from sim.engine.state import Engine


def flits_sent(e: Engine) -> np.ndarray:
    """Return the flits sent on each output port, links and nodes, by output VC, int64 [switches, ports, VCs]."""
    return batched_flits_sent(e.switches) if e.switches.k.batched else e.sent.copy()


def busy_cycles(e: Engine, cycle: int) -> np.ndarray:
    """Return the cycles before `cycle` in which each output link carried a flit, int64 [switches, ports].

    A flit takes the interval of its link. One that waits behind others, in the output buffer or in the transmit queue,
    was sent but is not carried yet: both drain without a gap, so the cycle in which the link is free again tells how
    much of what was sent is left. Delays that all flits have (output register, stage delay) are not counted.
    """
    k = e.switches.k
    sent: np.ndarray = flits_sent(e).sum(axis=2)
    if e.k.plain and k.speedup == 1:
        return sent
    linked = (e.link >= 0) & (e.link < MOST_PLACES)
    interval = np.where(linked, np.maximum(e.interval, k.speedup), k.speedup)
    free = e.switches.departed + k.speedup
    if not e.k.plain:
        free = np.where(linked, e.line_free - k.stage_delay, free)
    busy: np.ndarray = interval * sent - np.maximum(free - (cycle + 1), 0)
    return busy


@compiled
def read_counters(st: SwitchState, cycle: int, values: np.ndarray) -> None:
    """Write the counters before the events of `cycle` to `values` [switches, ports, counters].

    The registers of a switch that is not visited lag behind: `models.readout.read` adds what is missing.
    """
    for s in range(len(values)):
        for p in range(st.k.ports):
            for counter in range(COUNTERS):
                values[s, p, counter] = read(st, s, p, counter, cycle)


WAITED, BY_HINT, HINT_USED = range(3)  # columns of `read_wakes`


@compiled
def read_wakes(st: SwitchState, cycle: int, values: np.ndarray) -> None:
    """Write to `values` [S, P, 3] what happened at each output link until `cycle`.

    Cycles in which a flit waited for it while it was not active; wakes that began while no flit wanted it; of these,
    those after which a flit wanted it before it went to sleep.
    """
    for s in range(len(values)):
        for p in range(st.k.ports):
            lpi_show(st, s, p, cycle)
            link = st.link_power[s, p]
            values[s, p, WAITED] = link.delayed
            values[s, p, BY_HINT] = link.hint_wakes
            values[s, p, HINT_USED] = link.hint_wakes_used
