"""`python -m cocotb_tests.waveform`: run the hardware, and draw the timing diagrams of `docs/waveforms/`."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

import tsuji  # noqa: F401 - its first import refuses other packages under our names
from cocotb_tests.runner.verilator import ROOT
from cocotb_tests.waveform.draw import draw
from cocotb_tests.waveform.record import record
from cocotb_tests.waveform.scenes import SCENES

PICTURES = ROOT / "docs" / "waveforms"


def picture(scene: str) -> Path:
    """Return the path of a scene's picture."""
    return PICTURES / f"{scene}.svg"


def main() -> None:
    """Draw every scene."""
    console = Console()
    for scene, panels in SCENES.items():
        with console.status(scene):
            draw({panel.title: record(scene, panel) for panel in panels}, picture(scene))
        console.print(picture(scene).relative_to(ROOT))


if __name__ == "__main__":
    main()
