"""Latency and interval of every link between switches, and whether all are equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from models.route.reservation import ASK_CYCLES
from sim.topology.base import NOBODY, Int64, Topology


@dataclass(frozen=True, eq=False)
class LinkTimes:
    """Latencies and intervals of a network's links.

    Attributes
    ----------
    delay : array [S, P]
        Latency of each port's link, cycles: `link.latency` plus that of the topology.
    interval : array [S, P]
        Cycles in which it carries one flit: the greater of `link.interval` and that of the topology.
    latency : int
        Latency of all links, if `plain`.
    credit_lag : int
        Cycles by which a credit takes longer than a flit.
    plain : bool
        Whether all links have the same latency, and none is slower than the switches.
    node : int
        Cycles between a node and its switch, each way.
    longest : int
        Most cycles from a switch's output to the far end of a link for a flit, the queue before a slow link included,
        or a credit.
    """

    delay: Int64
    interval: Int64
    latency: int
    credit_lag: int
    plain: bool
    node: int
    longest: int

    @classmethod
    def of(cls, params: SwitchParams, link: LinkParams, topology: Topology) -> Self:
        """Return the latencies and intervals of a topology's links.

        Raises
        ------
        TsujiError
            If links differ, or are slow, and the switches do not support that.
        """
        wired = topology.peer_switch != NOBODY
        delay = np.where(wired, link.latency + topology.link_latency, 0)
        interval = np.where(wired, np.maximum(link.interval, topology.link_interval), 1)
        latencies = np.unique(delay[wired])
        slowest = int(interval.max())
        slow = slowest > params.speedup
        if slow and params.lpi:
            key = (
                f"link.interval = {slowest}"
                if slowest == link.interval
                else "topology.intervals (of a graph, those of its cables)"
            )
            raise TsujiError(
                f"{key}: links of {topology.name} that carry a flit in {slowest} cycles have a queue, and [lpi] would "
                "let them sleep before it is empty; leave out one of the two"
            )
        if params.lookahead and len(latencies) > 1:
            raise TsujiError(
                f"adaptive.lookahead = true: {topology.name} has links of {latencies[0]} to {latencies[-1]} cycles; "
                "exchangers look ahead over links of one latency only"
            )
        return cls(
            delay=delay,
            interval=interval,
            latency=int(latencies[0]) if len(latencies) else link.latency,
            credit_lag=link.credit_lag,
            plain=len(latencies) < 2 and not slow,
            node=link.node_latency,
            longest=int(delay.max()) + max(params.vcs * params.depth * slowest if slow else 0, link.credit_lag),
        )

    def stillness(self, params: SwitchParams) -> int:
        """Return the most cycles without movement, besides switch delays: on a link, asleep, or in reservation."""
        asleep = params.lpi.sleep + params.lpi.wake if params.lpi and params.lpi.sleeps else 0
        asking = ASK_CYCLES + 2 * self.latency if params.reserves else 0
        return self.longest + asleep + asking
