import json

import pytest

from hdl.network import Wiring
from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from synth.boards import estimate
from synth.boards.boards import BOARDS, LUTS, board_named
from synth.boards.estimate import Part, known_cells, parts, refuse_if_too_large
from synth.boards.prototype import Design

RING = Wiring([[(1, 0), None], [(0, 0), None]], [(0, 1), (1, 1)], [0, 1])
SMALL = SwitchParams(ports=2, vcs=1, depth=2, data_width=16, routing="linear", table_entries=2, counter_width=0)


def _design(switch=SMALL, wires=RING):
    return Design(switch, LinkParams(), wires, [0, 1], None, 8, 0)


@pytest.fixture
def known(monkeypatch, tmp_path):
    """Cells of every part are known."""

    def set_cells(**cells):
        kinds = estimate._kinds(_design())
        entries = {estimate._digest(kind.name, kind.key): cells[kind.name.replace(" ", "_")] for kind in kinds}
        path = tmp_path / "known.json"
        path.write_text(json.dumps(entries))
        monkeypatch.setattr(estimate, "KNOWN", path)

    return set_cells


def _fail(text):
    raise AssertionError(text)


def test_parts_are_counted_and_their_cells_known(known):
    known(switch=[900, 0], node=[300, 2], link=[0, 0], host_port=[500, 0])
    assert parts(_design(), _fail) == [
        Part("switch", 2, 900, 0),
        Part("node", 2, 300, 2),
        Part("link", 2, 0, 0),
        Part("host port", 1, 500, 0),
    ]


def test_what_cannot_fit_is_refused_with_both_numbers(known):
    known(switch=[40_000, 0], node=[2_000, 2], link=[10, 0], host_port=[500, 0])
    needed = r"84,520 LUTs are needed and 83,640 are there \(2 × switch of 40,000, 2 × node of 2,000, 2 × link"
    with pytest.raises(TsujiError, match=f"--board ulx3s_85f: {needed}"):
        refuse_if_too_large(_design(), BOARDS["ulx3s_85f"], _fail)


def test_a_prototype_takes_more_than_its_parts(known):
    """A sixth more: 68,000 estimated LUTs fit 83,640, and 69,000 do not."""
    known(switch=[34_000, 0], node=[0, 0], link=[0, 0], host_port=[0, 0])
    assert len(refuse_if_too_large(_design(), BOARDS["ulx3s_85f"], _fail)) == 4
    known(switch=[34_500, 0], node=[0, 0], link=[0, 0], host_port=[0, 0])
    with pytest.raises(TsujiError, match=r"69,000 LUTs are needed .* at most 82% can be used"):
        refuse_if_too_large(_design(), BOARDS["ulx3s_85f"], _fail)


def test_block_memories_count_too(known):
    known(switch=[900, 17], node=[300, 2], link=[0, 0], host_port=[500, 0])
    with pytest.raises(TsujiError, match="--board ulx3s_12f: 38 block memories are needed and 32 are there"):
        refuse_if_too_large(_design(), BOARDS["ulx3s_12f"], _fail)
    assert len(refuse_if_too_large(_design(), BOARDS["ulx3s_25f"], _fail)) == 4


def test_every_board_is_one_of_amaranth_boards():
    for board in BOARDS.values():
        platform = board.open()
        assert platform.device in LUTS
        assert platform.request("uart", 0) is not None


def test_an_unknown_board_is_refused():
    with pytest.raises(TsujiError, match="--board de10: no such board; must be one of ulx3s_85f, "):
        board_named("de10")


@pytest.mark.campaign
def test_what_is_measured_is_kept(monkeypatch, tmp_path):
    """Synthesis of the parts; the second time nothing is synthesised."""
    monkeypatch.setattr(estimate, "KEPT", tmp_path)
    told = []
    first = known_cells(_design(), told.append)
    assert len(told) == len(first) == 4
    assert known_cells(_design(), _fail) == first
    assert sum(luts for luts, _ in first.values()) > 500
