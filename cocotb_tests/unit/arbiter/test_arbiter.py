import pytest

from cocotb_tests.runner import run_bench
from hdl.arbiter import arbiter


@pytest.mark.parametrize("kind", ["round_robin", "matrix"])
@pytest.mark.parametrize("count", [1, 2, 5, 8, 9, 16])
def test_arbiter(kind: str, count: int) -> None:
    parameters = {"kind": kind, "count": count}
    run_bench(arbiter(kind, count), "cocotb_tests.unit.arbiter.bench", f"{kind} of {count}", parameters, cycles=3000)
