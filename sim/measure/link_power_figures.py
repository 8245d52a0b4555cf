"""Time of the links between switches in each phase of low-power idle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.formats import Counter
from models.params import SwitchParams
from sim.topology.base import Topology


class LinkFigures(NamedTuple):
    """Links between switches in the measurement window: shares of the time in each phase, and wakes per link.

    None without low-power idle or counters.
    """

    act: float | None
    sleep: float | None
    lpi: float | None
    refresh: float | None
    wake: float | None
    wakes: float | None


_PHASES = (Counter.LINK_ACT, Counter.LINK_SLEEP, Counter.LINK_LPI, Counter.LINK_REFRESH, Counter.LINK_WAKE)


def link_figures(switch: SwitchParams, topology: Topology, counted: np.ndarray) -> LinkFigures:
    """Return the figures.

    Parameters
    ----------
    switch : SwitchParams
        Parameters of every switch.
    topology : Topology
        Topology, which says which ports have links to other switches.
    counted : numpy.ndarray
        Increment of each counter, int64 [switches, ports, Counter].
    """
    links = counted[topology.peer_switch >= 0]
    if switch.lpi is None or not switch.counter_width or not len(links):
        return LinkFigures(*(None for _ in LinkFigures._fields))
    cycles = [int(links[:, phase].sum()) for phase in _PHASES]
    act, sleep, low, refresh, wake = (part / sum(cycles) for part in cycles)
    return LinkFigures(act, sleep, low, refresh, wake, float(links[:, Counter.LINK_WAKES].mean()))
