import pytest

from cocotb_tests.cases.shared import CASES, Case
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.predict.bypass import Bypass
from models.params import CacheParams, CamParams, PredictionParams, SwitchParams

SMALL = SwitchParams(
    ports=2,
    u_turn=True,
    hold_packets=False,
    cache=CacheParams(entries=16, ways=2),
    cam=CamParams(latency=4, occupancy=1, entries=16),
    prediction=PredictionParams(kind="latest"),
)
MESH = SwitchParams(
    vcs=3,
    routing="dimension_order",
    radix=(4, 4),
    arbiter="matrix",
    buffering="dynamic",
    max_packet=2,
    prediction=PredictionParams(kind="history", order=1),
)
LOCAL = SwitchParams(
    routing="dimension_order",
    radix=(4, 3),
    wrap=True,
    vcs=4,
    prediction=PredictionParams(kind="static", local="plus_x"),
)
LOCAL_CACHED = SwitchParams(
    **SMALL.model_dump(exclude={"ports", "u_turn", "prediction"}),
    ports=3,
    prediction=PredictionParams(kind="static", local="plus_x"),
)
FAST = SwitchParams(**SMALL.model_dump(exclude={"speedup"}), speedup=2)
MORE = {
    "cached, two ports": (Case(SMALL), 1),
    "cached, speed-up": (Case(FAST), 0),
    "mesh": (Case(MESH, (1, 2)), 4),
    "static at local ports": (Case(LOCAL, (1, 2)), 0),
    "static at local ports, cached": (Case(LOCAL_CACHED), 0),
}
# Cycles in which every required bin is hit several times; a reset during a connection of a rare route takes long.
CYCLES = {"torus": 10_000, "cached, speed-up": 10_000}
EVERY = {"torus": (CASES["predicted"], 0), "cached": (CASES["predicted, cached"], 2)} | MORE


@pytest.mark.parametrize("name", tiered(EVERY, ["torus", "cached", "cached, speed-up", "static at local ports"]))
def test_bypass(name: str) -> None:
    case, out = EVERY[name]
    parameters = {"switch": case.params.model_dump(), "position": case.position, "out": out}
    bench = "cocotb_tests.unit.predict.bypass.bench"
    run_bench(Bypass(case.params), bench, name, parameters, cycles=CYCLES.get(name, 40_000), compiled_model=True)
