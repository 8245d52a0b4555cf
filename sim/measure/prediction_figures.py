"""How well output ports were predicted, and how much of the traffic took the bypass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.formats import Counter
from models.params import SwitchParams


class PredictionFigures(NamedTuple):
    """All switches in the measurement window; None without prediction, or where the switch counts nothing.

    `success` is the share of routes that the predictor of their input port had named, of those for which it named any;
    `bypassed_heads` and `bypassed_flits` are shares of the packets and flits sent; `killed` counts heads sent wrongly.
    """

    success: float | None
    bypassed_heads: float | None
    bypassed_flits: float | None
    killed: int | None


def prediction_figures(switch: SwitchParams, counted: np.ndarray) -> PredictionFigures:
    """Return the figures, given how far each counter went, int64 [Counter]."""
    if switch.prediction is None or not switch.counter_width:
        return PredictionFigures(None, None, None, None)

    def share(part: Counter, whole: int) -> float | None:
        return float(counted[part]) / whole if whole else None

    named = int(counted[Counter.PREDICT_RIGHT] + counted[Counter.PREDICT_WRONG])
    return PredictionFigures(
        share(Counter.PREDICT_RIGHT, named),
        share(Counter.BYPASS_HEADS, int(counted[Counter.PACKETS_OUT])),
        share(Counter.BYPASS_FLITS, int(counted[Counter.FLITS_OUT])),
        int(counted[Counter.BYPASS_KILLED]),
    )
