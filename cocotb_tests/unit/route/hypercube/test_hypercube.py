from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.hypercube import Hypercube
from models.params import AdaptiveParams, SwitchParams

CASES: dict[str, dict[str, Any]] = {
    "one dimension": {"ports": 2, "radix": (2,)},
    "3 dimensions, 3 nodes": {"ports": 6, "radix": (2,) * 3},
    "12 dimensions": {"ports": 16, "radix": (2,) * 12},
    "2 dimensions, folded": {"ports": 4, "radix": (2,) * 2, "fold": 3},
    "5 dimensions, 3 of them folded": {"ports": 7, "radix": (2,) * 5, "fold": 0b11010},
    "6 dimensions, folded, node_ports": {"ports": 13, "radix": (2,) * 6, "fold": 63, "node_ports": 2},
    "12 dimensions, folded": {"ports": 17, "radix": (2,) * 12, "fold": 4095},
    "4 dimensions, folded, escape": {"ports": 7, "radix": (2,) * 4, "fold": 15, "adaptive": AdaptiveParams()},
    "4 dimensions, folded, steps": {"ports": 6, "radix": (2,) * 4, "fold": 15, "adaptive": AdaptiveParams(kind="step")},
}


USUAL = (
    "one dimension",
    "3 dimensions, 3 nodes",
    "5 dimensions, 3 of them folded",
    "6 dimensions, folded, node_ports",
    "4 dimensions, folded, escape",
    "4 dimensions, folded, steps",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_hypercube(case: str) -> None:
    params = SwitchParams(vcs=3, routing="hypercube", **CASES[case])
    run_bench(Hypercube(params), "cocotb_tests.unit.route.hypercube.bench", case, params.model_dump(), cycles=4000)
