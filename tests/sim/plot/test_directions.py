"""Names of ports and directions, the same in pages, heat maps of power and of utilisation, and timelines."""

import matplotlib

from sim.config import load
from sim.plot import utilisation
from sim.plot.directions import direction_name, link_groups, port_name
from sim.plot.heat_map import plot_recorded
from sim.plot.recorded import read_recorded
from sim.plot.view_figures import FIGURES
from sim.simulation import simulate
from tests.sim.plot.power_files import write_power
from tests.sim.plot.svg_texts import svg_texts

DIRECTIONS = ["+x", "−x", "+y", "−y"]


def recorded(tmp_path, settings):
    return read_recorded(write_power(tmp_path / "ring.parquet", settings, 6), ["utilisation"], ["utilisation"])


def groups_of(found):
    ends = found.ends
    return link_groups(ends["dimension"], ends["direction"], ends["port"], ends["to_switch"] < 0)


def test_rows_of_a_heat_map_are_grouped_by_direction_else_by_port(tmp_path):
    found = recorded(tmp_path, ["topology.radix=[3, 3, 3]"])
    group, names, by = groups_of(found)
    assert by == "direction"
    assert names == ["+x", "−x", "+y", "−y", "+z", "−z"]
    assert (group == found.ends["port"]).all()
    tree = recorded(tmp_path, ["topology.kind=fat_tree", "topology.arity=2", "topology.levels=3"])
    assert groups_of(tree)[1:] == (["port 0", "port 1", "port 2", "port 3"], "port")


def test_names_of_ports():
    assert [direction_name(d, way) for d, way in ((0, 1), (2, -1), (3, 1), (-1, 0))] == ["+x", "−z", "+d3", ""]
    assert port_name(1, 0, -1) == "port 1, −x"
    assert port_name(4, -1, 0) == "port 4"


def test_both_heat_maps_have_the_same_rows_and_colours(tmp_path, monkeypatch):
    used = []
    draw = utilisation.draw_heat_map

    def watched(*arguments):
        used.append(arguments[-2])
        draw(*arguments)

    monkeypatch.setattr(utilisation, "draw_heat_map", watched)
    fast = ["topology.radix=[3, 3]", "measure.period=300", "measure.utilisation_interval=100", "traffic.load=0.1"]
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        plot_recorded(recorded(tmp_path, ["topology.radix=[3, 3]"]), FIGURES["utilisation"], tmp_path / "power.svg")
        utilisation.plot(simulate(load(None, fast)).utilisation, tmp_path / "links.svg")
    assert used == [FIGURES["utilisation"]]
    for name in ("power.svg", "links.svg"):
        assert [text for text in svg_texts(tmp_path / name) if text[0] in "+−" and text[1] in "xyz"] == DIRECTIONS
