import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.buffer.vc_buffer import VcBuffer
from models.params import SwitchParams

CASES = {
    "default": SwitchParams(),
    "two flits in all": SwitchParams(vcs=2, depth=1),
    "one VC": SwitchParams(vcs=1, depth=13),
    "odd": SwitchParams(vcs=3, depth=5),
    "narrow, deep": SwitchParams(vcs=4, data_width=8, depth=33),
    "more than 128 flits": SwitchParams(vcs=2, data_width=8, depth=200),
    "static": SwitchParams(vcs=3, depth=7, buffering="static", max_packet=6),
    "wide, many": SwitchParams(vcs=16, data_width=512, depth=2),
}


USUAL = ("default", "two flits in all", "one VC", "odd", "more than 128 flits", "static")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_vc_buffer(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.buffer.vc_buffer.bench"
    run_bench(VcBuffer(params), bench, case, {"switch": params.model_dump()}, cycles=4000)
