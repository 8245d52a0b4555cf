import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.transfer.output_unit import OutputUnit
from models.params import AdaptiveParams, SwitchParams

CASES = {
    "default": SwitchParams(),
    "smallest": SwitchParams(ports=2, vcs=1, depth=1),
    "odd": SwitchParams(vcs=3, depth=5),
    "deep": SwitchParams(vcs=2, depth=37, data_width=512),
    "many VCs": SwitchParams(vcs=16, depth=2, data_width=8, tag_width=16),
    "cut-through": SwitchParams(vcs=3, depth=6, buffering="dynamic", max_packet=4),
    "cut-through, whole buffer": SwitchParams(vcs=2, depth=4, buffering="dynamic", max_packet=4),
    "VC stage": SwitchParams(vcs=3, depth=5, vc_stage=True),
    "VC stage, cut-through": SwitchParams(vcs=2, depth=6, buffering="dynamic", max_packet=4, vc_stage=True),
    "speculation": SwitchParams(
        vcs=3, depth=5, allocator="output_first", vc_stage=True, claim_full=False, speculation="equal"
    ),
    "adaptive": SwitchParams(vcs=3, depth=6, adaptive=AdaptiveParams(escape_vcs=1)),
    "adaptive, deep": SwitchParams(vcs=2, depth=9, adaptive=AdaptiveParams(escape_vcs=1)),
    "queues": SwitchParams(vcs=3, depth=3, output_buffer=1),
    "queues, cut-through": SwitchParams(vcs=2, depth=6, buffering="dynamic", max_packet=4, output_buffer=2),
    "queues, adaptive": SwitchParams(vcs=3, depth=9, adaptive=AdaptiveParams(escape_vcs=1), output_buffer=3),
    "queues, VC stage": SwitchParams(vcs=3, depth=5, vc_stage=True, output_buffer=2),
    "cut-through, deep": SwitchParams(vcs=4, depth=16, buffering="dynamic", max_packet=9),
}


USUAL = (
    "default",
    "smallest",
    "many VCs",
    "cut-through",
    "cut-through, whole buffer",
    "VC stage",
    "speculation",
    "adaptive",
    "queues",
    "queues, adaptive",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_output_unit(case: str) -> None:
    params = CASES[case]
    bench = "cocotb_tests.unit.transfer.output_unit.bench"
    run_bench(OutputUnit(params), bench, case, {"switch": params.model_dump()}, cycles=4000)
