"""Cells that are kept for the examples, against today's hardware and Yosys."""

import json

import pytest

from sim.config import load
from synth.boards.estimate import KNOWN, known_cells
from tsuji.board import cells
from tsuji.board.cells import EXAMPLES
from tsuji.board.design import plan


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.toml")))
def test_known_cells_are_those_of_the_hardware(name):
    """Within 3 %, which versions of Yosys may differ by; else `python -m tsuji.board.cells` measures them again."""
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    for part, (luts, memories) in known_cells(plan(load(EXAMPLES / name)).design, print).items():
        assert known[part][0] == pytest.approx(luts, rel=0.03)
        assert known[part][1] == memories


def test_no_part_is_kept_that_no_example_has(monkeypatch):
    """Of each example all parts are kept, and nothing else: parameters that changed leave nothing behind."""
    monkeypatch.setattr("synth.boards.estimate._measured", lambda kind, tell: (0, 0))
    found = {part for path in EXAMPLES.glob("*.toml") for part in known_cells(plan(load(path)).design, print)}
    assert found == set(json.loads(KNOWN.read_text(encoding="utf-8")))


def test_the_program_measures_every_example(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("synth.boards.estimate._measured", lambda kind, tell: (7, 1))
    monkeypatch.setattr(cells, "KNOWN", tmp_path / "known.json")
    monkeypatch.setattr("sys.argv", ["cells"])
    cells.main()
    assert capsys.readouterr().out.split() == sorted(path.name for path in EXAMPLES.glob("*.toml"))
    kept = json.loads((tmp_path / "known.json").read_text())
    assert kept.keys() == json.loads(KNOWN.read_text(encoding="utf-8")).keys()
    assert all(value == [7, 1] for value in kept.values())
