from pathlib import Path

import pytest

from cocotb_tests.cases.small import SMALL
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.mutation.mutant import Mutant
from cocotb_tests.mutation.mutants import one_a_bench, one_a_stage, read_mutants
from cocotb_tests.runner.report import Report
from cocotb_tests.runner.run_bench import run_bench, seed
from cocotb_tests.runner.verilog import TOP
from cocotb_tests.soak.harness import soak
from models.params import SwitchParams

ALL = read_mutants()
# `make mutants` runs all mutants, and each bench without a fault; `make test` runs the latter where the bench is, and
# one mutant per stage and one of a whole switch.
ROOT = Path(__file__).parents[2]


def _bench(mutant: Mutant, text: str, folder: Path) -> None:
    parameters, by_name = mutant.parameters or mutant.params, mutant.by_name
    run_bench(text, mutant.bench, mutant.name, parameters, 5000, top=TOP, folder=folder, by_name=by_name)


def _mismatches(mutant: Mutant, folder: Path) -> int:
    if not mutant.bench:
        case = SMALL[mutant.switch]
        text = mutant.verilog(case.params)
        return int(bool(soak(mutant.name, case, 400_000, seed(), text=text, optimise="-O0").mismatch))
    with pytest.raises(AssertionError):
        _bench(mutant, mutant.verilog(SwitchParams(**mutant.params)), folder)
    # A failure for another reason, such as a port that the bench does not know, detects nothing.
    return Report.read(folder / "report.json").mismatches


def test_every_mutant_follows_its_source() -> None:
    for mutant in ALL:
        assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1, mutant.name


@pytest.mark.parametrize("mutant", tiered(one_a_bench(ALL), []), ids=lambda mutant: mutant.name)
def test_sound_component_survives(mutant: Mutant, tmp_path: Path) -> None:
    _bench(mutant, mutant.sound(SwitchParams(**mutant.params)), tmp_path)


@pytest.mark.parametrize("mutant", tiered(ALL, one_a_stage(ALL)), ids=lambda mutant: mutant.name)
def test_mutant_is_killed(mutant: Mutant, tmp_path: Path) -> None:
    found = _mismatches(mutant, tmp_path)
    assert found, f"{mutant.file}: {mutant.old!r} replaced by {mutant.new!r} went unnoticed"
