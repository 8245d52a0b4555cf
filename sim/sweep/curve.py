"""The whole latency–throughput curve, its points placed where it bends."""

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
PARTS = 4  # into which the bracket of saturation is cut a round; one less than points
KNEE = Decimal("0.03")  # width at which that bracket, or an interval, is narrow enough; of the load that saturates
DIGITS = 3  # significant, of a load
LEAST, MOST = 6, 1000  # points: at least those of `FIRST`, and one between


@dataclass
class CurveSearch:
    """Loads from nearly none to past saturation.

    First a coarse look up to the most that nodes can offer; then the gap between the greatest load that does not
    saturate and the next one is cut in four until it is narrow, which leaves points past saturation, three at least
    unless nodes cannot offer so much; then the points that are left go where straight lines between neighbours are
    furthest from the curve, as far as its second differences tell, relative to the latency there. Intervals as narrow
    as that gap come last: differences in them are mostly noise.

    Parameters
    ----------
    config : Config
        The network; its load does not matter.
    count : int
        Points in all, `LEAST` to `MOST`.

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
        """Loads expected in all."""
        return self.count

    def tell(self, load: Decimal, results: list[Result]) -> None:
        """Take the result of a load."""
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
        """Greatest load below all that saturate, 0 if there is none; and the least that saturates."""
        above = min(self._saturated(), default=None)
        below = (load for load in self.results if above is None or load < above)
        return max(below, default=Decimal(0)), above

    def _saturated(self) -> list[Decimal]:
        return [load for load, (result,) in self.results.items() if result.figures.saturated]

    def _knee(self) -> list[Decimal]:
        """Return loads that cut the gap in which the network saturates; none when it is narrow."""
        below, above = self.saturation
        if above is None or above - below <= KNEE * above:
            return []
        cuts = {_rounded(below + (above - below) * part / PARTS) for part in range(1, PARTS)}
        return sorted(cuts - set(self.results))

    def _past(self) -> list[Decimal]:
        """Return a load between the least two that saturate, where there are only these."""
        loads = sorted(self._saturated())
        middle = _rounded(sum(loads, Decimal(0)) / 2)
        return [middle] if len(loads) == 2 and middle not in loads else []

    def _bends(self) -> list[Decimal]:
        """Return the middles of the intervals, below saturation, where straight lines are furthest from the curve."""
        below, _ = self.saturation
        loads = sorted(load for load in self.results if load <= below)
        middles = [_rounded((a + b) / 2) for a, b in pairwise(loads)]
        errors = self._errors(loads)
        narrow = [b - a <= KNEE * below for a, b in pairwise(loads)]
        order = sorted(range(len(middles)), key=lambda interval: (narrow[interval], -errors[interval], interval))
        return [middles[interval] for interval in order if middles[interval] not in self.results][: PARTS - 1]

    def _errors(self, loads: list[Decimal]) -> list[float]:
        """Return how far, relative, the latency may be from a straight line in each interval between loads.

        That is h²/8 of the greater second difference at the two ends of an interval of width h, of the logarithm.
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
    """Return a load to a few significant digits."""
    return Context(prec=DIGITS, rounding=rounding).create_decimal(load)
