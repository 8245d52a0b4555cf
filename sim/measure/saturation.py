"""When a network is saturated: of a sample period, of a whole measurement, and of a load in a search.

A measurement is saturated if any sample period of its window is (`is_saturated`), or if packets born in the window have
not left at the end of the drain (`is_drain_saturated`). The search for the saturation point asks for more: the network
must also accept the load (`is_load_carried`).
"""

from __future__ import annotations

from sim.config.measure import MeasureParams
from sim.measure.figures import Figures


def backlog_grows(before: int, after: int, offered: int, params: MeasureParams) -> bool:
    """Return whether more than the share `measure.growth` of the packets born in a sample period stayed behind.

    Parameters
    ----------
    before, after : int
        Packets in flight at the beginning and at the end of the period.
    offered : int
        Packets born in it.
    params : MeasureParams
        The section [measure].
    """
    return after - before > params.growth * offered


def is_saturated(latency: float, zero_load: float, growing: int, params: MeasureParams) -> bool:
    """Return whether a sample period shows that the network is saturated.

    Parameters
    ----------
    latency : float
        Mean latency of the packets that left in the period, cycles; 0 if none did.
    zero_load : float
        Mean latency of the same packets in an empty network, cycles; 0 if none left.
    growing : int
        Periods in a row, this one the last, in which `backlog_grows`.
    params : MeasureParams
        The section [measure]: saturated above `latency_factor`, and from `growth_periods` on.
    """
    return latency > params.latency_factor * zero_load or growing >= params.growth_periods


def is_drain_saturated(born: int, left: int) -> bool:
    """Return whether some of the packets born in the measurement window have not left when the drain is over."""
    return left < born


def is_load_carried(figures: Figures, shortfall: float) -> bool:
    """Return whether a network carries the load of a measurement: not saturated, and nearly all of it accepted.

    Parameters
    ----------
    figures : Figures
        Of the measurement.
    shortfall : float
        Share of the offered traffic, 0 to 1, that may be missing from the accepted traffic.
    """
    return not figures.saturated and figures.accepted_traffic >= (1 - shortfall) * figures.offered_traffic
