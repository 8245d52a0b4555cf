import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl import formats
from hdl.route.route_queue import RouteQueue
from models.params import SwitchParams

CASES = {
    "smallest": SwitchParams(ports=2, vcs=1, depth=1, u_turn=True),
    "default": SwitchParams(),
    "one VC, deep": SwitchParams(vcs=1, depth=77),
    "many VCs of one flit": SwitchParams(ports=62, vcs=16, depth=1),
    "no power of two": SwitchParams(ports=6, vcs=3, depth=5, u_turn=True),
    "computed": SwitchParams(routing="dimension_order", radix=(4, 4)),
    "computed, no power of two": SwitchParams(
        ports=7, vcs=5, depth=3, routing="dimension_order", radix=(5, 4, 3), wrap=True
    ),
    "computed, deep": SwitchParams(vcs=2, depth=40, routing="dimension_order", radix=(4, 4)),
    "computed, smallest": SwitchParams(ports=3, vcs=1, depth=1, routing="dimension_order", radix=(2,)),
}


USUAL = ("smallest", "default", "one VC, deep", "many VCs of one flit", "no power of two", "computed", "computed, deep")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_route_queue(case: str) -> None:
    params = CASES[case]
    queue = RouteQueue(params, formats.route_or_drop(params))
    run_bench(queue, "cocotb_tests.unit.route.route_queue.bench", case, params.model_dump(), cycles=3000)
