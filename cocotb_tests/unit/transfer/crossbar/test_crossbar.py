import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.transfer.crossbar import Crossbar
from models.params import SwitchParams

CASES = {
    "default": SwitchParams(),
    "smallest": SwitchParams(ports=2, vcs=1, depth=1),
    "wide, u-turns": SwitchParams(ports=8, vcs=3, data_width=512, u_turn=True),
    "eighteen inputs per output": SwitchParams(ports=18, vcs=2, data_width=8, u_turn=True),
    "narrow": SwitchParams(ports=9, vcs=16, data_width=8, depth=2),
}


USUAL = ("default", "smallest", "eighteen inputs per output")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_crossbar(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.transfer.crossbar.bench"
    run_bench(Crossbar(params), bench, case, {"switch": params.model_dump()}, cycles=2000)
