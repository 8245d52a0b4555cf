import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.route_table import RouteTable
from models.params import CacheParams, CamParams, SwitchParams

CASES = {
    "smallest": (2, 1, 16, CamParams(latency=4, occupancy=1, entries=2)),
    "default": (5, 2, 16, CamParams()),
    "latency 5, wide": (62, 16, 64, CamParams(latency=5, occupancy=2, entries=256)),
    "pipelined": (5, 2, 40, CamParams(latency=30, occupancy=1, entries=64)),
    "several under way": (6, 3, 24, CamParams(latency=23, occupancy=7, entries=32)),
    "slow": (5, 2, 16, CamParams(latency=6, occupancy=40, entries=16)),
    "one entry per tag": (3, 5, 16, CamParams(latency=7, occupancy=3, entries=65536)),
}


USUAL = ("smallest", "default", "pipelined", "several under way", "one entry per tag")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_route_table(case: str) -> None:
    ports, vcs, tag_width, cam = CASES[case]
    params = SwitchParams(ports=ports, vcs=vcs, tag_width=tag_width, cache=CacheParams(entries=0), cam=cam)
    run_bench(RouteTable(params), "cocotb_tests.unit.route.route_table.bench", case, params.model_dump(), cycles=4000)
