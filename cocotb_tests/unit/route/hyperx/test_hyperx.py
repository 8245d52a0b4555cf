from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.hyperx import HyperX
from models.params import AdaptiveParams, SwitchParams

CASES: dict[str, dict[str, Any]] = {
    "two switches": {"ports": 2, "radix": (2,)},
    "full mesh of 6, 3 nodes": {"ports": 8, "radix": (6,)},
    "4 x 3 x 5, node_ports": {"ports": 13, "radix": (4, 3, 5), "node_ports": 2},
    "8 x 8": {"ports": 22, "radix": (8, 8)},
    "16 x 16 x 16, 17 nodes": {"ports": 62, "radix": (16, 16, 16)},
    "3 x 4, escape": {"ports": 7, "radix": (3, 4), "adaptive": AdaptiveParams()},
    "4 x 2 x 3, steps": {"ports": 7, "radix": (4, 2, 3), "adaptive": AdaptiveParams(kind="step")},
}
USUAL = ("two switches", "4 x 3 x 5, node_ports", "3 x 4, escape", "4 x 2 x 3, steps")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_hyperx(case: str) -> None:
    params = SwitchParams(vcs=3, routing="hyperx", **CASES[case])
    run_bench(HyperX(params), "cocotb_tests.unit.route.hyperx.bench", case, params.model_dump(), cycles=4000)
