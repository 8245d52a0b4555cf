"""Pictures of networks show the networks, and those in docs/ show the networks as they are now."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.plot.topology import UNNUMBERED, description, draw
from sim.plot.topology_page import ROOT, picture, pictured
from sim.plot.topology_places import places
from sim.topology.cables import cable_ends
from sim.topology.dragonfly import DragonflyFamily, dragonfly
from sim.topology.family import FAMILIES
from sim.topology.fat_tree import fat_tree
from sim.topology.graph import from_networkx
from sim.topology.random_regular import random_regular
from sim.topology.torus import grid
from tests.sim.plot.svg_texts import svg_texts
from tests.tsuji.test_topology_cli import FAMILIES as EXAMPLES

PAGE = (ROOT / "docs" / "reference" / "topologies.md").read_text(encoding="utf-8")
KINDS = (
    "dragonfly",
    "fat_tree",
    "graph",
    "hyper_crossbar",
    "hypercube",
    "hyperx",
    "mesh",
    "random_regular",
    "single_switch",
    "slim_fly",
    "torus",
)


def drawn_from(path):
    """Return the description that a picture contains."""
    text = re.search(r"<dc:description>(.*?)</dc:description>", path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(html.unescape(text[1]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_of_each_family_is_of_this_network(kind):
    assert drawn_from(picture(kind)) == description(pictured(kind)), "run python -m sim.plot.topology_page"
    assert f"topologies/{kind}.svg" in PAGE
    assert f"## `{kind}`" in PAGE


def test_every_family_has_a_picture():
    assert set(KINDS) == set(FAMILIES.names()) == {path.stem for path in picture("torus").parent.glob("*.svg")}


def test_a_network_is_drawn_the_same_again(tmp_path):
    network = dragonfly(3, 1)
    draw(network, tmp_path / "a.svg")
    draw(network, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    found = drawn_from(tmp_path / "a.svg")
    assert found["name"] == network.name
    assert found["nodes"] == network.node_switch.tolist()
    assert [cable[:2] for cable in found["cables"]] == cable_ends(network).tolist()
    assert (tmp_path / "a.svg").read_text().count("<use ") == network.switches


@pytest.mark.parametrize("kind", KINDS)
def test_switches_have_places_of_their_own(kind):
    place = places(pictured(kind))
    apart = np.hypot(*(place[:, None] - place).transpose(2, 0, 1)) + np.eye(len(place))
    assert apart.min() > 0.01


@pytest.mark.parametrize("radix", [(3, 3, 3), (2, 2, 2, 2), (2, 3, 2, 3, 2), (2,) * 6])
def test_no_two_switches_of_many_dimensions_meet(radix):
    place = places(grid(radix, wrap=True))
    assert len(np.unique(place.round(6), axis=0)) == len(place)


def test_places_follow_the_family():
    assert places(grid((4,), wrap=False)).tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]
    assert places(grid((2, 3), wrap=False)).tolist() == [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]]
    tree = fat_tree(2, 3)
    assert (np.diff(places(tree)[:, 1].reshape(3, 4), axis=0) > 0).all()
    assert np.hypot(*places(random_regular(200, 3)).T) == pytest.approx(np.ones(200))
    graph = nx.Graph([("a", "b"), ("b", "c")])
    nx.set_node_attributes(graph, {"a": {"x": 0, "y": 0}, "b": {"x": 7, "y": 1}, "c": {"x": 3, "y": 2}})
    assert places(from_networkx(graph)).tolist() == [[0, 0], [7, 1], [3, 2]]


def test_cables_bend_around_switches_and_each_other(tmp_path):
    straight, ring, twins = (tmp_path / f"{name}.svg" for name in ("straight", "ring", "twins"))
    draw(grid((3, 2), wrap=False), straight)
    draw(grid((4, 3), wrap=True), ring)
    draw(grid((2, 3), wrap=True), twins)
    curves = [len(re.findall(r"\nQ ", path.read_text())) for path in (straight, ring, twins)]
    assert curves == [0, 3 + 4, 2 + 3]  # the wrap-around cables; the second cable of each ring of 2


def edges_and_title(path):
    """Return width and height of a picture, and the position of its title in points: left edge and baseline."""
    text = path.read_text(encoding="utf-8")
    title = re.search(r'<text style="font-size: 11px[^>]* x="([\d.]+)" y="([\d.]+)"', text)
    return (*map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups()), *map(float, title.groups()))


@pytest.mark.parametrize("kind", KINDS)
def test_the_title_is_clear_of_the_edges(kind):
    _, _, left, line = edges_and_title(picture(kind))
    assert left > 10
    assert line - 11 > 8


def test_a_picture_is_as_wide_as_its_title(tmp_path):
    draw(replace(grid((2, 2), wrap=False), name="a name of many words " * 6), tmp_path / "a.svg")
    width, *_ = edges_and_title(tmp_path / "a.svg")
    assert width > 6 * 72 + 100


def test_too_large_a_network_is_refused(tmp_path):
    with pytest.raises(TsujiError, match="2-ary 9-tree: 2304 switches; a picture shows at most 1000"):
        draw(fat_tree(2, 9), tmp_path / "a.svg")


def test_colours_tell_latencies_apart(tmp_path):
    draw(DragonflyFamily(latencies=(0, 50)).build(), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert "50 more cycles" in text
    assert "0 more cycles" in text
    draw(dragonfly(4, 2), tmp_path / "b.svg")
    assert "more cycles" not in (tmp_path / "b.svg").read_text()


def test_links_are_named_by_kind(tmp_path):
    draw(dragonfly(4, 2), tmp_path / "a.svg")
    assert {"local link", "global link"} <= set(svg_texts(tmp_path / "a.svg"))
    draw(grid((4, 4), wrap=True), tmp_path / "b.svg")
    assert {"±x", "±y"} <= set(svg_texts(tmp_path / "b.svg"))


@pytest.mark.parametrize("network", [pictured("slim_fly"), grid((16, 16), wrap=True), random_regular(150, 3)])
def test_switches_are_numbered_if_there_is_room(tmp_path, network):
    draw(network, tmp_path / "a.svg")
    texts = svg_texts(tmp_path / "a.svg")
    assert [text for text in texts if text.isdigit()] == [str(switch) for switch in range(network.switches)]
    assert UNNUMBERED not in texts


def test_a_picture_says_that_switches_are_too_close_for_numbers(tmp_path):
    draw(random_regular(900, 3), tmp_path / "a.svg")
    texts = svg_texts(tmp_path / "a.svg")
    assert UNNUMBERED in texts
    assert not any(text.isdigit() for text in texts)


def test_every_example_of_a_family_is_on_the_page():
    for example in EXAMPLES:
        assert f"examples/{example}.toml" in PAGE, example
        assert Path(ROOT / "examples" / f"{example}.toml").exists()
