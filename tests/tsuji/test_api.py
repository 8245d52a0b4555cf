"""The public Python interface: what README and docs/python.md show."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tsuji
from models.errors import TsujiError

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
    with pytest.raises(TsujiError, match=r"in the point traffic\.load=-1"):
        tsuji.sweep(SMALL, {"traffic.load": [0.1, -1]})


def test_topology_has_figures():
    assert tsuji.topology(SMALL).figures.diameter == 4


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
    columns = [name for name in one if name != "wall_s"]
    pd.testing.assert_frame_equal(one[columns], kept[columns].tail(1).reset_index(drop=True))


def test_curves_and_saturation_points_share_a_folder(tmp_path):
    curve = tsuji.curve(SMALL, {"traffic.pattern": ["uniform"]}, points=6, directory=tmp_path)
    loads = curve["traffic.load"].tolist()
    assert len(loads) == 6
    assert loads == sorted(loads)
    found = tsuji.saturate(SMALL, {"traffic.pattern": ["uniform"]}, tolerance=0.25, directory=tmp_path)
    assert found.loc[0, "traffic.pattern"] == "uniform"
    assert found.loc[0, "above"] == found.loc[0, "load"] + 0.25
    assert len(list(tmp_path.glob("*.json"))) < 6 + found.loc[0, "simulations"]


def test_nothing_heavy_is_loaded_for_the_version():
    program = "import sys, tsuji; tsuji.__version__; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="sweeep"):
        tsuji.sweeep  # noqa: B018


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_programs_shown_run(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
