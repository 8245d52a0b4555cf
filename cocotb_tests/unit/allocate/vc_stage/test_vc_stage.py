import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.allocate.vc_stage import VcStage
from models.params import CacheParams, PredictionParams, SwitchParams

CASES = {
    "default": SwitchParams(vc_stage=True),
    "one VC, two ports": SwitchParams(ports=2, vcs=1, u_turn=True, vc_stage=True),
    "four VCs, predicted": SwitchParams(vcs=4, prediction=PredictionParams(kind="latest"), vc_stage=True),
    "three VCs, to oneself": SwitchParams(ports=6, vcs=3, u_turn=True, vc_stage=True, cache=CacheParams(entries=0)),
    "many VCs": SwitchParams(ports=3, vcs=9, depth=1, vc_stage=True),
}
CASES |= {
    f"{case}, input first": params.model_copy(update={"vc_allocator": "input_first"}) for case, params in CASES.items()
}


USUAL = (
    "default",
    "one VC, two ports",
    "four VCs, predicted",
    "default, input first",
    "many VCs, input first",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_vc_stage(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.allocate.vc_stage.bench"
    run_bench(VcStage(params), bench, case, {"switch": params.model_dump()}, cycles=3000, compiled_model=True)
