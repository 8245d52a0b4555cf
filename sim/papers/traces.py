"""Traces of the NAS Parallel Benchmarks: the name of their folder in parts, and checks that they exist."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from models.errors import TsujiError
from sim.files.shared_folder import TRACES, checked_folder
from sim.papers.framework.digest import ROOT
from sim.papers.framework.parts import FOLDER
from sim.papers.framework.study import Options, Part


def trace_folder(options: Options) -> str:
    """Return the folder for the parameters of parts: relative to the repository, so the same on every machine."""
    return os.path.relpath(ROOT / options.traces, ROOT)


def check_traces(parts: Iterable[Part]) -> None:
    """Refuse parts whose traces are missing, before any is computed.

    Raises
    ------
    TsujiError
        If their folder is missing, or has no traces.
    """
    for folder in dict.fromkeys(part.params[FOLDER] for part in parts if FOLDER in part.params):
        for wanted in ("ops.json", "*.tar.zst"):
            checked_folder((ROOT / folder).resolve(), TRACES, "--traces", wanted)


def trace_file(folder: str, trace: str) -> Path:
    """Return the archive of a trace.

    Raises
    ------
    TsujiError
        If it is missing.
    """
    path = ROOT / folder / f"{trace}.tar.zst"
    if not path.exists():
        raise TsujiError(f"{path}: no such trace")
    return path


def operations_per_unit(folder: str, trace: str) -> float:
    """Return the benchmark's operations per unit of the trace's `compute` (`ops.json` beside it)."""
    told = json.loads((ROOT / folder / "ops.json").read_text(encoding="utf-8"))
    return float(told[trace]["operations_per_unit_of_timed_compute"])
