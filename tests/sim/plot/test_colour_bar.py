"""Legends of colours in pictures."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt

from sim.plot.colour_bar import draw_colour_bar
from sim.plot.heat_map import plot_recorded
from sim.plot.recorded import read_recorded
from sim.plot.scale import Scale
from sim.plot.stills import draw_stills
from sim.plot.view_figures import FIGURES
from tests.sim.plot.power_files import write_power
from tests.sim.plot.svg_texts import svg_texts


def legend(tmp_path, figure, scale):
    """Return the texts of a picture with a legend only."""
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        paper, axes = plt.subplots(layout="constrained")
        axes.axis("off")
        draw_colour_bar(paper, axes, figure, scale, figure.label("link"))
        paper.savefig(tmp_path / "a.svg")
        plt.close(paper)
    return svg_texts(tmp_path / "a.svg")


@pytest.mark.parametrize(
    ("name", "value", "said"), [("power", 3.0, "3 W"), ("lpi", 0.0, "0.0 %"), ("lpi", 1.0, "100.0 %")]
)
def test_a_constant_is_named_once(tmp_path, name, value, said):
    figure = FIGURES[name]
    assert legend(tmp_path, figure, Scale(value, value)) == [said, figure.label("link"), "constant"]


def test_a_scale_has_its_values(tmp_path):
    texts = legend(tmp_path, FIGURES["power"], Scale(3.0, 4.0))
    numbers = np.array([float(text) for text in texts if text[0].isdigit()])
    assert numbers.min() == 3
    assert numbers.max() == 4
    assert "constant" not in texts


@pytest.mark.parametrize("draw", [plot_recorded, lambda found, figure, path: draw_stills(found, figure, [0], path)])
def test_pictures_name_the_one_value_of_a_constant(tmp_path, draw):
    found = read_recorded(write_power(tmp_path / "ring.parquet", ["topology.radix=[3, 3]"], 2), ["mean_w"], ["mean_w"])
    for values in (found.links, found.switches):
        values["mean_w"][:] = 3.0
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        draw(found, FIGURES["power"], tmp_path / "picture.svg")
    texts = svg_texts(tmp_path / "picture.svg")
    assert texts.count("3 W") == texts.count("constant") > 0
    assert not {"3.2", "3.4", "3.6", "3.8", "4.0"} & set(texts)
