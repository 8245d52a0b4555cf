"""A curve of latency against accepted traffic: its line ends before saturation, and no point is cut off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

HEADROOM = 6.0  # saturated points higher than this times the lowest latency are marked at the edge
ROOM = 1.06  # top of the axis, relative to the highest point: markers are not cut in two
GREY = "#777777"
HOLLOW: dict[str, Any] = {"facecolor": "white", "linewidth": 1.4, "s": 30, "zorder": 4}
ARROW: dict[str, Any] = {"marker": r"$\uparrow$", "s": 60, "linewidth": 0.4, "clip_on": False, "zorder": 4}
SATURATED = "saturated, at its accepted traffic"
ABOVE = "saturated, above the axis"


class LatencyCurve(NamedTuple):
    """Points of a curve in order of offered load.

    Attributes
    ----------
    accepted, latency : array [P]
        Accepted traffic and mean latency.
    saturated : array [P] of bool
        Points whose latency depends on the length of the run.
    """

    accepted: NDArray[np.float64]
    latency: NDArray[np.float64]
    saturated: NDArray[np.bool_]

    @classmethod
    def of(cls, accepted: ArrayLike, latency: ArrayLike, saturated: ArrayLike) -> LatencyCurve:
        """Return the curve of columns."""
        return cls(np.asarray(accepted, float), np.asarray(latency, float), np.asarray(saturated, bool))

    @property
    def lowest(self) -> float:
        """Least latency; infinite without points."""
        return float(self.latency.min(initial=np.inf))


def top_of(curves: Sequence[LatencyCurve], headroom: float = HEADROOM) -> float:
    """Return where the axis of latency ends: above all points, of the saturated those up to `headroom` · the lowest."""
    limit = headroom * max(curve.lowest for curve in curves)
    highest = max(
        float(curve.latency[~curve.saturated | (curve.latency <= limit)].max(initial=curve.lowest)) for curve in curves
    )
    return ROOM * highest


def draw_curve(
    axes: Axes, curve: LatencyCurve, top: float, colour: str, marker: str, label: str, **options: Any
) -> None:
    """Draw a curve: a line through what is not saturated, hollow points, and arrows at the edge for what is above.

    Parameters
    ----------
    axes : Axes
    curve : LatencyCurve
    top : float
        As returned by `top_of`.
    colour, marker, label : str
    **options
        Further arguments of `Axes.plot` for the line.
    """
    style: dict[str, Any] = {"linewidth": 1.6, "markersize": 5, "zorder": 3} | options
    line = np.where(curve.saturated, np.nan, curve.latency)  # a gap in the line
    axes.plot(curve.accepted, line, color=colour, marker=marker, label=label or None, **style)
    above = curve.saturated & (curve.latency > top)
    hollow = curve.saturated & ~above
    axes.scatter(curve.accepted[hollow], curve.latency[hollow], marker=marker, edgecolor=colour, **HOLLOW)
    edge = np.full(int(above.sum()), top)
    axes.scatter(curve.accepted[above], edge, color=colour, **ARROW)


def name_saturated(axes: Axes, curves: Sequence[LatencyCurve], top: float) -> None:
    """Add to the legend what hollow points and arrows at the edge are, if there are any."""
    hollow = any((curve.saturated & (curve.latency <= top)).any() for curve in curves)
    above = any((curve.saturated & (curve.latency > top)).any() for curve in curves)
    if hollow:
        axes.scatter([], [], marker="o", edgecolor=GREY, label=SATURATED, **HOLLOW)
    if above:
        axes.scatter([], [], color=GREY, label=ABOVE if hollow else f"{SATURATED}, above the axis", **ARROW)
