import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.transfer.link import Link
from models.params import LinkParams, SwitchParams

CASES = {
    "wire": (SwitchParams(), LinkParams(latency=0)),
    "default": (SwitchParams(), LinkParams(latency=1)),
    "registers": (SwitchParams(vcs=1, depth=1), LinkParams(latency=3)),
    "smallest memory": (SwitchParams(vcs=4, data_width=8, depth=2), LinkParams(latency=4)),
    "wide, long": (SwitchParams(vcs=16, data_width=512, depth=8), LinkParams(latency=25)),
    "credits sooner": (SwitchParams(), LinkParams(latency=1, credit_latency=0)),
    "credits later": (SwitchParams(vcs=4), LinkParams(latency=0, credit_latency=6)),
}


USUAL = ("wire", "default", "registers", "smallest memory", "credits sooner", "credits later")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_link(case: str) -> None:
    switch, link = CASES[case]
    parameters = {"switch": switch.model_dump(), "link": link.model_dump()}
    run_bench(Link(switch, link), "cocotb_tests.unit.transfer.link.bench", case, parameters, cycles=5000)
