"""When a specialised loop pays: decided from the time that runs of a kind have left in the generic loop.

A run that says where it ends (`Payback.expect`) has an estimate after `LOOK_S` seconds, to which the runs that follow
in the same process count (`expect_runs`). Without an estimate, as in the message layer, compilation begins when a
specialised loop would have saved its compile time: the total is then at most twice that of the better choice (the
ski-rental rule).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

COMPILE_S = 25.0  # CPU seconds to compile a specialised loop
GAIN = 1.6  # least factor by which it is faster; up to 1.9
LOOK_S = 0.3  # CPU seconds after which a run's speed is known
PAYS_AFTER = COMPILE_S / (1 - 1 / GAIN)  # CPU seconds without an estimate

# CPU seconds in the generic loop, by kind of switch, in this process.
_spent: defaultdict[Any, float] = defaultdict(float)
_more_runs = [0]


def expect_runs(number: int) -> None:
    """Say how many runs like the next one are still to come after it, in this process or beside it."""
    _more_runs[0] = number


class Payback:
    """Estimate for one network.

    Parameters
    ----------
    kind : Any
        Kind of its switches.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._own_s = 0.0
        self._cycles = 0
        self._end = 0

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end."""
        self._end = end

    def spend(self, seconds: float, cycles: int) -> None:
        """Count CPU time in the generic loop, and the cycles that it advanced."""
        self._own_s += seconds
        self._cycles += cycles
        _spent[self._kind] += seconds

    def give_up(self) -> None:
        """Never specialise switches of this kind: the compiler fails."""
        _spent[self._kind] = -float("inf")

    def pays(self, cycle: int) -> bool:
        """Return whether to specialise in `cycle`."""
        if _spent[self._kind] >= PAYS_AFTER:
            return True
        if _spent[self._kind] < 0 or self._own_s < LOOK_S or not self._end:
            return False
        left = max(0, self._end - cycle) + _more_runs[0] * max(self._end, cycle)
        return left * self._own_s / max(1, self._cycles) * (1 - 1 / GAIN) > COMPILE_S
