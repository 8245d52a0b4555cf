import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.allocate.switch_allocator import SwitchAllocator
from models.params import PredictionParams, SwitchParams

CASES = {
    "default": SwitchParams(),
    "smallest": SwitchParams(ports=2, vcs=1, depth=1, u_turn=True),
    "one input per output": SwitchParams(ports=2, vcs=2),
    "matrix": SwitchParams(vcs=3, arbiter="matrix"),
    "no hold": SwitchParams(vcs=4, hold_packets=False),
    "matrix, no hold, u-turns": SwitchParams(ports=3, vcs=3, arbiter="matrix", hold_packets=False, u_turn=True),
    "large, u-turns": SwitchParams(ports=9, vcs=6, u_turn=True),
    "predicted": SwitchParams(vcs=3, prediction=PredictionParams()),
    "predicted, no hold": SwitchParams(ports=4, hold_packets=False, arbiter="matrix", prediction=PredictionParams()),
}


USUAL = ("default", "smallest", "matrix, no hold, u-turns", "large, u-turns", "predicted", "predicted, no hold")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_switch_allocator(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.allocate.switch_allocator.bench"
    run_bench(SwitchAllocator(params), bench, case, {"switch": params.model_dump()}, cycles=3000)
