"""Tiers of tests (pyproject.toml names them), their order, and what they cost."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.stamp import campaign_line
from tests.cpu_time import QUICK, Recorder, by_folder, function_of, longest_first, read_table

BEGUN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tsuji")
    group.addoption(
        "--cpu-times", type=Path, metavar="FILE", help="write CPU seconds by test function, and show them by folder"
    )
    group.addoption("--within", type=float, metavar="SECONDS", help="begin no test later; nearest first, as given")
    group.addoption("--within-cpu", type=float, metavar="SECONDS", help="the same in CPU time of this process")
    group.addoption("--campaign", metavar="PART", help="end with a line for docs/reference/campaigns.md")


def pytest_configure(config: pytest.Config) -> None:
    worker = hasattr(config, "workerinput")  # whose reports arrive where it was started
    config.pluginmanager.register(Recorder(None if worker else config.getoption("--cpu-times")), "recorder")
    config.stash[BEGUN] = time.monotonic()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Say which tests are quick; order those of the tier that is asked for."""
    seconds = read_table()
    for item in items:
        if seconds.get(function_of(item.nodeid), 0.0) <= QUICK and not item.get_closest_marker("campaign"):
            item.add_marker("quick")
    yield
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if config.getoption("--within") or config.getoption("--within-cpu"):
        order = [place for first in range(workers) for place in range(first, len(items), workers)]
    else:
        order = longest_first([function_of(item.nodeid) for item in items], seconds, workers)
    items[:] = [items[place] for place in order]


def pytest_runtest_setup(item: pytest.Item) -> None:
    within = item.config.getoption("--within")
    if within and time.monotonic() - item.config.stash[BEGUN] > within:
        pytest.skip(f"not begun within {within:g} s: `make test` runs it")
    within = item.config.getoption("--within-cpu")
    if within and sum(os.times()[:4]) > within:
        pytest.skip(f"not begun within {within:g} s of CPU time: `make test` runs it")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    recorder = config.pluginmanager.get_plugin("recorder")
    assert isinstance(recorder, Recorder)
    total = sum(recorder.spent.values())
    if config.getoption("--cpu-times"):
        recorder.write()
        terminalreporter.section("CPU time")
        for folder, (count, seconds) in by_folder(recorder.spent).items():
            terminalreporter.write_line(f"{seconds:8.1f} s  {count:5} tests  {folder}")
        terminalreporter.write_line(f"{total:8.1f} s  {len(recorder.spent):5} tests  {total / 60:.1f} minutes")
    part = config.getoption("--campaign")
    if part:
        results = {kind: len(terminalreporter.getreports(kind)) for kind in ("passed", "failed", "error")}
        told = ", ".join(f"{count:,} {kind}" for kind, count in results.items() if count or kind == "failed")
        properties: dict[str, int] = {}
        for report in terminalreporter.getreports("passed"):
            for name, count in report.user_properties:
                properties[name] = properties.get(name, 0) + count
        told += "".join(f", {count:,} {name}" for name, count in properties.items())
        terminalreporter.write_line(campaign_line(part, f"{told}, {total / 60:.1f} minutes of CPU time"))
