"""Public Python interface, as README and docs/how_to/python.md show it."""

import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import tsuji
from tsuji import TsujiError

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "torus8x8_computed.toml"
SMALL = {
    "topology": {"kind": "torus", "radix": [4, 4]},
    "switch": {"routing": "dimension_order"},
    "measure": {"period": 200, "max_warmup_periods": 3, "measure_periods": 1, "max_measure_periods": 2},
}


def test_file_and_mapping_describe_the_same():
    keys = tsuji.config(EXAMPLE).document()
    assert tsuji.config(keys).document() == keys


def test_settings_come_last():
    assert tsuji.config(EXAMPLE, {"traffic.load": 0.25}).load.load == 0.25
    assert tsuji.config(SMALL, {"topology.radix": np.array([2, 3])}).topology.build().switches == 6


def test_an_empty_section_turns_its_feature_on():
    assert tsuji.config(SMALL).switch.prediction is None
    assert tsuji.config(SMALL | {"prediction": {}}).switch.prediction.kind == "latest"


def test_what_is_wrong_is_named():
    with pytest.raises(TsujiError, match=r"topology\.size = 3: unknown key; allowed: .*radix"):
        tsuji.config({"topology": {"size": 3}})
    with pytest.raises(TsujiError, match=r'^traffic\.load = 0\.3: no section; write {"traffic": {"load": …}}$'):
        tsuji.config({"traffic.load": 0.3})
    with pytest.raises(TsujiError, match=r"^\{1\}: no key takes a set; use numbers, text, paths or lists of them$"):
        tsuji.config({"topology": {"radix": {1}}})
    with pytest.raises(TsujiError, match="topology: directed; a cable carries both ways"):
        tsuji.config({"topology": nx.DiGraph([(0, 1)])})
    with pytest.raises(TsujiError, match="seeds = 0: must be a whole number"):
        tsuji.saturate(SMALL, seeds=0)
    with pytest.raises(TsujiError, match="workers = 0: must be a whole number"):
        tsuji.sweep(SMALL, {"traffic.load": [0.1]}, workers=0)
    with pytest.raises(TsujiError, match=r"in the point traffic\.load=-1"):
        tsuji.sweep(SMALL, {"traffic.load": [0.1, -1]})


@pytest.mark.parametrize("values", [0.1, "uniform"])
def test_values_of_a_sweep_are_a_list(values):
    with pytest.raises(TsujiError, match=r"must be a list of values, such as \["):
        tsuji.sweep(SMALL, {"traffic.load": values})


def test_what_is_no_description_is_refused():
    with pytest.raises(TsujiError, match=r"^3: no description; must be a path, sections of keys, or a graph"):
        tsuji.config(3)


def test_a_graph_may_be_the_whole_description():
    assert tsuji.topology(nx.petersen_graph()).switches == 10


def test_topology_of_planes_is_that_of_the_first():
    planes = {"topology": {"kind": "hypercube", "dimensions": 3}, "planes": {"generators": [[3, 5, 7], [1, 2, 4]]}}
    assert tsuji.topology(planes).name == "3-cube of generators 3, 5, 7"


def test_topology_has_figures():
    assert tsuji.topology(SMALL).figures.diameter == 4


def test_a_topology_needs_no_routing():
    assert tsuji.topology({"topology": {"kind": "dragonfly"}}).figures.diameter == 3


def test_a_graph_has_as_many_nodes_as_are_set():
    ring = nx.cycle_graph(4)
    assert tsuji.topology({"topology": ring}, {"topology.locals": 3}).nodes == 12
    ring.nodes[0]["nodes"] = 2
    assert tsuji.topology({"topology": ring}).nodes == 5
    with pytest.raises(TsujiError, match=r"topology\.locals = 3: populations says how many"):
        tsuji.topology({"topology": ring}, {"topology.locals": 3})


def test_a_section_of_none_is_left_out():
    assert tsuji.config(SMALL | {"lpi": None}) == tsuji.config(SMALL)


def test_paths_are_taken_for_files():
    graph = {"kind": "graph", "file": ROOT / "examples" / "petersen.txt"}
    assert tsuji.topology({"topology": graph}).switches == 10


def test_a_search_ignores_the_load_of_a_description_but_no_setting(tmp_path):
    mapping = SMALL | {"traffic": {"load": 0.3, "pattern": "uniform"}}
    found = tsuji.saturate(mapping, tolerance=np.float64(0.5), directory=tmp_path)
    assert found.loc[0, "simulations"] == 2
    for wrong in ({"settings": {"traffic.load": 0.3}}, {"over": {"traffic.load": [0.1, 0.3]}}):
        with pytest.raises(TsujiError, match=r"traffic\.load: is what this command chooses"):
            tsuji.saturate(mapping, tolerance=0.5, **wrong)


def test_a_network_by_hand():
    network = tsuji.build(SMALL)
    network.advance(10)
    assert network.cycle == 10
    assert network.idle()


def test_a_sweep_is_a_tidy_frame(tmp_path):
    loads = [0.05, 0.1]
    kept = tsuji.sweep(SMALL, {"run.seed": [1, 2], "traffic.load": loads}, directory=tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == 4
    assert kept["traffic.load"].tolist() == loads * 2
    assert kept["run.seed"].tolist() == [1, 1, 2, 2]
    one = tsuji.frame(tsuji.run(SMALL, {"traffic.load": 0.1, "run.seed": 2}))
    columns = [name for name in kept if name != "wall_s"]
    last = kept[columns].tail(1).reset_index(drop=True)
    pd.testing.assert_frame_equal(one[columns], last, check_dtype=False)
    assert {*kept, *kept.attrs} == {*one, "version"}


def test_curves_and_saturation_points_share_a_folder(tmp_path):
    curve = tsuji.curve(SMALL, {"traffic.pattern": ["uniform"]}, points=6, directory=tmp_path)
    loads = curve["traffic.load"].tolist()
    assert len(loads) == 6
    assert loads == sorted(loads)
    found = tsuji.saturate(SMALL, {"traffic.pattern": ["uniform"]}, tolerance=0.25, directory=tmp_path)
    assert found.loc[0, "traffic.pattern"] == "uniform"
    assert found.loc[0, "above"] == found.loc[0, "load"] + 0.25
    assert len(list(tmp_path.glob("*.json"))) < 6 + found.loc[0, "simulations"]


def test_a_bar_counts_the_points_and_changes_nothing(capsys):
    loads = {"traffic.load": [0.05, 0.1]}
    quiet = tsuji.sweep(SMALL, loads)
    assert not capsys.readouterr().err
    shown = tsuji.sweep(SMALL, loads, progress=True)
    assert [line.split("  ")[:2] for line in capsys.readouterr().err.splitlines()] == [
        ["1/2", "traffic.load=0.05"],
        ["2/2", "traffic.load=0.1"],
    ]
    assert shown["packet_latency.mean"].equals(quiet["packet_latency.mean"])
    tsuji.saturate(SMALL, tolerance=0.5, progress=True)
    assert re.match(r"1/\d+  traffic\.load=", capsys.readouterr().err)


def test_nothing_heavy_is_loaded_for_the_version():
    program = "import sys, tsuji; tsuji.__version__; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_run_loads_nothing_that_only_others_need():
    """Data frames, graphs and plots are imported where they are used: a second per process."""
    heavy = ("pandas", "networkx", "pyarrow", "matplotlib", "scipy")
    program = f"import sys, tsuji; tsuji.run; print(*(name for name in {heavy} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not done.stdout.split()


def test_the_library_knows_nothing_of_the_command_line():
    program = "import sys, tsuji.api; print(*(name for name in sys.modules if name.startswith(('typer', 'tsuji.cli'))))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not done.stdout.split()


def test_all_names_are_there():
    """Each name is loaded from where it is defined, and from nowhere else."""
    for name in tsuji.__all__:
        assert getattr(tsuji, name) is not None
    assert dir(tsuji) == sorted(tsuji.__all__)
    assert {"Packets", "TsujiError", "Result", "Network", "Config", "Topology"} <= set(tsuji.__all__)


def test_documentation_imports_our_names_from_one_place():
    pages = [
        ROOT / "README.md",
        *(
            ROOT / "docs" / f"{name}.md"
            for name in ("how_to/python", "reference/topologies", "how_to/workloads", "how_to/power")
        ),
    ]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        for module in re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE):
            assert module not in ("models", "sim", "hdl", "synth", "cocotb_tests")


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="sweeep"):
        tsuji.sweeep  # noqa: B018


@pytest.mark.parametrize("page", ["README.md", "docs/how_to/python.md", "docs/how_to/integrating_a_switch.md"])
def test_the_programs_shown_run(page):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
