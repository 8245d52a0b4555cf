"""Stills, heat maps, pages and Boxfish tables of small files."""

import base64
import json
import re
import zlib
from html.parser import HTMLParser

import matplotlib.image
import numpy as np
import pytest

from models.errors import TsujiError
from sim.plot import page as page_module
from sim.plot.boxfish import write_boxfish
from sim.plot.heat_map import plot_recorded
from sim.plot.page import as_levels, page_data, write_page
from sim.plot.recorded import read_recorded
from sim.plot.scale import Scale
from sim.plot.stills import draw_stills
from sim.plot.view_figures import FIGURES, figures_named
from tests.sim.plot.power_files import link_w, lpi_share, write_power

CUBE = ["topology.radix=[3, 3, 3]"]
COLUMNS = [figure.column for figure in FIGURES.values()]
LINKS, SWITCHES = 162, 27


def recorded(tmp_path, settings=CUBE, chunks=6, **options):
    return read_recorded(write_power(tmp_path / "ring.parquet", settings, chunks, **options), COLUMNS, COLUMNS)


def levels_in(figure):
    """Return the bytes of a figure in the data of a page."""
    return np.frombuffer(zlib.decompress(base64.b64decode(figure["packed"])), np.uint8)


def colours_in(path, figure):
    """Return the number of pixels in the colours of the dark and the pale end of a scale."""
    pixels = matplotlib.image.imread(path)[..., :3]
    ends = figure.colour_map(np.array([0.0, 1.0]))[:, :3]
    return [(np.abs(pixels - end).max(axis=2) < 0.02).sum() for end in ends]


@pytest.mark.parametrize("name", FIGURES)
def test_stills_show_both_ends_of_the_scale(tmp_path, name):
    found = recorded(tmp_path)
    draw_stills(found, FIGURES[name], [0, 25_000, 55_000], tmp_path / "new" / "stills.png")
    assert all(count > 20 for count in colours_in(tmp_path / "new" / "stills.png", FIGURES[name]))


def test_a_still_shows_the_frame_at_its_time(tmp_path):
    found = recorded(tmp_path)
    for values in (found.links, found.switches):
        values["mean_w"][:] = 1.0
        values["mean_w"][3] = 2.0
    dark = []
    for ns in (29_999, 30_000):
        draw_stills(found, FIGURES["power"], [ns], tmp_path / "still.png")
        dark.append(colours_in(tmp_path / "still.png", FIGURES["power"])[1])
    assert dark[1] > 10 * dark[0]


def test_stills_refuse_what_cannot_be_seen(tmp_path):
    found = recorded(tmp_path)
    with pytest.raises(TsujiError, match="must be from 0 to 55000 ns"):
        draw_stills(found, FIGURES["power"], [60_000], tmp_path / "x.png")
    with pytest.raises(TsujiError, match="25 times; must be 1 to 24"):
        draw_stills(found, FIGURES["power"], [0] * 25, tmp_path / "x.png")
    found.about["topology"]["switches"] = 5001
    with pytest.raises(TsujiError, match="at most 5000 can be seen"):
        draw_stills(found, FIGURES["power"], [0], tmp_path / "x.png")


def test_figures_are_named():
    assert [figure.name for figure in figures_named(["lpi", "power"])] == ["lpi", "power"]
    with pytest.raises(TsujiError, match="--figure heat: must be one of power, utilisation, lpi"):
        figures_named(["heat"])


def constant(tmp_path, watts=3.0, share=0.0):
    """Return a record in which nothing changes."""
    found = recorded(tmp_path)
    for values in (found.links, found.switches):
        values["mean_w"][:] = watts
        values["lpi_share"][:] = share
    return found


def test_a_constant_has_one_value_and_one_colour(tmp_path):
    for name, column in (("power", "mean_w"), ("lpi", "lpi_share")):
        for value in (3.0, 0.0) if name == "power" else (1.0, 0.25, 0.0):
            found = constant(tmp_path, value, value)
            scale = FIGURES[name].scale(found.links[column])
            assert scale == (value, value)
            assert scale.shares(found.links[column]).tolist() == np.full((6, LINKS), float(value > 0)).tolist()
            data = page_data(found, [FIGURES[name]])["figures"][0]
            assert data["limits"] == {"link": (value, value), "switch": (value, value)}
            assert len(set(levels_in(data))) == 1


def test_a_heat_map_has_a_cell_a_link_and_frame(tmp_path):
    found = recorded(tmp_path)
    found.links["lpi_share"][:] = 0
    found.links["lpi_share"][2, 5::6] = 1  # all links to −z, in one chunk
    plot_recorded(found, FIGURES["lpi"], tmp_path / "heat.png")
    pixels = matplotlib.image.imread(tmp_path / "heat.png")[..., :3]
    pale = np.abs(pixels - FIGURES["lpi"].colour_map(1.0)[:3]).max(axis=2) < 0.02
    dark = np.abs(pixels - FIGURES["lpi"].colour_map(0.0)[:3]).max(axis=2) < 0.02
    rows, columns = np.nonzero(dark[:, : dark.shape[1] * 7 // 8])  # without the colour scale
    top, left, height, width = rows.min(), columns.min(), np.ptp(rows), np.ptp(columns)
    rows, columns = np.nonzero(pale[top : top + height, left : left + width])
    assert columns.min() / width == pytest.approx(20 / 55, abs=0.02)
    assert columns.max() / width == pytest.approx(30 / 55, abs=0.02)
    assert rows.min() / height == pytest.approx(5 / 6, abs=0.02)


class Page(HTMLParser):
    """The tags of a page, the resources that it loads from elsewhere, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.scripts, self.title, self.inside = [], [], "", ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        self.loaded += [value for name, value in attrs if name in ("src", "href")]
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        elif self.inside == "title":
            self.title = data


def test_a_page_holds_all_that_it_needs(tmp_path):
    found = recorded(tmp_path)
    path = tmp_path / "page.html"
    write_page(found, list(FIGURES.values()), path)
    text = path.read_text()
    page = Page(text)
    assert page.title == "ring.py on 3×3×3 torus"
    assert page.loaded == []
    library, data, script = page.scripts
    assert "THREE" in library
    assert "import(" not in script
    assert "fetch(" not in script
    data = json.loads(data)
    assert [each["name"] for each in data["figures"]] == list(FIGURES)
    assert data["names"][1] == "switch 1 (1, 0, 0)\nrank 25"
    assert data["edges"][-1] == pytest.approx(55)
    assert data["time"] == "µs"
    lpi = data["figures"][2]
    values = levels_in(lpi).reshape(6, LINKS + SWITCHES)
    high = lpi["limits"]["link"][1]
    for chunk in range(6):
        assert values[chunk, :LINKS] * high / 255 == pytest.approx(lpi_share(chunk, LINKS), abs=high / 500)
    power = data["figures"][0]
    assert data["links"]["port"][:6] == [
        "port 0, +x",
        "port 1, −x",
        "port 2, +y",
        "port 3, −y",
        "port 4, +z",
        "port 5, −z",
    ]
    assert power["of"] == "sum over switches"
    assert power["whole"] == pytest.approx([27 * 17.8 + link_w(chunk, LINKS).sum() for chunk in range(6)], rel=1e-4)


def test_names_cannot_end_the_script(tmp_path):
    found = recorded(tmp_path)
    found.about["source"] = ["</script><script>alert(1)</script>.py"]
    found.about["topology"]["name"] = "</script>torus"
    write_page(found, [FIGURES["power"]], tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().count("<script") == 3


def test_a_large_page_is_small_enough(tmp_path):
    """8×8×8 with 500 chunks, all values different: three figures, 3,072 links, 512 switches."""
    path = write_power(tmp_path / "x.parquet", ["topology.radix=[8, 8, 8]"], 2)
    found = read_recorded(path, COLUMNS, COLUMNS)
    random = np.random.default_rng(1)
    for values in (found.links, found.switches):
        for name in COLUMNS:
            values[name] = random.random((500, values[name].shape[1]), np.float32)
    times = np.arange(501) * 50_000.0
    object.__setattr__(found, "start_ns", times[:-1])
    object.__setattr__(found, "end_ns", times[1:])
    write_page(found, list(FIGURES.values()), tmp_path / "x.html")
    assert (tmp_path / "x.html").stat().st_size < 15e6


def test_levels_are_whole_steps_of_the_scale():
    assert as_levels(np.array([1, 1.5, 2, 1.25], np.float32), Scale(1, 2)).tolist() == [0, 128, 255, 64]


def test_a_page_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(page_module, "LIBRARY", ("no_such_package", "three.js"))
    with pytest.raises(TsujiError, match=r"pip install 'tsuji\[view\]'"):
        write_page(recorded(tmp_path), [FIGURES["power"]], tmp_path / "page.html")


def table(path):
    """Return the columns of a table of Boxfish, by its head."""
    head, _, rows = path.read_text().partition("\n...\n")
    columns = re.findall(r"^- \[(\w+), (\w+)\]$", head, re.MULTILINE)
    assert head.startswith("---\nkey: TSUJI\n---\n")
    values = np.loadtxt(rows.splitlines(), np.dtype(columns), ndmin=1)
    return {name: values[name] for name, _ in columns}


def test_boxfish_tables(tmp_path):
    found = recorded(tmp_path)
    write_boxfish(found, tmp_path / "bf")
    links, nodes = table(tmp_path / "bf" / "links.yaml"), table(tmp_path / "bf" / "nodes.yaml")
    torus = found.topology
    for names, switch in ((("sx", "sy", "sz"), 0), (("tx", "ty", "tz"), 2)):
        ends = np.tile(torus.coordinates[torus.links[:, switch]], (6, 1))
        assert (np.column_stack([links[name] for name in names]) == ends).all()
    assert links["lpi_share"] == pytest.approx(np.concatenate([lpi_share(c, LINKS) for c in range(6)]), rel=1e-5)
    assert links["power_w"] == pytest.approx(np.concatenate([link_w(c, LINKS) for c in range(6)]), rel=1e-5)
    assert nodes["nodeid"].tolist() == [*range(27)] * 6
    assert nodes["start_us"][::27].tolist() == [0, 10, 20, 30, 40, 50]
    assert table(tmp_path / "bf" / "ranks.yaml")["nodeid"].tolist() == [*range(27)][::-1]
    meta = (tmp_path / "bf" / "meta.yaml").read_text()
    assert meta.endswith("...\n")
    assert sorted(re.findall(r"filename: (\S+)", meta)) == ["links.yaml", "nodes.yaml", "ranks.yaml"]
    assert "dim: {x: 3, y: 3, z: 3}" in meta


def test_boxfish_without_ranks_in_two_dimensions_and_no_torus(tmp_path):
    write_boxfish(recorded(tmp_path, ["topology.radix=[3, 4]"], ranks=False), tmp_path / "bf")
    assert sorted(path.name for path in (tmp_path / "bf").iterdir()) == ["links.yaml", "meta.yaml", "nodes.yaml"]
    assert "coords: [a, b]" in (tmp_path / "bf" / "meta.yaml").read_text()
    with pytest.raises(TsujiError, match="must be a torus or mesh"):
        write_boxfish(recorded(tmp_path, ["topology.kind=slim_fly"]), tmp_path / "no")
