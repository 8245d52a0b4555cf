import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.power.lpi import Lpi
from models.params import LpiParams, SwitchParams

CASES = {
    "no refresh": LpiParams(idle=9, sleep=4, wake=6),
    "refresh": LpiParams(idle=3, sleep=5, wake=2, refresh_interval=12, refresh=4),
    "long refresh": LpiParams(idle=2, sleep=3, wake=4, refresh_interval=300, refresh=270),
    "shortest": LpiParams(idle=1, sleep=1, wake=1, refresh_interval=1, refresh=1),
}


@pytest.mark.parametrize("case", tiered(CASES, ["refresh", "long refresh", "shortest"]))
def test_lpi(case: str) -> None:
    params = SwitchParams(lpi=CASES[case])
    bench = "cocotb_tests.unit.power.lpi.bench"
    run_bench(Lpi(CASES[case]), bench, case, {"switch": params.model_dump()}, cycles=20_000)
