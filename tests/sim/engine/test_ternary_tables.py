"""Ternary tables in a network: the routes and times of exact tables, with fewer entries."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from models.errors import TsujiError
from models.params import CamParams, LinkParams, SwitchParams
from sim.analysis.table_entries import table_entries
from sim.config import load
from sim.engine.network import Network
from sim.routing.dimension_order import DimensionOrder
from sim.simulation import build, simulate
from sim.topology.torus import grid
from tsuji.cli import command_line

SETTINGS = ["traffic.load=0.2", "cam.latency=9", "cam.occupancy=2", "measure.max_measure_periods=10"]
NETWORKS = (
    ["topology.radix=[4,4]"],
    ["topology.radix=[5,3]", "cache.entries=0", "traffic.load=0.05"],
    ["topology.kind=fat_tree", "topology.arity=2", "topology.levels=4", "routing.kind=random_up", "routing.paths=2"],
    ["topology.kind=dragonfly", "routing.kind=up_down", "cache.entries=8", "prediction.kind=latest"],
    ["topology.radix=[4,4]", "switch.vcs=4", "adaptive.kind=escape"],
)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda each: " ".join(each[:2]))
def test_same_figures_as_with_exact_match(network):
    """Only caches see the addresses: large enough for all, they hold the same; so addresses must be the same, too."""
    one, other = (load(None, [*SETTINGS, *network, f"cam.match={match}"]) for match in ("exact", "ternary"))
    figures = [simulate(each).figures for each in (one, other)]
    for name in ("packet_latency", "cycles", "flit_hops"):
        assert getattr(figures[0], name) == getattr(figures[1], name), name


def test_few_entries_hold_a_large_network():
    settings = ["topology.radix=[16,16]", "cam.match=ternary", "cam.entries=32"]
    network = build(load(None, settings))
    assert network.topology.nodes == 256
    with pytest.raises(TsujiError, match=r"cam\.entries = 128: 256 nodes do not fit"):
        build(load(None, ["topology.radix=[16,16]", "cam.entries=128"]))


def test_too_few_entries_name_the_switch_and_what_it_needs():
    with pytest.raises(
        TsujiError, match=r"cam\.entries = 4: switch \d+ needs \d+ ternary entries; use a power of two of at least 16"
    ):
        build(load(None, ["topology.radix=[8,8]", "cam.match=ternary", "cam.entries=4"]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["cam.latency=5"], r"cam\.latency = 5: must be at least 6 with cam\.match = \"ternary\""),
        (["cam.entries=2048"], r"cam\.entries = 2048: must be at most 1024 with cam\.match = \"ternary\""),
        (["cam.entries=24"], r"cam\.entries = 24: must be a power of two"),
        (["cam.match=prefix"], r"cam\.match = 'prefix': .*exact, ternary"),
    ],
)
def test_what_is_refused(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["cam.match=ternary", *settings])


def test_addresses_that_the_tag_cannot_carry_are_refused():
    topology = grid((3,), wrap=False).with_addresses([0, 1, 1 << 16])
    params = SwitchParams(ports=3, cam=CamParams(match="ternary"))
    with pytest.raises(TsujiError, match=r"switch\.tag_width = 16: the highest address is 65536; use at least 17"):
        Network(params, LinkParams(), topology, DimensionOrder().tables(topology, 2))


def test_entries_are_reported(tmp_path):
    examples = Path(__file__).parents[3] / "examples"
    out = tmp_path / "out.json"
    done = CliRunner().invoke(
        command_line(), ["topology", str(examples / "torus8x8.toml"), "--table-entries", "--json", str(out)]
    )
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text())["table_entries"]
    assert found["exact"] == 64
    assert found["ternary_mean"] <= found["ternary"] < 24
    assert "entries, ternary" in done.stdout
    with pytest.raises(TsujiError, match='"dimension_order": switches compute routes; only tables have entries'):
        table_entries(load(None, ["switch.routing=dimension_order"]))
