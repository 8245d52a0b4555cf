"""Long tasks report their progress, and only listeners get the reports."""

from io import StringIO
from itertools import groupby

import pytest
from rich.console import Console
from typer.testing import CliRunner

from models.jit import watching
from sim.config import load
from sim.lib.progress import listening, report, steps
from sim.simulation import build
from sim.topology import distances
from sim.topology.torus import grid
from tests.tsuji.test_topology_cli import EXAMPLES
from tsuji import progress
from tsuji.cli import command_line


def heard(done):
    """Return the progress reported while `done` runs: stage, steps done, total steps."""
    told = []
    with listening(lambda *what: told.append(what)):
        done()
    return told


def test_steps_are_told_before_they_are_taken():
    told = []
    with listening(lambda *what: told.append(what)):
        told.extend(steps("letters", "ab"))
    assert told == [("letters", 0, 2), "a", ("letters", 1, 2), "b"]


def test_nobody_hears_outside():
    told = []
    with listening(lambda *what: told.append(what)):
        report("inside")
        with listening(lambda *_: None):
            report("elsewhere")
    report("outside")
    assert told == [("inside", 0, 0)]


def test_searches_for_distances_are_told(monkeypatch):
    monkeypatch.setattr(distances, "SEARCHES", 4)
    assert heard(lambda: grid((9,), wrap=False).figures) == [
        ("distances", 0, 3),
        ("distances", 1, 3),
        ("distances", 2, 3),
    ]


@pytest.mark.parametrize(
    ("settings", "stages"),
    [
        (
            ["routing.kind=up_down"],
            ["root", "ways", "alternative ways", "balancing routes", "deadlock check", "deadlock check: cycles"],
        ),
        (["adaptive.kind=escape"], ["choices", "deadlock check"]),
    ],
    ids=["up_down", "escape"],
)
def test_stages_of_a_network_come_in_order_each_with_all_its_steps(settings, stages):
    config = load(None, ["topology.kind=mesh", "topology.radix=[4,4]", "switch.vcs=2", *settings])
    told = [each for each in heard(lambda: build(config)) if not each[0].startswith("compiling ")]
    assert [stage for stage, _ in groupby(what[0] for what in told)] == ["topology", *stages, "programming tables"]
    for stage in stages:
        counts = [(done, total) for each, done, total in told if each == stage]
        total = counts[0][1]
        assert counts == [(done, total) for done in range(total)] or counts == [(0, 0)]


@pytest.mark.parametrize(
    ("command", "last"), [(["run"], "measuring"), (["topology", "--channel-load"], "channel loads")]
)
def test_commands_show_stages(command, last, monkeypatch):
    """Without a terminal: one line from time to time, here always."""
    monkeypatch.setattr(progress, "LINE_SECONDS", -1.0)
    settings = ["--set", "topology.radix=[4,4]", "--set", "routing.kind=up_down"]
    done = CliRunner().invoke(command_line(), [*command, str(EXAMPLES / "torus8x8.toml"), *settings])
    assert done.exit_code == 0, done.output
    lines = done.stderr.splitlines()
    assert {"root", "balancing routes, 50%, about 0 s left"} <= set(lines)
    assert any(line.startswith(f"{last}, ") for line in lines)


def test_a_stage_of_unknown_length_shows_no_share():
    output = StringIO()
    with progress.Stages(Console(file=output, force_terminal=True, width=80)) as stages:
        report("letters", 1, 2)
        stages._progress.refresh()
        assert "50%" in output.getvalue()
        output.truncate(0)
        report("circles")
        stages._progress.refresh()
    assert "circles" in output.getvalue()
    assert "%" not in output.getvalue()


def test_a_compilation_is_announced_at_once_and_then_now_and_then(monkeypatch):
    """Without a terminal, too, and while the clocks of simulations stand still."""
    output = StringIO()
    times = iter([0.0, 1.0, 1.0, 2.0, 11.5, 12.5, 12.5, 13.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(times))
    with progress.Phases(Console(file=output, width=200)) as phases:
        phases.update("measuring", 5, 100)
        watching.begin("run")
        watching.expect({"run", "f"})
        for name in ("f", "run", "run"):
            watching.part_done(name)
    lines = output.getvalue().splitlines()
    shares = ("", ", 67%")
    assert lines == [f"compiling run and the functions it calls, once for this version{done}" for done in shares]


def test_a_compilation_before_a_simulation_says_how_long_it_still_takes(monkeypatch):
    """Without a terminal; on one, a bar does."""
    output = StringIO()
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: 2 * now[0])  # a line is due after 10 s
    monkeypatch.setattr(progress, "wall_s", lambda: now[0])
    with progress.Phases(Console(file=output, width=200)):
        watching.begin("run")
        watching.expect({"run", "f"})
        now[0] = 10.0
        watching.part_done("f")
    assert output.getvalue().splitlines()[-1].endswith("once for this version, 33%, about 20 s left")
