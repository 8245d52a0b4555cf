import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.transfer.output_queue import OutputQueue
from models.params import SwitchParams

CASES = {
    "one flit": SwitchParams(output_buffer=1),
    "smallest": SwitchParams(vcs=1, data_width=16, output_buffer=1),
    "one VC, two flits": SwitchParams(vcs=1, data_width=16, output_buffer=2),
    "odd": SwitchParams(vcs=3, data_width=24, output_buffer=3),
    "four flits": SwitchParams(vcs=4, output_buffer=4),
    "many VCs": SwitchParams(vcs=16, data_width=16, output_buffer=5),
    "large": SwitchParams(vcs=2, data_width=512, output_buffer=64),
}


USUAL = ("one flit", "smallest", "odd", "four flits")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_output_queue(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.transfer.output_queue.bench"
    run_bench(OutputQueue(params), bench, case, {"switch": params.model_dump()}, cycles=20_000)


def test_a_switch_without_queues_is_refused() -> None:
    for params in (SwitchParams(), SwitchParams(speedup=2)):
        with pytest.raises(ValueError, match="OutputQueue needs"):
            OutputQueue(params)
