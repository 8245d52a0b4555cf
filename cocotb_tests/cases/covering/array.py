"""Construction of the covering array: greedy (AETG; Cohen et al., 1997), one switch at a time, with most new pairs."""

from __future__ import annotations

import random
from functools import cache

from pydantic import ValidationError

from cocotb_tests.cases.covering.factors import FACTORS, FORBIDDEN, case_of
from cocotb_tests.cases.shared import Case
from models.errors import TsujiError

CANDIDATES = 40  # rows tried for each switch
SEED = 2
UNUSED = -1  # instead of a level: the factor has no effect in this switch

Row = dict[int, int]  # from factor to level, both as numbers


@cache
def covering_array() -> dict[str, dict[str, str]]:
    """Return the levels of each switch, by name of the switch; factors without effect in it are left out."""
    rows = _Search().rows()
    return {f"cover {number}": levels for number, levels in enumerate(rows, 1)}


@cache
def covering_cases() -> dict[str, Case]:
    """Return the switches of the covering array by name; earlier ones cover more new pairs."""
    return {name: case_of(levels) for name, levels in covering_array().items()}


class _Search:
    """The levels of all factors, numbered, and the pairs not covered yet; sets of levels are masks."""

    def __init__(self) -> None:
        self.levels = [(number, name) for number, factor in enumerate(FACTORS) for name in factor.levels]
        self.numbers = {(FACTORS[factor].name, name): level for level, (factor, name) in enumerate(self.levels)}
        self.own = [[level for level, (of, _) in enumerate(self.levels) if of == f] for f in range(len(FACTORS))]
        names = [factor.name for factor in FACTORS]
        # For each factor that is not always used: the factor on which its use depends, and that factor's levels.
        self.needs: dict[int, tuple[int, list[int]]] = {}
        for number, factor in enumerate(FACTORS):
            if factor.used_with:
                other, levels = factor.used_with
                self.needs[number] = names.index(other), [self.numbers[other, level] for level in levels]
        self.clash = self._clashes()
        everything = (1 << len(self.levels)) - 1
        self.uncovered = [
            everything & ~clash & ~_mask(self.own[factor])
            for clash, (factor, _) in zip(self.clash, self.levels, strict=True)
        ]
        # Python's own generator, which gives the same numbers in all versions.
        self.random = random.Random(SEED)

    def _clashes(self) -> list[int]:
        """Return, per level, the levels that cannot occur with it: refused, or one factor is unused with the other."""
        clash = [0] * len(self.levels)
        for rule in FORBIDDEN:
            for first in rule.of_first:
                for second in rule.of_second:
                    _link(clash, self.numbers[rule.first, first], self.numbers[rule.second, second])
        # A factor comes after the one on which its use depends, so that chains are followed.
        for factor, (other, needed) in self.needs.items():
            beside = _mask(self.own[other]) & ~_mask(needed)
            shared = -1
            for level in needed:
                shared &= clash[level]
            for excluded in range(len(self.levels)):
                if (beside | shared) >> excluded & 1:
                    for level in self.own[factor]:
                        _link(clash, level, excluded)
        while self._propagate(clash):
            pass
        return clash

    def _propagate(self, clash: list[int]) -> bool:
        """Add pairs with which an always used factor has no level left; return whether there were any."""
        always = [_mask(own) for factor, own in enumerate(self.own) if factor not in self.needs]
        found = False
        for first in range(len(self.levels)):
            for second in range(first):
                together = clash[first] | clash[second]
                if not clash[first] >> second & 1 and any(not own & ~together for own in always):
                    _link(clash, first, second)
                    found = True
        return found

    def rows(self) -> list[dict[str, str]]:
        """Return the levels of each switch, by factor.

        Raises
        ------
        TsujiError
            If a pair occurs in no switch although it is not listed as forbidden.
        """
        found = []
        while any(self.uncovered):
            seed = self._seed()
            # Pairs refused only in larger combinations stay uncovered, and so attract the greedy search.
            rows = self._candidates(seed, greedy=True) or self._candidates(seed, greedy=False)
            if not rows:
                pair = " with ".join(f"{FACTORS[self.levels[n][0]].name} = {self.levels[n][1]}" for n in seed)
                raise TsujiError(f"covering array: {pair}: in no switch that is allowed; list it in FORBIDDEN")
            row = max(rows, key=self._gain)
            used = _used(row)
            for level in row.values():
                if level != UNUSED:
                    self.uncovered[level] &= ~used
            found.append({FACTORS[f].name: self.levels[row[f]][1] for f in sorted(row) if row[f] != UNUSED})
        return found

    def _seed(self) -> tuple[int, int]:
        """Return an uncovered pair: the level with most uncovered pairs, with the partner that has most."""
        left = [others.bit_count() for others in self.uncovered]
        first = left.index(max(left))
        beside = [level for level in range(len(left)) if self.uncovered[first] >> level & 1]
        return first, max(beside, key=left.__getitem__)

    def _gain(self, row: Row) -> int:
        used = _used(row)
        return sum((self.uncovered[level] & used).bit_count() for level in row.values() if level != UNUSED)

    def _candidates(self, seed: tuple[int, int], *, greedy: bool) -> list[Row]:
        return [row for row in (self._row(seed, greedy) for _ in range(CANDIDATES)) if row]

    def _row(self, seed: tuple[int, int], greedy: bool) -> Row | None:
        """Return a switch with the pair `seed`; other factors, in random order, take the best or a random level."""
        row = {self.levels[level][0]: level for level in seed}
        rest = [factor for factor in range(len(FACTORS)) if factor not in row]
        self.random.shuffle(rest)
        order: list[int] = []
        for factor in rest:
            self._append(factor, order, row)
        return row if self._complete(row, order, greedy) and self._allowed(row) else None

    def _append(self, factor: int, order: list[int], row: Row) -> None:
        """Append a factor to `order`, after the factor on which its use depends."""
        if factor in order or factor in row:
            return
        if factor in self.needs:
            self._append(self.needs[factor][0], order, row)
        order.append(factor)

    def _complete(self, row: Row, order: list[int], greedy: bool) -> bool:
        """Add the factors of `order` to `row`; return whether each has a level that is allowed with all others."""
        if not order:
            return True
        factor, rest = order[0], order[1:]
        used = _used(row)
        choices = self._choices(row, factor, used)
        self.random.shuffle(choices)
        if greedy:
            choices.sort(key=lambda level: -(self.uncovered[level] & used).bit_count())
        for level in choices:
            row[factor] = level
            beside = used if level == UNUSED else used | 1 << level
            if all(self._choices(row, later, beside) for later in rest) and self._complete(row, rest, greedy):
                return True
        row.pop(factor, None)
        return False

    def _choices(self, row: Row, factor: int, used: int) -> list[int]:
        """Return the levels that a factor may take with those chosen, whose mask is `used`."""
        free = [level for level in self.own[factor] if not self.clash[level] & used]
        if factor in self.needs:
            other, needed = self.needs[factor]
            if other not in row:
                return [*free, UNUSED]
            if row[other] not in needed:
                return [UNUSED]
        return free

    def _allowed(self, row: Row) -> bool:
        """Return whether `SwitchParams` accepts a switch, as it may refuse combinations of more than two levels."""
        try:
            case_of({FACTORS[f].name: self.levels[level][1] for f, level in row.items() if level != UNUSED})
        except ValidationError:
            return False
        return True


def _mask(levels: list[int]) -> int:
    return sum(1 << level for level in levels)


def _used(row: Row) -> int:
    return _mask([level for level in row.values() if level != UNUSED])


def _link(clash: list[int], first: int, second: int) -> None:
    clash[first] |= 1 << second
    clash[second] |= 1 << first
