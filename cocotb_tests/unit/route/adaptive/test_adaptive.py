import pytest

from cocotb_tests.runner.run_bench import run_bench
from hdl.route.adaptive import Adaptive
from models.params import AdaptiveParams, PredictionParams, SwitchParams

CASES = {
    "escape": (SwitchParams(vcs=3, adaptive=AdaptiveParams(escape_vcs=1)), 2, 1),
    "escape, lowest": (SwitchParams(ports=7, vcs=4, adaptive=AdaptiveParams(escape_vcs=3, selection="order")), 0, 3),
    "escape, predicted, u-turns": (
        SwitchParams(
            vcs=2, u_turn=True, prediction=PredictionParams(), adaptive=AdaptiveParams(escape_vcs=1), data_width=16
        ),
        1,
        0,
    ),
    "step": (SwitchParams(vcs=3, network_ports=4, adaptive=AdaptiveParams(kind="step")), 3, 1),
    "step, from a node": (SwitchParams(vcs=3, network_ports=4, adaptive=AdaptiveParams(kind="step")), 4, 2),
    "exchanger": (
        SwitchParams(
            ports=5,
            vcs=3,
            routing="hyper_crossbar",
            radix=(4, 3, 6),
            adaptive=AdaptiveParams(kind="step", lookahead=True),
        ),
        1,
        1,
    ),
    "exchanger that reserves": (
        SwitchParams(
            ports=5,
            vcs=3,
            routing="hyper_crossbar",
            radix=(4, 3, 6),
            adaptive=AdaptiveParams(kind="step", lookahead=True, reservation=True),
        ),
        1,
        1,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_adaptive(case: str) -> None:
    params, port, vc = CASES[case]
    parameters = {"switch": params.model_dump(), "port": port, "vc": vc}
    run_bench(Adaptive(params, port, vc), "cocotb_tests.unit.route.adaptive.bench", case, parameters, cycles=5000)
