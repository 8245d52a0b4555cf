"""The whole latency–throughput curve, with points where it bends."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal
from itertools import pairwise

import numpy as np

from sim.config import Config
from sim.lib.array_check import check_int
from sim.measure.result import Result
from sim.sweep.search import ceiling

FIRST = (Decimal("0.01"), Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal(1))  # of the ceiling
PARTS = 4  # parts into which a round cuts the bracket of saturation; one more than its points
KNEE = Decimal("0.03")  # width below which the bracket, or an interval, is not cut; relative to the load that saturates
DIGITS = 3  # significant digits of a load
LEAST, MOST = 6, 1000  # least and most points: at least those of `FIRST`, and one between


@dataclass
class CurveSearch:
    """Search for loads from nearly zero to past saturation.

    First, coarse loads up to the most that nodes can offer. Then the gap between the greatest load that does not
    saturate and the next one is cut in four until it is narrow; this leaves at least three points past saturation,
    unless nodes cannot offer that load. The remaining points go where straight lines between neighbours deviate most
    from the curve, estimated from second differences, relative to the latency. Intervals as narrow as the gap come
    last: differences in them are mostly noise.

    Parameters
    ----------
    config : Config
        Configuration of the network; its load is ignored.
    count : int
        Number of points, `LEAST` to `MOST`.

    Raises
    ------
    TsujiError
        If there are too few points, or too many.
    """

    config: Config
    count: int
    seeds: int = field(default=1, init=False)
    results: dict[Decimal, list[Result]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.count = check_int("points", self.count, LEAST, MOST)

    @property
    def expected(self) -> int:
        """Expected total number of loads."""
        return self.count

    def tell(self, load: Decimal, results: list[Result]) -> None:
        """Record the result of a load."""
        self.results[load] = results

    def wanted(self) -> list[Decimal]:
        """Return the loads of the next round."""
        if not self.results:
            most = _rounded(ceiling(self.config), ROUND_DOWN)
            return [_rounded(part * most) for part in FIRST]
        left = self.count - len(self.results)
        return (self._knee() or self._past() or self._bends())[:left] if left > 0 else []

    @property
    def saturation(self) -> tuple[Decimal, Decimal | None]:
        """Greatest load below all that saturate, 0 if there is none; and the least load that saturates."""
        above = min(self._saturated(), default=None)
        below = (load for load in self.results if above is None or load < above)
        return max(below, default=Decimal(0)), above

    def _saturated(self) -> list[Decimal]:
        return [load for load, (result,) in self.results.items() if result.figures.saturated]

    def _knee(self) -> list[Decimal]:
        """Return loads that cut the gap in which the network saturates; empty if it is narrow."""
        below, above = self.saturation
        if above is None or above - below <= KNEE * above:
            return []
        cuts = {_rounded(below + (above - below) * part / PARTS) for part in range(1, PARTS)}
        return sorted(cuts - set(self.results))

    def _past(self) -> list[Decimal]:
        """Return a load between the two least that saturate, if there are only two."""
        loads = sorted(self._saturated())
        middle = _rounded(sum(loads, Decimal(0)) / 2)
        return [middle] if len(loads) == 2 and middle not in loads else []

    def _bends(self) -> list[Decimal]:
        """Return the middles of the intervals below saturation in which straight lines deviate most from the curve."""
        below, _ = self.saturation
        loads = sorted(load for load in self.results if load <= below)
        middles = [_rounded((a + b) / 2) for a, b in pairwise(loads)]
        errors = self._errors(loads)
        narrow = [b - a <= KNEE * below for a, b in pairwise(loads)]
        order = sorted(range(len(middles)), key=lambda interval: (narrow[interval], -errors[interval], interval))
        return [middles[interval] for interval in order if middles[interval] not in self.results][: PARTS - 1]

    def _errors(self, loads: list[Decimal]) -> list[float]:
        """Return the relative deviation of the latency from a straight line in each interval between loads.

        It is estimated as h²/8 times the greater second difference of the logarithm at the two ends of an interval of
        width h.
        """
        x = np.array(loads, float)
        means = [self.results[load][0].figures.packet_latency.mean for load in loads]
        y = np.log([mean or 1.0 for mean in means])
        width = np.diff(x)
        if len(x) < 3:
            straight: list[float] = width.tolist()
            return straight
        bend = np.abs(2 * np.diff(np.diff(y) / width) / (x[2:] - x[:-2]))
        bend = np.concatenate((bend[:1], bend, bend[-1:]))
        errors: list[float] = (np.maximum(bend[1:], bend[:-1]) * width**2 / 8).tolist()
        return errors


def _rounded(load: Decimal, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """Return a load rounded to a few significant digits."""
    return Context(prec=DIGITS, rounding=rounding).create_decimal(load)
