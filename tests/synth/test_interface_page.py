import re
from typing import Any

import pytest

from hdl.interface_page import interface_page
from hdl.switch_module import SwitchModule
from models.formats import Counter
from models.params import CacheParams, LpiParams, SwitchParams

SMALL = SwitchParams(ports=3, vcs=4, depth=5, data_width=8, tag_width=20, cache=CacheParams(entries=8, ways=2))
MESH = SwitchParams(ports=6, routing="dimension_order", radix=(4, 3), counter_width=0)


def rows(page: str) -> list[list[str]]:
    """Return the cells of all tables of a page."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def text(page: str) -> str:
    return " ".join(page.split())


def test_layouts_and_rules_of_a_small_switch() -> None:
    page = interface_page(SwitchModule(SMALL), "trio")
    cells = rows(page)
    for expected in (
        ["1:0", "`vc`", "2", "virtual channel"],
        ["2", "`tail`", "1", "last flit of its packet"],
        ["20", "`found`", "1", "1: enter the route; 0: remove the destination"],
        ["22:21", "`out`", "2", "output port"],
        ["24:23", "`vc_first`", "2", "first output VC the packet may take"],
        ["19:0", "`tag`", "20", "destination, as programmed"],
        ["1", "7:0", "15:8"],
        ["2", "3:0", "19:16"],
        ["`link_out_<i>_flit_payload`", "output", "11", *cells[9][3:]],
    ):
        assert expected in cells, expected
    assert "Initial credits: 5 for each of 4 VCs" in text(page)
    assert "`flushing` is 1 in the first 4 cycles with `rst` = 0" in text(page)
    assert "The route table is a memory" in page
    assert [cell[1] for cell in cells if len(cell) == 2][1 + 1 :] == [f"`{each.name.lower()}`" for each in Counter]
    assert "trio u_trio (\n" in page


def test_a_switch_that_computes_routes_has_coordinates_and_no_table() -> None:
    page = interface_page(SwitchModule(MESH), "mesh")
    assert "Ports 2d and 2d + 1 lead to the neighbours" in page
    assert "Ports from 4 on lead to nodes." in text(page)
    # Two coordinates of 2 bits, and one of two nodes.
    for expected in (["1:0", "`x_0`"], ["3:2", "`x_1`"], ["4", "`local`"], ["15:5", "`unused`"]):
        assert expected in [cells[:2] for cells in rows(page)]
    for absent in ("flush", "route table", "counter_", "## Counters", "lpi_"):
        assert absent not in page, absent


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {"routing": "hypercube", "radix": (2, 2, 2), "fold": 5},
            "Port 3 leads to the switch that differs in the coordinates of 0b101. Ports from 4 on lead to nodes.",
        ),
        (
            {"routing": "hyper_crossbar", "radix": (4, 3)},
            "Port d leads to the crossbar of dimension d. Ports from 2 on",
        ),
        (
            {"routing": "hyper_crossbar", "radix": (5, 3), "crossbar": 0},
            "ports i = 0 to 4. Port i leads to the exchanger at place i of dimension 0. |",
        ),
        ({}, "ports i = 0 to 4. |"),
    ],
)
def test_what_is_at_which_port(settings: dict[str, Any], expected: str) -> None:
    assert expected in text(interface_page(SwitchModule(SwitchParams(ports=5, **settings)), "x"))


def test_low_power_idle_has_its_registers() -> None:
    page = interface_page(SwitchModule(MESH.model_copy(update={"lpi": LpiParams()})), "mesh")
    assert ["`lpi_time_payload`", "input", "18"] in [cells[:3] for cells in rows(page)]
    assert ["17:2", "`cycles`"] in [cells[:2] for cells in rows(page)]


@pytest.mark.parametrize("params", [SMALL, MESH])
def test_lines_of_tables_are_as_long_as_their_heads(params: SwitchParams) -> None:
    for table in re.findall(r"(?:^\|.*\|\n)+", interface_page(SwitchModule(params), "x"), re.MULTILINE):
        assert len({len(line) for line in table.splitlines()}) == 1
