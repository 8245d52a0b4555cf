import pytest
from amaranth.lib.data import StructLayout

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.lib.delay import DelayLine

CASES = [(0, 8), (1, 1), (2, 65), (3, 16), (4, 16), (5, 7), (33, 130), (100, 8)]


@pytest.mark.parametrize(("cycles", "width"), tiered(CASES, [(0, 8), (1, 1), (2, 65), (3, 16), (33, 130), (100, 8)]))
def test_delay(cycles: int, width: int) -> None:
    design = DelayLine(StructLayout({"low": 1, "rest": width - 1}), cycles)
    parameters = {"cycles": cycles, "width": width}
    run_bench(design, "cocotb_tests.unit.lib.delay.bench", f"{cycles} cycles, {width} bits", parameters, cycles=3000)
