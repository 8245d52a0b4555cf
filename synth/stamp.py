"""Stamps: commit and date of a measurement, and the summary line of each part of `make campaign`."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def commit() -> str:
    """Return the commit checked out, marked if files differ from it; empty outside a clone."""
    done = subprocess.run(
        ["git", "describe", "--always", "--exclude=*", "--dirty= with changes"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def stamp() -> str:
    """Return the commit checked out, marked if files differ from it, and the date."""
    name = commit()
    return f"{f'commit {name}' if name else 'no commit'}, {datetime.now(UTC).date()}"


def campaign_line(part: str, figures: str) -> str:
    """Return the summary line of a part of `make campaign`, as docs/reference/campaigns.md lists it.

    Also writes the line to `build/campaign`, for the summary of all parts.
    """
    line = f"campaign {part}: {figures}; {stamp()}"
    file = ROOT / "build" / "campaign" / f"{part}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(line + "\n", encoding="utf-8")
    return line
