import pytest

from cocotb_tests.cases.shared import CASES
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.buffer.input_unit import InputUnit

PORTS = {
    "default": 1,
    "smallest": 0,
    "no cache": 4,
    "narrow": 2,
    "cut-through": 3,
    "static": 2,
    "mesh": 1,
    "torus": 5,
    "adaptive": 2,
    "linear": 3,
    "VC stage": 3,
    "VC stage, computed": 1,
    "speculation": 2,
    "speculation, computed": 1,
}
USUAL = ("default", "static", "adaptive", "speculation, computed")


@pytest.mark.parametrize(("case", "port"), tiered(PORTS.items(), [(case, PORTS[case]) for case in USUAL]))
def test_input_unit(case: str, port: int) -> None:
    params, position = CASES[case].params, CASES[case].position
    parameters = {"switch": params.model_dump(), "port": port, "position": position}
    bench = "cocotb_tests.unit.buffer.input_unit.bench"
    run_bench(InputUnit(params, port), bench, case, parameters, cycles=8000, compiled_model=True)
