from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.bus.registers import Registers
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, SwitchParams

CASES: dict[str, tuple[SwitchParams, dict[str, Any]]] = {
    "default": (SwitchParams(), {}),
    "wide counters, streams": (
        SwitchParams(ports=3, vcs=1, counter_width=49, buffering="static", max_packet=3),
        {"streams": 2},
    ),
    "no counters, computed": (
        SwitchParams(ports=6, routing="dimension_order", radix=(5, 8), counter_width=0, lpi=LpiParams()),
        {},
    ),
    "many ports, ternary, low-power idle": (
        SwitchParams(
            ports=33,
            vcs=3,
            tag_width=50,
            counter_width=64,
            cam=CamParams(match="ternary", entries=16),
            cache=CacheParams(entries=0),
            lpi=LpiParams(idle=7, sleep=8, wake=9),
        ),
        {"streams": 33},
    ),
    "linear, few bits": (SwitchParams(ports=2, routing="linear", table_entries=8, counter_width=8), {}),
    "adaptive": (
        SwitchParams(ports=40, vcs=4, depth=4, tag_width=33, adaptive=AdaptiveParams(escape_vcs=1), counter_width=16),
        {"streams": 40},
    ),
    "no table": (SwitchParams(ports=4, counter_width=33), {"table": False}),
    "most ports": (
        SwitchParams(ports=62, tag_width=64, vcs=16, counter_width=33, cam=CamParams(match="ternary", entries=1024)),
        {"streams": 62},
    ),
}
USUAL = ("default", "wide counters, streams", "no counters, computed", "many ports, ternary, low-power idle")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_registers(case: str) -> None:
    params, options = CASES[case]
    parameters: dict[str, Any] = {"switch": params.model_dump(), "options": options}
    bench = "cocotb_tests.bus.registers.bench"
    run_bench(Registers(params, **options), bench, case, parameters, cycles=600, by_name=True)
