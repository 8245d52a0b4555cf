"""The documents say what the program does."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sim.config import load
from sim.link_figures import LinkFigures
from sim.measure import CacheFigures, Figures
from sim.prediction_figures import PredictionFigures
from sim.registry import Registry
from sim.routing.base import ALGORITHMS
from sim.topology.family import FAMILIES
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.pattern import PATTERNS

DOCS = Path(__file__).parents[2] / "docs"
SIMULATION = (DOCS / "simulation.md").read_text()
FOLLOWS = {"switch.ports", "switch.radix", "switch.wrap", "switch.max_packet", "switch.output_buffer", "cam.entries"}
FOLLOWS |= {"prediction.order", "prediction.straight_ports", "switch.crossbar", "switch.network_ports"}
FOLLOWS |= {"adaptive.escape_vcs", "switch.fold"}


def documented():
    """Return the default of each key in the tables, as text."""
    rows = re.findall(r"^\| ((?:`[a-z_]+\.[a-z_]+`(?:, )?)+) \| ([^|]+) \|", SIMULATION, re.MULTILINE)
    return {key: default for keys, default in rows for key in re.findall(r"`([^`]+)`", keys) if "." in key}


def test_every_key_and_default_is_documented():
    given = ["traffic.pattern=hotspot", "lpi.idle=1000", "prediction.kind=latest"]
    config = load(None, given).document()
    config["traffic"]["pattern"] = "uniform"
    config["adaptive"] = load(None, ["switch.vcs=3", "adaptive.kind=escape"]).document()["adaptive"]
    config["topology"] = load(None, ["topology.kind=hypercube"]).document()["topology"] | config["topology"]
    defaults = {f"{section}.{key}": value for section, keys in config.items() for key, value in keys.items()}
    groups = {"cache": CacheFigures, "links": LinkFigures, "prediction": PredictionFigures}
    figures = {f"{group}.{name}" for group, kind in groups.items() for name in kind._fields}
    written = {key: default for key, default in documented().items() if key not in figures}
    assert set(written) == set(defaults)
    for key in set(defaults) - FOLLOWS:
        assert tomllib.loads(f"value = {written[key].strip('`')}")["value"] == defaults[key], key


def test_every_figure_is_documented():
    for name in Figures._fields:
        assert f"`{name}`" in SIMULATION or f"`{name}." in SIMULATION, name


@pytest.mark.parametrize("registry", [FAMILIES, ALGORITHMS, PATTERNS, ARRIVALS], ids=lambda registry: registry.key)
def test_every_kind_is_documented(registry: Registry):
    for name in registry.names():
        assert f"`{name}`" in SIMULATION or f'`"{name}"`' in SIMULATION, name


def test_the_topology_of_the_guide_runs(tmp_path):
    text = (DOCS / "adding_a_topology.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    settings = re.search(r"tsuji run my.toml (.*)", text)[1].replace("--set ", "").split()
    program = "\n".join([
        *blocks,
        "from sim.config import load",
        "from sim.simulation import simulate",
        f"config = load(None, {settings!r})",
        "found = simulate(config).figures",
        "assert found.converged and found.hops == 2, found",
        "assert config.topology.build().figures == (5, 1, 1.0, 18)",
    ])  # fmt: skip
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
