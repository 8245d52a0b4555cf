import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.linear_table import LinearTable
from models.params import AdaptiveParams, SwitchParams

CASES = {
    "smallest": SwitchParams(ports=2, vcs=1, routing="linear", table_entries=2),
    "default": SwitchParams(routing="linear", table_entries=64),
    "wide": SwitchParams(ports=62, vcs=16, tag_width=64, routing="linear", table_entries=1024),
    "an entry for every tag": SwitchParams(vcs=3, routing="linear", table_entries=65536),
    "adaptive": SwitchParams(vcs=3, routing="linear", table_entries=16, adaptive=AdaptiveParams(escape_vcs=1)),
}


USUAL = ("smallest", "default", "wide", "an entry for every tag", "adaptive")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_linear_table(case: str) -> None:
    params = CASES[case]
    run_bench(LinearTable(params), "cocotb_tests.unit.route.linear_table.bench", case, params.model_dump(), cycles=4000)
