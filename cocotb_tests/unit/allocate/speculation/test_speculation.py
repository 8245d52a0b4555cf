import pytest

from cocotb_tests.runner.run_bench import run_bench
from hdl.allocate.speculation import Speculation
from models.params import SwitchParams


@pytest.mark.parametrize("vcs", [1, 2, 3, 9])
def test_speculation(vcs: int) -> None:
    params = SwitchParams(vcs=vcs, allocator="output_first", vc_stage=True, speculation="equal")
    bench = "cocotb_tests.unit.allocate.speculation.bench"
    run_bench(Speculation(params), bench, f"{vcs} VCs", {"switch": params.model_dump()}, cycles=1000)
