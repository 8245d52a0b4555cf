"""Functional coverage: events that a bench must have seen for its result to mean anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def never_hit(bins: Mapping[str, int]) -> list[str]:
    """Return the names of bins that were not hit; `bins` has the number of hits of each."""
    return [name for name, count in bins.items() if not count]


class Coverage:
    """Hit counts of named bins; the runner fails a bench that leaves a required bin empty."""

    def __init__(self) -> None:
        self.bins: dict[str, int] = {}

    def require(self, names: Iterable[str]) -> None:
        """Require bins to be hit at least once by all tests of this bench together."""
        for name in names:
            self.bins.setdefault(name, 0)

    def missed(self) -> list[str]:
        """Return the required bins that were not hit."""
        return never_hit(self.bins)

    def hit(self, name: str, happened: object = True) -> None:
        """Count a hit of bin `name` if `happened` is true (not 0, not empty).

        Raises
        ------
        KeyError
            If the bin is not required: a misspelt name would hide an empty bin.
        """
        if name not in self.bins:
            raise KeyError(f"{name}: require this bin first; there are {', '.join(self.bins)}")
        self.bins[name] += bool(happened)
