from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.dragonfly import Dragonfly
from models.params import SwitchParams

CASES: dict[str, dict[str, Any]] = {
    "3 groups of 2": {"ports": 3, "radix": (2, 3)},
    "9 groups of 4": {"ports": 7, "radix": (4, 9)},
    "9 groups of 4, relative, node_ports": {"ports": 9, "radix": (4, 9), "arrangement": "relative", "node_ports": 2},
    "16 groups of 5, palmtree": {"ports": 10, "radix": (5, 16), "arrangement": "palmtree", "vcs": 2},
    "9 groups of 4, circulant": {"ports": 7, "radix": (4, 9), "arrangement": "circulant", "vcs": 2},
    "16 groups of 5, circulant": {"ports": 10, "radix": (5, 16), "arrangement": "circulant", "vcs": 5},
    "339 groups of 26, 15 nodes": {"ports": 53, "radix": (26, 339), "tag_width": 18},
    "339 groups of 26, circulant": {"ports": 53, "radix": (26, 339), "tag_width": 18, "arrangement": "circulant"},
}
USUAL = (
    "9 groups of 4",
    "9 groups of 4, relative, node_ports",
    "16 groups of 5, palmtree",
    "16 groups of 5, circulant",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_dragonfly(case: str) -> None:
    given: dict[str, Any] = {"vcs": 3, "routing": "dragonfly"}
    params = SwitchParams(**given | CASES[case])
    run_bench(Dragonfly(params), "cocotb_tests.unit.route.dragonfly.bench", case, params.model_dump(), cycles=4000)
