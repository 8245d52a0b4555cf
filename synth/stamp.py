"""What a figure was measured on, the commit and the day; and the figures that the parts of `make campaign` end with."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def stamp() -> str:
    """Return the commit that is checked out, with a word if files differ from it, and the date."""
    done = subprocess.run(
        ["git", "describe", "--always", "--exclude=*", "--dirty= with changes"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    commit = f"commit {done.stdout.strip()}" if done.returncode == 0 else "no commit"
    return f"{commit}, {datetime.now(UTC).date()}"


def campaign_line(part: str, figures: str) -> str:
    """Return the line that a part of `make campaign` ends with, as docs/reference/campaigns.md lists it.

    It is left in `build/campaign`, too, for when all parts have ended.
    """
    line = f"campaign {part}: {figures}; {stamp()}"
    file = ROOT / "build" / "campaign" / f"{part}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(line + "\n", encoding="utf-8")
    return line
