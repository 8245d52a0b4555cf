import pytest

from cocotb_tests.cases.shared import CASES as SWITCHES
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.route_unit import RouteUnit
from models.params import AdaptiveParams, CacheParams, SwitchParams

SHARED = ["default", "smallest", "no cache", "wide", "narrow", "direct-mapped", "fully associative", "mesh", "torus"]
SHARED += ["adaptive", "crossbar"]
CASES = {name: SWITCHES[name].params for name in SHARED} | {
    "no cache, narrow": SwitchParams(
        ports=6, vcs=3, data_width=8, depth=5, tag_width=24, u_turn=True, cache=CacheParams(entries=0)
    ),
    "adaptive, cached": SwitchParams(vcs=3, data_width=16, adaptive=AdaptiveParams(escape_vcs=2)),
    "by steps": SwitchParams(ports=4, vcs=3, network_ports=3, adaptive=AdaptiveParams(kind="step")),
    "exchanger": SwitchParams(
        ports=5,
        vcs=3,
        routing="hyper_crossbar",
        radix=(4, 3, 6),
        adaptive=AdaptiveParams(kind="step", lookahead=True),
    ),
    "node_ports": SwitchParams(
        ports=8, data_width=16, cache=CacheParams(entries=8, ways=2), node_ports=3, network_ports=2, u_turn=True
    ),
    "linear": SwitchParams(ports=6, vcs=3, data_width=16, routing="linear", table_entries=32),
    "linear, u-turns, adaptive": SwitchParams(
        ports=5,
        vcs=5,
        data_width=8,
        tag_width=24,
        u_turn=True,
        routing="linear",
        table_entries=64,
        adaptive=AdaptiveParams(escape_vcs=2),
    ),
    "node_ports, computed": SwitchParams(ports=8, routing="dimension_order", radix=(5, 4), node_ports=2),
    "torus, narrow": SwitchParams(
        ports=7, vcs=5, data_width=8, depth=3, tag_width=24, routing="dimension_order", radix=(5, 6), wrap=True
    ),
    "torus, fixed classes": SwitchParams(
        ports=7, vcs=5, tag_width=24, routing="dimension_order", radix=(5, 6, 3), wrap=True, ring_classes="fixed"
    ),
    "torus, fixed classes, u-turns": SwitchParams(
        ports=6,
        vcs=2,
        data_width=8,
        routing="dimension_order",
        radix=(4, 3),
        wrap=True,
        ring_classes="fixed",
        u_turn=True,
    ),
}
PORT = 1


USUAL = (
    "default",
    "smallest",
    "no cache",
    "narrow",
    "torus",
    "adaptive",
    "crossbar",
    "adaptive, cached",
    "by steps",
    "exchanger",
    "node_ports",
    "linear, u-turns, adaptive",
    "torus, fixed classes, u-turns",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_route_unit(case: str) -> None:
    params = CASES[case]
    parameters = {"switch": params.model_dump(), "port": PORT}
    cycles = 3000 + 1000 * params.header_flits  # longer headers need more cycles
    run_bench(RouteUnit(params, PORT), "cocotb_tests.unit.route.route_unit.bench", case, parameters, cycles)
