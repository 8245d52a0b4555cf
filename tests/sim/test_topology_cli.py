"""The command topology, as a user meets it."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sim.topology.halves import narrow_cut
from sim.topology.hypercube import hypercube
from sim.topology.hyperx import hyperx
from sim.topology.torus import grid
from tests.sim.least_cut import least_cut
from tsuji.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"
FAMILIES = (
    "torus8x8",
    "mesh2x3",
    "hyper_crossbar",
    "fat_tree",
    "hyperx",
    "dragonfly",
    "slim_fly",
    "random_regular",
    "graph",
)


def topology(*arguments):
    return CliRunner().invoke(app, ["topology", *map(str, arguments)])


@pytest.mark.parametrize("example", FAMILIES)
def test_every_family_has_figures_and_a_picture(example, tmp_path):
    out = tmp_path / "out.json", tmp_path / "out.svg"
    done = topology(EXAMPLES / f"{example}.toml", "--json", out[0], "--picture", out[1])
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("switches", "nodes", "cables", "degree", "diameter", "mean distance", "bisection", "cable length"):
        assert word in done.stdout
    assert json.loads(out[0].read_text())["diameter"] > 0
    assert out[1].read_text().startswith("<?xml")


def test_figures_are_those_of_the_network(tmp_path):
    out = tmp_path / "out.json"
    topology(EXAMPLES / "torus8x8.toml", "--set", "topology.spacing=2", "--json", out)
    found = json.loads(out.read_text())
    assert found["topology"]["kind"] == "torus"
    assert (found["switches"], found["nodes"], found["ports"], found["cables"]) == (64, 64, 5, 128)
    assert (found["degree"], found["diameter"], found["bisection_channels"], found["narrow_cut"]) == (4, 8, 32, 32)
    assert found["cable_lengths"] == {"total": 2 * 16 * 14, "mean": 3.5, "longest": 4}


def test_the_page_shows_what_the_command_prints(monkeypatch):
    monkeypatch.chdir(EXAMPLES.parent)
    page = (EXAMPLES.parent / "docs" / "topologies.md").read_text(encoding="utf-8")
    command, shown = re.search(r"\$ tsuji topology (.*?) --picture \S+\n(.*?\n)\n[^ ]", page, re.DOTALL).groups()
    done = topology(*command.split())
    printed = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert printed == [line.split() for line in shown.splitlines() if line.strip()]


def test_the_program_of_the_page_runs(capsys):
    page = (EXAMPLES.parent / "docs" / "topologies.md").read_text(encoding="utf-8")
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], {})
    assert "Figures(degree=4, diameter=3," in capsys.readouterr().out


def test_only_the_section_of_the_topology_is_read(tmp_path):
    path = tmp_path / "net.toml"
    path.write_text('[topology]\nkind = "dragonfly"\n[routing]\nkind = "of tomorrow"\n')
    done = topology(path)
    assert done.exit_code == 0
    assert "dragonfly of 9 groups of 4" in done.stdout
    assert "channels at most" in done.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["--set", "topology.kind=ring"], "topology.kind = 'ring': must be one of"),
        (["--set", "topolgy.kind=ring"], "unknown section; did you mean topology?"),
        (["--set", "topology.radix=[40,40]", "--picture", "a.svg"], "1600 switches; a picture shows at most 1000"),
        (["--picture", "a.what"], "a.what: cannot be written"),
    ],
)
def test_mistakes_have_one_message(settings, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = topology(EXAMPLES / "torus8x8.toml", *settings)
    assert message in str(done.exception)


@pytest.mark.parametrize(
    "network",
    [grid((4, 4), wrap=True), grid((4, 2), wrap=False), hypercube(3), hyperx((2, 4), (3, 1))],
    ids=lambda network: network.name,
)
def test_the_narrow_cut_is_the_bisection_of_small_networks(network):
    assert narrow_cut(network) == network.figures.bisection_channels


@pytest.mark.parametrize(
    "network", [grid((5, 2), wrap=True), grid((3, 4), wrap=False)], ids=lambda network: network.name
)
def test_the_narrow_cut_is_one_of_the_cuts(network):
    assert narrow_cut(network) >= least_cut(network)


def test_no_halves_of_an_odd_network():
    assert narrow_cut(grid((3, 3), wrap=True)) is None
