import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.route_cache import RouteCache
from models.params import CacheParams, SwitchParams

CASES = {
    "smallest": (2, 1, 16, CacheParams(entries=1, ways=1)),
    "default": (5, 2, 16, CacheParams()),
    "direct-mapped, wide": (32, 16, 64, CacheParams(entries=16, ways=1, crc_polynomial=0x104C11DB7)),
    "fully associative, lru": (3, 2, 24, CacheParams(entries=16, ways=16)),
    "fully associative, plru": (3, 3, 33, CacheParams(entries=8, ways=8, policy="plru")),
    "fully associative, fifo": (3, 5, 16, CacheParams(entries=4, ways=4, policy="fifo")),
    "two ways, lru": (6, 4, 16, CacheParams(entries=8, ways=2, crc_polynomial=0x107)),
    "two ways, plru": (5, 2, 40, CacheParams(entries=64, ways=2, policy="plru")),
    "fifo": (4, 3, 16, CacheParams(entries=32, ways=8, policy="fifo", crc_polynomial=0x119)),
}


USUAL = ("smallest", "default", "direct-mapped, wide", "fully associative, lru", "fully associative, plru", "fifo")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_route_cache(case: str) -> None:
    ports, vcs, tag_width, cache = CASES[case]
    params = SwitchParams(ports=ports, vcs=vcs, depth=4, data_width=64, tag_width=tag_width, cache=cache)
    run_bench(RouteCache(params), "cocotb_tests.unit.route.route_cache.bench", case, params.model_dump(), cycles=4000)
