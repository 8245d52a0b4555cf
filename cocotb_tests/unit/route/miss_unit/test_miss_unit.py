import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.miss_unit import MissUnit
from models.params import CacheParams, SwitchParams

NO_CACHE = CacheParams(entries=0)
CACHE = CacheParams(entries=2, ways=2)  # for the miss unit only its existence matters
CASES = {
    "smallest": SwitchParams(ports=2, vcs=1, depth=1, cache=CACHE),
    "smallest, no cache": SwitchParams(ports=2, vcs=1, depth=1, cache=NO_CACHE),
    "default": SwitchParams(cache=CACHE),
    "default, no cache": SwitchParams(cache=NO_CACHE),
    "no power of two": SwitchParams(ports=7, vcs=3, depth=5, tag_width=24, cache=CACHE),
    "no power of two, no cache": SwitchParams(ports=6, vcs=5, depth=3, u_turn=True, cache=NO_CACHE),
    "wide": SwitchParams(ports=32, vcs=16, depth=4, tag_width=64, cache=CACHE),
}


USUAL = ("smallest", "default", "default, no cache", "no power of two")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_miss_unit(case: str) -> None:
    params = CASES[case]
    run_bench(MissUnit(params), "cocotb_tests.unit.route.miss_unit.bench", case, params.model_dump(), cycles=4000)
