import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from cocotb_tests.unit.lib.logic.design import Functions


@pytest.mark.parametrize("count", tiered([1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 33], [1, 2, 3, 8, 33]))
def test_logic(count: int) -> None:
    run_bench(Functions(count), "cocotb_tests.unit.lib.logic.bench", str(count), {"count": count}, cycles=2000)
