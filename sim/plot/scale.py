"""Scale of a colour map: which value has which colour."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

SAME = 1e-4  # values this close, relative to the greatest, have the same text of four digits


class Scale(NamedTuple):
    """Range of values that a colour map shows.

    Attributes
    ----------
    low, high : float
        Values at its ends; equal if the quantity is constant.
    """

    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float32], low: float | None) -> Scale:
        """Return the scale of values, from `low` (None: from the least) to the greatest; one value if all are equal."""
        if not values.size:
            return cls(0.0, 0.0)
        least, greatest = float(values.min()), float(values.max())
        if greatest - least <= SAME * max(abs(greatest), abs(least)):
            return cls(greatest, greatest)
        return cls(least if low is None else low, greatest)

    @property
    def constant(self) -> bool:
        """Whether there is a single value."""
        return self.low == self.high

    def shares(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return where values are on the scale, 0 to 1; a constant is at its upper end, or at the lower end if 0."""
        if self.constant:
            return np.full(np.shape(values), float(self.high > 0))
        shares: NDArray[np.float64] = np.clip((np.asarray(values) - self.low) / (self.high - self.low), 0.0, 1.0)
        return shares
