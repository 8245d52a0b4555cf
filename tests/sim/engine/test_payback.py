"""Whether a specialised loop pays is decided by the expected length of a run, and of the runs after it."""

from collections import defaultdict

import pytest

from sim.engine import payback
from sim.engine.payback import COMPILE_S, GAIN, LOOK_S, PAYS_AFTER, Payback, expect_runs

KIND = ("switch",)
SAVED = 1 - 1 / GAIN  # share of the generic loop's time


@pytest.fixture(autouse=True)
def nothing_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run before, none to come."""
    monkeypatch.setattr(payback, "_spent", defaultdict(float))
    monkeypatch.setattr(payback, "_more_runs", [0])


def _run(seconds: float, cycles: int, end: int) -> Payback:
    """Return the estimate of a run that took `seconds` for its first cycles."""
    found = Payback(KIND)
    found.expect(end)
    found.spend(seconds, cycles)
    return found


@pytest.mark.parametrize(("factor", "pays"), [(0.9, False), (1.1, True)])
def test_a_long_run_is_known_after_a_moment(factor: float, pays: bool) -> None:
    """The time that is left decides, long before that much has been spent."""
    cycles = 1000
    end = cycles + round(cycles * factor * COMPILE_S / SAVED / LOOK_S)
    assert LOOK_S < PAYS_AFTER / 10
    assert _run(LOOK_S, cycles, end).pays(cycles) == pays


def test_a_moment_is_needed_to_know_the_speed() -> None:
    assert not _run(LOOK_S / 2, 10, 10**9).pays(10)


def test_near_its_end_a_long_run_gains_nothing() -> None:
    assert not _run(PAYS_AFTER / 2, 10**6, 10**6 + 10**4).pays(10**6)


def test_runs_of_a_sweep_count_together() -> None:
    """One point alone does not pay; twenty do."""
    cycles = 1000
    end = round(cycles * 0.2 * COMPILE_S / SAVED / LOOK_S)
    run = _run(LOOK_S, cycles, end)
    assert not run.pays(cycles)
    expect_runs(19)
    assert run.pays(cycles)
    expect_runs(0)
    assert not run.pays(cycles)


def test_without_an_estimate_what_was_spent_decides() -> None:
    """In the message layer, whose end is unknown; networks of the kind count together."""
    found = Payback(KIND)
    found.spend(PAYS_AFTER * 0.6, 1000)
    assert not found.pays(1000)
    found = Payback(KIND)
    found.spend(PAYS_AFTER * 0.6, 1000)
    assert found.pays(1000)
    assert not Payback(("other",)).pays(0)


def test_what_does_not_compile_is_not_tried_again() -> None:
    run = _run(LOOK_S, 1000, 10**9)
    assert run.pays(1000)
    run.give_up()
    assert not run.pays(1000)
    assert not Payback(KIND).pays(0)
