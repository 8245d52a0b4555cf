import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.ternary_table import TernaryTable
from models.params import AdaptiveParams, CacheParams, CamParams, SwitchParams
from models.params.parts import LEAST_TERNARY_LATENCY

CASES = {
    "smallest": (2, 1, 16, CamParams(latency=LEAST_TERNARY_LATENCY, occupancy=1, entries=2, match="ternary")),
    "default latency": (5, 2, 16, CamParams(entries=32, match="ternary")),
    "latency 7, wide": (62, 16, 64, CamParams(latency=7, occupancy=2, entries=16, match="ternary")),
    "pipelined": (5, 2, 40, CamParams(latency=30, occupancy=1, entries=64, match="ternary")),
    "several under way": (6, 3, 24, CamParams(latency=23, occupancy=7, entries=32, match="ternary")),
    "slow": (5, 2, 16, CamParams(latency=6, occupancy=40, entries=16, match="ternary")),
    "many entries": (3, 5, 16, CamParams(latency=7, occupancy=3, entries=256, match="ternary")),
}
USUAL = ("smallest", "default latency", "latency 7, wide", "pipelined", "slow")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_ternary_table(case: str) -> None:
    ports, vcs, tag_width, cam = CASES[case]
    # Routes with choices are wider; switches of more ports than a route's word has bits for have none.
    adaptive = AdaptiveParams(escape_vcs=1) if vcs == 2 else None
    params = SwitchParams(
        ports=ports, vcs=vcs, tag_width=tag_width, cache=CacheParams(entries=0), cam=cam, adaptive=adaptive
    )
    run_bench(TernaryTable(params), "cocotb_tests.unit.route.ternary_table.bench", case, params.model_dump(), 4000)


def test_only_of_a_ternary_cam() -> None:
    with pytest.raises(ValueError, match="ternary"):
        TernaryTable(SwitchParams())
