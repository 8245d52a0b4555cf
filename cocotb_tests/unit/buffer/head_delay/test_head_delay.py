import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.buffer.head_delay import HeadDelay
from models.params import SwitchParams


@pytest.mark.parametrize("cycles", tiered([1, 2, 3, 7, 63], [1, 3, 63]))
def test_head_delay(cycles: int) -> None:
    parameters = {"switch": SwitchParams(head_delay=cycles).model_dump()}
    bench = "cocotb_tests.unit.buffer.head_delay.bench"
    run_bench(HeadDelay(cycles), bench, f"{cycles} cycles", parameters, cycles=1000 + 200 * cycles)
