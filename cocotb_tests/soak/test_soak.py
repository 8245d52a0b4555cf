import pytest

from cocotb_tests.cases.covering.array import covering_cases
from cocotb_tests.cases.small import SMALL
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.report import REPORTS, Report
from cocotb_tests.runner.run_bench import seed
from cocotb_tests.soak import harness
from cocotb_tests.soak.exercise import ENOUGH, missed
from cocotb_tests.soak.harness import soak
from cocotb_tests.soak.stimulus import Stimulus
from models.params import SwitchParams

# The small switches are those on which mutants are tested; the first switch of the covering array covers most pairs.
# `make soak` runs the whole array, and the switches of the other benches.
HANDFUL = SMALL | dict(list(covering_cases().items())[:1])
USUAL = {
    "small table",
    "small ternary",
    "small cut-through",
    "small static",
    "small batched",
    "small speed-up, predicted",
    "small output queues",
    "small output queues, predicted",
    "small node_ports, computed",
    "small adaptive",
    "small exchanger",
    "small node_ports",
    "small stage delay",
    "small exchanger that reserves",
    "small crossbar that reserves",
    "small low-power idle",
    "small wake hints",
    "small predicted, cached",
    "small rings beside lines",
    "small HyperX",
    "small dragonfly",
    "small fat tree",
    "cover 1",
}


@pytest.mark.parametrize("name", tiered(HANDFUL, USUAL))
def test_soak(name: str) -> None:
    case = HANDFUL[name]
    result = soak(name, case, ENOUGH, seed(), optimise="-O0")
    report = Report("soak", name, result.seed, result.cycles, int(bool(result.mismatch)), 1, failed=result.mismatch)
    report.build_s, report.run_s = result.build_s, result.model_s + result.rtl_s + result.compare_s
    folder = REPORTS / "soak" / name
    folder.mkdir(parents=True, exist_ok=True)
    report.write(folder)
    assert not result.mismatch, f"{name}, TSUJI_SEED={result.seed}: {result.mismatch}"
    assert result.cycles == ENOUGH
    assert not missed(case.params, result.counts)


def test_a_form_of_the_model_that_differs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a batch, the model gets the stimulus of another seed."""

    def other(params: SwitchParams, seed: int, *, position: tuple[int, ...], batched: bool = True) -> Stimulus:
        return Stimulus(params, seed + batched, position=position, batched=batched)

    monkeypatch.setattr(harness, "Stimulus", other)
    result = soak("small batched", SMALL["small batched"], 100, seed(), optimise="-O0")
    assert "in a batch, the model does something else in cycle" in result.mismatch
    assert result.cycles < 100
