"""Code coverage: line counts of a Verilated design (`coverage.dat`)."""

from __future__ import annotations

from pathlib import Path

from models.errors import TsujiError


def line_coverage(path: Path) -> float:
    """Return the fraction of coverage points of kinds `line` and `branch` that were reached.

    Raises
    ------
    TsujiError
        If the file is missing.
    """
    if not path.exists():
        raise TsujiError(f"{path}: the simulation left no coverage")
    hits: dict[str, bool] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        point, _, count = line.removeprefix("C '").rpartition("' ")
        if "page\x02v_line/" in point or "page\x02v_branch/" in point:
            hits[point] = hits.get(point, False) or int(count) > 0
    return sum(hits.values()) / len(hits) if hits else 1.0
