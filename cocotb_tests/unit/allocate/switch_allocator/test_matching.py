from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.allocate.switch_allocator import SwitchAllocator
from models.params import PredictionParams, SwitchParams

CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "one VC": {"vcs": 1, "u_turn": True},
    "smallest": {"ports": 2, "vcs": 1, "depth": 1, "u_turn": True},
    "one input per output": {"ports": 2, "vcs": 2},
    "no hold": {"vcs": 4, "hold_packets": False},
    "matrix": {"ports": 4, "vcs": 3, "arbiter": "matrix"},
    "matrix, no hold, u-turns": {"ports": 3, "vcs": 3, "arbiter": "matrix", "hold_packets": False, "u_turn": True},
    "large, u-turns": {"ports": 9, "vcs": 6, "u_turn": True},
    "predicted": {"vcs": 4, "prediction": PredictionParams()},
    "predicted, matrix": {"ports": 6, "arbiter": "matrix", "u_turn": True, "prediction": PredictionParams()},
    "predicted, no hold": {"ports": 4, "hold_packets": False, "prediction": PredictionParams()},
}
LEFT_OUT = {"one input per output", "matrix", "predicted", "no hold", "predicted, no hold", "large, u-turns", "one VC"}
CORNERS = ("default", "matrix, no hold, u-turns", "predicted, matrix")
EVERY = [(case, allocator) for allocator in ("output_first", "ports_first") for case in CASES]
# Ports first is the same hardware in another order, so the corner cases are enough.
USUAL = [
    (case, allocator)
    for case, allocator in EVERY
    if case in CORNERS or (allocator == "output_first" and case not in LEFT_OUT)
]
SPECULATING = {
    "equal": ("output_first", {"vcs": 3, "speculation": "equal"}),
    "behind": ("output_first", {"vcs": 4, "hold_packets": False, "speculation": "behind"}),
    "matrix, ports first, behind": (
        "ports_first",
        {"ports": 4, "vcs": 3, "arbiter": "matrix", "speculation": "behind"},
    ),
    "one VC, ports first, equal": ("ports_first", {"ports": 3, "vcs": 1, "u_turn": True, "speculation": "equal"}),
    "predicted, behind": ("output_first", {"vcs": 3, "prediction": PredictionParams(), "speculation": "behind"}),
}


@pytest.mark.parametrize(("case", "allocator"), tiered(EVERY, USUAL))
def test_matching(case: str, allocator: str) -> None:
    params = SwitchParams.model_validate({**CASES[case], "allocator": allocator})
    bench = "cocotb_tests.unit.allocate.switch_allocator.bench"
    run_bench(SwitchAllocator(params), bench, f"{case}, {allocator}", {"switch": params.model_dump()}, cycles=3000)


@pytest.mark.parametrize("case", SPECULATING)
def test_speculation(case: str) -> None:
    allocator, options = SPECULATING[case]
    params = SwitchParams.model_validate({**options, "allocator": allocator, "vc_stage": True})
    bench = "cocotb_tests.unit.allocate.switch_allocator.bench"
    run_bench(SwitchAllocator(params), bench, f"speculation, {case}", {"switch": params.model_dump()}, cycles=3000)
