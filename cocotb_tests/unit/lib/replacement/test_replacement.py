import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from cocotb_tests.unit.lib.replacement.design import OneSet
from models.params import CacheParams


@pytest.mark.parametrize("policy", ["lru", "plru", "fifo"])
@pytest.mark.parametrize("ways", tiered([2, 4, 8, 16], [2, 16]))
def test_replacement(policy: str, ways: int) -> None:
    params = CacheParams.model_validate({"entries": ways, "ways": ways, "policy": policy})
    case = f"{policy} of {ways}"
    bench = "cocotb_tests.unit.lib.replacement.bench"
    run_bench(OneSet(params), bench, case, {"cache": params.model_dump()}, cycles=3000)
