import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.counters import Counters
from models.params import SwitchParams

CASES = {
    "default": SwitchParams(),
    "smallest": SwitchParams(ports=2, counter_width=8),
    "power of two": SwitchParams(ports=8, counter_width=64),
    "odd": SwitchParams(ports=3, counter_width=17),
}


USUAL = ("default", "smallest", "odd")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_counters(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.counters.bench"
    run_bench(Counters(params), bench, case, {"switch": params.model_dump()}, cycles=4000)
