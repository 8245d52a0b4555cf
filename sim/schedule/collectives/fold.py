"""Ranks folded to a power of two, for algorithms that pair ranks by a bit of their number.

Of the first 2·rem ranks, rem = ranks − 2^⌊log2 ranks⌋, the even ones send their data to the next rank and wait; the
others continue under new numbers, in the order of ranks (Thakur, Rabenseifner, Gropp: Optimization of Collective
Communication Operations in MPICH, 2005, section 4.5).
"""

from __future__ import annotations

from typing import NamedTuple


class Fold(NamedTuple):
    """A number of ranks folded to a power of two.

    Attributes
    ----------
    core : int
        The power of two.
    rem : int
        Number of ranks outside the core.
    """

    core: int
    rem: int

    @classmethod
    def of(cls, ranks: int) -> Fold:
        """Return the fold of a number of ranks."""
        core = 1 << (ranks.bit_length() - 1)
        return cls(core, ranks - core)

    def number(self, rank: int) -> int | None:
        """Return a rank's number in the core; None if it waits outside, with the next rank as its partner."""
        if rank >= 2 * self.rem:
            return rank - self.rem
        return rank // 2 if rank % 2 else None

    def rank(self, number: int) -> int:
        """Return the rank with a number in the core."""
        return 2 * number + 1 if number < self.rem else number + self.rem

    def guest(self, rank: int) -> int | None:
        """Return the rank outside that a rank of the core represents; None if there is none."""
        return rank - 1 if rank < 2 * self.rem else None

    def members(self, number: int) -> range:
        """Return the ranks that a number of the core represents, itself last."""
        rank = self.rank(number)
        return range(rank - (number < self.rem), rank + 1)

    def masks(self) -> list[int]:
        """Return the bits of numbers of the core, the lowest first."""
        return [1 << bit for bit in range(self.core.bit_length() - 1)]
