"""The saturation point: the greatest load that a network carries, by bisection."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from math import ceil, log2
from statistics import fmean
from typing import NamedTuple

from models.errors import TsujiError
from sim.config import Config
from sim.lib.array_check import check_int, check_number
from sim.measure.result import Result
from sim.measure.saturation import is_load_carried
from sim.sweep.search import ceiling


class SaturationPoint(NamedTuple):
    """Where a network saturates, flits/node/cycle.

    Attributes
    ----------
    load : float or None
        Greatest load that was carried; None if even the least was not.
    above : float or None
        Least load that was not carried; None if all were.
    accepted : float or None
        Accepted traffic at `load`, mean over seeds.
    latency : float or None
        Mean packet latency at `load`, cycles, mean over seeds.
    most : float
        Greatest accepted traffic at any load tried.
    simulations : int
        Number of simulations.
    """

    load: float | None
    above: float | None
    accepted: float | None
    latency: float | None
    most: float
    simulations: int


@dataclass
class SaturationSearch:
    """Bisection between load 0 and the most that nodes can offer, at multiples of the tolerance.

    A load is carried if, with more than half of the seeds, the run is not saturated (docs/how_to/simulation.md) and
    accepts all but a small part of the offered traffic. A network that carries a load is assumed to carry every smaller
    one.

    Parameters
    ----------
    config : Config
        Configuration of the network; its load is ignored.
    tolerance : Decimal, float or str
        Width of the final bracket, flits/node/cycle.
    shortfall : float
        Share of the offered traffic that may be missing from the accepted traffic.
    seeds : int
        Number of simulations per load.

    Raises
    ------
    TsujiError
        If the tolerance is not above 0 or too large for the load that nodes can offer, the shortfall is not from 0 to
        1, or there are no seeds.

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
        self.shortfall = check_number("shortfall", self.shortfall, 0, 1)
        self.step = _positive(self.tolerance)
        most = ceiling(self.config)
        self._top = int(most / self.step)
        if self._top < 2:
            raise TsujiError(
                f"tolerance = {self.tolerance}: nodes offer at most {most:g} flits/node/cycle; use half of it at most"
            )
        self._carried, self._refused = 0, self._top + 1  # in multiples of the tolerance

    @property
    def expected(self) -> int:
        """Expected total number of loads."""
        return 1 + ceil(log2(self._top))

    def wanted(self) -> list[Decimal]:
        """Return the greatest load in the first round, then the middle of the bracket."""
        if not self.results:
            return [self._top * self.step]
        if self._refused - self._carried == 1:
            return []
        return [(self._carried + self._refused) // 2 * self.step]

    def tell(self, load: Decimal, results: list[Result]) -> None:
        """Record the results of a load and halve the bracket."""
        self.results[load] = results
        if 2 * sum(is_load_carried(result.figures, self.shortfall) for result in results) > len(results):
            self._carried = int(load / self.step)
        else:
            self._refused = int(load / self.step)

    @property
    def point(self) -> SaturationPoint:
        """The saturation point found."""
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


def _positive(tolerance: Decimal | float | str) -> Decimal:
    """Return the tolerance in decimal, as written."""
    try:
        step = Decimal(str(tolerance))
    except InvalidOperation:
        step = Decimal(0)
    if not step.is_finite() or step <= 0:
        raise TsujiError(f"tolerance = {tolerance}: must be a number above 0, such as 0.01")
    return step
