"""Summary: runs the benches through pytest, and collects their reports."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from cocotb_tests.runner.report import REPORTS, Report
from cocotb_tests.runner.verilator import ROOT
from models.errors import TsujiError


@dataclass
class Outcome:
    """Reports of all benches that ran, and reasons of failures."""

    reports: list[Report] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)


class _Watcher:
    """Pytest plugin that shows progress and records the reasons of failures."""

    def __init__(self, progress: Progress) -> None:
        self.failures: dict[str, str] = {}
        self._progress = progress
        self._task = progress.add_task("building", total=None)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the tests."""
        if session.items:
            self._progress.update(self._task, total=len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Count the tests of a worker process."""
        self._progress.update(self._task, total=len(ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a finished test, and record its failure."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.failures[report.nodeid] = crash.message if crash else str(report.longrepr)
        if report.when == "teardown":
            self._progress.update(self._task, advance=1, description=report.nodeid.rsplit("::")[-1][:40])


def regression(
    only: str, seed: int, waves: bool, code_coverage: bool, junit: Path | None, jobs: int, console: Console
) -> Outcome:
    """Run the benches.

    Parameters
    ----------
    only : str
        Part of the names of the benches to run; empty for all.
    seed : int
        Seed of every random choice.
    waves, code_coverage : bool
        Whether to write a VCD; whether to count executed lines.
    junit : Path or None
        File for JUnit XML.
    jobs : int
        Number of processes.
    console : Console
        Console for the progress display.

    Raises
    ------
    TsujiError
        If no bench has such a name, or pytest cannot run.
    """
    os.environ["TSUJI_SEED"] = str(seed)
    os.environ["TSUJI_WAVES"] = str(int(waves))
    os.environ["TSUJI_COVERAGE"] = str(int(code_coverage))
    arguments = [str(ROOT / "cocotb_tests"), "--rootdir", str(ROOT), "-o", "addopts="]
    arguments += ["-p", "no:terminal", "-p", "no:cacheprovider", "-m", "not campaign"]
    arguments += ["-n", str(jobs)] if jobs > 1 else []
    arguments += ["--dist", "worksteal"] if jobs > 1 else []
    arguments += ["-k", only] if only else []
    arguments += [f"--junitxml={junit.resolve()}"] if junit else []
    begun = time.time()
    columns = TextColumn("{task.description:<40}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        watcher = _Watcher(progress)
        code = pytest.main(arguments, plugins=[watcher])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise TsujiError(f"--only {only}: no bench has this in its name; `tsuji cosim` runs all and lists them")
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise TsujiError(f"pytest ended with code {int(code)}: {'; '.join(watcher.failures.values())}")
    return Outcome(_reports(begun), watcher.failures)


def summary(reports: list[Report]) -> Table:
    """Return a table of reports, one row per bench and case."""
    table = Table(title="RTL against model")
    table.add_column("bench")
    table.add_column("parameter set")
    for heading in ("cycles", "mismatches", "coverage", "lines", "build s", "run s"):
        table.add_column(heading, justify="right")
    for report in sorted(reports, key=lambda report: (report.bench, report.case)):
        hit = len(report.bins) - len(report.missed)
        table.add_row(
            report.bench,
            report.case,
            f"{report.cycles:,}",
            f"[red]{report.mismatches}[/]" if report.mismatches or report.failed else "0",
            f"{hit}/{len(report.bins)}" if report.bins else "–",
            f"{report.lines:.0%}" if report.lines is not None else "–",
            f"{report.build_s:.1f}",
            f"{report.run_s:.1f}",
        )
    return table


def _reports(since: float) -> list[Report]:
    """Return the reports written after time `since`."""
    paths = [path for path in REPORTS.rglob("report.json") if path.stat().st_mtime >= since]
    return [Report.read(path) for path in sorted(paths)]
