"""The id `hxb.cost`: the switches that are synthesised, and the conclusions; synthesis itself is in tests/synth."""

from pathlib import Path

import pandas as pd
import pytest

from cocotb_tests.runner.verilog import kept_verilog
from hdl.switch import Switch
from hdl.verilog import component_verilog
from models.params import SwitchParams
from sim.papers.framework.study import Options
from synth.ecp5 import Area, Result
from tsuji.hardware_cost import HYPER, VARIANTS, concluded, cost, cost_parts

OPTIONS = Options(quick=False, traces=Path())


def test_rows_and_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the area of a switch grows with its VCs and its buffers."""

    def measure(name: str, params: SwitchParams, *_: object) -> Result:
        return Result(name, Area(lut4=100 * params.vcs, ff=params.depth, dpr16x4=params.ports))

    monkeypatch.setattr("synth.report.measure", measure)
    parts = cost_parts(OPTIONS)
    assert len(parts) == 2 * len(VARIANTS)
    table = pd.DataFrame([row for part in parts for row in part.run(**part.params)])
    assert set(table["switch"]) == {"exchanger", "crossbar of 8"}
    found = concluded({"cost": table})
    sizes = {row.quantity: row.ours for row in found.rows}
    assert sizes["adaptive, wormhole: exchanger, eq of the one that is fixed, wormhole"] == (300 + 24) / (100 + 24)
    assert "300 LUT4, 100 FF, 4 DPR16X4" in str(sizes["adaptive, flexible: exchanger"])


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_hardware(name: str) -> None:
    """Switches with reservation have wires for it."""
    exchanger = SwitchParams(**HYPER | VARIANTS[name])
    text = kept_verilog(f"exchanger {exchanger!r}", lambda: component_verilog(Switch(exchanger), "exchanger"))
    assert ("reserve_0_valid" in text) == ("reserved" in name)


def test_cost_is_asked_for_by_kind_of_switch() -> None:
    assert cost.__module__ == "tsuji.hardware_cost"
    assert {part.params["crossbar"] for part in cost_parts(OPTIONS)} == {None, 0}
    assert len(cost_parts(Options(quick=True, traces=Path()))) == 2
