"""The switch after synthesis for an ECP5, cell by cell on Verilator, against the model in every cycle."""

import re

import pytest

from cocotb_tests.cases.shared import Case
from cocotb_tests.runner.run_bench import run_bench
from cocotb_tests.runner.verilog import TOP, switch_verilog
from models.params import PredictionParams, SwitchParams
from synth.netlist import netlist

CASES = {
    "plain": Case(SwitchParams(routing="dimension_order", radix=(8, 8), counter_width=0), (3, 4)),
    "plain, predicted": Case(
        SwitchParams(
            routing="dimension_order", radix=(8, 8), counter_width=0, prediction=PredictionParams(kind="latest")
        ),
        (3, 4),
    ),
}


@pytest.mark.campaign
@pytest.mark.parametrize("name", CASES)
def test_the_netlist_equals_the_model(name, tmp_path):
    case = CASES[name]
    mapped = netlist(switch_verilog(case.params), TOP, tmp_path)
    assert len(re.findall(r"^  wire \\\S*LUT4\S*\.Z ;$", mapped, re.MULTILINE)) > 100
    parameters = {"switch": case.params.model_dump(), "position": case.position}
    run_bench(mapped, "cocotb_tests.switch.bench", f"{name}, netlist", parameters, 3000, top=TOP, compiled_model=True)
