from typing import Any

import pytest

from cocotb_tests.cases.shared import Case
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.wake_hint import WakeHints
from models.params import LpiParams, SwitchParams

TORUS: dict[str, Any] = {"ports": 6, "routing": "dimension_order", "radix": (4, 3), "wrap": True}
CUBE: dict[str, Any] = {"ports": 5, "routing": "hypercube", "radix": (2, 2, 2)}
CASES = {
    "torus, 3 hops": Case(SwitchParams(**TORUS, lpi=LpiParams(hints=3)), (3, 0)),
    "torus, 1 hop, two local ports": Case(SwitchParams(**TORUS, node_ports=2, lpi=LpiParams(hints=1)), (1, 2)),
    "torus, ties, U-turns": Case(SwitchParams(**TORUS, ties="random", u_turn=True, lpi=LpiParams(hints=2)), (0, 1)),
    "line, 15 hops": Case(SwitchParams(ports=3, routing="dimension_order", radix=(5,), lpi=LpiParams(hints=15)), (2,)),
    "folded cube, 4 hops": Case(SwitchParams(**CUBE, fold=7, lpi=LpiParams(hints=4)), (1, 0, 1)),
    "cube, 1 hop": Case(SwitchParams(**CUBE, lpi=LpiParams(hints=1)), (0, 1, 1)),
}


@pytest.mark.parametrize("name", tiered(CASES, ["torus, 3 hops", "torus, 1 hop, two local ports", "cube, 1 hop"]))
def test_wake_hint(name: str) -> None:
    case = CASES[name]
    parameters = {"switch": case.params.model_dump(), "position": case.position}
    run_bench(WakeHints(case.params), "cocotb_tests.unit.route.wake_hint.bench", name, parameters, cycles=5000)


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_without_hints_there_is_none() -> None:
    with pytest.raises(ValueError, match="hints is 0: WakeHints needs at least 1"):
        WakeHints(SwitchParams(**TORUS, lpi=LpiParams()))
