import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.cam import Cam
from models.params import CacheParams, CamParams, SwitchParams

NO_CACHE = CacheParams(entries=0)  # the model then has nothing else to do
CASES = {
    "smallest": SwitchParams(ports=2, vcs=1, depth=1, cache=NO_CACHE, cam=CamParams(latency=4, occupancy=1, entries=2)),
    "default": SwitchParams(cache=NO_CACHE),
    "wide": SwitchParams(ports=12, vcs=16, depth=1, tag_width=64, cache=NO_CACHE, cam=CamParams(occupancy=1)),
    "many ports": SwitchParams(ports=33, vcs=1, depth=1, tag_width=24, cache=NO_CACHE, cam=CamParams(occupancy=2)),
    "eight ports": SwitchParams(ports=8, vcs=3, depth=1, tag_width=33, cache=NO_CACHE, cam=CamParams(occupancy=5)),
}


USUAL = ("smallest", "default", "many ports")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_cam(case: str) -> None:
    params = CASES[case]
    run_bench(Cam(params), "cocotb_tests.unit.route.cam.bench", case, params.model_dump(), cycles=3000)
