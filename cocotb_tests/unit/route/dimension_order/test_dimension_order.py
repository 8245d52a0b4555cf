from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.dimension_order import DimensionOrder
from models.params import AdaptiveParams, SwitchParams

BENCH = "cocotb_tests.unit.route.dimension_order.bench"

CASES: dict[str, tuple[Any, ...]] = {
    "smallest": (3, 1, (2,), False),
    "mesh": (5, 2, (5, 3), False),
    "torus": (5, 2, (4, 4), True),
    "torus, odd rings": (7, 3, (5, 7, 9), True),
    "torus, short rings": (8, 1, (2, 3), True),
    "torus, many local ports": (17, 16, (6, 4, 3, 2), True),
    "torus, three node_ports": (13, 2, (5, 4), True, 3),
    "mesh, four node_ports": (8, 2, (5, 4), False, 4),
    "rings and rows": (9, 2, (4, 5, 4, 3), (True, False, False, True)),
    "Tofu": (13, 2, (4, 3, 5, 2, 3, 2), (True, True, True, False, True, False)),
    "large mesh": (6, 4, (1000, 77), False),
    "large torus": (62, 5, (256, 6, 12), True),
}


FIXED = ["torus, odd rings", "rings and rows", "torus, three node_ports", "large torus"]
DRAWING = [
    "torus",
    "rings and rows",
    "torus, short rings",
    "torus, three node_ports",
    "torus, many local ports",
    "large torus",
]
# A ring shorter than four has no classes to fix.
DRAWN = [
    (case, classes)
    for case in DRAWING
    for classes in ("dateline", "fixed")
    if max(CASES[case][2]) > 3 or classes == "dateline"
]
CHOOSING = ["mesh", "rings and rows", "torus, odd rings", "torus", "large torus"]
USUAL = (
    "smallest",
    "mesh",
    "torus",
    "torus, odd rings",
    "torus, short rings",
    "torus, three node_ports",
    "large torus",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_dimension_order(case: str) -> None:
    ports, vcs, radix, wrap, *node_ports = CASES[case]
    shape = {"ports": ports, "vcs": vcs, "radix": radix, "wrap": wrap, "node_ports": node_ports[0] if node_ports else 1}
    params = SwitchParams(tag_width=32, routing="dimension_order", **shape)
    run_bench(DimensionOrder(params), BENCH, case, params.model_dump(), cycles=5000)


@pytest.mark.parametrize("case", tiered(FIXED, FIXED[:2]))
def test_dimension_order_with_fixed_classes(case: str) -> None:
    ports, vcs, radix, wrap, *node_ports = CASES[case]
    shape = {"ports": ports, "vcs": vcs, "radix": radix, "wrap": wrap, "node_ports": node_ports[0] if node_ports else 1}
    params = SwitchParams(tag_width=32, routing="dimension_order", ring_classes="fixed", **shape)
    run_bench(DimensionOrder(params), BENCH, f"{case}, fixed", params.model_dump(), cycles=5000)


@pytest.mark.parametrize(("case", "classes"), tiered(DRAWN, [pair for pair in DRAWN if pair[0] in DRAWING[:3]]))
def test_dimension_order_with_ties_drawn(case: str, classes: str) -> None:
    ports, vcs, radix, wrap, *node_ports = CASES[case]
    shape = {"ports": ports, "vcs": vcs, "radix": radix, "wrap": wrap, "node_ports": node_ports[0] if node_ports else 1}
    params = SwitchParams.model_validate(
        {"tag_width": 40, "routing": "dimension_order", "ring_classes": classes, "ties": "random"} | shape
    )
    run_bench(DimensionOrder(params), BENCH, f"{case}, {classes}, ties drawn", params.model_dump(), cycles=5000)


@pytest.mark.parametrize("case", tiered(CHOOSING, CHOOSING[:2]))
def test_dimension_order_with_choices(case: str) -> None:
    ports, vcs, radix, wrap = CASES[case]
    params = SwitchParams(
        ports=ports,
        vcs=vcs + 2,
        tag_width=32,
        routing="dimension_order",
        radix=radix,
        wrap=wrap,
        adaptive=AdaptiveParams(escape_vcs=vcs),
    )
    run_bench(DimensionOrder(params), BENCH, f"{case}, adaptive", params.model_dump(), cycles=5000)
