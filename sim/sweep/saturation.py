"""The saturation point: the greatest load that a network carries, by bisection."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from math import ceil, log2
from statistics import fmean
from typing import NamedTuple

from models.errors import TsujiError
from sim.config import Config
from sim.lib.array_check import check_int
from sim.measure.result import Result
from sim.sweep.search import ceiling


class SaturationPoint(NamedTuple):
    """Where a network saturates, flits/node/cycle.

    Attributes
    ----------
    load : float or None
        Greatest load that was carried; None if not even the least was.
    above : float or None
        Least load that was not carried; None if all were.
    accepted : float or None
        Accepted traffic at `load`, mean of the seeds.
    latency : float or None
        Mean packet latency at `load`, cycles, mean of the seeds.
    most : float
        Greatest accepted traffic at any load tried.
    simulations : int
        Simulations that took.
    """

    load: float | None
    above: float | None
    accepted: float | None
    latency: float | None
    most: float
    simulations: int


@dataclass
class SaturationSearch:
    """Bisection between no load and the most that nodes can offer, on multiples of the tolerance.

    A load is carried when the run is not saturated (docs/how_to/simulation.md) and accepts all but a small part of what
    it is offered, with more than half of the seeds; networks are taken to carry every load below one that they carry.

    Parameters
    ----------
    config : Config
        The network; its load does not matter.
    tolerance : Decimal, float or str
        Width of the bracket that is left, flits/node/cycle.
    shortfall : float
        Share of the offered traffic that may be missing from the accepted.
    seeds : int
        Simulations of each load.

    Raises
    ------
    TsujiError
        If the tolerance is no number above 0 or as wide as what nodes can offer, the shortfall is no share, or there
        are no seeds.

    Attributes
    ----------
    step : Decimal
        The tolerance.
    """

    config: Config
    tolerance: Decimal | float | str
    shortfall: float
    seeds: int = 1
    step: Decimal = field(init=False)
    results: dict[Decimal, list[Result]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.seeds = check_int("seeds", self.seeds, 1)
        if not isinstance(self.shortfall, int | float) or not 0 <= self.shortfall <= 1:
            raise TsujiError(f"shortfall = {self.shortfall}: must be a number, 0 to 1")
        self.step = _positive(self.tolerance)
        most = ceiling(self.config)
        self._top = int(most / self.step)
        if self._top < 2:
            raise TsujiError(
                f"tolerance = {self.tolerance}: nodes offer at most {most:g} flits/node/cycle; use half of it at most"
            )
        self._carried, self._refused = 0, self._top + 1  # in tolerances

    @property
    def expected(self) -> int:
        """Loads expected in all."""
        return 1 + ceil(log2(self._top))

    def wanted(self) -> list[Decimal]:
        """Return the greatest load, then the middle of what is left."""
        if not self.results:
            return [self._top * self.step]
        if self._refused - self._carried == 1:
            return []
        return [(self._carried + self._refused) // 2 * self.step]

    def tell(self, load: Decimal, results: list[Result]) -> None:
        """Halve what is left."""
        self.results[load] = results
        if 2 * sum(self._carries(result) for result in results) > len(results):
            self._carried = int(load / self.step)
        else:
            self._refused = int(load / self.step)

    @property
    def point(self) -> SaturationPoint:
        """What was found."""
        best = [result.figures for result in self.results[self._carried * self.step]] if self._carried else []
        means = [each.packet_latency.mean for each in best if each.packet_latency.mean is not None]
        every = [result.figures for results in self.results.values() for result in results]
        return SaturationPoint(
            load=float(self._carried * self.step) if best else None,
            above=float(self._refused * self.step) if self._refused <= self._top else None,
            accepted=fmean(each.accepted_traffic for each in best) if best else None,
            latency=fmean(means) if means else None,
            most=max(each.accepted_traffic for each in every),
            simulations=len(every),
        )

    def _carries(self, result: Result) -> bool:
        figures = result.figures
        return not figures.saturated and figures.accepted_traffic >= (1 - self.shortfall) * figures.offered_traffic


def _positive(tolerance: Decimal | float | str) -> Decimal:
    """Return the tolerance as it is written, not as a float holds it."""
    try:
        step = Decimal(str(tolerance))
    except InvalidOperation:
        step = Decimal(0)
    if not step.is_finite() or step <= 0:
        raise TsujiError(f"tolerance = {tolerance}: must be a number above 0, such as 0.01")
    return step
