"""The documents agree with the program."""

import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from sim.config import load
from sim.lib.registry import Registry
from sim.measure.batch_figures import BatchFigures
from sim.measure.cache_figures import CacheFigures
from sim.measure.figures import Figures
from sim.measure.link_power_figures import LinkFigures
from sim.measure.node_figures import FairnessFigures, NodeFigures
from sim.measure.prediction_figures import PredictionFigures
from sim.measure.utilisation import UtilisationFigures
from sim.power.account import PowerFigures
from sim.routing.base import ALGORITHMS
from sim.topology.family import FAMILIES
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.pattern import PATTERNS

DOCS = Path(__file__).parents[2] / "docs"
SIMULATION = (DOCS / "how_to" / "simulation.md").read_text() + (DOCS / "reference" / "configuration.md").read_text()
FOLLOWS = {"switch.ports", "switch.radix", "switch.wrap", "switch.max_packet", "switch.output_buffer", "cam.entries"}
FOLLOWS |= {"prediction.order", "prediction.straight_ports", "switch.crossbar", "switch.network_ports"}
FOLLOWS |= {"adaptive.escape_vcs", "topology.spacing", "topology.groups", "topology.file", "routing.root"}
FOLLOWS |= {"switch.tag_width", "topology.format", "topology.bandwidth", "topology.cycle_ns", "routing.file"}
FOLLOWS |= {
    "switch.table_entries",
    "switch.ties",
    "routing.paths",
    "planes.count",
    "traffic.matrix",
    "measure.batch_size",
    "switch.arrangement",
    "switch.fold",
    "link.credit_latency",
    "traffic.packets_at_once",
    "power.t_lt_ns",
    "power.cycle_ns",
}
GROUPS = {"cache": CacheFigures, "links": LinkFigures, "prediction": PredictionFigures, "nodes": NodeFigures}
GROUPS |= {"power": PowerFigures, "batch": BatchFigures, "fairness": FairnessFigures, "utilisation": UtilisationFigures}
TRAFFIC = ["pattern=random_permutation", "pattern=group_shift", "arrivals=on_off", "pattern=hotspot"]


def documented():
    """Return the default of each key in the tables, as text."""
    rows = re.findall(r"^\| ((?:`[a-z_]+\.[a-z_]+`(?:, )?)+) \| ([^|]+) \|", SIMULATION, re.MULTILINE)
    return {key: default for keys, default in rows for key in re.findall(r"`([^`]+)`", keys) if "." in key}


def test_every_key_and_default_is_documented():
    config = load(None, ["lpi.idle=1000", "prediction.kind=latest"]).document()
    config["workload"] = load(None, workload=True).document()["workload"]
    config["power"] = load(None, power=True).document()["power"]
    config["faults"] = load(None, ["faults.random=0"]).document()["faults"]
    config["planes"] = load(None, ["planes.tie=hash"]).document()["planes"]
    for kind in TRAFFIC:
        config["traffic"] = load(None, [f"traffic.{kind}"]).document()["traffic"] | config["traffic"]
    config["traffic"] |= {"matrix": "a file's name"}
    config["adaptive"] = load(None, ["switch.vcs=3", "adaptive.kind=escape"]).document()["adaptive"]
    fields = chain.from_iterable(FAMILIES.get(kind).model_fields.items() for kind in FAMILIES.names())
    config["topology"] |= {
        key: list(value) if isinstance(value := field.default, tuple) else value for key, field in fields
    }
    for kind in ALGORITHMS.names():
        config["routing"] |= ALGORITHMS.get(kind)().model_dump(mode="json")
    defaults = {f"{section}.{key}": value for section, keys in config.items() for key, value in keys.items()}
    figures = {f"{group}.{name}" for group, kind in GROUPS.items() for name in kind._fields}
    written = {key: default for key, default in documented().items() if key not in figures}
    assert set(written) == set(defaults)
    for key in set(defaults) - FOLLOWS:
        assert tomllib.loads(f"value = {written[key].strip('`')}")["value"] == defaults[key], key


def test_every_figure_is_documented():
    for name in Figures._fields:
        assert f"`{name}`" in SIMULATION or f"`{name}." in SIMULATION, name


@pytest.mark.parametrize("group", GROUPS)
def test_every_figure_of_a_group_is_documented(group):
    rows = "\n".join(re.findall(rf"^\| `{group}\..*", SIMULATION, re.MULTILINE))
    for name in GROUPS[group]._fields:
        assert re.search(rf"`({group})?\.{name}`", rows), name


@pytest.mark.parametrize("registry", [FAMILIES, ALGORITHMS, PATTERNS, ARRIVALS], ids=lambda registry: registry.key)
def test_every_kind_is_documented(registry: Registry):
    for name in registry.names():
        assert f"`{name}`" in SIMULATION or f'`"{name}"`' in SIMULATION, name


def test_the_topology_of_the_guide_runs():
    text = (DOCS / "how_to" / "adding_a_topology.md").read_text()
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
