"""Every allowed pair of levels is in a switch of the covering array, and `SwitchParams` accepts all its switches."""

from functools import cache
from itertools import combinations, product

import pytest
from pydantic import ValidationError

from cocotb_tests.cases.covering import array
from cocotb_tests.cases.covering.array import covering_array, covering_cases
from cocotb_tests.cases.covering.factors import FACTORS, FORBIDDEN, Factor, Forbidden, case_of
from cocotb_tests.cases.shared import position_word
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.verilog import switch_verilog
from models.errors import TsujiError

BY_NAME = {factor.name: factor for factor in FACTORS}
DEPENDENT = [factor for factor in FACTORS if factor.used_with]

Setting = tuple[str, str]  # factor, level


def _refused(first: Setting, second: Setting) -> bool:
    """Return whether a pair is listed in `FORBIDDEN`."""
    pair = {first, second}
    return any(
        pair == {(rule.first, x), (rule.second, y)} for rule in FORBIDDEN for x in rule.of_first for y in rule.of_second
    )


@cache
def _excluded(first: Setting, second: Setting) -> bool:
    """Return whether the lists exclude a pair: it is refused, or one factor has no effect with the other's level."""
    if first[0] == second[0]:
        return first[1] != second[1]
    if _refused(first, second):
        return True
    return any(
        all(_excluded((needed[0], level), other) for level in needed[1])
        for needed, other in ((BY_NAME[first[0]].used_with, second), (BY_NAME[second[0]].used_with, first))
        if needed
    )


def _completed(first: Setting, second: Setting, allowed: set[tuple[Setting, Setting]]) -> bool:
    """Return whether every always used factor has a level that is allowed with both."""
    return all(
        any(
            all((item, each) in allowed or (each, item) in allowed for each in (first, second))
            for item in ((factor.name, level) for level in factor.levels)
        )
        for factor in FACTORS
        if not factor.used_with and factor.name not in (first[0], second[0])
    )


def test_every_allowed_pair_is_in_a_switch() -> None:
    rows = covering_array().values()
    covered = {pair for row in rows for pair in combinations(row.items(), 2)}
    pairs = {
        (x, y)
        for first, second in combinations(FACTORS, 2)
        for x, y in product(((first.name, a) for a in first.levels), ((second.name, b) for b in second.levels))
    }
    allowed = {pair for pair in pairs if not _excluded(*pair)}
    while strange := {pair for pair in allowed if not _completed(*pair, allowed)}:
        allowed -= strange
    assert covered == allowed
    assert len(allowed) > 1500


def test_at_least_forty_switches_all_different() -> None:
    cases = covering_cases()
    assert len(cases) >= 40
    assert len(set(cases.values())) == len(cases)
    assert set(cases) == set(covering_array())


def test_every_level_is_what_it_says() -> None:
    for name, row in covering_array().items():
        case = covering_cases()[name]
        for factor, level in row.items():
            for key, value in BY_NAME[factor].levels[level].items():
                found: object = case if key == "position" else case.params
                for part in key.split("."):
                    found = getattr(found, part)
                assert found == value, f"{name}: {factor} = {level}"
        assert len(case.position) == (len(case.params.radix) if case.params.crossbar is None else 0)
        assert position_word(case) < 1 << case.params.address_bits or not case.position


def _only_wrong(rule: Forbidden, first: str, second: str) -> list[dict[str, str]]:
    """Return switches in which a forbidden pair is the only one: those of the array, changed where necessary."""
    pair = {rule.first: first, rule.second: second}
    found = []
    for row in covering_array().values():
        settings = row | pair
        rest = [name for name in settings if name not in pair]
        if any(_excluded((a, settings[a]), (b, settings[b])) for a, b in combinations(rest, 2)):
            continue
        if any(_excluded((name, settings[name]), item) for name in rest for item in pair.items()):
            continue
        found.append(settings)
    return found


@pytest.mark.parametrize("rule", FORBIDDEN, ids=lambda rule: f"{rule.first}, {rule.second}: {rule.reason}")
def test_what_is_forbidden_is_refused(rule: Forbidden) -> None:
    for first, second in product(rule.of_first, rule.of_second):
        hosts = _only_wrong(rule, first, second)
        assert hosts
        for settings in hosts:
            with pytest.raises(ValidationError):
                case_of(settings)


@pytest.mark.parametrize("factor", tiered(DEPENDENT, DEPENDENT[:2]), ids=lambda factor: factor.name)
def test_what_is_not_used_changes_nothing(factor: Factor) -> None:
    assert factor.used_with
    other, levels = factor.used_with
    used = [row for row in covering_array().values() if factor.name in row]
    unused = [row for row in covering_array().values() if row.get(other, levels[0]) not in levels]
    assert not any(factor.name in row for row in unused)
    for rows, changes in ((unused, False), (used, True)):
        smallest = min(rows, key=lambda row: int(row["ports"]))
        leaning = {other.name for other in DEPENDENT if other.used_with and other.used_with[0] == factor.name}
        rest = {name: level for name, level in smallest.items() if name not in leaning | {factor.name}}
        possible = [
            level
            for level in factor.levels
            if not changes or not any(_excluded((factor.name, level), item) for item in rest.items())
        ]
        texts = (switch_verilog(case_of(rest | {factor.name: level}).params) for level in possible)
        first = next(texts)
        assert any(text != first for text in texts) == changes


def test_the_same_array_every_time() -> None:
    assert covering_array.__wrapped__() == covering_array()


def test_a_pair_that_is_refused_must_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = tuple(rule for rule in FORBIDDEN if (rule.first, rule.second) != ("vcs", "routing"))
    monkeypatch.setattr(array, "FORBIDDEN", listed)
    with pytest.raises(TsujiError, match=r"vcs = 1 with|with vcs = 1: .* list it in FORBIDDEN"):
        covering_array.__wrapped__()
