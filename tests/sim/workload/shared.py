"""Schedules beside the repository, with finishing times of the reference simulator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOAL = Path(__file__).resolve().parents[4] / "shared" / "goal"


def reference() -> dict[str, Any]:
    """Return parameters and finishing times; empty if they are not there."""
    path = GOAL / "loggopsim.json"
    return json.loads(path.read_text()) if path.exists() else {"parameters": {}, "results": {}}


def goal_file(name: str) -> Path:
    """Return the file of a schedule; skip the test if it is not there."""
    for suffix in (".goal", ".goal.zst"):
        if (path := GOAL / f"{name}{suffix}").exists():
            return path
    pytest.skip(f"../shared/goal/{name}.goal is not there")
