"""`python -m tsuji.board.cells`: measures the parts of all examples of boards again, for `known_cells.json`."""

from __future__ import annotations

import json
from pathlib import Path

from sim.config import load
from synth.boards.estimate import KNOWN, known_cells
from tsuji.board.design import plan

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "board"


def main() -> None:
    """Write the file."""
    cells: dict[str, list[int]] = {}
    for path in sorted(EXAMPLES.glob("*.toml")):
        print(path.name, flush=True)
        cells |= known_cells(plan(load(path)).design, print)
    KNOWN.write_text(json.dumps(cells, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
