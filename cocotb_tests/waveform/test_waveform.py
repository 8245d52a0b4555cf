"""The timing diagrams in `docs/` show what the hardware does now."""

import html
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from cocotb_tests.runner.verilator import ROOT
from cocotb_tests.waveform.__main__ import picture
from cocotb_tests.waveform.draw import draw
from cocotb_tests.waveform.record import BEFORE, Samples, hop, record
from cocotb_tests.waveform.scenes import OTHER, OUT, SCENES, Panel

Recorded = Callable[[str, Panel], Samples]
PANELS = [(scene, panel) for scene, panels in SCENES.items() for panel in panels]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Return a function that records a panel once per process, in a folder that no other process writes to."""
    folder = tmp_path_factory.mktemp("waveform")
    return cache(lambda scene, panel: record(scene, panel, folder))


def _cycles(samples: Samples, row: str) -> list[int]:
    """Return the cycles after c in which a row is not low."""
    return [cycle - BEFORE for cycle, value in enumerate(samples[row]) if value not in ("0", "")]


@pytest.mark.parametrize(("scene", "panel"), PANELS, ids=lambda value: getattr(value, "title", value))
def test_cycles_a_hop(scene: str, panel: Panel, recorded: Recorded) -> None:
    samples = recorded(scene, panel)
    assert hop(samples) == panel.hop
    if panel.case.params.prediction is None:
        assert panel.hop == panel.case.params.route_cycles_hit + 1


def test_computed_route(recorded: Recorded) -> None:
    right, wrong, without = (recorded("computed", panel) for panel in SCENES["computed"])
    assert _cycles(right, "passes") == [0, 1, 2]
    assert _cycles(right, f"link out {OUT}") == [1, 2, 3] == _cycles(right, "credit, link in 4")
    assert _cycles(wrong, "squashed") == [0]
    assert not _cycles(right, "squashed") + _cycles(wrong, "passes") + _cycles(wrong, f"link out {OTHER}")
    assert _cycles(wrong, f"link out {OUT}") == _cycles(without, f"link out {OUT}") == [2, 3, 4]
    assert _cycles(wrong, "credit, link in 4") == _cycles(without, "credit, link in 4") == [2, 3, 4]


def test_cached_route(recorded: Recorded) -> None:
    right, wrong, without = (recorded("cached", panel) for panel in SCENES["cached"])
    assert _cycles(right, f"speculative, to {OUT}") == _cycles(wrong, f"speculative, to {OTHER}") == [0]
    assert _cycles(right, "confirmed") == _cycles(wrong, "squashed") == [1]
    assert not _cycles(right, "squashed") + _cycles(wrong, "confirmed") + _cycles(wrong, f"link out {OTHER}")
    # While the port is confirming, the flit behind the head is stored, and so are those behind that.
    assert _cycles(right, f"link out {OUT}") == [1, 3, 4]
    assert _cycles(right, "credit, link in 4") == [2, 3, 4]
    assert _cycles(wrong, f"link out {OUT}") == _cycles(without, f"link out {OUT}") == [3, 4, 5]


def _drawn_from(path: Path) -> dict[str, Samples]:
    """Return the samples that a picture contains."""
    description = re.search(r"<dc:description>(.*?)</dc:description>", path.read_text(encoding="utf-8"), re.DOTALL)
    assert description
    samples: dict[str, Samples] = json.loads(html.unescape(description[1]))
    return samples


@pytest.mark.parametrize("scene", SCENES)
def test_picture_is_of_this_hardware(scene: str, tmp_path: Path, recorded: Recorded) -> None:
    panels = {panel.title: recorded(scene, panel) for panel in SCENES[scene]}
    assert _drawn_from(picture(scene)) == panels, "run python -m cocotb_tests.waveform"
    draw(panels, tmp_path / "again.svg")
    assert _drawn_from(tmp_path / "again.svg") == panels
    assert f"waveforms/{scene}.svg" in (ROOT / "docs" / "explanation" / "microarchitecture.md").read_text(
        encoding="utf-8"
    )
