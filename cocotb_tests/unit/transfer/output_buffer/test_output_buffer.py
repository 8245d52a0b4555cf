import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.transfer.output_buffer import OutputBuffer
from models.params import PredictionParams, SwitchParams

CASES = {
    "default": SwitchParams(speedup=2),
    "smallest": SwitchParams(vcs=1, data_width=16, speedup=2, output_buffer=2),
    "odd": SwitchParams(vcs=3, data_width=24, speedup=3, output_buffer=5),
    "predicted": SwitchParams(speedup=3, output_buffer=3, prediction=PredictionParams(kind="latest")),
    "predicted, computed": SwitchParams(
        speedup=2, routing="dimension_order", radix=(4, 4), prediction=PredictionParams(kind="latest")
    ),
    "large": SwitchParams(data_width=512, speedup=4, output_buffer=64),
}


USUAL = ("default", "smallest", "predicted", "predicted, computed")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_output_buffer(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.transfer.output_buffer.bench"
    run_bench(OutputBuffer(params), bench, case, {"switch": params.model_dump()}, cycles=20_000)
