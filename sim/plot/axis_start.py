"""Where an axis begins: at 0, unless that would hide how the values differ; then the picture says so."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from sim.plot.scale import Scale

CUT = 0.8  # an axis does not begin at 0 if all values are above this share of the greatest
STEPS = (1, 2, 2.5, 5, 10)  # first digits of the steps between ticks
DIGITS = 5  # digits of ticks


def axis_ticks(values: ArrayLike, steps: int) -> list[float]:
    """Return the ticks of the axis of values.

    Parameters
    ----------
    values : array
        At least one value, none below 0.
    steps : int
        Steps between ticks, at least.
    """
    scale = Scale.of(np.asarray(values, np.float32), 0.0)
    if scale.constant:
        return [0.0, scale.high] if scale.high else [0.0]
    least = float(np.min(values))
    low = least if least > CUT * scale.high else 0.0
    ticks = MaxNLocator(steps, steps=STEPS).tick_values(low, scale.high)
    return [float(f"{tick:.{DIGITS}g}") for tick in ticks]


def begin_axis(axes: Axes, values: ArrayLike, label: str) -> None:
    """Set the limits and the label of the y axis; the label says where the axis begins if not at 0.

    Parameters
    ----------
    axes : Axes
    values : array
        What is drawn along the axis.
    label : str
    """
    ticks = axis_ticks(values, 4)
    if len(ticks) > 1 and len(np.unique(values)) > 1:
        axes.set_ylim(ticks[0], ticks[-1])
    else:
        axes.set_ylim(bottom=0)
    axes.set_ylabel(label if ticks[0] == 0 else f"{label}\nthe axis begins at {ticks[0]:g}, not at 0")
