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
from tests.sim.topology.least_cut import least_cut
from tsuji.cli import command_line

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
    return CliRunner().invoke(command_line(), ["topology", *map(str, arguments)])


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


def test_channel_loads_bound_throughput(tmp_path):
    """In a ring of 8 traffic half way round is split by parity, not evenly: one direction carries 64/63."""
    out = tmp_path / "out.json"
    done = topology(EXAMPLES / "torus8x8.toml", "--channel-load", "--json", out)
    assert re.search(r"throughput bound +0\.984", done.stdout)
    found = json.loads(out.read_text())["channel_load"]
    assert found["most"] == pytest.approx(64 / 63)
    assert found["throughput_bound"] == pytest.approx(63 / 64)
    assert found["port_name"] == "port 0, +x"
    assert "switch 0 port 0, +x" in done.stdout


@pytest.mark.parametrize(
    ("settings", "bound"),
    [
        ([], 63 / 64),
        (["link.interval=3"], 63 / 64 / 3),  # links between switches only
        (["switch.speedup=2"], 63 / 64 / 2),
        (["switch.node_ports=2"], 63 / 64),
        (["topology.radix=[2, 2]", "switch.vcs=1"], 1),  # the link to a node
        (["topology.radix=[2, 2]", "switch.node_ports=2"], 3 / 2),  # two of them, and 2/3 on each link
        (["topology.radix=[2, 2]", "switch.node_ports=2", "switch.speedup=2"], 3 / 4),
    ],
)
def test_bounds_are_those_of_slow_links_and_several_lanes(settings, bound, tmp_path):
    out = tmp_path / "out.json"
    given = [each for setting in settings for each in ("--set", setting)]
    done = topology(EXAMPLES / "torus8x8_nocache.toml", "--channel-load", "--json", out, *given)
    assert done.exit_code == 0, done.exception
    assert json.loads(out.read_text())["channel_load"]["throughput_bound"] == pytest.approx(bound)


def test_several_planes_are_shown_together(tmp_path):
    out = tmp_path / "out.json"
    three = ("--set", "topology.kind=hypercube", "--set", "topology.dimensions=3")
    folded = ("--set", "planes.generators=[[1, 2, 4, 7], [1, 2, 5, 6]]")
    path = tmp_path / "net.toml"
    path.touch()
    done = topology(path, *three, *folded, "--json", out)
    assert "2 planes: folded 3-cube + folded 3-cube of generators 1, 2, 5, 6" in " ".join(done.stdout.split())
    found = json.loads(out.read_text())
    assert (found["degree"], found["planes"]["tie"]) == (4, "hash")
    assert (found["switches"], found["nodes"], found["cables"]) == (16, 8, 32)
    # Of 7 others 4 are neighbours in each plane: 1, 2, 4, 7 and 1, 2, 5, 6; only 3 is in neither.
    assert (found["diameter"], found["mean_distance"]) == (2, 8 / 7)
    assert [each["mean_distance"] for each in found["each"]] == [10 / 7, 10 / 7]


def test_each_plane_has_its_cables(tmp_path):
    out = tmp_path / "out.json"
    planes = ("--set", "planes.count=2", "--set", "planes.spacing=[1, 3]", "--set", "topology.spacing=0.5")
    done = topology(EXAMPLES / "torus8x8.toml", *planes, "--json", out)
    assert "planes.spacing: leave topology.spacing out beside it" in str(done.exception)
    done = topology(EXAMPLES / "torus8x8.toml", *planes[:4], "--json", out)
    assert done.exit_code == 0, done.exception
    found = json.loads(out.read_text())
    one, other = (each["cable_lengths"] for each in found["each"])
    assert other["total"] == pytest.approx(3 * one["total"])
    assert found["cable_lengths"] == {
        "total": pytest.approx(4 * one["total"]),
        "mean": pytest.approx(2 * one["mean"]),
        "longest": other["longest"],
    }


@pytest.mark.parametrize("tie", ["hash", "alternate"])
def test_planes_share_the_load(tmp_path, tie):
    """Each of two equal tori has half the load; of isomorphic cubes a packet loads the plane with the shorter path."""
    out = tmp_path / "out.json"
    bounds = []
    for planes in ((), ("--set", "planes.count=2", "--set", f"planes.tie={tie}")):
        done = topology(EXAMPLES / "torus8x8_computed.toml", "--channel-load", "--json", out, *planes)
        assert done.exit_code == 0, done.exception
        bounds.append(json.loads(out.read_text())["channel_load"]["throughput_bound"])
    if tie == "alternate":
        assert bounds[1] == pytest.approx(2 * bounds[0])
    else:
        assert bounds[0] <= bounds[1] < 2.0001 * bounds[0]


def test_the_page_shows_what_the_command_prints(monkeypatch):
    monkeypatch.chdir(EXAMPLES.parent)
    page = (EXAMPLES.parent / "docs" / "reference" / "topologies.md").read_text(encoding="utf-8")
    command, shown = re.search(r"\$ tsuji topology (.*?) --picture \S+\n(.*?\n)\n[^ ]", page, re.DOTALL).groups()
    done = topology(*command.split())
    printed = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert printed == [line.split() for line in shown.splitlines() if line.strip()]


def test_the_program_of_the_page_runs(capsys):
    page = (EXAMPLES.parent / "docs" / "reference" / "topologies.md").read_text(encoding="utf-8")
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
        (["--picture", "a.what"], "a.what: must end in"),
        (["--set", "planes.latencies=[[1]]"], "latencies: 1 given; must be none, or one for each of 2 planes"),
        (["--set", "planes.latencies=[[1], [2]]"], "planes.latencies[0] = [1]: "),
        (["--channel-load", "--set", "adaptive={}", "--set", "switch.vcs=3"], "[adaptive]: heads choose among outputs"),
        (
            ["--channel-load", "--set", "topology.radix=[80, 80]"],
            "80×80 torus has 40,960,000 routes; channel loads follow at most 16,777,216",
        ),
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
