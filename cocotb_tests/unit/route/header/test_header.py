import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.header import Header
from models.params import SwitchParams

CASES = {
    "smallest": SwitchParams(ports=2, vcs=1, data_width=16, depth=1),
    "default": SwitchParams(),
    "wide": SwitchParams(vcs=16, data_width=512, tag_width=64),
    "narrow, 8 flits": SwitchParams(vcs=3, data_width=8, depth=8, tag_width=64),
    "narrow, 3 flits, last in part": SwitchParams(vcs=5, data_width=24, depth=3, tag_width=64),
    "narrow, 2 flits, one VC": SwitchParams(vcs=1, data_width=8, depth=4, tag_width=16),
}


USUAL = ("smallest", "default", "narrow, 8 flits", "narrow, 3 flits, last in part")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_header(case: str) -> None:
    params = CASES[case]
    run_bench(Header(params), "cocotb_tests.unit.route.header.bench", case, params.model_dump(), cycles=4000)
