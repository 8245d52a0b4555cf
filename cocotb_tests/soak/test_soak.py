import pytest

from cocotb_tests.cases import CASES
from cocotb_tests.report import REPORTS, Report
from cocotb_tests.runner import seed
from cocotb_tests.soak.harness import soak

CYCLES = 100_000


@pytest.mark.parametrize("name", CASES)
def test_soak(name: str) -> None:
    result = soak(name, CASES[name], CYCLES, seed(), optimise="-O0")
    report = Report("soak", name, result.seed, result.cycles, int(bool(result.mismatch)), 1, failed=result.mismatch)
    report.build_s, report.run_s = result.build_s, result.model_s + result.rtl_s + result.compare_s
    folder = REPORTS / "soak" / name
    folder.mkdir(parents=True, exist_ok=True)
    report.write(folder)
    assert not result.mismatch, f"{name}, TSUJI_SEED={result.seed}: {result.mismatch}"
    assert result.cycles == CYCLES
    assert result.flits_out > 1000
