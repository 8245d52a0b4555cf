"""`python -m tsuji.board.cells [CONFIG]...`: measures parts of prototypes for `synth/boards/known_cells.json`.

Without files, those of all examples are measured again; with files, theirs are added.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sim.config import load
from synth.boards.estimate import KNOWN, known_cells
from tsuji.board.design import plan

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "board"


def main() -> None:
    """Write the file."""
    files = [Path(name) for name in sys.argv[1:]]
    cells: dict[str, list[int]] = json.loads(KNOWN.read_text(encoding="utf-8")) if files else {}
    for path in files or sorted(EXAMPLES.glob("*.toml")):
        print(path.name, flush=True)
        cells |= known_cells(plan(load(path)).design, print)
        KNOWN.write_text(json.dumps(cells, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
