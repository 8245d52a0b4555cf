import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from cocotb_tests.runner.verilog import kept_verilog
from hdl.bus.register_switch import RegisterSwitch
from hdl.top import Top
from hdl.verilog import component_verilog
from models.params import CacheParams, CamParams, LpiParams, SwitchParams
from synth.lint import lint

CASES = {
    "cached": SwitchParams(
        ports=3, data_width=16, cache=CacheParams(entries=8), cam=CamParams(entries=32, latency=8, occupancy=2)
    ),
    "ternary": SwitchParams(
        ports=3,
        data_width=8,
        counter_width=40,
        cache=CacheParams(entries=0),
        cam=CamParams(entries=8, latency=8, occupancy=1, match="ternary"),
    ),
    "linear": SwitchParams(ports=4, data_width=32, routing="linear", table_entries=16, u_turn=True, counter_width=16),
    "mesh": SwitchParams(ports=5, routing="dimension_order", radix=(5, 4), lpi=LpiParams(idle=9, sleep=9, wake=9)),
}
USUAL = ("cached", "mesh")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_register_switch(case: str) -> None:
    params = CASES[case]
    text = kept_verilog(
        f"registers {params!r}", lambda: component_verilog(RegisterSwitch(params, Top(params)), "dut_top")
    )
    lint(text, "dut_top")
    bench = "cocotb_tests.bus.register_switch.bench"
    run_bench(text, bench, case, {"switch": params.model_dump()}, cycles=8, by_name=True)
