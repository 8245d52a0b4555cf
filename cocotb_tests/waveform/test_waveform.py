"""The timing diagrams in `docs/` show what the hardware does now."""

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cocotb_tests.runner.verilator import ROOT
from cocotb_tests.waveform.__main__ import picture
from cocotb_tests.waveform.draw import draw
from cocotb_tests.waveform.record import BEFORE, Samples, hop, record
from cocotb_tests.waveform.scenes import OTHER, OUT, SCENES

Panels = dict[str, Samples]


def recorded(scene: str, folder: Path) -> Panels:
    """Return what the panels of a scene show; the folder is one that no other process writes to."""
    return {panel.title: record(scene, panel, folder) for panel in SCENES[scene]}


def _cycles(samples: Samples, row: str) -> list[int]:
    """Return the cycles after c in which a row is not low."""
    return [cycle - BEFORE for cycle, value in enumerate(samples[row]) if value not in ("0", "")]


def check_cycles_a_hop(scene: str, panels: Panels) -> None:
    for panel in SCENES[scene]:
        assert hop(panels[panel.title]) == panel.hop
        if panel.case.params.prediction is None:
            assert panel.hop == panel.case.params.route_cycles_hit + 1


def check_computed_route(panels: Panels) -> None:
    right, wrong, without = panels.values()
    assert _cycles(right, "passes") == [0, 1, 2]
    assert _cycles(right, f"link out {OUT}") == [1, 2, 3] == _cycles(right, "credit, link in 4")
    assert _cycles(wrong, "squashed") == [0]
    assert not _cycles(right, "squashed") + _cycles(wrong, "passes") + _cycles(wrong, f"link out {OTHER}")
    assert _cycles(wrong, f"link out {OUT}") == _cycles(without, f"link out {OUT}") == [2, 3, 4]
    assert _cycles(wrong, "credit, link in 4") == _cycles(without, "credit, link in 4") == [2, 3, 4]


def check_cached_route(panels: Panels) -> None:
    right, wrong, without = panels.values()
    assert _cycles(right, f"speculative, to {OUT}") == _cycles(wrong, f"speculative, to {OTHER}") == [0]
    assert _cycles(right, "confirmed") == _cycles(wrong, "squashed") == [1]
    assert not _cycles(right, "squashed") + _cycles(wrong, "confirmed") + _cycles(wrong, f"link out {OTHER}")
    # While the port is confirming, the flit behind the head is stored, and so are those behind that.
    assert _cycles(right, f"link out {OUT}") == [1, 3, 4]
    assert _cycles(right, "credit, link in 4") == [2, 3, 4]
    assert _cycles(wrong, f"link out {OUT}") == _cycles(without, f"link out {OUT}") == [3, 4, 5]


def _drawn_from(path: Path) -> Panels:
    """Return the samples that a picture holds."""
    description = re.search(r"<dc:description>(.*?)</dc:description>", path.read_text(encoding="utf-8"), re.DOTALL)
    assert description
    samples: Panels = json.loads(html.unescape(description[1]))
    return samples


def check_picture_is_of_this_hardware(scene: str, panels: Panels, folder: Path) -> None:
    assert _drawn_from(picture(scene)) == panels, "run python -m cocotb_tests.waveform"
    draw(panels, folder / "again.svg")
    assert _drawn_from(folder / "again.svg") == panels
    assert f"waveforms/{scene}.svg" in (ROOT / "docs" / "explanation" / "microarchitecture.md").read_text(
        encoding="utf-8"
    )


CHECKS: dict[str, Callable[[Panels], None]] = {"computed": check_computed_route, "cached": check_cached_route}


@pytest.mark.parametrize("scene", SCENES)
def test_scene(scene: str, tmp_path: Path) -> None:
    """One test per scene: to record its panels is what takes long, and processes do not share what is recorded."""
    panels = recorded(scene, tmp_path)
    check_cycles_a_hop(scene, panels)
    CHECKS[scene](panels)
    check_picture_is_of_this_hardware(scene, panels, tmp_path)
