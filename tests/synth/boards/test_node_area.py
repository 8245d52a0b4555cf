"""Area of a board's node and of its hash, as docs/explanation/board_nodes.md gives them."""

import re
from pathlib import Path

import pytest

from hdl.node.traffic_hash import TrafficHash
from hdl.verilog import component_verilog
from models.params import SwitchParams
from synth.boards.node import Node
from synth.ecp5 import area

PAGE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "board_nodes.md"
PARAMS = SwitchParams(routing="dimension_order", radix=(4, 4), data_width=64, vcs=2)


@pytest.mark.parametrize(
    ("row", "design"),
    [("traffic hash", TrafficHash(16)), ("node", Node(PARAMS, list(range(16)), 4))],
    ids=["hash", "node"],
)
def test_area_is_as_documented(row, design, tmp_path):
    """Within 3 %, which versions of Yosys may differ by; a hash that Yosys maps into wide tables is three times it."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^\| {row} \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", text, re.MULTILINE)
    assert found is not None, row
    eq, flip_flops, memories = (int(number.replace(",", "")) for number in found.groups())
    cells = area(component_verilog(design, "measured"), "measured", tmp_path)
    assert cells.eq == pytest.approx(eq, rel=0.03)
    assert cells.ff == pytest.approx(flip_flops, rel=0.03)
    assert cells.dp16kd == memories
