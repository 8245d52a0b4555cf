import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.allocate.vc_allocator import VcAllocator
from models.params import SwitchParams


@pytest.mark.parametrize("vcs", tiered([1, 2, 3, 5, 11, 16], [1, 2, 5, 16]))
def test_vc_allocator(vcs: int) -> None:
    params = SwitchParams(vcs=vcs)
    bench = "cocotb_tests.unit.allocate.vc_allocator.bench"
    run_bench(VcAllocator(params), bench, f"{vcs} VCs", {"switch": params.model_dump()}, cycles=2000)
